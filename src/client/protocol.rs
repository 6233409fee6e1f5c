//! The crate `agent-client-protocol` at work: it dispatches what is not hot, knows which answer
//! belongs to which request of ours, and withdraws requests. Its handlers push into the lane before
//! anything else, so what comes out is in wire order; what is waited for is spawned.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::{
    Agent, Builder, Channel, Client, ConnectionTo, Error, RawJsonRpcId, RequestCancellationHandle,
    Responder, UntypedMessage, is_incoming_transport_closed, on_receive_notification,
    on_receive_request,
};
use futures::StreamExt;
use futures::channel::mpsc::UnboundedReceiver;
use serde_json::Value;

use super::entries;
use super::order::{Order, TICKET};
use crate::acp::bridge::{Bridge, Payload};
use crate::wire::encode;
use crate::wire::lane::Lane;

/// The method of the mark that stands for the end in the crate's queue of messages. It never goes out.
pub const CLOSE: &str = "$/mini-me/close";

/// The method of lines of ours that take their turn behind what the crate is given. It never goes out.
pub const LINES: &str = "\0lines";
/// The method of the mark that follows each command through the crate. It never goes out.
pub const MARK: &str = "\0mark";

/// What JavaScript wants of the agent. In one channel, so that it goes out in the order it was said.
#[derive(Debug)]
pub enum Command {
    /// Sends a request.
    Request {
        /// Its id on the wire.
        id: u64,
        /// The method's name.
        method: String,
        /// JSON text.
        params: String,
    },
    /// Sends a notification.
    Notify {
        /// The method's name.
        method: String,
        /// JSON text.
        params: String,
    },
    /// Withdraws a request of ours.
    Cancel {
        /// Its id on the wire.
        id: u64,
    },
    /// Writes whole lines, behind all that was said before.
    Lines(String),
    /// Closes the agent's stdin, behind all that was said before.
    Close,
    /// Answers a request of the agent.
    Answer {
        /// Its key.
        key: i64,
        /// The result, or the error.
        payload: Payload,
    },
}

/// What the handlers share.
#[derive(Debug)]
pub struct Protocol {
    bridge: Arc<Bridge>,
    lane: Arc<Lane>,
    order: Arc<Order>,
    /// The agent's open requests, by key.
    responders: Mutex<HashMap<i64, Responder<Value>>>,
    /// Our open requests, by id on the wire.
    sent: Mutex<HashMap<u64, RequestCancellationHandle>>,
}

impl Protocol {
    /// The protocol side of one connection.
    #[must_use]
    pub fn new(bridge: Arc<Bridge>, lane: Arc<Lane>, order: Arc<Order>) -> Arc<Self> {
        let (responders, sent) = (Mutex::default(), Mutex::default());
        Arc::new(Self { bridge, lane, order, responders, sent })
    }

    /// How many requests are open: of ours, of the agent's.
    #[must_use]
    pub fn open(&self) -> (usize, usize) {
        (self.sent().len(), self.responders().len())
    }

    /// Runs until `commands` ends.
    ///
    /// # Errors
    /// The crate's own, when its driver ends early.
    pub async fn run(
        self: Arc<Self>,
        transport: Channel,
        mut commands: UnboundedReceiver<Command>,
    ) -> Result<(), Error> {
        let (requests, notifications) = (Arc::clone(&self), Arc::clone(&self));
        // Not `Client.v1()`: that follows the negotiation by reading payloads, and sees none here.
        Builder::new(Client)
            .name("mini-me-client")
            .on_receive_request(
                async move |request: UntypedMessage,
                            responder: Responder<Value>,
                            connection: ConnectionTo<Agent>| {
                    Arc::clone(&requests).receive_request(&request, responder, &connection)
                },
                on_receive_request!(),
            )
            .on_receive_notification(
                async move |notification: UntypedMessage, _: ConnectionTo<Agent>| {
                    notifications.receive_notification(&notification);
                    Ok(())
                },
                on_receive_notification!(),
            )
            .connect_with(transport, async move |connection: ConnectionTo<Agent>| {
                while let Some(command) = commands.next().await {
                    Arc::clone(&self).carry_out(command, &connection)?;
                    self.notify(MARK, "null".into(), &connection)?;
                }
                Ok(())
            })
            .await
    }

    fn receive_request(
        self: Arc<Self>,
        request: &UntypedMessage,
        responder: Responder<Value>,
        connection: &ConnectionTo<Agent>,
    ) -> Result<(), Error> {
        let RawJsonRpcId::Number(key) = *responder.raw_id() else {
            return responder.respond_with_error(Error::invalid_request());
        };
        let params = self.claim_text(request.params());
        let cancellation = responder.cancellation();
        self.responders().insert(key, responder);
        self.lane.push(&entries::request(key, request.method(), &params));
        connection.spawn(async move {
            cancellation.cancelled().await;
            // Answered in the meantime: nothing is left to withdraw.
            let Some(responder) = self.responders().remove(&key) else { return Ok(()) };
            self.lane.push(&entries::request_cancelled(key));
            responder.respond_with_error(Error::request_cancelled())
        })
    }

    fn receive_notification(&self, notification: &UntypedMessage) {
        let stub = notification.params();
        if notification.method() == TICKET && stub.is_null() {
            self.order.release(|entries| self.lane.push(entries));
            return;
        }
        // A cancellation was seen by the crate already; its stub holds a key and no payload.
        if let Some(Payload::Text(params) | Payload::Error(params)) = self.bridge.claim(stub) {
            self.lane.push(&entries::notification(notification.method(), &params));
        }
    }

    fn carry_out(
        self: Arc<Self>,
        command: Command,
        connection: &ConnectionTo<Agent>,
    ) -> Result<(), Error> {
        match command {
            Command::Request { id, method, params } => {
                self.send_request(id, &method, &params, connection)
            }
            Command::Notify { method, params } => self.notify(&method, params.into(), connection),
            Command::Lines(lines) => self.notify(LINES, lines.into(), connection),
            Command::Close => {
                connection.send_notification(UntypedMessage::new(CLOSE, Value::Null)?)
            }
            Command::Cancel { id } => {
                let handle = self.sent().get(&id).cloned();
                handle.map_or(Ok(()), |handle| handle.cancel())
            }
            Command::Answer { key, payload } => {
                // Withdrawn in the meantime: it has its answer.
                let Some(responder) = self.responders().remove(&key) else { return Ok(()) };
                responder.respond(self.bridge.park(payload))
            }
        }
    }

    fn notify(
        &self,
        method: &str,
        params: Box<str>,
        connection: &ConnectionTo<Agent>,
    ) -> Result<(), Error> {
        let stub = self.bridge.park(Payload::Text(params));
        connection.send_notification(UntypedMessage::new(method, stub)?)
    }

    fn send_request(
        self: Arc<Self>,
        id: u64,
        method: &str,
        params: &str,
        connection: &ConnectionTo<Agent>,
    ) -> Result<(), Error> {
        let stub = self.bridge.park_request(id, params);
        let request = connection.prepare_request(UntypedMessage::new(method, stub)?);
        self.sent().insert(id, request.cancellation_handle());
        request.on_receiving_result(async move |answer: Result<Value, Error>| {
            self.sent().remove(&id);
            match answer {
                Ok(stub) => match self.bridge.claim(&stub) {
                    Some(Payload::Text(result)) => self.lane.push(&entries::result(id, &result)),
                    Some(Payload::Error(error)) => self.lane.push(&entries::error(id, &error)),
                    None => self.lane.push(&entries::error(id, &internal("an answer was lost"))),
                },
                // The last entry of the lane tells everybody why.
                Err(error) if is_incoming_transport_closed(&error) => {}
                Err(error) => self.lane.push(&entries::error(id, &internal(&error.message))),
            }
            Ok(())
        })
    }

    fn claim_text(&self, stub: &Value) -> Box<str> {
        match self.bridge.claim(stub) {
            Some(Payload::Text(text) | Payload::Error(text)) => text,
            None => "null".into(),
        }
    }

    fn responders(&self) -> MutexGuard<'_, HashMap<i64, Responder<Value>>> {
        self.responders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sent(&self) -> MutexGuard<'_, HashMap<u64, RequestCancellationHandle>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn internal(message: &str) -> String {
    encode::error_object(encode::INTERNAL_ERROR, message)
}
