//! Tells a schema from a list of properties that was given in the place of one. A schema may have
//! members of any name, so only a root without a single keyword is surely none.

use serde_json::{Map, Value};

/// Keywords whose value may be an object, of every draft and of `OpenAPI`.
const OF_OBJECTS: [&str; 25] = [
    "additionalItems",
    "additionalProperties",
    "const",
    "contains",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "discriminator",
    "else",
    "example",
    "extends",
    "externalDocs",
    "if",
    "items",
    "not",
    "patternProperties",
    "properties",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "xml",
];

/// Keywords whose value is never an object: a member of such a name that holds one is a parameter.
const OF_OTHERS: [&str; 35] = [
    "allOf",
    "anyOf",
    "contentEncoding",
    "contentMediaType",
    "deprecated",
    "description",
    "disallow",
    "divisibleBy",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "oneOf",
    "pattern",
    "prefixItems",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
];

/// Returns the names of the root's members that hold an object and are no keyword: parameters, most
/// likely, that belong under `properties`. Extensions (`x-…`) are none.
#[must_use]
pub fn stray_members(schema: &Map<String, Value>) -> Vec<String> {
    let is_stray = |(name, value): &(&String, &Value)| {
        value.is_object() && !name.starts_with("x-") && !is_keyword(name, value)
    };
    schema.iter().filter(is_stray).map(|(name, _)| name.clone()).collect()
}

/// Whether a schema is surely a list of properties: it has stray members, and no keyword at all.
#[must_use]
pub fn is_list_of_properties(schema: &Map<String, Value>) -> bool {
    !schema.iter().any(|(name, value)| is_keyword(name, value)) && !stray_members(schema).is_empty()
}

fn is_keyword(name: &str, value: &Value) -> bool {
    name.starts_with('$')
        || OF_OBJECTS.contains(&name)
        || (OF_OTHERS.contains(&name) && !value.is_object())
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "tables of json!() values read better without &")]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: Value, stray: &[&str], is_list: bool) {
        let schema = schema.as_object().unwrap();
        assert_eq!(
            (stray_members(schema).as_slice(), is_list_of_properties(schema)),
            (stray.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice(), is_list)
        );
    }

    #[test]
    fn members_without_any_keyword_are_a_list_of_properties() {
        check(json!({"path": {"type": "string"}}), &["path"], true);
        check(json!({"a": {}, "b": {"c": 1}, "note": "x"}), &["a", "b"], true);
        check(json!({"path": {"type": "string"}, "x-order": 1}), &["path"], true);
    }

    #[test]
    fn a_property_may_be_called_like_a_keyword_that_never_holds_an_object() {
        check(json!({"title": {"type": "string"}, "id": {}}), &["title", "id"], true);
    }

    #[test]
    fn one_keyword_is_enough_to_be_a_schema() {
        for keyword in [
            json!({"type": "object"}),
            json!({"$defs": {}}),
            json!({"description": "D."}),
            json!({"additionalProperties": {"type": "string"}}),
            json!({"not": {}}),
        ] {
            let mut schema = keyword;
            schema["path"] = json!({"type": "string"});
            check(schema, &["path"], false);
        }
    }

    #[test]
    fn what_holds_no_object_is_no_list_of_properties() {
        check(json!({}), &[], false);
        check(json!({"a": true, "b": 1, "c": ["d"], "e": null}), &[], false);
        check(json!({"x-a": {"b": 1}}), &[], false);
        check(json!({"$defs": {"a": {}}}), &[], false);
        check(json!({"properties": {"a": {}}, "if": {}, "example": {}}), &[], false);
    }
}
