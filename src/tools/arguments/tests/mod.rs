//! The check of arguments: what a model reads, which schemas can be used, and arguments as text.

use serde_json::json;

use super::*;

mod schemas;
mod text;
mod words;

fn compile(schema: &Value) -> Result<ArgumentCheck, String> {
    ArgumentCheck::compile(schema.as_object().unwrap())
}

#[track_caller]
fn check(schema: Value, arguments: Value, expected: &[&str]) {
    let lines = compile(&schema).unwrap().check(&arguments).err().unwrap_or_default();
    assert_eq!(lines.lines().collect::<Vec<_>>(), expected, "{schema} <- {arguments}");
}

/// Checks one property `p` of the schema `schema`.
#[track_caller]
fn check_property(schema: Value, value: Value, expected: &[&str]) {
    check(json!({"properties": {"p": schema}}), json!({"p": value}), expected);
}

#[track_caller]
fn check_text(schema: Value, text: &str, expected: Result<(), &str>) {
    let told = compile(&schema).unwrap().check_text(text);
    assert_eq!(told.as_ref().map_err(String::as_str).copied(), expected);
}

#[track_caller]
fn check_refused(schema: Value, expected: &str) {
    assert_eq!(compile(&schema).unwrap_err(), expected, "{schema}");
}
