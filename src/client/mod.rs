//! The client: a set of lent tools, at most one connection to an agent, and the agent's terminals.
//! Knows no JavaScript; what it has to say goes into the lane.

pub mod calls;
pub mod connection;
pub mod diagnostic;
pub mod ending;
pub mod entries;
pub mod failure;
pub mod held;
pub mod inbound;
pub mod kept;
pub mod lending;
pub mod order;
pub mod outbound;
pub mod protocol;
pub mod report;
pub mod stderr;
mod terminals;
pub mod writer;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::acp::bridge::Payload;
use crate::acp::capabilities::{self, Offers, client_capabilities};
use crate::acp::names::INITIALIZE;
use crate::acp::version::PROTOCOL_VERSION;
use crate::carrier::Carrier;
use crate::carrier::choice::Choice;
use crate::carrier::mcp::tool;
use crate::carrier::mini_me::MiniMe;
use crate::process::child;
use crate::process::command::Program;
use crate::process::registry::Owner;
use crate::process::shutdown::Stop;
use crate::process::terminal::Terminals;
use crate::tools::lent::Lent;
use crate::tools::registry::{RegisteredTool, ToolIndex};
use crate::tools::report::Discovery;
use crate::tools::schema::ModelTool;
use crate::wire::lane::Lane;

pub use connection::{Connection, Limits, Shared, Streams};
pub use diagnostic::Diagnostic;
pub use failure::Failure;
pub use held::Held;
pub use report::Reporter;

use kept::{History, TurnKept};
use lending::Lending;

/// What `initialize` says of the program that uses this package.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Introduction {
    /// `clientInfo`, as it goes out.
    pub client_info: Value,
    /// What handlers were given for.
    pub offers: Offers,
    /// The program's own members of `clientCapabilities`.
    #[serde(default)]
    pub capabilities: Option<Map<String, Value>>,
}

/// See the module's head.
#[derive(Debug)]
pub struct Client {
    shared: Shared,
    discovery: Discovery,
    limits: Limits,
    connection: OnceLock<Connection>,
    terminals: Terminals,
    /// What carries, where that is not mm's protocol alone.
    choice: Option<Arc<Choice>>,
    lending: Lending,
}

/// How tools are lent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Carriage {
    /// By mm's own protocol.
    MiniMe,
    /// By MCP servers, one a session.
    Mcp,
    /// As it is decided once the agent is known; by mm's protocol until then.
    Auto,
}

impl Client {
    /// A client that has started nothing, and lends by mm's protocol.
    #[must_use]
    pub fn new(lane: Arc<Lane>, namespace: &str, discovery: Discovery, limits: Limits) -> Self {
        Self::lending_by(Carriage::MiniMe, lane, namespace, discovery, limits)
    }

    /// A client that has started nothing.
    #[must_use]
    pub fn lending_by(
        carriage: Carriage,
        lane: Arc<Lane>,
        namespace: &str,
        discovery: Discovery,
        limits: Limits,
    ) -> Self {
        let lent = Arc::new(Mutex::new(Lent::new(namespace)));
        let mini_me = MiniMe { discovery };
        let choice = match carriage {
            Carriage::MiniMe => None,
            Carriage::Mcp => Some(Arc::new(Choice::new(mini_me, true))),
            Carriage::Auto => Some(Arc::new(Choice::new(mini_me, false))),
        };
        let carrier: Arc<dyn Carrier> = match &choice {
            Some(choice) => Arc::<Choice>::clone(choice),
            None => Arc::new(mini_me),
        };
        Self {
            shared: Shared { lane, lent, carrier, kept: Arc::default() },
            discovery,
            limits,
            connection: OnceLock::new(),
            terminals: Terminals::default(),
            choice,
            lending: Lending::default(),
        }
    }

    /// Tools are lent by MCP from now on, and by nothing else.
    pub fn choose_mcp(&self) {
        if let Some(choice) = &self.choice {
            choice.choose_mcp();
        }
    }

    fn is_mcp(&self) -> bool {
        self.choice.as_ref().is_some_and(|choice| choice.is_mcp())
    }

    /// Lends a tool.
    ///
    /// # Errors
    /// [`Failure::Tool`] names what is wrong with it.
    pub fn add_tool(&self, definition: &Value) -> Result<ToolIndex, Failure> {
        self.lent().own_mut().add(definition).map_err(Failure::Tool)
    }

    /// Takes a tool back; whether it was there.
    pub fn remove_tool(&self, index: ToolIndex) -> bool {
        self.lent().own_mut().remove(index)
    }

    /// Checks tools that are going to be given to a session.
    ///
    /// # Errors
    /// [`Failure::Tool`] for the first that cannot be lent.
    pub fn check_list(&self, more: &[Value]) -> Result<(), Failure> {
        self.lent().check(more).map_err(|(_, flaw)| Failure::Tool(flaw))
    }

    /// Gives a session its list: the client's own tools, and `more`. Gives the indices of `more`.
    ///
    /// # Errors
    /// [`Failure::Tool`] for the first of `more` that cannot be lent; then nothing was changed.
    pub fn give_list(&self, session: &str, more: &[Value]) -> Result<Vec<ToolIndex>, Failure> {
        self.lent().give(session, more).map_err(|(_, flaw)| Failure::Tool(flaw))
    }

    /// The list of a session, in wire form; the client's own when none was given to it.
    #[must_use]
    pub fn list_of(&self, session: &str) -> Vec<Value> {
        let lent = self.lent();
        lent.list_of(session).unwrap_or(lent.own()).wire_list()
    }

    /// A session is closed: nothing is lent to it any more.
    pub fn forget_list(&self, session: &str) {
        self.lent().forget(session);
        self.lending.forget(session);
    }

    /// What the model is going to see.
    #[must_use]
    pub fn model_tools(&self) -> Vec<ModelTool> {
        let lent = self.lent();
        if self.is_mcp() {
            return lent
                .own()
                .iter()
                .map(|(_, tool)| tool::model_view(&tool.description))
                .collect();
        }
        lent.own().model_tools()
    }

    /// Runs `read` on a tool.
    pub fn with_tool<T>(
        &self,
        index: ToolIndex,
        read: impl FnOnce(&RegisteredTool) -> T,
    ) -> Option<T> {
        self.lent().get(index).map(read)
    }

    /// Starts the agent; gives its process id. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`Failure::Spawn`] when it cannot be found or started.
    pub fn start(&self, program: &Program, owner: Owner) -> Result<u32, Failure> {
        if self.connection.get().is_some() {
            return Err(Failure::Internal("the agent was started twice".to_owned()));
        }
        let started = child::start(program, owner).map_err(Failure::Spawn)?;
        let supervisor = started.supervisor;
        let streams = Streams {
            direct: direct(&started.stdin),
            stdin: Box::new(started.stdin),
            stdout: Box::new(started.stdout),
            stderr: Box::new(started.stderr),
        };
        self.connect(streams, |stop| supervisor.run(stop));
        Ok(started.pid)
    }

    /// Serves `streams`; see [`Connection::open`].
    pub fn connect<L>(
        &self,
        streams: Streams,
        life: impl FnOnce(tokio::sync::watch::Receiver<Option<Stop>>) -> L,
    ) where
        L: Future<Output = crate::process::shutdown::Exit> + Send + 'static,
    {
        let reporter = Reporter::new(Arc::clone(&self.shared.lent), self.discovery);
        self.connection
            .get_or_init(|| Connection::open(streams, &self.shared, self.limits, reporter, life));
    }

    /// Sends `initialize` with the id `id`: who we are, what is offered, which tools are lent.
    ///
    /// # Errors
    /// [`Failure::NotStarted`], or a list of tools over the limit.
    pub fn initialize(&self, id: u64, introduction: Introduction) -> Result<(), Failure> {
        let tools = match self.discovery {
            _ if self.is_mcp() => capabilities::Tools::Untold,
            Discovery::Meta => {
                capabilities::Tools::List(self.shared.carrier.announced(&self.lent()))
            }
            Discovery::Request => capabilities::Tools::OnRequest,
        };
        let params = json!({
            "protocolVersion": PROTOCOL_VERSION,
            "clientInfo": introduction.client_info,
            "clientCapabilities":
                client_capabilities(introduction.offers, tools, introduction.capabilities),
        });
        self.connection()?.request(id, INITIALIZE.to_owned(), params.to_string())
    }

    /// Sends a request with the id `id`.
    ///
    /// # Errors
    /// [`Failure::NotStarted`] or [`Failure::OutgoingTooLarge`].
    pub fn request(&self, id: u64, method: String, params: String) -> Result<(), Failure> {
        self.connection()?.request(id, method, params)
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// [`Failure::NotStarted`] or [`Failure::OutgoingTooLarge`].
    pub fn notify(&self, method: String, params: String) -> Result<(), Failure> {
        self.connection()?.notify(method, params)
    }

    /// Withdraws the request `id`.
    pub fn cancel_request(&self, id: u64) {
        if let Some(connection) = self.connection.get() {
            connection.cancel_request(id);
        }
    }

    /// Answers the request `key` of the agent; a key that is not open is no failure.
    pub fn answer_request(&self, key: i64, payload: Payload) {
        if let Some(connection) = self.connection.get() {
            connection.answer_request(key, payload);
        }
    }

    /// Answers calls; gives the keys of those whose answer was too large.
    ///
    /// # Errors
    /// [`Failure::NotStarted`], or [`Failure::Unwritten`] when the agent does not read.
    pub fn answer_calls(&self, answers: &str) -> Result<Vec<u32>, Failure> {
        self.connection()?.answer_calls(answers)
    }

    /// Answers one call with a large answer; gives whether it was too large.
    ///
    /// # Errors
    /// As [`answer_calls`](Self::answer_calls).
    pub fn answer_large(&self, key: u32, is_error: bool, json: String) -> Result<bool, Failure> {
        self.connection()?.answer_large(key, is_error, json)
    }

    /// Closes the agent's stdin, then ends it step by step, each with `grace`.
    pub fn stop(&self, grace: Duration) {
        if let Some(connection) = self.connection.get() {
            connection.stop(Stop::Gently { grace });
        }
    }

    /// Ends the agent at once, and drops what was to be told: nobody listens any more.
    pub fn abandon(&self) {
        self.shared.lane.close();
        self.terminals.end();
        self.lending.end();
        if let Some(connection) = self.connection.get() {
            connection.stop(Stop::Firmly { grace: Duration::from_millis(100) });
        }
    }

    /// The next chunk for JavaScript.
    #[must_use]
    pub fn take(&self) -> Option<crate::wire::lane::Chunk> {
        self.shared.lane.take()
    }

    /// Takes back what [`take`](Self::take) gave, once it was read.
    pub fn give_back(&self, chunk: crate::wire::lane::Chunk) {
        self.shared.lane.give_back(chunk);
    }

    /// Keeps the last updates of a session, from now on.
    #[must_use]
    pub fn keep_history(&self, session: &str) -> History {
        self.shared.kept.keep_history(session)
    }

    /// Keeps what a turn of the session needs, from now on.
    #[must_use]
    pub fn keep_turn(&self, session: &str) -> TurnKept {
        self.shared.kept.keep_turn(session)
    }

    /// What is held for messages under way; `None` before an agent was started.
    #[must_use]
    pub fn held(&self) -> Option<Held> {
        self.connection.get().map(Connection::held)
    }

    fn connection(&self) -> Result<&Connection, Failure> {
        self.connection.get().ok_or(Failure::NotStarted)
    }

    fn lent(&self) -> MutexGuard<'_, Lent> {
        self.shared.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// A second descriptor of the agent's stdin; without one all lines go by the writer's task.
#[cfg(unix)]
fn direct(stdin: &tokio::process::ChildStdin) -> Option<std::os::fd::OwnedFd> {
    std::os::fd::AsFd::as_fd(stdin).try_clone_to_owned().ok()
}

#[cfg(not(unix))]
fn direct(_stdin: &tokio::process::ChildStdin) -> Option<std::convert::Infallible> {
    None
}
