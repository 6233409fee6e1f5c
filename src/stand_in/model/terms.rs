//! What a tool says of itself, as terms a question can mention: the values its parameters take, with
//! the words that describe each. Knows nothing of questions.

use serde_json::Value;

use super::words::{is_filler, name_words};
use crate::tools::description::ToolDescription;

/// How many words of the first item of a list belong to it, when a sentence leads into the list.
const LEAD_WORDS: usize = 2;

/// A parameter of a tool.
#[derive(Debug)]
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    pub(super) schema: &'a Value,
    pub(super) is_required: bool,
    /// The values it takes, when they are enumerated; of an array, the values of its items.
    pub(super) choices: Vec<Choice<'a>>,
}

/// A value a parameter can take.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    pub(super) value: &'a Value,
    /// Its text: a string bare, another value as JSON.
    pub(super) text: String,
    /// Words of descriptions that stand for it; each list as a whole.
    pub(super) described: Vec<Vec<String>>,
}

impl Parameter<'_> {
    /// The JSON type, `string` when the schema names none.
    pub(super) fn kind(&self) -> &str {
        let named = self.schema.get("type").and_then(|kind| {
            let kinds = kind.as_array().map_or(std::slice::from_ref(kind), Vec::as_slice);
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null")
        });
        named.unwrap_or("string")
    }
}

/// The parameters of a tool, in the order of its schema.
pub(super) fn parameters(tool: &ToolDescription) -> Vec<Parameter<'_>> {
    let Some(schema) = &tool.input_schema else { return Vec::new() };
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties
        .map(|(name, schema)| Parameter {
            name,
            schema,
            is_required: required.contains(&name.as_str()),
            choices: choices(schema, tool.description.as_deref()),
        })
        .collect()
}

/// The values a schema enumerates: `enum`, or `const` in `oneOf` and `anyOf`; of an array, its items'.
fn choices<'a>(schema: &'a Value, tool_description: Option<&str>) -> Vec<Choice<'a>> {
    let source = schema.get("items").unwrap_or(schema);
    let own = source.get("enum").and_then(Value::as_array).into_iter().flatten();
    let mut choices: Vec<Choice<'a>> = own.map(|value| Choice::new(value, None)).collect();
    for key in ["oneOf", "anyOf"] {
        let variants = source.get(key).and_then(Value::as_array).into_iter().flatten();
        choices.extend(variants.filter_map(|variant| {
            let description = variant.get("description").or_else(|| variant.get("title"));
            Some(Choice::new(variant.get("const")?, description.and_then(Value::as_str)))
        }));
    }
    let descriptions = [source.get("description"), schema.get("description")];
    let texts = descriptions.into_iter().flatten().filter_map(Value::as_str);
    for text in texts.chain(tool_description) {
        for list in listings(text) {
            if list.len() != choices.len() {
                continue;
            }
            for (choice, words) in choices.iter_mut().zip(list) {
                choice.described.push(words);
            }
        }
    }
    choices
}

impl<'a> Choice<'a> {
    fn new(value: &'a Value, description: Option<&str>) -> Self {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Self { value, text, described: description.map(topic_words).into_iter().collect() }
    }
}

/// The lists in a text, like `operating system, CPU, memory or uptime`; each item as its words.
fn listings(text: &str) -> impl Iterator<Item = Vec<Vec<String>>> {
    let pieces = text.split(['.', ';', ':', '(', ')']);
    pieces.enumerate().filter_map(move |(index, piece)| {
        let normal = piece.replace(" or ", ",").replace(" and ", ",");
        let mut items: Vec<Vec<String>> = normal.split(',').map(topic_words).collect();
        items.retain(|item| !item.is_empty());
        let is_led_into = index == 0;
        if let Some(first) =
            items.first_mut().filter(|first| is_led_into && first.len() > LEAD_WORDS)
        {
            first.drain(..first.len() - LEAD_WORDS);
        }
        (items.len() > 1).then_some(items)
    })
}

/// The words of a text that have a topic.
pub(super) fn topic_words(text: &str) -> Vec<String> {
    let mut words = name_words(text);
    words.retain(|word| !is_filler(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn described(description: &str, schema: &Value, expected: &[(&str, &[&str])]) {
        let found: Vec<(String, Vec<String>)> = choices(schema, Some(description))
            .into_iter()
            .map(|choice| {
                let described = choice.described.iter().map(|words| words.join(" ")).collect();
                (choice.text, described)
            })
            .collect();
        let expected: Vec<(String, Vec<String>)> = expected
            .iter()
            .map(|(text, words)| {
                ((*text).to_owned(), words.iter().map(|word| (*word).to_owned()).collect())
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_list_in_a_description_names_the_values_in_their_order() {
        described(
            "Facts on the house: ground floor, attic or garden",
            &json!({ "enum": ["gf", "at", "out"] }),
            &[("gf", &["ground floor"]), ("at", &["attic"]), ("out", &["garden"])],
        );
    }

    #[test]
    fn words_that_lead_into_a_list_are_not_of_its_first_item() {
        described(
            "Reports in detail the ground floor and the attic.",
            &json!({ "enum": ["gf", "at"] }),
            &[("gf", &["ground floor"]), ("at", &["attic"])],
        );
    }

    #[test]
    fn a_list_of_another_length_names_nothing() {
        described(
            "On: a floor, an attic or a garden",
            &json!({ "enum": ["x", 2] }),
            &[("x", &[]), ("2", &[])],
        );
    }

    #[test]
    fn variants_with_const_bring_their_own_descriptions() {
        described(
            "No list here",
            &json!({ "oneOf": [{ "const": "k", "description": "the kitchen" }, { "const": "b" }] }),
            &[("k", &["kitchen"]), ("b", &[])],
        );
    }

    #[test]
    fn an_array_takes_the_values_of_its_items() {
        described(
            "",
            &json!({ "type": "array", "items": { "enum": ["a", "b"] } }),
            &[("a", &[]), ("b", &[])],
        );
    }

    #[test]
    fn a_type_is_the_first_that_is_not_null() {
        let kind = |schema: Value| {
            Parameter { name: "x", schema: &schema, is_required: false, choices: vec![] }
                .kind()
                .to_owned()
        };
        assert_eq!(kind(json!({ "type": ["null", "number"] })), "number");
        assert_eq!(kind(json!({ "type": "boolean" })), "boolean");
        assert_eq!(kind(json!({})), "string");
    }
}
