//! Turns: from the prompt to the answer, and how they are cancelled.

use super::*;

fn cancelled(id: u64) -> Value {
    json!({ "id": id, "result": { "stopReason": "cancelled" } })
}

fn cancel_request(id: u64) -> Value {
    json!({ "method": "$/cancel_request", "params": { "requestId": id } })
}

/// A turn, prompt 2, with a call that is open as request 1.
async fn open_call(model: impl Model + 'static) -> (Client, String) {
    let mut client = start("", model);
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "ping").await;
    client.update().await;
    assert_eq!(client.next().await["id"], 1);
    (client, session)
}

#[tokio::test]
async fn the_rules_call_and_answer_from_the_results_in_chunks() {
    let sensors = json!([{
        "name": "greenhouse", "method": "_farm/read", "description": "Reads a sensor.",
        "inputSchema": { "properties": { "sensor": { "enum": ["light", "soil"] } } }
    }]);
    let mut client = start("", Rules);
    let session = client.with_tools(sensors).await;
    client.prompt(2, &session, "How is the light, and how wet is the soil?").await;
    for _ in 0..2 {
        assert_eq!(client.update().await["sessionUpdate"], "tool_call");
    }
    for (id, sensor, value) in [(1, "light", "dim"), (2, "soil", "wet")] {
        let request = client.next().await;
        assert_eq!(request["params"]["sensor"], sensor);
        client.send(json!({ "id": id, "result": value })).await;
    }
    for _ in 0..2 {
        assert_eq!(client.update().await["status"], "completed");
    }
    let mut chunks = Vec::new();
    let end = loop {
        let message = client.next().await;
        let update = &message["params"]["update"];
        if update["sessionUpdate"] != "agent_message_chunk" {
            break message;
        }
        chunks.push(update["content"]["text"].as_str().unwrap().to_owned());
    };
    assert!(chunks.len() > 1, "{chunks:?}");
    let text = chunks.concat();
    assert!(text.contains("light: dim") && text.contains("soil: wet"), "{text}");
    assert_eq!(end, json!({ "id": 2, "result": { "stopReason": "end_turn" } }));
}

#[tokio::test]
async fn session_cancel_ends_the_turn_then_withdraws_its_calls() {
    let (mut client, session) = open_call(calling(&["client_ping"])).await;
    client.send(json!({ "method": "session/cancel", "params": { "sessionId": session } })).await;
    assert_eq!(client.next().await, cancelled(2));
    assert_eq!(client.next().await, cancel_request(1));
    client
        .send(json!({ "id": 1, "error": { "code": -32800, "message": "Request cancelled" } }))
        .await;
    client.prompt(3, &session, "ping").await;
    assert_eq!(client.update().await["toolCallId"], "call_2");
}

#[tokio::test]
async fn session_cancel_in_the_line_after_the_prompt_is_not_lost() {
    let mut client = start("", calling(&["client_ping"]));
    let session = client.with_tools(ping()).await;
    let prompt = json!({ "id": 2, "method": "session/prompt", "params": {
        "sessionId": session, "prompt": [] } });
    let cancel = json!({ "method": "session/cancel", "params": { "sessionId": session } });
    client.write(format!("{prompt}\n{cancel}\n")).await;
    loop {
        let message = client.next().await;
        if message["id"] == 2 {
            break assert_eq!(message, cancelled(2));
        }
    }
}

#[tokio::test]
async fn cancelling_the_prompts_request_ends_the_turn() {
    let (mut client, _) = open_call(calling(&["client_ping"])).await;
    client.send(cancel_request(2)).await;
    assert_eq!(client.next().await, cancelled(2));
    assert_eq!(client.next().await, cancel_request(1));
}

#[tokio::test]
async fn cancelling_withdraws_an_open_permission_request() {
    let mut client = start("yolo: false", calling(&["client_ping"]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    client.update().await;
    assert_eq!(client.next().await["method"], "session/request_permission");
    client.send(json!({ "method": "session/cancel", "params": { "sessionId": session } })).await;
    assert_eq!(client.next().await, cancelled(2));
    assert_eq!(client.next().await, cancel_request(1));
}

#[tokio::test]
async fn a_second_prompt_cancels_the_first_and_cannot_be_cancelled_itself() {
    let (mut client, session) = open_call(calling(&["client_ping"])).await;
    client.prompt(3, &session, "ping").await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(client.next().await);
    }
    assert!(seen.contains(&cancelled(2)), "{seen:?}");
    assert!(seen.contains(&cancel_request(1)), "{seen:?}");
    client.send(json!({ "method": "session/cancel", "params": { "sessionId": session } })).await;
    client.send(json!({ "id": 2, "result": "late" })).await;
    assert_eq!(client.update().await["status"], "completed");
    assert_eq!(client.next().await, json!({ "id": 3, "result": { "stopReason": "end_turn" } }));
}

#[tokio::test]
async fn a_turn_after_an_ended_one_can_be_cancelled_again() {
    let (mut client, session) = open_call(calling(&["client_ping"])).await;
    client.send(json!({ "id": 1, "result": "x" })).await;
    client.update().await;
    assert_eq!(client.next().await["id"], 2);
    client.prompt(3, &session, "ping").await;
    client.update().await;
    client.next().await;
    client.send(json!({ "method": "session/cancel", "params": { "sessionId": session } })).await;
    assert_eq!(client.next().await, cancelled(3));
    assert_eq!(client.next().await, cancel_request(2));
}

#[tokio::test]
async fn turns_of_two_sessions_run_at_the_same_time() {
    let (mut client, _) = open_call(calling(&["client_ping"])).await;
    let other = client.new_session().await;
    client.prompt(5, &other, "ping").await;
    assert_eq!(client.update().await["toolCallId"], "call_1", "calls are counted by session");
    let request = client.next().await;
    assert_eq!(request["params"]["_meta"]["org.mini-me/sessionId"], other.as_str());
    client.send(json!({ "id": 2, "result": "x" })).await;
    client.update().await;
    assert_eq!(client.next().await["id"], 5);
}

#[tokio::test]
async fn what_a_model_tells_is_passed_on_and_its_failure_is_an_error_of_the_prompt() {
    let plan = json!({ "sessionUpdate": "plan", "entries": [] });
    let mut client = start("", Script(vec![Step::Tell(plan.clone()), Step::Fail("down".into())]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    assert_eq!(client.update().await, plan);
    let error = json!({ "code": -32603, "message": "Internal error", "data": { "error": "down" } });
    assert_eq!(client.next().await, json!({ "id": 2, "error": error }));
}

#[tokio::test]
async fn a_call_of_a_tool_there_is_not_is_told_to_the_model_alone() {
    let mut client = start("", calling(&["client_other"]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    assert_eq!(client.next().await["result"]["stopReason"], "end_turn");
}
