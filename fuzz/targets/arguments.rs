//! Any schema, and any arguments: they fit, or a bounded text says why not. A line of schema, then the
//! arguments.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mini_me_client::tools::arguments::ArgumentCheck;
use mini_me_client::tools::limits::{MAX_COMPLAINT, MAX_COMPLAINTS};
use serde_json::{Map, Value};

/// The most bytes that a character takes, and what stands around the complaints.
const BYTES: usize = 4;
const AROUND: usize = 64;

fuzz_target!(|text: &str| {
    let Some((schema, arguments)) = text.split_once('\n') else { return };
    let Ok(schema) = serde_json::from_str::<Map<String, Value>>(schema) else { return };
    let check = match ArgumentCheck::compile(&schema) {
        Ok(check) => check,
        Err(reason) => {
            assert!(!reason.is_empty() && !reason.contains('\n'), "{reason}");
            return;
        }
    };
    let outcome = check.check_text(arguments);
    if let Err(complaints) = &outcome {
        assert!(!complaints.is_empty());
        let most = (MAX_COMPLAINTS + 1) * (MAX_COMPLAINT + 2) * BYTES + AROUND;
        assert!(complaints.len() <= most, "{} bytes", complaints.len());
    }
    // A member that is not there makes no difference.
    if let Ok(Value::Object(members)) = serde_json::from_str(arguments)
        && !members.contains_key("_meta")
    {
        assert_eq!(check.check_text_beside(arguments, "_meta"), Some(outcome));
    }
});
