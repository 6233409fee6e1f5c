//! The native half of a `MiniMe`.

use std::sync::Arc;
use std::time::Duration;

use napi::bindgen_prelude::{Env, Function, Result};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{JsString, Status};
use napi_derive::napi;
use serde_json::{Value, json};

use super::environment;
use super::error::{to_napi, unreadable};
use super::kept::{NativeHistory, NativeTurn};
use super::runtime::runtime;
use super::tool::{self, described};
use crate::acp::bridge::Payload;
use crate::client::lending::NewLease;
use crate::client::{Carriage, Client, Introduction, Limits};
use crate::process::command::Program;
use crate::process::registry::Owner;
use crate::process::terminal::TerminalCommand;
use crate::tools::registry::ToolIndex;
use crate::tools::report::Discovery;
use crate::wire::lane::{Chunk, Lane};

/// Wakes JavaScript; weak, so that it keeps no process alive, and with room for one call, since the
/// lane wakes once.
type WakeFunction = ThreadsafeFunction<(), (), (), Status, false, true>;

/// What a client is made with.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct NativeOptions {
    namespace: String,
    is_discovery_by_request: bool,
    carrier: Carriage,
    #[serde(flatten)]
    limits: Limits,
}

/// See the module's head. After a panic in one of its calls it must be closed: `js/` does.
#[napi]
#[derive(Debug)]
pub struct NativeClient {
    client: Arc<Client>,
    owner: Owner,
}

#[napi]
impl NativeClient {
    /// A client that has started nothing. `options` is JSON; `wake` is called when there is
    /// something to [`take`](Self::take).
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env, options: String, wake: Function<'_, (), ()>) -> Result<Self> {
        let options: NativeOptions = serde_json::from_str(&options).map_err(unreadable)?;
        let owner = environment::owner(env)?;
        let wake: WakeFunction =
            wake.build_threadsafe_function::<()>().weak::<true>().build_callback(|_| Ok(()))?;
        let lane = Arc::new(Lane::new(Box::new(move || {
            // Any other status means that the environment is ending, and nobody is to be woken.
            let status = wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
            debug_assert!(matches!(status, Status::Ok | Status::Closing | Status::InvalidArg));
        })));
        let discovery =
            if options.is_discovery_by_request { Discovery::Request } else { Discovery::Meta };
        let client = Arc::new(Client::lending_by(
            options.carrier,
            lane,
            &options.namespace,
            discovery,
            options.limits,
        ));
        environment::enter(owner, &client);
        Ok(Self { client, owner })
    }

    /// Lends a tool, described as JSON; gives `{index, modelName, method, lossy,
    /// stray}` as JSON.
    #[napi(catch_unwind)]
    pub fn add_tool(&self, definition: String) -> Result<String> {
        let index = self.client.add_tool(&tool::definition(&definition)?).map_err(to_napi)?;
        Ok(self.described(index).to_string())
    }

    /// Checks tools that are going to be given to a session, an array of definitions as JSON.
    #[napi(catch_unwind)]
    pub fn check_list(&self, more: String) -> Result<()> {
        self.client.check_list(&tool::definitions(&more)?).map_err(to_napi)
    }

    /// Gives a session its list: the client's own tools and more, an array of definitions as JSON.
    /// Gives `{tools, list}` as JSON: what `add_tool` gives, for each of the more; and the list in
    /// wire form.
    #[napi(catch_unwind)]
    pub fn give_list(&self, session: String, more: String) -> Result<String> {
        let indices =
            self.client.give_list(&session, &tool::definitions(&more)?).map_err(to_napi)?;
        let tools: Vec<Value> = indices.into_iter().map(|index| self.described(index)).collect();
        Ok(json!({ "tools": tools, "list": self.client.list_of(&session) }).to_string())
    }

    /// A session is closed: nothing is lent to it any more.
    #[napi(catch_unwind)]
    pub fn forget_list(&self, session: String) {
        self.client.forget_list(&session);
    }

    /// Tools are lent by MCP from now on, and by nothing else.
    #[napi(catch_unwind)]
    pub fn choose_mcp(&self) {
        self.client.choose_mcp();
    }

    /// Opens an MCP server for a session, described as JSON; gives `{url}` or `{socket}` as JSON.
    #[napi(catch_unwind)]
    pub fn open_lease(&self, lease: String) -> Result<String> {
        let lease: NewLease = serde_json::from_str(&lease).map_err(unreadable)?;
        let _context = runtime()?.enter();
        let address = self.client.open_lease(lease).map_err(to_napi)?;
        serde_json::to_string(&address).map_err(unreadable)
    }

    /// The session of an MCP server is known.
    #[napi(catch_unwind)]
    pub fn bind_lease(&self, name: String, session: String) {
        self.client.bind_lease(&name, &session);
    }

    /// Takes back the MCP server of a session that was not opened.
    #[napi(catch_unwind)]
    pub fn drop_lease(&self, name: String) {
        self.client.drop_lease(&name);
    }

    /// Whether the agent has come to the MCP server.
    #[napi(catch_unwind)]
    pub fn is_lease_used(&self, name: String) -> bool {
        self.client.is_lease_used(&name)
    }

    /// Ends all MCP servers; none is opened any more.
    #[napi(catch_unwind)]
    pub fn end_lending(&self) {
        self.client.end_lending();
    }

    /// Takes a tool back; whether it was there.
    #[napi(catch_unwind)]
    pub fn remove_tool(&self, index: u32) -> bool {
        self.client.remove_tool(ToolIndex(index))
    }

    /// What the model is going to see, as JSON.
    #[napi(catch_unwind)]
    pub fn model_tools(&self) -> Result<String> {
        serde_json::to_string(&self.client.model_tools()).map_err(unreadable)
    }

    /// Starts the agent, described as JSON; gives its process id.
    #[napi(catch_unwind)]
    pub fn start(&self, program: String) -> Result<u32> {
        let program: Program = serde_json::from_str(&program).map_err(unreadable)?;
        let _context = runtime()?.enter();
        self.client.start(&program, self.owner).map_err(to_napi)
    }

    /// Sends `initialize`; the introduction is JSON.
    #[napi(catch_unwind)]
    pub fn initialize(&self, id: u32, introduction: String) -> Result<()> {
        let introduction: Introduction = serde_json::from_str(&introduction).map_err(unreadable)?;
        self.client.initialize(id.into(), introduction).map_err(to_napi)
    }

    /// Sends a request; its answer comes by the lane.
    #[napi(catch_unwind)]
    pub fn request(&self, id: u32, method: String, params: String) -> Result<()> {
        self.client.request(id.into(), method, params).map_err(to_napi)
    }

    /// Sends a notification.
    #[napi(catch_unwind)]
    pub fn notify(&self, method: String, params: String) -> Result<()> {
        self.client.notify(method, params).map_err(to_napi)
    }

    /// Withdraws a request of ours.
    #[napi(catch_unwind)]
    pub fn cancel_request(&self, id: u32) {
        self.client.cancel_request(id.into());
    }

    /// Answers a request of the agent that is no call of a lent tool.
    #[napi(catch_unwind)]
    pub fn answer_request(&self, key: i64, is_error: bool, json: String) {
        let json = json.into_boxed_str();
        let payload = if is_error { Payload::Error(json) } else { Payload::Text(json) };
        self.client.answer_request(key, payload);
    }

    /// Answers calls, joined as `js/calls.js` does; gives the keys of those that were too large.
    #[napi(catch_unwind)]
    pub fn answer_calls(&self, answers: String) -> Result<Vec<u32>> {
        self.client.answer_calls(&answers).map_err(to_napi)
    }

    /// Answers one call with a large answer, JSON of its own; gives whether it was too large.
    #[napi(catch_unwind)]
    pub fn answer_large(&self, key: u32, is_error: bool, json: String) -> Result<bool> {
        self.client.answer_large(key, is_error, json).map_err(to_napi)
    }

    /// Starts a command for the agent, described as JSON; gives the number of its terminal.
    #[napi(catch_unwind)]
    pub fn terminal_start(&self, command: String) -> Result<u32> {
        let command: TerminalCommand = serde_json::from_str(&command).map_err(unreadable)?;
        let _context = runtime()?.enter();
        self.client.start_terminal(&command, self.owner).map_err(to_napi)
    }

    /// What a terminal has to show: `{output, truncated, exit}` as JSON.
    #[napi(catch_unwind)]
    pub fn terminal_output(&self, terminal: u32) -> Result<String> {
        let shown = self.client.show_terminal(terminal).map_err(to_napi)?;
        serde_json::to_string(&shown).map_err(unreadable)
    }

    /// Ends the command of a terminal: SIGTERM, SIGKILL `grace_ms` later.
    #[napi(catch_unwind)]
    pub fn terminal_kill(&self, terminal: u32, grace_ms: u32) {
        self.client.kill_terminal(terminal, Duration::from_millis(grace_ms.into()));
    }

    /// Ends the command of a terminal at once, and forgets the terminal.
    #[napi(catch_unwind)]
    pub fn terminal_release(&self, terminal: u32) {
        self.client.release_terminal(terminal);
    }

    /// Releases all terminals; none is started any more.
    #[napi(catch_unwind)]
    pub fn terminals_end(&self) {
        self.client.end_terminals();
    }

    /// The next chunk of the lane, a JSON array; null re-arms the wake.
    #[napi(catch_unwind)]
    pub fn take<'env>(&self, env: &'env Env) -> Result<Option<JsString<'env>>> {
        let Some(chunk) = self.client.take() else { return Ok(None) };
        let text = match &chunk {
            Chunk::OneByte(text) => env.create_string_latin1(text),
            Chunk::TwoByte(text) => env.create_string_utf16(text),
        };
        self.client.give_back(chunk);
        text.map(Some)
    }

    /// Keeps the last updates of a session, from now on.
    #[napi(catch_unwind)]
    pub fn keep_history(&self, session: String) -> NativeHistory {
        NativeHistory::new(self.client.keep_history(&session))
    }

    /// Keeps what a turn of the session needs, from now on.
    #[napi(catch_unwind)]
    pub fn keep_turn(&self, session: String) -> NativeTurn {
        NativeTurn::new(self.client.keep_turn(&session))
    }

    /// Ends the agent: end of stdin, SIGTERM, SIGKILL, `grace_ms` apart.
    #[napi(catch_unwind)]
    pub fn stop(&self, grace_ms: u32) {
        self.client.stop(Duration::from_millis(grace_ms.into()));
    }
}

impl NativeClient {
    /// What JavaScript needs to know of a tool that was just lent.
    fn described(&self, index: ToolIndex) -> Value {
        self.client.with_tool(index, |tool| described(index, tool)).unwrap_or_default()
    }
}
