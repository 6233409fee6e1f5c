//! Every recorded dialogue, played against the core over in-memory pipes. What each shows is in
//! `__test__/transcripts/player/catalogue.js`; the core alone does less on its own than the whole
//! client, so more of what the recorded client did can be done here as well.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::indexing_slicing, clippy::string_slice, reason = "brevity of tests")]

#[expect(dead_code, reason = "other tests use the rest")]
mod support;

#[path = "transcripts/player.rs"]
mod player;
#[path = "transcripts/rules.rs"]
mod rules;
#[path = "support/transcript.rs"]
mod transcript;

use std::collections::BTreeSet;
use std::fs;

use player::Player;
use rules::{
    limited_lines, no_empty_lists, numbered_requests, well_formed_answers, withdrawn_requests,
};
use serde_json::Value;
use support::Dialogue;
use transcript::{Line, Speaker};

type Rule = fn(Vec<Line>) -> Vec<Line>;

/// Plays `name` as `rules` turn it; `diagnostics` are the codes that are to be told.
async fn play(name: &str, rules: &[Rule], diagnostics: &[&str]) {
    let mut lines = transcript::read(name);
    for rule in rules {
        let before = lines.clone();
        lines = rule(lines);
        assert_ne!(lines, before, "expected each rule to change the dialogue");
    }
    let told = Player::play(&lines).await;
    assert_eq!(told.diagnostics, diagnostics);
    assert!(told.missing.is_empty(), "{:?}", told.missing);
}

/// What the core does with `bad-entries-meta`, whose list can only be lent in part.
const BAD_ENTRIES: &str = "bad-entries-meta";

#[test]
fn every_dialogue_is_played() {
    let entries = fs::read_dir(transcript::folder()).expect("the folder of the dialogues");
    let files: BTreeSet<String> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    let played: BTreeSet<String> =
        PLAYED.iter().chain([&BAD_ENTRIES]).map(|name| (*name).to_owned()).collect();
    assert_eq!(files, played);
}

#[tokio::test]
async fn tools_that_mm_skips_are_refused_with_its_reasons() {
    let lines = transcript::read(BAD_ENTRIES);
    let told: Vec<&str> = lines
        .iter()
        .filter(|line| line.from == Speaker::Stderr)
        .filter_map(|line| line.text.strip_prefix("[acp] client tools: entry "))
        .collect();
    let announced = player::announced(&lines);
    let client = Dialogue::open(&[]).client;
    let mut methods: Vec<&Value> = Vec::new();
    for (index, tool) in announced.as_array().expect("a list").iter().enumerate() {
        let prefix = format!("{index} skipped: ");
        let reason = match told.iter().find_map(|text| text.strip_prefix(&prefix)) {
            // A tool without a method is given one.
            Some(_) if tool.is_object() && tool["method"].is_null() => None,
            // mm goes by names alone; a call names the method.
            None if methods.contains(&&tool["method"]) => Some("duplicate method"),
            reason => reason,
        };
        let lent = client.add_tool(tool).map_err(|failure| failure.to_string());
        check_entry(tool, reason, lent.as_ref().err().map(String::as_str));
        if lent.is_ok() {
            methods.push(&tool["method"]);
        }
    }
}

#[track_caller]
fn check_entry(tool: &Value, reason: Option<&str>, refusal: Option<&str>) {
    // What stands behind these words is the agent's own.
    let fixed = "not a tool description: ";
    let expected = reason.map(|reason| if reason.starts_with(fixed) { fixed } else { reason });
    match (expected, refusal) {
        (None, None) => {}
        (Some(expected), Some(refusal)) if refusal.starts_with(expected) => {}
        _ => panic!("{tool}: expected {expected:?}, got {refusal:?}"),
    }
}

/// One test for each dialogue: its name, rules, and diagnostics.
macro_rules! dialogues {
    ($($test:ident $name:literal [$($rule:ident),*] [$($code:literal),*];)*) => {
        $(
            #[tokio::test]
            async fn $test() {
                play($name, &[$($rule),*], &[$($code),*]).await;
            }
        )*

        const PLAYED: &[&str] = &[$($name),*];
    };
}

dialogues! {
    answers_on_the_wire "answers-on-the-wire" [well_formed_answers] ["message-invalid"];
    arguments "arguments" [] [];
    cancel_during_call "cancel-during-call" [] [];
    cancel_during_permission "cancel-during-permission" [withdrawn_requests] [];
    cancel_group "cancel-group" [] [];
    cancel_prompt_by_cancel_request "cancel-prompt-by-cancel_request" [] [];
    concurrent_requests "concurrent-requests" [] [];
    empty_list_meta "empty-list-meta" [no_empty_lists] [];
    enabled_false_request "enabled-false-request" [] [];
    eof_during_call "eof-during-call" [] [];
    error_forms "error-forms" [well_formed_answers] [];
    gosdk_client_meta "gosdk-client-meta" [] [];
    invalid_utf8 "invalid-utf8" [] [];
    large_integers "large-integers" [] [];
    limit_agent_sends_a_long_line "limit-agent-sends-a-long-line" [] [];
    limit_line_10485759_bytes "limit-line-10485759-bytes" [] [];
    limit_line_10485760_bytes "limit-line-10485760-bytes" [limited_lines] [];
    load_and_resume_request "load-and-resume-request" [] [];
    loop_detector "loop-detector" [] [];
    meta_default "meta-default" [] [];
    missing_required "missing-required" [] [];
    mode_mismatch_list_in_request "mode-mismatch-list-in-request" [] ["tools-missing"];
    mode_mismatch_true_in_meta "mode-mismatch-true-in-meta" [] ["discovery-mismatch"];
    not_announced "not-announced" [] [];
    notifications_1000_unknown_extension "notifications-1000-unknown-extension" [] [];
    other_requests_32601 "other-requests-32601" [] [];
    parallel_out_of_order "parallel-out-of-order" [] [];
    permission_ask_allowed "permission-ask-allowed" [] [];
    permission_auto_yolo_false_allowed "permission-auto-yolo-false-allowed" [] [];
    permission_outcome_cancelled "permission-outcome-cancelled" [] [];
    permission_rejected "permission-rejected" [] [];
    prompt_error "prompt-error" [] [];
    prompt_twice_same_session "prompt-twice-same-session" [] [];
    request_default "request-default" [] [];
    request_ids "request-ids" [numbered_requests] [];
    request_list_error "request-list-error" [] ["tools-missing"];
    request_list_no_answer "request-list-no-answer" [] ["tools-missing"];
    request_list_no_tools "request-list-no-tools" [] ["tools-missing"];
    request_list_tools_object "request-list-tools-object" [] ["tools-missing"];
    result_forms "result-forms" [] [];
    schema_as_the_model_sees_it "schema-as-the-model-sees-it" [] [];
    session_list_close "session-list-close" [] [];
    streaming "streaming" [] [];
    timeout_group "timeout-group" [] [];
    timeout_no_answer "timeout-no-answer" [] [];
    timeout_then_late_result "timeout-then-late-result" [] [];
    truncation "truncation" [] [];
    two_sessions_request "two-sessions-request" [] [];
    unknown_tool "unknown-tool" [] [];
    update_shapes_full "update-shapes-full" [] [];
}
