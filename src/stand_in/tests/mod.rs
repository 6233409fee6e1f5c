//! The agent over pipes in memory, without a process: what a client writes and what it gets.

use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;

use futures::future::{BoxFuture, FutureExt, ready};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, duplex};
use tokio::task::JoinHandle;

use super::agent_file::AgentFile;
use super::model::{Done, Model, ModelCall, Rules, Step, Turn, View};
use super::{Io, Log, LoopLimits, PastSession, Record, Setup, run};

mod calls;
mod discovery;
mod faults;
mod ids;
mod record;
mod sessions;
mod turns;
mod wire;

/// A client that writes lines and reads lines.
struct Client {
    to_agent: DuplexStream,
    from_agent: Lines<BufReader<DuplexStream>>,
    log: Arc<Mutex<Vec<String>>>,
    agent: JoinHandle<i32>,
}

fn start(yaml: &str, model: impl Model + 'static) -> Client {
    start_after(Vec::new(), yaml, model)
}

/// Starts an agent that had these sessions in an earlier process.
fn start_after(past_sessions: Vec<PastSession>, yaml: &str, model: impl Model + 'static) -> Client {
    start_recorded(past_sessions, yaml, model, Record::default())
}

fn start_recorded(
    past_sessions: Vec<PastSession>,
    yaml: &str,
    model: impl Model + 'static,
    record: Record,
) -> Client {
    let (to_agent, input) = duplex(64 * 1024);
    let (output, from_agent) = duplex(64 * 1024);
    let log = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&log);
    let log_to = Log::new(move |line| lines.lock().unwrap().push(line.to_owned()));
    let setup = Setup {
        agent_file: AgentFile::parse("agent.yaml", yaml).unwrap(),
        model: Arc::new(model),
        introduction: "a test",
        record,
        clock: || UNIX_EPOCH,
        loop_limits: LoopLimits::default(),
        past_sessions,
    };
    let agent = tokio::spawn(run(Io { input, output, log: log_to }, setup));
    Client { to_agent, from_agent: BufReader::new(from_agent).lines(), log, agent }
}

impl Client {
    async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.to_agent.write_all(bytes.as_ref()).await.unwrap();
    }

    async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.write(format!("{message}\n")).await;
    }

    async fn next(&mut self) -> Value {
        let line =
            self.from_agent.next_line().await.unwrap().expect("expected a line, got the end");
        let mut message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"].take(), "2.0");
        message.as_object_mut().unwrap().remove("jsonrpc");
        message
    }

    /// The update that comes next.
    async fn update(&mut self) -> Value {
        let mut message = self.next().await;
        assert_eq!(message["method"], "session/update", "{message}");
        message["params"]["update"].take()
    }

    #[track_caller]
    fn logged(&self) -> Vec<String> {
        self.log.lock().unwrap().iter().filter(|line| line.starts_with("[acp]")).cloned().collect()
    }

    async fn initialize(&mut self, tools: Value) -> Value {
        let meta = json!({ "org.mini-me/tools": tools });
        self.send(json!({ "id": 0, "method": "initialize", "params": {
            "protocolVersion": 1, "clientCapabilities": { "_meta": meta } } }))
            .await;
        let mut answer = self.next().await;
        assert_eq!(answer["id"], 0);
        answer["result"].take()
    }

    async fn new_session(&mut self) -> String {
        self.send(json!({ "id": 1, "method": "session/new",
            "params": { "cwd": "/home/me", "mcpServers": [] } }))
            .await;
        let answer = self.next().await;
        answer["result"]["sessionId"].as_str().expect("expected a session").to_owned()
    }

    /// A session in which each of `tools` can be called.
    async fn with_tools(&mut self, tools: Value) -> String {
        self.initialize(tools).await;
        self.new_session().await
    }

    async fn prompt(&mut self, id: u64, session: &str, text: &str) {
        self.send(json!({ "id": id, "method": "session/prompt", "params": {
            "sessionId": session, "prompt": [{ "type": "text", "text": text }] } }))
            .await;
    }

    /// Ends the input; what the agent still wrote, and its exit status.
    async fn end(mut self) -> (Vec<String>, i32) {
        drop(self.to_agent);
        let mut rest = Vec::new();
        while let Some(line) = self.from_agent.next_line().await.unwrap() {
            rest.push(line);
        }
        (rest, self.agent.await.unwrap())
    }
}

/// A model that does what it is told, one step after the other, then ends.
#[derive(Debug)]
struct Script(Vec<Step>);

impl Model for Script {
    fn begin(&self, _: &View<'_>) -> Box<dyn Turn> {
        Box::new(ScriptTurn(self.0.clone().into_iter()))
    }
}

struct ScriptTurn(std::vec::IntoIter<Step>);

impl Turn for ScriptTurn {
    fn next(&mut self, _: Option<Done>) -> BoxFuture<'_, Step> {
        ready(self.0.next().unwrap_or(Step::END)).boxed()
    }
}

fn call(tool: &str, arguments: &Value) -> ModelCall {
    ModelCall { tool: tool.to_owned(), arguments: arguments.as_object().cloned().unwrap() }
}

/// A script of one step that calls each tool without arguments.
fn calling(tools: &[&str]) -> Script {
    Script(vec![Step::Call(tools.iter().map(|tool| call(tool, &json!({}))).collect())])
}

fn ping() -> Value {
    json!([{ "name": "ping", "method": "_test/ping" }])
}
