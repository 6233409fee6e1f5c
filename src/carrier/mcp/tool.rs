//! A tool as `tools/list` has it.

use serde_json::{Map, Value, json};

use crate::tools::description::ToolDescription;
use crate::tools::name::CLIENT_PREFIX;
use crate::tools::schema::ModelTool;

/// What an agent calls the tool, before it puts the server's name in front: the model name without
/// `client_`.
#[must_use]
pub fn name(tool: &ToolDescription) -> &str {
    tool.model_name.strip_prefix(CLIENT_PREFIX).unwrap_or(&tool.model_name)
}

/// The schema as it was given. MCP wants it to be there, and to say `type`.
#[must_use]
pub fn input_schema(tool: &ToolDescription) -> Map<String, Value> {
    let mut schema = tool.input_schema.clone().unwrap_or_default();
    if !schema.contains_key("type") {
        schema.shift_insert(0, "type".to_owned(), "object".into());
    }
    schema
}

/// The entry of `tools/list`. The `_meta` asks an agent that hides most tools behind a search to show
/// this one from the start.
#[must_use]
pub fn listed(tool: &ToolDescription) -> Value {
    let mut entry = json!({ "name": name(tool) });
    if let (Some(members), Some(text)) = (entry.as_object_mut(), &tool.description) {
        members.insert("description".to_owned(), text.as_str().into());
    }
    if let Some(members) = entry.as_object_mut() {
        members.insert("inputSchema".to_owned(), input_schema(tool).into());
        members.insert("_meta".to_owned(), json!({ "anthropic/alwaysLoad": true }));
    }
    entry
}

/// What a model sees of it, as far as it can be known here.
#[must_use]
pub fn model_view(tool: &ToolDescription) -> ModelTool {
    ModelTool {
        name: name(tool).to_owned(),
        description: tool.description.clone().unwrap_or_default(),
        input_schema: input_schema(tool),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::registry::Registry;

    #[track_caller]
    fn check(definition: &Value, expected: &Value) {
        let mut registry = Registry::new("test");
        let index = registry.add(definition).unwrap();
        assert_eq!(&listed(&registry.get(index).unwrap().description), expected);
    }

    #[test]
    fn a_tool_is_listed_under_its_munged_name_with_its_schema_as_it_was_given() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": { "topic": { "enum": ["os", "cpu"] } },
            "required": ["topic"],
            "additionalProperties": false,
        });
        check(
            &json!({ "name": "open buffers", "description": "Lists them.", "inputSchema": schema }),
            &json!({
                "name": "open_buffers",
                "description": "Lists them.",
                "inputSchema": schema,
                "_meta": { "anthropic/alwaysLoad": true },
            }),
        );
    }

    #[test]
    fn a_tool_without_schema_is_listed_with_that_of_any_object() {
        let expected = json!({
            "name": "bare",
            "inputSchema": { "type": "object" },
            "_meta": { "anthropic/alwaysLoad": true },
        });
        check(&json!({ "name": "bare" }), &expected);
    }
}
