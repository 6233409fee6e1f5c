//! mm's own protocol: the list travels in `_meta`, a call is a request of the tool's method with
//! its arguments at the top level of `params`. Source: `docs/protocol.md`, "A call".

use serde_json::Value;

use super::members::Members;
use super::{Carrier, Received};
use crate::json_text::mend_surrogates;
use crate::tools::lent::{Lent, Unlent};
use crate::tools::outcome::failure_result;
use crate::tools::registry::RegisteredTool;
use crate::tools::report::Discovery;

/// See the module's head.
#[derive(Debug, Clone, Copy)]
pub struct MiniMe {
    /// Whether one list holds for all sessions, or each has its own.
    pub discovery: Discovery,
}

impl Carrier for MiniMe {
    fn announced(&self, lent: &Lent) -> Vec<Value> {
        lent.own().wire_list()
    }

    fn receive(&self, lent: &Lent, method: &str, params: Option<&str>) -> Received {
        let params = params.unwrap_or("null");
        let found = match self.discovery {
            // Whatever session it names, also one that is still being opened.
            Discovery::Meta => Ok(lent.own().by_method(method)),
            // Methods start with an underscore: most requests need no look at their params.
            Discovery::Request if !method.starts_with('_') => Ok(None),
            Discovery::Request => lent.find(session_of(params).as_deref(), method),
        };
        match found {
            Ok(None) => Received::NotOurs,
            Ok(Some((index, tool))) => match check(tool, params) {
                Ok(()) => Received::Call(index),
                Err(problem) => Received::Misfit { tool: index, result: failure_result(&problem) },
            },
            Err(unlent) => Received::Unlent { result: failure_result(refusal(unlent)) },
        }
    }
}

fn refusal(unlent: Unlent) -> &'static str {
    match unlent {
        Unlent::NoList => "no list of tools was given to this session",
        Unlent::NotInList => "this tool is not lent to this session",
    }
}

/// The session a call names in its `_meta`.
fn session_of(params: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Params {
        #[serde(rename = "_meta")]
        meta: Option<Meta>,
    }
    #[derive(serde::Deserialize)]
    struct Meta {
        #[serde(rename = "org.mini-me/sessionId")]
        session_id: Option<String>,
    }
    let params: Params = serde_json::from_str(&mend_surrogates(params)).ok()?;
    params.meta?.session_id
}

/// Checks the arguments of a call: a JSON object (or none at all), and what the schema says.
fn check(tool: &RegisteredTool, params: &str) -> Result<(), String> {
    let first = params.as_bytes().first().copied().unwrap_or_default();
    if first != b'{' && params != "null" {
        let came = if first == b'[' { "an array" } else { params };
        return Err(format!("arguments: expected a JSON object, got {came}"));
    }
    match &tool.check {
        Some(check) => check
            .check_text_beside(params, "_meta")
            .unwrap_or_else(|| check.check_text(without_meta(params).as_ref())),
        None => Ok(()),
    }
}

/// The arguments alone: `_meta` is the protocol's, not the tool's, and a schema may forbid it.
fn without_meta(params: &str) -> std::borrow::Cow<'_, str> {
    if params == "null" {
        return "{}".into();
    }
    if !params.contains("_meta") && !params.contains('\\') {
        return params.into();
    }
    match serde_json::from_str::<Members<'_>>(params) {
        Ok(members) => members.without("_meta").into(),
        // What cannot be split here is reported by the check itself.
        Err(_) => params.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lent() -> Lent {
        let mut lent = Lent::new("test");
        let schema = json!({
            "type": "object",
            "properties": { "topic": { "type": "string", "enum": ["os", "cpu"] } },
            "required": ["topic"],
            "additionalProperties": false,
        });
        for tool in [
            json!({ "name": "info", "method": "_a", "inputSchema": schema }),
            json!({ "name": "bare", "method": "_b" }),
            json!({ "name": "open", "method": "_c", "inputSchema": schema, "validate": false }),
        ] {
            lent.own_mut().add(&tool).unwrap();
        }
        lent.give("s", &[json!({ "name": "of s", "method": "_s" })]).unwrap();
        lent
    }

    const META: MiniMe = MiniMe { discovery: Discovery::Meta };
    const REQUEST: MiniMe = MiniMe { discovery: Discovery::Request };

    /// `words` are what the model reads when the call is refused; none when it is run.
    #[track_caller]
    fn check_by(carrier: MiniMe, method: &str, params: Option<&str>, words: &[&str]) {
        match carrier.receive(&lent(), method, params) {
            Received::Misfit { result, .. } | Received::Unlent { result } => {
                let result: Value = serde_json::from_str(&result).unwrap();
                assert_eq!(result["isError"], true);
                let text = result["content"][0]["text"].as_str().unwrap();
                assert!(!words.is_empty(), "refused: {text}");
                for word in words {
                    assert!(text.contains(word), "expected {word:?} in: {text}");
                }
            }
            other => assert!(words.is_empty() && other != Received::NotOurs, "{other:?}"),
        }
    }

    #[track_caller]
    fn check(method: &str, params: Option<&str>, words: &[&str]) {
        check_by(META, method, params, words);
    }

    #[test]
    fn a_list_of_all_sessions_takes_a_call_of_any() {
        let params = r#"{"_meta":{"org.mini-me/sessionId":"unheard of"}}"#;
        check_by(META, "_b", Some(params), &[]);
    }

    #[test]
    fn a_list_of_a_session_is_for_that_session() {
        let of = |session: &str| format!(r#"{{"_meta":{{"org.mini-me/sessionId":"{session}"}}}}"#);
        check_by(REQUEST, "_s", Some(&of("s")), &[]);
        check_by(REQUEST, "_b", Some(&of("s")), &[]);
        check_by(REQUEST, "_b", Some(&of("other")), &["no list"]);
        check_by(REQUEST, "_s", Some(&of("other")), &["no list"]);
        check_by(REQUEST, "_b", None, &[]);
        check_by(REQUEST, "_s", None, &["not lent"]);
        let escaped = r#"{"\ud83d":1,"_meta":{"org.mini-me/sessionId":"\u0073"}}"#;
        check_by(REQUEST, "_s", Some(escaped), &[]);
    }

    #[test]
    fn only_the_exact_method_is_a_call() {
        for method in ["_", "_A", "a", "_a/b", "session/prompt"] {
            assert_eq!(META.receive(&lent(), method, Some("{}")), Received::NotOurs);
            assert_eq!(REQUEST.receive(&lent(), method, Some("{}")), Received::NotOurs);
        }
    }

    #[test]
    fn meta_is_no_argument() {
        let params = r#"{"topic":"os","_meta":{"org.mini-me/sessionId":"s"}}"#;
        check("_a", Some(params), &[]);
        check("_a", Some(r#"{"_\u006deta":{},"topic":"os"}"#), &[]);
    }

    #[test]
    fn arguments_are_checked_against_the_schema() {
        check("_a", Some(r#"{"topic":"x"}"#), &["topic"]);
        check("_a", Some(r#"{"topic":"os","more":1}"#), &["more"]);
        check("_a", None, &["topic"]);
        check("_a", Some("null"), &["topic"]);
    }

    #[test]
    fn a_tool_that_is_not_validated_gets_any_object() {
        check("_c", Some(r#"{"topic":7}"#), &[]);
        check("_b", Some(r#"{"x":1e400}"#), &[]);
        check("_b", None, &[]);
    }

    #[test]
    fn what_is_no_object_reaches_no_handler() {
        check("_b", Some("[1]"), &["object", "array"]);
        check("_b", Some("7"), &["object", "7"]);
        check("_c", Some("\"x\""), &["object"]);
    }
}
