//! Schemas of which a look tells that they can be compiled. Compiling the first one takes a millisecond,
//! nearly all of it to compile the rules of the draft: where the schema is plain, that can wait for a call.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Whether a schema has nothing but the keywords most tools use, each with a value of the form that draft
/// 2020-12 asks for. A schema that is not plain may be right all the same.
pub(super) fn is_plain(schema: &Map<String, Value>) -> bool {
    schema.iter().all(|(keyword, value)| match keyword.as_str() {
        "type" => value.as_str().is_some_and(is_type) || is_set_of(value, is_type),
        "properties" => value.as_object().is_some_and(|members| members.values().all(is_schema)),
        "items" | "additionalProperties" => is_schema(value),
        "anyOf" | "oneOf" | "allOf" => {
            value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_schema))
        }
        "required" => is_set_of(value, |_| true),
        "enum" | "examples" => value.is_array(),
        "const" | "default" => true,
        "title" | "description" | "format" => value.is_string(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        "uniqueItems" | "readOnly" | "writeOnly" | "deprecated" => value.is_boolean(),
        _ => false,
    })
}

fn is_schema(value: &Value) -> bool {
    value.is_boolean() || value.as_object().is_some_and(is_plain)
}

fn is_type(name: &str) -> bool {
    TYPES.contains(&name)
}

/// Whether a value is an array of texts that `fits` takes, none of them twice, and not empty: an empty
/// `type` is wrong.
fn is_set_of(value: &Value, fits: impl Fn(&str) -> bool) -> bool {
    let mut seen = BTreeSet::new();
    value.as_array().is_some_and(|all| {
        !all.is_empty()
            && all.iter().all(|one| one.as_str().is_some_and(|one| fits(one) && seen.insert(one)))
    })
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "tables of json!() values read better without &")]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::json;

    use super::*;
    use crate::tools::arguments::{MAX_PATTERN_BYTES, compile};

    #[track_caller]
    fn check(schema: Value, expected: bool) {
        assert_eq!(is_plain(schema.as_object().unwrap()), expected, "{schema}");
    }

    #[test]
    fn what_most_tools_have_is_plain() {
        check(json!({}), true);
        check(
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "The file", "minLength": 1},
                    "lines": {"type": ["integer", "null"], "minimum": 1, "default": null},
                    "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": true},
                    "any": true,
                    "either": {"anyOf": [{"type": "string"}, {"const": 1}]},
                },
                "required": ["path"],
                "additionalProperties": false,
            }),
            true,
        );
    }

    #[test]
    fn what_is_wrong_or_has_to_be_looked_up_is_not() {
        for schema in [
            json!({"type": "text"}),
            json!({"type": []}),
            json!({"type": ["string", "string"]}),
            json!({"required": "path"}),
            json!({"required": ["a", "a"]}),
            json!({"properties": {"path": "string"}}),
            json!({"properties": {"path": {"type": 1}}}),
            json!({"items": [{"type": "string"}]}),
            json!({"anyOf": []}),
            json!({"minLength": -1}),
            json!({"minLength": 1.5}),
            json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"}),
            json!({"$ref": "#/$defs/nope"}),
            json!({"pattern": "("}),
            json!({"unknown": 1}),
        ] {
            check(schema, false);
        }
    }

    /// Schemas out of the keywords that are known here, their values right or wrong.
    fn schemas() -> impl Strategy<Value = Value> {
        let leaves = select(vec![
            json!(true),
            json!("string"),
            json!("integer"),
            json!("text"),
            json!(["string", "null"]),
            json!(["a", "a"]),
            json!([]),
            json!(3),
            json!(3.0),
            json!(-1),
            json!(1e300),
            json!(null),
        ]);
        let keywords = [
            "type",
            "properties",
            "items",
            "additionalProperties",
            "anyOf",
            "allOf",
            "required",
            "enum",
            "const",
            "title",
            "format",
            "minimum",
            "maxLength",
            "minItems",
            "maxProperties",
            "uniqueItems",
            "$ref",
        ];
        leaves.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                4 => prop::collection::vec((select(keywords.to_vec()), inner.clone()), 0..4).prop_map(object),
                1 => prop::collection::vec((select(vec!["a", "b"]), inner.clone()), 0..3).prop_map(object),
                1 => prop::collection::vec(inner, 0..3).prop_map(Value::Array),
            ]
        })
    }

    fn object(members: Vec<(&'static str, Value)>) -> Value {
        members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect::<Map<_, _>>()
            .into()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn a_plain_schema_can_be_compiled(schema in schemas()) {
            if schema.as_object().is_some_and(is_plain) {
                prop_assert!(compile(&schema, MAX_PATTERN_BYTES).is_ok(), "{schema}");
            }
        }
    }

    #[test]
    fn a_plain_schema_of_any_depth_can_be_compiled_on_a_small_stack() {
        // The deepest JSON that is read at all.
        let schema =
            (0..60).fold(json!({"type": "string"}), |inner, _| json!({"properties": {"p": inner}}));
        check(schema.clone(), true);
        let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
        let compiled = small.spawn(move || compile(&schema, MAX_PATTERN_BYTES).is_ok()).unwrap();
        assert!(compiled.join().unwrap());
    }
}
