//! What a model reads when its arguments do not fit.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn arguments_that_fit_pass() {
    let schema = json!({"type": "object", "properties": {"topic": {"enum": ["os", "cpu"]}}, "required": ["topic"]});
    check(schema, json!({"topic": "os", "more": 1}), &[]);
    check(json!({}), json!({}), &[]);
}

#[test]
fn each_flaw_has_a_line_with_its_path() {
    let schema = json!({
        "properties": {"topic": {"enum": ["os", "cpu"]}, "n": {"type": "integer", "minimum": 3}},
        "required": ["topic", "x"],
        "additionalProperties": false
    });
    check(
        schema,
        json!({"n": 1.5, "topic": "disk", "y": {"q": 1}}),
        &[
            "x: expected a value because it is required, got nothing",
            "n: expected an integer, got 1.5",
            "n: expected at least 3, got 1.5",
            r#"topic: expected one of "os", "cpu", got "disk""#,
            r#"y: expected no such property, got {"q":1}"#,
        ],
    );
}

#[test]
fn a_path_is_written_as_javascript_writes_it() {
    let schema = json!({"additionalProperties": {"type": "array", "items": {"additionalProperties": {"type": "null"}}}});
    check(schema.clone(), json!({"list": [{}, {"$a": 1}]}), &["list[1].$a: expected null, got 1"]);
    check(
        schema.clone(),
        json!({"odd name": [{"a.b": 1}]}),
        &[r#"["odd name"][0]["a.b"]: expected null, got 1"#],
    );
    check(schema, json!({"two\nlines": 5}), &[r#"["two\nlines"]: expected an array, got 5"#]);
}

#[test]
fn a_flaw_of_the_whole_is_about_the_arguments() {
    check(
        json!({"minProperties": 2}),
        json!({"a": 1}),
        &["arguments: expected at least 2 properties, got 1"],
    );
    check(json!({"type": "object"}), json!([]), &["arguments: expected an object, got []"]);
}

#[test]
fn types_are_named_with_their_article() {
    check_property(
        json!({"type": ["string", "null"]}),
        json!(5),
        &["p: expected null or a string, got 5"],
    );
    check_property(json!({"type": "array"}), json!("x"), &[r#"p: expected an array, got "x""#]);
    check_property(json!({"type": "boolean"}), json!(null), &["p: expected a boolean, got null"]);
}

#[test]
fn numbers_are_told_their_bounds() {
    check_property(json!({"maximum": 3}), json!(4), &["p: expected at most 3, got 4"]);
    check_property(json!({"exclusiveMaximum": 3}), json!(3), &["p: expected less than 3, got 3"]);
    check_property(json!({"exclusiveMinimum": 3}), json!(3), &["p: expected more than 3, got 3"]);
    check_property(json!({"multipleOf": 2}), json!(3), &["p: expected a multiple of 2, got 3"]);
}

#[test]
fn texts_are_told_their_length_and_pattern() {
    check_property(
        json!({"maxLength": 2}),
        json!("ééé"),
        &[r#"p: expected at most 2 characters, got 3 in "ééé""#],
    );
    check_property(
        json!({"minLength": 1}),
        json!(""),
        &[r#"p: expected at least 1 character, got 0 in """#],
    );
    check_property(
        json!({"pattern": "^a+$"}),
        json!("b"),
        &[r#"p: expected text that matches ^a+$, got "b""#],
    );
}

#[test]
fn lists_are_told_their_length_and_items() {
    check_property(json!({"maxItems": 1}), json!([1, 2]), &["p: expected at most 1 item, got 2"]);
    check_property(json!({"minItems": 2}), json!([]), &["p: expected at least 2 items, got 0"]);
    check_property(
        json!({"uniqueItems": true}),
        json!([1, 1]),
        &["p: expected items that all differ, got [1,1]"],
    );
    check_property(
        json!({"prefixItems": [{}], "items": false}),
        json!([1, 2]),
        &["p[1]: expected no value, got 2"],
    );
}

#[test]
fn objects_are_told_their_names() {
    let schema = json!({"propertyNames": {"maxLength": 1}});
    check_property(
        schema,
        json!({"ab": 1}),
        &[r#"p: expected property names to be at most 1 character, got "ab""#],
    );
    check(
        json!({"unevaluatedProperties": false}),
        json!({"a": 1}),
        &["a: expected no such property, got 1"],
    );
    check(
        json!({"dependentRequired": {"a": ["b"]}}),
        json!({"a": 1}),
        &["b: expected a value because it is required, got nothing"],
    );
}

#[test]
fn an_object_that_may_have_no_members_is_told_each_of_them() {
    let schema = json!({"properties": {}, "additionalProperties": false});
    check(
        schema.clone(),
        json!({"a": 1, "b/~c": {}}),
        &["a: expected no such property, got 1", r#"["b/~c"]: expected no such property, got {}"#],
    );
    check_property(schema, json!({"a": {}}), &["p.a: expected no such property, got {}"]);
    check_property(json!(false), json!({"a": 1}), &[r#"p: expected no value, got {"a":1}"#]);
}

#[test]
fn constants_negations_and_false_are_put_into_words() {
    check_property(json!({"const": {"a": 1}}), json!(1), &[r#"p: expected {"a":1}, got 1"#]);
    check_property(
        json!({"not": {"type": "string"}}),
        json!("s"),
        &[r#"p: expected anything but {"type":"string"}, got "s""#],
    );
    check_property(json!(false), json!(1), &["p: expected no value, got 1"]);
}

#[test]
fn alternatives_are_told_by_what_each_asks_for_first() {
    let schema = json!({"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "string"}]});
    check_property(schema, json!(5), &["p: expected a string, or null, got 5"]);
    let schema = json!({"oneOf": [{"type": "string"}, {"properties": {"k": {"type": "number"}}, "required": ["k"]}]});
    check_property(
        schema.clone(),
        json!({}),
        &[r#"p: expected a string, or the property "k", got {}"#],
    );
    check_property(
        schema,
        json!({"k": "s"}),
        &[r#"p: expected a string, or p.k to be a number, got {"k":"s"}"#],
    );
}

#[test]
fn alternatives_over_eight_are_counted() {
    let alternatives: Vec<Value> = (0..11).map(|limit| json!({"const": limit})).collect();
    check_property(
        json!({"oneOf": alternatives}),
        json!("x"),
        &[
            "p: expected 0, or 1, or 2, or 3, or 4, or 5, or 6, or 7, or one of 3 more alternatives, got \"x\"",
        ],
    );
}

#[test]
fn alternatives_within_alternatives_are_told_two_levels_deep() {
    let schema = json!({"anyOf": [{"const": 1}, {"anyOf": [{"const": 2}, {"anyOf": [{"const": 3}, {"const": 4}]}]}]});
    check_property(
        schema,
        json!("x"),
        &[r#"p: expected 1, or 2, or a value that fits one of the alternatives, got "x""#],
    );
}

#[test]
fn a_value_that_fits_several_of_one_of_is_told_so() {
    let schema = json!({"oneOf": [{"type": "string"}, {"minLength": 1}]});
    check_property(
        schema,
        json!("b"),
        &[r#"p: expected a value that fits only one of the alternatives, got "b""#],
    );
}

// Bounds.

#[test]
fn a_long_enumeration_is_cut_short() {
    let schema = json!({"enum": (0..20).collect::<Vec<_>>()});
    check_property(
        schema,
        json!("x"),
        &[r#"p: expected one of 0, 1, 2, 3, 4, 5, 6, 7 or 12 more, got "x""#],
    );
}

#[test]
fn ten_lines_are_given_and_the_rest_is_counted() {
    let arguments: Map<String, Value> =
        (0..13).map(|index| (format!("k{index}"), json!(1))).collect();
    let told = compile(&json!({"additionalProperties": false}))
        .unwrap()
        .check(&Value::Object(arguments))
        .unwrap_err();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), MAX_COMPLAINTS + 1);
    assert_eq!(lines[9], "k9: expected no such property, got 1");
    assert_eq!(lines[10], "... and 3 more");
}

#[test]
fn ten_flaws_need_no_count() {
    let arguments: Map<String, Value> =
        (0..10).map(|index| (format!("k{index}"), json!(1))).collect();
    let told = compile(&json!({"additionalProperties": false}))
        .unwrap()
        .check(&Value::Object(arguments))
        .unwrap_err();
    assert_eq!(told.lines().count(), 10);
    assert!(!told.contains("more"), "{told}");
}

#[test]
fn values_paths_and_expectations_of_any_size_give_short_lines() {
    let long = "x".repeat(100_000);
    let schema = json!({"additionalProperties": {"enum": vec![format!("{long}1"), format!("{long}2"), long.clone()]}});
    let nested = json!({long.clone(): {long.clone(): long.clone()}});
    let told = compile(&schema).unwrap().check(&nested).unwrap_err();
    assert!(told.chars().count() <= MAX_COMPLAINT + 1, "{} characters", told.chars().count());
}

proptest! {
    #[test]
    fn a_refused_value_always_gives_at_least_one_short_line(name in any::<String>(), text in any::<String>()) {
        let check = compile(&json!({"additionalProperties": {"type": "integer"}})).unwrap();
        let told = check.check(&json!({ name: text })).unwrap_err();
        prop_assert!(told.contains(": expected an integer, got "));
        prop_assert_eq!(told.split('\n').count(), 1);
    }
}
