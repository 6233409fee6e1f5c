//! Signals to a process group. On Windows there are none: a job is ended as a whole.

/// How firmly a group is told to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Firmness {
    /// SIGTERM: may clean up.
    Ask,
    /// SIGKILL: may not.
    Force,
}

/// Signals every process of the group that `leader` leads. A group that is gone is no failure.
#[cfg(unix)]
pub fn signal_group(leader: u32, firmness: Firmness) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = match firmness {
        Firmness::Ask => Signal::TERM,
        Firmness::Force => Signal::KILL,
    };
    let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) else { return };
    match kill_process_group(group, signal) {
        // ESRCH says that it is gone; EPERM that what is left of it belongs to another user.
        Ok(()) | Err(_) => {}
    }
}

/// Windows ends jobs by handle: the owner of the child does, and the system when this process ends.
#[cfg(not(unix))]
pub fn signal_group(_leader: u32, _firmness: Firmness) {}
