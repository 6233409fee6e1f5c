//! Commands, run: order and end of their output, how they end and what they leave.

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::process::registry;

const ROOM: usize = usize::MAX;
const PATIENCE: Duration = Duration::from_secs(20);
const GRACE: Duration = Duration::from_millis(300);

struct Terminal {
    terminals: Terminals,
    number: u32,
    exited: oneshot::Receiver<(u32, Exit)>,
}

fn script(text: &str) -> TerminalCommand {
    TerminalCommand {
        program: Program {
            command: "/bin/sh".into(),
            args: vec!["-c".into(), text.into()],
            cwd: "/".into(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        },
        limit_bytes: None,
    }
}

fn start(text: &str) -> Terminal {
    start_with(&script(text), Owner(1))
}

fn start_with(command: &TerminalCommand, owner: Owner) -> Terminal {
    let terminals = Terminals::default();
    let (tell, exited) = oneshot::channel();
    let on_exit = move |number, exit| tell.send((number, exit)).unwrap();
    let number = terminals.start(command, owner, on_exit).unwrap().unwrap();
    Terminal { terminals, number, exited }
}

impl Terminal {
    fn show(&self) -> Shown {
        self.terminals.show(self.number, ROOM).unwrap()
    }

    /// Waits until the output has `text`.
    async fn shows(&self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let Shown { output, .. } = self.show();
            if output.contains(text) {
                return output;
            }
            assert!(Instant::now() < end, "expected {text:?}, got {output:?}");
            sleep(Duration::from_millis(5)).await;
        }
    }

    async fn exit(&mut self) -> Exit {
        let (number, exit) = timeout(PATIENCE, &mut self.exited).await.unwrap().unwrap();
        assert_eq!(number, self.number);
        exit
    }
}

const fn code(code: i32) -> Exit {
    Exit { code: Some(code), signal: None }
}

const fn signal(signal: i32) -> Exit {
    Exit { code: None, signal: Some(signal) }
}

fn is_alive(pid: u32) -> bool {
    // A zombie without a reaper here still has a folder, but no command line.
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty())
}

async fn check_gone(pids: &str) {
    let pids: Vec<u32> = pids.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    assert!(!pids.is_empty());
    let end = Instant::now() + PATIENCE;
    while let Some(pid) = pids.iter().find(|pid| is_alive(**pid)) {
        assert!(Instant::now() < end, "{pid} lives");
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn both_outputs_come_in_the_order_in_which_they_were_written() {
    let mut terminal =
        start("i=0; while [ $i -lt 500 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done; exit 7");
    assert_eq!(terminal.exit().await, code(7));
    let Shown { output, truncated, exit } = terminal.show();
    let expected: Vec<String> =
        (0..500).flat_map(|number| [format!("o{number}"), format!("e{number}")]).collect();
    assert_eq!(output.lines().collect::<Vec<_>>(), expected);
    assert_eq!((truncated, exit), (false, Some(code(7))));
}

#[tokio::test]
async fn its_input_is_empty() {
    let mut terminal = start("cat; echo end");
    assert_eq!(terminal.exit().await, code(0));
    assert_eq!(terminal.show().output, "end\n");
}

#[tokio::test]
async fn it_shows_what_was_written_so_far() {
    let terminal = start("printf 'a\\303'; sleep 1000");
    assert_eq!(terminal.shows("a").await, "a");
    assert_eq!(terminal.show().exit, None);
}

#[tokio::test]
async fn the_signal_that_ended_it_is_told() {
    assert_eq!(start("kill -9 $$").exit().await, signal(9));
}

#[tokio::test]
async fn much_output_is_read_to_its_end_and_kept_within_the_limit() {
    let many = script("yes 0123456789abcde | head -c 50000000; printf end");
    let mut terminal = start_with(&TerminalCommand { limit_bytes: Some(1000), ..many }, Owner(1));
    assert_eq!(terminal.exit().await, code(0));
    let Shown { output, truncated, .. } = terminal.show();
    assert_eq!((output.len(), truncated), (1000, true));
    assert!(output.ends_with("0123456789abcde\nend"));
}

#[tokio::test]
async fn what_the_shell_does_not_wait_for_may_still_write() {
    let mut terminal = start("(sleep 0.05; echo late) & echo early");
    assert_eq!(terminal.exit().await, code(0));
    assert_eq!(terminal.show().output, "early\nlate\n");
}

#[tokio::test]
async fn the_output_is_read_to_its_end_before_the_exit_is_told() {
    let mut terminal = start("printf 'a\\303'; sleep 1000 &");
    assert_eq!(terminal.exit().await, code(0));
    assert_eq!(terminal.show().output, "a\u{fffd}");
}

#[tokio::test]
async fn what_a_command_leaves_in_its_group_is_ended_and_holds_up_nothing() {
    let mut terminal = start("trap '' TERM; sleep 1000 & echo $$ $!");
    let from = Instant::now();
    assert_eq!(terminal.exit().await, code(0));
    assert!(from.elapsed() < Duration::from_secs(10), "{:?}", from.elapsed());
    check_gone(&terminal.show().output).await;
}

/// `setsid` is a program of Linux.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_left_the_group_holds_up_nothing_and_is_read_until_the_release() {
    let mut terminal = start("setsid sh -c 'sleep 1.5; echo later; sleep 1000' & echo $!");
    assert_eq!(terminal.exit().await, code(0));
    let output = terminal.show().output;
    assert!(!output.contains("later"), "{output}");
    terminal.shows("later").await;
    terminal.terminals.release(terminal.number);
    end_daemon(output.trim());
}

/// Ends a process that left the group.
#[cfg(target_os = "linux")]
fn end_daemon(pid: &str) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

#[tokio::test]
async fn kill_ends_the_whole_group_and_keeps_the_output() {
    let mut terminal = start("sleep 1000 & echo $$ $!; wait");
    let pids = terminal.shows("\n").await;
    terminal.terminals.kill(terminal.number, PATIENCE);
    assert_eq!(terminal.exit().await, signal(15));
    check_gone(&pids).await;
    assert_eq!(terminal.show(), Shown { output: pids, truncated: false, exit: Some(signal(15)) });
}

#[tokio::test]
async fn kill_lets_a_command_say_its_last_words() {
    let mut terminal = start("trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.01; done");
    terminal.shows("up").await;
    terminal.terminals.kill(terminal.number, PATIENCE);
    assert_eq!(terminal.exit().await, code(3));
    // The shell may tell of its `sleep` that was ended as well.
    let output = terminal.show().output;
    assert!(output.ends_with("bye\n"), "{output}");
}

#[tokio::test]
async fn kill_ends_one_that_ignores_it_after_the_grace() {
    let mut terminal = start("trap '' TERM; echo up; while :; do sleep 1; done");
    terminal.shows("up").await;
    let from = Instant::now();
    terminal.terminals.kill(terminal.number, GRACE);
    assert_eq!(terminal.exit().await, signal(9));
    assert!(from.elapsed() >= GRACE, "{:?}", from.elapsed());
}

#[tokio::test]
async fn release_ends_the_whole_group_at_once_and_forgets_the_terminal() {
    let mut terminal = start("trap 'exit 3' TERM; sleep 1000 & echo $$ $!; wait");
    let pids = terminal.shows("\n").await;
    terminal.terminals.release(terminal.number);
    assert_eq!(terminal.terminals.show(terminal.number, ROOM), None);
    assert_eq!(terminal.exit().await, signal(9));
    check_gone(&pids).await;
}

#[tokio::test]
async fn release_ends_the_grace_of_a_kill() {
    let mut terminal = start("trap '' TERM; echo up; while :; do sleep 1; done");
    terminal.shows("up").await;
    terminal.terminals.kill(terminal.number, Duration::from_secs(3600));
    sleep(Duration::from_millis(50)).await;
    terminal.terminals.release(terminal.number);
    assert_eq!(terminal.exit().await, signal(9));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_output_is_freed_by_the_release_while_a_process_that_left_the_group_holds_the_pipe() {
    let mut terminal = start("setsid sleep 1000 & echo $!");
    let state = {
        let open = terminal.terminals.lock();
        std::sync::Arc::downgrade(&open.terminals[&terminal.number].state)
    };
    terminal.exit().await;
    let pid = terminal.show().output;
    terminal.terminals.release(terminal.number);
    let end = Instant::now() + PATIENCE;
    while state.strong_count() > 0 {
        assert!(Instant::now() < end, "it is still held");
        sleep(Duration::from_millis(5)).await;
    }
    end_daemon(pid.trim());
}

#[tokio::test]
async fn the_end_ends_all_and_starts_none() {
    let mut terminal = start("echo $$; exec sleep 1000");
    let pid = terminal.shows("\n").await;
    terminal.terminals.end();
    assert_eq!(terminal.exit().await, signal(9));
    check_gone(&pid).await;
    let started = terminal.terminals.start(&script("echo"), Owner(1), |_, _| {});
    assert_eq!(started, Ok(None));
}

#[tokio::test]
async fn terminals_that_are_dropped_are_ended() {
    let Terminal { terminals, exited, number } = start("echo $$; exec sleep 1000");
    drop(terminals);
    let ended = timeout(PATIENCE, exited).await.unwrap().unwrap();
    assert_eq!(ended, (number, signal(9)));
}

#[tokio::test]
async fn the_registry_ends_them_with_their_owner() {
    let mut terminal = start_with(&script("sleep 1000 & echo $$ $!; wait"), Owner(4711));
    let pids = terminal.shows("\n").await;
    registry::kill_owned(Owner(4711));
    assert_eq!(terminal.exit().await, signal(9));
    check_gone(&pids).await;
}

#[tokio::test]
async fn numbers_are_never_those_of_another() {
    let terminals = Terminals::default();
    let start = || terminals.start(&script("sleep 1000"), Owner(1), |_, _| {}).unwrap().unwrap();
    let first = start();
    terminals.release(first);
    assert_ne!(start(), first);
    assert_eq!(terminals.show(first, ROOM), None);
}
