//! How a declared tool reaches an agent, and how a call of it comes back. Knows nothing of
//! connections, processes or napi.

pub mod mini_me;

use serde_json::Value;

use crate::tools::registry::{Registry, ToolIndex};

/// A way to lend tools.
pub trait Carrier: Send + Sync + std::fmt::Debug {
    /// The list of `clientCapabilities`, for a carrier that has one.
    fn announced(&self, registry: &Registry) -> Vec<Value>;

    /// What a request of the agent is to this carrier.
    fn receive(&self, registry: &Registry, method: &str, params: Option<&str>) -> Received;
}

/// See [`Carrier::receive`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// No call of a lent tool.
    NotOurs,
    /// A call; its params go to JavaScript as they came.
    Call(ToolIndex),
    /// A call that never reaches its handler.
    Refused {
        /// The tool it names.
        tool: ToolIndex,
        /// The answer, JSON text: what the model reads to correct itself.
        result: String,
    },
}
