//! The JSON text of a tool that a program lends, before it is read. Knows nothing of what is in it.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::description::Flaw;
use super::limits::MAX_SCHEMA_LEVELS;
use crate::json_text::levels;

/// Refuses what is nested deeper than can be read.
///
/// # Errors
///
/// The [`Flaw`] of the first member that is too deep.
pub fn check_levels(definition: &str) -> Result<(), Flaw> {
    let around = 1;
    if levels(definition) <= MAX_SCHEMA_LEVELS + around {
        return Ok(());
    }
    // What is no object is refused when it is read.
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(definition).unwrap_or_default();
    for (name, member) in members {
        let came = levels(member.get());
        if came > MAX_SCHEMA_LEVELS {
            return Err(match name.as_str() {
                "inputSchema" => Flaw::SchemaDepth { levels: came },
                _ => Flaw::Shape(format!(
                    "{name} must have at most {MAX_SCHEMA_LEVELS} levels of JSON, got {came}"
                )),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    fn with(name: &str, levels: usize) -> String {
        format!(r#"{{"name":"a","{name}":{},"validate":false}}"#, nested(levels))
    }

    #[test]
    fn a_schema_has_as_many_levels_as_can_be_read_where_it_travels() {
        let most = with("inputSchema", MAX_SCHEMA_LEVELS);
        assert_eq!(check_levels(&most), Ok(()));
        let initialize =
            format!(r#"{{"params":{{"clientCapabilities":{{"_meta":{{"l":[{most}]}}}}}}}}"#);
        assert!(serde_json::from_str::<serde_json::Value>(&initialize).is_ok());
        assert_eq!(
            check_levels(&with("inputSchema", MAX_SCHEMA_LEVELS + 1)),
            Err(Flaw::SchemaDepth { levels: MAX_SCHEMA_LEVELS + 1 })
        );
    }

    #[test]
    fn the_flaw_names_the_limit_and_what_came() {
        let flaw = check_levels(&with("inputSchema", 100_000)).unwrap_err();
        assert_eq!(flaw.code(), "MM_ERR_TOOL_SCHEMA");
        assert_eq!(
            flaw.to_string(),
            "inputSchema has too many levels: expected at most 120 levels of JSON, got 100000"
        );
    }

    #[test]
    fn another_member_is_named() {
        let flaw = check_levels(&with("description", 200)).unwrap_err();
        assert_eq!(flaw.code(), "MM_ERR_TOOL");
        assert!(
            flaw.to_string().contains("description must have at most 120 levels of JSON, got 200")
        );
    }

    #[test]
    fn what_is_no_object_is_left_to_be_read() {
        assert_eq!(check_levels(&nested(500)), Ok(()));
        assert_eq!(check_levels("{"), Ok(()));
    }
}
