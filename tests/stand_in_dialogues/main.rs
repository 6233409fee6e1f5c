//! The recorded dialogues, played against the stand-in: given the client's lines it writes the same
//! agent lines. (`__test__/transcripts/recorded/README.md` says what is recorded and what was the
//! recorded agent's own choice)
//!
//! Compared as JSON: requests, answers, updates and the `[acp]` lines of stderr. Ids of sessions and
//! of the agent's requests are mapped; ids of the client's requests are echoed byte for byte.
//! Order is that of the recording where one line follows from another; see `order`. Where the stand-in
//! differs, `deviations` says in which lines, why, and what it writes instead.

#![expect(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod deviations;
mod matching;
mod model;
mod order;
mod player;
mod settings;
mod transcript;

use std::collections::BTreeSet;

/// One test for each file.
macro_rules! dialogues {
    ($($test:ident: $file:literal,)*) => {
        const FILES: &[&str] = &[$($file),*];

        mod the_stand_in_writes_what_was_recorded_in {
            $(
                #[tokio::test(start_paused = true)]
                async fn $test() {
                    super::player::play($file).await;
                }
            )*
        }
    };
}

dialogues! {
    answers_on_the_wire: "answers-on-the-wire",
    arguments: "arguments",
    bad_entries_meta: "bad-entries-meta",
    cancel_during_call: "cancel-during-call",
    cancel_during_permission: "cancel-during-permission",
    cancel_group: "cancel-group",
    cancel_prompt_by_cancel_request: "cancel-prompt-by-cancel_request",
    concurrent_requests: "concurrent-requests",
    empty_list_meta: "empty-list-meta",
    enabled_false_request: "enabled-false-request",
    eof_during_call: "eof-during-call",
    error_forms: "error-forms",
    gosdk_client_meta: "gosdk-client-meta",
    invalid_utf8: "invalid-utf8",
    large_integers: "large-integers",
    limit_agent_sends_a_long_line: "limit-agent-sends-a-long-line",
    limit_line_10485759_bytes: "limit-line-10485759-bytes",
    limit_line_10485760_bytes: "limit-line-10485760-bytes",
    load_and_resume_request: "load-and-resume-request",
    loop_detector: "loop-detector",
    meta_default: "meta-default",
    missing_required: "missing-required",
    mode_mismatch_list_in_request: "mode-mismatch-list-in-request",
    mode_mismatch_true_in_meta: "mode-mismatch-true-in-meta",
    not_announced: "not-announced",
    notifications_1000_unknown_extension: "notifications-1000-unknown-extension",
    other_requests_32601: "other-requests-32601",
    parallel_out_of_order: "parallel-out-of-order",
    permission_ask_allowed: "permission-ask-allowed",
    permission_auto_yolo_false_allowed: "permission-auto-yolo-false-allowed",
    permission_outcome_cancelled: "permission-outcome-cancelled",
    permission_rejected: "permission-rejected",
    prompt_error: "prompt-error",
    prompt_twice_same_session: "prompt-twice-same-session",
    request_default: "request-default",
    request_ids: "request-ids",
    request_list_error: "request-list-error",
    request_list_no_answer: "request-list-no-answer",
    request_list_no_tools: "request-list-no-tools",
    request_list_tools_object: "request-list-tools-object",
    result_forms: "result-forms",
    schema_as_the_model_sees_it: "schema-as-the-model-sees-it",
    session_list_close: "session-list-close",
    streaming: "streaming",
    timeout_group: "timeout-group",
    timeout_no_answer: "timeout-no-answer",
    timeout_then_late_result: "timeout-then-late-result",
    truncation: "truncation",
    two_sessions_request: "two-sessions-request",
    unknown_tool: "unknown-tool",
    update_shapes_full: "update-shapes-full",
}

#[test]
fn every_recorded_file_is_played() {
    let recorded = transcript::recorded_files();
    assert_eq!(FILES.iter().map(|&file| file.to_owned()).collect::<BTreeSet<_>>(), recorded);
    for file in settings::files().chain(deviations::files()) {
        assert!(recorded.contains(file), "{file} is not recorded");
    }
}
