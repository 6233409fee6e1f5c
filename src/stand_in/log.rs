//! Where the lines for stderr go. Knows nothing of what they say.

use std::fmt::{self, Debug, Display};
use std::sync::Arc;

/// Takes one line at a time, without its line feed.
#[derive(Clone)]
pub struct Log(Arc<dyn Fn(&str) + Send + Sync>);

impl Log {
    /// A log that hands each line to `take`.
    pub fn new(take: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    /// Writes one line.
    pub fn line(&self, line: impl Display) {
        (self.0)(&line.to_string());
    }

    /// Writes a line of the stand-in's own, told apart from mm's by its prefix.
    pub fn own(&self, line: impl Display) {
        self.line(format_args!("[stand-in] {line}"));
    }
}

impl Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}
