//! The calls that JavaScript runs at the moment.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use tokio::sync::oneshot;

use crate::json_text::mend_surrogates;
use crate::wire::encode;

/// Room for the envelopes of many small answers, in bytes.
const ENVELOPES_BYTES: usize = 64 * 1024;

/// Open calls: a key of ours → the agent's id, byte for byte.
#[derive(Debug, Default)]
pub struct Calls {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next_key: u32,
    open: HashMap<u32, Arc<str>, RandomState>,
    /// The keys of each open id that was not withdrawn.
    keys: HashMap<Arc<str>, Keys, RandomState>,
    /// Calls that did not come by the agent's stdout, and are answered elsewhere.
    elsewhere: HashMap<u32, oneshot::Sender<Outcome>>,
}

/// The keys of one id. An agent may use an id twice, though it must not.
#[derive(Debug)]
struct Keys {
    newest: u32,
    /// The oldest first.
    older: Vec<u32>,
}

/// How a call ended, JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// With a result.
    Result(String),
    /// With a JSON-RPC error.
    Error(String),
}

/// Answers turned into lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// What is to be written.
    pub lines: Vec<u8>,
    /// Calls whose answer was over the limit: they got an error that says so instead.
    pub too_large: Vec<u32>,
}

/// One answer turned into a line.
#[derive(Debug, PartialEq, Eq)]
pub struct LargeAnswer {
    /// What is to be written.
    pub pieces: Vec<Vec<u8>>,
    /// It was over the limit: the call got an error that says so instead.
    pub is_too_large: bool,
}

impl Calls {
    /// Writes down a call; gives its key.
    pub fn open(&self, id: &str) -> u32 {
        let mut state = self.lock();
        let key = state.free_key();
        let id: Arc<str> = id.into();
        state.open.insert(key, Arc::clone(&id));
        match state.keys.entry(id) {
            Entry::Vacant(vacant) => {
                vacant.insert(Keys { newest: key, older: Vec::new() });
            }
            Entry::Occupied(mut occupied) => {
                let keys = occupied.get_mut();
                keys.older.push(std::mem::replace(&mut keys.newest, key));
            }
        }
        key
    }

    /// Writes down a call that is answered elsewhere; gives its key.
    pub fn open_elsewhere(&self, waiting: oneshot::Sender<Outcome>) -> u32 {
        let mut state = self.lock();
        let key = state.free_key();
        state.elsewhere.insert(key, waiting);
        key
    }

    /// How many are open.
    #[must_use]
    pub fn count(&self) -> usize {
        let state = self.lock();
        state.open.len() + state.elsewhere.len()
    }

    /// The agent withdraws a call; gives the key of the newest open one with this id. Each is withdrawn once.
    #[must_use]
    pub fn withdraw(&self, id: &str) -> Option<u32> {
        let mut state = self.lock();
        let keys = state.keys.get_mut(id)?;
        let newest = keys.newest;
        if let Some(next) = keys.older.pop() {
            keys.newest = next;
        } else {
            state.keys.remove(id);
        }
        Some(newest)
    }

    /// Turns answers into lines: each is `<key>r<result>` or `<key>e<error>` with a line feed, as
    /// `js/lane.js` joins them. A key that is not open is passed over: it was answered before.
    pub fn answer(
        &self,
        answers: &str,
        limit_bytes: usize,
        too_large: impl Fn(usize) -> String,
    ) -> Answers {
        // Small answers grow by their envelopes, about once their size.
        let room = answers.len() + answers.len().min(ENVELOPES_BYTES) + 64;
        let mut done = Answers { lines: Vec::with_capacity(room), ..Answers::default() };
        let mut state = self.lock();
        for answer in answers.split_terminator('\n') {
            let Some((key, is_error, json)) = split(answer) else { continue };
            let Some(id) = state.take(key) else {
                let json = json.to_owned();
                if state.answer_elsewhere(key, is_error, json, limit_bytes, &too_large) {
                    done.too_large.push(key);
                }
                continue;
            };
            let json = mend_surrogates(json);
            let before = done.lines.len();
            let push = if is_error { encode::push_error } else { encode::push_result };
            push(&mut done.lines, &id, &json);
            let bytes = done.lines.len() - before;
            if bytes > limit_bytes {
                done.too_large.push(key);
                done.lines.truncate(before);
                encode::push_result(&mut done.lines, &id, &too_large(bytes));
            }
        }
        done
    }

    /// The same for one large answer, JSON text of its own.
    pub fn answer_large(
        &self,
        key: u32,
        is_error: bool,
        json: String,
        limit_bytes: usize,
        too_large: impl Fn(usize) -> String,
    ) -> LargeAnswer {
        let mut state = self.lock();
        let Some(id) = state.take(key) else {
            let is_too_large = state.answer_elsewhere(key, is_error, json, limit_bytes, too_large);
            return LargeAnswer { pieces: Vec::new(), is_too_large };
        };
        drop(state);
        let json = match mend_surrogates(&json) {
            Cow::Borrowed(_) => json,
            Cow::Owned(mended) => mended,
        };
        let pieces = encode::answer_pieces(&id, is_error, json);
        let bytes = pieces.iter().map(Vec::len).sum();
        if bytes <= limit_bytes {
            return LargeAnswer { pieces, is_too_large: false };
        }
        LargeAnswer { pieces: vec![encode::result(&id, &too_large(bytes))], is_too_large: true }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A client that lives for 2^32 calls starts over, past those still open.
    fn free_key(&mut self) -> u32 {
        loop {
            self.next_key = self.next_key.wrapping_add(1);
            let key = self.next_key;
            if !self.open.contains_key(&key) && !self.elsewhere.contains_key(&key) {
                return key;
            }
        }
    }

    /// Answers a call that waits elsewhere, if there is one; gives whether the answer was too large.
    fn answer_elsewhere(
        &mut self,
        key: u32,
        is_error: bool,
        json: String,
        limit_bytes: usize,
        too_large: impl Fn(usize) -> String,
    ) -> bool {
        let Some(waiting) = self.elsewhere.remove(&key) else { return false };
        let is_too_large = json.len() > limit_bytes;
        // Whoever is gone meanwhile waits for nothing.
        drop(waiting.send(match (is_error, is_too_large) {
            (_, true) => Outcome::Result(too_large(json.len())),
            (true, false) => Outcome::Error(json),
            (false, false) => Outcome::Result(json),
        }));
        is_too_large
    }

    fn take(&mut self, key: u32) -> Option<Arc<str>> {
        let id = self.open.remove(&key)?;
        if let Entry::Occupied(mut occupied) = self.keys.entry(Arc::clone(&id)) {
            let keys = occupied.get_mut();
            if keys.newest != key {
                keys.older.retain(|other| *other != key);
            } else if let Some(newest) = keys.older.pop() {
                keys.newest = newest;
            } else {
                occupied.remove();
            }
        }
        Some(id)
    }
}

fn split(answer: &str) -> Option<(u32, bool, &str)> {
    let at = answer.find(|c: char| !c.is_ascii_digit())?;
    let (key, rest) = answer.split_at_checked(at)?;
    let (is_error, json) = match rest.strip_prefix('r') {
        Some(json) => (false, json),
        None => (true, rest.strip_prefix('e')?),
    };
    Some((key.parse().ok()?, is_error, json))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuse(bytes: usize) -> String {
        format!("\"{bytes}\"")
    }

    #[test]
    fn answers_go_out_under_the_ids_that_came() {
        let calls = Calls::default();
        let (first, second) = (calls.open("\"a\""), calls.open("12345678901234567890"));
        let answers = calls.answer(&format!("{second}r[1]\n{first}e{{}}\n"), 1000, refuse);
        assert_eq!(
            String::from_utf8(answers.lines).unwrap(),
            "{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890,\"result\":[1]}\n\
             {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{}}\n"
        );
    }

    #[test]
    fn a_call_is_answered_once() {
        let calls = Calls::default();
        let key = calls.open("1");
        let answers = calls.answer(&format!("{key}r1\n{key}r2\n99r3\n"), 1000, refuse);
        assert_eq!(answers.lines, encode::result("1", "1"));
    }

    #[test]
    fn an_answer_over_the_limit_is_replaced() {
        let calls = Calls::default();
        let key = calls.open("1");
        let exact = encode::result("1", "\"xxxx\"").len();
        let answer = format!("{key}r\"xxxx\"\n");
        let answers = calls.answer(&answer, exact - 1, refuse);
        assert_eq!(answers.too_large, [key]);
        assert_eq!(answers.lines, encode::result("1", &format!("\"{exact}\"")));

        let key = calls.open("1");
        assert!(calls.answer(&format!("{key}r\"xxxx\"\n"), exact, refuse).too_large.is_empty());
    }

    #[test]
    fn a_large_answer_is_written_as_any_other() {
        let calls = Calls::default();
        for is_error in [false, true] {
            let json = r#"{"text":"\ud800","code":1}"#;
            let (small, large) = (calls.open("\"a\""), calls.open("\"a\""));
            let kind = if is_error { 'e' } else { 'r' };
            let expected = calls.answer(&format!("{small}{kind}{json}\n"), 1000, refuse).lines;
            let answer = calls.answer_large(large, is_error, json.to_owned(), 1000, refuse);
            assert_eq!(answer.pieces.concat(), expected);
            assert!(!answer.is_too_large);
            let again = calls.answer_large(large, is_error, json.to_owned(), 1000, refuse);
            assert_eq!(again, LargeAnswer { pieces: vec![], is_too_large: false });

            let key = calls.open("1");
            let bytes = encode::result("1", json).len() - usize::from(is_error);
            let answer = calls.answer_large(key, is_error, json.to_owned(), bytes - 1, refuse);
            assert_eq!(answer.pieces.concat(), encode::result("1", &format!("\"{bytes}\"")));
            assert!(answer.is_too_large);
        }
    }

    #[test]
    fn a_call_from_elsewhere_is_answered_there_and_not_to_the_agent() {
        let calls = Calls::default();
        let here = calls.open("1");
        let (waiting, mut result) = oneshot::channel();
        let there = calls.open_elsewhere(waiting);
        let (waiting, mut error) = oneshot::channel();
        let withdrawn = calls.open_elsewhere(waiting);
        let (waiting, mut long) = oneshot::channel();
        let too_long = calls.open_elsewhere(waiting);
        assert_eq!(calls.count(), 4);
        let x = "x".repeat(200);
        let answers =
            format!("{there}r[1]\n{here}r2\n{withdrawn}e{{}}\n{too_long}r\"{x}\"\n{there}r3\n");
        let answers = calls.answer(&answers, 100, refuse);
        assert_eq!(answers.lines, encode::result("1", "2"));
        assert_eq!(answers.too_large, [too_long]);
        assert_eq!(result.try_recv(), Ok(Outcome::Result("[1]".to_owned())));
        assert_eq!(error.try_recv(), Ok(Outcome::Error("{}".to_owned())));
        assert_eq!(long.try_recv(), Ok(Outcome::Result("\"202\"".to_owned())));
        assert_eq!(calls.count(), 0);
    }

    #[test]
    fn the_newest_call_with_an_id_is_withdrawn() {
        let calls = Calls::default();
        let (first, second) = (calls.open("1"), calls.open("1"));
        assert_eq!(calls.withdraw("\"1\""), None);
        calls.answer(&format!("{second}r1\n"), 1000, refuse);
        assert_eq!(calls.withdraw("1"), Some(first));
    }

    #[test]
    fn a_call_is_withdrawn_once_and_still_answered() {
        let calls = Calls::default();
        let (first, second) = (calls.open("1"), calls.open("1"));
        assert_eq!(calls.withdraw("1"), Some(second));
        assert_eq!(calls.withdraw("1"), Some(first));
        assert_eq!(calls.withdraw("1"), None);
        let answers = calls.answer(&format!("{first}e1\n{second}e2\n"), 1000, refuse);
        assert_eq!(answers.lines, [encode::error("1", "1"), encode::error("1", "2")].concat());
        assert!(calls.lock().keys.is_empty());
    }
}
