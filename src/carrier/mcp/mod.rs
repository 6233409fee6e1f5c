//! Tools lent over the Model Context Protocol: each session's list is what an MCP server of its own
//! offers. Turns messages of MCP clients into what they mean, and results of handlers into what they
//! read; how messages travel is not its business. Source: `docs/protocol.md`, "Carriers".

pub mod revision;
pub mod server;
pub mod tool;
pub mod tool_result;

mod call;
