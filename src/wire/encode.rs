//! How lines and JSON text are written.

/// JSON-RPC: the method does not exist. Goes out without `data`, as mm's SDK expects.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// JSON-RPC: not a request.
pub const INVALID_REQUEST: i64 = -32600;
/// JSON-RPC: a handler failed.
pub const INTERNAL_ERROR: i64 = -32603;
/// ACP: the request was cancelled by the side that had sent it.
pub const REQUEST_CANCELLED: i64 = -32800;
/// JSON-RPC: the first of the codes left to servers.
pub const SERVER_ERROR: i64 = -32000;

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

/// Appends the answer to a request, as [`result`] writes it.
pub fn push_result(out: &mut Vec<u8>, id: &str, result: &str) {
    push_line(out, &[r#","id":"#, id, r#","result":"#, result]);
}

/// Appends the refusal of a request, as [`error`] writes it.
pub fn push_error(out: &mut Vec<u8>, id: &str, error: &str) {
    push_line(out, &[r#","id":"#, id, r#","error":"#, error]);
}

/// The answer to a request in pieces, so that a large one is not copied.
#[must_use]
pub fn answer_pieces(id: &str, is_error: bool, json: String) -> Vec<Vec<u8>> {
    let name = if is_error { r#","error":"# } else { r#","result":"# };
    let head = [HEAD, br#","id":"#, id.as_bytes(), name.as_bytes()].concat();
    let mut rest = json.into_bytes();
    rest.extend_from_slice(TAIL);
    vec![head, rest]
}

fn line(parts: &[&str]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut line = Vec::with_capacity(HEAD.len() + length + 2);
    push_line(&mut line, parts);
    line
}

const HEAD: &[u8] = br#"{"jsonrpc":"2.0""#;
const TAIL: &[u8] = b"}\n";

fn push_line(out: &mut Vec<u8>, parts: &[&str]) {
    out.extend_from_slice(HEAD);
    for part in parts {
        out.extend_from_slice(part.as_bytes());
    }
    out.extend_from_slice(TAIL);
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
