//! The stand-in for mm, out of the addon: no second native file to ship.

use napi::bindgen_prelude::Result;
use napi_derive::napi;

use super::runtime::runtime;
use crate::stand_in::run_on_stdio;

/// Runs the stand-in with `args` on the streams of this process until its stdin ends; gives its exit
/// status. It blocks the thread: the process does nothing else.
#[napi(catch_unwind)]
pub fn run_stand_in(args: Vec<String>) -> Result<i32> {
    Ok(runtime()?.block_on(run_on_stdio(args)))
}
