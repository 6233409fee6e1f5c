//! What a message of an MCP client means to the server of one session. Requests of a revision without
//! a handshake are told by the revision they name; all others are served alike, whether a handshake
//! was made or not: the server keeps nothing of one.

use serde_json::{Value, json};

use super::call::{Call, text};
use super::{revision, tool, tool_result};
use crate::carrier::members::Members;
use crate::tools::outcome::failure_result;
use crate::tools::registry::{Registry, ToolIndex};
use crate::wire::encode;
use crate::wire::envelope::{Flaw, Message, classify};

/// JSON-RPC: the params are wrong.
const INVALID_PARAMS: i64 = -32602;
/// JSON-RPC: not JSON at all.
const PARSE_ERROR: i64 = -32700;

/// See [`receive`].
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// Wants no answer.
    Nothing,
    /// Is answered at once.
    Answer {
        /// The answer, a line.
        line: Vec<u8>,
        /// What it is, for who keeps the books.
        kind: Answered,
    },
    /// A call; its params go to JavaScript.
    Call(OpenCall),
    /// A call whose arguments are wrong: it is answered, and told.
    Misfit {
        /// The answer, a line.
        line: Vec<u8>,
        /// The tool it is for.
        tool: ToolIndex,
        /// JSON text, as of a call.
        params: String,
    },
    /// The client withdraws the request of this id, JSON text.
    Withdrawn(String),
}

/// What kind of request was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    /// `initialize`.
    Initialize,
    /// `server/discover`, which takes its place in a revision without handshake.
    Discover,
    /// `tools/list`.
    List,
    /// Any other, with a result.
    Other,
    /// A message that is none, or that names a revision that is not spoken.
    Invalid,
    /// A method there is not, in a revision that wants this told by the transport.
    UnknownMethod,
}

/// A call to be answered by its handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// The id of its request, JSON text.
    pub id: String,
    /// The tool it is for.
    pub tool: ToolIndex,
    /// JSON text: the arguments, and `_meta` with the session.
    pub params: String,
    /// Whether its result has to say what it is.
    is_stateless: bool,
}

impl OpenCall {
    /// The answer with the result of a handler, JSON text; a line.
    #[must_use]
    pub fn result(&self, result: &str) -> Vec<u8> {
        line(&self.id, &tool_result::from_handler(result), self.is_stateless)
    }

    /// The answer with an error, JSON text; a line.
    #[must_use]
    pub fn error(&self, error: &str) -> Vec<u8> {
        encode::error(&self.id, error)
    }
}

/// Tells what a message means to a server that has `list`. `session` is the session the list is lent
/// to, once it is known.
#[must_use]
pub fn receive(list: &Registry, session: Option<&str>, message: &str) -> Received {
    match classify(message) {
        Ok(Message::Request { id, method, params }) => {
            request(list, session, id, &method, params.unwrap_or("{}"))
        }
        Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
            withdrawn(params.unwrap_or("{}"))
        }
        Ok(Message::Notification { .. } | Message::Answer { .. }) => Received::Nothing,
        Err(Flaw::BadRequest { id, reason }) => invalid(id, encode::INVALID_REQUEST, reason),
        Err(Flaw::Invalid { reason }) => invalid("null", encode::INVALID_REQUEST, reason),
        Err(Flaw::Noise) => {
            invalid("null", PARSE_ERROR, "expected one JSON-RPC message, an object")
        }
    }
}

fn request(
    list: &Registry,
    session: Option<&str>,
    id: &str,
    method: &str,
    params: &str,
) -> Received {
    let Ok(params) = serde_json::from_str::<Members<'_>>(params) else {
        return invalid(id, INVALID_PARAMS, "expected params that are an object");
    };
    let named = named_revision(&params);
    if let Some(named) = named.as_deref().filter(|named| !revision::is_supported(named)) {
        let line = encode::error(id, &revision::unsupported(named).to_string());
        return Received::Answer { line, kind: Answered::Invalid };
    }
    let is_stateless = named.as_deref() == Some(revision::STATELESS);
    let answer = |result: &Value, kind| Received::Answer {
        line: line(id, &result.to_string(), is_stateless),
        kind,
    };
    match method {
        "initialize" => answer(&welcome(&params), Answered::Initialize),
        "server/discover" => Received::Answer {
            line: line(id, &discovered().to_string(), true),
            kind: Answered::Discover,
        },
        "tools/list" => answer(&tools(list, is_stateless), Answered::List),
        "ping" => answer(&json!({}), Answered::Other),
        "tools/call" => match Call::read(list, &params) {
            Ok(call) => call_of(&call, session, id, is_stateless),
            Err(problem) => {
                let error = encode::error_object(INVALID_PARAMS, &problem);
                Received::Answer { line: encode::error(id, &error), kind: Answered::Other }
            }
        },
        _ => {
            let error = encode::error_object(encode::METHOD_NOT_FOUND, "Method not found");
            let kind = if is_stateless { Answered::UnknownMethod } else { Answered::Other };
            Received::Answer { line: encode::error(id, &error), kind }
        }
    }
}

fn call_of(call: &Call<'_>, session: Option<&str>, id: &str, is_stateless: bool) -> Received {
    let params = call.params(session);
    match call.check() {
        Ok(()) => {
            Received::Call(OpenCall { id: id.to_owned(), tool: call.index, params, is_stateless })
        }
        Err(problem) => Received::Misfit {
            line: line(id, &failure_result(&problem), is_stateless),
            tool: call.index,
            params,
        },
    }
}

fn named_revision(params: &Members<'_>) -> Option<String> {
    let meta: Members<'_> = serde_json::from_str(params.get("_meta")?).ok()?;
    text(meta.get(revision::META_VERSION)?)
}

fn withdrawn(params: &str) -> Received {
    let params = serde_json::from_str::<Members<'_>>(params);
    let id = params.ok().and_then(|params| params.get("requestId").map(str::to_owned));
    id.map_or(Received::Nothing, Received::Withdrawn)
}

fn welcome(params: &Members<'_>) -> Value {
    let asked = params.get("protocolVersion").and_then(text);
    json!({
        "protocolVersion": revision::agreed(asked.as_deref()),
        "capabilities": { "tools": {} },
        "serverInfo": server_info(),
    })
}

fn discovered() -> Value {
    json!({
        "supportedVersions": revision::all(),
        "capabilities": { "tools": {} },
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": { revision::META_SERVER: server_info() },
    })
}

fn tools(list: &Registry, is_stateless: bool) -> Value {
    let tools: Vec<Value> =
        list.iter().map(|(_, registered)| tool::listed(&registered.description)).collect();
    if is_stateless {
        // A list may change at each opening: it is not to be kept.
        json!({ "tools": tools, "ttlMs": 0, "cacheScope": "private" })
    } else {
        json!({ "tools": tools })
    }
}

fn server_info() -> Value {
    json!({ "name": "mini-me-client", "version": env!("CARGO_PKG_VERSION") })
}

fn line(id: &str, result: &str, is_stateless: bool) -> Vec<u8> {
    if is_stateless {
        encode::result(id, &tool_result::completed(result))
    } else {
        encode::result(id, result)
    }
}

fn invalid(id: &str, code: i64, reason: &str) -> Received {
    let error = encode::error_object(code, reason);
    Received::Answer { line: encode::error(id, &error), kind: Answered::Invalid }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Registry {
        let mut list = Registry::new("test");
        let schema = json!({
            "type": "object",
            "properties": { "topic": { "type": "string" } },
            "required": ["topic"],
        });
        list.add(&json!({ "name": "host info", "inputSchema": schema })).unwrap();
        list.add(&json!({ "name": "bare", "inputSchema": schema, "validate": false })).unwrap();
        list
    }

    fn ask(method: &str, params: &Value) -> Received {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        receive(&list(), Some("s"), &message.to_string())
    }

    #[track_caller]
    fn answer(received: Received) -> (Value, Answered) {
        match received {
            Received::Answer { line, kind } => (serde_json::from_slice(&line).unwrap(), kind),
            other => panic!("expected an answer, got {other:?}"),
        }
    }

    #[track_caller]
    fn check_error(received: Received, code: i64) {
        assert_eq!(answer(received).0["error"]["code"], code);
    }

    fn stateless() -> Value {
        json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" })
    }

    #[test]
    fn each_revision_with_a_handshake_is_agreed_on() {
        for asked in revision::WITH_HANDSHAKE {
            let (message, kind) = answer(ask("initialize", &json!({ "protocolVersion": asked })));
            assert_eq!(message["result"]["protocolVersion"], asked);
            assert_eq!(message["result"]["capabilities"], json!({ "tools": {} }));
            assert_eq!(kind, Answered::Initialize);
        }
    }

    #[test]
    fn server_discover_is_answered_with_all_revisions() {
        for params in [json!({}), json!({ "_meta": stateless() })] {
            let (message, kind) = answer(ask("server/discover", &params));
            let versions = &message["result"]["supportedVersions"];
            assert_eq!(versions[0], "2026-07-28");
            assert_eq!(versions.as_array().unwrap().len(), 5);
            assert_eq!(message["result"]["resultType"], "complete");
            assert_eq!(kind, Answered::Discover);
        }
    }

    #[test]
    fn results_of_the_stateless_revision_say_that_they_are_complete() {
        let params = json!({ "_meta": stateless() });
        let (message, kind) = answer(ask("tools/list", &params));
        assert_eq!(message["result"]["resultType"], "complete");
        assert_eq!(message["result"]["ttlMs"], 0);
        assert_eq!(kind, Answered::List);
        assert!(answer(ask("tools/list", &json!({}))).0["result"].get("resultType").is_none());

        let params = json!({ "name": "bare", "_meta": stateless() });
        let Received::Call(call) = ask("tools/call", &params) else { panic!("no call") };
        let message: Value = serde_json::from_slice(&call.result("\"x\"")).unwrap();
        assert_eq!(message["result"]["resultType"], "complete");
    }

    #[test]
    fn a_revision_that_is_not_spoken_is_refused_with_those_that_are() {
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2099-01-01" });
        let (message, kind) = answer(ask("tools/list", &json!({ "_meta": meta })));
        assert_eq!(message["error"]["code"], revision::UNSUPPORTED_REVISION);
        assert_eq!(message["error"]["data"]["supported"][0], "2026-07-28");
        assert_eq!(kind, Answered::Invalid);
    }

    #[test]
    fn the_list_is_that_of_the_session() {
        let (message, kind) = answer(ask("tools/list", &json!({ "cursor": "x" })));
        let tools = message["result"]["tools"].as_array().unwrap();
        let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["host_info", "bare"]);
        assert_eq!(kind, Answered::List);
    }

    #[test]
    fn a_call_goes_on_with_arguments_that_fit() {
        let params = json!({ "name": "host_info", "arguments": { "topic": "os" } });
        let Received::Call(call) = ask("tools/call", &params) else { panic!("no call") };
        assert_eq!((call.id.as_str(), call.tool), ("1", ToolIndex(0)));
        let message: Value = serde_json::from_slice(&call.result("\"x\"")).unwrap();
        assert_eq!(message["id"], 1);
        assert_eq!(message["result"], json!({ "content": [{ "type": "text", "text": "x" }] }));
    }

    #[test]
    fn a_call_with_wrong_arguments_is_answered_for_the_model_to_read() {
        for arguments in [json!({}), json!([1]), json!("x")] {
            let params = json!({ "name": "host_info", "arguments": arguments });
            let Received::Misfit { line, .. } = ask("tools/call", &params) else {
                panic!("no misfit: {params}")
            };
            let message: Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(message["result"]["isError"], true);
        }
        let unchecked = json!({ "name": "bare", "arguments": {} });
        assert!(matches!(ask("tools/call", &unchecked), Received::Call(_)));
        let no_object = json!({ "name": "bare", "arguments": [1] });
        assert!(matches!(ask("tools/call", &no_object), Received::Misfit { .. }));
    }

    #[test]
    fn only_the_exact_name_is_a_tool() {
        for name in ["host info", "Host_info", "client_host_info", "", "x"] {
            check_error(ask("tools/call", &json!({ "name": name })), INVALID_PARAMS);
        }
        check_error(ask("tools/call", &json!({ "name": 7 })), INVALID_PARAMS);
        check_error(ask("tools/call", &json!({})), INVALID_PARAMS);
    }

    #[test]
    fn another_method_is_not_found() {
        check_error(ask("resources/list", &json!({})), encode::METHOD_NOT_FOUND);
        let received = ask("resources/list", &json!({ "_meta": stateless() }));
        assert_eq!(answer(received).1, Answered::UnknownMethod);
        assert_eq!(answer(ask("ping", &json!({}))).0["result"], json!({}));
    }

    #[test]
    fn a_withdrawn_request_is_named_by_its_id() {
        let cancelled = |params: Value| {
            let message =
                json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
            receive(&list(), None, &message.to_string())
        };
        assert_eq!(cancelled(json!({ "requestId": "a" })), Received::Withdrawn("\"a\"".to_owned()));
        assert_eq!(cancelled(json!({ "requestId": 3 })), Received::Withdrawn("3".to_owned()));
        assert_eq!(cancelled(json!({})), Received::Nothing);
    }

    #[test]
    fn what_is_no_request_is_passed_over_or_refused() {
        let receive = |message: &str| receive(&list(), None, message);
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(receive(initialized), Received::Nothing);
        assert_eq!(receive(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Received::Nothing);
        for message in ["", "x", "[]", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", "7"]
        {
            check_error(receive(message), PARSE_ERROR);
        }
        check_error(receive("{}"), encode::INVALID_REQUEST);
        check_error(receive(r#"{"id":[],"method":"ping"}"#), encode::INVALID_REQUEST);
        check_error(receive(r#"{"id":1,"method":"ping","params":[]}"#), INVALID_PARAMS);
    }
}
