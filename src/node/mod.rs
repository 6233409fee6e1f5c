//! The border to JavaScript, and the only room where `napi` may be written.
//!
//! Methods are synchronous and delegate at once; a panic becomes an error of that call. What the
//! agent or a handler controls crosses as JSON text. One weak threadsafe function per client wakes
//! JavaScript, which then pulls.

#![expect(
    clippy::missing_errors_doc,
    clippy::must_use_candidate,
    clippy::needless_pass_by_value,
    reason = "called from js/ alone: every failure is told there by its code, and strings come owned"
)]

pub mod client;
mod environment;
mod error;
pub mod kept;
pub mod permission;
pub mod rehearsal;
mod runtime;
pub mod stand_in;
mod tool;
pub mod version;
