//! How a declared tool reaches an agent, and how a call of it comes back. Knows nothing of
//! connections, processes or napi.

pub mod choice;
pub mod mcp;
pub mod mini_me;

mod members;

use serde_json::Value;

use crate::tools::lent::Lent;
use crate::tools::registry::ToolIndex;

/// A way to lend tools.
pub trait Carrier: Send + Sync + std::fmt::Debug {
    /// The list of `clientCapabilities`, for a carrier that has one.
    fn announced(&self, lent: &Lent) -> Vec<Value>;

    /// What a request of the agent is to this carrier.
    fn receive(&self, lent: &Lent, method: &str, params: Option<&str>) -> Received;
}

/// See [`Carrier::receive`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// No call of a lent tool.
    NotOurs,
    /// A call; its params go to JavaScript as they came.
    Call(ToolIndex),
    /// A call whose arguments are wrong.
    Misfit {
        /// The tool it is for.
        tool: ToolIndex,
        /// The answer, JSON text: what the model reads to correct itself.
        result: String,
    },
    /// A call of a tool that is not lent to whoever calls.
    Unlent {
        /// The answer, JSON text.
        result: String,
    },
}
