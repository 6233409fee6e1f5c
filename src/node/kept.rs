//! What is kept of updates, as JavaScript holds it. Numbers of updates are below 2^53.

use std::cell::Cell;

use napi::bindgen_prelude::{Env, Result};
use napi_derive::napi;
use serde_json::value::RawValue;

use super::error::unreadable;
use crate::client::kept::{History, TextKept, TurnKept};

/// The last updates of a session.
#[napi]
#[derive(Debug)]
pub struct NativeHistory {
    history: History,
    told: Told,
}

/// What a turn keeps.
#[napi]
#[derive(Debug)]
pub struct NativeTurn {
    turn: TurnKept,
    told: Told,
}

/// The text of a turn that has ended.
#[napi]
#[derive(Debug)]
pub struct NativeText {
    text: TextKept,
    #[expect(dead_code, reason = "what matters is that it is dropped with the text")]
    told: Told,
}

/// How many bytes the collector was told of: it sees no memory but its own, and would wait too long.
#[derive(Debug, Default)]
struct Told(i64);

thread_local! {
    /// What was freed on this thread, which is that of one environment, and the collector was not told yet.
    /// It is told when it is next told of anything: an environment that ends must not be asked.
    static FREED: Cell<i64> = const { Cell::new(0) };
}

impl Told {
    fn tell(&mut self, env: Env, bytes: usize) -> Result<()> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        env.adjust_external_memory(bytes - self.0 - FREED.take())?;
        self.0 = bytes;
        Ok(())
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        // A thread that ends has no such place any more, and nobody to tell.
        let _gone = FREED.try_with(|freed| freed.set(freed.get() + self.0));
    }
}

impl NativeHistory {
    pub(super) fn new(history: History) -> Self {
        Self { history, told: Told::default() }
    }
}

impl NativeTurn {
    pub(super) fn new(turn: TurnKept) -> Self {
        Self { turn, told: Told::default() }
    }
}

#[napi]
impl NativeHistory {
    /// The number of the first update that is kept.
    #[napi(getter, catch_unwind)]
    pub fn from(&self) -> i64 {
        number(self.history.from())
    }

    /// Keeps no more; gives `[dropped, entries]` as JSON. An entry is a plain text, or the params of an
    /// update.
    #[napi(catch_unwind)]
    pub fn take(&mut self, env: Env, before: i64) -> Result<String> {
        self.told.tell(env, 0)?;
        let excerpt = self.history.take(unsigned(before));
        let entries = RawValue::from_string(excerpt.json).map_err(unreadable)?;
        serde_json::to_string(&(excerpt.dropped, entries)).map_err(unreadable)
    }

    /// Keeps no more; what is there can be taken.
    #[napi(catch_unwind)]
    pub fn stop(&mut self, env: Env) -> Result<()> {
        self.history.stop();
        self.told.tell(env, self.history.bytes())
    }
}

#[napi]
impl NativeTurn {
    /// The number of the first update that is kept.
    #[napi(getter, catch_unwind)]
    pub fn from(&self) -> i64 {
        number(self.turn.from())
    }

    /// The updates before `before`, as entries of JSON; null when they were too many to be kept.
    #[napi(catch_unwind)]
    pub fn first(&self, before: i64) -> Option<String> {
        self.turn.first(unsigned(before))
    }

    /// Keeps no more; gives the text of the first `count` chunks that are kept as text.
    #[napi(catch_unwind)]
    pub fn end(&mut self, env: Env, count: u32) -> Result<NativeText> {
        let text = self.turn.end(size(count));
        self.told.tell(env, self.turn.bytes())?;
        let mut told = Told::default();
        told.tell(env, text.bytes())?;
        Ok(NativeText { text, told })
    }
}

#[napi]
impl NativeText {
    /// All of it, cut behind so many chunks as `cuts` say: a JSON array of strings.
    #[napi(catch_unwind)]
    pub fn read(&self, cuts: Vec<u32>) -> String {
        let cuts: Vec<usize> = cuts.into_iter().map(size).collect();
        self.text.read(&cuts)
    }
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn size(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
