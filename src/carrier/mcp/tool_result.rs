//! What a handler gave, as an MCP client reads it. Clients refuse a result whole when one of its
//! blocks is not as MCP has it, so such a block becomes text.

use serde_json::value::RawValue;

use crate::carrier::members::Members;
use crate::json_text::mend_surrogates;
use crate::wire::encode::string;

/// Turns the result of a call, JSON text in the form `docs/protocol.md`, "Results" says, into a
/// `CallToolResult`.
#[must_use]
pub fn from_handler(json: &str) -> String {
    let json = &*mend_surrogates(json);
    if let Ok(text) = serde_json::from_str::<String>(json) {
        return format!(r#"{{"content":[{}]}}"#, text_block(&text));
    }
    let Ok(members) = serde_json::from_str::<Members<'_>>(json) else {
        return format!(r#"{{"content":[{}]}}"#, text_block(json));
    };
    match members.get("content").and_then(blocks) {
        Some(blocks) => with_content(&members, &blocks),
        // The model reads the text, a program the object.
        None => format!(r#"{{"content":[{}],"structuredContent":{json}}}"#, text_block(json)),
    }
}

/// The result of a revision whose results say what they are.
#[must_use]
pub fn completed(result: &str) -> String {
    match result.strip_prefix('{').map(str::trim_start) {
        Some("}") => r#"{"resultType":"complete"}"#.to_owned(),
        Some(rest) => format!(r#"{{"resultType":"complete",{rest}"#),
        None => result.to_owned(),
    }
}

fn with_content(members: &Members<'_>, blocks: &[String]) -> String {
    let more = members.keeping(|name, value| match name {
        "isError" => matches!(value, "true" | "false"),
        "structuredContent" | "_meta" => value.starts_with('{'),
        "content" | "resultType" => false,
        _ => true,
    });
    let content = blocks.join(",");
    match more.strip_prefix('{').filter(|more| *more != "}") {
        Some(more) => format!(r#"{{"content":[{content}],{more}"#),
        None => format!(r#"{{"content":[{content}]}}"#),
    }
}

/// The blocks of a content; `None` when it is no array.
fn blocks(content: &str) -> Option<Vec<String>> {
    let blocks: Vec<&RawValue> = serde_json::from_str(content).ok()?;
    Some(blocks.into_iter().map(|block| mended(block.get())).collect())
}

/// A block as MCP has it. Members that are null are left out: ACP allows them, MCP does not.
fn mended(block: &str) -> String {
    let whole = || text_block(block);
    let Ok(members) = serde_json::from_str::<Members<'_>>(block) else { return whole() };
    let is_text = |name: &str| members.get(name).is_some_and(|value| value.starts_with('"'));
    let kind = members.get("type").unwrap_or_default();
    let is_known = match kind {
        r#""text""# => is_text("text"),
        r#""image""# | r#""audio""# => is_text("data") && is_text("mimeType"),
        r#""resource_link""# => is_text("uri") && is_text("name"),
        r#""resource""# => return resource_block(&members).unwrap_or_else(whole),
        _ => false,
    };
    if is_known { members.keeping(|_, value| value != "null") } else { whole() }
}

fn resource_block(members: &Members<'_>) -> Option<String> {
    let resource: Members<'_> = serde_json::from_str(members.get("resource")?).ok()?;
    let is_text = |name: &str| resource.get(name).is_some_and(|value| value.starts_with('"'));
    if !is_text("uri") || !(is_text("text") || is_text("blob")) {
        return None;
    }
    let kept = resource.keeping(|_, value| value != "null");
    let more = members.keeping(|name, value| name != "resource" && value != "null");
    // It has `type` at least.
    Some(format!(r#"{},"resource":{kept}}}"#, more.strip_suffix('}')?))
}

fn text_block(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, string(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(handler: &str, expected: &Value) {
        let result: Value = serde_json::from_str(&from_handler(handler)).unwrap();
        assert_eq!(&result, expected);
    }

    fn text(text: &str) -> Value {
        json!({ "type": "text", "text": text })
    }

    #[test]
    fn a_text_is_a_text_block() {
        check(r#""a \"b\"""#, &json!({ "content": [text("a \"b\"")] }));
        check(r#""half \ud83d""#, &json!({ "content": [text("half \u{fffd}")] }));
    }

    #[test]
    fn an_object_is_read_as_text_and_as_structured_content() {
        let expected = json!({ "content": [text(r#"{"a":1}"#)], "structuredContent": { "a": 1 } });
        check(r#"{"a":1}"#, &expected);
    }

    #[test]
    fn other_values_are_their_json_text() {
        for value in ["null", "7", "true", "[1,2]", "1e400"] {
            check(value, &json!({ "content": [text(value)] }));
        }
    }

    #[test]
    fn content_is_kept_with_images_and_what_is_beside_it() {
        let given = json!({
            "content": [
                text("a"),
                { "type": "image", "data": "AAAA", "mimeType": "image/png" },
                { "type": "audio", "data": "AAAA", "mimeType": "audio/wav" },
                { "type": "resource_link", "uri": "file:///a", "name": "a" },
                { "type": "resource", "resource": { "uri": "file:///a", "text": "b" } },
            ],
            "structuredContent": { "n": 1 },
            "isError": true,
            "more": [1],
        });
        check(&given.to_string(), &given);
        check(r#"{"content":[]}"#, &json!({ "content": [] }));
    }

    #[test]
    fn members_that_are_null_leave_a_block() {
        let block = json!({ "type": "image", "data": "A", "mimeType": "image/png", "uri": null });
        let kept = json!({ "type": "image", "data": "A", "mimeType": "image/png" });
        check(&json!({ "content": [block] }).to_string(), &json!({ "content": [kept] }));
        let block = json!({ "type": "resource", "resource": { "uri": "u", "blob": "A", "mimeType": null } });
        let kept = json!({ "type": "resource", "resource": { "uri": "u", "blob": "A" } });
        check(&json!({ "content": [block] }).to_string(), &json!({ "content": [kept] }));
    }

    #[test]
    fn a_block_mcp_does_not_have_becomes_its_json_text() {
        for block in [
            r#"{"type":"chart","x":1}"#,
            r#"{"type":"text","text":5}"#,
            r#"{"type":"image","data":"A"}"#,
            r#"{"type":"resource","resource":{"uri":"u"}}"#,
            r#"{"type":"resource"}"#,
            "7",
        ] {
            check(&format!(r#"{{"content":[{block}]}}"#), &json!({ "content": [text(block)] }));
        }
    }

    #[test]
    fn what_a_client_would_refuse_beside_the_content_is_left_out() {
        let given = json!({ "content": [], "isError": 1, "structuredContent": [1], "_meta": null });
        check(&given.to_string(), &json!({ "content": [] }));
        let given = json!({ "content": "none", "isError": true });
        let expected = json!({ "content": [text(&given.to_string())], "structuredContent": given });
        check(&given.to_string(), &expected);
    }

    #[test]
    fn a_result_says_that_it_is_complete() {
        assert_eq!(completed(r#"{"a":1}"#), r#"{"resultType":"complete","a":1}"#);
        assert_eq!(completed("{}"), r#"{"resultType":"complete"}"#);
    }
}
