//! Opening, listing, closing and loading sessions.

use super::*;

async fn error_of(client: &mut Client, method: &str, params: Value) -> Value {
    client.send(json!({ "id": 9, "method": method, "params": params })).await;
    client.next().await["error"].take()
}

#[tokio::test]
async fn initialize_says_what_the_agent_can_and_who_it_is() {
    let mut client = start("", Rules);
    let mut result = client.initialize(json!([])).await;
    assert_eq!(result["agentInfo"].take()["name"], "mini-me-stand-in");
    result.as_object_mut().unwrap().remove("agentInfo");
    let expected = json!({
        "agentCapabilities": {
            "auth": {}, "loadSession": true, "mcpCapabilities": {}, "promptCapabilities": {},
            "sessionCapabilities": { "close": {}, "list": {}, "resume": {} }
        },
        "authMethods": [],
        "protocolVersion": 1
    });
    assert_eq!(result, expected);
}

#[tokio::test]
async fn params_that_are_not_what_a_method_takes_are_refused_with_the_reason() {
    let mut client = start("", Rules);
    for (method, params, reason) in [
        ("session/new", json!({ "cwd": "/" }), "mcpServers: expected an array, got nothing"),
        ("session/new", json!({ "mcpServers": [] }), "cwd: expected a string, got nothing"),
        (
            "session/load",
            json!({ "cwd": "/", "mcpServers": [] }),
            "sessionId: expected a string, got nothing",
        ),
        (
            "session/load",
            json!({ "cwd": "/", "mcpServers": [], "sessionId": "x" }),
            "session x not found",
        ),
        ("session/prompt", json!({ "sessionId": "x", "prompt": [] }), "session x not found"),
        ("session/close", json!({ "sessionId": 7 }), "sessionId: expected a string, got 7"),
        (
            "initialize",
            json!({ "clientCapabilities": { "_meta": 1 } }),
            "clientCapabilities._meta: expected an object",
        ),
    ] {
        let error = error_of(&mut client, method, params).await;
        assert_eq!(
            error,
            json!({ "code": -32602, "message": "Invalid params", "data": { "error": reason } })
        );
    }
}

#[tokio::test]
async fn a_method_there_is_not_is_refused_by_its_name() {
    let mut client = start("", Rules);
    for method in ["session/set_mode", "_x/y", "authenticate"] {
        let error = error_of(&mut client, method, json!({})).await;
        let data = json!({ "method": method });
        assert_eq!(error, json!({ "code": -32601, "message": "Method not found", "data": data }));
    }
}

#[tokio::test]
async fn a_closed_session_takes_no_prompt_and_is_loaded_with_what_was_said() {
    let mut client = start("", Script(vec![Step::Say(vec!["he".into(), "llo".into()])]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "hi").await;
    for _ in 0..3 {
        client.next().await;
    }
    client
        .send(json!({ "id": 3, "method": "session/close", "params": { "sessionId": session } }))
        .await;
    assert_eq!(client.next().await, json!({ "id": 3, "result": {} }));
    let params = json!({ "sessionId": session, "prompt": [] });
    let error = error_of(&mut client, "session/prompt", params).await;
    assert_eq!(error["data"]["error"], format!("session {session} not found"));

    let params = json!({ "sessionId": session, "cwd": "/l", "mcpServers": [] });
    client.send(json!({ "id": 4, "method": "session/load", "params": params })).await;
    let mut texts = Vec::new();
    for _ in 0..3 {
        texts.push(client.update().await["content"]["text"].take());
    }
    assert_eq!(texts, ["hi", "he", "llo"]);
    assert_eq!(client.next().await, json!({ "id": 4, "result": {} }));

    let params = json!({ "sessionId": session, "cwd": "/r" });
    client.send(json!({ "id": 5, "method": "session/resume", "params": params })).await;
    assert_eq!(client.next().await, json!({ "id": 5, "result": {} }), "resume replays nothing");
    client.send(json!({ "id": 6, "method": "session/list", "params": {} })).await;
    assert_eq!(
        client.next().await["result"]["sessions"],
        json!([{ "sessionId": session, "cwd": "/r" }])
    );
    client.send(json!({ "id": 7, "method": "session/list", "params": { "cwd": "/x" } })).await;
    assert_eq!(client.next().await["result"]["sessions"], json!([]));
}

#[tokio::test]
async fn a_session_of_an_earlier_process_is_listed_and_can_be_loaded_before_it_takes_a_prompt() {
    let said = json!({ "sessionUpdate": "user_message_chunk", "content": { "type": "text", "text": "old" } });
    let past = PastSession { id: "x".into(), cwd: "/then".into(), updates: vec![said.clone()] };
    let mut client = start_after(vec![past], "", Script(vec![]));
    client.initialize(json!([])).await;
    client.send(json!({ "id": 1, "method": "session/list" })).await;
    let listed = json!([{ "sessionId": "x", "cwd": "/then" }]);
    assert_eq!(client.next().await["result"]["sessions"], listed);
    let prompt = json!({ "sessionId": "x", "prompt": [] });
    let error = error_of(&mut client, "session/prompt", prompt).await;
    assert_eq!(error["data"]["error"], "session x not found");
    let params = json!({ "sessionId": "x", "cwd": "/now", "mcpServers": [] });
    client.send(json!({ "id": 2, "method": "session/load", "params": params })).await;
    assert_eq!(client.update().await, said);
    assert_eq!(client.next().await, json!({ "id": 2, "result": {} }));
    client.prompt(3, "x", "go").await;
    assert_eq!(client.next().await["result"]["stopReason"], "end_turn");
}

#[tokio::test]
async fn closing_a_session_cancels_its_turn() {
    let mut client = start("", calling(&["client_ping"]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    client.update().await;
    client.next().await;
    client
        .send(json!({ "id": 3, "method": "session/close", "params": { "sessionId": session } }))
        .await;
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(client.next().await);
    }
    assert!(
        answers.contains(&json!({ "id": 2, "result": { "stopReason": "cancelled" } })),
        "{answers:?}"
    );
}
