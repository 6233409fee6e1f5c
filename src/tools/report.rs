//! The lines mm writes on stderr about client tools, read and written. They are hints: a line that is
//! not understood is no failure. Knows nothing of streams. (`docs/protocol.md`, "Discovery")

use std::fmt;

/// How an agent learns of a client's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discovery {
    /// The list stands in the `initialize` request and holds for every session.
    Meta,
    /// The agent asks for the list while it opens a session.
    Request,
}

impl fmt::Display for Discovery {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Meta => "meta",
            Self::Request => "request",
        })
    }
}

/// What mm adds when a client announced `true` and mm expected the list itself.
pub const USE_REQUEST_DISCOVERY: &str =
    "a client that answers _org.mini-me/tools/list needs acp.clientTools.discovery: request";

/// Why a list was not taken whose answer holds no array named `tools`.
pub const NO_TOOLS_ARRAY: &str = "the answer has no tools array";

/// One line about client tools. `Display` writes it as mm does, without the line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogLine {
    /// `[acp] client tools (meta): client_a, client_b`
    Taken {
        /// The session the list was asked for; `None` in `meta` discovery.
        session: Option<String>,
        /// How the agent got the list.
        discovery: Discovery,
        /// Model names of the tools it took.
        names: Vec<String>,
    },
    /// `[acp] client tools: entry 3 skipped: no name`
    EntrySkipped {
        /// mm's own lines name no session; one that does is understood.
        session: Option<String>,
        /// Position in the list, from 0.
        index: usize,
        /// Why, in the protocol's words.
        reason: String,
    },
    /// `[acp] client tools: "org.mini-me/tools" is not a list of tools; …`
    NotAList {
        /// What stands after the semicolon: what to change.
        remedy: String,
    },
    /// `[acp] client tools: session <id>: _org.mini-me/tools/list: …`
    ListFailed {
        /// The session the list was asked for.
        session: String,
        /// The error, as the agent puts it.
        reason: String,
    },
    /// Any other line; the text is what stands after `[acp] client tools: `.
    Other(String),
}

const ACP: &str = "[acp] ";
const CLIENT_TOOLS: &str = "client tools";
const SESSION: &str = "session ";
const NOT_A_LIST: &str = "\"org.mini-me/tools\" is not a list of tools";
const LIST_REQUEST: &str = "_org.mini-me/tools/list: ";

/// Reads one line of stderr, with or without its line end. `None`: not a line about client tools.
#[must_use]
pub fn parse(line: &str) -> Option<LogLine> {
    let line = line.trim_end_matches(['\r', '\n']);
    let told = line.strip_prefix(ACP);
    // mm writes this one with its usual beginning or without.
    if let Some(mismatch) = parse_not_a_list(told.unwrap_or(line)) {
        return Some(mismatch);
    }
    let line = told?;
    if let Some(rest) = line.strip_prefix(CLIENT_TOOLS) {
        if let Some(text) = rest.strip_prefix(':') {
            return Some(parse_text(text.strip_prefix(' ').unwrap_or(text)));
        }
        return parse_taken(None, rest);
    }
    let (session, rest) = line.strip_prefix(SESSION)?.split_once(" client tools")?;
    parse_taken(Some(session.to_owned()), rest)
}

/// Reads what stands after `client tools`: ` (meta): client_a, client_b`.
fn parse_taken(session: Option<String>, rest: &str) -> Option<LogLine> {
    let (word, names) = rest.strip_prefix(" (")?.split_once("):")?;
    let discovery = match word {
        "meta" => Discovery::Meta,
        "request" => Discovery::Request,
        _ => return None,
    };
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    Some(LogLine::Taken { session, discovery, names: names.map(str::to_owned).collect() })
}

/// Reads what stands after `client tools: `.
fn parse_text(text: &str) -> LogLine {
    if let Some(line) = parse_not_a_list(text).or_else(|| parse_skipped(None, text)) {
        return line;
    }
    text.strip_prefix(SESSION)
        .and_then(|rest| rest.split_once(": "))
        .and_then(|(session, rest)| parse_about_session(session, rest))
        .unwrap_or_else(|| LogLine::Other(text.to_owned()))
}

fn parse_not_a_list(text: &str) -> Option<LogLine> {
    let remedy = text.strip_prefix(NOT_A_LIST)?;
    Some(LogLine::NotAList { remedy: remedy.strip_prefix("; ").unwrap_or(remedy).to_owned() })
}

fn parse_about_session(session: &str, rest: &str) -> Option<LogLine> {
    if let Some(reason) = rest.strip_prefix(LIST_REQUEST) {
        return Some(LogLine::ListFailed {
            session: session.to_owned(),
            reason: reason.to_owned(),
        });
    }
    parse_skipped(Some(session), rest)
}

fn parse_skipped(session: Option<&str>, text: &str) -> Option<LogLine> {
    let (index, reason) = text.strip_prefix("entry ")?.split_once(" skipped: ")?;
    if !index.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    Some(LogLine::EntrySkipped {
        session: session.map(str::to_owned),
        index: index.parse().ok()?,
        reason: reason.to_owned(),
    })
}

impl fmt::Display for LogLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(ACP)?;
        match self {
            Self::Taken { session, discovery, names } => {
                if let Some(session) = session {
                    write!(formatter, "{SESSION}{session} ")?;
                }
                write!(formatter, "{CLIENT_TOOLS} ({discovery}): {}", names.join(", "))
            }
            Self::EntrySkipped { session, index, reason } => {
                write!(formatter, "{CLIENT_TOOLS}: ")?;
                if let Some(session) = session {
                    write!(formatter, "{SESSION}{session}: ")?;
                }
                write!(formatter, "entry {index} skipped: {reason}")
            }
            Self::NotAList { remedy } => {
                write!(formatter, "{CLIENT_TOOLS}: {NOT_A_LIST}; {remedy}")
            }
            Self::ListFailed { session, reason } => {
                write!(formatter, "{CLIENT_TOOLS}: {SESSION}{session}: {LIST_REQUEST}{reason}")
            }
            Self::Other(text) => write!(formatter, "{CLIENT_TOOLS}: {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks both ways: the line is read as expected, and written as it was.
    #[track_caller]
    fn check(line: &str, expected: &LogLine) {
        assert_eq!(parse(line).as_ref(), Some(expected), "{line}");
        assert_eq!(expected.to_string(), line);
    }

    #[track_caller]
    fn check_none(line: &str) {
        assert_eq!(parse(line), None, "{line}");
    }

    fn taken(session: Option<&str>, discovery: Discovery, names: &[&str]) -> LogLine {
        LogLine::Taken {
            session: session.map(str::to_owned),
            discovery,
            names: names.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    #[test]
    fn the_tools_of_a_connection() {
        let expected = taken(None, Discovery::Meta, &["client_a", "client_b"]);
        check("[acp] client tools (meta): client_a, client_b", &expected);
    }

    #[test]
    fn an_empty_list_has_no_names() {
        check("[acp] client tools (meta): ", &taken(None, Discovery::Meta, &[]));
        assert_eq!(parse("[acp] client tools (meta):"), Some(taken(None, Discovery::Meta, &[])));
    }

    #[test]
    fn the_tools_of_a_session() {
        let line = "[acp] session 20261110-224507-1f3a9c2e client tools (request): client_ping";
        check(line, &taken(Some("20261110-224507-1f3a9c2e"), Discovery::Request, &["client_ping"]));
    }

    #[test]
    fn a_skipped_entry_with_a_reason_that_holds_colons() {
        let reason = "not a tool description: a string is not an object".to_owned();
        let expected = LogLine::EntrySkipped { session: None, index: 12, reason };
        check(
            "[acp] client tools: entry 12 skipped: not a tool description: a string is not an object",
            &expected,
        );
    }

    #[test]
    fn a_skipped_entry_of_a_named_session() {
        let expected = LogLine::EntrySkipped {
            session: Some("s1".to_owned()),
            index: 0,
            reason: "no name".to_owned(),
        };
        check("[acp] client tools: session s1: entry 0 skipped: no name", &expected);
    }

    #[test]
    fn true_instead_of_a_list() {
        let line = "[acp] client tools: \"org.mini-me/tools\" is not a list of tools; a client that answers \
                    _org.mini-me/tools/list needs acp.clientTools.discovery: request";
        check(line, &LogLine::NotAList { remedy: USE_REQUEST_DISCOVERY.to_owned() });
    }

    #[test]
    fn true_instead_of_a_list_in_a_line_of_its_own() {
        let text = format!("\"org.mini-me/tools\" is not a list of tools; {USE_REQUEST_DISCOVERY}");
        let expected = LogLine::NotAList { remedy: USE_REQUEST_DISCOVERY.to_owned() };
        for line in [text.clone(), format!("[acp] {text}"), format!("{text}\r\n")] {
            assert_eq!(parse(&line).as_ref(), Some(&expected), "{line}");
        }
        check_none("the \"org.mini-me/tools\" is not a list of tools");
    }

    #[test]
    fn a_list_request_that_failed() {
        let reason = r#"{"code":-32601,"message":"Method not found","data":{"method":"_org.mini-me/tools/list"}}"#;
        let line =
            format!("[acp] client tools: session 20261130-1: _org.mini-me/tools/list: {reason}");
        check(
            &line,
            &LogLine::ListFailed { session: "20261130-1".to_owned(), reason: reason.to_owned() },
        );
    }

    #[test]
    fn a_list_answer_without_tools() {
        let expected =
            LogLine::ListFailed { session: "s".to_owned(), reason: NO_TOOLS_ARRAY.to_owned() };
        check(
            "[acp] client tools: session s: _org.mini-me/tools/list: the answer has no tools array",
            &expected,
        );
    }

    #[test]
    fn other_lines_about_client_tools_keep_their_text() {
        for text in [
            "disabled",
            "entry x skipped: y",
            "entry +1 skipped: y",
            "session s: hm",
            "session s",
            "",
        ] {
            check(&format!("[acp] client tools: {text}"), &LogLine::Other(text.to_owned()));
        }
        let text = "entry 99999999999999999999999 skipped: y";
        check(&format!("[acp] client tools: {text}"), &LogLine::Other(text.to_owned()));
    }

    #[test]
    fn lines_about_something_else_are_none() {
        check_none("");
        check_none("[acp] session s opened");
        check_none("[acp] client toolsmith");
        check_none("[acp] client tools (ask): client_a");
        check_none("client tools (meta): client_a");
        check_none("2026/11/30 11:47:45 INFO [acp] client tools (meta): client_a");
    }

    #[test]
    fn the_line_end_is_no_part_of_a_line() {
        let expected = Some(LogLine::Other("disabled".to_owned()));
        assert_eq!(parse("[acp] client tools: disabled\r\n"), expected);
        assert_eq!(parse("[acp] client tools: disabled\r"), expected);
    }

    fn any_line() -> impl Strategy<Value = LogLine> {
        let session = || proptest::option::of("[a-z0-9-]{1,12}");
        let discovery = prop_oneof![Just(Discovery::Meta), Just(Discovery::Request)];
        let names = proptest::collection::vec("client_[A-Za-z0-9]{1,8}", 0..5);
        prop_oneof![
            (session(), discovery, names).prop_map(|(session, discovery, names)| LogLine::Taken {
                session,
                discovery,
                names
            }),
            (session(), any::<usize>(), "[^\r\n]{0,20}").prop_map(|(session, index, reason)| {
                LogLine::EntrySkipped { session, index, reason }
            }),
            "[^\r\n]{0,20}".prop_map(|remedy| LogLine::NotAList { remedy }),
            ("[a-z0-9-]{1,12}", "[^\r\n]{0,20}")
                .prop_map(|(session, reason)| LogLine::ListFailed { session, reason }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(line in any_line()) {
            prop_assert_eq!(parse(&line.to_string()), Some(line));
        }

        #[test]
        fn no_line_panics(line in any::<String>(), rest in any::<String>()) {
            let _line = parse(&line);
            for start in ["[acp] client tools", "[acp] client tools: ", "[acp] session ", "[acp] client tools: entry "] {
                let _line = parse(&format!("{start}{rest}"));
            }
        }
    }
}
