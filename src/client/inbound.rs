//! Reads the agent's stdout. Updates and calls of lent tools are hot: they go to the lane as text.
//! Everything else goes through the crate, and what is hot behind it waits its turn.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agent_client_protocol::TransportFrame;
use futures::channel::mpsc::UnboundedSender;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;

use super::calls::Calls;
use super::diagnostic::{Diagnostic, shown};
use super::entries;
use super::failure::Failure;
use super::kept::{Kept, is_large};
use super::order::Order;
use super::outbound::Outbound;
use crate::acp::bridge::Bridge;
use crate::acp::names::{CANCEL_REQUEST, SESSION_UPDATE};
use crate::carrier::{Carrier, Received};
use crate::peer;
use crate::tools::lent::Lent;
use crate::wire::compact::{TextChunk, text_chunk, text_line};
use crate::wire::encode;
use crate::wire::envelope::{Flaw, Message, classify};
use crate::wire::lane::{CHUNK_BYTES, Lane, Run};
use crate::wire::lines::{self, LineReader};

/// A program that writes this much other text before its first message speaks no ACP.
const FOREIGN_LINES: usize = 1_000;
const FOREIGN_BYTES: usize = 1024 * 1024;
/// Each noisy line is a diagnostic up to this many.
const REPORTED_NOISE: usize = 100;
/// The most calls that may be open at once, and the most other requests of the agent. mm's SDK queues
/// 1 024; each open one costs the program some 2 KB.
pub const MAX_OPEN_REQUESTS: usize = 10_000;
/// Each refusal is a diagnostic up to this many.
const REPORTED_REFUSALS: usize = 100;
/// How long the pipe of a dead agent may stay silent: a process it left behind may hold it open.
const SILENCE_AFTER_EXIT: Duration = Duration::from_millis(250);

/// What the reader needs to know and to reach.
#[derive(Debug)]
pub struct Inbound {
    /// To JavaScript.
    pub lane: Arc<Lane>,
    /// The lent tools.
    pub lent: Arc<Mutex<Lent>>,
    /// How they are lent.
    pub carrier: Arc<dyn Carrier>,
    /// What is kept of updates; it numbers all that go to JavaScript.
    pub kept: Arc<Kept>,
    /// Calls that run.
    pub calls: Arc<Calls>,
    /// To the crate.
    pub bridge: Arc<Bridge>,
    /// The crate's end of the transport.
    pub to_crate: UnboundedSender<TransportFrame>,
    /// What waits for the crate.
    pub order: Arc<Order>,
    /// To the agent.
    pub outbound: Arc<Outbound>,
    /// The longest line accepted.
    pub limit_bytes: usize,
}

/// The reader's state.
struct Reader {
    to: Inbound,
    /// Hot entries of this read, not delivered yet.
    run: Run,
    /// Of the last text in `run`.
    run_session: Option<String>,
    noise_lines: usize,
    noise_bytes: usize,
    first_noise: Option<String>,
    has_spoken: bool,
    refusals: usize,
}

impl Inbound {
    /// Reads to the end of the stream, or until `has_exited` and the stream has gone silent.
    ///
    /// # Errors
    /// [`Failure`] when what came cannot be gone on with.
    pub async fn run(
        self,
        mut stdout: impl AsyncRead + Unpin,
        mut has_exited: watch::Receiver<bool>,
    ) -> Result<(), Failure> {
        let mut lines = LineReader::new(self.limit_bytes);
        let mut reader = Reader {
            to: self,
            run: Run::new(),
            run_session: None,
            noise_lines: 0,
            noise_bytes: 0,
            first_noise: None,
            has_spoken: false,
            refusals: 0,
        };
        loop {
            let count = tokio::select! {
                count = stdout.read(lines.space()) => count.unwrap_or(0),
                () = silence_after(&mut has_exited) => 0,
            };
            if count == 0 {
                break;
            }
            lines.commit(count);
            loop {
                match lines.next_line() {
                    Ok(Some(line)) => reader.line(line)?,
                    Ok(None) => break,
                    Err(error) => {
                        reader.flush();
                        return Err(Failure::IncomingTooLarge { limit_bytes: error.limit_bytes });
                    }
                }
            }
            reader.flush();
            reader.to.lane.room().await;
        }
        if let Some(line) = lines.rest() {
            reader.line(line)?;
        }
        reader.flush();
        Ok(())
    }
}

/// Resolves when the agent has exited and nothing has come for a while.
pub(super) async fn silence_after(has_exited: &mut watch::Receiver<bool>) {
    // A sender that is gone has seen the exit as well.
    drop(has_exited.wait_for(|has_exited| *has_exited).await);
    tokio::time::sleep(SILENCE_AFTER_EXIT).await;
}

impl Reader {
    fn line(&mut self, line: &[u8]) -> Result<(), Failure> {
        let text = lines::text(line);
        self.to.outbound.trace(true, &text);
        if let Some(chunk) = text_line(&text) {
            self.has_spoken = true;
            self.text(&chunk);
            return Ok(());
        }
        match classify(&text) {
            Ok(message) => {
                self.has_spoken = true;
                self.message(&message);
                Ok(())
            }
            Err(Flaw::Noise) => self.noise(&text),
            Err(Flaw::BadRequest { id, reason }) => {
                if self.to.outbound.has_room_for(id) {
                    let error = encode::error_object(encode::INVALID_REQUEST, "Invalid request");
                    self.to.outbound.write(encode::error(id, &error));
                }
                self.diagnose_invalid(reason, &text);
                Ok(())
            }
            Err(Flaw::Invalid { reason }) => {
                self.diagnose_invalid(reason, &text);
                Ok(())
            }
        }
    }

    fn message(&mut self, message: &Message<'_>) {
        match message {
            Message::Notification { method, params } if method == SESSION_UPDATE => {
                self.update(params.unwrap_or("null"));
            }
            Message::Notification { method, params } if method == CANCEL_REQUEST => {
                let id = peer::cancelled_id(*params);
                match id.and_then(|id| self.to.calls.withdraw(id)) {
                    Some(key) => entries::push_call_cancelled(self.run.text(), key),
                    None => self.through_crate(message),
                }
            }
            // Whatever it were answered with, the line would be longer than the agent may be sent.
            Message::Request { id, method, .. } if !self.to.outbound.has_room_for(id) => {
                let (bytes, method) = (id.len(), shown(method));
                let reason = "expected an id that leaves room for an answer";
                self.diagnose_invalid(&format!("{reason}, got {bytes} bytes for {method}"), id);
            }
            Message::Request { id, method, params } => {
                if self.call(id, method, *params) {
                    return;
                }
                if self.to.bridge.open_requests() >= MAX_OPEN_REQUESTS {
                    self.refuse(id, method);
                    return;
                }
                self.through_crate(message);
            }
            Message::Notification { .. } | Message::Answer { .. } => self.through_crate(message),
        }
    }

    fn update(&mut self, params: &str) {
        match text_chunk(params) {
            Some(chunk) => self.text(&chunk),
            None if params.starts_with('{') => {
                self.to.kept.update(params);
                entries::push_update(self.run.text(), params);
            }
            None => self.diagnose_invalid("expected a session/update with params", params),
        }
        self.flush_when_full();
    }

    /// A run of texts names its session once.
    fn text(&mut self, chunk: &TextChunk<'_>) {
        self.to.kept.text(chunk);
        if is_large(chunk) {
            entries::push_large_text(self.run.text(), chunk);
            self.run_session = None;
        } else if self.run_session.as_deref() == Some(chunk.session) {
            entries::push_more_text(self.run.text(), chunk.text);
        } else {
            entries::push_text(self.run.text(), chunk);
            self.run_session = Some(chunk.session.to_owned());
        }
        self.flush_when_full();
    }

    fn flush_when_full(&mut self) {
        if self.run.entries().len() >= CHUNK_BYTES {
            self.flush();
        }
    }

    /// Whether the request is a call of a lent tool; if so it is under way.
    fn call(&mut self, id: &str, method: &str, params: Option<&str>) -> bool {
        let received = {
            let lent = self.to.lent.lock().unwrap_or_else(PoisonError::into_inner);
            self.to.carrier.receive(&lent, method, params)
        };
        let text = params.unwrap_or("null");
        match received {
            Received::NotOurs => return false,
            Received::Call(_) if self.to.calls.count() >= MAX_OPEN_REQUESTS => {
                self.refuse(id, method);
            }
            Received::Call(tool) => {
                let key = self.to.calls.open(id);
                entries::push_call(self.run.text(), key, tool.0, text);
            }
            Received::Misfit { tool, result } => {
                self.to.outbound.answer(id, &result);
                entries::push_call_refused(self.run.text(), tool.0, text);
            }
            Received::Unlent { result } => self.to.outbound.answer(id, &result),
        }
        true
    }

    /// Answers a request that is one too many.
    fn refuse(&mut self, id: &str, method: &str) {
        let reason = format!("expected at most {MAX_OPEN_REQUESTS} open requests at once");
        let error = encode::error_object(encode::SERVER_ERROR, &reason);
        self.to.outbound.write(encode::error(id, &error));
        self.refusals += 1;
        if self.refusals > REPORTED_REFUSALS {
            return;
        }
        let more = if self.refusals == REPORTED_REFUSALS { "; more will not be told" } else { "" };
        let message = format!("{reason}, refused one of {}{more}", shown(method));
        let details = json!({ "method": shown(method), "limit": MAX_OPEN_REQUESTS });
        self.diagnose(&Diagnostic::new("message-refused", message, details));
    }

    fn through_crate(&mut self, message: &Message<'_>) {
        self.flush();
        match peer::frame(&self.to.bridge, message) {
            Some(frame) => {
                self.send_to_crate(frame);
                let ticket = self.to.order.wait(String::new());
                self.send_to_crate(ticket);
            }
            None => {
                if let Message::Answer { id, .. } = message {
                    self.diagnose_invalid("expected an answer to an open request", id);
                }
            }
        }
    }

    /// Delivers the hot entries, behind what is still in the crate.
    fn flush(&mut self) {
        if self.run.entries().is_empty() {
            return;
        }
        self.run_session = None;
        if self.to.order.is_idle() {
            self.to.lane.push_run(&mut self.run);
        } else {
            let ticket = self.to.order.wait(self.run.take());
            self.send_to_crate(ticket);
        }
    }

    fn send_to_crate(&self, frame: TransportFrame) {
        if self.to.to_crate.unbounded_send(frame).is_err() {
            // The driver is gone, and with it everybody who could wait: its end ends the client.
            self.to.order.release(|entries| self.to.lane.push(entries));
        }
    }

    fn noise(&mut self, text: &str) -> Result<(), Failure> {
        self.noise_lines += 1;
        self.noise_bytes += text.len() + 1;
        let first = self.first_noise.get_or_insert_with(|| shown(text));
        let is_foreign = self.noise_lines >= FOREIGN_LINES || self.noise_bytes >= FOREIGN_BYTES;
        if !self.has_spoken && is_foreign {
            return Err(Failure::NotAcp { first_line: std::mem::take(first) });
        }
        if self.noise_lines <= REPORTED_NOISE {
            let more =
                if self.noise_lines == REPORTED_NOISE { "; more will not be told" } else { "" };
            let message = format!("expected an ACP message on stdout, got: {}{more}", shown(text));
            self.diagnose(&Diagnostic::new(
                "stdout-noise",
                message,
                json!({ "line": shown(text) }),
            ));
        }
        Ok(())
    }

    fn diagnose_invalid(&mut self, reason: &str, line: &str) {
        let message = format!("{reason}: {}", shown(line));
        self.diagnose(&Diagnostic::new("message-invalid", message, json!({ "line": shown(line) })));
    }

    /// Goes the way of the hot entries, so that it comes in the order of the lines.
    fn diagnose(&mut self, diagnostic: &Diagnostic) {
        let entry = entries::diagnostic(diagnostic);
        entries::separate(self.run.text());
        self.run.text().push_str(&entry);
    }
}
