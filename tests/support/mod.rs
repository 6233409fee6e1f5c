//! A client over in-memory pipes: the test plays the agent, and reads what JavaScript would.

#![expect(clippy::expect_used, clippy::panic, reason = "a test's helper fails as a test does")]
#![expect(clippy::indexing_slicing, reason = "brevity of tests")]

use std::sync::Arc;
use std::time::Duration;

use mini_me_client::client::{Client, Limits, Streams};
use mini_me_client::process::shutdown::Exit;
use mini_me_client::tools::report::Discovery;
use mini_me_client::wire::lane::{Chunk, Lane};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
    split,
};
use tokio::sync::{Notify, oneshot};

/// Both ends of a connection.
pub(crate) struct Dialogue {
    pub(crate) client: Client,
    woken: Arc<Notify>,
    agent_reads: BufReader<ReadHalf<DuplexStream>>,
    agent_writes: Option<WriteHalf<DuplexStream>>,
    /// Where the agent writes what is no message.
    pub(crate) agent_complains: Option<DuplexStream>,
    exit: Option<oneshot::Sender<Exit>>,
    entries: Vec<Value>,
}

/// How a client is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) discovery: Discovery,
    /// The longest line the agent may write.
    pub(crate) max_incoming_bytes: usize,
    /// The longest line the client may write.
    pub(crate) max_outgoing_bytes: usize,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            discovery: Discovery::Meta,
            max_incoming_bytes: 64 * 1024 * 1024,
            max_outgoing_bytes: 10_485_760,
        }
    }
}

/// The most any wait of a test may take.
const PATIENCE: Duration = Duration::from_secs(20);

impl Dialogue {
    /// A connected client that lends `tools`.
    pub(crate) fn open(tools: &[Value]) -> Self {
        Self::set_up(tools, Setup::default())
    }

    /// The same, with a limit for lines of the agent.
    pub(crate) fn open_limited(tools: &[Value], max_incoming_bytes: usize) -> Self {
        Self::set_up(tools, Setup { max_incoming_bytes, ..Setup::default() })
    }

    /// The same, made in another way.
    pub(crate) fn set_up(tools: &[Value], setup: Setup) -> Self {
        let Setup { discovery, max_incoming_bytes, max_outgoing_bytes } = setup;
        let woken = Arc::new(Notify::new());
        let wake = Arc::clone(&woken);
        let lane = Arc::new(Lane::new(Box::new(move || wake.notify_one())));
        let limits = Limits { max_incoming_bytes, max_outgoing_bytes, is_traced: false };
        let client = Client::new(lane, "test", discovery, limits);
        for tool in tools {
            client.add_tool(tool).expect("the test's tool is valid");
        }
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (our_stderr, their_stderr) = tokio::io::duplex(64 * 1024);
        let (stdout, stdin) = split(ours);
        let (reads, writes) = split(theirs);
        let (exit, exited) = oneshot::channel();
        let streams = Streams {
            stdin: Box::new(stdin),
            direct: None,
            stdout: Box::new(stdout),
            stderr: Box::new(our_stderr),
        };
        // Like a process that ends when it is told to, or when the test says so.
        client.connect(streams, |mut stop| async move {
            tokio::select! {
                exit = exited => exit.unwrap_or_default(),
                _ = stop.wait_for(Option::is_some) => Exit { code: Some(0), signal: None },
            }
        });
        Self {
            client,
            woken,
            agent_reads: BufReader::new(reads),
            agent_writes: Some(writes),
            agent_complains: Some(their_stderr),
            exit: Some(exit),
            entries: Vec::new(),
        }
    }

    /// The agent writes lines.
    pub(crate) async fn write(&mut self, lines: &str) {
        self.write_bytes(lines.as_bytes()).await;
    }

    /// The agent writes bytes.
    pub(crate) async fn write_bytes(&mut self, bytes: &[u8]) {
        let writes = self.agent_writes.as_mut().expect("stdout is open");
        writes.write_all(bytes).await.expect("the client reads");
    }

    /// The next line the agent gets.
    pub(crate) async fn read_line(&mut self) -> String {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.agent_reads.read_line(&mut line)).await;
        read.expect("a line in time").expect("a line");
        line
    }

    /// The next message the agent gets.
    pub(crate) async fn read(&mut self) -> Value {
        let line = self.read_line().await;
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("expected JSON, got {line:?}"))
    }

    /// Whether the agent has read to the end of its stdin.
    pub(crate) async fn is_at_end(&mut self) -> bool {
        let mut rest = Vec::new();
        let read = tokio::time::timeout(PATIENCE, self.agent_reads.read_to_end(&mut rest)).await;
        matches!(read, Ok(Ok(0)))
    }

    /// The agent writes nothing any more, and goes on.
    pub(crate) async fn close_output(&mut self) {
        drop(self.agent_complains.take());
        if let Some(mut writes) = self.agent_writes.take() {
            writes.shutdown().await.expect("the pipe is open");
        }
    }

    /// The agent ends.
    pub(crate) async fn end(&mut self, exit: Exit) {
        if let Some(sender) = self.exit.take() {
            sender.send(exit).expect("the client waits for it");
        }
        self.close_output().await;
    }

    /// The entries up to the first with the tag `last`, as arrays of their members.
    pub(crate) async fn entries_to(&mut self, last: u64) -> Vec<Value> {
        let found = tokio::time::timeout(PATIENCE, async {
            loop {
                if let Some(at) = self.entries.iter().position(|entry| entry[0] == json!(last)) {
                    return self.entries.drain(..=at).collect();
                }
                match self.client.take() {
                    Some(chunk) => self.entries.extend(entries(&chunk)),
                    None => self.woken.notified().await,
                }
            }
        });
        let found: Option<Vec<Value>> = found.await.ok();
        found.unwrap_or_else(|| panic!("no entry with tag {last} in {:?}", self.entries))
    }
}

/// The entries up to the first with the tag `last`, each member as its text.
pub(crate) async fn raw_entries_to(dialogue: &Dialogue, last: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    loop {
        let Some(chunk) = dialogue.client.take() else {
            let woken = tokio::time::timeout(PATIENCE, dialogue.woken.notified()).await;
            woken.unwrap_or_else(|_| panic!("no entry with tag {last} in {found:?}"));
            continue;
        };
        for entry in raw_entries(&chunk) {
            found.push(entry.iter().map(|member| member.get().to_owned()).collect::<Vec<_>>());
            if found.last().is_some_and(|entry| entry[0] == last) {
                return found;
            }
        }
    }
}

/// How many members the entries of each tag have.
fn length(tag: u64) -> usize {
    match tag {
        0 | 7..=11 | 14 | 15 => 2,
        2..=5 | 12 | 17 => 3,
        1 | 6 | 13 => 4,
        _ => panic!("unknown tag {tag}"),
    }
}

/// The entries of a chunk as arrays.
fn entries(chunk: &Chunk) -> Vec<Value> {
    let members = |entry: Vec<Box<RawValue>>| {
        let members = entry.iter().map(|member| serde_json::from_str(member.get()));
        Value::Array(members.collect::<Result<_, _>>().expect("JSON without halves of characters"))
    };
    raw_entries(chunk).into_iter().map(members).collect()
}

/// The same, each member as the text it is.
pub(crate) fn raw_entries(chunk: &Chunk) -> Vec<Vec<Box<RawValue>>> {
    let text = match chunk {
        Chunk::OneByte(text) => String::from_utf8(text.clone()).expect("ASCII"),
        Chunk::TwoByte(text) => String::from_utf16(text).expect("UTF-16"),
    };
    let members: Vec<Box<RawValue>> = serde_json::from_str(&text).expect("a JSON array");
    let mut rest = members.as_slice();
    let mut entries = Vec::new();
    let mut session = None;
    while let Some(tag) = rest.first() {
        let tag: u64 = tag.get().parse().expect("a tag");
        let (entry, more) = rest.split_at(length(tag));
        let mut entry = entry.to_vec();
        match tag {
            // A run of texts names its session once.
            15 => {
                entry[0] = RawValue::from_string("5".to_owned()).expect("a number");
                entry.insert(1, session.clone().expect("a text before it"));
            }
            // A large one is another to JavaScript alone.
            17 => entry[0] = RawValue::from_string("5".to_owned()).expect("a number"),
            5 => session = Some(entry[1].clone()),
            _ => {}
        }
        entries.push(entry);
        rest = more;
    }
    entries
}

/// A text chunk, as a `session/update` and as the entry it becomes.
pub(crate) fn text(number: usize) -> (Value, Value) {
    let text = number.to_string();
    let update = json!({
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {
            "sessionId": "s",
            "update": {
                "sessionUpdate": "agent_message_chunk",
                "content": { "type": "text", "text": text },
            },
        },
    });
    (update, json!([5, "s", text]))
}
