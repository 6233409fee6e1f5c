//! The agent's terminals, as its client has them: their exits go into the lane, their output into an answer.

use std::sync::Arc;
use std::time::Duration;

use super::{Client, Failure, entries};
use crate::process::registry::Owner;
use crate::process::terminal::{Shown, TerminalCommand};

/// What an answer takes besides the output of a terminal, in bytes.
const AROUND_OUTPUT_BYTES: usize = 1024;

impl Client {
    /// Starts a command for the agent; gives the number of its terminal. Its exit comes by the lane.
    /// Needs a tokio runtime.
    ///
    /// # Errors
    /// [`Failure::Command`] when it cannot be found or started, [`Failure::NotStarted`] when all
    /// terminals have been ended.
    pub fn start_terminal(&self, command: &TerminalCommand, owner: Owner) -> Result<u32, Failure> {
        let lane = Arc::clone(&self.shared.lane);
        let on_exit = move |terminal, exit| lane.push(&entries::terminal_exit(terminal, exit));
        let started = self.terminals.start(command, owner, on_exit).map_err(Failure::Command)?;
        started.ok_or(Failure::NotStarted)
    }

    /// What a terminal has to show, so much of it as fits into an answer.
    ///
    /// # Errors
    /// [`Failure::Internal`] when there is no such terminal.
    pub fn show_terminal(&self, terminal: u32) -> Result<Shown, Failure> {
        let room_bytes = self.limits.max_outgoing_bytes.saturating_sub(AROUND_OUTPUT_BYTES);
        self.terminals
            .show(terminal, room_bytes)
            .ok_or_else(|| Failure::Internal(format!("no terminal {terminal}")))
    }

    /// Ends the command of a terminal: SIGTERM, and SIGKILL after `grace`.
    pub fn kill_terminal(&self, terminal: u32, grace: Duration) {
        self.terminals.kill(terminal, grace);
    }

    /// Ends the command of a terminal at once, and forgets the terminal.
    pub fn release_terminal(&self, terminal: u32) {
        self.terminals.release(terminal);
    }

    /// Releases all terminals; none is started any more.
    pub fn end_terminals(&self) {
        self.terminals.end();
    }
}
