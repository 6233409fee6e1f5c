//! Reads the agent's stderr to its end, whatever JavaScript does.

use std::sync::Arc;

use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;

use super::diagnostic::Diagnostic;
use super::entries;
use super::inbound::silence_after;
use super::report::Reporter;
use crate::process::stderr::StderrLog;
use crate::wire::lane::{HIGH_WATER_BYTES, Lane};

/// Reads stderr to its end; gives its tail. Never waits for JavaScript: a full pipe would freeze the
/// agent. While JavaScript is far behind, lines are dropped, and a diagnostic tells how many.
pub async fn read(
    mut stderr: impl AsyncRead + Unpin,
    mut has_exited: watch::Receiver<bool>,
    lane: Arc<Lane>,
    reporter: Reporter,
) -> String {
    let mut log = StderrLog::default();
    let mut buffer = vec![0; 16 * 1024];
    let mut delivery = Delivery { lane, reporter, dropped: 0 };
    loop {
        let count = tokio::select! {
            count = stderr.read(&mut buffer) => count.unwrap_or(0),
            () = silence_after(&mut has_exited) => 0,
        };
        if count == 0 {
            break;
        }
        log.feed(buffer.get(..count).unwrap_or_default(), |line| delivery.line(line));
    }
    log.finish(|line| delivery.line(line));
    delivery.tell_dropped();
    log.tail()
}

/// The way of a line to JavaScript.
struct Delivery {
    lane: Arc<Lane>,
    reporter: Reporter,
    /// Lines that were not handed on since the last that was.
    dropped: usize,
}

impl Delivery {
    fn line(&mut self, line: &str) {
        if self.lane.bytes() > HIGH_WATER_BYTES {
            self.dropped += 1;
        } else {
            self.tell_dropped();
            self.lane.push(&entries::stderr(line));
        }
        self.reporter.read(line, &self.lane);
    }

    fn tell_dropped(&mut self) {
        let lines = std::mem::take(&mut self.dropped);
        if lines > 0 {
            let message =
                format!("{lines} lines of stderr were dropped while the program was busy");
            let details = json!({ "lines": lines });
            let dropped = Diagnostic::new("stderr-dropped", message, details);
            self.lane.push(&entries::diagnostic(&dropped));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::lent::Lent;
    use crate::tools::report::Discovery;
    use crate::wire::lane::Chunk;
    use std::sync::Mutex;

    /// The last entry JavaScript gets when the agent wrote `text` to stderr and ended, and
    /// `waiting` bytes lay in the lane.
    async fn last_entry(waiting: usize, text: &str) -> String {
        let lane = Arc::new(Lane::new(Box::new(|| {})));
        lane.push(&format!("0,\"{}\"", "x".repeat(waiting)));
        let reporter = Reporter::new(Arc::new(Mutex::new(Lent::new("test"))), Discovery::Meta);
        let (_running, has_exited) = watch::channel(false);
        let tail = read(text.as_bytes(), has_exited, Arc::clone(&lane), reporter).await;
        assert_eq!(tail, text);
        let chunks: Vec<Chunk> = std::iter::from_fn(|| lane.take()).collect();
        let Some(Chunk::OneByte(bytes)) = chunks.last() else { panic!("{chunks:?}") };
        let entries = String::from_utf8_lossy(bytes);
        entries
            .rsplit_once("xx\",")
            .map_or(entries.clone().into_owned(), |(_, last)| last.to_owned())
    }

    #[tokio::test]
    async fn lines_dropped_at_the_end_of_the_stream_are_told_too() {
        let entry = last_entry(HIGH_WATER_BYTES, "one\ntwo\nthree").await;
        assert!(entry.contains(r#""code":"stderr-dropped""#), "{entry}");
        assert!(entry.contains(r#""details":{"lines":3}"#), "{entry}");
    }

    #[tokio::test]
    async fn a_program_that_keeps_up_is_told_of_nothing() {
        let entry = last_entry(2, "one\n").await;
        assert!(entry.contains(r#""one""#) && !entry.contains("dropped"), "{entry}");
    }
}
