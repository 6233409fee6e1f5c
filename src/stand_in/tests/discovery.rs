//! How the agent learns of tools, and what it says of them.

use super::*;

const REQUEST: &str = "acp: {clientTools: {discovery: request, timeout: 2s}}";

/// Opens a session in request discovery up to the list request, whose params it gives.
async fn asked(client: &mut Client) -> Value {
    client.initialize(json!(true)).await;
    client
        .send(json!({ "id": 1, "method": "session/new",
            "params": { "cwd": "/w", "mcpServers": [] } }))
        .await;
    let mut request = client.next().await;
    assert_eq!(request["method"], "_org.mini-me/tools/list");
    assert_eq!(request["id"], 1, "our own ids count from 1 as well");
    request["params"].take()
}

/// What is logged and answered after the client gave `answer` to the list request.
async fn after(answer: Value) -> (String, Value) {
    let mut client = start(REQUEST, Rules);
    let params = asked(&mut client).await;
    let mut answer = answer;
    answer["id"] = 1.into();
    client.send(answer).await;
    let opened = client.next().await;
    assert_eq!(params["sessionId"], opened["result"]["sessionId"]);
    assert_eq!(params["cwd"], "/w");
    (client.logged().concat().replace(params["sessionId"].as_str().unwrap(), "<id>"), opened)
}

#[tokio::test]
async fn an_announced_list_is_named_on_stderr_sorted() {
    let mut client = start("", Rules);
    let tools = json!([{ "name": "b", "method": "_b" }, { "name": "Z z", "method": "_z" }]);
    client.initialize(tools).await;
    assert_eq!(client.logged(), ["[acp] client tools (meta): client_Z_z, client_b"]);
}

#[tokio::test]
async fn bad_entries_are_skipped_with_a_line_each_and_the_rest_is_kept() {
    let mut client = start("", Rules);
    client
        .initialize(json!([7, { "name": "a", "method": "a" }, { "name": "b", "method": "_b" }]))
        .await;
    assert_eq!(
        client.logged(),
        [
            "[acp] client tools: entry 0 skipped: not a tool description: a number is not an object",
            "[acp] client tools: entry 1 skipped: method \"a\" must start with \"_\" (an ACP extension method)",
            "[acp] client tools (meta): client_b",
        ]
    );
}

#[tokio::test]
async fn a_list_that_is_none_and_an_absent_one_are_told_apart() {
    let mut client = start("", Rules);
    client.initialize(json!(true)).await;
    assert_eq!(
        client.logged(),
        [
            "[acp] client tools: \"org.mini-me/tools\" is not a list of tools; a client that answers _org.mini-me/tools/list needs acp.clientTools.discovery: request"
        ]
    );
    let mut client = start("", Rules);
    client.initialize(Value::Null).await;
    assert!(client.logged().is_empty());
    let mut client = start("", Rules);
    client.initialize(json!([])).await;
    assert_eq!(client.logged(), ["[acp] client tools (meta): "]);
}

#[tokio::test]
async fn nothing_is_said_or_asked_when_client_tools_are_off() {
    for discovery in ["meta", "request"] {
        let yaml = format!("acp: {{clientTools: {{enabled: false, discovery: {discovery}}}}}");
        let mut client = start(&yaml, Rules);
        let session = client.with_tools(ping()).await;
        client.prompt(2, &session, "ping").await;
        let text = client.update().await["content"]["text"].take();
        assert!(text.as_str().unwrap().contains("no tools"), "{text}");
        assert!(client.logged().is_empty());
    }
}

#[tokio::test]
async fn a_list_is_asked_for_before_the_session_is_answered() {
    let (logged, opened) = after(json!({ "result": { "tools": ping() } })).await;
    assert_eq!(logged, "[acp] session <id> client tools (request): client_ping");
    assert_eq!(opened["id"], 1);
}

#[tokio::test]
async fn a_list_that_fails_costs_the_tools_and_not_the_session() {
    let prefix = "[acp] client tools: session <id>: _org.mini-me/tools/list: ";
    for (answer, expected) in [
        (
            json!({ "error": { "code": -32603, "message": "cannot" } }),
            r#"{"code":-32603,"message":"cannot"}"#,
        ),
        (json!({ "result": {} }), "the answer has no tools array"),
        (json!({ "result": { "tools": {} } }), "the answer has no tools array"),
    ] {
        let (logged, opened) = after(answer).await;
        assert_eq!(logged, format!("{prefix}{expected}"));
        assert!(opened["result"]["sessionId"].is_string());
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_does_not_come_is_withdrawn_after_the_timeout() {
    let mut client = start(REQUEST, Rules);
    let begin = tokio::time::Instant::now();
    asked(&mut client).await;
    let cancel = client.next().await;
    assert_eq!(cancel, json!({ "method": "$/cancel_request", "params": { "requestId": 1 } }));
    assert!(client.next().await["result"]["sessionId"].is_string());
    assert_eq!(begin.elapsed().as_secs(), 2);
    let logged = client.logged().concat();
    assert!(logged.ends_with(r#"{"code":-32603,"message":"Internal error","data":{"error":"context deadline exceeded"}}"#), "{logged}");
}

#[tokio::test]
async fn sessions_of_one_connection_have_lists_of_their_own() {
    let mut client = start(REQUEST, Rules);
    client.initialize(json!(true)).await;
    let mut sessions = Vec::new();
    for (id, name) in [(1, "one"), (2, "two")] {
        client
            .send(json!({ "id": id, "method": "session/new", "params": { "cwd": "/", "mcpServers": [] } }))
            .await;
        let request = client.next().await;
        let tool = json!({ "name": name, "method": format!("_test/{name}") });
        client.send(json!({ "id": request["id"], "result": { "tools": [tool] } })).await;
        sessions.push(client.next().await["result"]["sessionId"].as_str().unwrap().to_owned());
    }
    client.prompt(3, &sessions[0], "one").await;
    assert_eq!(client.update().await["title"], "client: one");
    assert_eq!(client.next().await["method"], "_test/one");
    client.prompt(4, &sessions[1], "one").await;
    let text = client.update().await["content"]["text"].take();
    assert!(text.as_str().unwrap().contains("client_two"), "{text}");
}
