//! ACP as this crate uses it: names, capabilities, permission choice, and the bridge to the crate
//! `agent-client-protocol`. Knows nothing of bytes, processes, tokio or JavaScript.
