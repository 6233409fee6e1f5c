//! A session: its tools, its turn and what was said. Knows nothing of the wire.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

use crate::tools::description::ToolDescription;

/// A session of an earlier process.
#[derive(Debug, Clone, PartialEq)]
pub struct PastSession {
    /// Its id.
    pub id: String,
    /// The folder it was opened in.
    pub cwd: String,
    /// What happened in it, as the `update` members of `session/update`.
    pub updates: Vec<Value>,
}

/// What stays of a session when it is closed.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    cwd: Mutex<String>,
    updates: Mutex<Vec<Value>>,
}

impl From<&PastSession> for Conversation {
    fn from(past: &PastSession) -> Self {
        Self { cwd: Mutex::new(past.cwd.clone()), updates: Mutex::new(past.updates.clone()) }
    }
}

impl Conversation {
    pub(super) fn cwd(&self) -> String {
        lock(&self.cwd).clone()
    }

    pub(super) fn move_to(&self, cwd: &str) {
        cwd.clone_into(&mut lock(&self.cwd));
    }

    /// What happened so far, as updates.
    pub(super) fn updates(&self) -> Vec<Value> {
        lock(&self.updates).clone()
    }

    pub(super) fn record(&self, update: Value) {
        lock(&self.updates).push(update);
    }
}

/// An open session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) tools: Vec<ToolDescription>,
    pub(super) conversation: Arc<Conversation>,
    calls: AtomicU64,
    running: Mutex<Running>,
}

/// The turn under way.
#[derive(Debug, Default)]
struct Running {
    /// Turns so far.
    turns: u64,
    /// Cancels the running turn; `None` when there is none, or it cannot be cancelled.
    cancel: Option<Arc<Notify>>,
}

/// One turn of a session; dropped when it ends.
#[derive(Debug)]
pub(super) struct TurnGuard {
    session: Arc<Session>,
    number: u64,
    cancel: Arc<Notify>,
}

impl Session {
    pub(super) fn new(
        id: String,
        tools: Vec<ToolDescription>,
        conversation: Arc<Conversation>,
    ) -> Self {
        let running = Mutex::default();
        Self { id, tools, conversation, calls: AtomicU64::new(0), running }
    }

    /// The id of the session's next call.
    pub(super) fn next_call_id(&self) -> String {
        format!("call_{}", self.calls.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Begins a turn. A turn that is under way is cancelled, and the new one then cannot be cancelled
    /// by `session/cancel`, as it is with mm's SDK. (`docs/protocol.md`, SDK fact 6)
    pub(super) fn begin_turn(self: &Arc<Self>) -> TurnGuard {
        let cancel = Arc::new(Notify::new());
        let mut running = lock(&self.running);
        running.turns += 1;
        match running.cancel.take() {
            Some(interrupted) => interrupted.notify_one(),
            None => running.cancel = Some(Arc::clone(&cancel)),
        }
        TurnGuard { session: Arc::clone(self), number: running.turns, cancel }
    }

    /// Cancels the turn that is under way, if it can be.
    pub(super) fn cancel(&self) {
        if let Some(cancel) = lock(&self.running).cancel.take() {
            cancel.notify_one();
        }
    }
}

impl TurnGuard {
    /// Waits until the turn is cancelled.
    pub(super) async fn cancelled(&self) {
        self.cancel.notified().await;
    }
}

impl Drop for TurnGuard {
    fn drop(&mut self) {
        let mut running = lock(&self.session.running);
        if running.turns == self.number {
            running.cancel = None;
        }
    }
}

/// A panic elsewhere leaves the values whole: every change under a lock is finished at once.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
