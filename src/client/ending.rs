//! How a connection ends. Whichever side ends first, the others follow in bounded time; then everything
//! that was said is delivered, and the last entry of the lane tells how it ended.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::entries;
use super::failure::Failure;
use super::order::Order;
use super::writer::{Overflow, WriteFailure, Writer};
use crate::process::shutdown::{Exit, Stop};
use crate::wire::lane::Lane;

/// How long an agent that has closed its output may take to end by itself.
const END_AFTER_OUTPUT: Duration = Duration::from_millis(250);
/// The grace of an agent that broke the protocol, after SIGTERM.
const END_AFTER_FAULT: Duration = Duration::from_millis(500);

/// The last entry of the lane.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct End {
    exit_code: Option<i32>,
    signal: Option<i32>,
    stderr: String,
    /// Why the client ended it; null when the agent ended.
    failure: Option<Value>,
}

/// The tasks that serve a connection.
#[derive(Debug)]
pub struct Tasks {
    /// Reads stdout.
    pub reader: JoinHandle<Result<(), Failure>>,
    /// Reads stderr; gives its tail.
    pub stderr: JoinHandle<String>,
    /// Writes stdin.
    pub writer: JoinHandle<Result<(), WriteFailure>>,
    /// Drives the crate.
    pub driver: JoinHandle<Result<(), agent_client_protocol::Error>>,
    /// Writes what the crate sends.
    pub frames: JoinHandle<()>,
    /// Sees the agent to its end.
    pub life: JoinHandle<Exit>,
}

/// What an end needs to reach.
#[derive(Debug)]
pub struct Ending {
    /// To JavaScript.
    pub lane: Arc<Lane>,
    /// What is still inside the crate.
    pub order: Arc<Order>,
    /// The agent's stdin.
    pub writer: Arc<Writer>,
    /// Brings the agent's end about.
    pub stop: watch::Sender<Option<Stop>>,
    /// Tells the readers of it.
    pub has_exited: watch::Sender<bool>,
}

impl Ending {
    /// Waits for the end of the connection and tells it.
    pub async fn run(self, tasks: Tasks) {
        let Tasks { reader, stderr, writer, driver, frames, life } = tasks;
        let mut reader = reader.fuse();
        let mut writer = writer.fuse();
        let mut driver = driver.fuse();
        let mut life = life.fuse();
        let mut read = None;
        let mut fault = None;
        let exit = loop {
            // Whichever side ends first, the others follow in bounded time.
            tokio::select! {
                exit = &mut life => break exit.unwrap_or_default(),
                outcome = &mut reader => {
                    let outcome = outcome.unwrap_or_else(|error| Err(panicked(&error)));
                    self.stop_later(if outcome.is_err() { Duration::ZERO } else { END_AFTER_OUTPUT });
                    read = Some(outcome);
                }
                outcome = &mut writer => match outcome {
                    Ok(Ok(())) => {}
                    Ok(Err(WriteFailure::Overflow(overflow))) => {
                        fault = Some(unwritten(overflow));
                        self.stop_later(Duration::ZERO);
                    }
                    Ok(Err(WriteFailure::Pipe(_))) | Err(_) => self.stop_later(END_AFTER_OUTPUT),
                },
                outcome = &mut driver => {
                    fault = Some(driver_failure(outcome));
                    self.stop_later(Duration::ZERO);
                }
            }
        };
        self.has_exited.send_replace(true);
        let read = match read {
            Some(read) => read,
            None => reader.await.unwrap_or_else(|error| Err(panicked(&error))),
        };
        let stderr = stderr.await.unwrap_or_default();
        if fault.is_none() {
            tokio::select! {
                () = self.order.idle() => {}
                outcome = &mut driver => fault = Some(driver_failure(outcome)),
            }
        }
        let failure = read.err().or(fault);
        let end = End {
            exit_code: exit.code,
            signal: exit.signal,
            stderr,
            failure: failure.as_ref().map(Failure::to_value),
        };
        self.lane.finish(&entries::end(&end));
        self.writer.close();
        frames.abort();
    }

    /// Ends an agent that does not end by itself within `delay`.
    fn stop_later(&self, delay: Duration) {
        let (stop, writer) = (self.stop.clone(), Arc::clone(&self.writer));
        tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            writer.close();
            stop.send_if_modified(|current| {
                let is_first = current.is_none();
                current.get_or_insert(Stop::Firmly { grace: END_AFTER_FAULT });
                is_first
            });
        });
    }
}

/// The failure of an agent that does not read.
#[must_use]
pub fn unwritten(overflow: Overflow) -> Failure {
    Failure::Unwritten { bytes: overflow.bytes }
}

fn panicked(error: &tokio::task::JoinError) -> Failure {
    Failure::Internal(error.to_string())
}

fn driver_failure(
    outcome: Result<Result<(), agent_client_protocol::Error>, tokio::task::JoinError>,
) -> Failure {
    match outcome {
        Ok(Ok(())) => Failure::Internal("the protocol driver ended early".to_owned()),
        Ok(Err(error)) => Failure::Internal(error.to_string()),
        Err(error) => panicked(&error),
    }
}
