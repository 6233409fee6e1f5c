//! Commands of the agent, each in a terminal: a process group, what it has written, how it ended. A
//! terminal is known by a number; who may name it, and how, is not decided here.
//! Source: `docs/protocol.md`, "The terminal".

mod life;
pub mod output;
mod shell;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use self::life::Running;
use self::output::Output;
use super::command::{Program, SpawnFailure};
use super::registry::Owner;
use super::shutdown::{Exit, Stop};

/// What a terminal is made with.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TerminalCommand {
    /// What it runs.
    #[serde(flatten)]
    pub program: Program,
    /// How much of the output is kept, in bytes; see [`Output::new`].
    pub limit_bytes: Option<u64>,
}

/// What a terminal has to show.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Shown {
    /// The end of the output.
    pub output: String,
    /// Whether there was more before it.
    pub truncated: bool,
    /// How the command ended, if it has.
    pub exit: Option<Exit>,
}

/// The terminals of one client. Dropped: their commands are ended.
#[derive(Debug, Default)]
pub struct Terminals {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    terminals: HashMap<u32, Running>,
    next: u32,
    is_ended: bool,
}

impl Terminals {
    /// Starts a command; gives the number of its terminal, or `None` when all have been ended.
    /// `on_exit` is called with that number when the command has ended and its output was read,
    /// whether the terminal was released meanwhile or not. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`SpawnFailure`] when it cannot be found or started.
    pub fn start(
        &self,
        command: &TerminalCommand,
        owner: Owner,
        on_exit: impl FnOnce(u32, Exit) + Send + 'static,
    ) -> Result<Option<u32>, SpawnFailure> {
        let mut open = self.lock();
        if open.is_ended {
            return Ok(None);
        }
        open.next = open.next.wrapping_add(1);
        let number = open.next;
        let output = Output::new(command.limit_bytes);
        let running =
            life::run(&command.program, output, owner, move |exit| on_exit(number, exit))?;
        open.terminals.insert(number, running);
        Ok(Some(number))
    }

    /// What a terminal has to show, with so much of its output as takes `room_bytes` in a JSON string.
    #[must_use]
    pub fn show(&self, number: u32, room_bytes: usize) -> Option<Shown> {
        let open = self.lock();
        let mut state = life::lock(&open.terminals.get(&number)?.state);
        let exit = state.exit;
        let (output, truncated) = state.output.read(room_bytes);
        Some(Shown { output: output.to_owned(), truncated, exit })
    }

    /// Ends the command, its whole group: SIGTERM, and SIGKILL after `grace`.
    pub fn kill(&self, number: u32, grace: Duration) {
        if let Some(running) = self.lock().terminals.get(&number) {
            running.stop.send_if_modified(|stop| {
                let is_first = stop.is_none();
                stop.get_or_insert(Stop::Firmly { grace });
                is_first
            });
        }
    }

    /// Ends the command at once, if it runs, and forgets the terminal.
    pub fn release(&self, number: u32) {
        let released = self.lock().terminals.remove(&number);
        if let Some(running) = released {
            running.release();
        }
    }

    /// Releases all; none is started any more.
    pub fn end(&self) {
        let released = {
            let mut open = self.lock();
            open.is_ended = true;
            std::mem::take(&mut open.terminals)
        };
        for running in released.into_values() {
            running.release();
        }
    }

    /// A panic elsewhere leaves the map whole: every change under the lock is one step.
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    fn release(self) {
        self.stop.send_replace(Some(Stop::AtOnce));
    }
}

impl Drop for Terminals {
    fn drop(&mut self) {
        self.end();
    }
}
