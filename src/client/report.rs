//! Compares what mm says it took (its `[acp]` lines on stderr) with what was lent. Log lines are
//! hints: nothing waits for them, and nothing fails on them. Source: `docs/protocol.md`, "Discovery".

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::json;

use super::diagnostic::Diagnostic;
use super::entries;
use crate::tools::lent::Lent;
use crate::tools::report::{Discovery, LogLine, parse};
use crate::wire::lane::Lane;

/// The `tools` event.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolsReport {
    /// How mm got the list: `meta` or `request`.
    pub discovery: String,
    /// `mcp` for a list that was fetched from an MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carrier: Option<&'static str>,
    /// The session it is for; in request discovery only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Model names that mm took.
    pub accepted: Vec<String>,
    /// Model names that were lent and that mm names nowhere.
    pub missing: Vec<String>,
    /// Entries mm skipped.
    pub skipped: Vec<Skipped>,
}

impl ToolsReport {
    /// An agent fetched the list of a session from its MCP server.
    #[must_use]
    pub fn fetched(session: &str, accepted: Vec<String>) -> Self {
        Self {
            discovery: Discovery::Request.to_string(),
            carrier: Some("mcp"),
            session_id: Some(session.to_owned()),
            accepted,
            missing: Vec::new(),
            skipped: Vec::new(),
        }
    }
}

/// One entry mm skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Its place in the list, from 0.
    pub index: usize,
    /// Its name as it was defined, when the place is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// mm's words.
    pub reason: String,
}

/// Reads the stderr of one connection.
#[derive(Debug)]
pub struct Reporter {
    lent: Arc<Mutex<Lent>>,
    /// The mode this client was set to.
    discovery: Discovery,
    /// Skipped since the last list: mm tells of them before it names the rest.
    skipped: Vec<Skipped>,
}

impl Reporter {
    /// A reporter for a client that lends `lent` by `discovery`.
    #[must_use]
    pub fn new(lent: Arc<Mutex<Lent>>, discovery: Discovery) -> Self {
        Self { lent, discovery, skipped: Vec::new() }
    }

    /// Takes one line; what it tells goes to the lane.
    pub fn read(&mut self, text: &str, lane: &Lane) {
        match parse(text) {
            Some(LogLine::Taken { session, discovery, names }) => {
                self.taken(session, discovery, names, lane);
            }
            Some(LogLine::EntrySkipped { session, index, reason }) => {
                self.entry(session.as_deref(), index, reason, lane);
            }
            Some(LogLine::NotAList { remedy }) => self.not_a_list(&remedy, lane),
            Some(LogLine::ListFailed { session, reason }) => {
                let message = format!(
                    "mm took no list for session {session} and lends no tool there: {reason}"
                );
                let details = json!({ "sessionId": session, "reason": reason });
                diagnose(lane, Diagnostic::new("tools-missing", message, details));
            }
            Some(LogLine::Other(_)) | None => {}
        }
    }

    fn taken(
        &mut self,
        session_id: Option<String>,
        discovery: Discovery,
        accepted: Vec<String>,
        lane: &Lane,
    ) {
        let skipped = std::mem::take(&mut self.skipped);
        let missing = {
            let lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
            let is_skipped =
                |name: &str| skipped.iter().any(|one| one.name.as_deref() == Some(name));
            let list = session_id.as_deref().and_then(|session| lent.list_of(session));
            list.unwrap_or(lent.own())
                .iter()
                .map(|(_, tool)| &tool.description)
                .filter(|tool| !is_skipped(&tool.name) && !accepted.contains(&tool.model_name))
                .map(|tool| tool.model_name.clone())
                .collect()
        };
        let report = ToolsReport {
            discovery: discovery.to_string(),
            carrier: None,
            session_id,
            accepted,
            missing,
            skipped,
        };
        lane.push(&entries::tools_report(&report));
        if discovery != self.discovery {
            let message = format!(
                "expected mm to use {} discovery, it uses {discovery}: set `discovery` to \
                 \"{discovery}\", or acp.clientTools.discovery of the agent file to {}",
                self.discovery, self.discovery
            );
            diagnose(lane, Diagnostic::new("discovery-mismatch", message, json!({})));
        } else if !report.missing.is_empty() {
            let message = format!(
                "expected mm to take all lent tools, it does not name {}",
                report.missing.join(", ")
            );
            let details = json!({ "missing": report.missing });
            diagnose(lane, Diagnostic::new("tools-missing", message, details));
        }
    }

    fn entry(&mut self, session: Option<&str>, index: usize, reason: String, lane: &Lane) {
        let name = {
            let lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
            let list = session.and_then(|session| lent.list_of(session)).unwrap_or(lent.own());
            list.iter().nth(index).map(|(_, tool)| tool.description.name.clone())
        };
        let tool = name.as_deref().unwrap_or("a tool");
        let message = format!("mm skipped {tool} (entry {index}): {reason}");
        let details = json!({ "index": index, "name": name, "reason": reason });
        diagnose(lane, Diagnostic::new("tool-skipped", message, details));
        self.skipped.push(Skipped { index, name, reason });
    }

    fn not_a_list(&self, remedy: &str, lane: &Lane) {
        let message = match self.discovery {
            Discovery::Request => {
                "mm expected the list of tools in `initialize`, so the model has none: set \
                 acp.clientTools.discovery of the agent file to request, or `discovery` to \"meta\""
            }
            Discovery::Meta => "mm could not read the list of tools, so the model has none",
        };
        let message = format!("{message} (mm: {remedy})");
        diagnose(lane, Diagnostic::new("discovery-mismatch", message, json!({ "remedy": remedy })));
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a diagnostic is made to be told once")]
fn diagnose(lane: &Lane, diagnostic: Diagnostic) {
    lane.push(&entries::diagnostic(&diagnostic));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::lane::Chunk;
    use serde_json::Value;

    /// The entries that `lines` give to a client that lends `open buffers` and `todo`.
    fn read(discovery: Discovery, lines: &[&str]) -> Vec<Value> {
        let mut lent = Lent::new("test");
        lent.own_mut().add(&json!({ "name": "open buffers" })).unwrap();
        lent.own_mut().add(&json!({ "name": "todo" })).unwrap();
        let lane = Lane::new(Box::new(|| {}));
        let mut reporter = Reporter::new(Arc::new(Mutex::new(lent)), discovery);
        for line in lines {
            reporter.read(line, &lane);
        }
        let Some(Chunk::OneByte(text)) = lane.take() else { return vec![] };
        serde_json::from_slice::<Vec<Value>>(&text).unwrap()
    }

    fn codes(entries: &[Value]) -> Vec<&str> {
        entries.iter().filter_map(|entry| entry.get("code")?.as_str()).collect()
    }

    #[test]
    fn a_list_that_was_taken_whole_is_a_report_alone() {
        let line = "[acp] client tools (meta): client_open_buffers, client_todo";
        let expected = json!([11, {
            "discovery": "meta",
            "accepted": ["client_open_buffers", "client_todo"],
            "missing": [],
            "skipped": [],
        }]);
        assert_eq!(Value::Array(read(Discovery::Meta, &[line])), expected);
    }

    #[test]
    fn a_skipped_tool_is_named_and_does_not_count_as_missing() {
        let entries = read(
            Discovery::Meta,
            &[
                "[acp] client tools: entry 0 skipped: no name",
                "[acp] client tools (meta): client_todo",
            ],
        );
        assert_eq!(codes(&entries), ["tool-skipped"]);
        let skipped = json!([{ "index": 0, "name": "open buffers", "reason": "no name" }]);
        assert_eq!(entries[3]["skipped"], skipped);
        assert_eq!(entries[3]["missing"], json!([]));
    }

    #[test]
    fn a_tool_mm_does_not_name_is_missing() {
        let entries = read(Discovery::Meta, &["[acp] client tools (meta): client_todo"]);
        assert_eq!(entries[1]["missing"], json!(["client_open_buffers"]));
        assert_eq!(codes(&entries), ["tools-missing"]);
    }

    #[test]
    fn modes_mixed_up_give_the_remedy() {
        let line = "[acp] client tools: \"org.mini-me/tools\" is not a list of tools; use request";
        let entries = read(Discovery::Request, &[line]);
        assert_eq!(codes(&entries), ["discovery-mismatch"]);
        assert!(entries[1]["message"].as_str().unwrap().contains("\"meta\""));

        let line = "[acp] session s1 client tools (request): client_todo";
        assert_eq!(codes(&read(Discovery::Meta, &[line])), ["discovery-mismatch"]);
    }

    #[test]
    fn other_lines_tell_nothing() {
        assert!(read(Discovery::Meta, &["hello", "[acp] something", ""]).is_empty());
    }
}
