//! How deep arguments may be nested for a schema that refers to itself within alternatives.
//!
//! A check tries each alternative (`anyOf`, `oneOf`, ...) at each level, so such a schema costs a power of
//! the depth: 16 levels of two alternatives took seconds. Arguments come from a model that may be steered,
//! and are checked where the agent's output is read, so that cost is bounded.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The most alternatives a check may come to, about.
const MOST_TRIES: usize = 100_000;

/// Keywords whose schemas a check may have to try more than once.
const ALTERNATIVES: [&str; 8] =
    ["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas"];
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Members that hold data, where a `$ref` is none.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];

/// A reference: where to, and whether it stands among alternatives.
type Edge = (String, bool);

/// The most levels of arguments that are checked; `None` for a schema whose cost is linear.
pub(super) fn most_levels(schema: &Map<String, Value>) -> Option<usize> {
    let root = Value::Object(schema.clone());
    let mut graph = BTreeMap::new();
    explore("", &root, &mut graph);
    let in_cycle = |place: &str| reaches(&graph, place, place);
    let alternatives = graph
        .iter()
        .filter(|(place, _)| in_cycle(place))
        .map(|(_, edges)| edges.iter().filter(|(to, is_one_of)| *is_one_of && in_cycle(to)).count())
        .max()?;
    // One alternative is tried by the check and again by the search for what is wrong.
    (alternatives > 0).then(|| levels(alternatives.max(2)))
}

/// How often `base` can be multiplied with itself.
fn levels(base: usize) -> usize {
    let mut levels = 0;
    let mut tries = base;
    while tries <= MOST_TRIES {
        levels += 1;
        tries = tries.saturating_mul(base);
    }
    levels
}

/// Writes down the references of the schema at `place`, and of those it leads to.
fn explore(place: &str, root: &Value, graph: &mut BTreeMap<String, Vec<Edge>>) {
    if graph.contains_key(place) {
        return;
    }
    let mut edges = Vec::new();
    if let Some(schema) = root.pointer(place) {
        collect(schema, false, &mut edges);
    }
    graph.insert(place.to_owned(), edges.clone());
    for (to, _) in edges {
        explore(&to, root, graph);
    }
}

fn collect(value: &Value, is_one_of: bool, edges: &mut Vec<Edge>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, is_one_of, edges)),
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.as_str();
                if let (true, Value::String(to)) = (REFERENCES.contains(&name), member) {
                    // What is no pointer (an anchor, a dynamic reference) is taken to lead to the root.
                    let pointer = to.strip_prefix('#').filter(|to| to.starts_with('/'));
                    edges.push((pointer.unwrap_or_default().to_owned(), is_one_of));
                } else if !DATA.contains(&name) && name != "$defs" && name != "definitions" {
                    collect(member, is_one_of || ALTERNATIVES.contains(&name), edges);
                }
            }
        }
        _ => {}
    }
}

/// Whether following references from `from` leads to `to`.
fn reaches(graph: &BTreeMap<String, Vec<Edge>>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(place) = open.pop() {
        for (next, _) in graph.get(place).into_iter().flatten() {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

/// How deep arrays and objects are nested in a value.
pub(super) fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(schema: &Value, expected: Option<usize>) {
        assert_eq!(most_levels(schema.as_object().unwrap()), expected);
    }

    #[test]
    fn a_schema_that_does_not_refer_to_itself_has_no_limit() {
        check(&json!({ "properties": { "a": { "anyOf": [{ "type": "string" }, {}] } } }), None);
        let shared = json!({ "anyOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/a" }],
            "$defs": { "a": { "type": "string" } } });
        check(&shared, None);
    }

    #[test]
    fn a_tree_without_alternatives_has_no_limit() {
        let tree = json!({ "properties": { "left": { "$ref": "#" }, "right": { "$ref": "#" } } });
        check(&tree, None);
        let list = json!({ "$ref": "#/$defs/node", "$defs": {
            "node": { "properties": { "next": { "$ref": "#/$defs/node" } } } } });
        check(&list, None);
    }

    #[test]
    fn the_more_alternatives_the_fewer_levels() {
        let with = |count: usize| {
            let one = json!({ "properties": { "a": { "$ref": "#" } } });
            json!({ "anyOf": vec![one; count] })
        };
        check(&with(1), Some(16));
        check(&with(2), Some(16));
        check(&with(3), Some(10));
        check(&with(10), Some(5));
    }

    #[test]
    fn cycles_over_several_definitions_are_seen() {
        let schema = json!({ "$ref": "#/$defs/a", "$defs": {
            "a": { "properties": { "b": { "$ref": "#/$defs/b" } } },
            "b": { "oneOf": [{ "$ref": "#/$defs/a" }, { "type": "null" }] } } });
        check(&schema, Some(16));
    }

    #[test]
    fn references_that_are_no_pointers_are_taken_for_the_root() {
        check(&json!({ "anyOf": [{ "items": { "$dynamicRef": "#node" } }] }), Some(16));
    }

    #[test]
    fn data_refers_to_nothing() {
        check(&json!({ "anyOf": [{ "const": { "$ref": "#" } }] }), None);
    }

    #[test]
    fn depth_counts_arrays_and_objects() {
        assert_eq!(depth(&json!(1)), 0);
        assert_eq!(depth(&json!({ "a": [1, { "b": [] }] })), 4);
    }
}
