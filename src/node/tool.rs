//! A lent tool, told to JavaScript.

use serde_json::{Value, json};

use crate::tools::registry::{RegisteredTool, ToolIndex};
use crate::tools::schema::{dropped_keywords, stray_members};

/// What JavaScript needs to know of a tool that was just lent: `{index, modelName, method, lossy,
/// stray}`.
pub(super) fn described(index: ToolIndex, tool: &RegisteredTool) -> Value {
    let description = &tool.description;
    let schema = description.input_schema.as_ref();
    json!({
        "index": index.0,
        "modelName": description.model_name,
        "method": description.method,
        "lossy": schema.map(dropped_keywords).unwrap_or_default(),
        "stray": schema.map(stray_members).unwrap_or_default(),
    })
}
