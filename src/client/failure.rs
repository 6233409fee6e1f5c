//! Every failure the core can tell of, with its code. `docs/errors.md` has cause and remedy.

use std::fmt;

use serde_json::{Value, json};

use crate::process::command::SpawnFailure;
use crate::tools::description::Flaw;

/// See the module's head.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// A tool that cannot be lent.
    Tool(Flaw),
    /// The agent could not be started.
    Spawn(SpawnFailure),
    /// A command of the agent could not be started: told to the agent, with the same code.
    Command(SpawnFailure),
    /// A message of ours over `maxOutgoingBytes`; nothing was sent.
    OutgoingTooLarge {
        /// The method of the message.
        method: String,
        /// How long its line would be.
        bytes: usize,
        /// `maxOutgoingBytes`.
        limit_bytes: usize,
    },
    /// A line of the agent over `maxIncomingBytes`.
    IncomingTooLarge {
        /// `maxIncomingBytes`.
        limit_bytes: usize,
    },
    /// The program writes, but no ACP.
    NotAcp {
        /// The first line it wrote, cut short.
        first_line: String,
    },
    /// The agent does not read what is written to it.
    Unwritten {
        /// How much waited.
        bytes: usize,
    },
    /// Nothing could be listened to, for an MCP server of lent tools.
    Listen {
        /// The system's words.
        reason: String,
    },
    /// Nothing runs that could be told.
    NotStarted,
    /// A fault of this package.
    Internal(String),
}

impl Failure {
    /// The code users match.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Tool(flaw) => flaw.code(),
            Self::Spawn(_) | Self::Command(_) => "MM_ERR_SPAWN",
            Self::OutgoingTooLarge { .. } | Self::IncomingTooLarge { .. } => {
                "MM_ERR_MESSAGE_TOO_LARGE"
            }
            Self::NotAcp { .. } => "MM_ERR_NOT_ACP",
            Self::Unwritten { .. } => "MM_ERR_UNREAD",
            Self::Listen { .. } => "MM_ERR_LISTEN",
            Self::NotStarted => "MM_ERR_NOT_STARTED",
            Self::Internal(_) => "MM_ERR_INTERNAL",
        }
    }

    /// Plain data for `error.details`.
    #[must_use]
    pub fn details(&self) -> Value {
        match self {
            Self::Spawn(failure) | Self::Command(failure) => {
                serde_json::to_value(failure).unwrap_or_default()
            }
            Self::OutgoingTooLarge { method, bytes, limit_bytes } => {
                json!({ "method": method, "bytes": bytes, "limitBytes": limit_bytes })
            }
            Self::IncomingTooLarge { limit_bytes } => json!({ "limitBytes": limit_bytes }),
            Self::NotAcp { first_line } => json!({ "firstLine": first_line }),
            Self::Unwritten { bytes } => json!({ "bytes": bytes }),
            Self::Listen { reason } => json!({ "reason": reason }),
            Self::Tool(_) | Self::NotStarted | Self::Internal(_) => json!({}),
        }
    }

    /// Code, message and details, as JavaScript takes them.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({ "code": self.code(), "message": self.to_string(), "details": self.details() })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(flaw) => flaw.fmt(f),
            Self::Spawn(failure) => {
                failure.fmt(f)?;
                failure.remedy().map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
            }
            Self::Command(failure) => failure.fmt(f),
            Self::OutgoingTooLarge { method, bytes, limit_bytes } => write!(
                f,
                "expected a message of at most {limit_bytes} bytes (`maxOutgoingBytes`), got \
                 {bytes} bytes for {method}"
            ),
            Self::IncomingTooLarge { limit_bytes } => write!(
                f,
                "expected lines of at most {limit_bytes} bytes from the agent \
                 (`maxIncomingBytes`), got a longer one"
            ),
            Self::NotAcp { first_line } => write!(
                f,
                "expected ACP messages on the program's stdout, got other text: {first_line}"
            ),
            Self::Unwritten { bytes } => {
                write!(f, "expected the agent to read its stdin, {bytes} bytes wait to be written")
            }
            Self::Listen { reason } => write!(
                f,
                "expected to listen on 127.0.0.1, or on a socket in the folder for temporary files, \
                 for the MCP server of the lent tools, got: {reason}"
            ),
            Self::NotStarted => f.write_str("expected a started client; call start() first"),
            Self::Internal(what) => write!(f, "a fault of mini-me-client: {what}"),
        }
    }
}
