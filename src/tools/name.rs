//! How a tool's name becomes the name a model calls and a method an agent calls. Knows nothing of
//! descriptions and lists. (`docs/protocol.md`, "Names")

pub use super::limits::MAX_MODEL_NAME;

/// What stands before the munged name in a model name.
pub const CLIENT_PREFIX: &str = "client_";

/// Rewrites a name with the characters `[A-Za-z0-9_]` alone: what lies between two runs of letters and
/// digits becomes one `_`, what lies before and after them is dropped. Case is kept.
#[must_use]
pub fn munge(name: &str) -> String {
    let mut munged = String::with_capacity(name.len());
    for run in name.split(|character: char| !character.is_ascii_alphanumeric()) {
        if run.is_empty() {
            continue;
        }
        if !munged.is_empty() {
            munged.push('_');
        }
        munged.push_str(run);
    }
    munged
}

/// Returns what a model calls the tool, `client_<munged>`; `None` when nothing of the name is left.
#[must_use]
pub fn model_name(name: &str) -> Option<String> {
    let munged = munge(name);
    (!munged.is_empty()).then(|| format!("{CLIENT_PREFIX}{munged}"))
}

/// Tells whether model servers may refuse the name for its length.
#[must_use]
pub fn is_too_long(model_name: &str) -> bool {
    model_name.chars().count() > MAX_MODEL_NAME
}

/// Returns the method of a tool that names none, `_<namespace>/<munged>`; `None` when nothing of the
/// name is left.
#[must_use]
pub fn derived_method(namespace: &str, name: &str) -> Option<String> {
    let munged = munge(name);
    (!munged.is_empty()).then(|| format!("_{namespace}/{munged}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<&str>) {
        assert_eq!(model_name(name).as_deref(), expected, "model name of {name:?}");
    }

    #[test]
    fn a_plain_name_gets_the_prefix() {
        check("host_info", Some("client_host_info"));
    }

    #[test]
    fn other_characters_become_one_underscore() {
        check("open buffers", Some("client_open_buffers"));
        check("a/b.c", Some("client_a_b_c"));
    }

    #[test]
    fn runs_collapse_and_edges_are_trimmed() {
        check("__open  buffers!!", Some("client_open_buffers"));
        check("a_-_b", Some("client_a_b"));
        check(" x ", Some("client_x"));
    }

    #[test]
    fn case_and_digits_stay() {
        check("Open2Buffers", Some("client_Open2Buffers"));
    }

    #[test]
    fn letters_outside_ascii_are_other_characters() {
        check("été", Some("client_t"));
        check("naïve", Some("client_na_ve"));
        check("٣x", Some("client_x"));
    }

    #[test]
    fn a_name_without_letter_or_digit_has_no_model_name() {
        for name in ["", "日本", "---", "_", " "] {
            check(name, None);
        }
    }

    #[test]
    fn a_model_name_may_have_64_characters_with_its_prefix() {
        let longest = "x".repeat(57);
        assert!(!is_too_long(&model_name(&longest).unwrap()));
        assert!(is_too_long(&model_name(&format!("{longest}x")).unwrap()));
    }

    #[test]
    fn a_derived_method_is_the_munged_name_under_the_namespace() {
        assert_eq!(
            derived_method("com.example", "Open buffers").as_deref(),
            Some("_com.example/Open_buffers")
        );
        assert_eq!(derived_method("com.example", "日本"), None);
    }

    proptest! {
        #[test]
        fn a_munged_name_holds_letters_digits_and_single_inner_underscores(name in any::<String>()) {
            let munged = munge(&name);
            prop_assert!(munged.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
            prop_assert!(!munged.contains("__") && !munged.starts_with('_') && !munged.ends_with('_'));
        }

        #[test]
        fn munging_twice_changes_nothing(name in any::<String>()) {
            prop_assert_eq!(munge(&munge(&name)), munge(&name));
        }

        #[test]
        fn no_letter_or_digit_is_lost(name in any::<String>()) {
            let kept = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
            prop_assert_eq!(kept(&munge(&name)), kept(&name));
        }
    }
}
