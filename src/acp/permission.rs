//! How a decision becomes the answer to `session/request_permission`. A decision is never widened:
//! a word picks an option of that very kind, and no word ever falls back to an allow.

use serde_json::{Value, json};

/// One choice the agent offers. Kinds are kept as they came; agents invent some, and repeat some.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionOption {
    /// What is sent back, byte for byte.
    pub option_id: String,
    /// `allow_once`, `allow_always`, `reject_once`, `reject_always`, or another word.
    #[serde(default)]
    pub kind: String,
}

/// What the program decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The first offered option of this kind.
    Kind(String),
    /// This very option.
    Option(String),
    /// No choice.
    Cancelled,
}

/// The answer, and whether the decision could be carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The `result` of the request.
    pub result: Value,
    /// What was offered instead, when the decision names nothing that was: the answer then is
    /// `cancelled`.
    pub missing: Option<String>,
}

/// Chooses among what was offered.
#[must_use]
pub fn choose(decision: &Decision, offered: &[PermissionOption]) -> Choice {
    let found = match decision {
        Decision::Cancelled => return Choice { result: cancelled(), missing: None },
        Decision::Kind(kind) => offered.iter().find(|option| option.kind == *kind),
        Decision::Option(id) => offered.iter().find(|option| option.option_id == *id),
    };
    match found {
        Some(option) => {
            let outcome = json!({ "outcome": "selected", "optionId": option.option_id });
            Choice { result: json!({ "outcome": outcome }), missing: None }
        }
        None => Choice { result: cancelled(), missing: Some(describe(offered)) },
    }
}

fn cancelled() -> Value {
    json!({ "outcome": { "outcome": "cancelled" } })
}

fn describe(offered: &[PermissionOption]) -> String {
    if offered.is_empty() {
        return "no option".to_owned();
    }
    let options: Vec<String> =
        offered.iter().map(|option| format!("{} ({})", option.option_id, option.kind)).collect();
    options.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered() -> Vec<PermissionOption> {
        [
            ("always", "allow_always"),
            ("α β", "allow_once"),
            ("1", "allow_once"),
            ("no", "reject_once"),
        ]
        .map(|(id, kind)| PermissionOption { option_id: id.into(), kind: kind.into() })
        .to_vec()
    }

    #[track_caller]
    fn check(decision: &Decision, expected: Option<&str>) {
        let choice = choose(decision, &offered());
        let result = match expected {
            Some(id) => json!({ "outcome": { "outcome": "selected", "optionId": id } }),
            None => cancelled(),
        };
        assert_eq!(choice.result, result);
        assert_eq!(
            choice.missing.is_some(),
            expected.is_none() && *decision != Decision::Cancelled
        );
    }

    #[test]
    fn a_word_picks_the_first_option_of_that_very_kind() {
        check(&Decision::Kind("allow_once".into()), Some("α β"));
        check(&Decision::Kind("allow_always".into()), Some("always"));
        check(&Decision::Kind("reject_once".into()), Some("no"));
    }

    #[test]
    fn a_word_that_is_not_offered_is_cancelled_never_widened() {
        check(&Decision::Kind("reject_always".into()), None);
        check(&Decision::Kind("reject".into()), None);
        check(&Decision::Kind("allow".into()), None);
    }

    #[test]
    fn an_id_is_taken_byte_for_byte_or_not_at_all() {
        check(&Decision::Option("1".into()), Some("1"));
        check(&Decision::Option("α β".into()), Some("α β"));
        check(&Decision::Option("No".into()), None);
    }

    #[test]
    fn cancelled_is_no_miss() {
        check(&Decision::Cancelled, None);
    }
}
