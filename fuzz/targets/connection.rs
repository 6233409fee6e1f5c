//! An agent that writes any bytes: the client comes to its end, the lane holds JSON, and so does all
//! that is written to the agent. The first byte says how the client is made and how the bytes come.

#![no_main]

use std::sync::Arc;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use mini_me_client::acp::bridge::Payload;
use mini_me_client::client::{Client, Limits, Streams};
use mini_me_client::process::shutdown::Exit;
use mini_me_client::tools::report::Discovery;
use mini_me_client::wire::lane::{Chunk, Lane};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::sync::Notify;
use tokio::time::timeout;

/// On a clock that does not wait.
const PATIENCE: Duration = Duration::from_secs(60);
const LIMIT_BYTES: usize = 2000;

fuzz_target!(|input: &[u8]| {
    let Some((first, bytes)) = input.split_first() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(run(usize::from(*first), bytes));
});

async fn run(first: usize, bytes: &[u8]) {
    let woken = Arc::new(Notify::new());
    let wake = Arc::clone(&woken);
    let lane = Arc::new(Lane::new(Box::new(move || wake.notify_one())));
    let limits = Limits {
        max_incoming_bytes: LIMIT_BYTES,
        max_outgoing_bytes: LIMIT_BYTES,
        is_traced: first & 1 == 0,
    };
    let discovery = if first & 2 == 0 { Discovery::Meta } else { Discovery::Request };
    let client = Client::new(lane, "fuzz", discovery, limits);
    client.add_tool(&json!({ "name": "any", "method": "_t" })).unwrap();
    let theirs = connect(&client);
    for id in 1..4 {
        client.request(id, "x".to_owned(), "{}".to_owned()).unwrap();
    }
    let (mut reads, mut writes) = split(theirs);
    let mut written = Vec::new();
    let speak = async {
        for piece in bytes.chunks(1 + (first >> 2)) {
            if writes.write_all(piece).await.is_err() {
                break;
            }
        }
        // Fails when the client has read enough of it.
        drop(writes.shutdown().await);
    };
    let listen = async { drop(reads.read_to_end(&mut written).await) };
    let program = async {
        loop {
            match client.take() {
                Some(chunk) if answer(&client, &chunk) => break,
                Some(_) => {}
                None => timeout(PATIENCE, woken.notified()).await.expect("an end"),
            }
        }
        assert_eq!(client.take(), None, "something after the end");
    };
    tokio::join!(speak, listen, program);
    for line in written.split_inclusive(|byte| *byte == b'\n') {
        assert!(line.len() <= LIMIT_BYTES + 2 * 256, "a line of {} bytes", line.len());
        serde_json::from_slice::<&RawValue>(line).expect("JSON to the agent");
    }
}

/// The agent ends as soon as it is told to.
fn connect(client: &Client) -> DuplexStream {
    let (ours, theirs) = duplex(4096);
    let (stdout, stdin) = split(ours);
    let streams = Streams {
        stdin: Box::new(stdin),
        direct: None,
        stdout: Box::new(stdout),
        stderr: Box::new(tokio::io::empty()),
    };
    client.connect(streams, |mut stop| async move {
        drop(stop.wait_for(Option::is_some).await);
        Exit::default()
    });
    theirs
}

/// Answers what is in a chunk; whether the end is.
fn answer(client: &Client, chunk: &Chunk) -> bool {
    let text = match chunk {
        Chunk::OneByte(text) => String::from_utf8(text.clone()).unwrap(),
        Chunk::TwoByte(text) => String::from_utf16(text).unwrap(),
    };
    let members: Vec<&RawValue> = serde_json::from_str(&text).expect("JSON in the lane");
    let mut rest = members.as_slice();
    while let Some(tag) = rest.first() {
        let length = match tag.get() {
            "0" | "7" | "8" | "9" | "10" | "11" | "14" | "15" => 2,
            "2" | "3" | "4" | "5" | "12" | "17" => 3,
            "1" | "6" | "13" => 4,
            other => panic!("unknown tag {other}"),
        };
        match tag.get() {
            // An echo: whatever came is what goes out.
            "1" => {
                let answer = format!("{}r{}\n", rest[1].get(), rest[3].get());
                client.answer_calls(&answer).unwrap();
            }
            "6" => {
                let key = rest[1].get().parse().unwrap();
                client.answer_request(key, Payload::Text(rest[3].get().into()));
            }
            "9" => {
                assert!(!rest[1].get().contains("MM_ERR_INTERNAL"), "{}", rest[1].get());
                return true;
            }
            _ => {}
        }
        rest = &rest[length..];
    }
    false
}
