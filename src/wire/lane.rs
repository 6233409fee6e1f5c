//! The one ordered lane to JavaScript.
//!
//! Entries are members of a JSON array, written one after another into chunks of at most
//! [`CHUNK_BYTES`] (one huge entry makes a chunk of its own). JavaScript is woken once, then pulls
//! chunk by chunk until none is left. Text that is not ASCII becomes UTF-16 here, on the writer's
//! thread, since that is what JavaScript would have to make of it on its main thread.
//!
//! Only the reader of the agent's output waits for room ([`Lane::room`]): the pipe then holds the
//! agent back. Every other push goes in whatever the fill, so nothing can deadlock.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// A chunk takes no further entry from this size on, in bytes. Measured: 16 KiB costs 12 % of the
/// throughput, 256 KiB 16 % and four times the delay of the event loop.
pub const CHUNK_BYTES: usize = 64 * 1024;
/// The reader waits while more than this is in the lane, in bytes.
pub const HIGH_WATER_BYTES: usize = 8 * 1024 * 1024;

/// Entries of this size become a chunk as they are: to copy them would take longer than all else.
const LARGE_BYTES: usize = 1024 * 1024;

/// More buffers than this are not kept.
const SPARE_CHUNKS: usize = 4;

/// The text of one JSON array, in the form JavaScript can take without another conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// ASCII, one byte a character.
    OneByte(Vec<u8>),
    /// UTF-16.
    TwoByte(Vec<u16>),
}

impl Chunk {
    fn bytes(&self) -> usize {
        match self {
            Self::OneByte(text) => text.len(),
            Self::TwoByte(text) => text.len() * 2,
        }
    }

    fn append(&mut self, entries: &str) {
        if let Self::OneByte(text) = self {
            if entries.is_ascii() {
                text.extend_from_slice(entries.as_bytes());
                text.push(b',');
                return;
            }
            let wide = text.iter().copied().map(u16::from).collect();
            *self = Self::TwoByte(wide);
        }
        if let Self::TwoByte(text) = self {
            let from = text.len();
            // The most that UTF-16 can take, and the place for the comma.
            text.resize(from + entries.len() + 1, 0);
            let space = text.get_mut(from..).unwrap_or_default();
            let written = encoding_rs::mem::convert_str_to_utf16(entries, space);
            text.truncate(from + written);
            text.push(u16::from(b','));
        }
    }

    /// Turns the comma behind the last entry into the end of the array.
    fn close(&mut self) {
        match self {
            Self::OneByte(text) => {
                if let Some(last) = text.last_mut() {
                    *last = b']';
                }
            }
            Self::TwoByte(text) => {
                if let Some(last) = text.last_mut() {
                    *last = u16::from(b']');
                }
            }
        }
    }
}

/// Entries on their way into the lane, in the form of a chunk: JSON text behind a bracket.
#[derive(Debug)]
pub struct Run(String);

impl Run {
    /// Without entries.
    #[must_use]
    pub fn new() -> Self {
        Self(Self::START.to_owned())
    }

    const START: &str = "[";

    /// Where entries are appended.
    pub fn text(&mut self) -> &mut String {
        &mut self.0
    }

    /// The entries, separated by commas.
    #[must_use]
    pub fn entries(&self) -> &str {
        self.0.strip_prefix(Self::START).unwrap_or_default()
    }

    /// Takes the entries out.
    #[must_use]
    pub fn take(&mut self) -> String {
        let entries = self.entries().to_owned();
        self.0.truncate(Self::START.len());
        entries
    }
}

impl Default for Run {
    fn default() -> Self {
        Self::new()
    }
}

/// Tells JavaScript that the lane is no longer empty.
pub type Wake = Box<dyn Fn() + Send + Sync>;

struct State {
    chunks: VecDeque<Chunk>,
    bytes: usize,
    /// JavaScript was woken and pulls: no further wake until it has found the lane empty.
    is_awake: bool,
    /// Nobody pulls any more: pushes vanish, and nobody waits for room.
    is_closed: bool,
    /// The last entry is in: pushes vanish.
    is_finished: bool,
    reader: Option<Waker>,
    /// Buffers of chunks that were handed over, to be used again: fresh ones cost a page fault per 4 KiB.
    spare: Vec<Vec<u8>>,
}

/// See the module's head.
pub struct Lane {
    state: Mutex<State>,
    wake: Wake,
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Lane")
            .field("chunks", &state.chunks.len())
            .field("bytes", &state.bytes)
            .field("is_closed", &state.is_closed)
            .finish_non_exhaustive()
    }
}

impl Lane {
    /// An empty lane; `wake` is called outside the lock.
    #[must_use]
    pub fn new(wake: Wake) -> Self {
        let state = State {
            chunks: VecDeque::new(),
            bytes: 0,
            is_awake: false,
            is_closed: false,
            is_finished: false,
            reader: None,
            spare: Vec::new(),
        };
        Self { state: Mutex::new(state), wake }
    }

    /// Appends entries: JSON text without brackets, several separated by commas.
    pub fn push(&self, entries: &str) {
        self.append(entries, false);
    }

    /// Appends a run of entries, and empties it.
    pub fn push_run(&self, run: &mut Run) {
        if run.0.len() < LARGE_BYTES || !run.0.is_ascii() {
            self.push(run.entries());
            run.0.truncate(Run::START.len());
            return;
        }
        let mut text = std::mem::take(run).0.into_bytes();
        text.push(b',');
        self.change(|state| {
            state.bytes += text.len();
            state.chunks.push_back(Chunk::OneByte(text));
        });
    }

    /// Appends the last entry: what is pushed after it vanishes.
    pub fn finish(&self, entry: &str) {
        self.append(entry, true);
    }

    fn append(&self, entries: &str, is_last: bool) {
        if entries.is_empty() {
            return;
        }
        self.change(|state| {
            state.is_finished = is_last;
            if state.chunks.back().is_none_or(|chunk| chunk.bytes() >= CHUNK_BYTES) {
                let mut text = state.spare.pop().unwrap_or_default();
                text.push(b'[');
                state.chunks.push_back(Chunk::OneByte(text));
            }
            let mut grown = 0;
            if let Some(chunk) = state.chunks.back_mut() {
                let before = chunk.bytes();
                chunk.append(entries);
                grown = chunk.bytes() - before;
            }
            state.bytes += grown;
        });
    }

    /// Puts something into the lane, unless it takes nothing any more, and wakes who pulls.
    fn change(&self, put: impl FnOnce(&mut State)) {
        let must_wake = {
            let mut state = self.lock();
            if state.is_closed || state.is_finished {
                return;
            }
            put(&mut state);
            !std::mem::replace(&mut state.is_awake, true)
        };
        if must_wake {
            (self.wake)();
        }
    }

    /// The next chunk. `None` re-arms the lane: the next push wakes again.
    pub fn take(&self) -> Option<Chunk> {
        let (chunk, reader) = {
            let mut state = self.lock();
            let Some(mut chunk) = state.chunks.pop_front() else {
                state.is_awake = false;
                state.bytes = 0;
                return None;
            };
            // What widening added to a chunk was counted when it grew; an emptied lane counts 0.
            state.bytes =
                if state.chunks.is_empty() { 0 } else { state.bytes.saturating_sub(chunk.bytes()) };
            chunk.close();
            let has_room = state.bytes <= HIGH_WATER_BYTES;
            (chunk, if has_room { state.reader.take() } else { None })
        };
        if let Some(reader) = reader {
            reader.wake();
        }
        Some(chunk)
    }

    /// Takes back a chunk that was read.
    pub fn give_back(&self, chunk: Chunk) {
        let Chunk::OneByte(mut text) = chunk else { return };
        let mut state = self.lock();
        if state.spare.len() < SPARE_CHUNKS && text.capacity() <= 4 * CHUNK_BYTES {
            text.clear();
            state.spare.push(text);
        }
    }

    /// How much is in the lane, in bytes.
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Waits until the lane is under its high-water mark. For the one reader only.
    pub async fn room(&self) {
        std::future::poll_fn(|context| {
            let mut state = self.lock();
            if state.bytes <= HIGH_WATER_BYTES || state.is_closed {
                return Poll::Ready(());
            }
            state.reader = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Drops what is in the lane and whatever comes: the side that pulls is gone.
    pub fn close(&self) {
        let reader = {
            let mut state = self.lock();
            state.is_closed = true;
            state.chunks.clear();
            state.bytes = 0;
            state.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// A panic elsewhere leaves the state whole: every change under the lock is finished at once.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn counted() -> (Lane, Arc<AtomicUsize>) {
        let wakes = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&wakes);
        let wake = Box::new(move || {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        (Lane::new(wake), wakes)
    }

    fn read(chunk: &Chunk) -> Vec<Value> {
        let text = match chunk {
            Chunk::OneByte(text) => String::from_utf8(text.clone()).unwrap(),
            Chunk::TwoByte(text) => String::from_utf16(text).unwrap(),
        };
        serde_json::from_str(&text).unwrap()
    }

    fn drain(lane: &Lane) -> Vec<Value> {
        std::iter::from_fn(|| lane.take()).flat_map(|chunk| read(&chunk)).collect()
    }

    fn poll_room(lane: &Lane) -> Poll<()> {
        let mut room = std::pin::pin!(lane.room());
        let mut context = std::task::Context::from_waker(Waker::noop());
        room.as_mut().poll(&mut context)
    }

    #[test]
    fn entries_come_out_in_order() {
        let (lane, _) = counted();
        lane.push("1,2");
        lane.push(r#""é""#);
        lane.push("[3]");
        assert_eq!(drain(&lane), serde_json::from_str::<Vec<Value>>(r#"[1,2,"é",[3]]"#).unwrap());
    }

    #[test]
    fn one_wake_until_the_lane_was_found_empty() {
        let (lane, wakes) = counted();
        lane.push("1");
        lane.push("2");
        assert!(lane.take().is_some());
        lane.push("3");
        assert_eq!(wakes.load(Ordering::Relaxed), 1);
        assert!(lane.take().is_some());
        assert!(lane.take().is_none());
        lane.push("4");
        assert_eq!(wakes.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_full_chunk_is_followed_by_another() {
        let (lane, _) = counted();
        let entry = format!("\"{}\"", "x".repeat(CHUNK_BYTES));
        lane.push(&entry);
        lane.push("1");
        assert_eq!(read(&lane.take().unwrap()).len(), 1);
        assert_eq!(read(&lane.take().unwrap()).len(), 1);
    }

    #[test]
    fn text_that_is_ascii_stays_one_byte() {
        let (lane, _) = counted();
        lane.push("\"a\"");
        assert!(matches!(lane.take(), Some(Chunk::OneByte(_))));
        lane.push("\"ü\"");
        assert!(matches!(lane.take(), Some(Chunk::TwoByte(_))));
    }

    #[test]
    fn only_the_reader_waits_and_only_above_the_mark() {
        let (lane, _) = counted();
        let entry = format!("\"{}\"", "x".repeat(HIGH_WATER_BYTES / 2 - 100));
        lane.push(&entry);
        assert_eq!(poll_room(&lane), Poll::Ready(()));
        lane.push(&entry);
        lane.push(&entry);
        assert_eq!(poll_room(&lane), Poll::Pending);
        lane.push("1");
        assert!(lane.take().is_some());
        assert_eq!(poll_room(&lane), Poll::Ready(()));
    }

    #[test]
    fn what_is_pushed_after_the_last_entry_vanishes() {
        let (lane, _) = counted();
        lane.push("1");
        lane.finish("2");
        lane.push("3");
        lane.finish("4");
        assert_eq!(drain(&lane), [1, 2]);
    }

    #[test]
    fn a_closed_lane_takes_nothing_and_holds_nobody() {
        let (lane, _) = counted();
        lane.push(&format!("\"{}\"", "x".repeat(2 * HIGH_WATER_BYTES)));
        lane.close();
        assert_eq!(poll_room(&lane), Poll::Ready(()));
        lane.push("1");
        assert!(lane.take().is_none());
    }

    #[test]
    fn a_large_run_is_a_chunk_of_its_own_in_its_place() {
        let (lane, wakes) = counted();
        let mut run = Run::new();
        lane.push_run(&mut run);
        assert_eq!(wakes.load(Ordering::Relaxed), 0, "nothing wakes nobody");
        lane.push("1");
        let large = "x".repeat(LARGE_BYTES);
        for text in [&large, &format!("{large}é"), "small"] {
            run.text().push_str(&serde_json::to_string(text).unwrap());
            lane.push_run(&mut run);
            assert_eq!(run.entries(), "");
        }
        let expected = json!([1, large, format!("{large}é"), "small"]);
        assert_eq!(Value::Array(drain(&lane)), expected);
        assert_eq!(lane.bytes(), 0);
    }

    proptest! {
        #[test]
        fn any_text_survives(texts in proptest::collection::vec(".{0,40}", 0..60)) {
            let (lane, _) = counted();
            for text in &texts {
                lane.push(&serde_json::to_string(text).unwrap());
            }
            let expected: Vec<Value> = texts.into_iter().map(Value::String).collect();
            prop_assert_eq!(drain(&lane), expected);
        }
    }
}
