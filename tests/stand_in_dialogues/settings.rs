//! What the recorded agent was told beside the dialogue, where it was not the default.

use mini_me_client::stand_in::agent_file::AgentFile;
use mini_me_client::stand_in::model::{ModelCall, Step};
use mini_me_client::stand_in::{LoopLimits, PastSession};
use serde_json::{Map, json};

const ASKS_FOR_LIST: &str = "acp: {clientTools: {discovery: request}}";
const ASKS_ALWAYS: &str = "acp: {clientTools: {permissions: ask}}";
const ASKS_WITHOUT_YOLO: &str = "{acp: {clientTools: {permissions: auto}}, yolo: false}";

const AGENT_FILES: &[(&str, &str)] = &[
    ("cancel-during-permission", ASKS_WITHOUT_YOLO),
    ("enabled-false-request", "acp: {clientTools: {enabled: false, discovery: request}}"),
    ("large-integers", ASKS_WITHOUT_YOLO),
    ("limit-agent-sends-a-long-line", "maxOutput: 20000000"),
    ("limit-line-10485759-bytes", "maxOutput: 60"),
    ("load-and-resume-request", ASKS_FOR_LIST),
    ("missing-required", ASKS_WITHOUT_YOLO),
    ("mode-mismatch-list-in-request", ASKS_FOR_LIST),
    ("permission-ask-allowed", ASKS_ALWAYS),
    ("permission-auto-yolo-false-allowed", ASKS_WITHOUT_YOLO),
    ("permission-outcome-cancelled", ASKS_ALWAYS),
    ("permission-rejected", ASKS_ALWAYS),
    ("request-default", ASKS_FOR_LIST),
    ("request-list-error", ASKS_FOR_LIST),
    ("request-list-no-answer", ASKS_FOR_LIST),
    ("request-list-no-tools", ASKS_FOR_LIST),
    ("request-list-tools-object", ASKS_FOR_LIST),
    ("truncation", "maxOutput: 100"),
    ("two-sessions-request", ASKS_FOR_LIST),
    ("update-shapes-full", ASKS_ALWAYS),
];

/// The files with an agent file of their own.
pub(crate) fn files() -> impl Iterator<Item = &'static str> {
    AGENT_FILES.iter().map(|(file, _)| *file)
}

pub(crate) fn agent_file(file: &str) -> AgentFile {
    let yaml = AGENT_FILES.iter().find(|(name, _)| *name == file).map_or("", |(_, yaml)| yaml);
    AgentFile::parse(file, yaml).expect("a valid agent file")
}

/// When the loop detector speaks.
pub(crate) fn loop_limits(file: &str) -> LoopLimits {
    match file {
        "loop-detector" => LoopLimits { warn_at: 2, end_at: 3 },
        _ => LoopLimits::default(),
    }
}

/// The sessions of an earlier process.
pub(crate) fn past_sessions(file: &str) -> Vec<PastSession> {
    if file != "load-and-resume-request" {
        return Vec::new();
    }
    let said = |who: &str, text: &str| json!({ "sessionUpdate": who, "content": { "type": "text", "text": text } });
    vec![PastSession {
        id: "20261110-224507-1f3a9c2e".to_owned(),
        cwd: "/home/me".to_owned(),
        updates: vec![
            said("user_message_chunk", "old question"),
            said("agent_message_chunk", "old answer"),
        ],
    }]
}

/// What the model did first without a trace in the dialogue.
pub(crate) fn traceless_steps(file: &str) -> Vec<Step> {
    if file != "unknown-tool" {
        return Vec::new();
    }
    vec![Step::Call(vec![ModelCall { tool: "client_nope".to_owned(), arguments: Map::new() }])]
}
