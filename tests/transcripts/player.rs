//! Plays a dialogue against the core: the test is the agent, and does what JavaScript would. Each line
//! is waited for where it is to arrive, so nothing is timed.

use std::collections::HashMap;

use mini_me_client::acp::bridge::Payload;
use mini_me_client::acp::capabilities::Offers;
use mini_me_client::client::Introduction;
use mini_me_client::peer::cancelled_id;
use mini_me_client::process::shutdown::Exit;
use mini_me_client::tools::report::Discovery;
use mini_me_client::wire::envelope::{Message, Outcome, classify};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::rules::limited;
use crate::support::{Dialogue, Setup};
use crate::transcript::{Line, Speaker};

/// Tags of entries, as `src/client/entries.rs` has them.
mod tag {
    pub(super) const UPDATE: u64 = 0;
    pub(super) const CALL: u64 = 1;
    pub(super) const RESULT: u64 = 2;
    pub(super) const ERROR: u64 = 3;
    pub(super) const NOTIFICATION: u64 = 4;
    pub(super) const TEXT: u64 = 5;
    pub(super) const REQUEST: u64 = 6;
    pub(super) const CALL_CANCELLED: u64 = 7;
    pub(super) const DIAGNOSTIC: u64 = 8;
    pub(super) const END: u64 = 9;
    pub(super) const STDERR: u64 = 10;
    pub(super) const TOOLS_REPORT: u64 = 11;
    pub(super) const REQUEST_CANCELLED: u64 = 14;
}

/// A request of the agent that is not answered yet, by the key it has in the lane.
enum Open {
    Call(u64),
    List { key: i64, session: String },
    Other(i64),
}

/// What came besides the lines.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Codes, in order.
    pub(crate) diagnostics: Vec<String>,
    /// Model names that mm did not name.
    pub(crate) missing: Vec<Value>,
}

/// See the module's head.
pub(crate) struct Player {
    dialogue: Dialogue,
    /// Recorded ids of our requests, as JSON text, and the numbers they have here.
    ids: HashMap<String, u64>,
    open: HashMap<String, Open>,
    told: Told,
}

impl Player {
    /// Plays all of `lines`, then ends the agent.
    pub(crate) async fn play(lines: &[Line]) -> Told {
        let announced = announced(lines);
        let discovery = if announced == json!(true) { Discovery::Request } else { Discovery::Meta };
        let tools = announced.as_array().cloned().unwrap_or_default();
        let setup = Setup { discovery, ..Setup::default() };
        let dialogue = Dialogue::set_up(&tools, setup);
        let mut player =
            Self { dialogue, ids: HashMap::new(), open: HashMap::new(), told: Told::default() };
        for line in lines {
            match line.from {
                Speaker::Client => player.client(&line.text).await,
                Speaker::Agent => player.agent(&line.text).await,
                Speaker::Stderr => player.stderr(&line.text).await,
            }
        }
        player.dialogue.end(Exit { code: Some(0), signal: None }).await;
        let end = player.entry(tag::END).await;
        assert_eq!(end[1]["failure"], Value::Null);
        assert!(player.dialogue.is_at_end().await, "expected no line more");
        player.told
    }

    // ---- what the client writes

    async fn client(&mut self, text: &str) {
        match classify(text).unwrap_or_else(|flaw| panic!("{flaw:?} in {text}")) {
            Message::Request { id, method, params } => {
                self.request(text, id, &method, params.expect("every request has params")).await;
            }
            Message::Notification { method, params } if method == "$/cancel_request" => {
                let recorded = cancelled_id(params).expect("an id");
                let id = self.ids[recorded];
                self.dialogue.client.cancel_request(id);
                self.hear(&renumbered(text, "requestId", recorded, id)).await;
            }
            Message::Notification { method, params } => {
                let params = params.unwrap_or("{}");
                let sent = self.dialogue.client.notify(method.to_string(), params.to_owned());
                sent.expect("connected");
                self.hear(text).await;
            }
            Message::Answer { id, outcome } => self.answer(text, id, &outcome).await,
        }
    }

    async fn request(&mut self, text: &str, recorded: &str, method: &str, params: &str) {
        let id = u64::try_from(self.ids.len()).expect("few requests") + 1;
        self.ids.insert(recorded.to_owned(), id);
        if method == "initialize" {
            return self.initialize(id, params).await;
        }
        let sent = self.dialogue.client.request(id, method.to_owned(), params.to_owned());
        sent.expect("connected");
        self.hear(&renumbered(text, "id", recorded, id)).await;
    }

    async fn initialize(&mut self, id: u64, recorded: &str) {
        let client_info = json!({ "name": "test", "version": "1" });
        let introduction =
            Introduction { client_info, offers: Offers::default(), capabilities: None };
        self.dialogue.client.initialize(id, introduction).expect("connected");
        let heard = self.dialogue.read().await;
        let recorded: Value = serde_json::from_str(recorded).expect("JSON");
        assert_eq!(heard["method"], "initialize");
        for member in ["/protocolVersion", "/clientCapabilities/_meta"] {
            assert_eq!(heard["params"].pointer(member), recorded.pointer(member), "{member}");
        }
    }

    async fn answer(&mut self, text: &str, id: &str, outcome: &Outcome<'_>) {
        let open = self.open.remove(id).unwrap_or_else(|| panic!("expected {id} to be open"));
        match open {
            Open::Call(key) => {
                let (kind, payload) = match *outcome {
                    Outcome::Result(result) => ('r', result),
                    Outcome::Error(error) => ('e', error),
                    Outcome::Neither => panic!("expected an answer with a result or an error"),
                };
                let answers = format!("{key}{kind}{payload}\n");
                let too_large = self.dialogue.client.answer_calls(&answers);
                let expected = limited(text, id);
                assert_eq!(too_large.is_ok_and(|keys| keys.is_empty()), expected == text);
                self.hear(&expected).await;
            }
            Open::List { key, session } => self.list(key, &session, text, outcome).await,
            Open::Other(key) => {
                self.dialogue.client.answer_request(key, payload(outcome));
                self.hear(text).await;
            }
        }
    }

    /// A session is given its tools, and they are answered.
    async fn list(&mut self, key: i64, session: &str, text: &str, outcome: &Outcome<'_>) {
        let client = &self.dialogue.client;
        let recorded = match outcome {
            Outcome::Result(result) => value(Some(result)),
            _ => Value::Null,
        };
        let Some(tools) = recorded["tools"].as_array() else {
            client.answer_request(key, payload(outcome));
            return self.hear(text).await;
        };
        client.give_list(session, tools).expect("the recorded tools are valid");
        let list = json!({ "tools": client.list_of(session) }).to_string();
        client.answer_request(key, Payload::Text(list.into()));
        assert_eq!(self.dialogue.read().await, value(Some(text)));
    }

    /// The next line the client writes, byte for byte.
    async fn hear(&mut self, expected: &str) {
        let line = self.dialogue.read_line().await;
        // Half a surrogate pair is no text.
        let expected = format!("{}\n", expected.replace("\\ud800", "\\ufffd"));
        assert!(line == expected, "expected {}, got {}", shown(&expected), shown(&line));
    }

    // ---- what the agent writes

    async fn agent(&mut self, text: &str) {
        match classify(text).unwrap_or_else(|flaw| panic!("{flaw:?} in {text}")) {
            Message::Request { id, method, params } => {
                self.dialogue.write(&format!("{text}\n")).await;
                self.requested(id, &method, params).await;
            }
            Message::Notification { method, params } => {
                self.dialogue.write(&format!("{text}\n")).await;
                self.notified(&method, params).await;
            }
            Message::Answer { id, outcome } => self.answered(text, id, &outcome).await,
        }
    }

    async fn requested(&mut self, id: &str, method: &str, params: Option<&str>) {
        let params = value(params);
        let is_call = method.starts_with('_') && !is_unlent(method);
        let open = if is_call {
            let entry = self.entry(tag::CALL).await;
            assert_eq!(entry[3], params);
            Open::Call(entry[1].as_u64().expect("a key"))
        } else {
            let entry = self.entry(tag::REQUEST).await;
            assert_eq!((&entry[2], &entry[3]), (&json!(method), &params));
            let key = entry[1].as_i64().expect("a key");
            match params["sessionId"].as_str().filter(|_| method == "_org.mini-me/tools/list") {
                Some(session) => Open::List { key, session: session.to_owned() },
                None => Open::Other(key),
            }
        };
        self.open.insert(id.to_owned(), open);
    }

    async fn notified(&mut self, method: &str, params: Option<&str>) {
        match method {
            "session/update" => self.updated(&value(params)).await,
            "$/cancel_request" => self.withdrawn(cancelled_id(params).expect("an id")).await,
            _ => {
                let entry = self.entry(tag::NOTIFICATION).await;
                assert_eq!(entry, json!([tag::NOTIFICATION, method, value(params)]));
            }
        }
    }

    async fn updated(&mut self, params: &Value) {
        let (session, update) = (&params["sessionId"], &params["update"]);
        let text = &update["content"]["text"];
        let plain = json!({
            "sessionId": session,
            "update": {
                "sessionUpdate": "agent_message_chunk",
                "content": { "type": "text", "text": text },
            },
        });
        if *params == plain {
            assert_eq!(self.entry(tag::TEXT).await, json!([tag::TEXT, session, text]));
        } else {
            assert_eq!(self.entry(tag::UPDATE).await, json!([tag::UPDATE, params]));
        }
    }

    /// A call is answered by its runner; any other request is answered by the core itself.
    async fn withdrawn(&mut self, id: &str) {
        match self.open.get(id) {
            // It was answered before: nobody is told.
            None => {}
            Some(Open::Call(key)) => {
                let expected = json!([tag::CALL_CANCELLED, key]);
                assert_eq!(self.entry(tag::CALL_CANCELLED).await, expected);
            }
            Some(Open::List { key, .. } | Open::Other(key)) => {
                let expected = json!([tag::REQUEST_CANCELLED, key]);
                assert_eq!(self.entry(tag::REQUEST_CANCELLED).await, expected);
                let error = r#"{"code":-32800,"message":"Request cancelled"}"#;
                self.hear(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)).await;
                self.open.remove(id);
            }
        }
    }

    async fn answered(&mut self, text: &str, id: &str, outcome: &Outcome<'_>) {
        let Some(number) = self.ids.get(id).copied() else {
            self.dialogue.write(&format!("{text}\n")).await;
            return;
        };
        self.dialogue.write(&format!("{}\n", renumbered(text, "id", id, number))).await;
        let (expected, payload) = match *outcome {
            Outcome::Result(result) => (tag::RESULT, result),
            Outcome::Error(error) => (tag::ERROR, error),
            Outcome::Neither => panic!("expected an answer with a result or an error"),
        };
        let expected_entry = json!([expected, number, value(Some(payload))]);
        assert_eq!(self.entry(expected).await, expected_entry);
    }

    async fn stderr(&mut self, text: &str) {
        let stderr = self.dialogue.agent_complains.as_mut().expect("stderr is open");
        stderr.write_all(format!("{text}\n").as_bytes()).await.expect("the client reads");
        assert_eq!(self.entry(tag::STDERR).await, json!([tag::STDERR, text]));
    }

    /// The next entry that is part of the dialogue: it has to have this tag.
    async fn entry(&mut self, expected: u64) -> Value {
        let mut entries = self.dialogue.entries_to(expected).await;
        let last = entries.pop().expect("the entry");
        for entry in entries {
            match entry[0].as_u64() {
                Some(tag::DIAGNOSTIC) => {
                    let code = entry[1]["code"].as_str().expect("a code");
                    self.told.diagnostics.push(code.to_owned());
                }
                Some(tag::TOOLS_REPORT) => {
                    self.told
                        .missing
                        .extend(entry[1]["missing"].as_array().cloned().unwrap_or_default());
                }
                _ => panic!("expected an entry with tag {expected}, got {entry}"),
            }
        }
        last
    }
}

/// A line of megabytes helps nobody.
fn shown(line: &str) -> String {
    line.chars().take(1000).collect()
}

/// The line with the number that a request of ours has here.
fn renumbered(text: &str, member: &str, recorded: &str, number: u64) -> String {
    text.replacen(&format!("\"{member}\":{recorded}"), &format!("\"{member}\":{number}"), 1)
}

/// Methods that the recorded agent asks for and nobody lends.
fn is_unlent(method: &str) -> bool {
    method == "_org.mini-me/tools/list" || method.starts_with("_oracle/")
}

fn payload(outcome: &Outcome<'_>) -> Payload {
    match *outcome {
        Outcome::Result(result) => Payload::Text(result.into()),
        Outcome::Error(error) => Payload::Error(error.into()),
        Outcome::Neither => panic!("expected an answer with a result or an error"),
    }
}

fn value(text: Option<&str>) -> Value {
    text.map_or(Value::Null, |text| serde_json::from_str(text).expect("JSON"))
}

/// The value of the key in `initialize`; null when it is not there.
pub(crate) fn announced(lines: &[Line]) -> Value {
    let params = lines.iter().find_map(|line| match classify(&line.text) {
        Ok(Message::Request { method, params, .. }) if method == "initialize" => {
            Some(value(params))
        }
        _ => None,
    });
    params.expect("initialize")["clientCapabilities"]["_meta"]["org.mini-me/tools"].take()
}
