//! One connection: the tasks that serve it, and what its client says to them.

use std::sync::{Arc, Mutex};

use agent_client_protocol::Channel;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use super::calls::Calls;
use super::ending::{Ending, Tasks, unwritten};
use super::failure::Failure;
use super::held::{Held, Tables};
use super::inbound::Inbound;
use super::kept::Kept;
use super::order::Order;
use super::outbound::{Outbound, send_frames};
use super::protocol::{Command, Protocol};
use super::report::Reporter;
use super::stderr;
use super::writer::{Direct, Writer};
use crate::acp::bridge::{Bridge, Payload};
use crate::carrier::Carrier;
use crate::process::shutdown::{Exit, Stop};
use crate::tools::lent::Lent;
use crate::tools::outcome::too_large_result;
use crate::wire::encode;
use crate::wire::lane::Lane;

/// The agent's ends of the pipes.
pub struct Streams {
    /// Where it reads.
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    /// The same, for writes that never wait.
    pub direct: Option<Direct>,
    /// Where it writes messages.
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    /// Where it writes anything else.
    pub stderr: Box<dyn AsyncRead + Send + Unpin>,
}

impl std::fmt::Debug for Streams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Streams").field("direct", &self.direct).finish_non_exhaustive()
    }
}

/// What a connection shares with its client.
#[derive(Debug, Clone)]
pub struct Shared {
    /// To JavaScript.
    pub lane: Arc<Lane>,
    /// The lent tools.
    pub lent: Arc<Mutex<Lent>>,
    /// How they are lent.
    pub carrier: Arc<dyn Carrier>,
    /// What is kept of updates.
    pub kept: Arc<Kept>,
}

/// Bounds and wishes.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// The longest line accepted, in bytes.
    pub max_incoming_bytes: usize,
    /// The longest line sent, in bytes with its line feed.
    pub max_outgoing_bytes: usize,
    /// Whether every line is told.
    pub is_traced: bool,
}

/// The side of a connection that its client holds.
#[derive(Debug)]
pub struct Connection {
    commands: UnboundedSender<Command>,
    tables: Tables,
    outbound: Arc<Outbound>,
    writer: Arc<Writer>,
    stop: watch::Sender<Option<Stop>>,
    limits: Limits,
}

impl Connection {
    /// Serves `streams` until the agent has ended; `life` is told to bring that about, and resolves
    /// when it has. Needs a tokio runtime.
    pub fn open<L>(
        streams: Streams,
        shared: &Shared,
        limits: Limits,
        reporter: Reporter,
        life: impl FnOnce(watch::Receiver<Option<Stop>>) -> L,
    ) -> Self
    where
        L: Future<Output = Exit> + Send + 'static,
    {
        let (stop, stopped) = watch::channel(None);
        let (has_exited, exited) = watch::channel(false);
        let (commands, commanded) = unbounded();
        let (ours, theirs) = Channel::duplex();
        let (from_crate, to_crate) = ours.into_parts();
        let bridge = Arc::new(Bridge::new());
        let order = Arc::new(Order::default());
        let calls = Arc::new(Calls::default());
        let writer = Arc::new(Writer::new(streams.direct));
        let trace = limits.is_traced.then(|| Arc::clone(&shared.lane));
        let outbound =
            Arc::new(Outbound::new(Arc::clone(&writer), trace, limits.max_outgoing_bytes));
        let inbound = Inbound {
            lane: Arc::clone(&shared.lane),
            lent: Arc::clone(&shared.lent),
            carrier: Arc::clone(&shared.carrier),
            kept: Arc::clone(&shared.kept),
            calls: Arc::clone(&calls),
            bridge: Arc::clone(&bridge),
            to_crate,
            order: Arc::clone(&order),
            outbound: Arc::clone(&outbound),
            limit_bytes: limits.max_incoming_bytes,
        };
        let protocol =
            Protocol::new(Arc::clone(&bridge), Arc::clone(&shared.lane), Arc::clone(&order));
        let tables = Tables {
            bridge: Arc::clone(&bridge),
            protocol: Arc::downgrade(&protocol),
            calls,
            order: Arc::clone(&order),
        };
        let writing = Arc::clone(&writer);
        let stdin = streams.stdin;
        let tasks = Tasks {
            reader: tokio::spawn(inbound.run(streams.stdout, exited.clone())),
            stderr: tokio::spawn(stderr::read(
                streams.stderr,
                exited,
                Arc::clone(&shared.lane),
                reporter,
            )),
            writer: tokio::spawn(async move { writing.run(stdin).await }),
            driver: tokio::spawn(protocol.run(theirs, commanded)),
            frames: tokio::spawn(send_frames(from_crate, bridge, Arc::clone(&outbound))),
            life: tokio::spawn(life(stopped)),
        };
        let ending = Ending {
            lane: Arc::clone(&shared.lane),
            order,
            writer: Arc::clone(&writer),
            stop: stop.clone(),
            has_exited,
        };
        tokio::spawn(ending.run(tasks));
        Self { commands, tables, outbound, writer, stop, limits }
    }

    /// The calls that JavaScript runs, for those that come another way.
    #[must_use]
    pub fn calls(&self) -> Arc<Calls> {
        Arc::clone(&self.tables.calls)
    }

    /// Sends a request with the id `id`.
    ///
    /// # Errors
    /// [`Failure::OutgoingTooLarge`]: then nothing was sent.
    pub fn request(&self, id: u64, method: String, params: String) -> Result<(), Failure> {
        self.check_size(
            &method,
            encode::request(&id.to_string(), &method, "").len() + params.len(),
        )?;
        self.command(Command::Request { id, method, params });
        Ok(())
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// [`Failure::OutgoingTooLarge`]: then nothing was sent.
    pub fn notify(&self, method: String, params: String) -> Result<(), Failure> {
        self.check_size(&method, encode::notification(&method, "").len() + params.len())?;
        self.command(Command::Notify { method, params });
        Ok(())
    }

    /// Withdraws the request `id` of ours.
    pub fn cancel_request(&self, id: u64) {
        self.command(Command::Cancel { id });
    }

    /// Answers the request `key` of the agent. An answer over the limit becomes an error.
    pub fn answer_request(&self, key: i64, payload: Payload) {
        self.command(Command::Answer { key, payload });
    }

    /// Answers calls of lent tools; gives the keys of those whose answer was too large.
    ///
    /// # Errors
    /// [`Failure::Unwritten`] when the agent does not read its answers.
    pub fn answer_calls(&self, answers: &str) -> Result<Vec<u32>, Failure> {
        if let Some(overflow) = self.writer.overflow() {
            return Err(unwritten(overflow));
        }
        let limit = self.limits.max_outgoing_bytes;
        let answers =
            self.tables.calls.answer(answers, limit, |bytes| too_large_result(bytes, limit));
        if self.outbound.is_idle() {
            self.outbound.write(answers.lines);
        } else {
            self.lines_behind(&answers.lines);
        }
        Ok(answers.too_large)
    }

    /// Answers one call with a large answer; gives whether it was too large.
    ///
    /// # Errors
    /// [`Failure::Unwritten`] when the agent does not read its answers.
    pub fn answer_large(&self, key: u32, is_error: bool, json: String) -> Result<bool, Failure> {
        if let Some(overflow) = self.writer.overflow() {
            return Err(unwritten(overflow));
        }
        let limit = self.limits.max_outgoing_bytes;
        let calls = &self.tables.calls;
        let answer =
            calls.answer_large(key, is_error, json, limit, |bytes| too_large_result(bytes, limit));
        if self.outbound.is_idle() {
            self.outbound.write_pieces(answer.pieces);
        } else {
            self.lines_behind(&answer.pieces.concat());
        }
        Ok(answer.is_too_large)
    }

    /// What is held for messages under way.
    #[must_use]
    pub fn held(&self) -> Held {
        self.tables.held()
    }

    /// Ends the connection: closes the agent's stdin, then as `stop` says.
    pub fn stop(&self, stop: Stop) {
        self.command(Command::Close);
        self.stop.send_if_modified(|current| {
            let is_first = current.is_none();
            current.get_or_insert(stop);
            is_first
        });
    }

    /// Writes lines behind what is on its way through the crate.
    fn lines_behind(&self, lines: &[u8]) {
        // Made of JSON texts: nothing in it is replaced.
        self.command(Command::Lines(String::from_utf8_lossy(lines).into_owned()));
    }

    fn check_size(&self, method: &str, bytes: usize) -> Result<(), Failure> {
        let limit_bytes = self.limits.max_outgoing_bytes;
        if bytes > limit_bytes {
            return Err(Failure::OutgoingTooLarge {
                method: method.to_owned(),
                bytes,
                limit_bytes,
            });
        }
        Ok(())
    }

    fn command(&self, command: Command) {
        self.outbound.says();
        // A connection that has ended takes none; its last entry settles what waits.
        drop(self.commands.unbounded_send(command));
    }
}
