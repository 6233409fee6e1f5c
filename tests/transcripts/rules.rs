//! Where the core does something else than the recorded client: each rule turns the lines of a dialogue
//! into those that are to be heard instead.

use mini_me_client::wire::envelope::{Message, Outcome, classify};
use serde_json::Value;

use crate::transcript::{Line, Speaker};

/// As `js/options.js` has it: the line feed counts.
const LIMIT_BYTES: usize = 10_485_760;

/// The id of a line of the agent that is a request.
fn request_id(line: &Line) -> Option<&str> {
    match classify(&line.text) {
        Ok(Message::Request { id, .. }) if line.from == Speaker::Agent => Some(id),
        _ => None,
    }
}

/// One well-formed line answers a call, whatever stood in its place: the value that was meant.
pub(crate) fn well_formed_answers(lines: Vec<Line>) -> Vec<Line> {
    let mut heard = Vec::new();
    let mut open: Option<(String, Vec<Line>)> = None;
    for line in lines {
        if let Some(id) = request_id(&line) {
            heard.extend(open.take().map(|(id, answers)| meant(&id, &answers)));
            open = Some((id.to_owned(), Vec::new()));
            heard.push(line);
        } else if let (Speaker::Client, Some((_, answers))) = (line.from, open.as_mut()) {
            answers.push(line);
        } else {
            let is_update = line.text.contains("tool_call_update");
            // A call is over with its update at the latest; stderr may come before the answer is whole.
            if is_update {
                heard.extend(open.take().map(|(id, answers)| meant(&id, &answers)));
            }
            heard.push(line);
        }
    }
    heard
}

/// The first answer with this id that says anything; `"x"` is what the unreadable ones were to say.
fn meant(id: &str, answers: &[Line]) -> Line {
    let said = answers.iter().find_map(|line| match classify(&line.text) {
        Ok(Message::Answer { id: answered, outcome }) if answered == id => Some(outcome),
        _ => None,
    });
    let (member, payload) = match said {
        Some(Outcome::Error(error)) => ("error", error),
        Some(Outcome::Result(result)) => ("result", result),
        Some(Outcome::Neither) | None => ("result", "\"x\""),
    };
    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{payload}}}"#);
    Line { from: Speaker::Client, text, is_partial: false }
}

/// Without tools the key is left out, and the agent has nothing to say of it.
pub(crate) fn no_empty_lists(lines: Vec<Line>) -> Vec<Line> {
    let told = "[acp] client tools (meta)";
    let silent: Vec<Line> = lines.into_iter().filter(|line| !line.text.starts_with(told)).collect();
    let key = r#""_meta":{"org.mini-me/tools":[]}"#;
    silent.into_iter().map(|line| Line { text: line.text.replace(key, ""), ..line }).collect()
}

/// An answer over the limit would end the connection; an error goes out instead.
pub(crate) fn limited_lines(lines: Vec<Line>) -> Vec<Line> {
    let long = lines.iter().find(|line| line.is_partial).expect("a line that was too long").clone();
    let Ok(Message::Answer { id, .. }) = classify(&long.text) else { panic!("expected an answer") };
    let mut heard: Vec<Line> = lines.into_iter().filter(|line| !line.is_partial).collect();
    let call = heard.iter().position(|line| request_id(line) == Some(id)).expect("its call");
    heard.insert(call + 1, Line { is_partial: false, ..long.clone() });
    heard
}

/// What goes out for an answer: itself, or an error when it is too long.
pub(crate) fn limited(text: &str, id: &str) -> String {
    let bytes = text.len() + 1;
    if bytes <= LIMIT_BYTES {
        return text.to_owned();
    }
    let reason = format!(
        "the result is too large: expected a line of {LIMIT_BYTES} bytes at most, got {bytes}"
    );
    let content = format!(r#"[{{"type":"text","text":"{reason}"}}]"#);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":{content},"isError":true}}}}"#)
}

/// A request that the agent withdrew is answered already; what comes later is dropped.
pub(crate) fn withdrawn_requests(lines: Vec<Line>) -> Vec<Line> {
    let mut withdrawn = Vec::new();
    let mut heard = Vec::new();
    for line in lines {
        match classify(&line.text) {
            Ok(Message::Notification { method, params }) if method == "$/cancel_request" => {
                withdrawn.extend(mini_me_client::peer::cancelled_id(params).map(str::to_owned));
            }
            Ok(Message::Answer { id, .. })
                if line.from == Speaker::Client && withdrawn.iter().any(|one| one == id) =>
            {
                continue;
            }
            _ => {}
        }
        heard.push(line);
    }
    heard
}

/// Ids of ours are whole numbers; the player needs ids it can keep apart, and an answer for each.
pub(crate) fn numbered_requests(lines: Vec<Line>) -> Vec<Line> {
    let has_no_id = |line: &Line| line.text.contains(r#""id":null"#);
    let named = |text: String| {
        ["{\"a\":1}", "[1]", "true"].iter().fold(text, |text, id| {
            text.replace(&format!("\"id\":{id},"), &format!("\"id\":{},", Value::from(*id)))
        })
    };
    let numbered = lines.into_iter().filter(|line| !has_no_id(line));
    numbered
        .map(|line| match line.from {
            Speaker::Stderr => line,
            _ => Line { text: named(line.text), ..line },
        })
        .collect()
}
