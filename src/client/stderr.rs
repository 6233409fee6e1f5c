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
    mut reporter: Reporter,
) -> String {
    let mut log = StderrLog::default();
    let mut buffer = vec![0; 16 * 1024];
    let mut dropped: usize = 0;
    let mut deliver = |line: &str| {
        if lane.bytes() > HIGH_WATER_BYTES {
            dropped += 1;
            reporter.read(line, &lane);
            return;
        }
        if dropped > 0 {
            let message =
                format!("{dropped} lines of stderr were dropped while the program was busy");
            let details = json!({ "lines": dropped });
            lane.push(&entries::diagnostic(&Diagnostic::new("stderr-dropped", message, details)));
            dropped = 0;
        }
        lane.push(&entries::stderr(line));
        reporter.read(line, &lane);
    };
    loop {
        let count = tokio::select! {
            count = stderr.read(&mut buffer) => count.unwrap_or(0),
            () = silence_after(&mut has_exited) => 0,
        };
        if count == 0 {
            break;
        }
        log.feed(buffer.get(..count).unwrap_or_default(), &mut deliver);
    }
    log.finish(deliver);
    log.tail()
}
