//! What the client says it can do, in `initialize`. Source: `docs/protocol.md`, "Discovery".

use serde_json::{Map, Value, json};

use super::names::META_TOOLS;

/// How the tools are told to the agent.
#[derive(Debug, Clone, PartialEq)]
pub enum Tools {
    /// The list itself, for all sessions of the connection; the key is left out when it is empty.
    List(Vec<Value>),
    /// `true`: the agent asks for a list at each opening.
    OnRequest,
    /// Nothing: tools travel by another carrier.
    Untold,
}

/// What the program gave handlers for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one capability of the protocol")]
pub struct Offers {
    /// Answers `fs/read_text_file`.
    pub read_text_file: bool,
    /// Answers `fs/write_text_file`.
    pub write_text_file: bool,
    /// Answers `terminal/*`.
    pub terminal: bool,
    /// Answers `elicitation/create` in form mode.
    pub elicitation_form: bool,
    /// Answers `elicitation/create` in URL mode.
    pub elicitation_url: bool,
}

/// `clientCapabilities`: what is offered, the tools, and on top the program's own members, merged
/// deeply: an object is merged member by member, anything else replaces.
#[must_use]
pub fn client_capabilities(
    offers: Offers,
    tools: Tools,
    extra: Option<Map<String, Value>>,
) -> Value {
    let mut capabilities = json!({
        "fs": { "readTextFile": offers.read_text_file, "writeTextFile": offers.write_text_file },
        "terminal": offers.terminal,
        "session": { "configOptions": { "boolean": {} } },
    });
    let mut additions = Map::new();
    let mut elicitation = Map::new();
    if offers.elicitation_form {
        elicitation.insert("form".into(), json!({}));
    }
    if offers.elicitation_url {
        elicitation.insert("url".into(), json!({}));
    }
    if !elicitation.is_empty() {
        additions.insert("elicitation".into(), elicitation.into());
    }
    let told = match tools {
        Tools::List(list) if list.is_empty() => None,
        Tools::List(list) => Some(Value::Array(list)),
        Tools::OnRequest => Some(Value::Bool(true)),
        Tools::Untold => None,
    };
    if let Some(told) = told {
        additions.insert("_meta".into(), json!({ META_TOOLS: told }));
    }
    merge(&mut capabilities, additions.into());
    merge(&mut capabilities, extra.unwrap_or_default().into());
    capabilities
}

fn merge(target: &mut Value, source: Value) {
    match (target, source) {
        (Value::Object(target), Value::Object(source)) => {
            for (name, value) in source {
                merge(target.entry(name).or_insert(Value::Null), value);
            }
        }
        (target, source) => *target = source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(offers: Offers, tools: Tools, extra: &Value, expected: Value) {
        let extra = extra.as_object().cloned();
        let mut all = json!({
            "fs": { "readTextFile": false, "writeTextFile": false },
            "terminal": false,
            "session": { "configOptions": { "boolean": {} } },
        });
        merge(&mut all, expected);
        assert_eq!(client_capabilities(offers, tools, extra), all);
    }

    #[test]
    fn nothing_is_offered_that_has_no_handler() {
        check(Offers::default(), Tools::List(vec![]), &Value::Null, json!({}));
        check(Offers::default(), Tools::Untold, &Value::Null, json!({}));
    }

    #[test]
    fn each_handler_is_offered_by_itself() {
        let offers = Offers { write_text_file: true, elicitation_url: true, ..Offers::default() };
        check(
            offers,
            Tools::Untold,
            &Value::Null,
            json!({ "fs": { "writeTextFile": true }, "elicitation": { "url": {} } }),
        );
        let offers = Offers {
            read_text_file: true,
            terminal: true,
            elicitation_form: true,
            ..Offers::default()
        };
        check(
            offers,
            Tools::Untold,
            &Value::Null,
            json!({ "fs": { "readTextFile": true }, "terminal": true, "elicitation": { "form": {} } }),
        );
    }

    #[test]
    fn tools_are_a_list_or_true() {
        check(
            Offers::default(),
            Tools::List(vec![json!({"name":"a"})]),
            &Value::Null,
            json!({ "_meta": { "org.mini-me/tools": [{"name":"a"}] } }),
        );
        check(
            Offers::default(),
            Tools::OnRequest,
            &Value::Null,
            json!({ "_meta": { "org.mini-me/tools": true } }),
        );
    }

    #[test]
    fn the_programs_own_members_are_merged_deeply() {
        check(
            Offers::default(),
            Tools::OnRequest,
            &json!({ "_meta": { "x": 1 }, "fs": { "readTextFile": true }, "auth": { "terminal": true } }),
            json!({
                "_meta": { "org.mini-me/tools": true, "x": 1 },
                "fs": { "readTextFile": true },
                "auth": { "terminal": true },
            }),
        );
    }
}
