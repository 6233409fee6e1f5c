//! Starts a program in a process group of its own, with all three streams as pipes.

use std::path::Path;
use std::process::Stdio;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::command::{Program, SpawnFailure};
use super::registry::{self, Owner};
use super::shutdown::Supervisor;

/// A program that runs.
#[derive(Debug)]
pub struct Started {
    /// Its process id; on Unix also the id of its group.
    pub pid: u32,
    /// Where it reads.
    pub stdin: ChildStdin,
    /// Where it writes messages.
    pub stdout: ChildStdout,
    /// Where it writes anything else.
    pub stderr: ChildStderr,
    /// Sees it to its end.
    pub supervisor: Supervisor,
}

/// Windows: no console window for the agent, nor for what it starts without flags of its own.
#[cfg(windows)]
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// Starts `program`; it is killed with `owner` at the latest. Needs a tokio runtime.
///
/// # Errors
/// [`SpawnFailure`] when it cannot be found or started.
pub fn start(program: &Program, owner: Owner) -> Result<Started, SpawnFailure> {
    let file = program.file()?;
    let mut command = command(program, &file);
    command.args(&program.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child: Child = command.spawn().map_err(|error| program.refused(&file, &error))?;
    let streams = (child.id(), child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(pid), Some(stdin), Some(stdout), Some(stderr)) = streams else {
        let error = std::io::Error::other("the child came without its pipes");
        return Err(program.refused(&file, &error));
    };
    let supervisor = Supervisor::new(child, pid, registry::enter(pid, owner));
    Ok(Started { pid, stdin, stdout, stderr, supervisor })
}

/// What all that is started here has in common: folder, environment, a group of its own.
pub(super) fn command(program: &Program, file: &Path) -> Command {
    let mut command = Command::new(file);
    command
        .current_dir(program.folder())
        .env_clear()
        .envs(program.env.iter().map(|(name, value)| (name, value)))
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    #[cfg(windows)]
    command.creation_flags(CREATE_NO_WINDOW);
    command
}
