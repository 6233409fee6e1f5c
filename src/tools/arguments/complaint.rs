//! Words for what a validator found. Each line is written for a model: it can correct its call from the
//! line alone. Values are cut short, and the work is bounded for values of any size.

use mini_me_client_validator::{
    Location, LocationSegment, TypeKind, ValidationError, ValidationErrorKind as Kind,
};
use serde_json::{Map, Value};

use crate::json_text::{MAX_SHOWN_VALUE, quoted, shortened, shown};
use crate::tools::limits::{MAX_COMPLAINT, MAX_PATTERN_BYTES};

/// Most values of an enumeration and most alternatives that are listed.
const MAX_LISTED: usize = 8;

/// Longest path, in characters.
const MAX_PATH: usize = 120;

/// Deepest alternatives within alternatives that are put into words.
const MAX_ALTERNATIVES_DEPTH: usize = 2;

/// Says what is wrong with a schema, in one line.
pub(super) fn of_schema(error: &ValidationError<'_>) -> String {
    let path = path_of(error.instance_path(), "inputSchema");
    let text = match error.kind() {
        Kind::Format { format } if format == "regex" => format!(
            "expected a regular expression without lookaround and backreferences, that takes {MAX_PATTERN_BYTES} \
             bytes at most when compiled, got {}",
            shown(error.instance())
        ),
        Kind::Referencing(reason) => format!("expected references within the schema, got {reason}"),
        kind => {
            format!("expected {}, got {}", expectation(kind, error, 0), shown(error.instance()))
        }
    };
    shortened(&format!("{path}: {text}"), MAX_COMPLAINT).into_owned()
}

/// Says what is wrong with arguments: a line for each member that is missing or should not be there, one
/// line for anything else.
pub(super) fn of_value(error: &ValidationError<'_>, arguments: &Value) -> Vec<String> {
    let location = error.instance_path();
    let unexpected = |name: &String| {
        let came = arguments
            .pointer(location.join(name.as_str()).as_str())
            .map_or_else(|| "one".to_owned(), shown);
        format!("{}: expected no such property, got {came}", path_to(location, name))
    };
    match error.kind() {
        Kind::Required { property } => {
            let path = path_to(location, property.as_str().unwrap_or_default());
            vec![format!("{path}: expected a value because it is required, got nothing")]
        }
        Kind::AdditionalProperties { unexpected: names }
        | Kind::UnevaluatedProperties { unexpected: names } => {
            names.iter().map(unexpected).collect()
        }
        kind => {
            if let Some(members) = closed_object(error, arguments) {
                return members.keys().map(unexpected).collect();
            }
            let path = path_of(location, "arguments");
            let expected = expectation(kind, error, 0);
            vec![format!("{path}: expected {expected}, got {}", came(kind, error.instance()))]
        }
    }
}

/// Returns the object that may have no members at all. The validator puts it as a value that may not be,
/// with the object's path and its first member's value.
fn closed_object<'value>(
    error: &ValidationError<'_>,
    arguments: &'value Value,
) -> Option<&'value Map<String, Value>> {
    let value = arguments.pointer(error.instance_path().as_str())?;
    let is_closed = matches!(error.kind(), Kind::FalseSchema) && value != error.instance().as_ref();
    value.as_object().filter(|_| is_closed)
}

/// Puts into words what a keyword asks for, to stand after "expected".
fn expectation(kind: &Kind, error: &ValidationError<'_>, depth: usize) -> String {
    match kind {
        Kind::Type { kind } => type_words(kind),
        Kind::Enum { options } => one_of(options),
        Kind::Constant { expected_value } => shown(expected_value),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => {
            format!("at least {}", counted(*limit, "character", "characters"))
        }
        Kind::MaxLength { limit } => {
            format!("at most {}", counted(*limit, "character", "characters"))
        }
        Kind::MinItems { limit } => format!("at least {}", counted(*limit, "item", "items")),
        Kind::MaxItems { limit } => format!("at most {}", counted(*limit, "item", "items")),
        Kind::AdditionalItems { limit } => format!("at most {limit} items"),
        Kind::MinProperties { limit } => {
            format!("at least {}", counted(*limit, "property", "properties"))
        }
        Kind::MaxProperties { limit } => {
            format!("at most {}", counted(*limit, "property", "properties"))
        }
        Kind::Pattern { pattern } => {
            format!("text that matches {}", shortened(pattern, MAX_SHOWN_VALUE))
        }
        Kind::Format { format } => format!("text in the format {}", quoted(format)),
        Kind::UniqueItems => "items that all differ".to_owned(),
        Kind::Contains => "the number of matching items that `contains` asks for".to_owned(),
        Kind::Required { property } => format!("the property {}", shown(property)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let names: Vec<String> =
                unexpected.iter().take(MAX_LISTED).map(|name| quoted(name)).collect();
            format!("no property {}", names.join(" and "))
        }
        Kind::UnevaluatedItems { .. } => "no further items".to_owned(),
        Kind::PropertyNames { error } => {
            format!("property names to be {}", expectation(error.kind(), error, depth))
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            alternatives(context, error.instance_path(), depth)
        }
        Kind::OneOfMultipleValid { .. } => {
            "a value that fits only one of the alternatives".to_owned()
        }
        Kind::Not { schema } => format!("anything but {}", shown(schema)),
        Kind::FalseSchema => "no value".to_owned(),
        // Keywords and failures with words of their own.
        _ => shortened(&error.masked_with("the value").to_string(), MAX_SHOWN_VALUE).into_owned(),
    }
}

/// Tells what came: a count where a count was asked for, else the value.
fn came(kind: &Kind, value: &Value) -> String {
    match (kind, value) {
        (Kind::PropertyNames { error }, _) => shown(error.instance()),
        (Kind::MinLength { .. } | Kind::MaxLength { .. }, Value::String(text)) => {
            format!("{} in {}", text.chars().count(), shown(value))
        }
        (
            Kind::MinItems { .. } | Kind::MaxItems { .. } | Kind::AdditionalItems { .. },
            Value::Array(items),
        ) => items.len().to_string(),
        (Kind::MinProperties { .. } | Kind::MaxProperties { .. }, Value::Object(members)) => {
            members.len().to_string()
        }
        _ => shown(value),
    }
}

/// Tells what each alternative asks for first.
fn alternatives(
    branches: &[Vec<ValidationError<'static>>],
    around: &Location,
    depth: usize,
) -> String {
    if depth == MAX_ALTERNATIVES_DEPTH {
        return "a value that fits one of the alternatives".to_owned();
    }
    let mut words: Vec<String> = Vec::new();
    for error in branches.iter().filter_map(|errors| errors.first()) {
        let expected = expectation(error.kind(), error, depth + 1);
        let phrase = if error.instance_path() == around {
            expected
        } else {
            format!("{} to be {expected}", path_of(error.instance_path(), "arguments"))
        };
        if !words.contains(&phrase) {
            words.push(phrase);
        }
    }
    let more = words.len().saturating_sub(MAX_LISTED);
    words.truncate(MAX_LISTED);
    if more > 0 {
        words.push(format!("one of {more} more alternatives"));
    }
    words.join(", or ")
}

fn type_words(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => with_article(&one.to_string()),
        TypeKind::Multiple(several) => several
            .iter()
            .map(|one| with_article(&one.to_string()))
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

fn with_article(type_name: &str) -> String {
    match type_name {
        "null" => "null".to_owned(),
        "array" | "integer" | "object" => format!("an {type_name}"),
        _ => format!("a {type_name}"),
    }
}

fn one_of(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let listed: Vec<String> = options.iter().take(MAX_LISTED).map(shown).collect();
    let more = options.len() - listed.len();
    if more == 0 {
        return format!("one of {}", listed.join(", "));
    }
    format!("one of {} or {more} more", listed.join(", "))
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn path_to(location: &Location, member: &str) -> String {
    path_of(&location.join(member), "arguments")
}

/// Writes a path as JavaScript does: `items[2].name`, `["odd name"]`; the root has a name of its own.
fn path_of(location: &Location, root: &str) -> String {
    let mut path = String::new();
    for segment in location.segments() {
        let part = match segment {
            LocationSegment::Index(index) => format!("[{index}]"),
            LocationSegment::Property(name) if !is_plain(&name) => format!("[{}]", quoted(&name)),
            LocationSegment::Property(name) if path.is_empty() => name.into_owned(),
            LocationSegment::Property(name) => format!(".{name}"),
        };
        path.push_str(&part);
    }
    if path.is_empty() {
        return root.to_owned();
    }
    shortened(&path, MAX_PATH).into_owned()
}

fn is_plain(name: &str) -> bool {
    let is_word =
        |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    !name.is_empty() && name.len() <= MAX_SHOWN_VALUE && name.chars().all(is_word)
}
