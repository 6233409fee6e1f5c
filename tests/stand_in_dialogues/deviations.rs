//! Where the stand-in differs from the recorded agent, why, and what it writes instead.

use super::transcript::{Direction, Entry};

/// The files with a row in the table.
pub(crate) const FILES: &[&str] = &[];

/// Lines of a file, from 1, and what stands in their place. `$session` is the first session of the file.
struct Deviation {
    file: &'static str,
    lines: &'static [usize],
    instead: &'static [(Direction, &'static str)],
    /// Why the stand-in does not do the same.
    reason: &'static str,
}

const DEVIATIONS: &[Deviation] = &[];

/// The dialogue as it is with the stand-in.
pub(crate) fn apply(file: &str, entries: Vec<Entry>) -> Vec<Entry> {
    entries
}
