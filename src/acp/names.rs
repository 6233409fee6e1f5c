//! Method names and `_meta` keys. Source: the ACP schema, and `docs/protocol.md`, "Discovery".

/// Opens the connection.
pub const INITIALIZE: &str = "initialize";
/// Opens a session.
pub const SESSION_NEW: &str = "session/new";
/// Opens a session of old and replays its history.
pub const SESSION_LOAD: &str = "session/load";
/// Opens a session of old without replay.
pub const SESSION_RESUME: &str = "session/resume";
/// Runs a turn.
pub const SESSION_PROMPT: &str = "session/prompt";
/// Ends the running turn; a notification.
pub const SESSION_CANCEL: &str = "session/cancel";
/// What happens in a session; a notification of the agent.
pub const SESSION_UPDATE: &str = "session/update";
/// The agent asks whether it may.
pub const REQUEST_PERMISSION: &str = "session/request_permission";
/// Withdraws a request; a notification of the side that had sent it.
pub const CANCEL_REQUEST: &str = "$/cancel_request";
/// The member of [`CANCEL_REQUEST`]'s params that names the request.
pub const REQUEST_ID: &str = "requestId";

/// Key of `clientCapabilities._meta`: the lent tools, or `true`.
pub const META_TOOLS: &str = "org.mini-me/tools";
/// Key of a call's `_meta`: the session it belongs to.
pub const META_SESSION_ID: &str = "org.mini-me/sessionId";
/// mm asks for the list of tools; request discovery.
pub const TOOLS_LIST: &str = "_org.mini-me/tools/list";
