//! What is recorded is there before the client can see what follows from it.

use super::*;

type Entries = Arc<Mutex<Vec<Value>>>;

fn recorded(yaml: &str, model: impl Model + 'static) -> (Client, Entries) {
    let entries = Entries::default();
    let kept = Arc::clone(&entries);
    let record = Record::new(move |entry| kept.lock().unwrap().push(entry.clone()));
    (start_recorded(Vec::new(), yaml, model, record), entries)
}

fn of(entries: &Entries, kind: &str) -> Vec<Value> {
    let mut of: Vec<Value> =
        entries.lock().unwrap().iter().filter(|entry| entry["type"] == kind).cloned().collect();
    for entry in &mut of {
        entry.as_object_mut().unwrap().remove("type");
    }
    of
}

#[tokio::test]
async fn a_list_is_recorded_as_the_model_sees_it_with_what_was_skipped() {
    let (mut client, entries) = recorded("", Rules);
    let schema = json!({ "required": ["a"], "properties": { "a": {} } });
    let ping = json!({ "name": "ping", "method": "_p", "inputSchema": schema });
    client.initialize(json!([ping, { "name": "bad", "method": "x" }])).await;
    let seen = json!({ "type": "object", "properties": { "a": {} } });
    let description = "Tool provided by the editor (_p). Required parameters: a";
    assert_eq!(
        of(&entries, "tools"),
        [json!({
            "discovery": "meta",
            "sessionId": null,
            "tools": [{ "name": "client_ping", "description": description, "inputSchema": seen }],
            "skipped": [{ "index": 1, "name": "bad",
                "reason": "method \"x\" must start with \"_\" (an ACP extension method)" }],
        })]
    );
}

#[tokio::test]
async fn a_list_that_is_none_is_recorded_with_the_reason() {
    let (mut client, entries) = recorded("", Rules);
    client.initialize(json!(true)).await;
    let reason =
        "a client that answers _org.mini-me/tools/list needs acp.clientTools.discovery: request";
    assert_eq!(of(&entries, "noTools"), [json!({ "sessionId": null, "reason": reason })]);
}

#[tokio::test]
async fn calls_and_permissions_are_recorded() {
    let yaml = "acp: {clientTools: {permissions: ask}}";
    let (mut client, entries) = recorded(yaml, calling(&["client_ping", "client_none"]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    client.update().await;
    let permission = client.next().await;
    let outcome = json!({ "outcome": "selected", "optionId": "allow" });
    client.send(json!({ "id": permission["id"], "result": { "outcome": outcome } })).await;
    let request = client.next().await;
    let asked = json!({ "sessionId": session, "tool": "client_ping", "outcome": outcome });
    assert_eq!(of(&entries, "permission"), [asked]);
    client.send(json!({ "id": request["id"], "result": "pong" })).await;
    client.update().await;
    let call = |tool: &str, text: &str, is_error: bool| json!({ "sessionId": session, "tool": tool, "arguments": {}, "text": text, "isError": is_error });
    let calls = [
        call("client_none", "[no tool is called client_none]", true),
        call("client_ping", "pong", false),
    ];
    assert_eq!(of(&entries, "call"), calls);
}

#[tokio::test]
async fn every_line_of_both_directions_is_recorded() {
    let (mut client, entries) = recorded("", Script(vec![Step::Write(b"half".to_vec())]));
    let session = client.with_tools(json!([])).await;
    client.prompt(2, &session, "go").await;
    // The answer of the prompt ends the line that was begun.
    let line = client.from_agent.next_line().await.unwrap().unwrap();
    assert!(line.starts_with("half{"), "{line}");
    let lines = of(&entries, "line");
    let directions: Vec<&str> =
        lines.iter().map(|line| line["direction"].as_str().unwrap()).collect();
    assert_eq!(directions, ["in", "out", "in", "out", "in", "out", "out"]);
    assert!(lines[0]["line"].as_str().unwrap().contains("\"method\":\"initialize\""));
    assert_eq!(lines[5]["line"], "half");
}
