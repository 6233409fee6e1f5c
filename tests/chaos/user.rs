//! A program that does everything a client can do, in any order, and reads the lane as JavaScript does.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use mini_me_client::acp::bridge::Payload;
use mini_me_client::client::{Client, Held};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use crate::book::Book;
use crate::random::Random;
use crate::support::raw_entries;

/// The most that anything may take, on a clock that costs nothing.
const PATIENCE: Duration = Duration::from_secs(600);

/// See the module's head.
pub(crate) struct User<'a> {
    pub(crate) client: Client,
    pub(crate) woken: Arc<Notify>,
    pub(crate) random: Random,
    pub(crate) book: &'a RefCell<Book>,
    next_id: u64,
    calls: BTreeSet<u64>,
    requests: BTreeSet<i64>,
    /// Requests that the agent took back.
    withdrawn: BTreeSet<u64>,
    /// The last entry of the lane.
    end: Option<Value>,
}

impl<'a> User<'a> {
    pub(crate) fn new(
        client: Client,
        woken: Arc<Notify>,
        random: Random,
        book: &'a RefCell<Book>,
    ) -> Self {
        let (calls, requests, withdrawn) = Default::default();
        Self { client, woken, random, book, next_id: 1, calls, requests, withdrawn, end: None }
    }

    /// Does its worst, comes to rest, and ends in one of the ways there are.
    pub(crate) async fn run(mut self) {
        for _ in 0..self.random.below(80) {
            self.act();
            if !self.random.one_in(3) {
                self.read();
            }
            if self.end.is_some() {
                break;
            }
            let pause = u64::try_from(self.random.below(20)).unwrap();
            sleep(Duration::from_millis(pause)).await;
        }
        if self.random.one_in(8) {
            // Nobody waits for the end: all is dropped as it is.
            self.book.borrow().check();
            return;
        }
        self.come_to_rest().await;
        self.client.stop(Duration::from_millis(100));
        self.read_to_end().await;
    }

    fn act(&mut self) {
        match self.random.below(20) {
            0..=5 => self.request(),
            6 => drop(self.client.notify("n".to_owned(), "{\"a\":\"é\"}".to_owned())),
            7..=8 => {
                let most = usize::try_from(self.next_id).unwrap() + 2;
                self.client.cancel_request(u64::try_from(self.random.below(most)).unwrap());
            }
            9..=13 => self.answer_call(),
            14..=16 => self.answer_request(),
            17 => self.change_tools(),
            18 if self.random.one_in(15) => self.client.stop(Duration::from_millis(50)),
            _ => {}
        }
    }

    fn request(&mut self) {
        let id = self.next_id;
        self.next_id += 1;
        let params = self.random.pick(&["{}", "null", "{\"a\":\"\\ud83d\"}", "[1,2]"]);
        // Written down first: its answer may be read before this returns.
        self.book.borrow_mut().sent.insert(id);
        self.client.request(id, "session/prompt".to_owned(), params.to_owned()).unwrap();
    }

    /// Open ones, answered ones, some that never were.
    fn answer_call(&mut self) {
        let mut answers = String::new();
        for _ in 0..=self.random.below(3) {
            let key = match self.calls.first() {
                Some(key) if !self.random.one_in(6) => *key,
                _ => u64::try_from(self.random.below(50)).unwrap(),
            };
            let answer =
                self.random.pick(&["r1", "r{\"content\":[]}", "e{\"code\":1}", "r\"\\ud83d\""]);
            answers += &format!("{key}{answer}\n");
            self.calls.remove(&key);
        }
        self.client.answer_calls(&answers).unwrap();
    }

    fn answer_request(&mut self) {
        let key = match self.requests.first() {
            Some(key) if !self.random.one_in(6) => *key,
            _ => i64::try_from(self.random.below(50)).unwrap(),
        };
        self.requests.remove(&key);
        let payload = if self.random.one_in(3) {
            Payload::Error("{\"code\":1,\"message\":\"é\"}".into())
        } else {
            Payload::Text("{\"a\":[1]}".into())
        };
        self.client.answer_request(key, payload);
    }

    fn change_tools(&mut self) {
        let tool = json!({ "name": "any", "method": "_t/any" });
        if let Ok(index) = self.client.add_tool(&tool)
            && self.random.one_in(2)
        {
            assert!(self.client.remove_tool(index));
        }
        let session = self.random.pick(&["s", "é"]);
        if self.random.one_in(2) {
            drop(self.client.give_list(session, &[]));
        } else {
            self.client.forget_list(session);
        }
    }

    /// Reads what is in the lane now; whether there was anything.
    fn read(&mut self) -> bool {
        let Some(chunk) = self.client.take() else { return false };
        for entry in raw_entries(&chunk) {
            assert!(self.end.is_none(), "an entry after the end: {entry:?}");
            let tag: u64 = entry[0].get().parse().unwrap();
            let number = || entry[1].get().parse::<u64>().unwrap();
            match tag {
                1 => assert!(self.calls.insert(number()), "the key {} is in use", number()),
                2 | 3 => {
                    *self.book.borrow_mut().settled.entry(number()).or_default() += 1;
                }
                6 => assert!(self.requests.insert(i64::try_from(number()).unwrap())),
                9 => self.end = Some(serde_json::from_str(entry[1].get()).unwrap()),
                14 => {
                    self.requests.remove(&i64::try_from(number()).unwrap());
                    assert!(self.withdrawn.insert(number()), "a request withdrawn twice");
                }
                _ => {}
            }
        }
        self.client.give_back(chunk);
        true
    }

    /// Answers what is open, and waits until nothing is: then nothing may be held.
    async fn come_to_rest(&mut self) {
        self.book.borrow_mut().is_peaceful = true;
        let deadline = Instant::now() + PATIENCE;
        while self.end.is_none() {
            while self.read() {}
            for key in std::mem::take(&mut self.calls) {
                self.client.answer_calls(&format!("{key}r1\n")).unwrap();
            }
            for key in std::mem::take(&mut self.requests) {
                self.client.answer_request(key, Payload::Text("1".into()));
            }
            let held = self.client.held().unwrap();
            let is_settled = self.book.borrow().is_settled();
            if is_settled && held == Held::default() {
                return;
            }
            let late = || format!("no rest: {held:?}, {:?}", self.book.borrow());
            assert!(Instant::now() < deadline, "{}", late());
            sleep(Duration::from_millis(10)).await;
        }
    }

    async fn read_to_end(&mut self) {
        while self.end.is_none() {
            if !self.read() {
                let woken = timeout(PATIENCE, self.woken.notified()).await;
                woken.expect("the end comes in time");
            }
        }
        assert!(!self.read(), "nothing comes after the end");
        let book = self.book.borrow();
        book.check();
        let failure = &self.end.as_ref().unwrap()["failure"];
        assert_ne!(failure["code"], "MM_ERR_INTERNAL", "{failure}");
        if failure.is_null() {
            book.check_read();
        }
    }
}
