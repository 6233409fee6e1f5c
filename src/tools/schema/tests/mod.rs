//! The rules of the model's view as tables: a tool, and what a model sees of it.

use serde_json::{Value, json};

use super::*;

mod rewritten;
mod told;

fn tool(members: Value) -> ToolDescription {
    let mut entry = json!({"name": "t", "method": "_t"});
    entry.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    ToolDescription::parse(&entry).unwrap()
}

/// Compares the text, so that the order of keys counts.
#[track_caller]
fn check(schema: Value, expected: Value) {
    let view = model_view(&tool(json!({"inputSchema": schema})));
    assert_eq!(Value::Object(view.input_schema).to_string(), expected.to_string());
}

/// Checks what becomes of one property `p`.
#[track_caller]
fn check_property(schema: Value, expected: Value) {
    check(
        json!({"type": "object", "properties": {"p": schema}}),
        json!({"type": "object", "properties": {"p": expected}}),
    );
}

#[track_caller]
fn check_description(members: Value, expected: &str) {
    assert_eq!(model_view(&tool(members)).description, expected);
}

#[track_caller]
fn check_dropped(schema: Value, expected: &[&str]) {
    assert_eq!(dropped_keywords(schema.as_object().unwrap()), expected);
}
