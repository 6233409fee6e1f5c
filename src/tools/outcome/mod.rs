//! Both ends of a call's result: what a client sends when its handler gave no result of its own, and
//! what a model reads of an answer. Knows nothing of requests. (`docs/protocol.md`, "Results")

use serde_json::Value;

mod cut;
mod go_json;
mod reading;

pub use cut::cut;
pub use go_json::error_text;
pub use reading::{Reading, missing_parameters, read_error, read_result, rejected, timed_out};

/// The result of a handler that returned `undefined`, as JSON text.
pub const EMPTY_RESULT: &str = r#"{"content":[]}"#;

/// Returns the result of a failed call, as JSON text. A failure is never a JSON-RPC error: the text is
/// for the model to read.
#[must_use]
pub fn failure_result(text: &str) -> String {
    let text = Value::from(text);
    format!(r#"{{"content":[{{"type":"text","text":{text}}}],"isError":true}}"#)
}

/// Returns the result that stands for one whose line an agent would not read, as JSON text.
#[must_use]
pub fn too_large_result(bytes: usize, limit_bytes: usize) -> String {
    failure_result(&format!(
        "the result is too large: expected a line of {limit_bytes} bytes at most, got {bytes}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(result: &str, expected: &str) {
        assert_eq!(result, expected);
    }

    #[test]
    fn a_failure_is_a_text_block_with_is_error() {
        check(
            &failure_result("no such topic"),
            r#"{"content":[{"type":"text","text":"no such topic"}],"isError":true}"#,
        );
    }

    #[test]
    fn the_text_of_a_failure_is_escaped_and_stays_on_one_line() {
        check(
            &failure_result("a\n\"é\""),
            r#"{"content":[{"type":"text","text":"a\n\"é\""}],"isError":true}"#,
        );
    }

    #[test]
    fn a_result_that_is_too_large_names_size_and_limit() {
        let text = "the result is too large: expected a line of 10 bytes at most, got 12";
        check(&too_large_result(12, 10), &failure_result(text));
    }

    #[test]
    fn a_model_reads_what_a_client_sends() {
        let failed = read_result(&failure_result("why"));
        assert_eq!(
            failed,
            Reading { text: "[client tool error: why]".to_owned(), is_failed: true }
        );
        assert_eq!(read_result(EMPTY_RESULT), Reading { text: String::new(), is_failed: false });
    }
}
