//! Traffic from the agent to the client: `session/update`.

use std::io::Write;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::Outcome;
use crate::message::{self, NUMBER_DIGITS, SESSION_DIGITS, UPDATE_SESSION_AT, patch};

/// What one write takes at most, unless it is one line: what a pipe holds on Linux.
const BLOCK_BYTES: usize = 64 * 1024;
/// Digits of a time in nanoseconds since the epoch.
const TIME_DIGITS: usize = 19;
const MESSAGE: &str = "agent_message_chunk";

/// `updates` numbered updates as fast as they are taken, of `sessions` sessions in turn.
pub(crate) fn stream(
    output: &mut impl Write,
    asked: Instant,
    updates: usize,
    sessions: usize,
    kind: &str,
    text: &str,
    is_by_line: bool,
) -> Outcome<Value> {
    let template = message::update(kind, text);
    let line_bytes = template.line.len();
    let lines = if is_by_line { 1 } else { (BLOCK_BYTES / line_bytes).max(1) };
    let mut block = template.line.repeat(lines);
    let started = Instant::now();
    let mut number = 0;
    while number < updates {
        let count = lines.min(updates - number);
        for line in block.chunks_exact_mut(line_bytes).take(count) {
            patch(&mut line[template.number_at..][..NUMBER_DIGITS], number as u128);
            if sessions > 1 {
                let session = (number % sessions) as u128;
                patch(&mut line[UPDATE_SESSION_AT..][..SESSION_DIGITS], session);
            }
            number += 1;
        }
        output.write_all(&block[..count * line_bytes])?;
        output.flush()?;
    }
    Ok(figures(asked, started, line_bytes))
}

/// `updates` updates, `per_second` of them; their text begins with number, space, nanoseconds.
pub(crate) fn paced(
    output: &mut impl Write,
    updates: usize,
    per_second: f64,
    text: &str,
) -> Outcome<Value> {
    let mut template = message::update(MESSAGE, &format!("{} {text}", "0".repeat(TIME_DIGITS)));
    let time_at = template.number_at + NUMBER_DIGITS + 1;
    let started = Instant::now();
    for number in 0..updates {
        let due = started + Duration::from_secs_f64(number as f64 / per_second);
        sleep(due.saturating_duration_since(Instant::now()));
        patch(&mut template.line[template.number_at..][..NUMBER_DIGITS], number as u128);
        let sent = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos();
        patch(&mut template.line[time_at..][..TIME_DIGITS], sent);
        output.write_all(&template.line)?;
        output.flush()?;
    }
    Ok(
        json!({ "agentMs": started.elapsed().as_secs_f64() * 1e3, "lineBytes": template.line.len() }),
    )
}

/// One update with all of `text`.
pub(crate) fn huge(output: &mut impl Write, asked: Instant, text: &str) -> Outcome<Value> {
    let line = message::update(MESSAGE, text).line;
    let started = Instant::now();
    output.write_all(&line)?;
    output.flush()?;
    Ok(figures(asked, started, line.len()))
}

/// `prepareMs` is the time in which lines were made and nothing was sent.
fn figures(asked: Instant, started: Instant, line_bytes: usize) -> Value {
    json!({
        "prepareMs": (started - asked).as_secs_f64() * 1e3,
        "agentMs": started.elapsed().as_secs_f64() * 1e3,
        "lineBytes": line_bytes,
    })
}
