//! Where the stand-in differs from the recorded agent, why, and what it writes instead.

use super::transcript::Entry;

/// One line of a file, from 1, and what stands in its place.
struct Deviation {
    file: &'static str,
    line: usize,
    /// `$session` is the session of the file.
    instead: &'static [&'static str],
    /// Why the stand-in does not do the same.
    reason: &'static str,
}

const OTHER_REQUESTS: &str = "the stand-in asks a client for its tools and permissions alone; the \
    answers, which nobody waits for, cost nothing";
const SHAPES: &str = "options, statuses and members of updates are each agent's own choice";

#[rustfmt::skip]
const DEVIATIONS: &[Deviation] = &[
    Deviation {
        file: "answers-on-the-wire",
        line: 63,
        instead: &[
            r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":12}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$session","update":{"content":[{"content":{"text":"[client tool error: {\"code\":-32603,\"message\":\"Internal error\",\"data\":{\"error\":\"context deadline exceeded\"}}]","type":"text"},"type":"content"}],"sessionUpdate":"tool_call_update","status":"failed","toolCallId":"call_12"}}}"#,
        ],
        reason: "Go reads members whose names are written in another case; no client may depend on it, \
            so `ID` is no id and the call is not answered",
    },
    Deviation {
        file: "limit-line-10485760-bytes",
        line: 9,
        instead: &[],
        reason: "a race in the recorded agent between its last answer and its exit, which \
            `eof-during-call` shows the other way round; the stand-in exits at once",
    },
    Deviation { file: "other-requests-32601", line: 7, instead: &[], reason: OTHER_REQUESTS },
    Deviation { file: "other-requests-32601", line: 9, instead: &[], reason: OTHER_REQUESTS },
    Deviation { file: "other-requests-32601", line: 11, instead: &[], reason: OTHER_REQUESTS },
    Deviation { file: "other-requests-32601", line: 13, instead: &[], reason: OTHER_REQUESTS },
    Deviation {
        file: "streaming",
        line: 12,
        instead: &[],
        reason: "the stand-in has no notifications of its own beside updates",
    },
    Deviation {
        file: "update-shapes-full",
        line: 8,
        instead: &[
            r#"{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"options":[{"kind":"allow_once","name":"Allow","optionId":"allow"},{"kind":"reject_once","name":"Reject","optionId":"reject"}],"sessionId":"$session","toolCall":{"kind":"other","rawInput":{},"status":"pending","title":"client: ping","toolCallId":"call_1"}}}"#,
        ],
        reason: SHAPES,
    },
    Deviation {
        file: "update-shapes-full",
        line: 9,
        instead: &[
            r#"{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}"#,
        ],
        reason: SHAPES,
    },
    Deviation { file: "update-shapes-full", line: 10, instead: &[], reason: SHAPES },
    Deviation {
        file: "update-shapes-full",
        line: 13,
        instead: &[
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$session","update":{"content":[{"content":{"text":"pong","type":"text"},"type":"content"}],"sessionUpdate":"tool_call_update","status":"completed","toolCallId":"call_1"}}}"#,
        ],
        reason: SHAPES,
    },
];

fn of(file: &str) -> impl Iterator<Item = &'static Deviation> {
    DEVIATIONS.iter().filter(move |deviation| deviation.file == file)
}

/// The files that are in the table.
pub(crate) fn files() -> impl Iterator<Item = &'static str> {
    DEVIATIONS.iter().map(|deviation| deviation.file)
}

/// Why the stand-in differs in a file.
pub(crate) fn reasons(file: &str) -> Vec<&'static str> {
    of(file).map(|deviation| deviation.reason).collect()
}

/// The dialogue as it is with the stand-in.
pub(crate) fn apply(file: &str, entries: Vec<Entry>) -> Vec<Entry> {
    let session = entries.iter().find_map(|entry| session_of_answer(&entry.line));
    let session = session.unwrap_or_default();
    entries
        .into_iter()
        .flat_map(|entry| match of(file).find(|deviation| deviation.line == entry.number) {
            None => vec![entry],
            Some(deviation) => deviation
                .instead
                .iter()
                .map(|line| entry.with_line(line.replace("$session", &session)))
                .collect(),
        })
        .collect()
}

/// The session that a line gives a name to.
fn session_of_answer(line: &str) -> Option<String> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    line["result"]["sessionId"].as_str().map(str::to_owned)
}
