//! Who lends when the agent decides: mm's own protocol until it is known that the agent takes MCP
//! servers alone, and from then on nothing by mm's. Source: `docs/protocol.md`, "Carriers".

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::mini_me::MiniMe;
use super::{Carrier, Received};
use crate::tools::lent::Lent;

/// See the module's head.
#[derive(Debug)]
pub struct Choice {
    mini_me: MiniMe,
    is_mcp: AtomicBool,
}

impl Choice {
    /// `is_mcp` from the start, or not decided yet.
    #[must_use]
    pub fn new(mini_me: MiniMe, is_mcp: bool) -> Self {
        Self { mini_me, is_mcp: AtomicBool::new(is_mcp) }
    }

    /// Nothing is lent by mm's protocol any more.
    pub fn choose_mcp(&self) {
        self.is_mcp.store(true, Ordering::Relaxed);
    }

    /// Whether tools are lent by MCP.
    #[must_use]
    pub fn is_mcp(&self) -> bool {
        self.is_mcp.load(Ordering::Relaxed)
    }
}

impl Carrier for Choice {
    fn announced(&self, lent: &Lent) -> Vec<Value> {
        if self.is_mcp() { Vec::new() } else { self.mini_me.announced(lent) }
    }

    fn receive(&self, lent: &Lent, method: &str, params: Option<&str>) -> Received {
        if self.is_mcp() { Received::NotOurs } else { self.mini_me.receive(lent, method, params) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::report::Discovery;
    use serde_json::json;

    #[test]
    fn a_tool_is_never_lent_twice() {
        let mut lent = Lent::new("test");
        lent.own_mut().add(&json!({ "name": "a", "method": "_a" })).unwrap();
        let choice = Choice::new(MiniMe { discovery: Discovery::Meta }, false);
        assert_eq!(choice.announced(&lent).len(), 1);
        assert!(matches!(choice.receive(&lent, "_a", None), Received::Call(_)));
        choice.choose_mcp();
        assert!(choice.announced(&lent).is_empty());
        assert_eq!(choice.receive(&lent, "_a", None), Received::NotOurs);
    }
}
