//! Lines on their way to the agent, in the order in which they were said, with the trace of both
//! directions.
//!
//! Answers of calls need no crate and are written at once, unless something that was said before is
//! still on its way through it: then they follow it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agent_client_protocol::{RawJsonRpcMessage, TransportFrame};
use futures::StreamExt;
use futures::channel::mpsc::UnboundedReceiver;

use super::entries;
use super::protocol::{CLOSE, LINES, MARK};
use super::writer::Writer;
use crate::acp::bridge::{Bridge, Outgoing};
use crate::peer;
use crate::wire::lane::Lane;

/// See the module's head.
#[derive(Debug)]
pub struct Outbound {
    writer: Arc<Writer>,
    /// Where the trace goes; `None` while nobody wants it.
    trace: Option<Arc<Lane>>,
    /// How many commands were given to the crate.
    said: AtomicU64,
    /// How many of them have gone out.
    done: AtomicU64,
}

impl Outbound {
    /// Lines go to `writer`, and to `trace` when that is wanted.
    #[must_use]
    pub fn new(writer: Arc<Writer>, trace: Option<Arc<Lane>>) -> Self {
        Self { writer, trace, said: AtomicU64::default(), done: AtomicU64::default() }
    }

    /// A command is about to be given to the crate.
    pub fn says(&self) {
        self.said.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether all that was given to the crate has gone out.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.said.load(Ordering::Relaxed) == self.done.load(Ordering::Acquire)
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

    /// Writes one line that comes in pieces.
    pub fn write_pieces(&self, pieces: Vec<Vec<u8>>) {
        if self.trace.is_some() {
            self.trace(false, String::from_utf8_lossy(&pieces.concat()).trim_end());
        }
        self.writer.write_pieces(pieces);
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

/// Writes what the crate sends, until it is gone.
pub async fn send_frames(
    mut frames: UnboundedReceiver<TransportFrame>,
    bridge: Arc<Bridge>,
    outbound: Arc<Outbound>,
) {
    while let Some(frame) = frames.next().await {
        if is_close(&frame) {
            outbound.writer.close();
            continue;
        }
        match bridge.send(frame) {
            Some(Outgoing::Notification { method, params }) if method == LINES => {
                outbound.write(params.into_string().into_bytes());
            }
            Some(Outgoing::Notification { method, .. }) if method == MARK => {
                outbound.done.fetch_add(1, Ordering::Release);
            }
            Some(outgoing) => outbound.write(peer::line(&outgoing)),
            None => {}
        }
    }
}

/// Whether a frame is the mark of [`CLOSE`]; what goes out has params by then.
fn is_close(frame: &TransportFrame) -> bool {
    match frame {
        TransportFrame::Single(RawJsonRpcMessage::Notification(mark)) => {
            *mark.method == *CLOSE && mark.params.is_none()
        }
        _ => false,
    }
}

/// Milliseconds since the epoch.
#[expect(clippy::disallowed_methods, reason = "a trace tells when a line was seen")]
fn now_ms() -> u128 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis())
}
