//! The one way to the agent's stdin.
//!
//! A line is written at once, on the thread that has it, when the pipe takes it without waiting and
//! nothing is queued before it; the rest goes to the writer's task. That saves an answer two thread
//! hops. Everything happens under one lock, so lines keep their order and are never torn.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

/// One write of the task takes about this much, in bytes.
const BATCH_BYTES: usize = 256 * 1024;

/// A descriptor of the same pipe that never waits; Unix only.
#[cfg(unix)]
pub type Direct = std::os::fd::OwnedFd;
/// Windows pipes have no write that never waits.
#[cfg(not(unix))]
pub type Direct = std::convert::Infallible;

#[derive(Debug)]
struct State {
    queue: VecDeque<Vec<u8>>,
    /// The task holds a batch: a direct write would overtake it.
    is_writing: bool,
    direct: Option<Direct>,
    is_closing: bool,
}

/// See the module's head.
#[derive(Debug)]
pub struct Writer {
    state: Mutex<State>,
    wake: Notify,
}

impl Writer {
    /// A writer whose task is [`run`](Self::run).
    #[must_use]
    pub fn new(direct: Option<Direct>) -> Self {
        let state = State { queue: VecDeque::new(), is_writing: false, direct, is_closing: false };
        Self { state: Mutex::new(state), wake: Notify::new() }
    }

    /// Writes whole lines. After [`close`](Self::close) nothing is written any more.
    pub fn write(&self, mut lines: Vec<u8>) {
        let mut state = self.lock();
        if state.is_closing || lines.is_empty() {
            return;
        }
        if state.queue.is_empty() && !state.is_writing {
            let written = state.direct.as_ref().map_or(0, |direct| write_now(direct, &lines));
            if written == lines.len() {
                return;
            }
            lines.drain(..written);
        }
        state.queue.push_back(lines);
        drop(state);
        self.wake.notify_one();
    }

    /// Closes the pipe once all that was written before is through.
    pub fn close(&self) {
        self.lock().is_closing = true;
        self.wake.notify_one();
    }

    /// Writes what is queued until the writer is closed, then ends the stream.
    ///
    /// # Errors
    /// The pipe's: the agent reads no more.
    pub async fn run(&self, mut pipe: impl AsyncWrite + Unpin) -> io::Result<()> {
        let outcome = loop {
            match self.next_batch() {
                Next::Batch(batch) => {
                    if let Err(error) = pipe.write_all(&batch).await {
                        break Err(error);
                    }
                }
                Next::Nothing => self.wake.notified().await,
                Next::End => break pipe.shutdown().await,
            }
        };
        let mut state = self.lock();
        state.is_closing = true;
        state.queue.clear();
        // The second descriptor goes too, else the agent would see no end of its stdin.
        state.direct = None;
        outcome
    }

    fn next_batch(&self) -> Next {
        let mut state = self.lock();
        state.is_writing = false;
        let Some(mut batch) = state.queue.pop_front() else {
            return if state.is_closing { Next::End } else { Next::Nothing };
        };
        while batch.len() < BATCH_BYTES {
            let Some(lines) = state.queue.pop_front() else { break };
            batch.extend_from_slice(&lines);
        }
        state.is_writing = true;
        Next::Batch(batch)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Next {
    Batch(Vec<u8>),
    Nothing,
    End,
}

/// Writes as much as the pipe takes without waiting. An error is left to the task to meet.
#[cfg(unix)]
fn write_now(direct: &Direct, lines: &[u8]) -> usize {
    let mut written = 0;
    while let Some(rest) = lines.get(written..).filter(|rest| !rest.is_empty()) {
        match rustix::io::write(direct, rest) {
            Ok(count) if count > 0 => written += count,
            _ => break,
        }
    }
    written
}

#[cfg(not(unix))]
fn write_now(direct: &Direct, _lines: &[u8]) -> usize {
    match *direct {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn lines_keep_their_order_and_the_end_comes_last() {
        let (mut far, near) = tokio::io::duplex(16);
        let writer = Arc::new(Writer::new(None));
        let task = tokio::spawn({
            let writer = Arc::clone(&writer);
            async move { writer.run(near).await }
        });
        let mut expected = String::new();
        for number in 0..500 {
            let line = format!("line {number}\n");
            expected.push_str(&line);
            writer.write(line.into_bytes());
        }
        writer.close();
        writer.write(b"too late\n".to_vec());
        let mut text = String::new();
        far.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, expected);
        task.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_reader_that_is_gone_is_an_error_of_the_task() {
        let (far, near) = tokio::io::duplex(16);
        drop(far);
        let writer = Writer::new(None);
        writer.write(b"x\n".to_vec());
        assert!(writer.run(near).await.is_err());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_full_pipe_takes_the_rest_by_the_task_without_tearing_lines() {
        let (sender, receiver) = tokio::net::unix::pipe::pipe().unwrap();
        let direct = std::os::fd::AsFd::as_fd(&sender).try_clone_to_owned().unwrap();
        let writer = Arc::new(Writer::new(Some(direct)));
        let mut expected = Vec::new();
        for number in 0..200 {
            let line = format!("{number} {}\n", "x".repeat(1000)).into_bytes();
            expected.extend_from_slice(&line);
            writer.write(line);
        }
        let task = tokio::spawn({
            let writer = Arc::clone(&writer);
            async move { writer.run(sender).await }
        });
        writer.close();
        let (mut receiver, mut read) = (receiver, Vec::new());
        receiver.read_to_end(&mut read).await.unwrap();
        assert!(read == expected, "{} bytes of {}", read.len(), expected.len());
        task.await.unwrap().unwrap();
    }
}
