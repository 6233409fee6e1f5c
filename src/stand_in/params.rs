//! The params of a client's requests, and the errors for what is wrong with them.

use serde_json::{Value, json};

use crate::acp::names::{SESSION_LOAD, SESSION_NEW, SESSION_RESUME};
use crate::wire::encode::{INTERNAL_ERROR, METHOD_NOT_FOUND};

/// JSON-RPC: the params are not what the method takes.
const INVALID_PARAMS: i64 = -32602;

/// What opens a session.
#[derive(Debug)]
pub(super) struct Opening {
    /// The session to open again; `None` for a new one.
    pub(super) session_id: Option<String>,
    pub(super) cwd: String,
    /// Whether the client is shown what was said before.
    pub(super) is_replayed: bool,
}

/// Reads the params of `session/new`, `session/load` and `session/resume`.
pub(super) fn opening(method: &str, params: &Value) -> Result<Opening, Value> {
    let cwd = params.get("cwd").and_then(Value::as_str);
    let cwd = cwd.ok_or_else(|| expected("cwd", "a string", params.get("cwd")))?;
    let servers = params.get("mcpServers");
    // mm's SDK needs the list but for `session/resume`. (`docs/protocol.md`, SDK fact 9)
    let is_servers = servers.map_or(method == SESSION_RESUME, Value::is_array);
    if !is_servers {
        return Err(expected("mcpServers", "an array", servers));
    }
    let session_id = match method {
        SESSION_NEW => None,
        _ => Some(session_of(params)?.to_owned()),
    };
    Ok(Opening { session_id, cwd: cwd.to_owned(), is_replayed: method == SESSION_LOAD })
}

/// The session that params name.
pub(super) fn session_of(params: &Value) -> Result<&str, Value> {
    let id = params.get("sessionId");
    id.and_then(Value::as_str).ok_or_else(|| expected("sessionId", "a string", id))
}

/// The text of a prompt: its text blocks, one a line.
pub(super) fn prompt_text(params: &Value) -> Result<String, Value> {
    let prompt = params.get("prompt");
    let blocks = prompt.and_then(Value::as_array);
    let blocks = blocks.ok_or_else(|| expected("prompt", "an array", prompt))?;
    let texts: Vec<&str> =
        blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str)).collect();
    Ok(texts.join("\n"))
}

fn expected(name: &str, kind: &str, got: Option<&Value>) -> Value {
    let got = got.map_or_else(|| "nothing".to_owned(), Value::to_string);
    invalid(&format!("{name}: expected {kind}, got {got}"))
}

/// The error for a turn that could not go on.
pub(super) fn internal(problem: &str) -> Value {
    json!({ "code": INTERNAL_ERROR, "message": "Internal error", "data": { "error": problem } })
}

/// The error for params that are not what the method takes.
pub(super) fn invalid(problem: &str) -> Value {
    json!({ "code": INVALID_PARAMS, "message": "Invalid params", "data": { "error": problem } })
}

/// The error for a method there is not. mm's SDK names the method, which a client need not do.
pub(super) fn method_not_found(method: &str) -> Value {
    json!({
        "code": METHOD_NOT_FOUND,
        "message": "Method not found",
        "data": { "method": method },
    })
}
