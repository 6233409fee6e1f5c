//! Every child that lives, so that none outlives its host.
//!
//! `kill_on_drop` is not enough: nothing is dropped at `process.exit()`, and a terminated worker
//! runs no JavaScript. So children are written down here with the environment (main thread or
//! worker) that owns them, and killed by the cleanup hook of that environment and by an exit hook
//! of the process.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::signal::{Firmness, signal_group};

/// Whose child it is: one number for each environment that has loaded the addon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Owner(pub u64);

static LIVE: LazyLock<Mutex<HashMap<u32, Owner>>> = LazyLock::new(Mutex::default);

/// A child's line in the registry; dropped when the child's group was ended.
#[derive(Debug)]
pub struct Entry {
    leader: u32,
}

/// Writes down the group that `leader` leads.
#[must_use]
pub fn enter(leader: u32, owner: Owner) -> Entry {
    live().insert(leader, owner);
    Entry { leader }
}

impl Drop for Entry {
    fn drop(&mut self) {
        live().remove(&self.leader);
    }
}

/// Kills the groups of one owner: its environment ends.
pub fn kill_owned(owner: Owner) {
    kill_where(|other| other == owner);
}

/// Kills all groups: the process ends.
pub fn kill_all() {
    kill_where(|_| true);
}

/// How many children live.
#[must_use]
pub fn count() -> usize {
    live().len()
}

fn kill_where(is_meant: impl Fn(Owner) -> bool) {
    let leaders: Vec<u32> = {
        let mut live = live();
        let leaders = live.iter().filter(|(_, owner)| is_meant(**owner)).map(|(leader, _)| *leader);
        let leaders: Vec<u32> = leaders.collect();
        for leader in &leaders {
            live.remove(leader);
        }
        leaders
    };
    for leader in leaders {
        signal_group(leader, Firmness::Force);
    }
}

fn live() -> MutexGuard<'static, HashMap<u32, Owner>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}
