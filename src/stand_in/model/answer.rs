//! What is said: the answer from the results, or why there is none. Knows nothing of how a call came
//! about.

use super::arguments::Missing;
use super::{CallResult, ModelCall};
use crate::tools::description::ToolDescription;
use crate::tools::schema::model_view;

/// The chunks of the one text that holds all results.
pub(super) fn from_results(calls: &[(ModelCall, CallResult)]) -> Vec<String> {
    let lead = if calls.len() == 1 { "The tool answered:" } else { "The tools answered:" };
    let lines = calls.iter().map(|(call, result)| {
        let failed = if result.is_failed { " failed" } else { "" };
        format!("\n{}{failed}: {}", label(call), result.text)
    });
    std::iter::once(lead.to_owned()).chain(lines).collect()
}

/// What a result is about: the values it was asked with, else the tool.
fn label(call: &ModelCall) -> String {
    let values: Vec<String> = call
        .arguments
        .values()
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .collect();
    if values.is_empty() { call.tool.clone() } else { values.join(", ") }
}

/// Why nothing was called.
pub(super) fn without_calls(
    tools: &[ToolDescription],
    missing: Option<(&str, &Missing)>,
) -> String {
    if tools.is_empty() {
        return "I have no tools in this session, so I cannot tell.".to_owned();
    }
    if let Some((tool, missing)) = missing {
        let choices = match missing.choices.as_slice() {
            [] => String::new(),
            choices => format!(" (one of: {})", choices.join(", ")),
        };
        return format!("To call {tool} I need its {}{choices}.", missing.parameter);
    }
    let lines: String = tools.iter().map(line).collect();
    format!(
        "Nothing in the question matches a tool. Ask with a tool's name, or with more words of its \
         description. I have:{lines}"
    )
}

fn line(tool: &ToolDescription) -> String {
    let view = model_view(tool);
    format!("\n{}: {}", view.name, view.description)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn called(arguments: &Value, text: &str, is_failed: bool) -> (ModelCall, CallResult) {
        let arguments = arguments.as_object().cloned().unwrap();
        let call = ModelCall { tool: "client_x".into(), arguments };
        (call, CallResult { text: text.into(), is_failed })
    }

    #[test]
    fn an_answer_holds_every_result_in_one_text_of_several_chunks() {
        let chunks = from_results(&[
            called(&json!({ "topic": "a", "n": 2 }), "first", false),
            called(&json!({}), "second", true),
        ]);
        assert_eq!(chunks, ["The tools answered:", "\na, 2: first", "\nclient_x failed: second"]);
    }

    #[test]
    fn one_result_is_one_tool() {
        assert_eq!(
            from_results(&[called(&json!({}), "pong", false)]).concat(),
            "The tool answered:\nclient_x: pong"
        );
    }

    #[test]
    fn without_a_match_the_tools_are_listed() {
        let tool = ToolDescription::parse(&json!({ "name": "ping", "method": "_p" })).unwrap();
        let text = without_calls(&[tool], None);
        assert!(text.contains("client_ping"), "{text}");
        assert!(without_calls(&[], None).contains("no tools"));
    }

    #[test]
    fn what_is_missing_is_asked_for() {
        let tool = ToolDescription::parse(&json!({ "name": "ping", "method": "_p" })).unwrap();
        let missing = Missing { parameter: "host".into(), choices: vec!["a".into(), "b".into()] };
        let text = without_calls(&[tool], Some(("client_ping", &missing)));
        assert_eq!(text, "To call client_ping I need its host (one of: a, b).");
    }
}
