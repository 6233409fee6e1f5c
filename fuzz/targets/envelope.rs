//! A line is classified alike by the quick look and by the whole one, and its payload comes out of the
//! lane as the text it was.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mini_me_client::acp::names::SESSION_UPDATE;
use mini_me_client::client::entries;
use mini_me_client::peer;
use mini_me_client::wire::compact::{text_chunk, text_line};
use mini_me_client::wire::encode;
use mini_me_client::wire::envelope::{Message, Outcome, classify};
use mini_me_client::wire::lane::{Chunk, Lane};
use serde_json::value::RawValue;

fuzz_target!(|line: &str| {
    let quick = text_line(line);
    let message = classify(line);
    let params = match &message {
        Ok(Message::Notification { method, params }) if method == SESSION_UPDATE => *params,
        _ => None,
    };
    if let Some(chunk) = quick {
        assert_eq!(Some(chunk), params.and_then(text_chunk));
    }
    let Ok(message) = message else { return };
    let payload = match &message {
        Message::Request { id, params, method } => {
            let request = encode::request(id, method, params.unwrap_or("null"));
            let text = std::str::from_utf8(&request).unwrap();
            let expected =
                Message::Request { params: params.or(Some("null")), method: method.clone(), id };
            assert_eq!(classify(text), Ok(expected));
            *params
        }
        Message::Notification { params, .. } => {
            peer::cancelled_id(*params);
            *params
        }
        Message::Answer { outcome: Outcome::Result(text) | Outcome::Error(text), .. } => {
            Some(*text)
        }
        Message::Answer { outcome: Outcome::Neither, .. } => None,
    };
    if let Some(payload) = payload {
        assert_eq!(through_lane(payload), payload);
    }
});

fn through_lane(payload: &str) -> String {
    let lane = Lane::new(Box::new(|| {}));
    lane.push(&entries::result(1, payload));
    let text = match lane.take().unwrap() {
        Chunk::OneByte(text) => String::from_utf8(text).unwrap(),
        Chunk::TwoByte(text) => String::from_utf16(&text).unwrap(),
    };
    let members: Vec<&RawValue> = serde_json::from_str(&text).unwrap();
    assert_eq!(members.len(), 3);
    members[2].get().to_owned()
}
