//! Lending over MCP: each opening of a session makes a lease, an MCP server of its own that the agent is
//! told of in `session/new`. Nothing listens before the first lease, and nothing after the client.
//! Source: `docs/protocol.md`, "Carriers".

mod desk;
mod http;
mod socket;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::{Client, Failure};
use desk::Desk;
use socket::Socket;

/// The most connections to one server at once; one more waits until another ends.
const MAX_CONNECTIONS: usize = 128;

/// An MCP server for one session.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewLease {
    /// The server's name; no other lease of the client has it.
    pub name: String,
    /// What the agent has to show.
    pub token: String,
    /// The list it offers, a key of [`give_list`](Client::give_list).
    pub list: String,
    /// The session, when it is known already.
    pub session: Option<String>,
    /// How the agent reaches it.
    pub by: Way,
    /// Where a folder for the socket can be made.
    pub temporary_folder: PathBuf,
}

/// How an agent reaches a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Way {
    /// Streamable HTTP on the loopback interface.
    Http,
    /// A process that the agent starts, and that relays to a socket.
    Stdio,
}

/// Where a server is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Address {
    /// Of streamable HTTP.
    Url(String),
    /// The path of a Unix socket or of a named pipe.
    Socket(PathBuf),
}

/// The servers of one client.
#[derive(Debug, Default)]
pub(super) struct Lending(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    desk: Option<Arc<Desk>>,
    /// The port of the HTTP server.
    port: Option<u16>,
    socket: Option<Socket>,
    /// Dropped to end all that listens.
    running: Option<watch::Sender<()>>,
    is_ended: bool,
}

impl Lending {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn desk(&self) -> Option<Arc<Desk>> {
        self.lock().desk.clone()
    }

    /// Ends all that listens; nothing is opened any more.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        *state = State { is_ended: true, ..State::default() };
    }

    /// Nothing is lent to the session any more.
    pub(super) fn forget(&self, session: &str) {
        if let Some(desk) = self.desk() {
            desk.forget(session);
        }
    }
}

impl Client {
    /// Opens a lease; gives where it is reached. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`Failure::NotStarted`], or [`Failure::Listen`] when nothing can be listened to.
    pub fn open_lease(&self, lease: NewLease) -> Result<Address, Failure> {
        let calls = self.connection()?.calls();
        let mut state = self.lending.lock();
        if state.is_ended {
            return Err(Failure::NotStarted);
        }
        let desk = Arc::clone(
            state.desk.get_or_insert_with(|| Arc::new(Desk::new(&self.shared, calls, self.limits))),
        );
        let running = state.running.get_or_insert_with(|| watch::Sender::new(())).subscribe();
        let address = match lease.by {
            Way::Http => {
                let port = match state.port {
                    Some(port) => port,
                    None => http::listen(&desk, running).map_err(unheard)?,
                };
                state.port = Some(port);
                Address::Url(http::url(port, &lease.name))
            }
            Way::Stdio => {
                let socket = match state.socket.take() {
                    Some(socket) => socket,
                    None => {
                        socket::listen(&desk, running, &lease.temporary_folder).map_err(unheard)?
                    }
                };
                let path = socket.path().to_owned();
                state.socket = Some(socket);
                Address::Socket(path)
            }
        };
        desk.open(lease);
        Ok(address)
    }

    /// The session of a lease is known: its list is that session's from now on, and what the agent
    /// fetched of it is told.
    pub fn bind_lease(&self, name: &str, session: &str) {
        if let Some(desk) = self.lending.desk() {
            desk.bind(name, session);
        }
    }

    /// Takes back a lease whose session was not opened.
    pub fn drop_lease(&self, name: &str) {
        if let Some(desk) = self.lending.desk() {
            desk.drop_lease(name);
        }
    }

    /// Whether an MCP client has greeted the server of this name.
    #[must_use]
    pub fn is_lease_used(&self, name: &str) -> bool {
        self.lending.desk().is_some_and(|desk| desk.is_used(name))
    }

    /// Ends all servers; none is opened any more.
    pub fn end_lending(&self) {
        self.lending.end();
    }
}

#[expect(clippy::needless_pass_by_value, reason = "map_err gives it away")]
fn unheard(error: std::io::Error) -> Failure {
    Failure::Listen { reason: error.to_string() }
}
