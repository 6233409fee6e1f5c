//! The lines this agent writes, and the numbers inside them.

use serde_json::{Value, json};

/// Digits of the number that every text begins with.
pub(crate) const NUMBER_DIGITS: usize = 8;

/// Digits at the end of a session's id.
pub(crate) const SESSION_DIGITS: usize = 5;
const SESSION: &str = "session-";

/// The id of a session, by its number from 0; all ids are of one length.
pub(crate) fn session_id(number: usize) -> String {
    format!("{SESSION}{number:0SESSION_DIGITS$}")
}

/// A line with a place for a number in it, to be patched before each write.
pub(crate) struct Template {
    pub(crate) line: Vec<u8>,
    /// Where the number is.
    pub(crate) number_at: usize,
}

impl Template {
    fn new(head: &str, text: &str, tail: &str) -> Self {
        let (number, quoted) = ("0".repeat(NUMBER_DIGITS), Value::from(text).to_string());
        let line = format!("{head}\"{number} {}{tail}\n", &quoted[1..]);
        Self { line: line.into_bytes(), number_at: head.len() + 1 }
    }
}

/// Where the digits of the session's id are in the line of an update.
pub(crate) const UPDATE_SESSION_AT: usize = UPDATE_HEAD.len() + SESSION.len();
// The order of members is that of the TypeScript and Rust SDKs.
const UPDATE_HEAD: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":""#;

/// A `session/update` of this kind whose text is a number, a space, and `text`, of the first session.
pub(crate) fn update(kind: &str, text: &str) -> Template {
    let head = format!(
        r#"{UPDATE_HEAD}{session}","update":{{"sessionUpdate":"{kind}","content":{{"type":"text","text":"#,
        session = session_id(0)
    );
    Template::new(&head, text, "}}}}")
}

/// The part of a call of `_bench/add` behind its id.
pub(crate) fn add_call(text: &str) -> Template {
    let tail = format!(
        r#","priority":3,"tags":["first","second"],"_meta":{{"org.mini-me/sessionId":"{}"}}}}}}"#,
        session_id(0)
    );
    Template::new(r#","method":"_bench/add","params":{"title":"#, text, &tail)
}

/// A call of `_bench/big`.
pub(crate) fn big_call(id: u64) -> Vec<u8> {
    let meta = json!({ "org.mini-me/sessionId": session_id(0) });
    let call =
        json!({ "jsonrpc": "2.0", "id": id, "method": "_bench/big", "params": { "_meta": meta } });
    format!("{call}\n").into_bytes()
}

pub(crate) fn answer(id: &Value, result: &Value) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n").into_bytes()
}

/// Writes `number` in decimal over all of `place`.
pub(crate) fn patch(place: &mut [u8], mut number: u128) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// The id of an answer: at once when it is where every client writes it, else by parsing the line.
pub(crate) fn answered_id(line: &[u8]) -> Option<u64> {
    let known_place = line.strip_prefix(br#"{"jsonrpc":"2.0","id":"#).and_then(|rest| {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        str::from_utf8(&rest[..digits]).ok()?.parse().ok()
    });
    known_place.or_else(|| serde_json::from_slice::<Value>(line).ok()?["id"].as_u64())
}
