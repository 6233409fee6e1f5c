//! The protocol version this package speaks.

use serde_json::value::RawValue;

/// The one version spoken; an integer on the wire.
pub const PROTOCOL_VERSION: u16 = 1;

#[derive(serde::Deserialize)]
struct Answer<'a> {
    #[serde(borrow, rename = "protocolVersion", default)]
    protocol_version: Option<&'a RawValue>,
}

/// Checks the version in an answer to `initialize`, as JSON text.
///
/// # Errors
/// What came instead of `1`: JSON text, or `nothing`.
pub fn check_answer(result: &str) -> Result<(), String> {
    let answer: Answer<'_> =
        serde_json::from_str(result).unwrap_or(Answer { protocol_version: None });
    let came = answer.protocol_version.map_or("nothing", RawValue::get);
    if came == PROTOCOL_VERSION.to_string() { Ok(()) } else { Err(came.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(result: &str, expected: Result<(), &str>) {
        assert_eq!(check_answer(result), expected.map_err(str::to_owned));
    }

    #[test]
    fn version_one_is_spoken() {
        check(r#"{"protocolVersion":1,"agentCapabilities":{"x":1e400}}"#, Ok(()));
    }

    #[test]
    fn every_other_version_is_named() {
        check(r#"{"protocolVersion":2}"#, Err("2"));
        check(r#"{"protocolVersion":0}"#, Err("0"));
        check(r#"{"protocolVersion":"1"}"#, Err("\"1\""));
        check("{}", Err("nothing"));
        check("null", Err("nothing"));
    }
}
