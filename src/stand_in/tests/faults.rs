//! What a model can do to the connection: each keeps its place among the messages.

use super::*;

#[tokio::test]
async fn bytes_are_written_as_they_are_between_the_messages_around_them() {
    let say = |text: &str| Step::Say(vec![text.to_owned()]);
    let noise = Step::Write(b"{\"half\":\n".to_vec());
    let mut client = start("", Script(vec![say("a"), noise, say("b")]));
    let session = client.with_tools(json!([])).await;
    client.prompt(2, &session, "go").await;
    assert_eq!(client.update().await["content"]["text"], "a");
    assert_eq!(client.from_agent.next_line().await.unwrap().unwrap(), "{\"half\":");
    assert_eq!(client.update().await["content"]["text"], "b");
    assert_eq!(client.next().await["id"], 2);
}

#[tokio::test]
async fn an_answer_can_be_written_twice_and_the_next_is_not() {
    let mut client = start("", Script(vec![Step::RepeatAnswer]));
    let session = client.with_tools(json!([])).await;
    client.prompt(2, &session, "go").await;
    let first = client.next().await;
    assert_eq!(first["id"], 2);
    assert_eq!(client.next().await, first);
    client.send(json!({ "id": 3, "method": "session/list", "params": {} })).await;
    assert_eq!(client.next().await["id"], 3);
    let (rest, _) = client.end().await;
    assert_eq!(rest, Vec::<String>::new());
}

#[tokio::test]
async fn an_exit_comes_after_all_that_was_written() {
    let half = Step::Write(b"{\"jsonrpc\":".to_vec());
    let steps = vec![Step::Say(vec!["a".into()]), half, Step::Exit(7), Step::END];
    let mut client = start("", Script(steps));
    let session = client.with_tools(json!([])).await;
    client.prompt(2, &session, "go").await;
    assert_eq!(client.update().await["content"]["text"], "a");
    assert_eq!(client.from_agent.next_line().await.unwrap().unwrap(), "{\"jsonrpc\":");
    assert_eq!(client.from_agent.next_line().await.unwrap(), None);
    assert_eq!(client.agent.await.unwrap(), 7);
}

/// Refuses to initialize the first time, then does as it is told.
#[derive(Debug, Default)]
struct Refusing(Mutex<u32>);

impl Model for Refusing {
    fn begin(&self, _: &View<'_>) -> Box<dyn Turn> {
        Box::new(ScriptTurn(vec![].into_iter()))
    }

    fn before(&self, method: &str, params: &Value) -> Option<Box<dyn Turn>> {
        assert_eq!((method, params), ("session/list", &json!({})));
        let mut times = self.0.lock().unwrap();
        *times += 1;
        let step = match *times {
            1 => Step::Refuse(json!({ "code": -32000, "message": "log in first" })),
            2 => return None,
            _ => Step::END,
        };
        Some(Box::new(ScriptTurn(vec![Step::Write(b"\n".to_vec()), step].into_iter())))
    }
}

#[tokio::test]
async fn a_request_can_be_refused_or_held_before_it_is_handled() {
    let mut client = start("", Refusing::default());
    let list = |id: u32| json!({ "id": id, "method": "session/list", "params": {} });
    client.send(list(1)).await;
    assert_eq!(client.from_agent.next_line().await.unwrap().unwrap(), "");
    let refused = json!({ "id": 1, "error": { "code": -32000, "message": "log in first" } });
    assert_eq!(client.next().await, refused);
    client.send(list(2)).await;
    let listed = |id: u32| json!({ "id": id, "result": { "sessions": [] } });
    assert_eq!(client.next().await, listed(2));
    client.send(list(3)).await;
    assert_eq!(client.from_agent.next_line().await.unwrap().unwrap(), "");
    assert_eq!(client.next().await, listed(3));
}

#[tokio::test]
async fn a_deaf_turn_takes_no_notice_of_a_cancellation() {
    let mut client = start("", Script(vec![Step::Deafen, calling(&["client_ping"]).0.remove(0)]));
    let session = client.with_tools(ping()).await;
    client.prompt(2, &session, "go").await;
    client.update().await;
    let call = client.next().await;
    client.send(json!({ "method": "session/cancel", "params": { "sessionId": session } })).await;
    client.send(json!({ "method": "$/cancel_request", "params": { "requestId": 2 } })).await;
    client.send(json!({ "id": call["id"], "result": "pong" })).await;
    client.update().await;
    let answer = client.next().await;
    assert_eq!(answer, json!({ "id": 2, "result": { "stopReason": "end_turn" } }));
}
