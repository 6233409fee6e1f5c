//! Bytes: how a stream becomes lines, what kind of message a line is, and how messages travel to
//! JavaScript in order. Knows nothing of ACP's meaning, tools, tokio or napi.
