//! Lines on their way to the agent, with the trace of both directions.

use std::sync::Arc;

use super::entries;
use super::writer::Writer;
use crate::wire::lane::Lane;

/// See the module's head.
#[derive(Debug)]
pub struct Outbound {
    writer: Arc<Writer>,
    /// Where the trace goes; `None` while nobody wants it.
    trace: Option<Arc<Lane>>,
}

impl Outbound {
    /// Lines go to `writer`, and to `trace` when that is wanted.
    #[must_use]
    pub fn new(writer: Arc<Writer>, trace: Option<Arc<Lane>>) -> Self {
        Self { writer, trace }
    }

    /// Writes whole lines.
    pub fn write(&self, lines: Vec<u8>) {
        if self.trace.is_some() {
            for line in String::from_utf8_lossy(&lines).lines() {
                self.trace(false, line);
            }
        }
        self.writer.write(lines);
    }

    /// Tells of a line, when anybody wants to know.
    pub fn trace(&self, is_incoming: bool, line: &str) {
        if let Some(lane) = &self.trace {
            let mut entry = String::new();
            entries::push_trace(&mut entry, is_incoming, line, now_ms());
            lane.push(&entry);
        }
    }
}

/// Milliseconds since the epoch.
#[expect(clippy::disallowed_methods, reason = "a trace tells when a line was seen")]
fn now_ms() -> u128 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis())
}
