//! The entries of the lane: a tag, then a fixed number of members. `js/lane.js` reads them.

use std::fmt::Write;

use serde::Serialize;

use crate::process::shutdown::Exit;
use crate::wire::compact::TextChunk;
use crate::wire::encode::string;

/// `0,params`: a `session/update`.
pub fn push_update(out: &mut String, params: &str) {
    append(out, &["0,", params]);
}

/// `5,"session","text"`: a plain text chunk of the agent's message.
pub fn push_text(out: &mut String, chunk: &TextChunk<'_>) {
    append(out, &["5,\"", chunk.session, "\",\"", chunk.text, "\""]);
}

/// `17,"session","text"`: a large one, which JavaScript keeps.
pub fn push_large_text(out: &mut String, chunk: &TextChunk<'_>) {
    append(out, &["17,\"", chunk.session, "\",\"", chunk.text, "\""]);
}

/// `15,"text"`: the same of the session that the text before it in the chunk had.
pub fn push_more_text(out: &mut String, text: &str) {
    append(out, &["15,\"", text, "\""]);
}

/// `1,key,tool,params`: a call of a lent tool.
pub fn push_call(out: &mut String, key: u32, tool: u32, params: &str) {
    append(out, &["1,", &key.to_string(), ",", &tool.to_string(), ",", params]);
}

/// `7,key`: the agent withdrew a call.
pub fn push_call_cancelled(out: &mut String, key: u32) {
    append(out, &["7,", &key.to_string()]);
}

/// `12,tool,params`: a call that was refused here, its arguments being wrong.
pub fn push_call_refused(out: &mut String, tool: u32, params: &str) {
    append(out, &["12,", &tool.to_string(), ",", params]);
}

/// `13,isIncoming,line,timestampMs`: a line, for `trace`.
pub fn push_trace(out: &mut String, is_incoming: bool, line: &str, timestamp_ms: u128) {
    let is_incoming = if is_incoming { "true" } else { "false" };
    append(out, &["13,", is_incoming, ",", &string(line), ",", &timestamp_ms.to_string()]);
}

/// `2,id,result`: the answer to a request of ours.
#[must_use]
pub fn result(id: u64, result: &str) -> String {
    format!("2,{id},{result}")
}

/// `3,id,error`: the refusal of a request of ours.
#[must_use]
pub fn error(id: u64, error: &str) -> String {
    format!("3,{id},{error}")
}

/// `4,method,params`: a notification that is no `session/update`.
#[must_use]
pub fn notification(method: &str, params: &str) -> String {
    format!("4,{},{params}", string(method))
}

/// `6,key,method,params`: a request that is no call of a lent tool.
#[must_use]
pub fn request(key: i64, method: &str, params: &str) -> String {
    format!("6,{key},{},{params}", string(method))
}

/// `14,key`: the agent withdrew such a request.
#[must_use]
pub fn request_cancelled(key: i64) -> String {
    format!("14,{key}")
}

/// `16,terminal,code,signal`: the command of a terminal has ended.
#[must_use]
pub fn terminal_exit(terminal: u32, exit: Exit) -> String {
    let number =
        |number: Option<i32>| number.map_or("null".to_owned(), |number| number.to_string());
    format!("16,{terminal},{},{}", number(exit.code), number(exit.signal))
}

/// `10,line`: a line of the agent's stderr.
#[must_use]
pub fn stderr(line: &str) -> String {
    format!("10,{}", string(line))
}

/// `8,diagnostic`.
#[must_use]
pub fn diagnostic(diagnostic: &impl Serialize) -> String {
    tagged(8, diagnostic)
}

/// `11,report`: what mm says it took.
#[must_use]
pub fn tools_report(report: &impl Serialize) -> String {
    tagged(11, report)
}

/// `9,end`: the last entry of a connection.
#[must_use]
pub fn end(end: &impl Serialize) -> String {
    tagged(9, end)
}

fn tagged(tag: u8, value: &impl Serialize) -> String {
    let mut entry = format!("{tag},");
    match serde_json::to_string(value) {
        Ok(json) => entry.push_str(&json),
        // Only a map with keys that are no strings fails, and none is written here.
        Err(error) => match write!(entry, "{{\"message\":{}}}", string(&error.to_string())) {
            Ok(()) | Err(std::fmt::Error) => {}
        },
    }
    entry
}

/// Writes what stands between two entries, and before the first of a run nothing.
pub fn separate(out: &mut String) {
    if !out.is_empty() && !out.ends_with('[') {
        out.push(',');
    }
}

/// Appends to entries that may be there.
fn append(out: &mut String, parts: &[&str]) {
    separate(out);
    for part in parts {
        out.push_str(part);
    }
}
