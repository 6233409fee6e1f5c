//! JSON Schema, as arguments are checked against it. Behind a trait object: all of `jsonschema` that is
//! generic stays in this crate (see its `Cargo.toml`). Knows nothing of tools.

use std::fmt::Debug;
use std::sync::Arc;

use jsonschema::{ErrorIterator, PatternOptions, Validator};
use serde_json::Value;

pub use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
pub use jsonschema::paths::{Location, LocationSegment};

/// A compiled schema.
pub trait Schema: Debug + Send + Sync {
    /// Whether a value fits.
    fn is_valid(&self, value: &Value) -> bool;

    /// All that is wrong with a value.
    fn errors<'a>(&'a self, value: &'a Value) -> ErrorIterator<'a>;
}

impl Schema for Validator {
    fn is_valid(&self, value: &Value) -> bool {
        Validator::is_valid(self, value)
    }

    fn errors<'a>(&'a self, value: &'a Value) -> ErrorIterator<'a> {
        self.iter_errors(value)
    }
}

/// Compiles a schema of the draft that its `$schema` names, 2020-12 without one. A compiled pattern takes
/// `max_pattern_bytes` at the most.
///
/// # Errors
///
/// Where the schema breaks the rules of its draft, or what of it cannot be checked here.
pub fn compile(
    schema: &Value,
    max_pattern_bytes: usize,
) -> Result<Arc<dyn Schema>, ValidationError<'static>> {
    let patterns =
        PatternOptions::regex().size_limit(max_pattern_bytes).dfa_size_limit(max_pattern_bytes);
    let validator = jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .without_content_encoding_support("base64")
        .without_content_media_type_support("application/json")
        .with_pattern_options(patterns)
        .build(schema)?;
    Ok(Arc::new(validator))
}
