//! ACP as this crate uses it: names, capabilities, permission choice, and the bridge to the crate
//! `agent-client-protocol`. Knows nothing of bytes, tools, processes, tokio or napi.

pub mod bridge;
pub mod capabilities;
pub mod names;
pub mod permission;
pub mod version;
