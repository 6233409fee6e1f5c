//! The agent that the benchmarks run their clients against.
//!
//! It must never be what is measured: lines are made before the clock starts, a burst of updates
//! patches its numbers in place, and one thread reads and writes, so that a round trip holds no hop
//! of ours. What it does is told by the prompt's text, a [`Command`](command::Command) as JSON.

mod calls;
mod command;
mod input;
mod message;
mod updates;

use std::error::Error;
use std::io::{self, Write};
use std::time::Instant;

use serde_json::{Value, json};

use crate::command::{Command, Mode};
use crate::input::Input;

/// Any failure ends the agent: a measurement that went wrong must not look like one.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut input = Input::new(io::stdin().lock());
    let mut output = io::stdout().lock();
    let mut sessions = 0;
    while let Some(line) = input.next_line()? {
        let message: Value = serde_json::from_slice(line)?;
        let Some(id) = message.get("id") else { continue };
        let method = message["method"].as_str().ok_or("expected a request, got an answer")?;
        let result = match method {
            "initialize" => json!({
                "protocolVersion": 1,
                "agentCapabilities": {},
                "authMethods": [],
                "agentInfo": { "name": "bench-agent", "version": env!("CARGO_PKG_VERSION") },
            }),
            "session/new" => {
                sessions += 1;
                json!({ "sessionId": message::session_id(sessions - 1) })
            }
            "session/prompt" => {
                let figures = obey(&message["params"], &mut input, &mut output)?;
                json!({ "stopReason": "end_turn", "_meta": { "bench": figures } })
            }
            other => return Err(format!("expected a method this agent knows, got {other}").into()),
        };
        output.write_all(&message::answer(id, &result))?;
    }
    Ok(())
}

/// Does what the prompt says; gives what was measured on this side.
fn obey(
    params: &Value,
    input: &mut Input<impl io::Read>,
    output: &mut impl Write,
) -> Outcome<Value> {
    let asked = Instant::now();
    let text = params["prompt"][0]["text"].as_str().ok_or("expected a prompt with a text block")?;
    let Command { mode, text } = Command::parse(text)?;
    match mode {
        Mode::Stream { updates, sessions, repeat, kind, is_by_line } => {
            let text = text.repeat(repeat);
            updates::stream(output, asked, updates, sessions, &kind, &text, is_by_line)
        }
        Mode::Paced { updates, per_second } => updates::paced(output, updates, per_second, &text),
        Mode::Huge { repeat } => updates::huge(output, asked, &text.repeat(repeat)),
        Mode::Calls { calls, in_flight } => calls::run(input, output, calls, in_flight, &text),
        Mode::Result { repeat } => calls::result(input, output, &text.repeat(repeat)),
    }
}
