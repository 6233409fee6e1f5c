//! What a connection holds for messages under way, counted: what tests of long runs look at.

use std::sync::{Arc, Weak};

use super::calls::Calls;
use super::order::Order;
use super::protocol::Protocol;
use crate::acp::bridge::Bridge;

/// See the module's head. All 0 when nothing is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Held {
    /// Payloads that travel beside the crate.
    pub payloads: usize,
    /// Requests of ours that wait for the agent.
    pub sent: usize,
    /// Requests of the agent that wait for us.
    pub received: usize,
    /// Calls of lent tools that run.
    pub calls: usize,
    /// Runs of entries that wait for a line inside the crate.
    pub waiting: usize,
}

/// The tables that are counted.
#[derive(Debug)]
pub struct Tables {
    /// Ids and payloads.
    pub bridge: Arc<Bridge>,
    /// Handles of both sides' requests; the driver's, and gone with it.
    pub protocol: Weak<Protocol>,
    /// Calls that run.
    pub calls: Arc<Calls>,
    /// What waits for the crate.
    pub order: Arc<Order>,
}

impl Tables {
    /// Counts. What two tables know of is counted by the one that has more.
    #[must_use]
    pub fn held(&self) -> Held {
        let protocol = self.protocol.upgrade();
        let (sent, received) = protocol.map_or((0, 0), |protocol| protocol.open());
        Held {
            payloads: self.bridge.parked(),
            sent: sent.max(self.bridge.open_sent()),
            received: received.max(self.bridge.open_requests()),
            calls: self.calls.count(),
            waiting: self.order.waiting(),
        }
    }
}
