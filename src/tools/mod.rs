//! What a lent tool is: names, validation, the model's view, argument checks, results, mm's log lines.
//! Pure: knows nothing of bytes on a wire, ACP's other methods, processes, tokio or JavaScript.
//!
//! The rules are those of `docs/protocol.md`. They are applied twice: strictly by [`registry`], for
//! tools a program lends, and leniently by [`list`], for lists an agent is offered.

pub mod arguments;
pub mod definition;
pub mod description;
pub mod lent;
pub mod limits;
pub mod list;
pub mod name;
pub mod outcome;
pub mod registry;
pub mod report;
pub mod schema;

mod flaw;
