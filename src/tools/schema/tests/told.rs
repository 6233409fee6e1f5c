//! What a tool's description says, what is lost, and what a call lacks.

use serde_json::json;

use super::*;

// The tool's description.

#[test]
fn a_tool_without_description_gets_one_that_names_its_method() {
    check_description(json!({}), "Tool provided by the editor (_t).");
    check_description(json!({"description": ""}), "Tool provided by the editor (_t).");
}

#[test]
fn required_parameters_are_appended_one_space_before_and_no_full_stop_after() {
    let schema = json!({"required": ["a", "b"]});
    check_description(
        json!({"description": "Does it.", "inputSchema": schema}),
        "Does it. Required parameters: a, b",
    );
    check_description(
        json!({"description": "Does it", "inputSchema": schema}),
        "Does it Required parameters: a, b",
    );
    check_description(
        json!({"inputSchema": schema}),
        "Tool provided by the editor (_t). Required parameters: a, b",
    );
}

#[test]
fn an_empty_required_adds_nothing() {
    check_description(json!({"description": "D.", "inputSchema": {"required": []}}), "D.");
}

#[test]
fn required_that_is_no_list_of_names_is_passed_over() {
    check_description(json!({"description": "D.", "inputSchema": {"required": true}}), "D.");
    check_description(
        json!({"description": "D.", "inputSchema": {"required": [1, "a"]}}),
        "D. Required parameters: a",
    );
}

#[test]
fn only_the_required_of_the_root_is_in_the_description() {
    let schema = json!({"required": ["a"], "properties": {"a": {"required": ["b"]}}, "allOf": [{"required": ["c"]}]});
    check_description(
        json!({"description": "D.", "inputSchema": schema}),
        "D. Required parameters: a",
    );
}

// What is lost.

#[test]
fn a_schema_whose_keywords_are_all_said_loses_nothing() {
    check_dropped(
        json!({"$schema": "s", "required": ["a"], "additionalProperties": false, "properties": {"a": {"enum": [1]}, "b": {"items": {"enum": [2]}, "required": []}}}),
        &[],
    );
}

#[test]
fn nested_required_is_lost() {
    check_dropped(
        json!({"properties": {"a": {"required": ["x"]}}, "allOf": [{"required": ["y"]}], "items": {"required": true}}),
        &["/properties/a/required", "/allOf/0/required", "/items/required"],
    );
}

#[test]
fn an_enum_outside_of_any_property_is_lost() {
    check_dropped(json!({"enum": [{}], "anyOf": [{"enum": [1]}]}), &["/enum", "/anyOf/0/enum"]);
    check_dropped(json!({"$defs": {"color": {"enum": ["red"]}}}), &["/$defs/color/enum"]);
    check_dropped(json!({"additionalProperties": {"enum": [1]}}), &["/additionalProperties/enum"]);
    check_dropped(json!({"properties": {"a": {"enum": []}}}), &["/properties/a/enum"]);
}

#[test]
fn a_pointer_escapes_what_pointers_escape() {
    check_dropped(
        json!({"properties": {"a/b~c": {"required": ["x"]}}}),
        &["/properties/a~1b~0c/required"],
    );
}

// What a call lacks.

#[track_caller]
fn check_missing(arguments: Value, expected: &[&str]) {
    let tool =
        tool(json!({"inputSchema": {"properties": {"a": {}, "b": {}}, "required": ["a", "b"]}}));
    assert_eq!(missing_parameters(&tool, arguments.as_object().unwrap()), expected);
}

#[test]
fn parameters_that_are_not_there_are_missing_in_the_order_of_the_schema() {
    check_missing(json!({"x": 1}), &["a", "b"]);
    check_missing(json!({"b": 1}), &["a"]);
}

#[test]
fn a_parameter_that_is_null_is_there() {
    check_missing(json!({"a": 1, "b": null}), &[]);
}

// The recorded dialogue `schema-as-the-model-sees-it`.

#[test]
fn the_recorded_tool_is_shown_as_the_specification_says() {
    let entry = json!({
        "name": "full", "method": "_f", "description": "Does it.",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema", "additionalProperties": false, "required": ["a", "b"],
            "properties": {
                "a": {"type": "string", "enum": ["x", "y"], "description": "Pick."},
                "b": {"enum": [1, "two"]},
                "c": {"type": "object", "properties": {
                    "required": {"type": "string"},
                    "enum": {"type": "array", "items": {"type": "string", "enum": ["p", "q"]}}
                }}
            }
        }
    });
    let view = model_view(&ToolDescription::parse(&entry).unwrap());
    let expected = json!({
        "name": "client_full",
        "description": "Does it. Required parameters: a, b",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": "string", "description": "Pick. One of: x, y."},
                "b": {"description": "One of: 1, two."},
                "c": {"type": "object", "properties": {
                    "required": {"type": "string"},
                    "enum": {"type": "array", "items": {"type": "string"}, "description": "One of: p, q."}
                }}
            }
        }
    });
    assert_eq!(serde_json::to_value(view).unwrap(), expected);
}
