//! A child with all that it starts: a process group on Unix, a job object on Windows.

use std::io;
use std::process::ExitStatus;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

#[cfg(unix)]
type Child = tokio::process::Child;
#[cfg(windows)]
type Child = Box<dyn process_wrap::tokio::ChildWrapper>;

/// Dropped: the child is killed, on Windows with all that it has started. There the same happens when
/// this process ends, however it does: the system closes the job, and its processes end with it.
#[derive(Debug)]
pub(super) struct Family {
    child: Child,
}

/// The ends of a child's pipes, where it has pipes.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
}

impl Family {
    /// Starts a program. What it was given to write to is closed on this side.
    pub(super) fn spawn(command: Command) -> io::Result<Self> {
        Ok(Self { child: spawn(command)? })
    }

    /// The child's process id; on Unix also the id of the group.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Kills the child; on Windows all that it has started as well.
    pub(super) fn kill(&mut self) {
        // It fails when nobody is left.
        drop(self.child.start_kill());
    }
}

#[cfg(unix)]
impl Family {
    pub(super) fn take_pipes(&mut self) -> Pipes {
        let Child { stdin, stdout, stderr, .. } = &mut self.child;
        Pipes { stdin: stdin.take(), stdout: stdout.take(), stderr: stderr.take() }
    }

    /// Waits for the end of the child, and reaps it.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }
}

#[cfg(windows)]
impl Family {
    pub(super) fn take_pipes(&mut self) -> Pipes {
        Pipes {
            stdin: self.child.stdin().take(),
            stdout: self.child.stdout().take(),
            stderr: self.child.stderr().take(),
        }
    }

    /// Waits for the end of the child. The job itself would wait for all that the child has started.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.inner_mut().wait().await
    }
}

#[cfg(unix)]
fn spawn(mut command: Command) -> io::Result<Child> {
    command.process_group(0).kill_on_drop(true).spawn()
}

/// The child starts suspended and runs once it is in its job: nothing that it starts can be missed. No
/// console window comes up for it, nor for what it starts without flags of its own.
#[cfg(windows)]
fn spawn(command: Command) -> io::Result<Child> {
    use process_wrap::tokio::{CommandWrap, CreationFlags, JobObject, KillOnDrop};
    use windows::Win32::System::Threading::CREATE_NO_WINDOW;
    CommandWrap::from(command)
        .wrap(KillOnDrop)
        .wrap(CreationFlags(CREATE_NO_WINDOW))
        .wrap(JobObject)
        .spawn()
}
