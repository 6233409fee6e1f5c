//! What a prompt asks for.

use serde_json::Value;

use crate::Outcome;

/// A prompt's text, read. `text` fills the updates and the arguments of calls; the benchmark chooses
/// it, so that both sides know what has to arrive.
pub(crate) struct Command {
    pub(crate) mode: Mode,
    pub(crate) text: String,
}

/// The kinds of traffic.
pub(crate) enum Mode {
    /// Updates as fast as they are taken, of the first so many sessions in turn, each with the text so
    /// many times; in blocks, or with a write for each line.
    Stream { updates: usize, sessions: usize, repeat: usize, kind: String, is_by_line: bool },
    /// Updates at a steady rate, each with the time it was sent at.
    Paced { updates: usize, per_second: f64 },
    /// One update that holds the text so many times.
    Huge { repeat: usize },
    /// Calls of the tool `_bench/add`, so many of them open at once.
    Calls { calls: usize, in_flight: usize },
    /// One call of the tool `_bench/big`, whose result must be the text so many times.
    Result { repeat: usize },
}

impl Command {
    pub(crate) fn parse(json: &str) -> Outcome<Self> {
        let command: Value = serde_json::from_str(json)?;
        let number = |name: &str| {
            let number = command[name].as_u64().and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(|| format!("expected {name} to be a count, got {}", command[name]))
        };
        let number_or_one = |name: &str| if command[name].is_null() { Ok(1) } else { number(name) };
        let mode = match command["mode"].as_str() {
            Some("stream") => Mode::Stream {
                updates: number("updates")?,
                sessions: number_or_one("sessions")?,
                repeat: number_or_one("repeat")?,
                kind: command["kind"].as_str().unwrap_or("agent_message_chunk").to_owned(),
                is_by_line: command["isByLine"] == true,
            },
            Some("paced") => Mode::Paced {
                updates: number("updates")?,
                per_second: command["perSecond"].as_f64().ok_or("expected perSecond")?,
            },
            Some("huge") => Mode::Huge { repeat: number("repeat")? },
            Some("calls") => {
                Mode::Calls { calls: number("calls")?, in_flight: number("inFlight")? }
            }
            Some("result") => Mode::Result { repeat: number("repeat")? },
            _ => return Err(format!("expected a mode, got {}", command["mode"]).into()),
        };
        let text = command["text"].as_str().ok_or("expected a text")?.to_owned();
        Ok(Self { mode, text })
    }
}
