//! Keeps wire order between what goes straight to the lane and what goes through the crate.
//!
//! While a line is inside the crate, the entries behind it wait here, and a ticket follows the line
//! through the crate's serial dispatch: when the ticket comes out, they go on. When nothing is
//! inside, nothing waits.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_client_protocol::{RawJsonRpcMessage, RawJsonRpcNotification, TransportFrame};
use tokio::sync::Notify;

/// The method of a ticket. The agent cannot forge one: whatever it sends has params by then.
pub const TICKET: &str = "$/mini-me/ticket";

/// See the module's head.
#[derive(Debug, Default)]
pub struct Order {
    /// What each ticket under way releases.
    waiting: Mutex<VecDeque<String>>,
    idle: Notify,
}

impl Order {
    /// Whether nothing is inside the crate.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.lock().is_empty()
    }

    /// How many tickets are under way.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lock().len()
    }

    /// Lets `entries` wait for the ticket that is returned; it must go into the crate at once.
    #[must_use]
    pub fn wait(&self, entries: String) -> TransportFrame {
        self.lock().push_back(entries);
        TransportFrame::Single(RawJsonRpcMessage::Notification(RawJsonRpcNotification {
            method: TICKET.into(),
            params: None,
        }))
    }

    /// A ticket came out: hands its entries to `deliver`, and only then counts as released.
    pub fn release(&self, deliver: impl FnOnce(&str)) {
        let entries = self.lock().front_mut().map(std::mem::take);
        deliver(&entries.unwrap_or_default());
        let is_idle = {
            let mut waiting = self.lock();
            waiting.pop_front();
            waiting.is_empty()
        };
        if is_idle {
            self.idle.notify_waiters();
        }
    }

    /// Waits until nothing is inside the crate.
    pub async fn idle(&self) {
        loop {
            let idle = self.idle.notified();
            if self.is_idle() {
                return;
            }
            idle.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
