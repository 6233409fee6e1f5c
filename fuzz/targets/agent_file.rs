//! Any agent file: it is read, or an error says where it is wrong.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mini_me_client::stand_in::agent_file::AgentFile;

fuzz_target!(|text: &str| {
    match AgentFile::parse("agent.yaml", text) {
        Ok(file) => assert!(file.max_output > 0 || text.contains("maxOutput")),
        Err(error) => {
            assert!(!error.problem.is_empty());
            let lines = text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
            assert!(error.line >= 1 && error.line <= lines + 1, "{error}");
            assert!(error.to_string().starts_with("agent.yaml:"));
        }
    }
});
