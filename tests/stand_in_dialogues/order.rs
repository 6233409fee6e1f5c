//! In which order the stand-in must write what was recorded.
//!
//! The lines of one request of the client, a turn for the most part, are in order. But the recorded
//! agent made the calls of one step at the same time in many threads, so the requests that follow each
//! other, and the updates that end calls, were written in an order of chance; and so was
//! `$/cancel_request`, which its SDK sends from yet another thread (`docs/protocol.md`, SDK fact 7).
//! Lines of different requests of the client are in order where the client waited for one of them.

use serde_json::Value;

use super::matching::Line;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `tool_call`
    Announcement,
    /// A request of the agent.
    Request,
    /// `tool_call_update`
    CallUpdate,
    /// `$/cancel_request`
    Withdrawal,
    /// What answers a request of the client.
    Answer,
    /// Chunks of messages, and all the rest.
    Other,
}

pub(crate) fn kind(line: &Value) -> Kind {
    let update = &line["params"]["update"]["sessionUpdate"];
    match line["method"].as_str() {
        None => Kind::Answer,
        Some("$/cancel_request") => Kind::Withdrawal,
        Some("session/update") if update == "tool_call" => Kind::Announcement,
        Some("session/update") if update == "tool_call_update" => Kind::CallUpdate,
        Some(_) if line.get("id").is_some() => Kind::Request,
        Some(_) => Kind::Other,
    }
}

/// The session a line is about.
pub(crate) fn session(line: &Value) -> Option<&str> {
    let params = &line["params"];
    let session = params.get("sessionId").or_else(|| params["_meta"].get("org.mini-me/sessionId"));
    session.and_then(Value::as_str)
}

/// Tells which request of the client each recorded line of the agent belongs to.
#[derive(Debug, Default)]
pub(crate) struct Strands {
    /// Sessions with the newest request about each; `None` stands for sessions without a name yet.
    newest: Vec<(Option<String>, Value)>,
}

impl Strands {
    /// Takes a line of the client.
    pub(crate) fn client_wrote(&mut self, line: &Value) {
        if line.get("method").is_some() && line.get("id").is_some() {
            let session = session(line).map(str::to_owned);
            self.newest.retain(|(known, _)| *known != session);
            self.newest.push((session, line["id"].clone()));
        }
    }

    /// The id of the client's request that the agent's line belongs to.
    pub(crate) fn of(&self, line: &Value) -> Value {
        if kind(line) == Kind::Answer {
            return line["id"].clone();
        }
        let session = session(line);
        let newest = |session: Option<&str>| {
            self.newest.iter().find(|(known, _)| known.as_deref() == session)
        };
        let request = newest(session).or_else(|| newest(None));
        request.map_or(Value::Null, |(_, id)| id.clone())
    }
}

/// A recorded line of the agent and when the stand-in wrote it.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) number: usize,
    pub(crate) kind: Kind,
    pub(crate) strand: Value,
    pub(crate) arrival: usize,
}

/// Fails when lines that follow from each other came in another order.
#[track_caller]
pub(crate) fn check(file: &str, written: &[Written]) {
    let ordered = written.iter().filter(|line| line.kind != Kind::Withdrawal);
    for (at, line) in ordered.clone().enumerate() {
        let mut is_chance = matches!(line.kind, Kind::Request | Kind::CallUpdate);
        for later in ordered.clone().skip(at + 1).filter(|later| later.strand == line.strand) {
            is_chance &= later.kind == line.kind;
            assert!(
                is_chance || line.arrival < later.arrival,
                "{file}: line {} was written after line {}",
                line.number,
                later.number,
            );
        }
    }
}

/// The line a client reads in `text`.
pub(crate) fn read(text: &str) -> Option<Line> {
    let is_message = serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object());
    is_message.then(|| Line::read(text.to_owned()))
}
