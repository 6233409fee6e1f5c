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
use crate::tools::outcome::too_large_result;
use crate::wire::encode;
use crate::wire::lane::Lane;

/// What the longest answer takes, beside its id, that says why there is no other.
const REFUSAL_BYTES: usize = 256;

/// See the module's head.
#[derive(Debug)]
pub struct Outbound {
    writer: Arc<Writer>,
    /// Where the trace goes; `None` while nobody wants it.
    trace: Option<Arc<Lane>>,
    /// The longest line sent, with its line feed.
    limit_bytes: usize,
    /// How many commands were given to the crate.
    said: AtomicU64,
    /// How many of them have gone out.
    done: AtomicU64,
}

impl Outbound {
    /// Lines go to `writer`, and to `trace` when that is wanted.
    #[must_use]
    pub fn new(writer: Arc<Writer>, trace: Option<Arc<Lane>>, limit_bytes: usize) -> Self {
        let (said, done) = (AtomicU64::default(), AtomicU64::default());
        Self { writer, trace, limit_bytes, said, done }
    }

    /// Whether a request of the agent with this id can be answered at all.
    #[must_use]
    pub fn has_room_for(&self, id: &str) -> bool {
        id.len() <= self.limit_bytes.saturating_sub(REFUSAL_BYTES)
    }

    /// Answers a call that was not run, or says that the answer is too large.
    pub fn answer(&self, id: &str, result: &str) {
        let mut line = encode::result(id, result);
        if line.len() > self.limit_bytes {
            line = encode::result(id, &too_large_result(line.len(), self.limit_bytes));
        }
        self.write(line);
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

    /// The line of a message. An answer over the limit becomes an error.
    fn line(&self, outgoing: &Outgoing) -> Vec<u8> {
        let line = peer::line(outgoing);
        match outgoing {
            Outgoing::Result { id, .. } | Outgoing::Error { id, .. }
                if line.len() > self.limit_bytes =>
            {
                encode::error(id, &too_large_error(line.len(), self.limit_bytes))
            }
            _ => line,
        }
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
            Some(outgoing) => outbound.write(outbound.line(&outgoing)),
            None => {}
        }
    }
}

fn too_large_error(bytes: usize, limit_bytes: usize) -> String {
    let message = format!(
        "the answer is too large: expected a line of {limit_bytes} bytes at most, got {bytes}"
    );
    encode::error_object(encode::INTERNAL_ERROR, &message)
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

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 1000;

    fn outbound() -> Outbound {
        Outbound::new(Arc::new(Writer::new(None)), None, LIMIT)
    }

    fn answer(id: &str, text_bytes: usize) -> Outgoing {
        let result = encode::string(&"x".repeat(text_bytes - 2));
        Outgoing::Result { id: id.into(), result: result.into() }
    }

    #[test]
    fn an_answer_is_measured_with_its_id_and_its_envelope() {
        for id in ["1", &encode::string(&"i".repeat(600))] {
            let room = LIMIT - encode::result(id, "").len();
            let whole = answer(id, room);
            assert_eq!(outbound().line(&whole), peer::line(&whole));
            let line = String::from_utf8(outbound().line(&answer(id, room + 1))).unwrap();
            assert!(line.contains("expected a line of 1000 bytes at most, got 1001\"}"), "{line}");
            assert!(line.len() <= LIMIT);
        }
    }

    #[test]
    fn an_id_that_has_room_leaves_it_for_each_refusal() {
        let id = "1".repeat(LIMIT - REFUSAL_BYTES);
        assert!(outbound().has_room_for(&id));
        assert!(!outbound().has_room_for(&format!("{id}1")));
        let most = usize::MAX;
        assert!(encode::error(&id, &too_large_error(most, most)).len() <= LIMIT);
        assert!(encode::result(&id, &too_large_result(most, most)).len() <= LIMIT);
        let long = answer(&id, LIMIT);
        assert!(outbound().line(&long).len() <= LIMIT);
    }
}
