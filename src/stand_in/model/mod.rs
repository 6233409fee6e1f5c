//! What decides in a turn. The stand-in has no language model: [`Rules`] chooses by the words of the
//! question. Knows nothing of the wire, of sessions' state, and of any tool in particular.

use std::fmt::Debug;

use serde_json::{Map, Value};

use crate::tools::description::ToolDescription;

mod answer;
mod arguments;
mod choice;
mod question;
mod rules;
mod terms;
mod words;

pub use rules::Rules;

/// Decides step by step what happens in a turn.
pub trait Model: Debug + Send + Sync {
    /// The next step of the turn in `view`.
    fn next(&self, view: &View<'_>) -> Step;
}

/// What a model knows when it decides.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The session of the turn.
    pub session_id: &'a str,
    /// The text of the prompt.
    pub question: &'a str,
    /// The tools of the session, sorted by model name.
    pub tools: &'a [ToolDescription],
    /// What the turn did before, in order.
    pub done: &'a [Done],
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
    /// Ends the turn with this stop reason.
    End(&'static str),
    /// Ends the turn with an error, as a model server that is down does.
    Fail(String),
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
    /// A [`Step::Say`] or a [`Step::Tell`].
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
