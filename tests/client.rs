//! The client core, without JavaScript and without a process: order, ids, cancellation, the end.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]
#![expect(clippy::indexing_slicing, clippy::format_push_string, reason = "brevity of tests")]

#[expect(dead_code, reason = "other tests use the rest")]
mod support;

use mini_me_client::acp::bridge::Payload;
use mini_me_client::process::shutdown::Exit;
use mini_me_client::wire::lane::Chunk;
use serde_json::{Value, json};
use support::{Dialogue, Setup, text};

const CALL: u64 = 1;
const RESULT: u64 = 2;
const ERROR: u64 = 3;
const NOTIFICATION: u64 = 4;
const REQUEST: u64 = 6;
const CALL_CANCELLED: u64 = 7;
const DIAGNOSTIC: u64 = 8;
const END: u64 = 9;
const CALL_REFUSED: u64 = 12;
const REQUEST_CANCELLED: u64 = 14;

fn tool() -> Value {
    let schema = json!({
        "type": "object",
        "properties": { "n": { "type": "integer" } },
        "required": ["n"],
    });
    json!({ "name": "info", "method": "_t/info", "inputSchema": schema })
}

fn request(dialogue: &Dialogue, id: u64, method: &str) {
    dialogue.client.request(id, method.to_owned(), "{}".to_owned()).expect("connected");
}

/// A dialogue whose `initialize` was answered.
async fn initialized(tools: &[Value]) -> Dialogue {
    let mut dialogue = Dialogue::open(tools);
    request(&dialogue, 1, "initialize");
    assert_eq!(dialogue.read().await["id"], 1);
    dialogue.write("{\"id\":1,\"result\":{\"protocolVersion\":1}}\n").await;
    dialogue.entries_to(RESULT).await;
    dialogue
}

#[tokio::test]
async fn an_answer_keeps_its_place_among_updates() {
    let mut dialogue = Dialogue::open(&[]);
    request(&dialogue, 1, "initialize");
    dialogue.read().await;
    let mut lines = String::new();
    let mut expected = Vec::new();
    for number in 0..500 {
        let (line, entry) = text(number);
        lines += &format!("{line}\n");
        expected.push(entry);
        if number == 249 {
            lines += "{\"id\":1,\"result\":{\"x\":1}}\n";
        }
    }
    lines += "{\"method\":\"last\"}\n";
    dialogue.write(&lines).await;
    let first = dialogue.entries_to(RESULT).await;
    let last = dialogue.entries_to(NOTIFICATION).await;
    assert_eq!(first[..250], expected[..250]);
    assert_eq!(first[250], json!([2, 1, { "x": 1 }]));
    assert_eq!(last[..250], expected[250..]);
}

#[tokio::test]
async fn updates_requests_and_notifications_stay_in_wire_order() {
    let mut dialogue = initialized(&[]).await;
    let mut lines = String::new();
    let mut expected = Vec::new();
    for number in 0..300 {
        let (line, entry) = text(number);
        lines += &format!("{line}\n{{\"method\":\"n\",\"params\":[{number}]}}\n");
        lines += &format!("{{\"id\":{number},\"method\":\"r\",\"params\":{{\"n\":{number}}}}}\n");
        expected.push(entry);
        expected.push(json!([4, "n", [number]]));
        expected.push(json!([6, number + 1, "r", { "n": number }]));
    }
    lines += "{\"id\":9,\"result\":1}\n";
    dialogue.write(&lines).await;
    let entries = dialogue.entries_to(DIAGNOSTIC).await;
    assert_eq!(entries[..900], expected);
}

#[tokio::test]
async fn what_comes_before_initialize_is_answered_is_delivered() {
    let mut dialogue = Dialogue::open(&[]);
    request(&dialogue, 1, "initialize");
    dialogue.read().await;
    dialogue.write("{\"method\":\"early\"}\n{\"id\":\"q\",\"method\":\"question\"}\n").await;
    let entries = dialogue.entries_to(REQUEST).await;
    assert_eq!(entries, [json!([4, "early", null]), json!([6, 1, "question", null])]);
    dialogue.client.answer_request(1, Payload::Text("{}".into()));
    assert_eq!(dialogue.read().await, json!({ "jsonrpc": "2.0", "id": "q", "result": {} }));
}

#[tokio::test]
async fn payloads_pass_that_no_strict_parser_holds() {
    let mut dialogue = initialized(&[]).await;
    request(&dialogue, 2, "x");
    dialogue.read().await;
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    let result = format!(r#"{{"a":"\ud83d","b":1e400,"c":{deep}}}"#);
    dialogue.write(&format!("{{\"id\":2,\"result\":{result}}}\n")).await;
    let text = loop {
        match dialogue.client.take() {
            Some(Chunk::OneByte(text)) => break String::from_utf8(text).expect("ASCII"),
            Some(other) => panic!("expected one byte a character, got {other:?}"),
            None => tokio::task::yield_now().await,
        }
    };
    assert_eq!(text, format!("[2,2,{result}]"));
}

#[tokio::test]
async fn ids_of_the_agent_are_its_own() {
    let mut dialogue = initialized(&[tool()]).await;
    request(&dialogue, 2, "session/prompt");
    dialogue.read().await;
    // The number of our own open request, then others that must not be read as numbers.
    for id in ["2", "0", "\"2\"", "12345678901234567890", "2.0"] {
        dialogue.write(&format!("{{\"id\":{id},\"method\":\"ask\"}}\n")).await;
        let key = dialogue.entries_to(REQUEST).await[0][1].as_i64().expect("a key");
        dialogue.client.answer_request(key, Payload::Text("true".into()));
        let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":true}}\n");
        assert_eq!(dialogue.read_line().await, expected);

        let call = format!("{{\"id\":{id},\"method\":\"_t/info\",\"params\":{{\"n\":1}}}}\n");
        dialogue.write(&call).await;
        let key = dialogue.entries_to(CALL).await[0][1].as_u64().expect("a key");
        assert!(dialogue.client.answer_calls(&format!("{key}rtrue\n")).unwrap().is_empty());
        assert_eq!(dialogue.read_line().await, expected);
    }
    dialogue.write("{\"id\":2,\"result\":1}\n").await;
    assert_eq!(dialogue.entries_to(RESULT).await, [json!([2, 2, 1])]);
}

#[tokio::test]
async fn answers_nobody_asked_for_are_told_and_harm_nothing() {
    let mut dialogue = initialized(&[]).await;
    request(&dialogue, 2, "x");
    dialogue.read().await;
    for answer in
        ["{\"id\":7,\"result\":1}", "{\"id\":\"2\",\"result\":1}", "{\"id\":1,\"result\":1}"]
    {
        dialogue.write(&format!("{answer}\n")).await;
        let entries = dialogue.entries_to(DIAGNOSTIC).await;
        assert_eq!(entries[0][1]["code"], "message-invalid", "{answer}");
    }
    dialogue.write("{\"id\":2,\"result\":5}\n{\"id\":2,\"result\":6}\n").await;
    let entries = dialogue.entries_to(DIAGNOSTIC).await;
    assert_eq!(entries[0], json!([2, 2, 5]));
}

#[tokio::test]
async fn an_answer_with_neither_result_nor_error_fails_its_request() {
    let mut dialogue = initialized(&[]).await;
    request(&dialogue, 2, "x");
    dialogue.read().await;
    dialogue.write("{\"id\":2}\n").await;
    let entries = dialogue.entries_to(ERROR).await;
    assert_eq!(entries[0], json!([3, 2, null]));
}

#[tokio::test]
async fn a_request_the_agent_withdraws_gets_one_answer() {
    let mut dialogue = initialized(&[]).await;
    dialogue.write("{\"id\":\"p\",\"method\":\"ask\"}\n").await;
    let key = dialogue.entries_to(REQUEST).await[0][1].as_i64().expect("a key");
    dialogue.write("{\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"p\"}}\n").await;
    assert_eq!(dialogue.entries_to(REQUEST_CANCELLED).await, [json!([14, key])]);
    let error = json!({ "code": -32800, "message": "Request cancelled" });
    assert_eq!(dialogue.read().await, json!({ "jsonrpc": "2.0", "id": "p", "error": error }));
    dialogue.client.answer_request(key, Payload::Text("\"late\"".into()));
    request(&dialogue, 2, "next");
    assert_eq!(dialogue.read().await["method"], "next");
}

#[tokio::test]
async fn a_call_the_agent_withdraws_is_told_and_answered_by_its_runner() {
    let mut dialogue = initialized(&[tool()]).await;
    dialogue.write("{\"id\":4,\"method\":\"_t/info\",\"params\":{\"n\":1}}\n").await;
    let key = dialogue.entries_to(CALL).await[0][1].as_u64().expect("a key");
    let cancel = "{\"method\":\"$/cancel_request\",\"params\":{\"requestId\":4}}\n";
    dialogue.write(cancel).await;
    assert_eq!(dialogue.entries_to(CALL_CANCELLED).await, [json!([7, key])]);
    assert!(dialogue.client.answer_calls(&format!("{key}e{{}}\n{key}r1\n")).unwrap().is_empty());
    assert_eq!(dialogue.read_line().await, "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{}}\n");
    // Late, for an id that was answered: nobody is told.
    dialogue.write(&format!("{cancel}{{\"method\":\"next\"}}\n")).await;
    assert_eq!(dialogue.entries_to(NOTIFICATION).await.len(), 1);
}

#[tokio::test]
async fn a_request_of_ours_is_withdrawn_by_its_number() {
    let mut dialogue = initialized(&[]).await;
    request(&dialogue, 2, "session/prompt");
    dialogue.client.cancel_request(2);
    assert_eq!(dialogue.read().await["method"], "session/prompt");
    let cancel = json!({
        "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": 2 },
    });
    assert_eq!(dialogue.read().await, cancel);
    dialogue.write("{\"id\":2,\"error\":{\"code\":-32800,\"message\":\"x\"}}\n").await;
    assert_eq!(dialogue.entries_to(ERROR).await[0][2]["code"], -32800);
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_answered_without_the_handler() {
    let mut dialogue = initialized(&[tool()]).await;
    dialogue.write("{\"id\":4,\"method\":\"_t/info\",\"params\":{\"n\":\"x\"}}\n").await;
    let entries = dialogue.entries_to(CALL_REFUSED).await;
    assert_eq!(entries, [json!([12, 0, { "n": "x" }])]);
    let answer = dialogue.read().await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[tokio::test]
async fn a_bad_request_is_answered_and_garbage_is_not() {
    let mut dialogue = initialized(&[]).await;
    let garbage = "hello\n7\n[]\n{}\n{\"id\":null,\"error\":{}}\n{\"method\":5}\n";
    dialogue.write(&format!("{garbage}{{\"id\":8,\"method\":5}}\n")).await;
    let error = json!({ "code": -32600, "message": "Invalid request" });
    assert_eq!(dialogue.read().await, json!({ "jsonrpc": "2.0", "id": 8, "error": error }));
    dialogue.write("{\"method\":\"next\"}\n").await;
    let entries = dialogue.entries_to(NOTIFICATION).await;
    let codes: Vec<&str> = entries.iter().filter_map(|entry| entry[1]["code"].as_str()).collect();
    let expected = [["stdout-noise"; 3].as_slice(), &["message-invalid"; 4]].concat();
    assert_eq!(codes, expected);
}

#[tokio::test]
async fn the_end_comes_after_all_that_was_said() {
    let mut dialogue = initialized(&[]).await;
    let (line, entry) = text(1);
    // The last line has no line feed, and the agent is gone before it is read.
    dialogue.write(&format!("{line}\n{{\"method\":\"last\"}}")).await;
    dialogue.end(Exit { code: Some(3), signal: None }).await;
    let entries = dialogue.entries_to(END).await;
    let end = json!({ "exitCode": 3, "signal": null, "stderr": "", "failure": null });
    assert_eq!(entries, [entry, json!([4, "last", null]), json!([9, end])]);
}

#[tokio::test]
async fn an_agent_that_closes_its_output_is_ended() {
    let mut dialogue = initialized(&[]).await;
    dialogue.close_output().await;
    let entries = dialogue.entries_to(END).await;
    assert_eq!(entries[0][1]["exitCode"], 0);
    assert!(dialogue.is_at_end().await);
}

#[tokio::test]
async fn a_line_over_the_limit_ends_the_client() {
    let mut dialogue = Dialogue::open_limited(&[], 1000);
    let (line, entry) = text(1);
    dialogue.write(&format!("{line}\n{}\n", "x".repeat(1001))).await;
    let entries = dialogue.entries_to(END).await;
    assert_eq!(entries[0], entry);
    assert_eq!(entries[1][1]["failure"]["code"], "MM_ERR_MESSAGE_TOO_LARGE");
    assert_eq!(entries[1][1]["failure"]["details"]["limitBytes"], 1000);
}

#[tokio::test]
async fn a_program_that_speaks_no_acp_is_ended() {
    let mut dialogue = Dialogue::open(&[]);
    dialogue.write(&"banner\n".repeat(1000)).await;
    let entries = dialogue.entries_to(END).await;
    let failure = &entries.last().expect("an end")[1]["failure"];
    assert_eq!(failure["code"], "MM_ERR_NOT_ACP");
    assert_eq!(failure["details"]["firstLine"], "banner");
}

#[tokio::test]
async fn noise_after_the_first_message_is_only_told() {
    let mut dialogue = initialized(&[]).await;
    dialogue.write(&format!("{}{{\"method\":\"next\"}}\n", "banner\n".repeat(2000))).await;
    let entries = dialogue.entries_to(NOTIFICATION).await;
    assert_eq!(entries.len(), 101, "a hundred diagnostics, then the message");
}

#[tokio::test]
async fn a_message_over_the_limit_is_not_sent() {
    let mut dialogue = initialized(&[]).await;
    let params = format!("\"{}\"", "x".repeat(10_485_760));
    let failure = dialogue.client.request(2, "x".to_owned(), params).expect_err("too large");
    assert_eq!(failure.code(), "MM_ERR_MESSAGE_TOO_LARGE");
    request(&dialogue, 3, "next");
    assert_eq!(dialogue.read().await["id"], 3);
}

#[tokio::test]
async fn an_answer_with_a_long_id_stays_within_the_limit_or_is_not_given() {
    let setup = Setup { max_outgoing_bytes: 1000, ..Setup::default() };
    let mut dialogue = Dialogue::set_up(&[tool()], setup);
    let payload = format!("\"{}\"", "x".repeat(500));
    for bytes in [100, 744] {
        let id = format!("\"{}\"", "i".repeat(bytes - 2));
        let is_large = bytes > 100;
        dialogue.write(&format!("{{\"id\":{id},\"method\":\"ask\"}}\n")).await;
        let key = dialogue.entries_to(REQUEST).await[0][1].as_i64().expect("a key");
        dialogue.client.answer_request(key, Payload::Text(payload.clone().into()));
        let line = dialogue.read_line().await;
        assert_eq!(line.contains("the answer is too large: expected a line of 1000"), is_large);
        assert!(line.len() <= 1000 && line.contains(&id), "{line}");

        let call = |n: &str| format!("{{\"id\":{id},\"method\":\"_t/info\",\"params\":{{{n}}}}}\n");
        dialogue.write(&call("\"n\":1")).await;
        let key = dialogue.entries_to(CALL).await[0][1].as_u64().expect("a key");
        let too_large = dialogue.client.answer_calls(&format!("{key}r{payload}\n")).unwrap();
        assert_eq!(too_large.len(), usize::from(is_large));
        let line = dialogue.read_line().await;
        assert!(line.len() <= 1000 && line.contains(&id), "{line}");

        // Refused here: with the value that came, which has room beside the short id alone.
        let wrong = format!("\"n\":\"{}\"", "é".repeat(100));
        dialogue.write(&call(&wrong)).await;
        let line = dialogue.read_line().await;
        assert_eq!(line.contains("too large"), is_large, "{line}");
        assert!(line.len() <= 1000 && line.contains(&id), "{line}");
        dialogue.entries_to(CALL_REFUSED).await;
    }
    let id = format!("\"{}\"", "i".repeat(743));
    for line in [
        format!("{{\"id\":{id},\"method\":\"ask\"}}\n"),
        format!("{{\"id\":{id},\"method\":\"_t/info\",\"params\":{{\"n\":1}}}}\n"),
        format!("{{\"id\":{id},\"method\":7}}\n"),
    ] {
        dialogue.write(&line).await;
        let told = dialogue.entries_to(DIAGNOSTIC).await;
        assert_eq!(told.last().expect("one")[1]["code"], "message-invalid");
    }
    request(&dialogue, 9, "next");
    assert_eq!(dialogue.read().await["id"], 9);
    let held = dialogue.client.held().expect("connected");
    assert_eq!((held.received, held.calls), (0, 0));
}

#[tokio::test]
async fn what_is_said_goes_out_in_the_order_in_which_it_was_said() {
    let mut dialogue = initialized(&[tool()]).await;
    for round in 0..20 {
        dialogue.write("{\"id\":\"a\",\"method\":\"ask\"}\n").await;
        let asked = dialogue.entries_to(REQUEST).await[0][1].as_i64().expect("a key");
        let call = "{\"id\":\"c\",\"method\":\"_t/info\",\"params\":{\"n\":1}}\n";
        dialogue.write(&call.repeat(2)).await;
        let mut keys = Vec::new();
        while keys.len() < 2 {
            keys.extend(dialogue.entries_to(CALL).await.iter().map(|entry| entry[1].clone()));
        }
        let client = &dialogue.client;
        client.answer_calls(&format!("{}r[1]\n", keys[0])).expect("connected");
        client.notify("session/cancel".to_owned(), "{}".to_owned()).expect("connected");
        client.answer_request(asked, Payload::Text("{}".into()));
        client.answer_calls(&format!("{}r[2]\n", keys[1])).expect("connected");
        client.notify("last".to_owned(), "{}".to_owned()).expect("connected");
        let mut said = Vec::new();
        for _ in 0..5 {
            let line = dialogue.read().await;
            said.push(format!("{}{}{}", line["method"], line["id"], line["result"]));
        }
        let expected = [
            r#"null"c"[1]"#,
            r#""session/cancel"nullnull"#,
            r#"null"a"{}"#,
            r#"null"c"[2]"#,
            r#""last"nullnull"#,
        ];
        assert_eq!(said, expected, "round {round}");
    }
}
