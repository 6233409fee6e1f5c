//! A command that runs: its output is read into one place, and it is seen to its end.

use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::sync::watch;
use tokio::time::timeout;

use super::output::Output;
use super::shell::{Arguments, Launch, launch};
use crate::process::child;
use crate::process::command::{Program, SpawnFailure};
use crate::process::family::Family;
use crate::process::registry::{self, Owner};
use crate::process::shutdown::{Exit, Stop, Supervisor};

/// What a command leaves behind in its group has this long to end by itself: the `tee` of a
/// `> >(tee log)` is not waited for by the shell.
const LINGER: Duration = Duration::from_millis(250);
/// Then this long is waited for the end of the output. Only a process that left the group has it longer.
const DRAIN: Duration = Duration::from_millis(500);
/// Read at a time, in bytes.
const READ_BYTES: usize = 16 * 1024;

/// What is known of a command, now.
#[derive(Debug)]
pub(super) struct State {
    pub(super) output: Output,
    pub(super) exit: Option<Exit>,
}

/// A command that was started.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) state: Arc<Mutex<State>>,
    /// Dropped: the command is ended, and nothing is read any more.
    pub(super) stop: watch::Sender<Option<Stop>>,
}

pub(super) fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts `program`; `on_exit` is called when it has ended and its output was read. Needs a tokio
/// runtime.
pub(super) fn run(
    program: &Program,
    output: Output,
    owner: Owner,
    on_exit: impl FnOnce(Exit) + Send + 'static,
) -> Result<Running, SpawnFailure> {
    let (family, pid, streams) = start(program)?;
    let supervisor = Supervisor::new(family, pid, registry::enter(pid, owner));
    let state = Arc::new(Mutex::new(State { output, exit: None }));
    let (stop, stopped) = watch::channel(None);
    let life = Life { state: Arc::clone(&state), stop: stopped };
    tokio::spawn(life.run(supervisor, streams, on_exit));
    Ok(Running { state, stop })
}

struct Life {
    state: Arc<Mutex<State>>,
    stop: watch::Receiver<Option<Stop>>,
}

impl Life {
    async fn run(
        mut self,
        supervisor: Supervisor,
        streams: Vec<Stream>,
        on_exit: impl FnOnce(Exit) + Send,
    ) {
        let (done, mut is_read) = watch::channel(false);
        let reading = tokio::spawn(read(streams, Arc::clone(&self.state), done));
        let mut lingering = is_read.clone();
        let linger = async move { drop(timeout(LINGER, ended(&mut lingering)).await) };
        let exit = supervisor.run_with(self.stop.clone(), linger).await;
        drop(timeout(DRAIN, ended(&mut is_read)).await);
        lock(&self.state).exit = Some(exit);
        on_exit(exit);
        // A process that left the group may write on: it is read until the terminal is released,
        // or else it would be ended by its pipe.
        tokio::select! {
            () = ended(&mut is_read) => {}
            () = released(&mut self.stop) => reading.abort(),
        }
    }
}

async fn ended(is_read: &mut watch::Receiver<bool>) {
    // A reader that is gone has read what it was going to read.
    drop(is_read.wait_for(|is_read| *is_read).await);
}

async fn released(stop: &mut watch::Receiver<Option<Stop>>) {
    drop(stop.wait_for(|stop| *stop == Some(Stop::AtOnce)).await);
}

type Stream = Box<dyn AsyncRead + Send + Unpin>;

async fn read(streams: Vec<Stream>, state: Arc<Mutex<State>>, done: watch::Sender<bool>) {
    let readers = streams.into_iter().map(|stream| read_one(stream, &state));
    futures::future::join_all(readers).await;
    lock(&state).output.finish();
    done.send_replace(true);
}

async fn read_one(mut stream: Stream, state: &Mutex<State>) {
    let mut bytes = vec![0; READ_BYTES];
    // A pipe that fails gives nothing more; closing it tells the command.
    while let Ok(count @ 1..) = stream.read(&mut bytes).await {
        lock(state).output.feed(bytes.get(..count).unwrap_or_default());
    }
}

fn start(program: &Program) -> Result<(Family, u32, Vec<Stream>), SpawnFailure> {
    let Launch { file, arguments } = launch(program)?;
    let mut command = child::command(program, &file);
    match arguments {
        Arguments::Each(arguments) => command.args(arguments),
        #[cfg(windows)]
        Arguments::Verbatim(text) => command.raw_arg(text),
        #[cfg(not(windows))]
        Arguments::Verbatim(text) => command.arg(text),
    };
    command.stdin(Stdio::null());
    let refused = |error: std::io::Error| program.refused(&file, &error);
    let pipe = merge(&mut command).map_err(refused)?;
    // With the command go the ends that the child writes to: as long as this process has them, the
    // output does not end.
    let mut family = Family::spawn(command).map_err(refused)?;
    let streams = streams(&mut family, pipe).map_err(refused)?;
    let gone = || refused(std::io::Error::other("the child came without its process id"));
    let pid = family.id().ok_or_else(gone)?;
    Ok((family, pid, streams))
}

/// One pipe for both outputs: what was written first is read first.
#[cfg(unix)]
fn merge(command: &mut Command) -> std::io::Result<std::io::PipeReader> {
    let (reader, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    Ok(reader)
}

#[cfg(unix)]
fn streams(_family: &mut Family, pipe: std::io::PipeReader) -> std::io::Result<Vec<Stream>> {
    let receiver = tokio::net::unix::pipe::Receiver::from_owned_fd(pipe.into())?;
    Ok(vec![Box::new(receiver)])
}

/// Windows: anonymous pipes are read by a thread each that nothing can interrupt; those of tokio are
/// not, but there are two of them, and the order between them is that of arrival.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
fn merge(command: &mut Command) -> std::io::Result<()> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
fn streams(family: &mut Family, (): ()) -> std::io::Result<Vec<Stream>> {
    let pipes = family.take_pipes();
    let stdout = pipes.stdout.map(|stream| -> Stream { Box::new(stream) });
    let stderr = pipes.stderr.map(|stream| -> Stream { Box::new(stream) });
    Ok(stdout.into_iter().chain(stderr).collect())
}
