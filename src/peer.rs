//! What both ends of a connection do with a message, whichever they are: between a line's message
//! and the crate's frame, by way of the bridge. The only place where `acp` and `wire` meet.

use agent_client_protocol::TransportFrame;
use serde_json::value::RawValue;

use crate::acp::bridge::{Bridge, Outgoing, Payload};
use crate::acp::names::CANCEL_REQUEST;
use crate::json_text::mend_surrogates;
use crate::wire::encode;
use crate::wire::envelope::{Message, Outcome};

/// What a message is to the crate; `None` for an answer nobody waits for and the cancellation of
/// a request that is not open.
#[must_use]
pub fn frame(bridge: &Bridge, message: &Message<'_>) -> Option<TransportFrame> {
    match message {
        Message::Request { id, method, params } => {
            Some(bridge.receive_request(id, method, *params).1)
        }
        Message::Notification { method, params } if method == CANCEL_REQUEST => {
            bridge.receive_cancel(cancelled_id(*params)?)
        }
        Message::Notification { method, params } => {
            Some(bridge.receive_notification(method, *params))
        }
        Message::Answer { id, outcome } => bridge.receive_answer(id, payload(outcome)),
    }
}

/// The JSON text of the id that a `$/cancel_request` names.
#[must_use]
pub fn cancelled_id(params: Option<&str>) -> Option<&str> {
    #[derive(serde::Deserialize)]
    struct Params<'a> {
        #[serde(borrow, rename = "requestId")]
        request_id: &'a RawValue,
    }
    let params: Params<'_> = serde_json::from_str(params?).ok()?;
    Some(params.request_id.get())
}

/// What stands for the error of an answer with neither result nor error. No peer can send it: an
/// error that is null counts as none.
pub const NEITHER: &str = "null";

fn payload(outcome: &Outcome<'_>) -> Payload {
    match *outcome {
        Outcome::Result(result) => Payload::Text(result.into()),
        Outcome::Error(error) => Payload::Error(error.into()),
        Outcome::Neither => Payload::Error(NEITHER.into()),
    }
}

/// The line of a message of ours, with its line feed. Never holds a lone surrogate.
#[must_use]
pub fn line(outgoing: &Outgoing) -> Vec<u8> {
    let clean = mend_surrogates;
    match outgoing {
        Outgoing::Request { id, method, params } => {
            encode::request(&id.to_string(), method, &clean(params))
        }
        Outgoing::Notification { method, params } => encode::notification(method, &clean(params)),
        Outgoing::Result { id, result } => encode::result(id, &clean(result)),
        Outgoing::Error { id, error } => encode::error(id, &clean(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::envelope::classify;

    #[test]
    fn a_cancellation_names_its_id_as_it_came() {
        assert_eq!(cancelled_id(Some(r#"{"requestId":1.50,"x":{}}"#)), Some("1.50"));
        assert_eq!(cancelled_id(Some(r#"{"requestId":"\u0061"}"#)), Some(r#""\u0061""#));
        assert_eq!(cancelled_id(Some("{}")), None);
        assert_eq!(cancelled_id(None), None);
    }

    #[test]
    fn what_concerns_nobody_is_no_frame() {
        let bridge = Bridge::new();
        for line in [
            r#"{"id":1,"result":{}}"#,
            r#"{"method":"$/cancel_request","params":{"requestId":1}}"#,
            r#"{"method":"$/cancel_request"}"#,
        ] {
            assert!(frame(&bridge, &classify(line).unwrap()).is_none(), "{line}");
        }
        assert_eq!(bridge.parked(), 0);
    }

    #[test]
    fn half_an_emoji_goes_out_as_a_replacement_character() {
        let outgoing = Outgoing::Result { id: "1".into(), result: r#""\ud83d""#.into() };
        assert_eq!(line(&outgoing), b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\\ufffd\"}\n");
    }
}
