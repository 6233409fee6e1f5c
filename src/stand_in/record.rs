//! What the agent took, asked and read, told entry by entry to whoever tests a client. Knows nothing of
//! where the entries go.

use std::fmt::{self, Debug};
use std::sync::Arc;

use serde_json::{Value, json};

use super::model::{CallResult, ModelCall};
use crate::tools::list::TakenList;
use crate::tools::report::Discovery;
use crate::tools::schema::model_view;

type Take = dyn Fn(&Value) + Send + Sync;

/// Takes one entry at a time, before the client can see anything that follows from it.
#[derive(Clone, Default)]
pub struct Record(Option<Arc<Take>>);

impl Record {
    /// A record that hands each entry to `take`.
    pub fn new(take: impl Fn(&Value) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(take)))
    }

    fn note(&self, entry: impl FnOnce() -> Value) {
        if let Some(take) = &self.0 {
            take(&entry());
        }
    }

    /// A line that came, or is about to be written.
    pub(super) fn line(&self, direction: &str, line: &[u8]) {
        self.note(|| {
            let line = String::from_utf8_lossy(line);
            json!({ "type": "line", "direction": direction, "line": line.trim_end_matches('\n') })
        });
    }

    /// A list was taken; `session_id` is given when it was asked for.
    pub(super) fn list(&self, list: &TakenList, session_id: Option<&str>, discovery: Discovery) {
        self.note(|| {
            let tools: Vec<_> = list.tools.iter().map(model_view).collect();
            let skipped: Vec<_> = list
                .skipped
                .iter()
                .map(|entry| json!({ "index": entry.index, "name": entry.name, "reason": entry.reason }))
                .collect();
            json!({
                "type": "tools",
                "discovery": discovery.to_string(),
                "sessionId": session_id,
                "tools": tools,
                "skipped": skipped,
            })
        });
    }

    /// No list was taken, for this reason.
    pub(super) fn no_list(&self, session_id: Option<&str>, reason: &str) {
        self.note(|| json!({ "type": "noTools", "sessionId": session_id, "reason": reason }));
    }

    /// The client was asked for its permission, and answered this outcome; null for an error.
    pub(super) fn permission(&self, session_id: &str, tool: &str, outcome: Option<&Value>) {
        self.note(|| {
            json!({ "type": "permission", "sessionId": session_id, "tool": tool, "outcome": outcome })
        });
    }

    /// A call has its result; also one that was not sent, because parameters or permission lacked.
    pub(super) fn call(&self, session_id: &str, call: &ModelCall, result: &CallResult) {
        self.note(|| {
            json!({
                "type": "call",
                "sessionId": session_id,
                "tool": call.tool,
                "arguments": call.arguments,
                "text": result.text,
                "isError": result.is_failed,
            })
        });
    }
}

impl Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Record").field(&self.0.is_some()).finish()
    }
}
