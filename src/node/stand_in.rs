//! The stand-in for mm, out of the addon: no second native file to ship. Models other than the rules
//! are JavaScript's.

use std::sync::Arc;

use napi::Status;
use napi::bindgen_prelude::{Error, Function, Result};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use serde_json::json;

use super::error::unreadable;
use super::runtime::runtime;
use crate::stand_in::model::Remote;
use crate::stand_in::{plan, run_on_stdio};

/// Tells JavaScript an event of the agent, a JSON array; strong, so that it keeps the process alive
/// while the agent runs.
type EventFunction = ThreadsafeFunction<String, (), String, Status, false>;

/// What a command line asks for, as JSON: `{model}`, or `{status}` when all there was to do is done.
#[napi(catch_unwind)]
pub fn plan_stand_in(args: Vec<String>) -> Result<String> {
    match plan(&args) {
        Ok(plan) => serde_json::to_string(&plan).map_err(unreadable),
        Err(status) => Ok(json!({ "status": status }).to_string()),
    }
}

/// An agent that runs on the streams of this process.
#[napi]
#[derive(Debug)]
pub struct NativeStandIn {
    remote: Remote,
}

#[napi]
impl NativeStandIn {
    /// Starts the agent of a command line. `on_event` gets what `src/stand_in/model/remote.rs` tells,
    /// also before each request of the methods `intercepted`, and `["exit", status]` at the end.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        args: Vec<String>,
        intercepted: Vec<String>,
        on_event: Function<'_, String, ()>,
    ) -> Result<Self> {
        let plan = plan(&args).map_err(|status| {
            Error::from_reason(format!("expected a plan, got status {status}"))
        })?;
        let events: EventFunction =
            on_event.build_threadsafe_function::<String>().build_callback(|call| Ok(call.value))?;
        let events = Arc::new(events);
        let tell = {
            let events = Arc::clone(&events);
            move |event| call(&events, event)
        };
        let remote = Remote::new(Box::new(tell), intercepted);
        let model = Arc::new(remote.clone());
        runtime()?.spawn(async move {
            let status = run_on_stdio(plan, model).await;
            call(&events, json!(["exit", status]).to_string());
        });
        Ok(Self { remote })
    }

    /// Gives a turn the step it waits for, as JSON.
    #[napi(catch_unwind)]
    pub fn step(&self, key: u32, step: String) -> Result<()> {
        self.remote.step(key.into(), &step).map_err(Error::from_reason)
    }
}

fn call(events: &EventFunction, event: String) {
    // The queue has no bound: any other status means that the environment is ending.
    let status = events.call(event, ThreadsafeFunctionCallMode::NonBlocking);
    debug_assert!(matches!(status, Status::Ok | Status::Closing | Status::InvalidArg));
}
