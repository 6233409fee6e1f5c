//! Processes, the agent's and those it has started in terminals: how they are found and started, that
//! none is left behind, how they end. Knows nothing of ACP, of what output means, or of napi.

mod asar;
pub mod child;
pub mod command;
mod family;
pub mod registry;
pub mod resolve;
#[cfg(test)]
mod scratch;
pub mod shutdown;
pub mod signal;
pub mod stderr;
pub mod terminal;
