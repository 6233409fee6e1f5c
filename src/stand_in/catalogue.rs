//! Which tools a session has: announced with `initialize`, or asked for while the session opens.
//! (`docs/protocol.md`, "Discovery")

use std::time::Duration;

use agent_client_protocol::Error;
use serde_json::{Value, json};

use super::agent_file::AgentFile;
use super::link::{Link, Reply, ReplyError};
use super::log::Log;
use super::record::Record;
use crate::acp::names::{META_TOOLS, TOOLS_LIST};
use crate::json_text::mend_surrogates;
use crate::tools::description::ToolDescription;
use crate::tools::list::read_list;
use crate::tools::outcome::error_text;
use crate::tools::report::{Discovery, LogLine, NO_TOOLS_ARRAY, USE_REQUEST_DISCOVERY};

/// What the client announced.
#[derive(Debug, Clone, Default)]
pub(super) enum Announced {
    /// No tools, or none that this agent file lets in.
    #[default]
    Nothing,
    /// The tools of every session.
    List(Vec<ToolDescription>),
    /// The client answers the list request.
    OnRequest,
}

/// Reads `clientCapabilities._meta`, and says on stderr what was taken.
pub(super) fn announced(
    meta: Option<&Value>,
    file: &AgentFile,
    log: &Log,
    record: &Record,
) -> Announced {
    let value = meta.and_then(|meta| meta.get(META_TOOLS));
    // `false` and `null` say that there are none.
    let value = value.filter(|value| !value.is_null() && **value != Value::Bool(false));
    let Some(value) = value.filter(|_| file.is_enabled) else { return Announced::Nothing };
    if file.discovery == Discovery::Request {
        return Announced::OnRequest;
    }
    if !value.is_array() {
        log.line(LogLine::NotAList { remedy: USE_REQUEST_DISCOVERY.to_owned() });
        record.no_list(None, USE_REQUEST_DISCOVERY);
        return Announced::Nothing;
    }
    let list = read_list(value);
    for line in list.log_lines(None, Discovery::Meta) {
        log.line(line);
    }
    record.list(&list, None, Discovery::Meta);
    Announced::List(list.tools)
}

/// Asks the client for the tools of one session. A list that does not come or is none costs the
/// session its tools, and nothing else.
pub(super) async fn ask(
    link: &Link,
    session_id: &str,
    cwd: &str,
    timeout: Duration,
    (log, record): (&Log, &Record),
) -> Result<Vec<ToolDescription>, Error> {
    let params = json!({ "sessionId": session_id, "cwd": cwd });
    let request = link.request(TOOLS_LIST, &params)?;
    let reason = match tokio::time::timeout(timeout, request.answer()).await {
        Ok(Reply::Result(result)) => match tools_of(&result) {
            Some(entries) => {
                let list = read_list(&entries);
                for line in list.log_lines(Some(session_id), Discovery::Request) {
                    log.line(line);
                }
                record.list(&list, Some(session_id), Discovery::Request);
                return Ok(list.tools);
            }
            None => NO_TOOLS_ARRAY.to_owned(),
        },
        Ok(Reply::Error(error)) => written(&error),
        Err(_) => error_text(-32603, "Internal error", Some(DEADLINE)),
    };
    record.no_list(Some(session_id), &reason);
    log.line(LogLine::ListFailed { session: session_id.to_owned(), reason });
    Ok(Vec::new())
}

/// What mm's SDK says of a request that was not answered in time.
const DEADLINE: &str = r#"{"error":"context deadline exceeded"}"#;

fn written(error: &ReplyError) -> String {
    error_text(error.code(), error.message(), error.data())
}

fn tools_of(result: &str) -> Option<Value> {
    let mut result: Value = serde_json::from_str(&mend_surrogates(result)).ok()?;
    result.get_mut("tools").map(Value::take).filter(Value::is_array)
}
