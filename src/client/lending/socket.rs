//! The servers' end of bridges: processes the agent starts, which relay its lines to a Unix socket in a
//! folder that only this user can enter, or to a named pipe. The first line names the server and shows
//! its token; then each line is a message.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Semaphore, watch};

use super::MAX_CONNECTIONS;
use super::desk::{Desk, Pending, Reply};
use crate::wire::lines::{self, LineReader};

/// How long a bridge may take to say who it is.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// Something that bridges connect to; gone with this value.
#[derive(Debug)]
pub(super) struct Socket {
    path: PathBuf,
}

impl Socket {
    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // A named pipe has no folder, and goes by itself.
        if cfg!(unix)
            && let Some(folder) = self.path.parent()
        {
            // What cannot be removed is an empty folder, at most.
            drop(std::fs::remove_file(&self.path));
            drop(std::fs::remove_dir(folder));
        }
    }
}

/// Listens until `running` is gone. Needs a tokio runtime.
pub(super) fn listen(
    desk: &Arc<Desk>,
    mut running: watch::Receiver<()>,
    temporary_folder: &Path,
) -> std::io::Result<Socket> {
    let (listener, path) = platform::listen(temporary_folder)?;
    let socket = Socket { path };
    let desk = Arc::clone(desk);
    tokio::spawn(async move {
        let ended = running.clone();
        tokio::select! {
            () = accept(listener, &desk, ended) => {}
            _ = running.changed() => {}
        }
    });
    Ok(socket)
}

async fn accept(mut listener: platform::Listener, desk: &Arc<Desk>, running: watch::Receiver<()>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok(stream) = platform::accept(&mut listener).await else {
            // No descriptor is free, or the bridge is gone or not let in.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (desk, mut running) = (Arc::clone(desk), running.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = serve(stream, &desk) => {}
                _ = running.changed() => {}
            }
            drop(place);
        });
    }
}

/// Relays for one bridge until it ends, breaks a rule, or its lease is no more.
async fn serve(stream: impl AsyncRead + AsyncWrite, desk: &Arc<Desk>) {
    let (mut input, mut output) = tokio::io::split(stream);
    let mut lines = LineReader::new(desk.limits.max_incoming_bytes);
    let greeting = tokio::time::timeout(GREETING_TIMEOUT, greeting(&mut input)).await;
    let Some(name) = greeting.ok().flatten().and_then(|greeting| admitted(desk, &greeting)) else {
        return;
    };
    let client = Bridged { desk, name: &name, peer: desk.new_peer() };
    let mut pending = FuturesUnordered::new();
    loop {
        tokio::select! {
            Some(answer) = pending.next() => {
                let answer: Option<Vec<u8>> = answer;
                let Some(line) = answer else { return };
                if output.write_all(&line).await.is_err() {
                    return;
                }
            }
            count = input.read(lines.space()) => {
                let count = count.unwrap_or(0);
                if count == 0 {
                    return;
                }
                lines.commit(count);
                let Some((written, calls)) = client.take(&mut lines) else { return };
                pending.extend(calls.into_iter().map(answer));
                if output.write_all(&written).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// An MCP client behind a bridge.
struct Bridged<'a> {
    desk: &'a Arc<Desk>,
    name: &'a str,
    peer: String,
}

impl Bridged<'_> {
    /// Takes the lines that are whole; gives what is answered at once, and the calls. `None` when there
    /// is nobody to go on with.
    fn take(&self, lines: &mut LineReader) -> Option<(Vec<u8>, Vec<Pending>)> {
        let (mut written, mut calls) = (Vec::new(), Vec::new());
        while let Some(line) = lines.next_line().ok()? {
            match self.desk.receive(self.name, &self.peer, &lines::text(line)) {
                Reply::Nothing => {}
                Reply::Answer(line, _) => written.extend(line),
                Reply::Later(call) => calls.push(call),
                Reply::Gone => return None,
            }
        }
        Some((written, calls))
    }
}

async fn answer(mut call: Pending) -> Option<Vec<u8>> {
    call.answer().await
}

/// The first line: `<server> <token>`. It is read byte by byte, since what comes behind is no part of it.
async fn greeting(input: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    const MAX_BYTES: usize = 512;
    let mut greeting = Vec::new();
    while greeting.len() < MAX_BYTES {
        match input.read_u8().await.ok()? {
            b'\n' => return String::from_utf8(greeting).ok(),
            byte => greeting.push(byte),
        }
    }
    None
}

fn admitted(desk: &Desk, greeting: &str) -> Option<String> {
    let (name, token) = greeting.split_once(' ')?;
    desk.admit(name, Some(token)).ok().map(|()| name.to_owned())
}

#[cfg(unix)]
mod platform {
    use std::io::{Error, ErrorKind, Result};
    use std::os::unix::fs::DirBuilderExt;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::net::{UnixListener, UnixStream};

    pub(super) type Listener = UnixListener;

    /// Addresses of sockets are short: 104 bytes with their end on macOS, 108 on Linux.
    const MAX_PATH_BYTES: usize = 100;

    pub(super) fn listen(temporary_folder: &Path) -> Result<(Listener, PathBuf)> {
        let folder = private_folder(temporary_folder)?;
        let path = folder.join("mcp");
        let listener = UnixListener::bind(&path).inspect_err(|_| {
            drop(std::fs::remove_dir(&folder));
        })?;
        Ok((listener, path))
    }

    /// Makes a folder that nobody else can enter. One that is there already is somebody else's.
    fn private_folder(parent: &Path) -> Result<PathBuf> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        const ATTEMPTS: usize = 100;
        let is_short = parent.as_os_str().len() + 32 <= MAX_PATH_BYTES;
        let parent = if is_short { parent } else { Path::new("/tmp") };
        for _ in 0..ATTEMPTS {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let folder = parent.join(format!("mmc-{}-{number}", std::process::id()));
            match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|()| folder),
            }
        }
        Err(Error::new(ErrorKind::AlreadyExists, "expected a free name for a folder, found none"))
    }

    /// The next bridge of this very user.
    pub(super) async fn accept(listener: &mut Listener) -> Result<UnixStream> {
        let (stream, _) = listener.accept().await?;
        let user = stream.peer_cred()?.uid();
        if user != rustix::process::geteuid().as_raw() {
            return Err(Error::new(ErrorKind::PermissionDenied, "expected a process of this user"));
        }
        Ok(stream)
    }
}

#[cfg(windows)]
mod platform {
    use std::io::Result;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};

    /// The instance that the next bridge connects to.
    #[derive(Debug)]
    pub(super) struct Listener {
        name: PathBuf,
        next: NamedPipeServer,
    }

    pub(super) fn listen(_temporary_folder: &Path) -> Result<(Listener, PathBuf)> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(r"\\.\pipe\mini-me-client-{}-{number}", std::process::id());
        let name = PathBuf::from(name);
        // Fails when somebody else has a pipe of this name. The default rights let only this user and
        // the system write, and remote clients are refused.
        let next = ServerOptions::new().first_pipe_instance(true).create(&name)?;
        Ok((Listener { name: name.clone(), next }, name))
    }

    pub(super) async fn accept(listener: &mut Listener) -> Result<NamedPipeServer> {
        listener.next.connect().await?;
        let next = ServerOptions::new().create(&listener.name)?;
        Ok(std::mem::replace(&mut listener.next, next))
    }
}
