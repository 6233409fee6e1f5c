//! A JSON-RPC error as mm's SDK writes it, which is what a model reads: Go's JSON, with sorted keys,
//! numbers as doubles, and the characters `<`, `>` and `&` escaped.

use serde_json::{Number, Value};

/// Returns the JSON text of an error answer. `data` is JSON text; `null` is the same as none.
#[must_use]
pub fn error_text(code: i64, message: &str, data: Option<&str>) -> String {
    let mut text = format!(r#"{{"code":{code},"message":{}"#, Value::from(message));
    // Data that is beyond a tree of values is kept as it was written.
    let data = data.map(|data| serde_json::from_str::<Value>(data).map_err(|_| data.trim()));
    match data {
        None | Some(Ok(Value::Null)) => {}
        Some(Ok(value)) => {
            text.push_str(",\"data\":");
            write_value(&mut text, &value);
        }
        Some(Err(written)) => {
            text.push_str(",\"data\":");
            text.push_str(written);
        }
    }
    text.push('}');
    escape_html(&text)
}

fn write_value(text: &mut String, value: &Value) {
    match value {
        Value::Number(number) => text.push_str(&number_text(number)),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_value(text, item);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (index, (key, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write_value(text, member);
            }
            text.push('}');
        }
        Value::Null | Value::Bool(_) | Value::String(_) => text.push_str(&value.to_string()),
    }
}

/// Writes a number as Go writes a float64: the shortest digits, with an exponent below 1e-6 and from
/// 1e21 on.
fn number_text(number: &Number) -> String {
    let Some(double) = number.as_f64() else {
        return number.to_string();
    };
    let size = double.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return double.to_string();
    }
    let text = format!("{double:e}");
    if size < 1.0 { text } else { text.replace('e', "e+") }
}

/// Escapes what Go escapes for HTML. In JSON text these characters stand within strings only.
fn escape_html(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: i64, message: &str, data: Option<&str>, expected: &str) {
        assert_eq!(error_text(code, message, data), expected);
    }

    #[track_caller]
    fn check_data(data: &str, expected: &str) {
        check(1, "m", Some(data), &format!(r#"{{"code":1,"message":"m","data":{expected}}}"#));
    }

    // The recorded dialogues `error-forms` and `answers-on-the-wire`.

    #[test]
    fn an_error_without_data() {
        check(-32601, "Method not found", None, r#"{"code":-32601,"message":"Method not found"}"#);
        check(5, "", None, r#"{"code":5,"message":""}"#);
    }

    #[test]
    fn data_that_is_null_is_left_out() {
        check(5, "m", Some("null"), r#"{"code":5,"message":"m"}"#);
    }

    #[test]
    fn data_of_any_kind_is_kept() {
        check_data(r#""why""#, r#""why""#);
        check_data(r#"{"method":"_x"}"#, r#"{"method":"_x"}"#);
        check_data("false", "false");
    }

    #[test]
    fn keys_are_sorted_at_every_level() {
        check_data(
            r#"{"z":1,"a":[true,null,{"d":1,"c":2}],"B":0}"#,
            r#"{"B":0,"a":[true,null,{"c":2,"d":1}],"z":1}"#,
        );
    }

    #[test]
    fn numbers_are_doubles() {
        check_data(
            r#"{"z":9007199254740993,"a":1.50,"h":"<","n":12345678901234567000}"#,
            r#"{"a":1.5,"h":"\u003c","n":12345678901234567000,"z":9007199254740992}"#,
        );
        check_data(
            "[1e20,1e21,-1.5e300,0.000001,1e-7,0.0,-0.0]",
            "[100000000000000000000,1e+21,-1.5e+300,0.000001,1e-7,0,-0]",
        );
    }

    #[test]
    fn html_is_escaped_in_message_and_data() {
        check(1, "<b> & \"q\"", None, r#"{"code":1,"message":"\u003cb\u003e \u0026 \"q\""}"#);
        check_data("{\"<\":\"\u{2028}\u{2029}\"}", r#"{"\u003c":"\u2028\u2029"}"#);
    }

    #[test]
    fn data_beyond_a_tree_of_values_is_kept_as_it_was_written() {
        check_data(" 1e400 ", "1e400");
    }
}
