//! A lent tool, as JavaScript gives it and is told of it.

use napi::bindgen_prelude::Result;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::error::{to_napi, unreadable};
use crate::client::Failure;
use crate::tools::definition::check_levels;
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

/// Reads the definition of a tool.
pub(super) fn definition(json: &str) -> Result<Value> {
    check_levels(json).map_err(|flaw| to_napi(Failure::Tool(flaw)))?;
    serde_json::from_str(json).map_err(unreadable)
}

/// Reads an array of definitions.
pub(super) fn definitions(json: &str) -> Result<Vec<Value>> {
    let texts: Vec<&RawValue> = serde_json::from_str(json).map_err(unreadable)?;
    texts.into_iter().map(|text| definition(text.get())).collect()
}
