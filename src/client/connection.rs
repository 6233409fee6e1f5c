//! One connection from its first byte to its last: the tasks that serve it, and its end.
//!
//! The end is one entry, the last of the lane. It comes after everything the agent wrote, on either
//! stream, and after the agent itself has ended.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_client_protocol::Channel;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::{FutureExt, StreamExt};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::calls::Calls;
use super::diagnostic::Diagnostic;
use super::entries;
use super::failure::Failure;
use super::inbound::{Inbound, silence_after};
use super::order::Order;
use super::outbound::Outbound;
use super::protocol::{Command, Protocol};
use super::report::Reporter;
use super::writer::{Direct, Overflow, WriteFailure, Writer};
use crate::acp::bridge::{Bridge, Payload};
use crate::carrier::Carrier;
use crate::peer;
use crate::process::shutdown::{Exit, Stop};
use crate::process::stderr::StderrLog;
use crate::tools::lent::Lent;
use crate::tools::outcome::too_large_result;
use crate::wire::encode;
use crate::wire::lane::{HIGH_WATER_BYTES, Lane};

/// How long an agent that has closed its output may take to end by itself.
const END_AFTER_OUTPUT: Duration = Duration::from_millis(250);
/// The grace of an agent that broke the protocol, after SIGTERM.
const END_AFTER_FAULT: Duration = Duration::from_millis(500);

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
    calls: Arc<Calls>,
    outbound: Arc<Outbound>,
    writer: Arc<Writer>,
    stop: watch::Sender<Option<Stop>>,
    limits: Limits,
}

/// The last entry of the lane.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct End {
    exit_code: Option<i32>,
    signal: Option<i32>,
    stderr: String,
    /// Why the client ended it; null when the agent ended.
    failure: Option<Value>,
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
        let outbound = Arc::new(Outbound::new(Arc::clone(&writer), trace));
        let inbound = Inbound {
            lane: Arc::clone(&shared.lane),
            lent: Arc::clone(&shared.lent),
            carrier: Arc::clone(&shared.carrier),
            calls: Arc::clone(&calls),
            bridge: Arc::clone(&bridge),
            to_crate,
            order: Arc::clone(&order),
            outbound: Arc::clone(&outbound),
            limit_bytes: limits.max_incoming_bytes,
        };
        let protocol =
            Protocol::new(Arc::clone(&bridge), Arc::clone(&shared.lane), Arc::clone(&order));
        let writing = Arc::clone(&writer);
        let stdin = streams.stdin;
        let tasks = Tasks {
            reader: tokio::spawn(inbound.run(streams.stdout, exited.clone())),
            stderr: tokio::spawn(read_stderr(
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
        Self { commands, calls, outbound, writer, stop, limits }
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
        let (Payload::Text(text) | Payload::Error(text)) = &payload;
        let limit = self.limits.max_outgoing_bytes;
        let payload = if text.len() + ANSWER_OVERHEAD_BYTES > limit {
            let message = too_large(text.len(), limit);
            Payload::Error(encode::error_object(encode::INTERNAL_ERROR, &message).into())
        } else {
            payload
        };
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
        let answers = self.calls.answer(answers, limit, |bytes| too_large_result(bytes, limit));
        self.outbound.write(answers.lines);
        Ok(answers.too_large)
    }

    /// Ends the connection: closes the agent's stdin, then as `stop` says.
    pub fn stop(&self, stop: Stop) {
        self.writer.close();
        self.stop.send_if_modified(|current| {
            let is_first = current.is_none();
            current.get_or_insert(stop);
            is_first
        });
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
        // A connection that has ended takes none; its last entry settles what waits.
        drop(self.commands.unbounded_send(command));
    }
}

/// The most that an id of the agent and the members around an answer may take.
const ANSWER_OVERHEAD_BYTES: usize = 256;

fn too_large(bytes: usize, limit_bytes: usize) -> String {
    format!("the answer is too large: expected at most {limit_bytes} bytes, got {bytes}")
}

struct Tasks {
    reader: JoinHandle<Result<(), Failure>>,
    stderr: JoinHandle<String>,
    writer: JoinHandle<Result<(), WriteFailure>>,
    driver: JoinHandle<Result<(), agent_client_protocol::Error>>,
    frames: JoinHandle<()>,
    life: JoinHandle<Exit>,
}

struct Ending {
    lane: Arc<Lane>,
    order: Arc<Order>,
    writer: Arc<Writer>,
    stop: watch::Sender<Option<Stop>>,
    has_exited: watch::Sender<bool>,
}

impl Ending {
    async fn run(self, tasks: Tasks) {
        let Tasks { reader, stderr, writer, driver, frames, life } = tasks;
        let mut reader = reader.fuse();
        let mut writer = writer.fuse();
        let mut driver = driver.fuse();
        let mut life = life.fuse();
        let mut read = None;
        let mut fault = None;
        let exit = loop {
            // Whichever side ends first, the others follow in bounded time.
            tokio::select! {
                exit = &mut life => break exit.unwrap_or_default(),
                outcome = &mut reader => {
                    let outcome = outcome.unwrap_or_else(|error| Err(panicked(&error)));
                    self.stop_later(if outcome.is_err() { Duration::ZERO } else { END_AFTER_OUTPUT });
                    read = Some(outcome);
                }
                outcome = &mut writer => match outcome {
                    Ok(Ok(())) => {}
                    Ok(Err(WriteFailure::Overflow(overflow))) => {
                        fault = Some(unwritten(overflow));
                        self.stop_later(Duration::ZERO);
                    }
                    Ok(Err(WriteFailure::Pipe(_))) | Err(_) => self.stop_later(END_AFTER_OUTPUT),
                },
                outcome = &mut driver => {
                    fault = Some(driver_failure(outcome));
                    self.stop_later(Duration::ZERO);
                }
            }
        };
        self.has_exited.send_replace(true);
        let read = match read {
            Some(read) => read,
            None => reader.await.unwrap_or_else(|error| Err(panicked(&error))),
        };
        let stderr = stderr.await.unwrap_or_default();
        if fault.is_none() {
            tokio::select! {
                () = self.order.idle() => {}
                outcome = &mut driver => fault = Some(driver_failure(outcome)),
            }
        }
        let failure = read.err().or(fault);
        let end = End {
            exit_code: exit.code,
            signal: exit.signal,
            stderr,
            failure: failure.as_ref().map(Failure::to_value),
        };
        self.lane.push(&entries::end(&end));
        self.writer.close();
        frames.abort();
    }

    /// Ends an agent that does not end by itself within `delay`.
    fn stop_later(&self, delay: Duration) {
        let (stop, writer) = (self.stop.clone(), Arc::clone(&self.writer));
        tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            writer.close();
            stop.send_if_modified(|current| {
                let is_first = current.is_none();
                current.get_or_insert(Stop::Firmly { grace: END_AFTER_FAULT });
                is_first
            });
        });
    }
}

fn unwritten(overflow: Overflow) -> Failure {
    Failure::Unwritten { bytes: overflow.bytes }
}

fn panicked(error: &tokio::task::JoinError) -> Failure {
    Failure::Internal(error.to_string())
}

fn driver_failure(
    outcome: Result<Result<(), agent_client_protocol::Error>, tokio::task::JoinError>,
) -> Failure {
    match outcome {
        Ok(Ok(())) => Failure::Internal("the protocol driver ended early".to_owned()),
        Ok(Err(error)) => Failure::Internal(error.to_string()),
        Err(error) => panicked(&error),
    }
}

async fn send_frames(
    mut frames: UnboundedReceiver<agent_client_protocol::TransportFrame>,
    bridge: Arc<Bridge>,
    outbound: Arc<Outbound>,
) {
    while let Some(frame) = frames.next().await {
        if let Some(outgoing) = bridge.send(frame) {
            outbound.write(peer::line(&outgoing));
        }
    }
}

/// Reads stderr to its end; gives its tail. Never waits for JavaScript: a full pipe would freeze the
/// agent. While JavaScript is far behind, lines are dropped, and a diagnostic tells how many.
async fn read_stderr(
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
