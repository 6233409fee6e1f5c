//! What is kept of updates, as JavaScript holds it. Numbers of updates are below 2^53.

use napi::bindgen_prelude::{Env, ObjectFinalize, Result};
use napi_derive::napi;
use serde_json::value::RawValue;

use super::error::unreadable;
use crate::client::kept::{History, TextKept, TurnKept};

/// The last updates of a session.
#[napi]
#[derive(Debug)]
pub struct NativeHistory {
    history: History,
}

/// What a running turn keeps.
#[napi]
#[derive(Debug)]
pub struct NativeTurn {
    turn: TurnKept,
}

/// The text of a turn that has ended.
#[napi(custom_finalize)]
#[derive(Debug)]
pub struct NativeText {
    text: TextKept,
    /// What the collector was told of.
    bytes: i64,
}

impl NativeHistory {
    pub(super) fn new(history: History) -> Self {
        Self { history }
    }
}

impl NativeTurn {
    pub(super) fn new(turn: TurnKept) -> Self {
        Self { turn }
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
    pub fn take(&self, before: i64) -> Result<String> {
        let excerpt = self.history.take(unsigned(before));
        let entries = RawValue::from_string(excerpt.json).map_err(unreadable)?;
        serde_json::to_string(&(excerpt.dropped, entries)).map_err(unreadable)
    }

    /// Keeps no more; what is there can be taken.
    #[napi(catch_unwind)]
    pub fn stop(&self) {
        self.history.stop();
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
    pub fn end(&self, env: Env, count: u32) -> Result<NativeText> {
        let text = self.turn.end(size(count));
        let bytes = i64::try_from(text.bytes()).unwrap_or(i64::MAX);
        env.adjust_external_memory(bytes)?;
        Ok(NativeText { text, bytes })
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

impl ObjectFinalize for NativeText {
    fn finalize(self, env: Env) -> Result<()> {
        env.adjust_external_memory(-self.bytes).map(drop)
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
