//! How deep arguments may be nested for a schema that refers to itself within alternatives.
//!
//! A check tries each alternative (`anyOf`, `oneOf`, ...) at each level, so a schema where several of them
//! lead back costs a power of the depth: 16 levels of two alternatives took seconds. The same holds where
//! two references are for one value without being alternatives: of a property and of a pattern that fits
//! its name, or of a schema and of one that it extends. Where one alternative leads back, as in a tree of
//! children or null, the search for what is wrong keeps a copy of the value at each level.
//! Arguments come from a model that may be steered, and are checked where the agent's output is read, so
//! that cost is bounded.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::step::Step;

/// The most alternatives a check may come to, about.
const MOST_TRIES: usize = 100_000;
/// The most values that may be copied, about: 1 000 000 take less than a second.
const MOST_COPIES: usize = 1_000_000;
/// What text of this length costs is what another value costs.
const VALUE_BYTES: usize = 32;

/// Keywords whose schemas a check may have to try more than once.
const ALTERNATIVES: [&str; 9] =
    ["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];
/// Keywords of schemas by names or patterns, which are no keywords.
const MAPS: [&str; 3] = ["patternProperties", "dependentSchemas", "dependencies"];
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// Members that hold data, where a `$ref` is none.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];
/// Keywords that look once more at what the alternatives beside them took, or give `#` another meaning.
const UNSURE: [&str; 3] = ["unevaluatedProperties", "unevaluatedItems", "$id"];

/// What bounds the depth of arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// Nothing that is known.
    None,
    /// So many levels.
    Levels(usize),
    /// [`MOST_COPIES`].
    Copies,
}

impl Bound {
    /// For arguments that are too deep: the most levels they may have, and how many they have.
    pub(super) fn exceeded(self, arguments: &Value) -> Option<(usize, usize)> {
        let mut most = match self {
            Self::None => return None,
            Self::Levels(most) => most,
            // What two alternatives may have is had in any size.
            Self::Copies => levels(2),
        };
        let came = depth(arguments);
        if came > most && self == Self::Copies {
            most = most.max(MOST_COPIES / size(arguments));
        }
        (came > most).then_some((most, came))
    }
}

/// A reference of a schema.
#[derive(Debug, Clone, Default)]
struct Edge {
    /// Where to.
    to: String,
    /// Whether that is taken for what is not known.
    is_guess: bool,
    /// Whether it stands among alternatives.
    is_one_of: bool,
    /// From the value that is checked to the one the reference is for.
    path: Vec<Step>,
}

impl Edge {
    /// The same, one step further.
    fn within(&self, step: Step) -> Self {
        let mut further = self.clone();
        further.path.push(step);
        further
    }

    /// Whether both may be for one value, or for a value and one within it.
    fn meets(&self, other: &Self) -> bool {
        let are_beside = !self.is_one_of && !other.is_one_of;
        let mut steps = self.path.iter().zip(&other.path).enumerate();
        steps.all(|(at, (one, other))| one.meets(other, are_beside && at == 0))
    }
}

/// What bounds the depth of arguments for a schema.
pub(super) fn bound(schema: &Map<String, Value>) -> Bound {
    let root = Value::Object(schema.clone());
    let mut graph = BTreeMap::new();
    explore("", &root, &mut graph);
    let in_cycle = |place: &str| reaches(&graph, place, place);
    let is_unsure =
        has_member(&root, &UNSURE) || graph.values().flatten().any(|edge| edge.is_guess);
    let mut most = 0;
    for (_, edges) in graph.iter().filter(|(place, _)| in_cycle(place)) {
        let edges: Vec<&Edge> = edges.iter().filter(|edge| in_cycle(&edge.to)).collect();
        for edge in &edges {
            let meeting = edges.iter().filter(|other| edge.meets(other)).count();
            if edge.is_one_of || meeting > 1 {
                most = most.max(meeting);
            }
        }
    }
    match most {
        0 => Bound::None,
        1 if !is_unsure => Bound::Copies,
        _ => Bound::Levels(levels(most.max(2))),
    }
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
        collect(schema, &Edge::default(), &mut edges);
    }
    graph.insert(place.to_owned(), edges.clone());
    for edge in edges {
        explore(&edge.to, root, graph);
    }
}

/// Collects the references of a schema that is reached as `so_far` says.
fn collect(schema: &Value, so_far: &Edge, edges: &mut Vec<Edge>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| collect(item, so_far, edges)),
        Value::Object(members) => {
            for (name, member) in members {
                collect_member(name, member, so_far, edges);
            }
        }
        _ => {}
    }
}

fn collect_member(name: &str, member: &Value, so_far: &Edge, edges: &mut Vec<Edge>) {
    let mut edge = so_far.clone();
    if let (true, Value::String(to)) = (REFERENCES.contains(&name), member) {
        // What is no pointer (an anchor, a dynamic reference) is taken to lead to the root.
        let pointer = to.strip_prefix('#').filter(|to| to.is_empty() || to.starts_with('/'));
        edge.is_guess = pointer.is_none() || name != "$ref" || to.contains('%');
        pointer.unwrap_or_default().clone_into(&mut edge.to);
        edges.push(edge);
        return;
    }
    if DATA.contains(&name) || DEFINITIONS.contains(&name) {
        return;
    }
    match member {
        Value::Object(schemas) if name == "properties" => {
            for (property, schema) in schemas {
                collect(schema, &edge.within(Step::Property(property.clone())), edges);
            }
        }
        Value::Array(schemas) if name == "items" || name == "prefixItems" => {
            for (place, schema) in schemas.iter().enumerate() {
                collect(schema, &edge.within(Step::Element(place)), edges);
            }
        }
        _ => {
            if ALTERNATIVES.contains(&name) {
                edge.is_one_of = true;
            } else {
                edge = edge.within(Step::of(name));
            }
            match member {
                Value::Object(schemas) if MAPS.contains(&name) => {
                    schemas.values().for_each(|schema| collect(schema, &edge, edges));
                }
                _ => collect(member, &edge, edges),
            }
        }
    }
}

/// Whether a member of one of these names is anywhere in a schema.
fn has_member(schema: &Value, names: &[&str]) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(|item| has_member(item, names)),
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| names.contains(&name.as_str()) || has_member(member, names)),
        _ => false,
    }
}

/// Whether following references from `from` leads to `to`.
fn reaches(graph: &BTreeMap<String, Vec<Edge>>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(place) = open.pop() {
        for Edge { to: next, .. } in graph.get(place).into_iter().flatten() {
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

/// What a copy of a value costs, about: 1 for each value, and what its texts are.
fn size(value: &Value) -> usize {
    let text = |text: &str| text.len() / VALUE_BYTES;
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => {
            1 + members.iter().map(|(name, member)| text(name) + size(member)).sum::<usize>()
        }
        Value::String(string) => 1 + text(string),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(schema: &Value, expected: Bound) {
        assert_eq!(bound(schema.as_object().unwrap()), expected);
    }

    #[test]
    fn a_schema_that_does_not_refer_to_itself_has_no_limit() {
        check(
            &json!({ "properties": { "a": { "anyOf": [{ "type": "string" }, {}] } } }),
            Bound::None,
        );
        let shared = json!({ "anyOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/a" }],
            "$defs": { "a": { "type": "string" } } });
        check(&shared, Bound::None);
    }

    #[test]
    fn a_tree_without_alternatives_has_no_limit() {
        let tree = json!({ "properties": { "left": { "$ref": "#" }, "right": { "$ref": "#" } } });
        check(&tree, Bound::None);
        let list = json!({ "$ref": "#/$defs/node", "$defs": {
            "node": { "properties": { "next": { "$ref": "#/$defs/node" } } } } });
        check(&list, Bound::None);
    }

    #[test]
    fn the_more_alternatives_the_fewer_levels() {
        let with = |count: usize| {
            let one = json!({ "properties": { "a": { "$ref": "#" } } });
            json!({ "anyOf": vec![one; count] })
        };
        check(&with(1), Bound::Copies);
        check(&with(2), Bound::Levels(16));
        check(&with(3), Bound::Levels(10));
        check(&with(10), Bound::Levels(5));
    }

    #[test]
    fn alternatives_of_which_one_leads_back_are_bounded_by_what_is_copied() {
        let or_null = json!({ "anyOf": [{ "type": "null" }, { "$ref": "#" }] });
        check(&json!({ "properties": { "next": or_null } }), Bound::Copies);
        check(&json!({ "properties": { "children": { "items": or_null } } }), Bound::Copies);
        let tree = json!({ "properties": { "left": or_null, "right": or_null } });
        check(&tree, Bound::Copies);
        let schema = json!({ "$ref": "#/$defs/a", "$defs": {
            "a": { "properties": { "b": { "$ref": "#/$defs/b" } } },
            "b": { "oneOf": [{ "$ref": "#/$defs/a" }, { "type": "null" }] } } });
        check(&schema, Bound::Copies);
    }

    #[test]
    fn references_for_one_value_count_together_without_alternatives() {
        let back = json!({ "$ref": "#" });
        let both = json!({ "properties": { "c": back }, "patternProperties": { "^c": back } });
        check(&both, Bound::Levels(16));
        let apart = json!({ "properties": { "a": { "items": back } },
            "additionalProperties": { "contains": back, "items": back } });
        check(&apart, Bound::Levels(16));
        let extends = json!({ "$ref": "#/$defs/base", "properties": { "c": back }, "$defs": {
            "base": { "properties": { "c": { "$ref": "#" } } } } });
        check(&extends, Bound::Levels(16));
    }

    #[test]
    fn references_for_values_apart_have_no_limit() {
        let back = json!({ "$ref": "#" });
        for schema in [
            json!({ "properties": { "a": back }, "additionalProperties": back }),
            json!({ "items": back, "additionalProperties": back }),
            json!({ "prefixItems": [{ "const": "+" }, back, back] }),
            json!({ "items": [back, back], "$schema": "http://json-schema.org/draft-07/schema#" }),
        ] {
            check(&schema, Bound::None);
        }
        let any = json!({ "$ref": "#/$defs/any", "$defs": { "any": { "anyOf": [
            { "type": "string" },
            { "type": "array", "items": { "$ref": "#/$defs/any" } },
            { "type": "object", "additionalProperties": { "$ref": "#/$defs/any" } } ] } } });
        check(&any, Bound::Copies);
    }

    #[test]
    fn what_may_be_for_the_same_value_counts_together() {
        let or_null = json!({ "anyOf": [{ "type": "null" }, { "$ref": "#" }] });
        let back = json!({ "$ref": "#" });
        for schema in [
            json!({ "properties": { "a": or_null }, "patternProperties": { "^a": back } }),
            json!({ "properties": { "a": or_null }, "additionalProperties": back }),
            json!({ "items": or_null, "contains": back }),
            json!({ "properties": { "a": or_null }, "dependentSchemas": { "b": { "properties": { "a": back } } } }),
            json!({ "properties": { "a": or_null }, "dependencies": { "b": { "properties": { "a": back } } } }),
            // The value of `a` is checked, and within that again its `a`.
            json!({ "properties": { "a": { "anyOf": [back, { "properties": { "a": back } }] } } }),
        ] {
            check(&schema, Bound::Levels(16));
        }
    }

    #[test]
    fn what_is_looked_at_again_or_not_known_is_bounded_as_two_alternatives() {
        let or_null = json!({ "anyOf": [{ "type": "null" }, { "$ref": "#" }] });
        check(
            &json!({ "properties": { "a": or_null }, "unevaluatedProperties": false }),
            Bound::Levels(16),
        );
        check(&json!({ "$id": "https://example.com/a", "items": or_null }), Bound::Levels(16));
        for reference in ["#node", "other.json", "#/a%20b"] {
            let guess = json!({ "anyOf": [{ "$ref": "#" }, { "type": "null" }], "not": { "$ref": reference } });
            check(&guess, Bound::Levels(16));
        }
    }

    #[test]
    fn the_larger_the_arguments_the_fewer_levels_are_copied() {
        let exceeded = |levels: usize, leaf: Value| {
            Bound::Copies.exceeded(&(0..levels).fold(leaf, |inner, _| json!([inner])))
        };
        assert_eq!(exceeded(127, json!(1)), None);
        assert_eq!(exceeded(99, json!(vec![0; 9_900])), None);
        for leaf in [
            json!(vec![0; 9_898]),
            json!({ "k": "x".repeat(32 * 9_897) }),
            json!({ "x".repeat(32 * 9_897): 1 }),
        ] {
            assert_eq!(exceeded(99, leaf.clone()), None);
            assert_eq!(exceeded(100, leaf), Some((100, 101)));
        }
        assert_eq!(exceeded(15, json!(vec![0; 1_000_000])), None);
        assert_eq!(exceeded(16, json!(vec![0; 1_000_000])), Some((16, 17)));
    }

    #[test]
    fn cycles_over_several_definitions_are_seen() {
        let schema = json!({ "$ref": "#/$defs/a", "$defs": {
            "a": { "properties": { "b": { "$ref": "#/$defs/b" } } },
            "b": { "oneOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/b" }] } } });
        check(&schema, Bound::Levels(16));
    }

    #[test]
    fn references_that_are_no_pointers_are_taken_for_the_root() {
        check(&json!({ "anyOf": [{ "items": { "$dynamicRef": "#node" } }] }), Bound::Levels(16));
    }

    #[test]
    fn data_refers_to_nothing() {
        check(&json!({ "anyOf": [{ "const": { "$ref": "#" } }] }), Bound::None);
    }

    #[test]
    fn depth_counts_arrays_and_objects() {
        assert_eq!(depth(&json!(1)), 0);
        assert_eq!(depth(&json!({ "a": [1, { "b": [] }] })), 4);
    }
}
