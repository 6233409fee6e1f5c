//! The connection: lines come in, are classified and go through the bridge to the crate's agent role;
//! what the crate sends goes out through one writer. Knows nothing of what a message means.

use std::sync::Arc;

use agent_client_protocol::{
    Agent as AgentRole, Builder, Channel, Client, ConnectionTo, Responder, TransportFrame,
    UntypedMessage, on_receive_notification, on_receive_request,
};
use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

use super::Setup;
use super::agent::Agent;
use super::link::{FAULT, Fault, Link, Shared, is_readable_error};
use super::log::Log;
use super::record::Record;
use crate::acp::bridge::{Bridge, Outgoing, Payload};
use crate::json_text::mend_surrogates;
use crate::peer;
use crate::wire::encode;
use crate::wire::envelope::{Flaw, Message, Outcome, classify};
use crate::wire::lines::{LineReader, text};

/// The longest line mm's SDK reads, line feed not counted. (`docs/protocol.md`, SDK fact 1)
const MAX_LINE_BYTES: usize = 10_485_759;

/// What the agent reads and writes.
#[derive(Debug)]
pub struct Io<In, Out> {
    /// Lines of the client. Their end ends the agent at once.
    pub input: In,
    /// Lines for the client.
    pub output: Out,
    /// Lines of stderr.
    pub log: Log,
}

/// What the writer is given.
enum Output {
    /// A message.
    Line(Vec<u8>),
    /// Bytes of a fault; it is said when they are written.
    Bytes(Vec<u8>, oneshot::Sender<()>),
    /// The end, with this status.
    Exit(i32),
}

/// Why a connection ended before its input did.
enum Ended {
    Exit(i32),
    Problem(String),
}

impl From<String> for Ended {
    fn from(problem: String) -> Self {
        Self::Problem(problem)
    }
}

/// Runs the agent until its input ends, and returns the exit status: 0, also after a line that is too
/// long, 1 when a stream failed, or the one its model ended it with.
pub async fn run<In, Out>(io: Io<In, Out>, setup: Setup) -> i32
where
    In: AsyncRead + Unpin + Send,
    Out: AsyncWrite + Unpin + Send,
{
    let Io { input, output, log } = io;
    log.own(format_args!("version {}, not mm: {}", env!("CARGO_PKG_VERSION"), setup.introduction));
    let record = setup.record.clone();
    let (ours, theirs) = Channel::duplex();
    let (from_crate, to_crate) = ours.into_parts();
    let shared = Arc::new(Shared::default());
    let bridge = &shared.bridge;
    let (lines, queue) = mpsc::unbounded_channel();
    // Each ends when the one before has: the input, the crate, the frames, the output.
    let ended = tokio::try_join!(
        read(input, bridge, to_crate, lines.clone(), (&log, &record)),
        serve(Agent::new(setup, log.clone()), Arc::clone(&shared), theirs),
        encode_frames(from_crate, &shared, lines),
        write(output, queue, &record),
    );
    match ended {
        Ok(_) => 0,
        Err(Ended::Exit(status)) => status,
        Err(Ended::Problem(problem)) => {
            log.own(problem);
            1
        }
    }
}

/// Feeds the crate until the input ends; dropping `to_crate` then tells it so.
async fn read(
    mut input: impl AsyncRead + Unpin,
    bridge: &Bridge,
    to_crate: UnboundedSender<TransportFrame>,
    lines: mpsc::UnboundedSender<Output>,
    (log, record): (&Log, &Record),
) -> Result<(), Ended> {
    let mut reader = LineReader::new(MAX_LINE_BYTES);
    let take = |line: &[u8]| {
        record.line("in", line);
        take_line(&text(line), bridge, &to_crate, &lines, log);
    };
    loop {
        let count = input
            .read(reader.space())
            .await
            .map_err(|error| format!("expected to read stdin, got: {error}"))?;
        if count == 0 {
            break;
        }
        reader.commit(count);
        loop {
            match reader.next_line() {
                Ok(Some(line)) => take(line),
                Ok(None) => break,
                Err(too_long) => {
                    log.own(format_args!("connection closed: {too_long}"));
                    return Ok(());
                }
            }
        }
    }
    if let Some(line) = reader.rest() {
        take(line);
    }
    Ok(())
}

fn take_line(
    line: &str,
    bridge: &Bridge,
    to_crate: &UnboundedSender<TransportFrame>,
    lines: &mpsc::UnboundedSender<Output>,
    log: &Log,
) {
    match classify(line).or_else(|flaw| oddly_numbered(line).ok_or(flaw)) {
        // To mm's SDK such an answer is none: the request runs into its timeout. (SDK fact 3)
        Ok(Message::Answer { outcome: Outcome::Error(error), .. }) if !is_readable_error(error) => {
            log.own("answer ignored: expected an error with an integer code and a string message");
        }
        Ok(message) => {
            if let Some(frame) = peer::frame(bridge, &message) {
                // A crate that is gone has ended the connection; the other halves tell why.
                drop(to_crate.unbounded_send(frame));
            }
        }
        Err(Flaw::BadRequest { id, reason }) => {
            let error = encode::error_object(encode::INVALID_REQUEST, reason);
            // As above: without a writer the connection has ended.
            drop(lines.send(Output::Line(encode::error(id, &error))));
        }
        Err(Flaw::Invalid { reason }) => log.own(format_args!("message ignored: {reason}")),
        Err(Flaw::Noise) => log.own("line ignored: expected a JSON-RPC message, got another text"),
    }
}

/// Reads a request whose id is an object, an array or a boolean: mm's SDK answers it like any other.
fn oddly_numbered(line: &str) -> Option<Message<'_>> {
    #[derive(serde::Deserialize)]
    struct Request<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
        method: String,
        #[serde(borrow)]
        params: Option<&'a RawValue>,
    }
    let Request { id, method, params } = serde_json::from_str(line).ok()?;
    let params = params.map(RawValue::get);
    Some(Message::Request { id: id.get(), method: method.into(), params })
}

/// Drives the crate's agent role until the input has ended.
async fn serve(agent: Agent, shared: Arc<Shared>, channel: Channel) -> Result<(), Ended> {
    let agent = Arc::new(agent);
    let (for_requests, for_notifications) = (Arc::clone(&agent), agent);
    let shared_with_notifications = Arc::clone(&shared);
    // The raw builder: the version in `initialize` is behind a stub, and the agent answers it itself.
    let served = Builder::new(AgentRole)
        .on_receive_request(
            async move |request: UntypedMessage,
                        responder: Responder<Value>,
                        connection: ConnectionTo<Client>| {
                let (method, stub) = request.into_parts();
                let params = params(&shared.bridge, &stub);
                let link = Link::new(connection, Arc::clone(&shared));
                for_requests.request(&method, params, responder, &link)
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |notification: UntypedMessage, _: ConnectionTo<Client>| {
                let (method, stub) = notification.into_parts();
                let params = params(&shared_with_notifications.bridge, &stub);
                for_notifications.notification(&method, params);
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_with(channel, async |connection: ConnectionTo<Client>| {
            connection.incoming_closed().await;
            Ok(())
        })
        .await;
    served.map_err(|error| format!("expected the connection to go on, got: {error}").into())
}

/// The params of a message, or why they cannot be read.
fn params(bridge: &Bridge, stub: &Value) -> Result<Value, String> {
    let Some(Payload::Text(text)) = bridge.claim(stub) else { return Ok(Value::Null) };
    serde_json::from_str(&mend_surrogates(&text)).map_err(|error| error.to_string())
}

async fn encode_frames(
    mut frames: UnboundedReceiver<TransportFrame>,
    shared: &Shared,
    lines: mpsc::UnboundedSender<Output>,
) -> Result<(), Ended> {
    // Without a writer the connection has ended, and the writer tells why.
    let send = |output| drop(lines.send(output));
    let mut is_next_answer_repeated = false;
    while let Some(frame) = frames.next().await {
        let Some(outgoing) = shared.bridge.send(frame) else { continue };
        match &outgoing {
            Outgoing::Notification { method, .. } if method == FAULT => match shared.next_fault() {
                Some(Fault::Write(bytes, written)) => send(Output::Bytes(bytes, written)),
                Some(Fault::RepeatAnswer) => is_next_answer_repeated = true,
                Some(Fault::Exit(status)) => send(Output::Exit(status)),
                None => {}
            },
            Outgoing::Result { .. } | Outgoing::Error { .. } if is_next_answer_repeated => {
                is_next_answer_repeated = false;
                let line = peer::line(&outgoing);
                send(Output::Line(line.clone()));
                send(Output::Line(line));
            }
            _ => send(Output::Line(peer::line(&outgoing))),
        }
    }
    Ok(())
}

async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut queue: mpsc::UnboundedReceiver<Output>,
    record: &Record,
) -> Result<(), Ended> {
    let failed = |error: std::io::Error| format!("expected to write stdout, got: {error}");
    while let Some(next) = queue.recv().await {
        match next {
            Output::Line(line) => {
                record.line("out", &line);
                output.write_all(&line).await.map_err(failed)?;
            }
            Output::Bytes(bytes, written) => {
                record.line("out", &bytes);
                output.write_all(&bytes).await.map_err(failed)?;
                output.flush().await.map_err(failed)?;
                match written.send(()) {
                    // A turn that was cancelled meanwhile does not wait for it.
                    Ok(()) | Err(()) => {}
                }
            }
            Output::Exit(status) => {
                output.flush().await.map_err(failed)?;
                return Err(Ended::Exit(status));
            }
        }
        if queue.is_empty() {
            output.flush().await.map_err(failed)?;
        }
    }
    output.flush().await.map_err(failed)?;
    Ok(())
}
