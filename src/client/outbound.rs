//! Lines on their way to the agent, with the trace of both directions.

use std::sync::Arc;

use agent_client_protocol::{RawJsonRpcMessage, TransportFrame};
use futures::StreamExt;
use futures::channel::mpsc::UnboundedReceiver;

use super::entries;
use super::protocol::CLOSE;
use super::writer::Writer;
use crate::acp::bridge::Bridge;
use crate::peer;
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

/// Writes what the crate sends, until it is gone.
pub async fn send_frames(
    mut frames: UnboundedReceiver<TransportFrame>,
    bridge: Arc<Bridge>,
    outbound: Arc<Outbound>,
) {
    while let Some(frame) = frames.next().await {
        if is_close(&frame) {
            outbound.writer.close();
        } else if let Some(outgoing) = bridge.send(frame) {
            outbound.write(peer::line(&outgoing));
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
