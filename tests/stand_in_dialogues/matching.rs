//! Whether a line of the stand-in is a recorded one, names apart: session ids and the ids of the
//! agent's requests are others in each run.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// What is called how, recorded and in this run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    sessions: HashMap<String, String>,
    requests: HashMap<u64, u64>,
}

/// A line with its JSON read.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) value: Value,
    /// The id byte for byte.
    id: Option<String>,
}

#[derive(Deserialize)]
struct Id<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

impl Line {
    pub(crate) fn read(text: String) -> Self {
        let value = serde_json::from_str(&text).expect("a line of JSON");
        let id: Id<'_> = serde_json::from_str(&text).expect("a JSON object");
        let id = id.id.map(|id| id.get().to_owned());
        Self { text, value, id }
    }
}

impl Names {
    /// The recorded name of a session.
    pub(crate) fn recorded_session(&self, actual: &str) -> Option<&str> {
        let mut sessions = self.sessions.iter();
        sessions.find(|(_, own)| *own == actual).map(|(recorded, _)| recorded.as_str())
    }

    /// A recorded text with the session ids of this run.
    pub(crate) fn translate(&self, recorded: &str) -> String {
        self.sessions.iter().fold(recorded.to_owned(), |text, (recorded, actual)| {
            if text.contains(recorded) { text.replace(recorded, actual) } else { text }
        })
    }

    /// A recorded line of the client as it is written in this run: an answer names the request that
    /// the stand-in sent.
    pub(crate) fn translate_line(&self, recorded: &str) -> String {
        let line = self.translate(recorded);
        let Ok(message) = serde_json::from_str::<Value>(&line) else { return line };
        let recorded_id = message.get("id").and_then(Value::as_u64);
        let id = recorded_id.and_then(|id| self.requests.get(&id).filter(|own| **own != id));
        match (id, recorded_id, message.get("method")) {
            (Some(id), Some(recorded), None) => {
                line.replacen(&format!("\"id\":{recorded},"), &format!("\"id\":{id},"), 1)
            }
            _ => line,
        }
    }

    /// Whether `actual` is the line that was recorded; from then on what it names is known.
    pub(crate) fn take(&mut self, recorded: &Line, actual: &Line) -> bool {
        let mut names = self.clone();
        let is_same = names.is_same_id(recorded, actual)
            && names.is_same_value(&recorded.value, &actual.value, "");
        if is_same {
            *self = names;
        }
        is_same
    }

    fn is_same_id(&mut self, recorded: &Line, actual: &Line) -> bool {
        let is_request = |line: &Line| line.value.get("method").is_some();
        if !is_request(recorded) || !is_request(actual) {
            // An answer: the client's own id comes back byte for byte.
            return is_request(recorded) == is_request(actual) && recorded.id == actual.id;
        }
        let id = |line: &Line| line.value.get("id").and_then(Value::as_u64);
        match (id(recorded), id(actual)) {
            (Some(recorded), Some(actual)) => {
                *self.requests.entry(recorded).or_insert(actual) == actual
            }
            (None, None) => true,
            _ => false,
        }
    }

    fn is_same_value(&mut self, recorded: &Value, actual: &Value, member: &str) -> bool {
        match (recorded, actual) {
            (Value::Number(recorded), Value::Number(actual)) if member == "requestId" => {
                let own = recorded.as_u64().and_then(|id| self.requests.get(&id).copied());
                own.is_some() && own == actual.as_u64()
            }
            // JSON numbers are doubles: to mm's SDK, which wrote the recorded ones, and to JavaScript.
            (Value::Number(recorded), Value::Number(actual)) => {
                recorded.as_f64() == actual.as_f64()
            }
            (Value::String(recorded), Value::String(actual)) => self.is_same_text(recorded, actual),
            (Value::Array(recorded), Value::Array(actual)) => {
                let mut pairs = recorded.iter().zip(actual);
                recorded.len() == actual.len() && pairs.all(|(r, a)| self.is_same_value(r, a, ""))
            }
            (Value::Object(recorded), Value::Object(actual)) => {
                recorded.len() == actual.len()
                    && recorded.iter().all(|(name, recorded)| {
                        let actual = actual.get(name);
                        actual.is_some_and(|actual| {
                            is_left_out(member, name) || self.is_same_value(recorded, actual, name)
                        })
                    })
            }
            _ => recorded == actual,
        }
    }

    fn is_same_text(&mut self, recorded: &str, actual: &str) -> bool {
        if is_session_id(recorded) && is_session_id(actual) {
            let is_taken = self.recorded_session(actual).is_some_and(|other| other != recorded);
            let own = self.sessions.entry(recorded.to_owned()).or_insert_with(|| actual.to_owned());
            return !is_taken && own == actual;
        }
        recorded == actual || self.translate(recorded) == actual
    }
}

/// An agent's own name, and the id of a message, which was compared before.
fn is_left_out(parent: &str, member: &str) -> bool {
    member == "agentInfo" || (parent.is_empty() && member == "id")
}

/// `20261130-114745-892b661c`
fn is_session_id(text: &str) -> bool {
    text.len() == 24
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 15 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
