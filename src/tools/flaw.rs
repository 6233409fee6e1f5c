//! What can be wrong with a tool, in the protocol's words. Knows nothing of how a flaw is found.
//! (`docs/protocol.md`, "Validation of a list")

use std::fmt;

use super::limits::MAX_SCHEMA_LEVELS;
use crate::json_text::{quoted, shortened};

/// The most of a schema's members that a message lists, in characters.
const MAX_MEMBERS: usize = 200;

/// What is wrong with the description of a tool.
///
/// [`Flaw::reason`] gives the protocol's reason word for word, as it stands in an agent's log line.
/// `Display` gives the same and, where the protocol's words leave it open, what the author of the tool
/// needs to find the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// Not an object of the right shape; the text says what was expected and what came.
    Shape(String),
    /// `name` is absent or empty.
    NoName,
    /// Nothing of `name` is left in a model name.
    NameEmpty {
        /// The name as it was given.
        name: String,
    },
    /// `method` does not start with `_`.
    Method {
        /// The method as it was given; empty when there was none.
        method: String,
    },
    /// `method` is one that a client cannot lend.
    ReservedMethod {
        /// The method as it was given.
        method: String,
    },
    /// `inputSchema.type` is not `"object"`.
    SchemaType {
        /// JSON text of what was there.
        got: String,
    },
    /// `inputSchema` is a list of properties, without a keyword of JSON Schema.
    SchemaMembers {
        /// The names of the members that look like properties.
        members: Vec<String>,
    },
    /// `inputSchema` cannot be used to check arguments.
    SchemaInvalid {
        /// Where and why.
        reason: String,
    },
    /// `inputSchema` is nested deeper than can be read.
    SchemaDepth {
        /// How many levels of JSON it has.
        levels: usize,
    },
    /// Two tools have the same model name.
    DuplicateName {
        /// What a model would call both.
        model_name: String,
        /// Name of the tool that came first and stays.
        first: String,
        /// Name of the tool that is refused.
        second: String,
    },
    /// Two tools have the same method, and a call names nothing else.
    DuplicateMethod {
        /// The method of both.
        method: String,
        /// Name of the tool that came first and stays.
        first: String,
        /// Name of the tool that is refused.
        second: String,
    },
    /// Every index was given out.
    TooMany,
}

impl Flaw {
    /// Returns the code of the `ToolDefinitionError` that tells of this flaw.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Shape(_) | Self::TooMany => "MM_ERR_TOOL",
            Self::NoName | Self::NameEmpty { .. } => "MM_ERR_TOOL_NAME",
            Self::Method { .. } | Self::ReservedMethod { .. } => "MM_ERR_TOOL_METHOD",
            Self::SchemaType { .. }
            | Self::SchemaMembers { .. }
            | Self::SchemaInvalid { .. }
            | Self::SchemaDepth { .. } => "MM_ERR_TOOL_SCHEMA",
            Self::DuplicateName { .. } | Self::DuplicateMethod { .. } => "MM_ERR_TOOL_DUPLICATE",
        }
    }

    /// Returns the protocol's reason, word for word.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Shape(detail) => format!("not a tool description: {detail}"),
            Self::NoName | Self::NameEmpty { .. } => "no name".to_owned(),
            Self::Method { method } => {
                format!("method {} must start with \"_\" (an ACP extension method)", quoted(method))
            }
            Self::ReservedMethod { method } => {
                format!("method {} cannot be the method of a tool", quoted(method))
            }
            Self::SchemaType { got } => format!("inputSchema.type must be \"object\", got {got}"),
            Self::SchemaMembers { members } => {
                let names: Vec<String> = members.iter().map(|name| quoted(name)).collect();
                let names = names.join(", ");
                format!(
                    "inputSchema has no keyword of JSON Schema, got {}",
                    shortened(&names, MAX_MEMBERS)
                )
            }
            Self::SchemaInvalid { reason } => format!("inputSchema cannot be used: {reason}"),
            Self::SchemaDepth { .. } => "inputSchema has too many levels".to_owned(),
            Self::DuplicateName { model_name, .. } => {
                format!("duplicate tool name {}", quoted(model_name))
            }
            Self::DuplicateMethod { method, .. } => format!("duplicate method {}", quoted(method)),
            Self::TooMany => "no index is left for another tool".to_owned(),
        }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason())?;
        match self {
            Self::NameEmpty { name } => write!(
                formatter,
                ": expected a letter A-Z, a-z or a digit in the name, got {}",
                quoted(name)
            ),
            Self::ReservedMethod { .. } => formatter
                .write_str(": expected \"_\" and a name of its own, like \"_com.example/name\""),
            Self::SchemaMembers { .. } => formatter.write_str(
                ": expected parameters under \"properties\", like {\"type\": \"object\", \
                 \"properties\": {…}} (validate: false lends the tool as it is)",
            ),
            Self::SchemaInvalid { .. } => {
                formatter.write_str(" (validate: false lends the tool without a check)")
            }
            Self::SchemaDepth { levels } => write!(
                formatter,
                ": expected at most {MAX_SCHEMA_LEVELS} levels of JSON, got {levels}"
            ),
            Self::DuplicateName { first, second, .. } => {
                write!(
                    formatter,
                    ": a model would call both {} and {} so",
                    quoted(first),
                    quoted(second)
                )
            }
            Self::DuplicateMethod { first, second, .. } => {
                write!(
                    formatter,
                    ": {} and {} would both be called by it",
                    quoted(first),
                    quoted(second)
                )
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Flaw {}
