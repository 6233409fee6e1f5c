//! Every limit of this room, with its reason and its unit. Knows nothing of where a limit is applied.

/// Longest line sent to an agent, in bytes, its line feed included.
///
/// acp-go-sdk 0.13.5 reads lines of up to 10 485 759 bytes without the line feed; one byte more
/// closes its connection and every session on it.
pub const MAX_OUTGOING_BYTES: usize = 10_485_760;

/// Longest line accepted from an agent, in bytes, its line feed included.
///
/// Agents replay whole conversations and send images as base64 text, so the limit is generous: 64 MiB.
pub const MAX_INCOMING_BYTES: usize = 64 * 1024 * 1024;

/// Longest model name, in characters. Model servers refuse tools with longer ones.
pub const MAX_MODEL_NAME: usize = 64;

/// Deepest nesting of arguments that can be checked, in levels. It is what `serde_json` reads; deeper
/// text would be a way to exhaust the stack.
pub const MAX_ARGUMENT_DEPTH: usize = 127;

/// Deepest nesting of an `inputSchema`, in levels. `serde_json` reads 127 levels, and six are around a
/// schema where its list travels.
pub const MAX_SCHEMA_LEVELS: usize = 120;

/// Most lines of complaint about one call's arguments. A model corrects a few mistakes at a time, and
/// each line costs it context.
pub const MAX_COMPLAINTS: usize = 10;

/// Longest line of complaint, in characters. It bounds what enumerations and paths can add.
pub const MAX_COMPLAINT: usize = 400;

/// Most characters of a result that a model reads, unless the agent file says otherwise: `maxOutput`.
pub const MAX_OUTPUT: usize = 30_000;

/// Most memory a compiled `pattern` may take, in bytes. Counted repetitions like `(a{1000}){1000}`
/// would otherwise take gigabytes.
pub const MAX_PATTERN_BYTES: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    /// The recorded dialogues `limit-line-10485759-bytes` and `limit-line-10485760-bytes`.
    #[test]
    fn the_longest_line_is_the_longest_an_agent_was_seen_to_read() {
        let line_feed = 1;
        assert_eq!(MAX_OUTGOING_BYTES, 10_485_759 + line_feed);
    }

    #[test]
    fn a_replayed_image_of_thirty_megabytes_comes_in() {
        assert_eq!(MAX_INCOMING_BYTES, 67_108_864);
    }
}
