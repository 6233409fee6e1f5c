//! Reads a recorded dialogue. `__test__/transcripts/recorded/README.md` has the format. Knows neither
//! client nor agent, so that either can be tested with it.

use std::fs;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// What a cut may have taken besides: nothing, or the end of a text block as the SDK writes it.
const ENDINGS: [&str; 2] = ["", r#"","type":"text"}"#];

/// Who wrote a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    Client,
    Agent,
    Stderr,
}

/// One line, whole and without its line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) from: Speaker,
    pub(crate) text: String,
    /// It had no line feed.
    pub(crate) is_partial: bool,
}

#[derive(Deserialize)]
struct Entry {
    dir: String,
    line: String,
    #[serde(rename = "cutFrom")]
    cut_from: Option<usize>,
    #[serde(default)]
    partial: bool,
}

/// The folder of the dialogues.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("__test__/transcripts/recorded")
}

/// The lines of the dialogue `name`.
pub(crate) fn read(name: &str) -> Vec<Line> {
    let file = folder().join(name).with_extension("jsonl");
    let text =
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut lines: Vec<Line> = Vec::new();
    for entry in text.lines() {
        let entry: Entry = serde_json::from_str(entry).expect("an entry of a dialogue");
        let from = match entry.dir.as_str() {
            "client->agent" => Speaker::Client,
            "agent->client" => Speaker::Agent,
            "agent-stderr" => Speaker::Stderr,
            "note" => {
                let before = lines.last().expect("a line before the note").clone();
                lines.extend(std::iter::repeat_n(before, left_out(&entry.line)));
                continue;
            }
            other => panic!("expected a known dir, got {other}"),
        };
        let text = match entry.cut_from {
            None => entry.line,
            Some(bytes) => restored(&entry.line, bytes),
        };
        lines.push(Line { from, text, is_partial: entry.partial });
    }
    lines
}

fn left_out(note: &str) -> usize {
    let count = note.strip_prefix("… ").and_then(|note| note.strip_suffix(" lines left out …"));
    count.and_then(|count| count.parse().ok()).expect("a note of lines left out")
}

/// A line as long as it was: the string that was cut is filled up with a character of its own.
fn restored(text: &str, bytes: usize) -> String {
    let (head, tail) = text.split_once('…').expect("a line with a cut");
    let head = without_half_escape(head);
    let filler = head.chars().next_back().filter(char::is_ascii_alphanumeric).unwrap_or('x');
    for ending in ENDINGS {
        let Some(missing) = bytes.checked_sub(head.len() + ending.len() + tail.len()) else {
            continue;
        };
        let whole = format!("{head}{}{ending}{tail}", filler.to_string().repeat(missing));
        if serde_json::from_str::<IgnoredAny>(&whole).is_ok() {
            return whole;
        }
    }
    panic!("expected a line cut inside one string, got {text}")
}

/// An escape that was cut in two would spoil the string.
fn without_half_escape(head: &str) -> &str {
    let Some(at) = head.rfind('\\') else { return head };
    let escape = &head[at + 1..];
    let is_half = escape.is_empty() || (escape.starts_with('u') && escape.len() < 5);
    if is_half { &head[..at] } else { head }
}

#[test]
fn a_cut_line_gets_its_length_back() {
    assert_eq!(restored(r#"{"a":"x…x"}"#, 20), format!(r#"{{"a":"{}"}}"#, "x".repeat(12)));
    assert_eq!(restored(r#"["\u00…c"]"#, 9), r#"["xxxxc"]"#);
    let block = restored(r#"[{"text":"yy…]"#, 40);
    assert_eq!((block.len(), block.ends_with(r#"y","type":"text"}]"#)), (40, true));
}
