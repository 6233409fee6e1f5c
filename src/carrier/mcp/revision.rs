//! The revisions of MCP that are spoken, and how one is agreed on.

use serde_json::{Value, json};

/// The revision without a handshake: each request names it in its `_meta`.
pub const STATELESS: &str = "2026-07-28";
/// Those that begin with `initialize`, the newest first.
pub const WITH_HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Where a request of a revision without handshake names it.
pub const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Where the answers of such a revision name the server.
pub const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// MCP: the revision a request names is not spoken here.
pub const UNSUPPORTED_REVISION: i64 = -32022;

/// Whether a revision is spoken.
#[must_use]
pub fn is_supported(revision: &str) -> bool {
    revision == STATELESS || WITH_HANDSHAKE.contains(&revision)
}

/// All of them, the newest first.
#[must_use]
pub fn all() -> Vec<&'static str> {
    std::iter::once(STATELESS).chain(WITH_HANDSHAKE).collect()
}

/// What `initialize` is answered: the revision that was asked for when it is spoken, else the newest
/// that has this handshake.
#[must_use]
pub fn agreed(asked: Option<&str>) -> &'static str {
    let [newest, ..] = WITH_HANDSHAKE;
    asked
        .and_then(|asked| WITH_HANDSHAKE.into_iter().find(|revision| *revision == asked))
        .unwrap_or(newest)
}

/// The error of a request that names another revision.
#[must_use]
pub fn unsupported(asked: &str) -> Value {
    json!({
        "code": UNSUPPORTED_REVISION,
        "message": "Unsupported protocol version",
        "data": { "supported": all(), "requested": asked },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(asked: Option<&str>, expected: &str) {
        assert_eq!(agreed(asked), expected);
    }

    #[test]
    fn a_revision_that_is_spoken_is_agreed_on() {
        for revision in WITH_HANDSHAKE {
            check(Some(revision), revision);
        }
    }

    #[test]
    fn for_any_other_the_newest_with_a_handshake_is_offered() {
        check(Some("2099-01-01"), "2025-11-25");
        check(Some(STATELESS), "2025-11-25");
        check(None, "2025-11-25");
    }
}
