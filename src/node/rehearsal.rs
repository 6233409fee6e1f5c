//! Calls of tools without an agent, for `mini-me-client/testing` and the command `check`.

use napi::bindgen_prelude::{Error, Result};
use napi_derive::napi;
use serde_json::{Value, json};

use super::error::{to_napi, unreadable};
use super::tool::{self, described};
use crate::client::Failure;
use crate::rehearsal::{Answered, Begun, Rehearsal};
use crate::tools::limits::MAX_OUTPUT;
use crate::tools::registry::ToolIndex;

/// See the module's head.
#[napi]
#[derive(Debug)]
pub struct NativeRehearsal {
    rehearsal: Rehearsal,
}

#[napi]
impl NativeRehearsal {
    /// Nothing is lent yet. `max_output` is that of an agent file, in characters; by default mm's.
    #[napi(constructor, catch_unwind)]
    pub fn new(namespace: String, max_output: Option<u32>) -> Self {
        let max_output = max_output.and_then(|most| most.try_into().ok()).unwrap_or(MAX_OUTPUT);
        Self { rehearsal: Rehearsal::new(&namespace, max_output) }
    }

    /// Lends a tool, described as JSON; gives what `NativeClient.add_tool` gives.
    #[napi(catch_unwind)]
    pub fn add_tool(&mut self, definition: String) -> Result<String> {
        let definition = tool::definition(&definition)?;
        let index = self.rehearsal.add(&definition).map_err(|flaw| to_napi(Failure::Tool(flaw)))?;
        let tool = self.rehearsal.get(index).map(|tool| described(index, tool));
        Ok(tool.unwrap_or_default().to_string())
    }

    /// What the model is going to see, as JSON.
    #[napi(catch_unwind)]
    pub fn model_tools(&self) -> Result<String> {
        serde_json::to_string(&self.rehearsal.model_tools()).map_err(unreadable)
    }

    /// Begins a call; `params` is JSON. Gives JSON: `{key}` when the handler is to run; else
    /// `{outcome, answer}`, the answer as of [`answer`](Self::answer).
    #[napi(catch_unwind)]
    pub fn begin(&self, index: u32, params: String) -> Result<String> {
        let begun = match self.rehearsal.begin(ToolIndex(index), &params) {
            Some(Begun::Run(key)) => json!({ "key": key }),
            Some(Begun::Unsent(reading)) => {
                let answered = Answered { result: None, reading, is_too_large: false };
                json!({ "outcome": "missing-parameters", "answer": told(answered) })
            }
            Some(Begun::Refused(answered)) => {
                json!({ "outcome": "invalid-arguments", "answer": told(answered) })
            }
            None => return Err(absent("tool")),
        };
        Ok(begun.to_string())
    }

    /// Answers a call, as `js/calls.js` writes it. Gives JSON: `{result, text, isError, isTooLarge}`,
    /// where the result is JSON text or null.
    #[napi(catch_unwind)]
    pub fn answer(&self, answer: String) -> Result<String> {
        let answered = self.rehearsal.answer(&answer).ok_or_else(|| absent("open call"))?;
        Ok(told(answered).to_string())
    }
}

/// `js/` named something that is not there.
fn absent(what: &str) -> Error {
    to_napi(Failure::Internal(format!("expected the name of a rehearsed {what}")))
}

fn told(Answered { result, reading, is_too_large }: Answered) -> Value {
    json!({
        "result": result,
        "text": reading.text,
        "isError": reading.is_failed,
        "isTooLarge": is_too_large,
    })
}
