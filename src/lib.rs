//! The Rust core of `mini-me-client`: it starts an ACP agent, speaks ACP with it, and lends it tools
//! whose handlers are JavaScript functions.
//!
//! Rooms, in reading order. Imports point one way: `node → client → {process, carrier, tools, acp, wire}`, `carrier →
//! {tools, wire}`,
//! `stand_in → {tools, acp, wire}`, both ends share `peer → {acp, wire}`, and `rehearsal` has both ends of a
//! call in one place: `rehearsal → {client::calls, carrier, tools, wire}`. `tools`, `acp` and `wire` are pure:
//! they do not see each other, tokio or napi, and only `node` may write `napi`. `json_text` is for all of them.

mod json_text;

pub mod acp;
pub mod carrier;
pub mod client;
pub mod peer;
pub mod process;
pub mod rehearsal;
pub mod stand_in;
pub mod tools;
pub mod wire;

#[cfg(feature = "node")]
pub mod node;
