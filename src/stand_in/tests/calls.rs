//! Calls of lent tools: what is checked before, what is sent, and what the model reads.

use super::*;

/// What the model reads of the one call that `yaml` and `arguments` lead to, answered by `answer`.
async fn reads(yaml: &str, answer: Value) -> (String, String) {
    let mut client = start(yaml, calling(&["client_ping"]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    client.update().await;
    let request = client.next().await;
    let mut answer = answer;
    answer["id"] = request["id"].clone();
    client.send(answer).await;
    read(&mut client).await
}

/// Status and text of the update that ends a call.
async fn read(client: &mut Client) -> (String, String) {
    let update = client.update().await;
    assert_eq!(update["sessionUpdate"], "tool_call_update");
    let text = update["content"][0]["content"]["text"].as_str().unwrap();
    (update["status"].as_str().unwrap().to_owned(), text.to_owned())
}

fn failed(text: &str) -> (String, String) {
    ("failed".to_owned(), text.to_owned())
}

fn completed(text: &str) -> (String, String) {
    ("completed".to_owned(), text.to_owned())
}

#[tokio::test]
async fn arguments_are_at_the_top_level_and_meta_names_the_session() {
    let arguments = json!({ "n": 1, "_meta": { "org.mini-me/sessionId": "forged", "x": 1 } });
    let script = Script(vec![Step::Call(vec![call("client_ping", &arguments)])]);
    let mut client = start("", script);
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    assert_eq!(
        client.update().await,
        json!({ "sessionUpdate": "tool_call", "toolCallId": "call_1", "title": "client: ping",
                "kind": "other", "status": "pending", "rawInput": arguments })
    );
    assert_eq!(
        client.next().await,
        json!({ "id": 1, "method": "_test/ping",
                "params": { "n": 1, "_meta": { "org.mini-me/sessionId": session } } })
    );
}

#[tokio::test]
async fn results_and_errors_are_read_as_the_protocol_says() {
    let text = json!([{ "type": "text", "text": "a" }, { "type": "image" }, { "type": "text", "text": "b" }]);
    let read = reads("", json!({ "result": { "content": text } })).await;
    assert_eq!(read, completed("a[client tool: non-text content of type image skipped]b"));
    let is_error = json!({ "content": [{ "type": "text", "text": "no" }], "isError": true });
    assert_eq!(reads("", json!({ "result": is_error })).await, failed("[client tool error: no]"));
    assert_eq!(reads("", json!({ "result": "bare" })).await, completed("bare"));
    assert_eq!(
        reads("", json!({ "error": { "code": -32601, "message": "Method not found" } })).await,
        failed(r#"[client tool error: {"code":-32601,"message":"Method not found"}]"#)
    );
    assert_eq!(reads("", json!({})).await, completed(""));
}

#[tokio::test]
async fn a_result_is_cut_to_max_output_with_its_wrapping() {
    let long = json!({ "content": [{ "type": "text", "text": "x".repeat(300) }], "isError": true });
    let (status, text) = reads("maxOutput: 100", json!({ "result": long })).await;
    assert_eq!(status, "failed");
    assert!(text.starts_with("[client tool error: xxx"), "{text}");
    assert!(text.contains("[… 221 characters cut …]"), "{text}");
    assert!(text.ends_with("xxx]"), "{text}");
}

#[tokio::test]
async fn a_call_without_its_required_parameters_is_not_sent() {
    let tool =
        json!([{ "name": "two", "method": "_t", "inputSchema": { "required": ["a", "b"] } }]);
    let calls = [json!({ "x": 1 }), json!({ "a": 1, "b": null })];
    let script = Script(calls.iter().map(|c| Step::Call(vec![call("client_two", c)])).collect());
    let mut client = start("", script);
    let session = client.with_tools(tool).await;
    client.prompt(2, &session, "go").await;
    client.update().await;
    let missing = "[client tool error: missing required parameters: a, b]";
    assert_eq!(read(&mut client).await, failed(missing));
    client.update().await;
    assert_eq!(client.next().await["params"]["a"], 1, "null is there");
}

/// The permission request of a call, answered with `outcome`.
async fn permission(yaml: &str, outcome: Value) -> (Client, Value) {
    let mut client = start(yaml, calling(&["client_ping"]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    client.update().await;
    let request = client.next().await;
    assert_eq!(request["method"], "session/request_permission", "{request}");
    assert_eq!(request["params"]["sessionId"], session);
    client.send(json!({ "id": request["id"], "result": { "outcome": outcome } })).await;
    (client, request)
}

#[tokio::test]
async fn permission_is_asked_with_ask_and_without_yolo() {
    let allow = json!({ "outcome": "selected", "optionId": "allow" });
    for yaml in ["acp: {clientTools: {permissions: ask}}", "yolo: false"] {
        let (mut client, request) = permission(yaml, allow.clone()).await;
        let asked = &request["params"]["toolCall"];
        assert_eq!(asked["title"], "client: ping");
        assert_eq!(asked["kind"], "other");
        assert_eq!(client.next().await["method"], "_test/ping");
    }
    let mut client = start("acp: {clientTools: {permissions: auto}}", calling(&["client_ping"]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    client.update().await;
    assert_eq!(client.next().await["method"], "_test/ping", "not asked with auto and yolo");
}

#[tokio::test]
async fn a_refusal_of_any_kind_is_read_and_the_call_is_not_sent() {
    for outcome in [
        json!({ "outcome": "selected", "optionId": "reject" }),
        json!({ "outcome": "cancelled" }),
        json!({ "outcome": "selected", "optionId": "other" }),
        json!("allow"),
    ] {
        let (mut client, _) = permission("yolo: false", outcome).await;
        assert_eq!(read(&mut client).await, failed("[client_ping rejected by user]"));
    }
}

const DEADLINE: &str = r#"[client tool error: {"code":-32603,"message":"Internal error","data":{"error":"context deadline exceeded"}}]"#;

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_answered_in_time_is_withdrawn_and_the_turn_goes_on() {
    let mut client = start("acp: {clientTools: {timeout: 5s}}", calling(&["client_ping"]));
    let session = client.with_tools(ping()).await;
    let begin = tokio::time::Instant::now();
    client.prompt(2, &session, "go").await;
    client.update().await;
    client.next().await;
    assert_eq!(
        client.next().await,
        json!({ "method": "$/cancel_request", "params": { "requestId": 1 } })
    );
    assert_eq!(begin.elapsed().as_secs(), 5);
    assert_eq!(read(&mut client).await, failed(DEADLINE));
    client.send(json!({ "id": 1, "result": "late" })).await;
    assert_eq!(client.next().await, json!({ "id": 2, "result": { "stopReason": "end_turn" } }));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_read_runs_into_the_timeout() {
    for error in [
        json!({ "code": "E", "message": "m" }),
        json!({ "code": 1.5 }),
        json!({ "code": 1, "message": 2 }),
    ] {
        let mut client = start("", calling(&["client_ping"]));
        let session = client.with_tools(ping()).await;
        client.prompt(2, &session, "go").await;
        client.update().await;
        client.next().await;
        client.send(json!({ "id": 1, "error": error })).await;
        assert_eq!(client.next().await["method"], "$/cancel_request");
        assert_eq!(read(&mut client).await, failed(DEADLINE));
    }
}

#[tokio::test]
async fn calls_of_one_step_are_open_at_the_same_time_and_end_in_any_order() {
    let mut client = start("", calling(&["client_ping", "client_ping"]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    assert_eq!(client.update().await["toolCallId"], "call_1");
    assert_eq!(client.update().await["toolCallId"], "call_2");
    assert_eq!(client.next().await["id"], 1);
    assert_eq!(client.next().await["id"], 2);
    client.send(json!({ "id": 2, "result": "b" })).await;
    assert_eq!(client.update().await["toolCallId"], "call_2");
    client.send(json!({ "id": 1, "result": "a" })).await;
    assert_eq!(client.update().await["toolCallId"], "call_1");
    assert_eq!(client.next().await["result"]["stopReason"], "end_turn");
}

#[tokio::test]
async fn the_same_call_with_the_same_answer_is_warned_of_then_ends_the_turn() {
    let step = || Step::Call(vec![call("client_ping", &json!({}))]);
    let mut client = start("", Script((0..9).map(|_| step()).collect()));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    let mut texts = Vec::new();
    for id in 1..=5 {
        client.update().await;
        assert_eq!(client.next().await["id"], id);
        client.send(json!({ "id": id, "result": "pong" })).await;
        texts.push(read(&mut client).await.1);
    }
    assert_eq!(texts[1], "pong");
    assert_eq!(texts[2], "pong\n[loop: the same call gave the same answer 3 times]");
    assert_eq!(texts[4], "pong");
    assert_eq!(client.update().await["sessionUpdate"], "agent_message_chunk");
    assert_eq!(client.next().await["result"]["stopReason"], "end_turn");
}
