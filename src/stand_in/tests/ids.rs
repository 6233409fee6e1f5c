//! Ids on the agent's side: those of the client's requests, and those in the client's answers.

use super::*;

/// Sends a request with this id as JSON text; the line it is answered with.
async fn ask(client: &mut Client, id: &str) -> String {
    client
        .write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"session/list\"}}\n"))
        .await;
    client.from_agent.next_line().await.unwrap().unwrap()
}

fn answer(id: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"sessions\":[]}}}}")
}

#[tokio::test]
async fn ids_of_any_kind_are_echoed_byte_for_byte() {
    let mut client = start("", Rules);
    for id in [
        "0",
        "1.50",
        "-3",
        "1e2",
        "12345678901234567890",
        "\"s\"",
        "\"\"",
        "\"\\u0061\"",
        "{\"a\":1}",
        "[1]",
        "true",
    ] {
        assert_eq!(ask(&mut client, id).await, answer(id));
    }
}

#[tokio::test]
async fn a_request_with_the_id_null_is_a_notification() {
    let mut client = start("", Rules);
    client.write("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"session/list\"}\n").await;
    assert_eq!(ask(&mut client, "1").await, answer("1"));
}

#[tokio::test]
async fn an_id_that_is_used_twice_is_answered_twice() {
    let mut client = start("acp: {clientTools: {discovery: request}}", Rules);
    client.initialize(json!(true)).await;
    let opening = json!({ "id": 1, "method": "session/new",
        "params": { "cwd": "/", "mcpServers": [] } });
    client.send(opening.clone()).await;
    client.send(opening).await;
    assert_eq!(client.next().await["id"], 1, "the list request, with an id that is ours as well");
    assert_eq!(client.next().await["id"], 2);
    for id in [1, 2] {
        client.send(json!({ "id": id, "result": { "tools": [] } })).await;
        let opened = client.next().await;
        assert_eq!(opened["id"], 1);
        assert!(opened["result"]["sessionId"].is_string(), "{opened}");
    }
}

#[tokio::test]
async fn answers_that_nobody_asked_for_cost_nothing() {
    let mut client = start("", calling(&["client_ping"]));
    for id in ["0", "1", "\"1\"", "99", "null", "{}"] {
        client.write(format!("{{\"id\":{id},\"result\":{{}}}}\n")).await;
    }
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    client.update().await;
    assert_eq!(client.next().await["id"], 1);
    client.send(json!({ "id": 1, "result": "first" })).await;
    client.send(json!({ "id": 1, "result": "second" })).await;
    assert_eq!(client.update().await["content"][0]["content"]["text"], "first");
    assert_eq!(client.next().await, json!({ "id": 2, "result": { "stopReason": "end_turn" } }));
}

/// Status of a call that is answered with this id as JSON text; its own is 1.
async fn status_of_call(id: &str) -> Value {
    let mut client = start("", calling(&["client_ping"]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    client.update().await;
    client.next().await;
    client.write(format!("{{\"id\":{id},\"result\":\"x\"}}\n")).await;
    loop {
        let message = client.next().await;
        if message["method"] == "session/update" {
            break message["params"]["update"]["status"].clone();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_finds_its_call_by_the_value_of_its_number() {
    for id in ["1", "1.0", "1e0", "10e-1"] {
        assert_eq!(status_of_call(id).await, "completed", "{id}");
    }
    for id in ["\"1\"", "1.5", "-1", "null", "[1]"] {
        assert_eq!(status_of_call(id).await, "failed", "{id}");
    }
}
