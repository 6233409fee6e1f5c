//! A tool as a model sees it: mm takes keywords out of the schema and says some of them in words. Knows
//! nothing of how a schema is checked. (`docs/protocol.md`, "The schema as the model sees it")

use serde::Serialize;
use serde_json::{Map, Value};

use super::description::ToolDescription;

mod keywords;
mod rewrite;
#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "tables of json!() values read better without &")]
mod tests;

pub use keywords::{is_list_of_properties, stray_members};

/// A tool as a model is shown it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelTool {
    /// What a model calls it.
    pub name: String,
    /// The author's description, or one that names the method, then the required parameters.
    pub description: String,
    /// The rewritten schema; `type` and `properties` are always there.
    pub input_schema: Map<String, Value>,
}

/// Returns what a model is shown of a tool.
#[must_use]
pub fn model_view(tool: &ToolDescription) -> ModelTool {
    let mut description = match tool.description.as_deref() {
        // An agent in Go reads an absent and an empty description as the same.
        None | Some("") => format!("Tool provided by the editor ({}).", tool.method),
        Some(text) => text.to_owned(),
    };
    let required = required_parameters(tool);
    if !required.is_empty() {
        description.push_str(" Required parameters: ");
        description.push_str(&required.join(", "));
    }
    let mut input_schema = tool
        .input_schema
        .as_ref()
        .map(|schema| rewrite::rewrite(schema).schema)
        .unwrap_or_default();
    if !input_schema.get("properties").is_some_and(Value::is_object) {
        input_schema.shift_insert(0, "properties".to_owned(), Value::Object(Map::new()));
    }
    if !input_schema.contains_key("type") {
        input_schema.shift_insert(0, "type".to_owned(), "object".into());
    }
    ModelTool { name: tool.model_name.clone(), description, input_schema }
}

/// Returns the parameters a call must have: `required` of the schema's root, and of no other node.
#[must_use]
pub fn required_parameters(tool: &ToolDescription) -> Vec<String> {
    let required = tool.input_schema.as_ref().and_then(|schema| schema.get("required"));
    let names = required.and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the required parameters that a call lacks. A parameter that is `null` is there.
#[must_use]
pub fn missing_parameters(tool: &ToolDescription, arguments: &Map<String, Value>) -> Vec<String> {
    let mut required = required_parameters(tool);
    required.retain(|name| !arguments.contains_key(name));
    required
}

/// Returns JSON pointers to what leaves the schema without a sentence, so that a model learns of it only
/// from a refused call: nested `required`, and `enum` outside of any named property.
///
/// `$schema` and `additionalProperties: false` are not told: they leave every schema, and a model that
/// adds parameters of its own is rare.
#[must_use]
pub fn dropped_keywords(schema: &Map<String, Value>) -> Vec<String> {
    rewrite::rewrite(schema).dropped
}
