//! `tools/call`: from its params to those a handler's side reads, which are the same as mm's.

use std::borrow::Cow;

use crate::carrier::members::Members;
use crate::tools::name::CLIENT_PREFIX;
use crate::tools::registry::{RegisteredTool, Registry, ToolIndex};
use crate::wire::encode::string;

/// Names the session in the `_meta` of a call.
const META_SESSION: &str = "org.mini-me/sessionId";

/// A call of a tool that is in the list.
pub(super) struct Call<'a> {
    pub(super) index: ToolIndex,
    tool: &'a RegisteredTool,
    arguments: &'a str,
    meta: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// Reads the params of a call; the error is what is wrong with them.
    pub(super) fn read(list: &'a Registry, params: &Members<'a>) -> Result<Self, String> {
        let Some(name) = params.get("name").and_then(text) else {
            return Err("tools/call: expected the name of a tool".to_owned());
        };
        let found = list.by_model_name(&format!("{CLIENT_PREFIX}{name}"));
        let Some((index, tool)) = found else {
            return Err(format!("Unknown tool: {name}"));
        };
        let arguments = params.get("arguments").filter(|arguments| *arguments != "null");
        let meta = params.get("_meta").filter(|meta| meta.starts_with('{'));
        Ok(Self { index, tool, arguments: arguments.unwrap_or("{}"), meta })
    }

    /// Checks the arguments; the error is for the model to read.
    pub(super) fn check(&self) -> Result<(), String> {
        if !self.arguments.starts_with('{') {
            let is_array = self.arguments.starts_with('[');
            let came = if is_array { "an array" } else { self.arguments };
            return Err(format!("arguments: expected a JSON object, got {came}"));
        }
        self.tool.check.as_ref().map_or(Ok(()), |check| check.check_text(self.arguments))
    }

    /// The arguments with `_meta` beside them, as mm sends them. It is the last member, and the session
    /// the last of its own: what an agent sends under these names counts for nothing.
    pub(super) fn params(&self, session: Option<&str>) -> String {
        let session = session.map_or(Cow::Borrowed("null"), |session| string(session).into());
        let meta = with_member(self.meta.unwrap_or("{}"), META_SESSION, &session);
        let arguments = if self.arguments.starts_with('{') { self.arguments } else { "{}" };
        with_member(arguments, "_meta", &meta)
    }
}

/// The string a JSON text is.
pub(super) fn text(json: &str) -> Option<String> {
    serde_json::from_str(json).ok()
}

/// An object's JSON text with one more member at its end.
fn with_member(object: &str, name: &str, value: &str) -> String {
    let members = object.strip_suffix('}').unwrap_or("{").trim_end();
    let comma = if members.ends_with('{') && members.len() == 1 { "" } else { "," };
    format!("{members}{comma}\"{name}\":{value}}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(params: &str, session: Option<&str>, expected: &Value) {
        let mut list = Registry::new("test");
        list.add(&json!({ "name": "echo", "inputSchema": { "type": "object" } })).unwrap();
        let params = serde_json::from_str(params).unwrap();
        let params = Call::read(&list, &params).unwrap().params(session);
        assert_eq!(&serde_json::from_str::<Value>(&params).unwrap(), expected, "{params}");
    }

    #[test]
    fn arguments_travel_as_they_came_with_the_session_beside_them() {
        check(
            r#"{"name":"echo","arguments":{ "a": 1 },"_meta":{"progressToken":3}}"#,
            Some("s\"1"),
            &json!({ "a": 1, "_meta": { "progressToken": 3, "org.mini-me/sessionId": "s\"1" } }),
        );
    }

    #[test]
    fn no_arguments_are_an_empty_object() {
        let expected = json!({ "_meta": { "org.mini-me/sessionId": null } });
        for params in [
            r#"{"name":"echo"}"#,
            r#"{"name":"echo","arguments":null}"#,
            r#"{"name":"echo","arguments":{ }}"#,
            r#"{"name":"echo","arguments":{},"_meta":7}"#,
        ] {
            check(params, None, &expected);
        }
    }

    #[test]
    fn an_agent_cannot_name_another_session() {
        check(
            r#"{"name":"echo","arguments":{"_meta":{"org.mini-me/sessionId":"other"}},"_meta":{"org.mini-me/sessionId":"other"}}"#,
            Some("mine"),
            &json!({ "_meta": { "org.mini-me/sessionId": "mine" } }),
        );
        check(
            r#"{"name":"echo","_meta":{"org.mini-me\/sessionId":"other"}}"#,
            None,
            &json!({ "_meta": { "org.mini-me/sessionId": null } }),
        );
    }
}
