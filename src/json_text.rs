//! Small things about JSON text that several rooms need: naming a value's kind, showing a value cut
//! short, mending half surrogate pairs. Knows none of the rooms.

use std::borrow::Cow;
use std::io;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::Value;

/// The most of a foreign value that a message shows, in characters.
pub(crate) const MAX_SHOWN_VALUE: usize = 80;

/// Names the kind of a value, with its article.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Returns the JSON text of a value, cut after [`MAX_SHOWN_VALUE`] characters. The work is bounded as
/// well: of a value of megabytes only the beginning is written.
pub(crate) fn shown(value: &Value) -> String {
    // A character takes four bytes at most, so the head holds one whole character too many when cut.
    let mut head = Head { bytes: Vec::new(), room: 4 * (MAX_SHOWN_VALUE + 1) };
    let is_whole = serde_json::to_writer(&mut head, value).is_ok();
    let text = String::from_utf8_lossy(&head.bytes);
    if is_whole {
        return shortened(&text, MAX_SHOWN_VALUE).into_owned();
    }
    format!("{}…", text.chars().take(MAX_SHOWN_VALUE).collect::<String>())
}

/// Returns a text as [`shown`] shows it: a JSON string, so that a message stays on its line.
pub(crate) fn quoted(text: &str) -> String {
    shown(&Value::String(shortened(text, MAX_SHOWN_VALUE).into_owned()))
}

/// Cuts a text after `most` characters and says so with `…`.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.split_at(end).0)),
    }
}

/// The first bytes of what is written; then writing fails.
struct Head {
    bytes: Vec<u8>,
    room: usize,
}

impl io::Write for Head {
    fn write(&mut self, written: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(io::Error::other("the head is full"));
        }
        let taken = written.len().min(self.room);
        self.bytes.extend_from_slice(written.split_at(taken).0);
        self.room -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How the escape of a surrogate begins. To make a finder takes longer than to search a small text.
static SURROGATES: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new("\\ud"), Finder::new("\\uD")]);

/// Replaces each escape of a surrogate without its other half by `\ufffd`. `JSON.stringify` writes them
/// for strings cut within a pair, `JSON.parse` and Go read them, `serde_json` refuses them.
pub(crate) fn mend_surrogates(json: &str) -> Cow<'_, str> {
    if !SURROGATES.iter().any(|escape| escape.find(json.as_bytes()).is_some()) {
        return Cow::Borrowed(json);
    }
    let mut mended = String::new();
    let mut kept = json;
    let mut rest = json;
    while let Some(position) = rest.find('\\') {
        let escape = rest.split_at(position).1;
        let length = match (code_unit(escape), escape.get(6..).and_then(code_unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                mended.push_str(kept.split_at(kept.len() - escape.len()).0);
                mended.push_str("\\ufffd");
                kept = escape.split_at(6).1;
                6
            }
            (Some(_), _) => 6,
            // The character after a backslash, so that an escaped backslash is not taken for one.
            (None, _) => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        rest = escape.split_at(length).1;
    }
    if kept.len() == json.len() {
        return Cow::Borrowed(json);
    }
    mended.push_str(kept);
    Cow::Owned(mended)
}

/// Reads `\uXXXX` at the start of a text.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

/// How deep arrays and objects are nested in a JSON text.
pub(crate) fn levels(json: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    let mut is_string = false;
    let mut bytes = json.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            // What it escapes ends no string.
            b'\\' => drop(bytes.next()),
            b'"' => is_string = !is_string,
            b'{' | b'[' if !is_string => {
                open += 1;
                most = most.max(open);
            }
            b'}' | b']' if !is_string => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        assert_eq!(mend_surrogates(json), expected);
    }

    #[test]
    fn half_a_pair_is_replaced() {
        check(r#""a\ud800b""#, r#""a\ufffdb""#);
        check(r#""a\uDC00""#, r#""a\ufffd""#);
        check(r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#);
    }

    #[test]
    fn whole_pairs_and_other_escapes_are_kept() {
        check(r#""\ud83d\ude00 \u00e9 \n \\ é""#, r#""\ud83d\ude00 \u00e9 \n \\ é""#);
    }

    #[test]
    fn an_escaped_backslash_before_a_u_is_no_surrogate() {
        check(r#""\\ud800""#, r#""\\ud800""#);
    }

    #[test]
    fn a_broken_escape_is_left_for_the_parser() {
        check(r#""\ud80""#, r#""\ud80""#);
        check(r"\", r"\");
        check(r"\é\u+123", r"\é\u+123");
    }

    #[test]
    fn a_short_value_is_shown_whole() {
        assert_eq!(shown(&json!({"a": [1, "é"]})), r#"{"a":[1,"é"]}"#);
        let exact = "é".repeat(MAX_SHOWN_VALUE - 2);
        assert_eq!(shown(&json!(exact)), format!("\"{exact}\""));
    }

    #[test]
    fn a_long_value_is_cut_between_characters() {
        let beginning = "😀".repeat(MAX_SHOWN_VALUE - 1);
        assert_eq!(shown(&json!("😀".repeat(500))), format!("\"{beginning}…"));
        assert_eq!(shown(&json!("a".repeat(MAX_SHOWN_VALUE))).chars().count(), MAX_SHOWN_VALUE + 1);
    }

    #[test]
    fn a_quoted_text_stays_on_one_line() {
        assert_eq!(quoted("a\n\"b\""), r#""a\n\"b\"""#);
    }

    #[test]
    fn levels_are_those_of_arrays_and_objects() {
        for (json, expected) in [
            ("1", 0),
            ("[]", 1),
            (r#"{"a":[1,{"b":[]}],"c":{}}"#, 4),
            (r#"["[[","\"[[",["\\"]]"#, 2),
        ] {
            assert_eq!(levels(json), expected, "{json}");
        }
    }

    proptest! {
        #[test]
        fn mending_never_panics(text in any::<String>()) {
            mend_surrogates(&text);
        }

        #[test]
        fn every_string_of_code_units_parses_when_mended(units in proptest::collection::vec(any::<u16>(), 0..20)) {
            let escapes: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let escapes = escapes.concat();
            let parsed: String = serde_json::from_str(&mend_surrogates(&format!("\"{escapes}\""))).unwrap();
            prop_assert_eq!(parsed, String::from_utf16_lossy(&units));
        }
    }
}
