//! The one update that makes up nearly all of a stream, in the shortest form JavaScript can read.
//!
//! A plain text chunk of the agent's message travels as `5,"session","text"`: parsing that is eight
//! to fifteen times cheaper than parsing the params. Only the exact shapes that SDKs write are
//! taken, so nothing is lost: a chunk with one member more travels whole.

/// Session id and text of a plain chunk: JSON string contents, still escaped.
#[derive(Debug, PartialEq, Eq)]
pub struct TextChunk<'a> {
    /// Between the quotes, without escapes.
    pub session: &'a str,
    /// Between the quotes, escaped as it came.
    pub text: &'a str,
}

const SESSION: &str = r#"{"sessionId":""#;

/// Around the text: the order in which the TypeScript and Rust SDKs write, and that of Go maps.
const SHAPES: [(&str, &str); 3] = [
    (
        r#"","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""#,
        r#""}}}"#,
    ),
    (
        r#"","update":{"content":{"text":""#,
        r#"","type":"text"},"sessionUpdate":"agent_message_chunk"}}"#,
    ),
    (
        r#"","update":{"sessionUpdate":"agent_message_chunk","content":{"text":""#,
        r#"","type":"text"}}}"#,
    ),
];

/// Reads the params of a `session/update` that is nothing but a text chunk.
///
/// `params` must be valid JSON: only then are its bytes known to be one object.
#[must_use]
pub fn text_chunk(params: &str) -> Option<TextChunk<'_>> {
    let rest = params.strip_prefix(SESSION)?;
    let (session, rest) = rest.split_at_checked(memchr::memchr2(b'"', b'\\', rest.as_bytes())?)?;
    SHAPES.iter().find_map(|(before, after)| {
        let text = rest.strip_prefix(before)?.strip_suffix(after)?;
        is_string_content(text).then_some(TextChunk { session, text })
    })
}

/// Whether no bare quote ends the string early; `text` came out of valid JSON.
fn is_string_content(text: &str) -> bool {
    let mut bytes = text.as_bytes();
    while let Some(at) = memchr::memchr2(b'"', b'\\', bytes) {
        if bytes.get(at) == Some(&b'"') {
            return false;
        }
        // The byte after a backslash belongs to it; without one the string ends in the escape.
        let Some(rest) = bytes.get(at + 2..) else { return false };
        bytes = rest;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(params: &str, expected: Option<(&str, &str)>) {
        serde_json::from_str::<serde_json::Value>(params).expect("the case is JSON");
        let found = text_chunk(params).map(|chunk| (chunk.session, chunk.text));
        assert_eq!(found, expected);
    }

    #[test]
    fn the_order_of_the_typescript_sdk_is_taken() {
        let params = r#"{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a \"b\"\\"}}}"#;
        check(params, Some(("s1", r#"a \"b\"\\"#)));
    }

    #[test]
    fn the_order_of_go_maps_is_taken() {
        let params = r#"{"sessionId":"s1","update":{"content":{"text":"hi","type":"text"},"sessionUpdate":"agent_message_chunk"}}"#;
        check(params, Some(("s1", "hi")));
    }

    #[test]
    fn one_member_more_travels_whole() {
        for params in [
            r#"{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a","_meta":{}}}}"#,
            r#"{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"m"}}"#,
            r#"{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a","x":"b"}}}"#,
            r#"{"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"a"}}}"#,
            r#"{"sessionId":"s\n","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}"#,
            r#"{"sessionId":"s","update":{"content":{"text":"a","uri":"","type":"text"},"sessionUpdate":"agent_message_chunk"}}"#,
        ] {
            check(params, None);
        }
    }
}
