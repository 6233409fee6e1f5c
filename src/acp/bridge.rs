//! The bridge between lines and the crate `agent-client-protocol`.
//!
//! The crate keeps the protocol: which request an answer belongs to, serial dispatch, cancellation.
//! It needs no payload for that, so payloads travel beside it. Each is parked here as JSON text, and
//! the crate sees a stub that names it: nothing becomes a tree, and nothing the crate cannot hold (a
//! lone surrogate, a depth over 127, 1e400) can cost a message. Ids are translated as well. The
//! crate's own are UUIDs, ours on the wire are integers from 1; ids of the peer are echoed byte for
//! byte, whatever they look like.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_client_protocol::{
    RawJsonRpcId, RawJsonRpcMessage, RawJsonRpcNotification, RawJsonRpcParams, RawJsonRpcRequest,
    RawJsonRpcResponse, TransportFrame,
};
use serde_json::{Map, Value};

use super::names::{CANCEL_REQUEST, REQUEST_ID};

const PAYLOAD: &str = "payload";
const WIRE_ID: &str = "wireId";
const IS_ERROR: &str = "isError";

/// A payload that came back from the crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// Params, or a result.
    Text(Box<str>),
    /// An error object.
    Error(Box<str>),
}

/// A message of ours as it goes out; texts are JSON, ids as they stand on the wire.
#[derive(Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// A request.
    Request {
        /// Our number.
        id: u64,
        /// The method's name.
        method: String,
        /// JSON text.
        params: Box<str>,
    },
    /// A notification.
    Notification {
        /// The method's name.
        method: String,
        /// JSON text.
        params: Box<str>,
    },
    /// An answer.
    Result {
        /// The peer's id, byte for byte.
        id: Box<str>,
        /// JSON text.
        result: Box<str>,
    },
    /// A refusal.
    Error {
        /// The peer's id, byte for byte.
        id: Box<str>,
        /// JSON text of the error object.
        error: Box<str>,
    },
}

#[derive(Debug, Default)]
struct Tables {
    parked: HashMap<u64, Payload>,
    next_parked: u64,
    /// Our open requests: the crate's id ↔ the number on the wire.
    sent: HashMap<RawJsonRpcId, u64>,
    sent_by_number: HashMap<u64, RawJsonRpcId>,
    /// The peer's open requests: the key the crate knows → the id on the wire.
    received: HashMap<i64, Box<str>>,
    next_key: i64,
}

/// See the module's head. One per connection.
#[derive(Debug, Default)]
pub struct Bridge {
    tables: Mutex<Tables>,
}

impl Bridge {
    /// An empty bridge.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    // ---- from the wire to the crate

    /// A request of the peer, and the key it has on this side.
    pub fn receive_request(
        &self,
        id: &str,
        method: &str,
        params: Option<&str>,
    ) -> (i64, TransportFrame) {
        let mut tables = self.lock();
        tables.next_key += 1;
        let key = tables.next_key;
        tables.received.insert(key, id.into());
        let stub = tables.park(Payload::Text(params.unwrap_or("null").into()));
        let request = RawJsonRpcRequest {
            id: RawJsonRpcId::Number(key),
            method: method.into(),
            params: Some(RawJsonRpcParams::Object(stub)),
        };
        (key, TransportFrame::Single(RawJsonRpcMessage::Request(request)))
    }

    /// A notification of the peer.
    pub fn receive_notification(&self, method: &str, params: Option<&str>) -> TransportFrame {
        let stub = self.lock().park(Payload::Text(params.unwrap_or("null").into()));
        notification(method, Some(stub))
    }

    /// `$/cancel_request` of the peer for its request `id`; `None` when no such request is open.
    pub fn receive_cancel(&self, id: &str) -> Option<TransportFrame> {
        let tables = self.lock();
        // A peer that uses an id twice means the newer one.
        let key =
            tables.received.iter().filter(|(_, open)| ***open == *id).map(|(key, _)| *key).max()?;
        let params = Map::from_iter([(REQUEST_ID.to_owned(), Value::from(key))]);
        Some(notification(CANCEL_REQUEST, Some(params)))
    }

    /// The peer's answer to our request; `None` when nobody waits for that id.
    pub fn receive_answer(&self, id: &str, payload: Payload) -> Option<TransportFrame> {
        let number = our_number(id)?;
        let mut tables = self.lock();
        let id = tables.sent_by_number.remove(&number)?;
        tables.sent.remove(&id);
        let result = Value::Object(tables.park(payload));
        let response = RawJsonRpcResponse::Result { id, result };
        Some(TransportFrame::Single(RawJsonRpcMessage::Response(response)))
    }

    // ---- inside the crate's handlers

    /// Parks the params of a request of ours that goes out with the id `number`.
    pub fn park_request(&self, number: u64, params: &str) -> Value {
        let mut stub = self.lock().park(Payload::Text(params.into()));
        stub.insert(WIRE_ID.to_owned(), number.into());
        Value::Object(stub)
    }

    /// Parks the params of a notification of ours, a result or an error.
    pub fn park(&self, payload: Payload) -> Value {
        Value::Object(self.lock().park(payload))
    }

    /// The payload a stub stands for; `None` for what is no stub, or was claimed before.
    pub fn claim(&self, stub: &Value) -> Option<Payload> {
        self.lock().claim(stub.as_object()?)
    }

    // ---- from the crate to the wire

    /// What a frame of the crate is on the wire; `None` for one that has nothing to say there.
    pub fn send(&self, frame: TransportFrame) -> Option<Outgoing> {
        let TransportFrame::Single(message) = frame else { return None };
        match message {
            RawJsonRpcMessage::Request(request) => self.send_request(request),
            RawJsonRpcMessage::Notification(notification) => self.send_notification(notification),
            RawJsonRpcMessage::Response(response) => self.send_response(response),
        }
    }

    fn send_request(&self, request: RawJsonRpcRequest) -> Option<Outgoing> {
        let Some(RawJsonRpcParams::Object(stub)) = request.params else { return None };
        let id = stub.get(WIRE_ID)?.as_u64()?;
        let mut tables = self.lock();
        let Payload::Text(params) = tables.claim(&stub)? else { return None };
        tables.sent.insert(request.id.clone(), id);
        tables.sent_by_number.insert(id, request.id);
        Some(Outgoing::Request { id, method: request.method.as_ref().to_owned(), params })
    }

    fn send_notification(&self, notification: RawJsonRpcNotification) -> Option<Outgoing> {
        let Some(RawJsonRpcParams::Object(stub)) = notification.params else { return None };
        let tables = &mut *self.lock();
        let params = if *notification.method == *CANCEL_REQUEST {
            let id: RawJsonRpcId = serde_json::from_value(stub.get(REQUEST_ID)?.clone()).ok()?;
            let number = tables.sent.get(&id)?;
            format!(r#"{{"{REQUEST_ID}":{number}}}"#).into()
        } else {
            let Payload::Text(params) = tables.claim(&stub)? else { return None };
            params
        };
        Some(Outgoing::Notification { method: notification.method.as_ref().to_owned(), params })
    }

    fn send_response(&self, response: RawJsonRpcResponse) -> Option<Outgoing> {
        let mut tables = self.lock();
        match response {
            RawJsonRpcResponse::Result { id: RawJsonRpcId::Number(key), result } => {
                let id = tables.received.remove(&key)?;
                Some(match tables.claim(result.as_object()?)? {
                    Payload::Text(result) => Outgoing::Result { id, result },
                    Payload::Error(error) => Outgoing::Error { id, error },
                })
            }
            RawJsonRpcResponse::Error { id: RawJsonRpcId::Number(key), error } => {
                let id = tables.received.remove(&key)?;
                let error = serde_json::to_string(&error).ok()?.into();
                Some(Outgoing::Error { id, error })
            }
            // The crate answers garbage with `id: null`; garbage never reaches it.
            _ => None,
        }
    }

    /// How many requests of the peer are open.
    #[must_use]
    pub fn open_requests(&self) -> usize {
        self.lock().received.len()
    }

    /// How many requests of ours wait for the peer.
    #[must_use]
    pub fn open_sent(&self) -> usize {
        let tables = self.lock();
        tables.sent.len().max(tables.sent_by_number.len())
    }

    /// How many payloads are parked: none while nothing is under way.
    #[must_use]
    pub fn parked(&self) -> usize {
        self.lock().parked.len()
    }

    /// A panic elsewhere leaves the tables whole: every change under the lock is finished at once.
    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn park(&mut self, payload: Payload) -> Map<String, Value> {
        self.next_parked += 1;
        let token = self.next_parked;
        let is_error = matches!(payload, Payload::Error(_));
        self.parked.insert(token, payload);
        let mut stub = Map::from_iter([(PAYLOAD.to_owned(), Value::from(token))]);
        if is_error {
            stub.insert(IS_ERROR.to_owned(), Value::Bool(true));
        }
        stub
    }

    fn claim(&mut self, stub: &Map<String, Value>) -> Option<Payload> {
        self.parked.remove(&stub.get(PAYLOAD)?.as_u64()?)
    }
}

/// The number that an id of an answer is. JSON knows no integers: `1.0` and `1e0` are the `1` that went
/// out, as they are to mm's SDK; the string `"1"` is another id.
fn our_number(id: &str) -> Option<u64> {
    if let Ok(number) = id.parse() {
        return Some(number);
    }
    // The shortest digits of a whole number have neither point nor exponent.
    let number: f64 = id.parse().ok()?;
    number.to_string().parse().ok()
}

fn notification(method: &str, params: Option<Map<String, Value>>) -> TransportFrame {
    TransportFrame::Single(RawJsonRpcMessage::Notification(RawJsonRpcNotification {
        method: method.into(),
        params: params.map(RawJsonRpcParams::Object),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn crate_id() -> RawJsonRpcId {
        RawJsonRpcId::Str("crate-id".into())
    }

    fn send_our_request(bridge: &Bridge, number: u64, params: &str) -> Option<Outgoing> {
        let stub = bridge.park_request(number, params);
        let frame = RawJsonRpcMessage::request("m".into(), stub, crate_id()).unwrap();
        bridge.send(TransportFrame::Single(frame))
    }

    fn stub_of(frame: &TransportFrame) -> Value {
        let TransportFrame::Single(message) = frame else { panic!("expected one message") };
        match message {
            RawJsonRpcMessage::Request(request) => request.params.clone().unwrap().into_value(),
            RawJsonRpcMessage::Notification(sent) => sent.params.clone().unwrap().into_value(),
            RawJsonRpcMessage::Response(RawJsonRpcResponse::Result { result, .. }) => {
                result.clone()
            }
            RawJsonRpcMessage::Response(other) => panic!("expected a result, got {other:?}"),
        }
    }

    #[test]
    fn params_the_crate_cannot_hold_pass_beside_it() {
        let bridge = Bridge::new();
        let params = format!(r#"{{"a":"\ud83d","b":1e400,"c":{}}}"#, "[".repeat(500));
        let (_, frame) = bridge.receive_request("1", "m", Some(&params));
        assert_eq!(bridge.claim(&stub_of(&frame)), Some(Payload::Text(params.into())));
        assert_eq!(bridge.parked(), 0);
    }

    #[test]
    fn ids_of_the_peer_are_echoed_byte_for_byte() {
        for id in ["0", "12345678901234567890123", "1.50", r#""\u0061""#, r#""""#] {
            let bridge = Bridge::new();
            let (key, frame) = bridge.receive_request(id, "m", None);
            bridge.claim(&stub_of(&frame));
            let result = bridge.park(Payload::Text("[1]".into()));
            let answer = RawJsonRpcMessage::response(key, Ok(result));
            let sent = bridge.send(TransportFrame::Single(answer));
            assert_eq!(sent, Some(Outgoing::Result { id: id.into(), result: "[1]".into() }));
        }
    }

    #[test]
    fn an_id_is_answered_once() {
        let bridge = Bridge::new();
        let (key, _) = bridge.receive_request("7", "m", None);
        let answer = || {
            let result = bridge.park(Payload::Error("{}".into()));
            bridge.send(TransportFrame::Single(RawJsonRpcMessage::response(key, Ok(result))))
        };
        assert_eq!(answer(), Some(Outgoing::Error { id: "7".into(), error: "{}".into() }));
        assert_eq!(answer(), None);
    }

    #[test]
    fn our_requests_have_numbers_and_find_their_answers() {
        let bridge = Bridge::new();
        let sent = send_our_request(&bridge, 3, "{}");
        assert_eq!(
            sent,
            Some(Outgoing::Request { id: 3, method: "m".into(), params: "{}".into() })
        );
        for id in ["\"3\"", "4", "-3", "3.5", "3e1", "1e400", "{}", "true"] {
            assert!(bridge.receive_answer(id, Payload::Text("1".into())).is_none(), "{id}");
        }
        let frame = bridge.receive_answer("3", Payload::Error("{}".into())).unwrap();
        assert_eq!(bridge.claim(&stub_of(&frame)), Some(Payload::Error("{}".into())));
        assert!(bridge.receive_answer("3", Payload::Text("1".into())).is_none());
        assert_eq!(bridge.parked(), 0);
    }

    #[test]
    fn an_answer_may_write_our_number_in_another_form() {
        let bridge = Bridge::new();
        for (number, id) in [(3, "3.0"), (30, "3e1"), (4, "0.4E+1"), (500, "500")] {
            send_our_request(&bridge, number, "{}");
            assert!(bridge.receive_answer(id, Payload::Text("1".into())).is_some(), "{id}");
        }
    }

    #[test]
    fn the_same_number_on_both_sides_is_two_requests() {
        let bridge = Bridge::new();
        send_our_request(&bridge, 1, "{}");
        let (key, _) = bridge.receive_request("1", "m", None);
        assert!(bridge.receive_answer("1", Payload::Text("1".into())).is_some());
        let refusal = RawJsonRpcMessage::response(
            key,
            Err(agent_client_protocol::Error::request_cancelled()),
        );
        let Some(Outgoing::Error { id, error }) = bridge.send(TransportFrame::Single(refusal))
        else {
            panic!("expected a refusal");
        };
        assert_eq!(&*id, "1");
        assert_eq!(
            serde_json::from_str::<Value>(&error).unwrap(),
            json!({"code":-32800,"message":"Request cancelled"})
        );
    }

    #[test]
    fn cancels_are_translated_both_ways() {
        let bridge = Bridge::new();
        let (first, _) = bridge.receive_request("\"x\"", "m", None);
        let (second, _) = bridge.receive_request("\"x\"", "m", None);
        assert!(second > first);
        let frame = bridge.receive_cancel("\"x\"").unwrap();
        assert_eq!(stub_of(&frame), json!({ "requestId": second }));
        assert!(bridge.receive_cancel("x").is_none());

        send_our_request(&bridge, 9, "{}");
        let cancel =
            notification(CANCEL_REQUEST, json!({ "requestId": "crate-id" }).as_object().cloned());
        let expected = Outgoing::Notification {
            method: CANCEL_REQUEST.into(),
            params: r#"{"requestId":9}"#.into(),
        };
        assert_eq!(bridge.send(cancel), Some(expected));
    }
}
