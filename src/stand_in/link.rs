//! The way to the client: updates, requests with integer ids from 1, and answers. Payloads travel
//! beside the crate, through the bridge. Knows nothing of what they say.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::{
    Client, ConnectionTo, Error, RequestCancellationHandle, Responder, UntypedMessage,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::acp::bridge::{Bridge, Payload};
use crate::acp::names::SESSION_UPDATE;
use crate::json_text::mend_surrogates;
use crate::peer::NEITHER;

/// What a request of the client is answered with: a result, or an error object.
pub(super) type Answer = Result<Value, Value>;

/// What the client answered to a request of ours.
#[derive(Debug)]
pub(super) enum Reply {
    /// JSON text; empty when the answer had neither result nor error.
    Result(Box<str>),
    Error(ReplyError),
}

/// An error as mm's SDK reads it: what is absent or `null` has its zero value.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct ReplyError {
    #[serde(default)]
    code: Option<i64>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    data: Option<Box<RawValue>>,
}

impl ReplyError {
    pub(super) fn code(&self) -> i64 {
        self.code.unwrap_or_default()
    }

    pub(super) fn message(&self) -> &str {
        self.message.as_deref().unwrap_or_default()
    }

    pub(super) fn data(&self) -> Option<&str> {
        self.data.as_deref().map(RawValue::get)
    }
}

/// What a model does to the connection.
#[derive(Debug)]
pub(super) enum Fault {
    /// Writes these bytes, and says when they are written.
    Write(Vec<u8>, oneshot::Sender<()>),
    /// Writes the next answer twice.
    RepeatAnswer,
    /// Ends the agent with this status.
    Exit(i32),
}

/// What goes through the crate in the place of a fault, so that it keeps its place among messages.
/// No line has this method.
pub(super) const FAULT: &str = "$/stand-in/fault";

/// What all links of a connection share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Payloads travel through it, beside the crate.
    pub(super) bridge: Bridge,
    /// In the order in which their stubs go through the crate.
    faults: Mutex<VecDeque<Fault>>,
    /// How many requests went out.
    requests: AtomicU64,
}

impl Shared {
    /// The fault whose stub came out of the crate.
    pub(super) fn next_fault(&self) -> Option<Fault> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// The way to the client, cheaply cloned.
#[derive(Debug, Clone)]
pub(super) struct Link {
    connection: ConnectionTo<Client>,
    shared: Arc<Shared>,
}

impl Link {
    pub(super) fn new(connection: ConnectionTo<Client>, shared: Arc<Shared>) -> Self {
        Self { connection, shared }
    }

    /// Runs a task beside the serial dispatch. It ends with the connection.
    pub(super) fn spawn(
        &self,
        task: impl Future<Output = Result<(), Error>> + Send + 'static,
    ) -> Result<(), Error> {
        self.connection.spawn(task)
    }

    pub(super) fn update(&self, session_id: &str, update: &Value) -> Result<(), Error> {
        let params = json!({ "sessionId": session_id, "update": update });
        let stub = self.shared.bridge.park(Payload::Text(params.to_string().into()));
        self.connection.send_notification(UntypedMessage::new(SESSION_UPDATE, stub)?)
    }

    /// Does something to the connection, after all that was sent before.
    pub(super) fn fault(&self, fault: Fault) -> Result<(), Error> {
        // The stub goes in under the lock: two tasks must not swap theirs.
        let mut faults = self.shared.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.push_back(fault);
        let stub = self.shared.bridge.park(Payload::Text("null".into()));
        self.connection.send_notification(UntypedMessage::new(FAULT, stub)?)
    }

    pub(super) fn answer(&self, responder: Responder<Value>, answer: Answer) -> Result<(), Error> {
        let payload = match answer {
            Ok(result) => Payload::Text(result.to_string().into()),
            Err(error) => Payload::Error(error.to_string().into()),
        };
        responder.respond(self.shared.bridge.park(payload))
    }

    /// Sends a request at once; its answer comes by way of what is returned.
    pub(super) fn request(&self, method: &str, params: &Value) -> Result<Pending, Error> {
        // Counted and sent by the one task that drives the connection: ids go out in order.
        let id = self.shared.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let stub = self.shared.bridge.park_request(id, &params.to_string());
        let request = self.connection.prepare_request(UntypedMessage::new(method, stub)?);
        let cancel = request.cancellation_handle();
        let (sender, answer) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        request.on_receiving_result(async move |result: Result<Value, Error>| {
            // Claimed also when nobody waits any more: a late answer must not stay parked.
            let payload = result.ok().and_then(|stub| shared.bridge.claim(&stub));
            if let Some(reply) = payload.and_then(reply) {
                // A receiver that is gone has given the request up.
                drop(sender.send(reply));
            }
            Ok(())
        })?;
        Ok(Pending { answer, cancel })
    }
}

/// Whether an error object is one to mm's SDK. (`docs/protocol.md`, SDK fact 3)
pub(super) fn is_readable_error(error: &str) -> bool {
    read_error(error).is_some()
}

fn read_error(error: &str) -> Option<ReplyError> {
    serde_json::from_str(&mend_surrogates(error)).ok()
}

/// Errors that cannot be read do not come this far.
fn reply(payload: Payload) -> Option<Reply> {
    match payload {
        Payload::Text(result) => Some(Reply::Result(result)),
        Payload::Error(error) if *error == *NEITHER => Some(Reply::Result("".into())),
        Payload::Error(error) => read_error(&error).map(Reply::Error),
    }
}

/// A request that waits for its answer. Dropped before, it is withdrawn with `$/cancel_request`.
#[derive(Debug)]
pub(super) struct Pending {
    answer: oneshot::Receiver<Reply>,
    cancel: RequestCancellationHandle,
}

impl Pending {
    /// The answer. Never comes when the connection has ended: then nothing goes on.
    pub(super) async fn answer(mut self) -> Reply {
        match (&mut self.answer).await {
            Ok(reply) => reply,
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // Does nothing once the answer is there, and fails only when the connection is gone.
        drop(self.cancel.cancel());
    }
}
