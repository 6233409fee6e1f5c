//! The recorded files: reading them, and making whole what was shortened. Knows nothing of the
//! stand-in.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Direction {
    #[serde(rename = "client->agent")]
    ToAgent,
    #[serde(rename = "agent->client")]
    ToClient,
    #[serde(rename = "agent-stderr")]
    Stderr,
    #[serde(rename = "note")]
    Note,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Entry {
    #[serde(rename = "dir")]
    pub(crate) direction: Direction,
    pub(crate) line: String,
    /// The length of a line that was shortened, in bytes.
    #[serde(rename = "cutFrom")]
    cut_from: Option<usize>,
    /// A last line without line feed.
    #[serde(default, rename = "partial")]
    pub(crate) is_partial: bool,
    /// Position in the file, from 1; of a line that stands in another's place, that one's.
    #[serde(skip)]
    pub(crate) number: usize,
}

impl Entry {
    /// Another line in this one's place.
    pub(crate) fn with_line(&self, line: String) -> Self {
        Self { line, ..self.clone() }
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("__test__/transcripts/recorded")
}

/// The names of all recorded files, without extension.
pub(crate) fn recorded_files() -> BTreeSet<String> {
    let files = folder().read_dir().expect("the folder of recorded files");
    files
        .filter_map(|file| {
            let name = file.expect("a file").file_name();
            name.to_str().expect("a plain name").strip_suffix(".jsonl").map(str::to_owned)
        })
        .collect()
}

pub(crate) fn read(file: &str) -> Vec<Entry> {
    let path = folder().join(format!("{file}.jsonl"));
    let text = std::fs::read_to_string(path).expect("a recorded file");
    let mut entries: Vec<Entry> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let mut entry: Entry = serde_json::from_str(line).expect("an entry");
        entry.number = number;
        if entry.direction == Direction::Note {
            let repeated = entries.last().expect("a line that is repeated").clone();
            entries.extend(std::iter::repeat_n(repeated, left_out(&entry.line)));
            continue;
        }
        if let Some(length) = entry.cut_from {
            entry.line = whole(&entry.line, length);
        }
        entries.push(entry);
    }
    entries
}

/// How many lines a note stands for. They are like the one before it.
fn left_out(note: &str) -> usize {
    let digits = note.trim_start_matches("… ").strip_suffix(" lines left out …");
    digits.and_then(|digits| digits.parse().ok()).expect("a note about lines left out")
}

/// How many `<` end the one text that does not consist of one character alone. The lengths of the lines
/// it is in tell: an answer has each `<` as it is, an update as six characters.
const LESS_THANS: usize = 1_000_000;

/// A shortened line in its full length. What was cut are repetitions of the character before the cut,
/// or those and such of `<`.
fn whole(cut: &str, length: usize) -> String {
    let (head, tail) = cut.split_once('…').expect("a place where the line was cut");
    let repeated = head.chars().last().expect("a head").to_string();
    let less_than = match tail {
        _ if tail.starts_with(&repeated) => "",
        _ if tail.starts_with('<') => "<",
        _ => "\\u003c",
    };
    let end_of_text =
        tail.find(['"', ',']).expect("a tail that begins within a text or at its end");
    let after = &tail[end_of_text..];
    let closing = if after.starts_with(',') { r#"","type":"text"}"# } else { "" };
    let end = format!("{}{closing}{after}", less_than.repeat(LESS_THANS));
    assert!(less_than.is_empty() || end.ends_with(tail), "{tail}");
    format!("{head}{}{end}", repeated.repeat(length - head.len() - end.len()))
}
