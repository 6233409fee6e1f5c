//! What the recorded agent was told beside the dialogue, where it was not the default.

use mini_me_client::stand_in::agent_file::AgentFile;
use mini_me_client::stand_in::{LoopLimits, PastSession};
use serde_json::json;

/// The files that have a row of their own in what follows.
pub(crate) const FILES: &[&str] = &[
    "enabled-false-request",
    "gosdk-client-meta",
    "large-integers",
    "limit-agent-sends-a-long-line",
    "limit-line-10485759-bytes",
    "load-and-resume-request",
    "loop-detector",
    "missing-required",
    "mode-mismatch-list-in-request",
    "permission-ask-allowed",
    "permission-auto-yolo-false-allowed",
    "permission-outcome-cancelled",
    "permission-rejected",
    "request-default",
    "request-list-error",
    "request-list-no-answer",
    "request-list-no-tools",
    "request-list-tools-object",
    "truncation",
    "two-sessions-request",
    "update-shapes-full",
    "cancel-during-permission",
];

/// The agent file.
pub(crate) fn agent_file(file: &str) -> AgentFile {
    let yaml = match file {
        "enabled-false-request" => "acp: {clientTools: {enabled: false, discovery: request}}",
        "load-and-resume-request"
        | "mode-mismatch-list-in-request"
        | "request-default"
        | "request-list-error"
        | "request-list-no-answer"
        | "request-list-no-tools"
        | "request-list-tools-object"
        | "two-sessions-request" => "acp: {clientTools: {discovery: request}}",
        "permission-ask-allowed"
        | "permission-outcome-cancelled"
        | "permission-rejected"
        | "update-shapes-full" => "acp: {clientTools: {permissions: ask}}",
        "cancel-during-permission"
        | "large-integers"
        | "missing-required"
        | "permission-auto-yolo-false-allowed" => {
            "{acp: {clientTools: {permissions: auto}}, yolo: false}"
        }
        "limit-line-10485759-bytes" | "truncation" => "maxOutput: 100",
        "limit-agent-sends-a-long-line" => "maxOutput: 20000000",
        // Its client gives up after a while, and the agent before.
        "gosdk-client-meta" => "acp: {clientTools: {timeout: 300ms}}",
        _ => "",
    };
    AgentFile::parse(file, yaml).expect("a valid agent file")
}

/// When the loop detector speaks: the recorded agent was set to be less patient.
pub(crate) fn loop_limits(file: &str) -> LoopLimits {
    match file {
        "loop-detector" => LoopLimits { warn_at: 2, end_at: 3 },
        _ => LoopLimits::default(),
    }
}

/// The sessions there were before.
pub(crate) fn past_sessions(file: &str) -> Vec<PastSession> {
    let said = |who: &str, text: &str| {
        json!({ "sessionUpdate": who, "content": { "type": "text", "text": text } })
    };
    match file {
        "load-and-resume-request" => vec![PastSession {
            id: "20261110-224507-1f3a9c2e".to_owned(),
            cwd: "/home/me".to_owned(),
            updates: vec![
                said("user_message_chunk", "old question"),
                said("agent_message_chunk", "old answer"),
            ],
        }],
        _ => Vec::new(),
    }
}
