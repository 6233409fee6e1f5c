//! What the servers of one client share: the leases, and the calls that came by them. Knows the messages,
//! not how they travel.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use tokio::sync::oneshot;

use super::NewLease;
use crate::carrier::mcp::server::{Answered, OpenCall, Received, receive};
use crate::carrier::mcp::tool;
use crate::client::calls::{Calls, Outcome};
use crate::client::connection::{Limits, Shared};
use crate::client::diagnostic::Diagnostic;
use crate::client::entries;
use crate::client::inbound::MAX_OPEN_REQUESTS;
use crate::client::report::ToolsReport;
use crate::tools::lent::Lent;
use crate::wire::encode;
use crate::wire::lane::Lane;

/// See the module's head.
#[derive(Debug)]
pub(super) struct Desk {
    lane: Arc<Lane>,
    lent: Arc<Mutex<Lent>>,
    calls: Arc<Calls>,
    pub(super) limits: Limits,
    state: Mutex<State>,
    /// Tells the MCP clients of one lease apart.
    next_peer: AtomicU64,
    has_told_refusal: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// By name.
    leases: HashMap<String, Lease>,
    /// The keys of open calls.
    open: HashMap<Origin, u32>,
}

#[derive(Debug)]
struct Lease {
    token: String,
    list: String,
    session: Option<String>,
    is_used: bool,
    /// What was fetched before the session was known.
    fetched: Option<Vec<String>>,
}

/// Where a call came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Origin {
    lease: String,
    peer: String,
    /// The request's id, JSON text.
    id: String,
}

/// Why a client may not come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There is no lease of that name.
    Unknown,
    /// It did not show the token of the lease.
    Token,
}

/// What becomes of a message.
#[derive(Debug)]
pub(super) enum Reply {
    /// It wants no answer.
    Nothing,
    /// It is answered with this line.
    Answer(Vec<u8>, Answered),
    /// It is answered when its handler is ready.
    Later(Pending),
    /// Its lease is no more.
    Gone,
}

impl Desk {
    pub(super) fn new(shared: &Shared, calls: Arc<Calls>, limits: Limits) -> Self {
        Self {
            lane: Arc::clone(&shared.lane),
            lent: Arc::clone(&shared.lent),
            calls,
            limits,
            state: Mutex::default(),
            next_peer: AtomicU64::new(1),
            has_told_refusal: AtomicBool::new(false),
        }
    }

    // ---- leases

    pub(super) fn open(&self, lease: NewLease) {
        let NewLease { name, token, list, session, .. } = lease;
        let lease = Lease { token, list, session, is_used: false, fetched: None };
        self.lock().leases.insert(name, lease);
    }

    pub(super) fn bind(&self, name: &str, session: &str) {
        let fetched = {
            let mut state = self.lock();
            let Some(lease) = state.leases.get_mut(name) else { return };
            self.lent().rename(&lease.list, session);
            session.clone_into(&mut lease.list);
            lease.session = Some(session.to_owned());
            lease.fetched.take()
        };
        if let Some(names) = fetched {
            self.report(session, names);
        }
    }

    pub(super) fn drop_lease(&self, name: &str) {
        if let Some(lease) = self.lock().leases.remove(name) {
            self.lent().forget(&lease.list);
        }
    }

    pub(super) fn forget(&self, session: &str) {
        let is_other = |lease: &Lease| lease.session.as_deref() != Some(session);
        self.lock().leases.retain(|_, lease| is_other(lease));
    }

    pub(super) fn is_used(&self, name: &str) -> bool {
        self.lock().leases.get(name).is_some_and(|lease| lease.is_used)
    }

    // ---- what comes

    /// Lets in whoever shows the token of the lease.
    pub(super) fn admit(&self, name: &str, token: Option<&str>) -> Result<(), Refusal> {
        let state = self.lock();
        let lease = state.leases.get(name).ok_or(Refusal::Unknown)?;
        let is_right = token.is_some_and(|token| is_same(token.as_bytes(), lease.token.as_bytes()));
        if is_right { Ok(()) } else { Err(Refusal::Token) }
    }

    /// A name for an MCP client that begins: ids of its requests are its own.
    pub(super) fn new_peer(&self) -> String {
        self.next_peer.fetch_add(1, Ordering::Relaxed).to_string()
    }

    /// Takes a message of the client `peer` that was let in to the lease `name`.
    pub(super) fn receive(self: &Arc<Self>, name: &str, peer: &str, message: &str) -> Reply {
        let Some((list, session)) = self.lease(name) else { return Reply::Gone };
        let received = {
            let lent = self.lent();
            receive(lent.list_of(&list).unwrap_or(lent.own()), session.as_deref(), message)
        };
        match received {
            Received::Nothing => Reply::Nothing,
            Received::Answer { line, kind } => {
                match kind {
                    Answered::Initialize | Answered::Discover => self.used(name),
                    Answered::List => self.fetched(name, &list),
                    Answered::Other | Answered::Invalid | Answered::UnknownMethod => {}
                }
                Reply::Answer(line, kind)
            }
            Received::Misfit { line, tool, params } => {
                self.push(|run| entries::push_call_refused(run, tool.0, &params));
                Reply::Answer(line, Answered::Other)
            }
            Received::Withdrawn(id) => {
                let origin = Origin { lease: name.to_owned(), peer: peer.to_owned(), id };
                if let Some(key) = self.lock().open.get(&origin).copied() {
                    self.push(|run| entries::push_call_cancelled(run, key));
                }
                Reply::Nothing
            }
            Received::Call(call) if self.calls.count() >= MAX_OPEN_REQUESTS => self.refuse(&call),
            Received::Call(call) => {
                let id = call.id.clone();
                let origin = Origin { lease: name.to_owned(), peer: peer.to_owned(), id };
                Reply::Later(self.run(call, origin))
            }
        }
    }

    fn run(self: &Arc<Self>, call: OpenCall, origin: Origin) -> Pending {
        let (waiting, outcome) = oneshot::channel();
        let key = self.calls.open_elsewhere(waiting);
        self.lock().open.insert(origin.clone(), key);
        self.push(|run| entries::push_call(run, key, call.tool.0, &call.params));
        Pending {
            call,
            outcome,
            guard: Guard { desk: Arc::clone(self), origin, key, is_done: false },
        }
    }

    fn refuse(&self, call: &OpenCall) -> Reply {
        let reason = format!("expected at most {MAX_OPEN_REQUESTS} open requests at once");
        if !self.has_told_refusal.swap(true, Ordering::Relaxed) {
            let message = format!("{reason}, refused one of tools/call; more will not be told");
            let details = json!({ "method": "tools/call", "limit": MAX_OPEN_REQUESTS });
            let diagnostic = Diagnostic::new("message-refused", message, details);
            self.lane.push(&entries::diagnostic(&diagnostic));
        }
        let error = encode::error_object(encode::SERVER_ERROR, &reason);
        Reply::Answer(call.error(&error), Answered::Other)
    }

    fn lease(&self, name: &str) -> Option<(String, Option<String>)> {
        let state = self.lock();
        let lease = state.leases.get(name)?;
        Some((lease.list.clone(), lease.session.clone()))
    }

    fn used(&self, name: &str) {
        if let Some(lease) = self.lock().leases.get_mut(name) {
            lease.is_used = true;
        }
    }

    /// The list went out: it is told, as soon as it can be said of which session.
    fn fetched(&self, name: &str, list: &str) {
        let names: Vec<String> = {
            let lent = self.lent();
            let tools = lent.list_of(list).unwrap_or(lent.own()).iter();
            tools.map(|(_, tool)| tool::name(&tool.description).to_owned()).collect()
        };
        let session = {
            let mut state = self.lock();
            let Some(lease) = state.leases.get_mut(name) else { return };
            lease.is_used = true;
            if lease.session.is_none() {
                lease.fetched = Some(names.clone());
            }
            lease.session.clone()
        };
        if let Some(session) = session {
            self.report(&session, names);
        }
    }

    fn report(&self, session: &str, accepted: Vec<String>) {
        let report = ToolsReport::fetched(session, accepted);
        self.lane.push(&entries::tools_report(&report));
    }

    fn push(&self, write: impl FnOnce(&mut String)) {
        let mut entry = String::new();
        write(&mut entry);
        self.lane.push(&entry);
    }

    fn lent(&self) -> MutexGuard<'_, Lent> {
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call whose handler runs. When it is dropped before its answer is there, the handler's signal aborts.
#[derive(Debug)]
pub(super) struct Pending {
    call: OpenCall,
    outcome: oneshot::Receiver<Outcome>,
    guard: Guard,
}

impl Pending {
    /// The answer, a line; `None` when there will be none, the client having ended.
    pub(super) async fn answer(&mut self) -> Option<Vec<u8>> {
        let outcome = (&mut self.outcome).await;
        self.guard.is_done = true;
        match outcome.ok()? {
            Outcome::Result(result) => Some(self.call.result(&result)),
            Outcome::Error(error) => Some(self.call.error(&error)),
        }
    }
}

#[derive(Debug)]
struct Guard {
    desk: Arc<Desk>,
    origin: Origin,
    key: u32,
    is_done: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut state = self.desk.lock();
        // A client may use an id twice: then the later call has the place.
        if state.open.get(&self.origin) == Some(&self.key) {
            state.open.remove(&self.origin);
        }
        drop(state);
        if !self.is_done {
            self.desk.push(|run| entries::push_call_cancelled(run, self.key));
        }
    }
}

/// Compares in a time that tells nothing of where the first difference is.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let difference =
        one.iter().zip(other).fold(0, |difference, (one, other)| difference | (one ^ other));
    one.len() == other.len() && std::hint::black_box(difference) == 0
}
