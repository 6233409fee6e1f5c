//! A stand-in for mm: an agent side of the client-tools protocol, for demos and for tests of clients.
//! It is not mm, and says so. Its [`model`] is a set of rules, or whatever is put in its place.
//!
//! Knows nothing of the client side of this crate, and nothing of napi: [`run`] takes any streams,
//! [`run_on_stdio`] takes those of the process. (`docs/protocol.md`, "The stand-in for mm")

use std::sync::Arc;
use std::time::SystemTime;

mod agent;
pub mod agent_file;
mod call;
mod catalogue;
mod command;
mod connection;
mod duration;
mod ids;
mod link;
mod log;
mod loop_detector;
pub mod model;
mod params;
mod record;
mod session;
#[cfg(test)]
mod tests;
mod turn;

pub use command::{Plan, plan, run_on_stdio};
pub use connection::{Io, run};
pub use log::Log;
pub use loop_detector::LoopLimits;
pub use record::Record;
pub use session::PastSession;

/// Tells the time; it is in the ids of sessions.
pub type Clock = fn() -> SystemTime;

/// What an agent is made of.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The settings of its agent file.
    pub agent_file: agent_file::AgentFile,
    /// What decides in its turns.
    pub model: Arc<dyn model::Model>,
    /// What it says of its model when it starts.
    pub introduction: &'static str,
    /// Where it tells what it took, asked and read.
    pub record: Record,
    /// Where it takes the time from.
    pub clock: Clock,
    /// When it tells a model that goes in circles.
    pub loop_limits: LoopLimits,
    /// Sessions of an earlier process, which a client can load, resume and list.
    pub past_sessions: Vec<PastSession>,
}
