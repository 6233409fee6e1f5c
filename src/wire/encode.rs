//! How lines and JSON text are written.

use std::borrow::Cow;

/// JSON-RPC: the method does not exist. Goes out without `data`, as mm's SDK expects.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// JSON-RPC: not a request.
pub const INVALID_REQUEST: i64 = -32600;
/// JSON-RPC: a handler failed.
pub const INTERNAL_ERROR: i64 = -32603;
/// ACP: the request was cancelled by the side that had sent it.
pub const REQUEST_CANCELLED: i64 = -32800;

/// Appends `text` as a JSON string.
pub fn push_string(out: &mut Vec<u8>, text: &str) {
    // Writing into memory cannot fail.
    drop(serde_json::to_writer(out, text));
}

/// `text` as a JSON string.
#[must_use]
pub fn string(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    String::from_utf8(out).unwrap_or_default()
}

/// An error object without `data`.
#[must_use]
pub fn error_object(code: i64, message: &str) -> String {
    format!(r#"{{"code":{code},"message":{}}}"#, string(message))
}

/// A request; `id` and `params` are JSON text.
#[must_use]
pub fn request(id: &str, method: &str, params: &str) -> Vec<u8> {
    line(&[r#","id":"#, id, r#","method":"#, &string(method), r#","params":"#, params])
}

/// A notification; `params` is JSON text.
#[must_use]
pub fn notification(method: &str, params: &str) -> Vec<u8> {
    line(&[r#","method":"#, &string(method), r#","params":"#, params])
}

/// The answer to a request; `id` and `result` are JSON text.
#[must_use]
pub fn result(id: &str, result: &str) -> Vec<u8> {
    line(&[r#","id":"#, id, r#","result":"#, result])
}

/// The refusal of a request; `id` and `error` are JSON text.
#[must_use]
pub fn error(id: &str, error: &str) -> Vec<u8> {
    line(&[r#","id":"#, id, r#","error":"#, error])
}

fn line(parts: &[&str]) -> Vec<u8> {
    const HEAD: &[u8] = br#"{"jsonrpc":"2.0""#;
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut line = Vec::with_capacity(HEAD.len() + length + 2);
    line.extend_from_slice(HEAD);
    for part in parts {
        line.extend_from_slice(part.as_bytes());
    }
    line.extend_from_slice(b"}\n");
    line
}

/// Puts U+FFFD in the place of each half of a surrogate pair in JSON text.
///
/// JavaScript cuts strings in the middle of an emoji and writes the half as `\ud83d`. Strict JSON
/// parsers refuse the whole message for it, so none is sent.
#[must_use]
pub fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let has_surrogates =
        [&b"\\ud"[..], b"\\uD"].iter().any(|escape| memchr::memmem::find(bytes, escape).is_some());
    if !has_surrogates {
        return Cow::Borrowed(json);
    }
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(offset) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        let escape = at + offset;
        at = escape + 2;
        let Some(unit) = surrogate_at(bytes, escape) else { continue };
        let is_high = unit < 0xDC00;
        if is_high && surrogate_at(bytes, escape + 6).is_some_and(|next| next >= 0xDC00) {
            at = escape + 12;
            continue;
        }
        out.push_str(json.get(copied..escape).unwrap_or_default());
        out.push_str("\\ufffd");
        copied = escape + 6;
        at = copied;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// The surrogate that the escape `\uXXXX` at `at` stands for.
fn surrogate_at(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    let unit = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xD800..0xE000).contains(&unit).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        assert_eq!(without_lone_surrogates(json), expected);
    }

    #[test]
    fn halves_of_a_pair_are_replaced() {
        check(r#""a\ud83d""#, r#""a\ufffd""#);
        check(r#""\udE00b""#, r#""\ufffdb""#);
        check(r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#);
        check(r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#);
    }

    #[test]
    fn whole_pairs_and_escaped_backslashes_stay() {
        check(r#""\ud83d\ude00""#, r#""\ud83d\ude00""#);
        check(r#""\\ud83d""#, r#""\\ud83d""#);
        check(r#""\u0041\n""#, r#""\u0041\n""#);
    }

    #[test]
    fn lines_are_written_with_their_line_feed() {
        assert_eq!(
            request("1", "a\"b", "{}"),
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\\\"b\",\"params\":{}}\n"
        );
        let refusal = error("\"x\"", &error_object(METHOD_NOT_FOUND, "Method not found"));
        assert_eq!(
            refusal,
            b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}\n"
        );
    }

    proptest! {
        #[test]
        fn the_result_is_always_json_for_a_strict_parser(units in proptest::collection::vec(
            prop_oneof![0xD7F0u16..0xE010, any::<u16>()], 0..20)) {
            let escaped: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let escaped = escaped.concat();
            let json = format!("\"{escaped}\"");
            let read: String = serde_json::from_str(&without_lone_surrogates(&json)).unwrap();
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }
    }
}
