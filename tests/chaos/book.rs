//! What was said and what came of it, written down by both ends and compared.

use std::collections::{BTreeMap, BTreeSet};

/// See the module's head.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// Requests of the client.
    pub(crate) sent: BTreeSet<u64>,
    /// Those among them whose answer the agent has written.
    pub(crate) answered: BTreeSet<u64>,
    /// How often each was settled.
    pub(crate) settled: BTreeMap<u64, usize>,
    /// How often the agent asked, by the text of the id.
    pub(crate) asked: BTreeMap<String, usize>,
    /// How often it was answered.
    pub(crate) told: BTreeMap<String, usize>,
    /// From here on both ends answer what is open, and begin nothing.
    pub(crate) is_peaceful: bool,
}

impl Book {
    pub(crate) fn count(counts: &mut BTreeMap<String, usize>, id: &str) {
        *counts.entry(id.to_owned()).or_default() += 1;
    }

    /// Whether all that was asked was answered, on both sides.
    pub(crate) fn is_settled(&self) -> bool {
        self.sent.iter().all(|id| self.settled.contains_key(id)) && self.asked == self.told
    }

    /// What must be so at any time.
    pub(crate) fn check(&self) {
        for (id, times) in &self.settled {
            assert!(self.sent.contains(id), "{id} was settled and never sent");
            assert_eq!(*times, 1, "{id} was settled {times} times");
        }
        for (id, times) in &self.told {
            let asked = self.asked.get(id).copied().unwrap_or_default();
            assert!(*times <= asked, "{id} was asked {asked} times and answered {times} times");
        }
    }

    /// What must be so when the agent's output was read to its end.
    pub(crate) fn check_read(&self) {
        for id in &self.answered {
            assert!(self.settled.contains_key(id), "the answer to {id} was lost");
        }
    }
}
