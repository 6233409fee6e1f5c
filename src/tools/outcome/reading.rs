//! What a model reads of the answer to a call. Agent side. (`docs/protocol.md`, "Results")

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::go_json::error_text;
use crate::json_text::mend_surrogates;

/// What a model reads of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The text, before it is cut.
    pub text: String,
    /// Whether the call counts as failed.
    pub is_failed: bool,
}

impl Reading {
    fn done(text: String) -> Self {
        Self { text, is_failed: false }
    }

    fn failed(text: String) -> Self {
        Self { text, is_failed: true }
    }
}

/// Reads the `result` of an answer, given as the JSON text that came. An answer without `result` is
/// read as an empty text.
#[must_use]
pub fn read_result(json: &str) -> Reading {
    let json = json.trim();
    let mended = mend_surrogates(json);
    if let Ok(text) = serde_json::from_str::<String>(&mended) {
        return Reading::done(text);
    }
    match Content::read(&mended) {
        Ok(Some(Content { text, is_error: true })) => Reading::failed(wrapped(&text)),
        Ok(Some(Content { text, is_error: false })) => Reading::done(text),
        Ok(None) | Err(_) => Reading::done(json.to_owned()),
    }
}

/// Reads the `error` of an answer. `data` is JSON text.
#[must_use]
pub fn read_error(code: i64, message: &str, data: Option<&str>) -> Reading {
    Reading::failed(wrapped(&error_text(code, message, data)))
}

/// Returns what a model reads when no answer came in time, in the words of mm's SDK.
#[must_use]
pub fn timed_out() -> Reading {
    read_error(-32603, "Internal error", Some(r#"{"error":"context deadline exceeded"}"#))
}

/// Returns what a model reads when its call lacks parameters; no request is sent.
#[must_use]
pub fn missing_parameters(names: &[String]) -> Reading {
    Reading::failed(wrapped(&format!("missing required parameters: {}", names.join(", "))))
}

/// Returns what a model reads when the user refused the call.
#[must_use]
pub fn rejected(model_name: &str) -> Reading {
    Reading::failed(format!("[{model_name} rejected by user]"))
}

fn wrapped(text: &str) -> String {
    format!("[client tool error: {text}]")
}

/// The text of a list of content blocks.
struct Content {
    text: String,
    is_error: bool,
}

/// Members by name, their values unread: deep nesting and huge numbers pass. The last of equal names
/// wins, as in JavaScript and Go.
type Members<'json> = BTreeMap<String, &'json RawValue>;

impl Content {
    /// `None`: the result is no list of content blocks.
    ///
    /// # Errors
    ///
    /// It has a member of a wrong kind; an agent in Go does not read such a list either.
    fn read(json: &str) -> serde_json::Result<Option<Self>> {
        let members: Members<'_> = serde_json::from_str(json)?;
        let is_error = optional::<bool>(&members, "isError")?.unwrap_or(false);
        let Some(blocks) = optional::<Vec<Option<Members<'_>>>>(&members, "content")? else {
            return Ok(None);
        };
        let mut text = String::new();
        for block in blocks {
            text.push_str(&text_of_block(&block.unwrap_or_default())?);
        }
        Ok(Some(Self { text, is_error }))
    }
}

fn text_of_block(block: &Members<'_>) -> serde_json::Result<String> {
    let block_type = optional::<String>(block, "type")?.unwrap_or_default();
    if block_type == "text" {
        return Ok(optional::<String>(block, "text")?.unwrap_or_default());
    }
    Ok(format!("[client tool: non-text content of type {block_type} skipped]"))
}

/// Reads a member; absent and `null` are `None`.
fn optional<'json, T: serde::Deserialize<'json>>(
    members: &Members<'json>,
    name: &str,
) -> serde_json::Result<Option<T>> {
    members.get(name).map_or(Ok(None), |value| serde_json::from_str(value.get()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        assert_eq!(
            read_result(json),
            Reading { text: expected.to_owned(), is_failed: false },
            "{json}"
        );
    }

    #[track_caller]
    fn check_failed(reading: &Reading, expected: &str) {
        assert_eq!(*reading, Reading { text: expected.to_owned(), is_failed: true });
    }

    // The recorded dialogues `result-forms` and `answers-on-the-wire`.

    #[test]
    fn text_blocks_are_joined_with_nothing_between() {
        check(
            r#"{"content":[{"type":"text","text":"main.go\nutil.go"}],"isError":false}"#,
            "main.go\nutil.go",
        );
        check(r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#, "ab");
        check(r#"{"content":[]}"#, "");
    }

    #[test]
    fn a_failed_call_is_wrapped() {
        let json = r#"{"content":[{"type":"text","text":"no such topic"}],"isError":true}"#;
        check_failed(&read_result(json), "[client tool error: no such topic]");
        check_failed(&read_result(r#"{"content":[],"isError":true}"#), "[client tool error: ]");
    }

    #[test]
    fn blocks_of_another_type_are_told() {
        let json = r#"{"content":[{"type":"text","text":"x"},{"type":"image","data":"AAAA"},{"type":"text","text":"y"}]}"#;
        check(json, "x[client tool: non-text content of type image skipped]y");
        check(r#"{"content":[{"text":"a"}]}"#, "[client tool: non-text content of type  skipped]");
        check(r#"{"content":[null]}"#, "[client tool: non-text content of type  skipped]");
        check(
            r#"{"content":[{"type":"x","text":5}]}"#,
            "[client tool: non-text content of type x skipped]",
        );
    }

    #[test]
    fn a_text_block_without_text_is_empty() {
        check(r#"{"content":[{"type":"text"},{"type":"text","text":null}]}"#, "");
    }

    #[test]
    fn a_string_has_no_quotes() {
        check(r#""just text \"quoted\"""#, "just text \"quoted\"");
        check(r#""""#, "");
    }

    #[test]
    fn any_other_value_is_its_text_as_it_was_written() {
        for json in [
            "42",
            "1.5e-7",
            "true",
            "null",
            r#"{"z":1,"a":"<&>"}"#,
            r#"[1,"two",null]"#,
            "12345678901234567890.10",
            r#"{ "b" : 1,  "a" : [ 1 , 2 ] }"#,
            r#"{"structuredContent":{"a":1}}"#,
            "1e400",
            r#"{"k":"\ud800"}"#,
        ] {
            check(json, json);
        }
    }

    #[test]
    fn space_around_a_value_is_no_part_of_it() {
        check(" 42 ", "42");
    }

    #[test]
    fn no_result_is_an_empty_text() {
        check("", "");
    }

    #[test]
    fn is_error_counts_only_beside_a_content_array() {
        for json in [
            r#"{"isError":true}"#,
            r#"{"content":null,"isError":true}"#,
            r#"{"content":"plain","isError":true}"#,
        ] {
            check(json, json);
        }
    }

    #[test]
    fn a_content_list_with_a_member_of_a_wrong_kind_is_a_value_like_any_other() {
        for json in [
            r#"{"content":[{"type":"text","text":"a"}],"isError":"true"}"#,
            r#"{"content":["a"]}"#,
            r#"{"content":[{"type":"text","text":5}]}"#,
            r#"{"content":[{"type":5}]}"#,
        ] {
            check(json, json);
        }
    }

    #[test]
    fn is_error_may_be_null() {
        check(r#"{"content":[],"isError":null}"#, "");
    }

    #[test]
    fn the_last_of_equal_names_wins() {
        check(r#"{"content":[{"type":"text","text":"a"}],"content":[]}"#, "");
    }

    #[test]
    fn half_a_surrogate_pair_is_read_as_the_replacement_character() {
        check(r#"{"content":[{"type":"text","text":"a\ud800b"}]}"#, "a\u{fffd}b");
        check(r#""a\ud800b""#, "a\u{fffd}b");
        check(r#"{"content":[{"type":"text","text":"é 漢 😀"}]}"#, "é 漢 😀");
    }

    #[test]
    fn depth_and_huge_numbers_do_not_matter() {
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        check(&deep, &deep);
        let json = format!(r#"{{"content":[{{"type":"text","text":"a","x":{deep}}}],"n":1e400}}"#);
        check(&json, "a");
    }

    // The recorded dialogues `missing-required`, `permission-rejected` and `timeout-no-answer`.

    #[test]
    fn missing_parameters_are_named() {
        let reading = missing_parameters(&["a".to_owned(), "b".to_owned()]);
        check_failed(&reading, "[client tool error: missing required parameters: a, b]");
    }

    #[test]
    fn a_refused_call_is_told_without_the_word_error() {
        check_failed(&rejected("client_ping"), "[client_ping rejected by user]");
    }

    #[test]
    fn a_timeout_is_told_in_the_words_of_the_sdk() {
        let expected = r#"[client tool error: {"code":-32603,"message":"Internal error","data":{"error":"context deadline exceeded"}}]"#;
        check_failed(&timed_out(), expected);
    }

    #[test]
    fn an_error_answer_is_wrapped() {
        let expected = r#"[client tool error: {"code":-32601,"message":"Method not found"}]"#;
        check_failed(&read_error(-32601, "Method not found", None), expected);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _reading = read_result(&text);
            let _reading = read_result(&format!(r#"{{"content":[{text}]}}"#));
            let _reading = read_error(0, &text, Some(&text));
        }

        #[test]
        fn every_string_is_read_as_itself(text in any::<String>()) {
            prop_assert_eq!(read_result(&serde_json::to_string(&text).unwrap()).text, text);
        }
    }
}
