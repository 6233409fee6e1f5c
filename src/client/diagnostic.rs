//! What a developer should know and no call reports.

use serde::Serialize;
use serde_json::Value;

use crate::json_text::shortened;

/// The most of a foreign text that is shown, in characters.
const SHOWN_CHARACTERS: usize = 200;

/// One `diagnostic` event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diagnostic {
    /// The code users match.
    pub code: &'static str,
    /// What was expected, what came, what to do.
    pub message: String,
    /// Plain data.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

impl Diagnostic {
    /// A diagnostic with `details`, `Value::Null` for none.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>, details: Value) -> Self {
        Self { code, message: message.into(), details }
    }
}

/// `text`, cut short when it is long.
#[must_use]
pub fn shown(text: &str) -> String {
    shortened(text, SHOWN_CHARACTERS).into_owned()
}
