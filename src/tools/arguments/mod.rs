//! The check of a call's arguments against the tool's schema, before the handler runs. Knows nothing of
//! calls. (`docs/protocol.md`, "Results")
//!
//! The draft is that of `$schema`, 2020-12 without one. `$ref` reaches inside the schema and into the
//! published drafts, never to a network or a file. Patterns run in linear time, without lookaround and
//! backreferences. `format`, `contentEncoding` and `contentMediaType` are annotations in every draft, as
//! 2020-12 has them: whether a date is a good one is for the handler to judge.

use std::fmt::{self, Write as _};
use std::sync::{Arc, LazyLock};

use mini_me_client_validator::{Schema, compile};
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::limits::{MAX_ARGUMENT_DEPTH, MAX_COMPLAINT, MAX_COMPLAINTS, MAX_PATTERN_BYTES};
use crate::json_text::{mend_surrogates, shortened};

use recursion::Bound;

mod complaint;
mod plain;
mod recursion;
mod step;
#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "tables of json!() values read better without &")]
mod tests;

type Compiled = Result<Arc<dyn Schema>, String>;

/// The schema of a tool.
#[derive(Debug, Clone)]
pub struct ArgumentCheck {
    /// Compiled when first needed, where it is [`plain`].
    schema: Arc<LazyLock<Compiled, Box<dyn FnOnce() -> Compiled + Send>>>,
    /// See [`recursion`].
    bound: Bound,
}

impl ArgumentCheck {
    /// Takes the schema of a tool.
    ///
    /// # Errors
    ///
    /// One line: where the schema breaks the rules of its draft, or what of it cannot be checked here.
    pub fn compile(schema: &Map<String, Value>) -> Result<Self, String> {
        let bound = recursion::bound(schema);
        let is_plain = plain::is_plain(schema);
        let source = Value::Object(schema.clone());
        let schema: LazyLock<_, Box<dyn FnOnce() -> Compiled + Send>> =
            LazyLock::new(Box::new(move || {
                compile(&source, MAX_PATTERN_BYTES).map_err(|error| complaint::of_schema(&error))
            }));
        if !is_plain {
            LazyLock::force(&schema).as_ref().map_err(Clone::clone)?;
        }
        Ok(Self { schema: Arc::new(schema), bound })
    }

    /// Checks the arguments of a call.
    ///
    /// # Errors
    ///
    /// What is wrong, for the model to read: one `path: what was expected, what came` a line, ten lines
    /// at most, then how many there are more.
    pub fn check(&self, arguments: &Value) -> Result<(), String> {
        if let Some((most, came)) = self.bound.exceeded(arguments) {
            return Err(format!(
                "arguments: expected at most {most} levels of nesting for this schema, got {came}"
            ));
        }
        let schema = LazyLock::force(&self.schema).as_ref().map_err(Clone::clone)?;
        if schema.is_valid(arguments) {
            return Ok(());
        }
        let mut text = String::new();
        let mut count = 0_usize;
        let errors = schema.errors(arguments);
        for complaint in errors.flat_map(|error| complaint::of_value(&error, arguments)) {
            count += 1;
            if count <= MAX_COMPLAINTS {
                if count > 1 {
                    text.push('\n');
                }
                text.push_str(&shortened(&complaint, MAX_COMPLAINT));
            }
        }
        if count > MAX_COMPLAINTS {
            // Writing to a String cannot fail.
            write!(text, "\n... and {} more", count - MAX_COMPLAINTS).unwrap_or_default();
        }
        Err(text)
    }

    /// Checks arguments that are still JSON text, as `JSON.parse` would read them: half surrogate pairs
    /// are taken for U+FFFD.
    ///
    /// # Errors
    ///
    /// As [`ArgumentCheck::check`]; or one line when the text is no JSON, is nested over 127 levels deep,
    /// or holds a number beyond the range of a double.
    pub fn check_text(&self, json: &str) -> Result<(), String> {
        match serde_json::from_str(&mend_surrogates(json)) {
            Ok(arguments) => self.check(&arguments),
            Err(error) => Err(of_text(&error)),
        }
    }

    /// As [`check_text`](Self::check_text), for an object whose member `other` is no argument. `None`
    /// when the text cannot be read whole: what is wrong may then be in that member alone.
    #[must_use]
    pub fn check_text_beside(&self, json: &str, other: &str) -> Option<Result<(), String>> {
        let json = mend_surrogates(json);
        let mut reader = serde_json::Deserializer::from_str(&json);
        let arguments = Beside(other).deserialize(&mut reader).ok()?;
        reader.end().ok()?;
        Some(self.check(&Value::Object(arguments)))
    }
}

/// Reads an object without the member of that name, which is passed over.
struct Beside<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Beside<'_> {
    type Value = Map<String, Value>;
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Beside<'_> {
    type Value = Map<String, Value>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut kept = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if name == self.0 {
                members.next_value::<IgnoredAny>()?;
            } else {
                kept.insert(name, members.next_value()?);
            }
        }
        Ok(kept)
    }
}

/// Says why a text could not be read. `serde_json` tells its reasons by their words alone.
fn of_text(error: &serde_json::Error) -> String {
    let place = format!("line {} column {}", error.line(), error.column());
    let reason = error.to_string();
    if reason.starts_with("recursion limit exceeded") {
        return format!(
            "arguments: expected at most {MAX_ARGUMENT_DEPTH} levels of nesting, got more at {place}"
        );
    }
    if reason.starts_with("number out of range") {
        return format!("arguments: expected numbers up to 1.8e308, got a larger one at {place}");
    }
    format!("arguments: expected JSON, got {reason}")
}
