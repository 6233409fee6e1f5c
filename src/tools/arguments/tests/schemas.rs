//! Drafts, references, annotations, and schemas that cannot be used.

use serde_json::json;

use super::*;

#[test]
fn the_draft_is_2020_12_unless_the_schema_names_another() {
    let tuple = |dialect: Option<&str>| {
        let mut schema = json!({"properties": {"p": {"items": [{"type": "string"}]}}});
        if let Some(dialect) = dialect {
            schema["$schema"] = json!(dialect);
        }
        schema
    };
    let expected = ["p[0]: expected a string, got 1"];
    check(tuple(Some("http://json-schema.org/draft-07/schema#")), json!({"p": [1]}), &expected);
    assert!(compile(&tuple(None)).is_err(), "2020-12 has no list of schemas in items");
    check_property(json!({"prefixItems": [{"type": "string"}]}), json!([1]), &expected);
}

#[test]
fn references_reach_inside_the_schema() {
    let schema = json!({
        "$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["v"]}},
        "$ref": "#/$defs/node"
    });
    check(
        schema,
        json!({"v": 1, "next": {"v": 1, "next": {}}}),
        &["next.next.v: expected a value because it is required, got nothing"],
    );
}

#[test]
fn references_never_reach_outside() {
    for target in
        ["https://example.com/x.json", "file:///etc/hostname", "#/$defs/nope", "other.json"]
    {
        let told = compile(&json!({"properties": {"a": {"$ref": target}}})).unwrap_err();
        assert!(
            told.starts_with("inputSchema: expected references within the schema, got "),
            "{told}"
        );
        assert!(told.contains(target.trim_start_matches('#')), "{told}");
    }
}

#[test]
fn references_that_lead_nowhere_end() {
    check(json!({"$ref": "#"}), json!({}), &[]);
    check(
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
        json!({}),
        &[],
    );
    check(json!({"allOf": [{"$ref": "#"}], "type": "object"}), json!({}), &[]);
}

#[test]
fn formats_and_encodings_are_not_asserted_in_any_draft() {
    for dialect in
        ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
    {
        for (keyword, value) in [
            ("format", "date"),
            ("contentEncoding", "base64"),
            ("contentMediaType", "application/json"),
        ] {
            check(
                json!({"$schema": dialect, "properties": {"p": {keyword: value}}}),
                json!({"p": "%"}),
                &[],
            );
        }
    }
}

#[test]
fn no_resource_outside_the_schema_is_asked_for() {
    let told = compile(&json!({"$ref": "https://example.com/x.json"})).unwrap_err();
    assert!(told.contains("Retrieval is disabled"), "{told}");
}

#[test]
fn a_schema_against_the_rules_of_its_draft_is_refused_with_the_place() {
    check_refused(
        json!({"properties": {"a": {"minLength": "3"}}}),
        r#"properties.a.minLength: expected an integer, got "3""#,
    );
    check_refused(
        json!({"properties": {"a": {"type": "text"}}}),
        r#"properties.a.type: expected one of "array", "boolean", "integer", "null", "number", "object", "string", or an array, got "text""#,
    );
}

#[test]
fn a_pattern_that_may_take_exponential_time_or_much_memory_is_refused() {
    for pattern in ["^(?=x)a", r"(a)\1", "(a", "(a{1000}){1000}"] {
        let told = compile(&json!({"properties": {"a": {"pattern": pattern}}})).unwrap_err();
        let expected = "properties.a.pattern: expected a regular expression without lookaround and backreferences, \
                        that takes 1048576 bytes at most when compiled, got ";
        assert!(told.starts_with(expected), "{told}");
    }
}

#[test]
fn a_pattern_known_for_backtracking_ends_at_once() {
    let text = format!("{}!", "a".repeat(50_000));
    assert!(
        compile(&json!({"properties": {"p": {"pattern": "^(a+)+$"}}}))
            .unwrap()
            .check(&json!({"p": text}))
            .is_err()
    );
}

#[test]
fn a_dialect_that_is_not_published_is_refused() {
    let told = compile(&json!({"$schema": "https://example.com/mine"})).unwrap_err();
    assert!(told.contains("https://example.com/mine"), "{told}");
}

#[test]
fn alternatives_that_recurse_are_checked_in_bounded_time() {
    let node = json!({ "properties": { "a": { "$ref": "#" } }, "required": ["a"] });
    let leaf = json!({ "properties": { "a": { "type": "integer" } }, "required": ["a"] });
    let check =
        compile(&json!({ "type": "object", "anyOf": [node, node, leaf] })).expect("a schema");
    let nested =
        |levels: usize| (1..levels).fold(json!({ "a": "x" }), |inner, _| json!({ "a": inner }));
    assert!(check.check(&nested(100)).unwrap_err().contains("levels of nesting"));
    assert!(!check.check(&nested(8)).unwrap_err().contains("levels of nesting"));
}

#[test]
fn a_tree_of_nodes_or_null_may_be_as_deep_as_can_be_read() {
    let or_null = json!({ "anyOf": [{ "type": "null" }, { "$ref": "#" }] });
    let check = compile(&json!({
        "type": "object",
        "properties": { "v": { "type": "number" }, "children": { "type": "array", "items": or_null } }
    }))
    .expect("a schema");
    let nested = |leaf: Value| {
        (0..60).fold(json!({ "v": leaf }), |node, _| json!({ "v": 1, "children": [null, node] }))
    };
    assert_eq!(check.check(&nested(json!(1))), Ok(()));
    let told = check.check(&nested(json!("no"))).unwrap_err();
    assert!(told.starts_with("children[1]: expected null, or "), "{told}");
    let large = nested(json!(vec![0; 100_000]));
    assert_eq!(
        check.check(&large).unwrap_err(),
        "arguments: expected at most 16 levels of nesting for this schema, got 122"
    );
}
