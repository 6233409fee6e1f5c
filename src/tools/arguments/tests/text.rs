//! Arguments that are still text.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn text_is_checked_as_the_value_it_holds() {
    let schema = json!({"properties": {"a": {"type": "string"}}});
    check_text(schema.clone(), r#" {"a":"x"} "#, Ok(()));
    check_text(schema, r#"{"a":1}"#, Err("a: expected a string, got 1"));
}

#[test]
fn half_a_surrogate_pair_is_a_character() {
    check_text(json!({"properties": {"a": {"maxLength": 1}}}), r#"{"a":"\ud800"}"#, Ok(()));
}

fn nested(levels: usize) -> String {
    format!(r#"{{"a":{}{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1))
}

#[test]
fn text_nested_too_deep_is_told_so() {
    check_text(json!({}), &nested(MAX_ARGUMENT_DEPTH), Ok(()));
    let expected =
        "arguments: expected at most 127 levels of nesting, got more at line 1 column 132";
    check_text(json!({}), &nested(MAX_ARGUMENT_DEPTH + 1), Err(expected));
    assert!(compile(&json!({})).unwrap().check_text(&nested(100_000)).is_err());
}

#[test]
fn a_number_beyond_a_double_is_told_so() {
    let expected =
        "arguments: expected numbers up to 1.8e308, got a larger one at line 1 column 10";
    check_text(json!({}), r#"{"n":1e400}"#, Err(expected));
}

#[test]
fn text_that_is_no_json_is_told_so() {
    let told = compile(&json!({})).unwrap().check_text("{").unwrap_err();
    assert!(told.starts_with("arguments: expected JSON, got "), "{told}");
}

#[test]
fn the_deepest_arguments_pass_through_a_recursive_schema() {
    let arguments =
        format!("{}1{}", r#"{"next":"#.repeat(MAX_ARGUMENT_DEPTH), "}".repeat(MAX_ARGUMENT_DEPTH));
    let check = compile(&json!({"type": "object", "properties": {"next": {"$ref": "#"}}})).unwrap();
    let told = check.check_text(&arguments).unwrap_err();
    assert!(told.ends_with(": expected an object, got 1"), "{told}");
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        let check = compile(&json!({"properties": {"a": {"type": "string"}}})).unwrap();
        let _told = check.check_text(&text);
    }
}
