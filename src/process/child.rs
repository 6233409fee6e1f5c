//! Starts a program in a group or job of its own, with all three streams as pipes.

use std::path::Path;
use std::process::Stdio;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use super::command::{Program, SpawnFailure};
use super::family::{Family, Pipes};
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

/// Starts `program`; it is killed with `owner` at the latest. Needs a tokio runtime.
///
/// # Errors
/// [`SpawnFailure`] when it cannot be found or started.
pub fn start(program: &Program, owner: Owner) -> Result<Started, SpawnFailure> {
    let file = program.file()?;
    let mut command = command(program, &file);
    command.args(&program.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut family = Family::spawn(command).map_err(|error| program.refused(&file, &error))?;
    let Pipes { stdin, stdout, stderr } = family.take_pipes();
    let (Some(pid), Some(stdin), Some(stdout), Some(stderr)) = (family.id(), stdin, stdout, stderr)
    else {
        let error = std::io::Error::other("the child came without its pipes");
        return Err(program.refused(&file, &error));
    };
    let supervisor = Supervisor::new(family, pid, registry::enter(pid, owner));
    Ok(Started { pid, stdin, stdout, stderr, supervisor })
}

/// What all that is started here has in common: folder and environment.
pub(super) fn command(program: &Program, file: &Path) -> Command {
    let mut command = Command::new(file);
    command
        .current_dir(program.folder())
        .env_clear()
        .envs(program.env.iter().map(|(name, value)| (name, value)));
    command
}
