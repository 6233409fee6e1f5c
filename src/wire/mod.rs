//! Bytes: how a stream becomes lines, what kind of message a line is, and how messages travel to
//! JavaScript in order. Knows nothing of what a message means, of tools, processes, tokio or napi.

pub mod compact;
pub mod encode;
pub mod envelope;
pub mod lane;
pub mod lines;
