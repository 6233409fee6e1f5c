//! Calls of the client's tools: sent, timed, and their answers checked once the clock has stopped.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Outcome;
use crate::input::Input;
use crate::message::{self, NUMBER_DIGITS, patch};

/// `calls` calls of `_bench/add`, `in_flight` of them open at once. An id is its call's number.
pub(crate) fn run(
    input: &mut Input<impl Read>,
    output: &mut impl Write,
    calls: usize,
    in_flight: usize,
    text: &str,
) -> Outcome<Value> {
    let mut template = message::add_call(text);
    let mut block = Vec::new();
    let mut sent_at: Vec<Instant> = Vec::with_capacity(calls);
    let mut answers: Vec<Answer> = Vec::with_capacity(calls);
    let started = Instant::now();
    while answers.len() < calls {
        block.clear();
        let now = Instant::now();
        while sent_at.len() < calls && sent_at.len() - answers.len() < in_flight {
            let number = sent_at.len();
            write!(block, "{{\"jsonrpc\":\"2.0\",\"id\":{number}")?;
            patch(&mut template.line[template.number_at..][..NUMBER_DIGITS], number as u128);
            block.extend_from_slice(&template.line);
            sent_at.push(now);
        }
        output.write_all(&block)?;
        output.flush()?;
        loop {
            let line = input.next_line()?.ok_or("expected an answer, got the end of stdin")?;
            answers.push(Answer::new(line, &sent_at)?);
            if input.is_drained() || answers.len() == calls {
                break;
            }
        }
    }
    let elapsed = started.elapsed();
    check_all(&answers, calls)?;
    let mut trips: Vec<Duration> = answers.iter().map(|answer| answer.trip).collect();
    trips.sort_unstable();
    let micros = |share: f64| trips[((calls - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
    Ok(json!({
        "agentMs": elapsed.as_secs_f64() * 1e3,
        "roundTripP50Us": micros(0.5),
        "roundTripP99Us": micros(0.99),
    }))
}

/// One call of `_bench/big`; its result must be `expected`, as one text block.
pub(crate) fn result(
    input: &mut Input<impl Read>,
    output: &mut impl Write,
    expected: &str,
) -> Outcome<Value> {
    let id = 0;
    let started = Instant::now();
    output.write_all(&message::big_call(id))?;
    output.flush()?;
    let line = input.next_line()?.ok_or("expected an answer, got the end of stdin")?;
    let elapsed = started.elapsed();
    let bytes = line.len();
    check(line, id, expected)?;
    Ok(json!({ "agentMs": elapsed.as_secs_f64() * 1e3, "lineBytes": bytes }))
}

struct Answer {
    id: u64,
    trip: Duration,
    line: Box<[u8]>,
}

impl Answer {
    fn new(line: &[u8], sent_at: &[Instant]) -> Outcome<Self> {
        let now = Instant::now();
        let id = message::answered_id(line).ok_or_else(|| unexpected("an answer", line))?;
        let sent = usize::try_from(id).ok().and_then(|id| sent_at.get(id));
        let sent = sent.ok_or_else(|| unexpected("the id of a call", line))?;
        Ok(Self { id, trip: now - *sent, line: line.into() })
    }
}

/// Every call answered once, each with what belongs to its own arguments.
fn check_all(answers: &[Answer], calls: usize) -> Outcome<()> {
    let mut is_answered = vec![false; calls];
    for Answer { id, line, .. } in answers {
        if std::mem::replace(&mut is_answered[usize::try_from(*id)?], true) {
            return Err(unexpected("one answer to a call", line).into());
        }
        check(line, *id, &format!("added {id:0NUMBER_DIGITS$}"))?;
    }
    Ok(())
}

fn check(line: &[u8], id: u64, text: &str) -> Outcome<()> {
    let answer: Value = serde_json::from_slice(line)?;
    let content = &answer["result"]["content"];
    let is_right = answer["id"] == id
        && answer["result"]["isError"] != true
        && content.as_array().is_some_and(|blocks| blocks.len() == 1)
        && content[0]["text"] == text;
    if is_right { Ok(()) } else { Err(unexpected("the result of the call", line).into()) }
}

fn unexpected(what: &str, line: &[u8]) -> String {
    format!("expected {what}, got {}", String::from_utf8_lossy(&line[..line.len().min(300)]))
}
