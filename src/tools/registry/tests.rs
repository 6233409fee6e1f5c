//! What a registry takes, what it refuses, and in whose order it tells.

use serde_json::json;

use super::*;

fn registry_of(definitions: &[Value]) -> Registry {
    let mut registry = Registry::new("com.example");
    for definition in definitions {
        registry.add(definition).unwrap();
    }
    registry
}

/// Adds a tool to a registry that has `open buffers` with the method `_o`.
#[track_caller]
fn check(definition: Value, code: &str, message: &str) {
    let mut registry = registry_of(&[json!({"name": "open buffers", "method": "_o"})]);
    let flaw = registry.add(&definition).unwrap_err();
    assert_eq!((flaw.code(), flaw.to_string().as_str()), (code, message));
    assert_eq!(registry.iter().count(), 1, "a refused tool changes nothing");
}

#[track_caller]
fn check_timeout(milliseconds: Value, expected: Option<Duration>) {
    let registry = registry_of(&[json!({"name": "a", "timeoutMs": milliseconds})]);
    assert_eq!(registry.get(ToolIndex(0)).unwrap().timeout, expected);
}

#[test]
fn a_tool_is_found_by_its_index_and_by_its_method() {
    let registry =
        registry_of(&[json!({"name": "a", "method": "_a"}), json!({"name": "b", "method": "_b"})]);
    assert_eq!(registry.get(ToolIndex(1)).unwrap().description.name, "b");
    let (index, tool) = registry.by_method("_b").unwrap();
    assert_eq!((index, tool.description.name.as_str()), (ToolIndex(1), "b"));
    assert!(registry.by_method("_c").is_none() && registry.get(ToolIndex(2)).is_none());
}

#[test]
fn a_method_is_derived_when_none_is_given() {
    let registry =
        registry_of(&[json!({"name": "Open buffers!"}), json!({"name": "b", "method": null})]);
    let methods: Vec<&str> =
        registry.iter().map(|(_, tool)| tool.description.method.as_str()).collect();
    assert_eq!(methods, ["_com.example/Open_buffers", "_com.example/b"]);
}

#[test]
fn a_definition_is_held_to_the_rules_of_a_list() {
    check(json!(1), "MM_ERR_TOOL", "not a tool description: a number is not an object");
    check(json!({}), "MM_ERR_TOOL_NAME", "no name");
    let message = r#"method "plain" must start with "_" (an ACP extension method)"#;
    check(json!({"name": "a", "method": "plain"}), "MM_ERR_TOOL_METHOD", message);
    let message = r#"inputSchema.type must be "object", got "string""#;
    check(json!({"name": "a", "inputSchema": {"type": "string"}}), "MM_ERR_TOOL_SCHEMA", message);
}

#[test]
fn a_name_that_munges_to_nothing_is_refused() {
    let message = r#"no name: expected a letter A-Z, a-z or a digit in the name, got "---""#;
    check(json!({"name": "---"}), "MM_ERR_TOOL_NAME", message);
}

#[test]
fn methods_that_cannot_be_lent_are_refused() {
    let hint = r#": expected "_" and a name of its own, like "_com.example/name""#;
    let message = format!(r#"method "_" cannot be the method of a tool{hint}"#);
    check(json!({"name": "a", "method": "_"}), "MM_ERR_TOOL_METHOD", &message);
    let message =
        format!(r#"method "_org.mini-me/tools/list" cannot be the method of a tool{hint}"#);
    check(
        json!({"name": "a", "method": "_org.mini-me/tools/list"}),
        "MM_ERR_TOOL_METHOD",
        &message,
    );
}

#[test]
fn two_names_that_munge_to_the_same_are_refused_naming_both() {
    let message = "duplicate tool name \"client_open_buffers\": a model would call both \"open buffers\" and \
                   \"open-buffers\" so";
    check(json!({"name": "open-buffers"}), "MM_ERR_TOOL_DUPLICATE", message);
}

#[test]
fn two_tools_with_one_method_are_refused_naming_both() {
    let message = r#"duplicate method "_o": "open buffers" and "b" would both be called by it"#;
    check(json!({"name": "b", "method": "_o"}), "MM_ERR_TOOL_DUPLICATE", message);
}

#[test]
fn a_schema_that_cannot_be_used_is_refused_before_a_duplicate() {
    let message = "inputSchema cannot be used: properties.a.type: expected one of \"array\", \"boolean\", \
                   \"integer\", \"null\", \"number\", \"object\", \"string\", or an array, got \"text\" \
                   (validate: false lends the tool without a check)";
    let definition =
        json!({"name": "open buffers", "inputSchema": {"properties": {"a": {"type": "text"}}}});
    check(definition, "MM_ERR_TOOL_SCHEMA", message);
}

#[test]
fn a_list_of_properties_in_the_place_of_a_schema_is_refused() {
    let message = "inputSchema has no keyword of JSON Schema, got \"path\", \"line\": expected parameters under \
                   \"properties\", like {\"type\": \"object\", \"properties\": {…}} \
                   (validate: false lends the tool as it is)";
    let schema = json!({"path": {"type": "string"}, "line": {"type": "integer"}});
    check(json!({"name": "a", "inputSchema": schema}), "MM_ERR_TOOL_SCHEMA", message);
}

#[test]
fn a_list_of_properties_can_be_lent_unchecked() {
    let schema = json!({"path": {"type": "string"}});
    registry_of(&[json!({"name": "a", "inputSchema": schema, "validate": false})]);
}

#[test]
fn options_of_a_wrong_kind_are_refused() {
    let message = "not a tool description: validate must be a boolean, got a string";
    check(json!({"name": "a", "validate": "no"}), "MM_ERR_TOOL", message);
    let message = "not a tool description: timeoutMs must be a number, got a string";
    check(json!({"name": "a", "timeoutMs": "5s"}), "MM_ERR_TOOL", message);
    let message = "not a tool description: timeoutMs must be at least 0, got -1";
    check(json!({"name": "a", "timeoutMs": -1}), "MM_ERR_TOOL", message);
}

#[test]
fn a_timeout_is_milliseconds_and_zero_is_none() {
    check_timeout(json!(1500), Some(Duration::from_millis(1500)));
    check_timeout(json!(0.5), Some(Duration::from_micros(500)));
    check_timeout(json!(0), None);
    check_timeout(json!(null), None);
    check_timeout(json!(1e300), None);
}

#[test]
fn arguments_are_checked_unless_the_definition_says_no() {
    let schema = json!({"properties": {"a": {"type": "string"}}});
    let registry = registry_of(&[
        json!({"name": "a", "inputSchema": schema}),
        json!({"name": "b", "inputSchema": schema, "validate": false}),
        json!({"name": "c"}),
    ]);
    let checks: Vec<(bool, bool)> =
        registry.iter().map(|(_, tool)| (tool.validate, tool.check.is_some())).collect();
    assert_eq!(checks, [(true, true), (false, false), (true, false)]);
    let check = registry.get(ToolIndex(0)).unwrap().check.as_ref().unwrap();
    assert_eq!(check.check(&json!({"a": 1})), Err("a: expected a string, got 1".to_owned()));
}

#[test]
fn a_schema_that_cannot_be_checked_can_be_lent_unchecked() {
    let schema = json!({"properties": {"a": {"pattern": "(?=x)"}}});
    registry_of(&[json!({"name": "a", "inputSchema": schema, "validate": false})]);
}

#[test]
fn a_removed_tool_is_gone_and_its_index_is_not_given_out_again() {
    let mut registry = registry_of(&[json!({"name": "a"}), json!({"name": "b"})]);
    assert!(registry.remove(ToolIndex(1)));
    assert!(!registry.remove(ToolIndex(1)));
    assert!(registry.get(ToolIndex(1)).is_none() && registry.by_method("_com.example/b").is_none());
    assert_eq!(registry.add(&json!({"name": "b"})), Ok(ToolIndex(2)));
}

#[test]
fn a_refused_tool_takes_no_index() {
    let mut registry = registry_of(&[json!({"name": "a"})]);
    assert!(registry.add(&json!({"name": "a"})).is_err());
    assert_eq!(registry.add(&json!({"name": "b"})), Ok(ToolIndex(1)));
}

#[test]
fn no_tool_is_added_when_every_index_was_given_out() {
    let mut registry = Registry::new("n");
    registry.next.store(u32::MAX - 1, Ordering::Relaxed);
    assert_eq!(registry.add(&json!({"name": "a"})), Ok(ToolIndex(u32::MAX - 1)));
    assert_eq!(registry.add(&json!({"name": "b"})), Err(Flaw::TooMany));
    assert_eq!(Flaw::TooMany.code(), "MM_ERR_TOOL");
}

#[test]
fn the_list_travels_in_the_order_of_adding_and_without_options() {
    let registry = registry_of(&[
        json!({"name": "b", "method": "_b", "validate": false, "timeoutMs": 5, "inputSchema": {"x": 1}}),
        json!({"name": "a", "method": "_a", "description": "A."}),
    ]);
    assert_eq!(
        registry.wire_list(),
        [
            json!({"name": "b", "method": "_b", "inputSchema": {"x": 1}}),
            json!({"name": "a", "description": "A.", "method": "_a"}),
        ]
    );
}

#[test]
fn a_model_sees_the_tools_sorted_by_the_bytes_of_their_names() {
    let registry = registry_of(&[json!({"name": "b"}), json!({"name": "a"}), json!({"name": "Z"})]);
    let names: Vec<String> = registry.model_tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["client_Z", "client_a", "client_b"]);
}

#[test]
fn a_registry_can_be_shared_between_threads() {
    fn is_shareable<T: Send + Sync>(_: &T) {}
    is_shareable(&Registry::new("n"));
}
