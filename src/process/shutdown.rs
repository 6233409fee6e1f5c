//! Sees a child to its end: end of stdin, then SIGTERM, then SIGKILL, each to the whole group, and
//! SIGKILL to what is left of the group when the child has ended by itself.

use std::process::ExitStatus;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use super::family::Family;
use super::registry::Entry;
use super::signal::{Firmness, signal_group};

/// How the child is to be ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Its stdin was closed: it has `grace` to end by itself, and again after SIGTERM.
    Gently {
        /// The time for each step.
        grace: Duration,
    },
    /// It broke the protocol: SIGTERM at once, SIGKILL after `grace`.
    Firmly {
        /// The time after SIGTERM.
        grace: Duration,
    },
    /// Nobody wants it any more: SIGKILL. Ends the grace of the others, too.
    AtOnce,
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Exit {
    /// Its exit code, when it ended by itself.
    pub code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
}

/// Owns a child until it is reaped.
#[derive(Debug)]
pub struct Supervisor {
    family: Family,
    leader: u32,
    /// Held until the group is gone: the hooks at exit then have nothing left to do.
    _entry: Entry,
}

impl Supervisor {
    pub(super) fn new(family: Family, leader: u32, entry: Entry) -> Self {
        Self { family, leader, _entry: entry }
    }

    /// Waits for the end of the child, and brings it about when `stop` says so.
    pub async fn run(self, stop: watch::Receiver<Option<Stop>>) -> Exit {
        self.run_with(stop, std::future::ready(())).await
    }

    /// The same; what the child leaves in its group has until `linger` resolves.
    pub async fn run_with(
        mut self,
        mut stop: watch::Receiver<Option<Stop>>,
        linger: impl Future<Output = ()>,
    ) -> Exit {
        // A sender that is gone stands for a client that is gone: nobody will read what comes.
        let abandoned = Stop::Firmly { grace: Duration::ZERO };
        let mut at_once = stop.clone();
        let wanted = async move {
            match stop.wait_for(Option::is_some).await {
                Ok(stop) => (*stop).unwrap_or(abandoned),
                Err(_) => abandoned,
            }
        };
        let wanted = tokio::select! {
            () = self.ended() => None,
            stop = wanted => Some(stop),
        };
        if let Some(stop) = wanted {
            self.end(stop, &mut at_once).await;
        }
        tokio::select! {
            () = linger => {}
            () = is_at_once(&mut at_once) => {}
        }
        // Still a zombie where the system allows it, so its number cannot be somebody else's yet.
        self.force();
        self.family.wait().await.map(exit).unwrap_or_default()
    }

    async fn end(&mut self, stop: Stop, at_once: &mut watch::Receiver<Option<Stop>>) {
        let grace = match stop {
            Stop::Gently { grace } => {
                if self.ended_within(grace, at_once).await {
                    return;
                }
                Some(grace)
            }
            Stop::Firmly { grace } => Some(grace),
            Stop::AtOnce => None,
        };
        if let Some(grace) = grace {
            signal_group(self.leader, Firmness::Ask);
            if cfg!(unix) && self.ended_within(grace, at_once).await {
                return;
            }
        }
        self.force();
        self.ended().await;
    }

    fn force(&mut self) {
        signal_group(self.leader, Firmness::Force);
        // Windows has no groups, but jobs; and a child that left its group is ended by its handle.
        self.family.kill();
    }

    async fn ended_within(
        &mut self,
        grace: Duration,
        at_once: &mut watch::Receiver<Option<Stop>>,
    ) -> bool {
        tokio::select! {
            ended = timeout(grace, self.ended()) => ended.is_ok(),
            () = is_at_once(at_once) => false,
        }
    }

    /// Resolves when the child has ended, if possible before it is reaped.
    async fn ended(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(handle) = process_handle(self.leader) {
            // Readable means ended; an error of the poll leaves it to `wait` below.
            drop(handle.readable().await);
            return;
        }
        drop(self.family.wait().await);
    }
}

/// Resolves when all patience has ended; never without a word.
async fn is_at_once(stop: &mut watch::Receiver<Option<Stop>>) {
    if stop.wait_for(|stop| *stop == Some(Stop::AtOnce)).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// A handle that becomes readable when the process ends, without reaping it.
#[cfg(target_os = "linux")]
#[expect(deprecated, reason = "the safe constructor; sound for a descriptor that is owned")]
fn process_handle(pid: u32) -> Option<tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    let handle = pidfd_open(pid, PidfdFlags::NONBLOCK).ok()?;
    tokio::io::unix::AsyncFd::with_interest(handle, tokio::io::Interest::READABLE).ok()
}

fn exit(status: ExitStatus) -> Exit {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    Exit { code: status.code(), signal }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::process::child::start;
    use crate::process::command::Program;
    use crate::process::registry::{self, Owner};
    use tokio::io::AsyncReadExt;
    use tokio::time::Instant;

    fn shell(script: &str) -> Program {
        Program {
            command: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            cwd: "/".into(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        }
    }

    /// Runs `script`, waits for its first line, then stops it; gives the exit, the time it took, and
    /// the pids it printed that still live.
    async fn stop_after_first_line(script: &str, stop: Stop) -> (Exit, Duration, Vec<u32>) {
        let started = start(&shell(script), Owner(1)).unwrap();
        let (sender, receiver) = watch::channel(None);
        let mut stdout = started.stdout;
        let mut text = Vec::new();
        while !text.ends_with(b"\n") {
            assert!(stdout.read_buf(&mut text).await.unwrap() > 0, "no first line");
        }
        let from = Instant::now();
        if matches!(stop, Stop::Gently { .. }) {
            drop(started.stdin);
        }
        sender.send(Some(stop)).unwrap();
        let exit = started.supervisor.run(receiver).await;
        let pids = String::from_utf8(text).unwrap();
        let alive = |pid: &u32| {
            // A zombie without a reaper here still has a folder, but no command line.
            std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty())
        };
        let mut pids: Vec<u32> =
            pids.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
        for _ in 0..100 {
            pids.retain(alive);
            if pids.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        (exit, from.elapsed(), pids)
    }

    const GRACE: Duration = Duration::from_millis(300);

    #[tokio::test]
    async fn end_of_stdin_is_enough_for_a_program_that_reads_it() {
        let stop = Stop::Gently { grace: Duration::from_secs(20) };
        let (exit, _, alive) = stop_after_first_line("echo $$; cat >/dev/null; exit 7", stop).await;
        assert_eq!(exit, Exit { code: Some(7), signal: None });
        assert!(alive.is_empty());
    }

    #[tokio::test]
    async fn sigterm_ends_one_that_ignores_stdin() {
        let stop = Stop::Gently { grace: GRACE };
        let (exit, took, _) = stop_after_first_line("echo $$; exec sleep 1000", stop).await;
        assert_eq!(exit.signal, Some(15));
        assert!(took >= GRACE, "{took:?}");
    }

    #[tokio::test]
    async fn sigkill_ends_one_that_ignores_sigterm_and_its_children() {
        let script = "trap '' TERM; sleep 1000 & echo $$ $!; while :; do sleep 1; done";
        let (exit, took, alive) =
            stop_after_first_line(script, Stop::Gently { grace: GRACE }).await;
        assert_eq!(exit.signal, Some(9));
        assert!(took >= GRACE * 2, "{took:?}");
        assert!(alive.is_empty(), "left: {alive:?}");
    }

    #[tokio::test]
    async fn what_the_program_leaves_in_its_group_is_killed() {
        let script = "sleep 1000 & echo $$ $!; cat >/dev/null; exit 0";
        let stop = Stop::Gently { grace: Duration::from_secs(20) };
        let (exit, _, alive) = stop_after_first_line(script, stop).await;
        assert_eq!(exit.code, Some(0));
        assert!(alive.is_empty(), "left: {alive:?}");
    }

    #[tokio::test]
    async fn firmly_waits_for_no_end_of_stdin() {
        let stop = Stop::Firmly { grace: Duration::from_secs(20) };
        let (exit, took, _) = stop_after_first_line("echo $$; exec cat", stop).await;
        assert_eq!(exit.signal, Some(15));
        assert!(took < Duration::from_secs(10), "{took:?}");
    }

    #[tokio::test]
    async fn at_once_asks_nobody() {
        let script = "trap 'exit 3' TERM; sleep 1000 & echo $$ $!; wait";
        let (exit, took, alive) = stop_after_first_line(script, Stop::AtOnce).await;
        assert_eq!(exit, Exit { code: None, signal: Some(9) });
        assert!(took < Duration::from_secs(10), "{took:?}");
        assert!(alive.is_empty(), "left: {alive:?}");
    }

    #[tokio::test]
    async fn at_once_ends_the_grace_that_runs() {
        let mut started =
            start(&shell("trap '' TERM; echo up; while :; do sleep 1; done"), Owner(1)).unwrap();
        assert_eq!(started.stdout.read_u8().await.unwrap(), b'u');
        let (sender, receiver) = watch::channel(None);
        let life = tokio::spawn(started.supervisor.run(receiver));
        sender.send(Some(Stop::Firmly { grace: Duration::from_secs(60) })).unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        sender.send(Some(Stop::AtOnce)).unwrap();
        let from = Instant::now();
        let exit = life.await.unwrap();
        assert_eq!(exit.signal, Some(9));
        assert!(from.elapsed() < Duration::from_secs(10), "{:?}", from.elapsed());
    }

    #[tokio::test]
    async fn at_once_waits_for_nothing_that_lingers() {
        let started = start(&shell("exit 7"), Owner(1)).unwrap();
        let (sender, receiver) = watch::channel(None);
        let (lingers, has_ended) = tokio::sync::oneshot::channel();
        let linger = async move {
            lingers.send(()).unwrap();
            std::future::pending::<()>().await;
        };
        let life = tokio::spawn(started.supervisor.run_with(receiver, linger));
        has_ended.await.unwrap();
        sender.send(Some(Stop::AtOnce)).unwrap();
        let exit = timeout(Duration::from_secs(10), life).await.unwrap().unwrap();
        assert_eq!(exit, Exit { code: Some(7), signal: None });
    }

    #[tokio::test]
    async fn the_registry_kills_an_owners_groups_and_no_others() {
        let (_keep, receiver) = watch::channel(None);
        let mine = start(&shell("trap '' TERM; exec sleep 1000"), Owner(77)).unwrap();
        let other = start(&shell("exec sleep 1000"), Owner(78)).unwrap();
        registry::kill_owned(Owner(77));
        let exit = mine.supervisor.run(receiver).await;
        assert_eq!(exit.signal, Some(9));
        assert!(std::fs::read(format!("/proc/{}/cmdline", other.pid)).is_ok());
        registry::kill_owned(Owner(78));
    }
}
