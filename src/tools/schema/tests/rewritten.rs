//! What is left of a schema, and what moves into the descriptions of its properties.

use serde_json::json;

use super::*;

// The schema's root.

#[test]
fn a_tool_without_schema_takes_no_parameters() {
    let view = model_view(&tool(json!({})));
    assert_eq!(Value::Object(view.input_schema), json!({"type": "object", "properties": {}}));
}

#[test]
fn type_and_properties_are_always_there() {
    check(json!({}), json!({"type": "object", "properties": {}}));
    check(json!({"title": "T"}), json!({"type": "object", "properties": {}, "title": "T"}));
    check(json!({"properties": {"a": {}}}), json!({"type": "object", "properties": {"a": {}}}));
    check(
        json!({"type": "object", "properties": null}),
        json!({"properties": {}, "type": "object"}),
    );
}

#[test]
fn required_and_the_dialect_leave() {
    check(
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {}, "required": ["a"]}),
        json!({"type": "object", "properties": {}}),
    );
}

#[test]
fn additional_properties_leave_only_when_false() {
    let with =
        |value: Value| json!({"type": "object", "properties": {}, "additionalProperties": value});
    check(with(json!(false)), json!({"type": "object", "properties": {}}));
    check(with(json!(true)), with(json!(true)));
    check(with(json!({"type": "string"})), with(json!({"type": "string"})));
    check(with(json!({})), with(json!({})));
}

#[test]
fn other_keywords_stay_as_they_are_and_in_order() {
    let schema = json!({"title": "T", "type": "object", "minProperties": 1, "properties": {"b": {"minimum": 1.5}, "a": true}, "x-mine": {"enum": [1]}});
    check(schema.clone(), schema);
}

// The enum of a property.

#[test]
fn the_values_of_an_enum_are_appended_to_the_description_of_the_property() {
    check_property(
        json!({"type": "string", "description": "What to report.", "enum": ["os", "cpu"]}),
        json!({"type": "string", "description": "What to report. One of: os, cpu."}),
    );
}

#[test]
fn a_property_without_description_gets_the_sentence_alone() {
    check_property(json!({"enum": ["a"]}), json!({"description": "One of: a."}));
    check_property(json!({"description": "", "enum": ["a"]}), json!({"description": "One of: a."}));
}

#[test]
fn values_that_are_no_strings_are_json_text() {
    check_property(
        json!({"enum": [1, "two", null, true, 1.5, {"a": [1]}, ""]}),
        json!({"description": r#"One of: 1, two, null, true, 1.5, {"a":[1]}, ."#}),
    );
}

#[test]
fn an_enum_without_values_leaves_without_a_sentence() {
    check_property(json!({"type": "string", "enum": []}), json!({"type": "string"}));
    check_property(json!({"type": "string", "enum": "a"}), json!({"type": "string"}));
}

#[test]
fn a_property_that_is_a_boolean_schema_stays() {
    check_property(json!(true), json!(true));
    check_property(json!(false), json!(false));
}

// Nested nodes.

#[test]
fn the_enum_of_items_is_said_at_the_property_that_holds_them() {
    check_property(
        json!({"type": "array", "description": "Tags.", "items": {"type": "string", "enum": ["p", "q"]}}),
        json!({"type": "array", "description": "Tags. One of: p, q.", "items": {"type": "string"}}),
    );
}

#[test]
fn the_values_of_a_property_come_before_those_of_its_parts() {
    check_property(
        json!({"anyOf": [{"enum": ["b"]}, {"items": {"enum": ["c"]}}], "enum": ["a"]}),
        json!({"anyOf": [{}, {"items": {}}], "description": "One of: a. One of: b. One of: c."}),
    );
}

#[test]
fn the_nearest_named_property_gets_the_sentence() {
    check_property(
        json!({"type": "object", "properties": {"q": {"enum": [1]}}}),
        json!({"type": "object", "properties": {"q": {"description": "One of: 1."}}}),
    );
    check_property(
        json!({"items": {"properties": {"q": {"oneOf": [{"enum": [1]}]}}}}),
        json!({"items": {"properties": {"q": {"oneOf": [{}], "description": "One of: 1."}}}}),
    );
}

#[test]
fn keywords_leave_at_every_schema_node() {
    let node =
        json!({"$schema": "s", "required": ["x"], "additionalProperties": false, "title": "n"});
    let bare = json!({"title": "n"});
    let around = |node: &Value| {
        json!({
            "type": "object",
            "properties": {"a": node, "b": {"properties": {"c": node}}},
            "items": node,
            "additionalProperties": node,
            "anyOf": [node], "oneOf": [node], "allOf": [{"allOf": [node]}],
            "$defs": {"d": node}, "definitions": {"e": node}
        })
    };
    check(around(&node), around(&bare));
}

#[test]
fn the_tuple_form_of_items_is_walked_too() {
    check_property(
        json!({"items": [{"enum": [1]}, {"enum": [2]}]}),
        json!({"items": [{}, {}], "description": "One of: 1. One of: 2."}),
    );
}

#[test]
fn nodes_the_protocol_does_not_name_stay() {
    check_property(json!({"not": {"enum": [1]}}), json!({"not": {"enum": [1]}}));
    check_property(
        json!({"if": {"required": ["a"]}, "patternProperties": {"^x": {"enum": [1]}}}),
        json!({"if": {"required": ["a"]}, "patternProperties": {"^x": {"enum": [1]}}}),
    );
}

#[test]
fn additional_properties_as_a_schema_belong_to_the_property_around() {
    check_property(
        json!({"additionalProperties": {"enum": ["on", "off"]}}),
        json!({"additionalProperties": {}, "description": "One of: on, off."}),
    );
}

// Properties with the names of keywords, and data that looks like keywords.

#[test]
fn properties_called_like_keywords_are_properties() {
    check(
        json!({"type": "object", "properties": {
            "required": {"type": "string"},
            "enum": {"type": "array", "items": {"enum": ["p"]}},
            "properties": {"type": "object", "properties": {"enum": {"enum": [1]}}},
            "$schema": {"type": "string"}, "additionalProperties": {"type": "boolean"}, "$defs": {"enum": [2]}
        }}),
        json!({"type": "object", "properties": {
            "required": {"type": "string"},
            "enum": {"type": "array", "items": {}, "description": "One of: p."},
            "properties": {"type": "object", "properties": {"enum": {"description": "One of: 1."}}},
            "$schema": {"type": "string"}, "additionalProperties": {"type": "boolean"},
            "$defs": {"description": "One of: 2."}
        }}),
    );
}

#[test]
fn data_is_never_walked() {
    let data = json!({"enum": [1], "required": ["a"], "properties": {"a": {"enum": [2]}}, "additionalProperties": false});
    check_property(
        json!({"default": data, "const": data, "examples": [data]}),
        json!({"default": data, "const": data, "examples": [data]}),
    );
    check_property(
        json!({"enum": [{"enum": [1], "required": []}]}),
        json!({"description": r#"One of: {"enum":[1],"required":[]}."#}),
    );
}

#[test]
fn names_in_definitions_are_no_properties() {
    check(
        json!({"properties": {}, "type": "object", "$defs": {"color": {"enum": ["red"]}, "o": {"properties": {"p": {"enum": [1]}}}}}),
        json!({"properties": {}, "type": "object", "$defs": {"color": {}, "o": {"properties": {"p": {"description": "One of: 1."}}}}}),
    );
    check_property(
        json!({"definitions": {"color": {"enum": ["red"]}}}),
        json!({"definitions": {"color": {}}}),
    );
}
