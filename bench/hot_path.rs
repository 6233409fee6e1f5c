//! What one message costs the core, for counting instructions: an agent's stdout is read from memory to
//! its end, and the lane is emptied, with one kind of message. `scripts/instructions.mjs` runs it.
//! It makes all lines there may be and reads the first `count`, so that the difference of two runs is the
//! cost of reading alone.
//! Arguments: the kind, the count.

#![expect(clippy::expect_used, clippy::panic, reason = "a measurement that is not whole must fail")]

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use mini_me_client::client::{Client, Limits, Streams};
use mini_me_client::process::shutdown::Exit;
use mini_me_client::tools::report::Discovery;
use mini_me_client::wire::lane::{Chunk, Lane};
use serde_json::json;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::Notify;

/// The most messages of a run. The most calls that may be open at once is a little more.
const MOST: usize = 9_000;
/// Is once in each message and in nothing else.
const MARK: u8 = b'~';
/// The lane's last entry is within so many bytes.
const END_BYTES: usize = 1_000;
const SESSION: &str = "session-1";
const LIMITS: Limits = Limits {
    max_incoming_bytes: 64 * 1024 * 1024,
    max_outgoing_bytes: 10 * 1024 * 1024,
    is_traced: false,
};

fn main() {
    let mut args = std::env::args().skip(1);
    let (kind, count) = (args.next().expect("a kind"), args.next().expect("a count"));
    let count: usize = count.parse().expect("a count is a number");
    let mut lines: Vec<String> = (0..MOST).map(|number| line(&kind, number)).collect();
    assert!(lines.len() >= count, "expected a count up to {MOST}, got {count}");
    lines.truncate(count);
    let lines = lines.concat().into_bytes();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(read(lines, count));
}

fn line(kind: &str, number: usize) -> String {
    let message = match kind {
        "text-200" => text(number, 40),
        "text-2k" => text(number, 1_840),
        "tool-call" => json!({ "jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": SESSION,
            "update": { "sessionUpdate": "tool_call", "toolCallId": format!("call~{number}"),
                "title": "Reading a file", "kind": "read", "status": "pending",
                "locations": [{ "path": "/project/src/main.rs", "line": 7 }] },
        } }),
        "lent-call" => json!({ "jsonrpc": "2.0", "id": number, "method": "_bench/add", "params": {
            "title": format!("Call ~{number} of a tool"), "priority": 3, "tags": ["first", "second"],
            "_meta": { "org.mini-me/sessionId": SESSION },
        } }),
        other => panic!("expected a kind of message, got {other}"),
    };
    format!("{message}\n")
}

fn text(number: usize, length: usize) -> serde_json::Value {
    let text = format!("{number:08}~{}", "a word, ".repeat(length / 8));
    json!({ "jsonrpc": "2.0", "method": "session/update", "params": {
        "sessionId": SESSION,
        "update": { "sessionUpdate": "agent_message_chunk",
            "content": { "type": "text", "text": text } },
    } })
}

/// Reads all lines as a client with one session and one turn does; fails when a message is missing.
async fn read(lines: Vec<u8>, count: usize) {
    let woken = Arc::new(Notify::new());
    let wake = Arc::clone(&woken);
    let lane = Arc::new(Lane::new(Box::new(move || wake.notify_one())));
    let client = Client::new(lane, "bench", Discovery::Meta, LIMITS);
    let schema = json!({ "type": "object", "required": ["title"], "additionalProperties": false,
        "properties": { "title": { "type": "string" }, "priority": { "type": "integer" },
            "tags": { "type": "array", "items": { "type": "string" } } } });
    client
        .add_tool(&json!({ "name": "add", "method": "_bench/add", "inputSchema": schema }))
        .expect("the tool is valid");
    let _history = client.keep_history(SESSION);
    let _turn = client.keep_turn(SESSION);

    let streams = Streams {
        stdin: Box::new(tokio::io::sink()),
        direct: None,
        stdout: Box::new(Once { bytes: lines, read: 0 }),
        stderr: Box::new(tokio::io::empty()),
    };
    client.connect(streams, |_stop| std::future::ready(Exit { code: Some(0), signal: None }));
    let mut came = 0;
    let mut has_ended = false;
    while !has_ended {
        woken.notified().await;
        while let Some(chunk) = client.take() {
            let Chunk::OneByte(text) = &chunk else { panic!("expected ASCII") };
            came += memchr::memchr_iter(MARK, text).count();
            let tail = text.get(text.len().saturating_sub(END_BYTES)..).unwrap_or_default();
            has_ended = memchr::memmem::find(tail, b"\"exitCode\":").is_some();
            client.give_back(chunk);
        }
    }
    assert_eq!(came, count, "expected every message");
}

/// Bytes in memory, read as from a pipe.
struct Once {
    bytes: Vec<u8>,
    read: usize,
}

impl AsyncRead for Once {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let rest = self.bytes.get(self.read..).unwrap_or_default();
        let count = rest.len().min(into.remaining()).min(64 * 1024);
        into.put_slice(rest.get(..count).unwrap_or_default());
        self.read += count;
        Poll::Ready(Ok(()))
    }
}
