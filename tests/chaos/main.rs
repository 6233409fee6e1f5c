//! The core against an agent that misbehaves at random, over in-memory pipes and on a clock that does
//! not wait. Whatever the agent does, each request is settled once, the lane ends with its end, and
//! nothing is left.
//!
//! `CHAOS_SEEDS=10000` runs as many seeds, `CHAOS_SEED=7` that one alone.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "brevity of tests")]
#![expect(clippy::format_push_string, reason = "brevity of tests")]

#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod support;

mod agent;
mod book;
mod random;
mod user;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use agent::{Ends, LINE_LIMIT};
use book::Book;
use mini_me_client::client::{Client, Limits, Streams};
use mini_me_client::process::shutdown::Exit;
use mini_me_client::tools::report::Discovery;
use mini_me_client::wire::lane::Lane;
use random::Random;
use serde_json::json;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Notify, oneshot, watch};
use user::User;

const DEFAULT_SEEDS: u64 = 300;

/// How many panics there were, in whatever task: most are caught, and nobody hears of them.
static PANICS: AtomicUsize = AtomicUsize::new(0);

#[test]
fn whatever_an_agent_does_all_is_settled_once_and_nothing_is_left() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        report(panic);
    }));
    let seeds = match number("CHAOS_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("CHAOS_SEEDS").unwrap_or(DEFAULT_SEEDS),
    };
    for seed in seeds {
        let outcome = catch_unwind(AssertUnwindSafe(|| run(seed)));
        let panics = PANICS.load(Ordering::Relaxed);
        assert!(outcome.is_ok() && panics == 0, "failed; to see it again: CHAOS_SEED={seed}");
    }
}

#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("expected {name} to be a number, got {text}")))
}

fn run(seed: u64) {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let lane = connect_and_run(Random::new(seed)).await;
        // The client is gone: so must be all that served it.
        tokio::time::sleep(Duration::from_secs(600)).await;
        assert_eq!(Handle::current().metrics().num_alive_tasks(), 0, "tasks were left");
        assert!(lane.upgrade().is_none(), "the lane is still held");
    });
}

async fn connect_and_run(mut random: Random) -> Weak<Lane> {
    let woken = Arc::new(Notify::new());
    let wake = Arc::clone(&woken);
    let lane = Arc::new(Lane::new(Box::new(move || wake.notify_one())));
    let weak = Arc::downgrade(&lane);
    let limits = Limits {
        max_incoming_bytes: LINE_LIMIT,
        max_outgoing_bytes: 10_485_760,
        is_traced: random.one_in(4),
    };
    let discovery = if random.one_in(2) { Discovery::Meta } else { Discovery::Request };
    let client = Client::new(lane, "chaos", discovery, limits);
    let schema = json!({
        "type": "object",
        "properties": { "n": { "type": "integer" } },
        "required": ["n"],
    });
    client
        .add_tool(&json!({ "name": "info", "method": "_t/info", "inputSchema": schema }))
        .unwrap();
    let ends = connect(&client, &mut random);
    let book = RefCell::new(Book::default());
    let user = User::new(client, woken, random.fork(), &book);
    let agent = agent::run(ends, random.fork(), &book);
    tokio::join!(user.run(), agent);
    weak
}

/// Like a process that ends when it wants to, or when it was told to and has had its time.
fn connect(client: &Client, random: &mut Random) -> Ends {
    let (ours, theirs) = tokio::io::duplex(64 << random.below(11));
    let (our_stderr, stderr) = tokio::io::duplex(1 << random.below(12));
    let (stdout, stdin) = tokio::io::split(ours);
    let (reads, writes) = tokio::io::split(theirs);
    let (exit, exited) = oneshot::channel();
    let (kill, killed) = watch::channel(false);
    let streams = Streams {
        stdin: Box::new(stdin),
        direct: None,
        stdout: Box::new(stdout),
        stderr: Box::new(our_stderr),
    };
    // Some die of themselves, at any time.
    let life_ms = if random.one_in(3) { random.below(1000) } else { usize::MAX >> 12 };
    let life = Duration::from_millis(u64::try_from(life_ms).unwrap());
    client.connect(streams, move |mut stop| async move {
        let ended = tokio::select! {
            exit = exited => exit.ok(),
            () = tokio::time::sleep(life) => None,
            () = async {
                drop(stop.wait_for(Option::is_some).await);
                tokio::time::sleep(Duration::from_millis(300)).await;
            } => None,
        };
        kill.send_replace(true);
        ended.unwrap_or(Exit { code: None, signal: Some(9) })
    });
    Ends { reads, writes, stderr, exit, killed }
}
