//! What decides in a turn. The stand-in has no language model of its own: [`Rules`] chooses by the words
//! of the question, and [`Remote`] lets somebody else decide. Knows nothing of the wire, of sessions'
//! state, and of any tool in particular.

use std::borrow::Cow;
use std::fmt::Debug;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::tools::description::ToolDescription;

mod answer;
mod arguments;
mod choice;
mod question;
mod remote;
mod rules;
mod terms;
mod words;

pub use remote::{Remote, RemoteEvents};
pub use rules::Rules;

/// Decides turns.
pub trait Model: Debug + Send + Sync {
    /// Begins a turn.
    fn begin(&self, view: &View<'_>) -> Box<dyn Turn>;

    /// What is done before a request of the client is handled, as a fault of an agent; `None` for
    /// nothing. Only [`Step::Write`], [`Step::Exit`] and the ends have a meaning there: with an error
    /// the request is answered with it, else it is handled.
    fn before(&self, _method: &str, _params: &Value) -> Option<Box<dyn Turn>> {
        None
    }
}

/// A turn of a model. Dropped when it has ended, also when it was cancelled.
pub trait Turn: Send {
    /// The next step; `done` is the one before.
    fn next(&mut self, done: Option<Done>) -> BoxFuture<'_, Step>;
}

/// What a model knows when a turn begins.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The session of the turn.
    pub session_id: &'a str,
    /// Its folder.
    pub cwd: &'a str,
    /// The prompt as it came, an array of content blocks.
    pub prompt: &'a Value,
    /// Its text.
    pub question: &'a str,
    /// The tools of the session, sorted by model name.
    pub tools: &'a [ToolDescription],
}

/// One step of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Calls tools, all at once; the turn goes on when each has its result.
    Call(Vec<ModelCall>),
    /// Writes a message, one chunk after the other.
    Say(Vec<String>),
    /// Tells an update of another kind, a thought or a plan: the `update` of `session/update`.
    Tell(Value),
    /// Writes these bytes to the client as they are; the turn goes on when they are written.
    Write(Vec<u8>),
    /// Has the next answer to the client written twice.
    RepeatAnswer,
    /// Takes no notice of a cancellation from now on.
    Deafen,
    /// Ends the agent with this status, after all that was written so far.
    Exit(i32),
    /// Ends the turn with this stop reason.
    End(Cow<'static, str>),
    /// Ends the turn with an error, as a model server that is down does.
    Fail(String),
    /// Ends the turn with this error object.
    Refuse(Value),
}

impl Step {
    /// Ends the turn as usual.
    pub const END: Self = Self::End(Cow::Borrowed("end_turn"));
}

/// A call as a model asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCall {
    /// What the model calls the tool, `client_<name>`.
    pub tool: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
}

/// A step that was taken.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    /// The calls of a [`Step::Call`] with what the model reads, in the order they were asked for.
    Called(Vec<(ModelCall, CallResult)>),
    /// Any other step.
    Said,
}

/// What a model reads of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// The text.
    pub text: String,
    /// Whether the call failed.
    pub is_failed: bool,
}
