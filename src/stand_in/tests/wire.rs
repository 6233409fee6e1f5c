//! Lines: limits, the end of the input, and input that is no message.

use super::*;

#[tokio::test]
async fn the_end_of_the_input_ends_it_at_once_and_the_open_turn_says_nothing_more() {
    let mut client = start("", calling(&["client_ping"]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    client.update().await;
    client.next().await;
    let (rest, status) = client.end().await;
    assert_eq!(rest, Vec::<String>::new());
    assert_eq!(status, 0);
}

#[tokio::test]
async fn a_last_line_without_line_feed_is_still_handled() {
    for method in ["session/list", "initialize"] {
        let mut client = start("", Rules);
        client.write(format!(r#"{{"id":1,"method":"{method}","params":{{}}}}"#)).await;
        let (rest, status) = client.end().await;
        assert_eq!(rest.len(), 1, "{rest:?}");
        assert_eq!(status, 0);
    }
    let mut client = start("", Rules);
    let params = json!({ "cwd": "/", "mcpServers": [] });
    client.write(json!({ "id": 1, "method": "session/new", "params": params }).to_string()).await;
    let (rest, _) = client.end().await;
    assert!(rest[0].contains("sessionId"), "{rest:?}");
}

/// What a line of this many bytes leads to: whether it is answered, and the exit status.
async fn long_line(bytes: usize) -> (bool, i32) {
    let mut client = start("", Rules);
    let head = r#"{"id":1,"method":"session/list","params":{"x":""#;
    let line = format!("{head}{}\"}}}}\n", "x".repeat(bytes - head.len() - 3));
    assert_eq!(line.len(), bytes + 1);
    let mut to_agent = client.to_agent;
    let writer = tokio::spawn(async move {
        // An agent that closes the connection breaks the pipe.
        to_agent.write_all(line.as_bytes()).await.is_ok()
    });
    let is_answered = client.from_agent.next_line().await.unwrap().is_some();
    writer.await.unwrap();
    (is_answered, client.agent.await.unwrap())
}

#[tokio::test]
async fn a_line_at_the_limit_is_read_and_one_byte_more_closes_the_connection() {
    assert_eq!(long_line(10_485_759).await, (true, 0));
    assert_eq!(long_line(10_485_760).await, (false, 0));
}

#[tokio::test]
async fn what_is_no_message_is_told_on_stderr_and_costs_nothing_else() {
    let mut client = start("", Rules);
    client.write("hello {\n\r\n[]\n{\"result\":1,\"id\":null}\n{\"id\":77,\"result\":1}\n").await;
    client.send(json!({ "id": 5, "method": "session/list" })).await;
    assert_eq!(client.next().await["id"], 5);
    let log = client.log.lock().unwrap().clone();
    assert_eq!(log.iter().filter(|line| line.contains("ignored")).count(), 3, "{log:?}");
}

#[tokio::test]
async fn a_request_that_cannot_be_dispatched_is_answered() {
    let mut client = start("", Rules);
    client.write("{\"id\":3,\"method\":7}\n").await;
    let answer = client.next().await;
    assert_eq!(answer["id"], 3);
    assert_eq!(answer["error"]["code"], -32600);
}

#[tokio::test]
async fn params_beyond_a_tree_are_refused_and_half_a_pair_is_mended() {
    let mut client = start("", Rules);
    let deep = "[".repeat(500) + &"]".repeat(500);
    client
        .write(format!("{{\"id\":1,\"method\":\"session/list\",\"params\":{{\"x\":{deep}}}}}\n"))
        .await;
    assert_eq!(client.next().await["error"]["code"], -32602);
    client.write("{\"id\":2,\"method\":\"session/list\",\"params\":{\"x\":\"\\ud83d\"}}\n").await;
    assert!(client.next().await["result"].is_object());
}

#[tokio::test]
async fn it_says_at_start_that_it_is_not_mm_and_what_its_model_is() {
    let client = start("", Rules);
    let log = Arc::clone(&client.log);
    client.end().await;
    let first = log.lock().unwrap().first().cloned().unwrap();
    assert!(first.starts_with("[stand-in] version ") && first.ends_with(", not mm: a test"));
}

#[tokio::test]
async fn an_output_that_is_closed_ends_it_with_status_1() {
    let mut client = start("", Rules);
    drop(client.from_agent);
    client.to_agent.write_all(b"{\"id\":1,\"method\":\"session/list\"}\n").await.unwrap();
    assert_eq!(client.agent.await.unwrap(), 1);
}
