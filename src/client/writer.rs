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
/// An agent that lets more than this wait, in bytes, is not going to read it.
const FULL_BYTES: usize = 256 * 1024 * 1024;

/// A descriptor of the same pipe that never waits; Unix only.
#[cfg(unix)]
pub type Direct = std::os::fd::OwnedFd;
/// Windows pipes have no write that never waits.
#[cfg(not(unix))]
pub type Direct = std::convert::Infallible;

#[derive(Debug)]
struct State {
    queue: VecDeque<Piece>,
    /// What the queue holds, in bytes.
    queued_bytes: usize,
    /// Set once too much waited: nothing is written any more.
    overflow: Option<Overflow>,
    /// The task holds a batch: a direct write would overtake it.
    is_writing: bool,
    direct: Option<Direct>,
    is_closing: bool,
}

/// Too much waited to be read by the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overflow {
    /// How much waited.
    pub bytes: usize,
}

/// Why a writer has ended before it was closed.
#[derive(Debug)]
pub enum WriteFailure {
    /// The pipe's: the agent reads no more.
    Pipe(io::Error),
    /// The agent keeps the pipe, and does not read it.
    Overflow(Overflow),
}

/// See the module's head.
#[derive(Debug)]
pub struct Writer {
    state: Mutex<State>,
    wake: Notify,
    /// Told when the task must not wait for the pipe any longer.
    overflown: Notify,
}

impl Writer {
    /// A writer whose task is [`run`](Self::run).
    #[must_use]
    pub fn new(direct: Option<Direct>) -> Self {
        let state = State {
            queue: VecDeque::new(),
            queued_bytes: 0,
            overflow: None,
            is_writing: false,
            direct,
            is_closing: false,
        };
        Self { state: Mutex::new(state), wake: Notify::new(), overflown: Notify::new() }
    }

    /// Writes whole lines. After [`close`](Self::close) nothing is written any more.
    pub fn write(&self, lines: Vec<u8>) {
        self.write_pieces([lines]);
    }

    /// Writes whole lines that come in pieces: a large one is not copied to be joined.
    pub fn write_pieces(&self, pieces: impl IntoIterator<Item = Vec<u8>>) {
        let mut state = self.lock();
        if state.is_closing {
            return;
        }
        // What waits already counts, so that one line of any size may be sent.
        if state.queued_bytes > FULL_BYTES {
            state.overflow = Some(Overflow { bytes: state.queued_bytes });
            state.is_closing = true;
            state.drop_queue();
            self.overflown.notify_one();
            return;
        }
        let waited = state.queue.len();
        for bytes in pieces {
            state.write(bytes);
        }
        if state.queue.len() > waited {
            drop(state);
            self.wake.notify_one();
        }
    }

    /// What waited when it became too much; `None` while it has not.
    pub fn overflow(&self) -> Option<Overflow> {
        self.lock().overflow
    }

    /// Closes the pipe once all that was written before is through.
    pub fn close(&self) {
        self.lock().is_closing = true;
        self.wake.notify_one();
    }

    /// Writes what is queued until the writer is closed, then ends the stream.
    ///
    /// # Errors
    /// [`WriteFailure`]: the agent reads no more.
    pub async fn run(&self, pipe: impl AsyncWrite + Unpin) -> Result<(), WriteFailure> {
        let outcome = tokio::select! {
            outcome = self.write_queue(pipe) => outcome.map_err(WriteFailure::Pipe),
            overflow = self.overflown() => Err(WriteFailure::Overflow(overflow)),
        };
        let mut state = self.lock();
        state.is_closing = true;
        state.drop_queue();
        // The second descriptor goes too, else the agent would see no end of its stdin.
        state.direct = None;
        outcome
    }

    async fn write_queue(&self, mut pipe: impl AsyncWrite + Unpin) -> io::Result<()> {
        loop {
            match self.next_batch() {
                Next::Batch(batch) => pipe.write_all(batch.rest()).await?,
                Next::Nothing => self.wake.notified().await,
                Next::End => return pipe.shutdown().await,
            }
        }
    }

    async fn overflown(&self) -> Overflow {
        loop {
            self.overflown.notified().await;
            if let Some(overflow) = self.overflow() {
                return overflow;
            }
        }
    }

    fn next_batch(&self) -> Next {
        let mut state = self.lock();
        state.is_writing = false;
        let Some(mut batch) = state.queue.pop_front() else {
            return if state.is_closing { Next::End } else { Next::Nothing };
        };
        // Small lines are joined; to copy a large one would cost more than a write.
        while let Some(next) = state.queue.front()
            && batch.rest().len() + next.rest().len() <= BATCH_BYTES
        {
            batch.bytes.extend_from_slice(next.rest());
            state.queue.pop_front();
        }
        state.queued_bytes -= batch.rest().len();
        state.is_writing = true;
        Next::Batch(batch)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of which the first may be written already.
#[derive(Debug)]
struct Piece {
    bytes: Vec<u8>,
    written: usize,
}

impl Piece {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.written..).unwrap_or_default()
    }
}

impl State {
    /// Writes at once what can be, and queues the rest.
    fn write(&mut self, bytes: Vec<u8>) {
        let mut piece = Piece { bytes, written: 0 };
        if self.queue.is_empty() && !self.is_writing {
            piece.written =
                self.direct.as_ref().map_or(0, |direct| write_now(direct, &piece.bytes));
        }
        if piece.rest().is_empty() {
            return;
        }
        self.queued_bytes += piece.rest().len();
        self.queue.push_back(piece);
    }

    fn drop_queue(&mut self) {
        self.queue.clear();
        self.queued_bytes = 0;
    }
}

enum Next {
    Batch(Piece),
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

    #[tokio::test]
    async fn an_agent_that_never_reads_is_not_written_to_without_end() {
        let (_far, near) = tokio::io::duplex(16);
        let writer = Arc::new(Writer::new(None));
        let task = tokio::spawn({
            let writer = Arc::clone(&writer);
            async move { writer.run(near).await }
        });
        let line = vec![b'x'; FULL_BYTES / 4];
        for _ in 0..6 {
            assert_eq!(writer.overflow(), None);
            writer.write(line.clone());
            tokio::task::yield_now().await;
        }
        writer.write(line.clone());
        let overflow = writer.overflow().unwrap();
        assert!(overflow.bytes > FULL_BYTES, "{overflow:?}");
        let failure = task.await.unwrap().unwrap_err();
        assert!(matches!(failure, WriteFailure::Overflow(same) if same == overflow), "{failure:?}");
    }

    #[tokio::test]
    async fn a_line_in_pieces_stays_whole() {
        let (mut far, near) = tokio::io::duplex(1024);
        let writer = Arc::new(Writer::new(None));
        let task = tokio::spawn({
            let writer = Arc::clone(&writer);
            async move { writer.run(near).await }
        });
        let large = vec![b'x'; 2 * BATCH_BYTES];
        writer.write(b"before\n".to_vec());
        writer.write_pieces([b"<".to_vec(), large.clone(), b">\n".to_vec()]);
        writer.write(b"behind\n".to_vec());
        writer.close();
        let mut read = Vec::new();
        far.read_to_end(&mut read).await.unwrap();
        let expected = [&b"before\n<"[..], &large, &b">\nbehind\n"[..]].concat();
        assert!(read == expected, "{} bytes of {}", read.len(), expected.len());
        task.await.unwrap().unwrap();
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
