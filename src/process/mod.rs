//! The agent's process: how it is found and started, that it is never left behind, how it ends.
//! Knows nothing of ACP, of what its output means, or of napi.

pub mod child;
pub mod command;
pub mod registry;
pub mod resolve;
pub mod shutdown;
pub mod signal;
pub mod stderr;
