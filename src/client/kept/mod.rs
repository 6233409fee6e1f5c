//! What is kept of the updates that JavaScript was given: the last of each session, the first of each
//! turn, and the text of each turn. Kept here, since the collector of JavaScript copies twice what stays:
//! that was two thirds of the main thread's time in a stream of small updates.
//!
//! The reader is ahead of JavaScript, so the updates of a connection are numbered, from 0. Whoever begins
//! to keep is told the number of the first that is kept: those before it are under way, and are kept
//! by JavaScript itself. Whoever reads says up to where it was given them.

mod log;
mod text;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use serde::Deserialize;

use crate::wire::compact::{TextChunk, first_session};
use log::{Bound, Log};
use text::TextLog;

pub use log::Excerpt;

/// How much of a session is kept for the first who asks, in bytes.
const HISTORY_BYTES: usize = 1024 * 1024;
/// How much a turn keeps while nobody has taken an iterator, in bytes.
const TURN_BYTES: usize = 256 * 1024;
const LARGE_TEXT_BYTES: usize = 64 * 1024;

/// See the module's head. One for a connection.
#[derive(Debug, Default)]
pub struct Kept {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of the next update.
    next: u64,
    sessions: HashMap<String, Slot, RandomState>,
}

/// What is being kept of one session.
#[derive(Debug, Default)]
struct Slot {
    history: Option<Arc<Mutex<Log>>>,
    turn: Option<Arc<Mutex<Turn>>>,
}

#[derive(Debug)]
struct Turn {
    first: Log,
    text: TextLog,
}

impl Kept {
    /// A text chunk goes to JavaScript.
    pub fn text(&self, chunk: &TextChunk<'_>) {
        let mut state = self.lock();
        let number = state.count();
        let Some(slot) = state.sessions.get(chunk.session) else { return };
        if let Some(history) = &slot.history {
            lock(history).push(number, &["\"", chunk.text, "\""]);
        }
        if let Some(turn) = &slot.turn {
            let mut turn = lock(turn);
            turn.first.push(number, &["\"", chunk.text, "\""]);
            if !is_large(chunk) {
                turn.text.push(chunk.text);
            }
        }
    }

    /// Any other update goes to JavaScript; its params are valid JSON.
    pub fn update(&self, params: &str) {
        let mut state = self.lock();
        let number = state.count();
        if state.sessions.is_empty() {
            return;
        }
        // JavaScript says of one without a session that it is none.
        let Some(session) = session_of(params) else { return };
        let Some(slot) = state.sessions.get(session.as_ref()) else { return };
        if let Some(history) = &slot.history {
            lock(history).push(number, &[params]);
        }
        if let Some(turn) = &slot.turn {
            lock(turn).first.push(number, &[params]);
        }
    }

    /// Keeps the last updates of a session, from now on.
    #[must_use]
    pub fn keep_history(self: &Arc<Self>, session: &str) -> History {
        let log = Arc::new(Mutex::new(Log::new(Bound::Newest(HISTORY_BYTES))));
        let from = self.begin(session, |slot| slot.history = Some(Arc::clone(&log)));
        History { kept: Arc::clone(self), session: session.to_owned(), from, log }
    }

    /// Keeps what a turn of the session needs, from now on.
    #[must_use]
    pub fn keep_turn(self: &Arc<Self>, session: &str) -> TurnKept {
        let first = Log::new(Bound::Oldest(TURN_BYTES));
        let turn = Arc::new(Mutex::new(Turn { first, text: TextLog::default() }));
        let from = self.begin(session, |slot| slot.turn = Some(Arc::clone(&turn)));
        TurnKept { kept: Arc::clone(self), session: session.to_owned(), from, turn }
    }

    /// Begins to keep something of a session; gives the number of the first update of that.
    fn begin(&self, session: &str, begin: impl FnOnce(&mut Slot)) -> u64 {
        let mut state = self.lock();
        begin(state.sessions.entry(session.to_owned()).or_default());
        state.next
    }

    /// Changes what is being kept of a session.
    fn change(&self, session: &str, change: impl FnOnce(&mut Slot)) {
        let mut state = self.lock();
        let Some(slot) = state.sessions.get_mut(session) else { return };
        change(slot);
        if slot.history.is_none() && slot.turn.is_none() {
            state.sessions.remove(session);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// The number of an update that has come.
    fn count(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }
}

/// The last updates of a session.
#[derive(Debug)]
pub struct History {
    kept: Arc<Kept>,
    session: String,
    from: u64,
    log: Arc<Mutex<Log>>,
}

impl History {
    /// The number of the first update that is kept.
    #[must_use]
    pub fn from(&self) -> u64 {
        self.from
    }

    /// Keeps no more; gives the last of those before `before`, and how many there were besides.
    #[must_use]
    pub fn take(&self, before: u64) -> Excerpt {
        self.stop();
        std::mem::replace(&mut *lock(&self.log), Log::new(Bound::Newest(0))).newest(before)
    }

    /// What it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        lock(&self.log).bytes()
    }

    /// Keeps no more.
    pub fn stop(&self) {
        self.kept.change(&self.session, |slot| {
            slot.history.take_if(|log| Arc::ptr_eq(log, &self.log));
        });
    }
}

/// What a running turn keeps.
#[derive(Debug)]
pub struct TurnKept {
    kept: Arc<Kept>,
    session: String,
    from: u64,
    turn: Arc<Mutex<Turn>>,
}

impl TurnKept {
    /// The number of the first update that is kept.
    #[must_use]
    pub fn from(&self) -> u64 {
        self.from
    }

    /// The updates before `before`, a JSON array; `None` when they were too many to be kept.
    #[must_use]
    pub fn first(&self, before: u64) -> Option<String> {
        lock(&self.turn).first.oldest(before)
    }

    /// What its updates take, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        lock(&self.turn).first.bytes()
    }

    /// Keeps no more; gives the text of the first `count` text chunks.
    #[must_use]
    pub fn end(&self, count: usize) -> TextKept {
        self.kept.change(&self.session, |slot| {
            slot.turn.take_if(|turn| Arc::ptr_eq(turn, &self.turn));
        });
        let mut text = std::mem::take(&mut lock(&self.turn).text);
        text.truncate(count);
        TextKept { text }
    }
}

/// The text of a turn that has ended.
#[derive(Debug)]
pub struct TextKept {
    text: TextLog,
}

impl TextKept {
    /// What it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.bytes()
    }

    /// The text, cut behind so many chunks as `cuts` say, in ascending order: a JSON array of one
    /// string more than there are cuts.
    #[must_use]
    pub fn read(&self, cuts: &[usize]) -> String {
        self.text.read(cuts)
    }
}

/// Whether a text is no part of what is kept as text: JavaScript keeps a large one, without a copy.
#[must_use]
pub fn is_large(chunk: &TextChunk<'_>) -> bool {
    chunk.text.len() >= LARGE_TEXT_BYTES
}

/// The session of an update. JavaScript has the last word: of two members of that name it takes the last.
fn session_of(params: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Head<'a> {
        #[serde(rename = "sessionId", borrow)]
        session: Cow<'a, str>,
    }
    if let Some(session) = first_session(params) {
        return Some(session.into());
    }
    serde_json::from_str(params).ok().map(|head: Head<'_>| head.session)
}

/// A panic elsewhere leaves what is kept whole: every change under a lock is finished at once.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn chunk<'a>(session: &'a str, text: &'a str) -> TextChunk<'a> {
        TextChunk { session, text }
    }

    fn read(json: &str) -> Value {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_session_keeps_what_comes_after_it_was_asked_to_and_nothing_of_others() {
        let kept = Arc::new(Kept::default());
        kept.text(&chunk("a", "before"));
        let history = kept.keep_history("a");
        kept.text(&chunk("a", "1"));
        kept.text(&chunk("b", "of another"));
        kept.update(r#"{"update":{"x":1},"sessionId":"a"}"#);
        kept.update(r#"{"update":{"x":1},"sessionId":"b"}"#);
        kept.update(r#"{"sessionId":"\u0061","update":{"x":2}}"#);
        kept.update(r#"{"sessionId":"b","update":{"sessionId":"a"}}"#);
        assert_eq!(history.from(), 1);
        let excerpt = history.take(99);
        assert_eq!(excerpt.dropped, 0);
        let expected = json!([
            "1",
            { "update": { "x": 1 }, "sessionId": "a" },
            { "sessionId": "a", "update": { "x": 2 } },
        ]);
        assert_eq!(read(&excerpt.json), expected);
    }

    #[test]
    fn what_javascript_was_not_given_yet_is_left_to_its_stream() {
        let kept = Arc::new(Kept::default());
        let history = kept.keep_history("a");
        for text in ["0", "1", "2"] {
            kept.text(&chunk("a", text));
        }
        assert_eq!(read(&history.take(2).json), json!(["0", "1"]));
        kept.text(&chunk("a", "3"));
        assert_eq!(read(&history.take(9).json), json!([]), "nothing is kept once it was taken");
        assert_eq!(kept.lock().sessions.len(), 0);
    }

    #[test]
    fn a_turn_keeps_its_first_updates_and_all_of_its_text() {
        let kept = Arc::new(Kept::default());
        let turn = kept.keep_turn("a");
        kept.text(&chunk("a", r"one\n"));
        kept.update(r#"{"sessionId":"a","update":{}}"#);
        kept.text(&chunk("a", "two"));
        kept.text(&chunk("a", "behind its end"));
        let first = turn.first(3).unwrap();
        assert_eq!(read(&first), json!(["one\n", { "sessionId": "a", "update": {} }, "two"]));
        let text = turn.end(2);
        kept.text(&chunk("a", "later"));
        assert_eq!(read(&text.read(&[])), json!(["one\ntwo"]));
        assert_eq!(read(&text.read(&[1])), json!(["one\n", "two"]));
        assert_eq!(kept.lock().sessions.len(), 0);
    }

    #[test]
    fn a_turn_that_ends_leaves_the_next_one_alone() {
        let kept = Arc::new(Kept::default());
        let old = kept.keep_turn("a");
        let new = kept.keep_turn("a");
        assert_eq!(read(&old.end(0).read(&[])), json!([""]));
        kept.text(&chunk("a", "new"));
        assert_eq!(read(&new.end(1).read(&[])), json!(["new"]));
    }

    #[test]
    fn a_large_text_is_no_part_of_the_text_that_is_kept() {
        let kept = Arc::new(Kept::default());
        let turn = kept.keep_turn("a");
        kept.text(&chunk("a", &"x".repeat(LARGE_TEXT_BYTES)));
        kept.text(&chunk("a", "small"));
        assert_eq!(read(&turn.end(1).read(&[])), json!(["small"]));
    }

    #[test]
    fn an_update_without_a_session_is_numbered_and_kept_nowhere() {
        let kept = Arc::new(Kept::default());
        let history = kept.keep_history("a");
        kept.update(r#"{"update":{}}"#);
        kept.update(r#"{"sessionId":7}"#);
        assert_eq!(kept.keep_turn("a").from(), 2);
        assert_eq!(read(&history.take(9).json), json!([]));
    }
}
