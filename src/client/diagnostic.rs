//! What a developer should know and no call reports.

use serde::Serialize;
use serde_json::Value;

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
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        None => text.to_owned(),
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
    }
}
