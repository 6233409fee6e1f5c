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

/// What precedes the params in the lines of all SDKs.
const LINE: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":"#;
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

/// Reads a whole line that is nothing but the `session/update` of a text chunk, and checks what of it
/// can vary: a fifth of the cost of classifying the line first. `None` says nothing about the line.
#[must_use]
pub fn text_line(line: &str) -> Option<TextChunk<'_>> {
    let params = line.strip_prefix(LINE)?.strip_suffix('}')?;
    let (session, rest) = session_of(params)?;
    let chunk = SHAPES.iter().find_map(|(before, after)| {
        let text = rest.strip_prefix(before)?.strip_suffix(after)?;
        Some(TextChunk { session, text })
    })?;
    (is_valid_content(chunk.session) && is_valid_content(chunk.text)).then_some(chunk)
}

/// The session of the params of a `session/update`, when it is their first member and without escapes, as
/// all SDKs write it. `None` says nothing about the params.
#[must_use]
pub fn first_session(params: &str) -> Option<&str> {
    let (session, rest) = session_of(params)?;
    rest.starts_with('"').then_some(session)
}

fn session_of(params: &str) -> Option<(&str, &str)> {
    let rest = params.strip_prefix(SESSION)?;
    rest.split_at_checked(memchr::memchr2(b'"', b'\\', rest.as_bytes())?)
}

/// Whether `content` between quotes is one JSON string. Half surrogate pairs pass, as in RFC 8259.
fn is_valid_content(content: &str) -> bool {
    let mut rest = content.as_bytes();
    loop {
        rest = match rest.get(plain_length(rest)..).unwrap_or_default() {
            [] => return true,
            [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', tail @ ..] => tail,
            [b'\\', b'u', a, b, c, d, tail @ ..]
                if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()) =>
            {
                tail
            }
            _ => return false,
        };
    }
}

/// How many bytes come before the first quote, backslash or control character.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES << 7;
    let has_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let is_control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let is_quote = has_zero(word ^ (ONES * u64::from(b'"')));
        let is_backslash = has_zero(word ^ (ONES * u64::from(b'\\')));
        let found = is_control | is_quote | is_backslash;
        if found != 0 {
            // Only the lowest mark is sure: what borrows from it may mark bytes above.
            let offset = usize::try_from(found.trailing_zeros() / 8).unwrap_or_default();
            return at * 8 + offset;
        }
    }
    let is_plain = |byte: &&u8| !matches!(**byte, 0..0x20 | b'"' | b'\\');
    words.len() * 8 + rest.iter().take_while(is_plain).count()
}

/// Reads the params of a `session/update` that is nothing but a text chunk.
///
/// `params` must be valid JSON: only then are its bytes known to be one object.
#[must_use]
pub fn text_chunk(params: &str) -> Option<TextChunk<'_>> {
    let (session, rest) = session_of(params)?;
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
    use proptest::prelude::*;

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

    fn line(params: &str) -> String {
        format!("{LINE}{params}}}")
    }

    #[test]
    fn a_line_is_taken_when_its_text_is_a_string() {
        let text = r#"0123456\"\\\/\b\f\n\r\t\u00e9\ud83d é🚀 01234567"#;
        for (before, after) in SHAPES {
            let line = line(&format!("{SESSION}s1{before}{text}{after}"));
            serde_json::from_str::<&serde_json::value::RawValue>(&line).unwrap();
            assert_eq!(text_line(&line), Some(TextChunk { session: "s1", text }));
        }
    }

    #[test]
    fn a_line_whose_text_is_no_string_is_left_to_the_classifier() {
        let (before, after) = SHAPES[0];
        for text in ["\"", "\\", "\\x", "\\u12g4", "\\u12", "\t", "01234567\u{1}", "\",\"a\":\"b"] {
            assert_eq!(
                text_line(&line(&format!("{SESSION}s{before}{text}{after}"))),
                None,
                "{text}"
            );
        }
        assert_eq!(text_line(&line(&format!("{SESSION}s\n{before}a{after}"))), None);
    }

    proptest! {
        #[test]
        fn a_line_that_is_taken_says_what_the_classifier_says(text in "[ -~é\u{0}-\u{20}]{0,40}", escapes in "(\\\\.){0,4}") {
            let (before, after) = SHAPES[0];
            let params = format!("{SESSION}s{before}{text}{escapes}{after}");
            let line = line(&params);
            let is_json = serde_json::from_str::<&serde_json::value::RawValue>(&line).is_ok();
            let expected = if is_json { text_chunk(&params) } else { None };
            prop_assert_eq!(text_line(&line), expected);
        }
    }
}
