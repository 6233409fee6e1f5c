//! An agent that misbehaves at random: it drops, repeats, reorders, lies about ids and types, floods,
//! is silent, leaves lines half written, makes noise, and dies.

use std::cell::RefCell;
use std::time::Duration;

use mini_me_client::process::shutdown::Exit;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::{oneshot, watch};
use tokio::time::sleep;

use crate::book::Book;
use crate::random::Random;

/// The longest line the client takes, in bytes.
pub(crate) const LINE_LIMIT: usize = 100_000;

/// What the agent has of the connection.
pub(crate) struct Ends {
    pub(crate) reads: ReadHalf<DuplexStream>,
    pub(crate) writes: WriteHalf<DuplexStream>,
    pub(crate) stderr: DuplexStream,
    /// How it ends by itself.
    pub(crate) exit: oneshot::Sender<Exit>,
    /// Whether it was ended.
    pub(crate) killed: watch::Receiver<bool>,
}

/// What both halves of the agent know.
#[derive(Default)]
struct State {
    /// Requests of the client that were read and not answered.
    open: Vec<u64>,
    /// Its stdin has ended.
    is_at_end: bool,
    is_deaf: bool,
}

struct Mouth<'a> {
    random: Random,
    book: &'a RefCell<Book>,
    state: &'a RefCell<State>,
    writes: WriteHalf<DuplexStream>,
    stderr: DuplexStream,
    killed: watch::Receiver<bool>,
    /// Nothing more can be written.
    is_mute: bool,
    /// What is missing of the line that was begun.
    half: Option<String>,
    last: String,
}

/// Lives until it has ended or was ended.
pub(crate) async fn run(ends: Ends, mut random: Random, book: &RefCell<Book>) {
    let Ends { reads, writes, stderr, exit, killed } = ends;
    let state = RefCell::new(State::default());
    let ears = listen(reads, book, &state);
    let mut mouth = Mouth {
        random: random.fork(),
        book,
        state: &state,
        writes,
        stderr,
        killed: killed.clone(),
        is_mute: false,
        half: None,
        last: "{}".to_owned(),
    };
    let mut end = killed;
    tokio::select! {
        () = async { tokio::join!(ears, mouth.speak()); } => {}
        _ = end.wait_for(|killed| *killed) => return,
    }
    // Whether somebody still waits for the exit is not its affair.
    match exit.send(Exit { code: Some(0), signal: None }) {
        Ok(()) | Err(_) => {}
    }
}

async fn listen(reads: ReadHalf<DuplexStream>, book: &RefCell<Book>, state: &RefCell<State>) {
    #[derive(Deserialize)]
    struct Message<'a> {
        #[serde(borrow)]
        id: Option<&'a RawValue>,
        method: Option<String>,
    }
    let mut reads = BufReader::new(reads);
    let mut line = String::new();
    loop {
        while state.borrow().is_deaf {
            sleep(Duration::from_millis(5)).await;
        }
        line.clear();
        if !matches!(reads.read_line(&mut line).await, Ok(1..)) {
            state.borrow_mut().is_at_end = true;
            return;
        }
        let message: Message<'_> = serde_json::from_str(&line).expect("the client writes JSON");
        match (message.id, message.method) {
            (Some(id), Some(_)) => {
                let id = id.get().parse().expect("the client's ids are integers");
                state.borrow_mut().open.push(id);
            }
            (Some(id), None) => Book::count(&mut book.borrow_mut().told, id.get()),
            (None, Some(_)) => {}
            // An answer to what had no usable id.
            (None, None) => Book::count(&mut book.borrow_mut().told, "null"),
        }
    }
}

impl Mouth<'_> {
    async fn speak(&mut self) {
        let steps = self.random.below(60);
        for _ in 0..steps {
            if self.is_mute || self.is_wanted_dead() || self.book.borrow().is_peaceful {
                break;
            }
            self.act().await;
        }
        self.state.borrow_mut().is_deaf = false;
        // Having done its worst it does its best.
        while !self.is_mute && !self.state.borrow().is_at_end {
            if self.book.borrow().is_peaceful {
                let open = std::mem::take(&mut self.state.borrow_mut().open);
                for id in open {
                    self.answer(id, "\"result\":1").await;
                }
            }
            sleep(Duration::from_millis(5)).await;
        }
    }

    fn is_wanted_dead(&mut self) -> bool {
        let is_at_end = self.state.borrow().is_at_end;
        is_at_end && self.random.one_in(5)
    }

    async fn act(&mut self) {
        match self.random.below(34) {
            0..=7 => self.answer_some().await,
            8..=10 => self.call().await,
            11..=13 => self.ask().await,
            14 => self.withdraw().await,
            15 => self.repeat().await,
            16 => self.flood().await,
            17..=19 => self.update().await,
            20..=21 => self.lie().await,
            22..=23 => self.babble().await,
            24 => self.begin_line().await,
            25 => self.complain().await,
            26 => {
                let is_deaf = self.random.one_in(2);
                self.state.borrow_mut().is_deaf = is_deaf;
            }
            27 if self.random.one_in(12) => self.fall_silent().await,
            28 if self.random.one_in(12) => self.overdo().await,
            _ => sleep(Duration::from_millis(u64::try_from(self.random.below(30)).unwrap())).await,
        }
    }

    /// In any order, and in any of the forms an answer has.
    async fn answer_some(&mut self) {
        let count = self.state.borrow().open.len();
        if count == 0 {
            return;
        }
        let at = self.random.below(count);
        let id = self.state.borrow_mut().open.swap_remove(at);
        let outcome = self.random.pick(&[
            "\"result\":{\"x\":[1,\"é\"]}",
            "\"result\":null",
            "\"error\":{\"code\":-1,\"message\":\"no\"}",
            "\"error\":\"no\"",
            "\"error\":null",
            "\"result\":1,\"error\":{\"code\":\"x\"}",
            "\"other\":1",
            "\"result\":\"\\ud83d\"",
            "\"result\":1e400",
        ]);
        self.answer(id, outcome).await;
    }

    async fn answer(&mut self, id: u64, outcome: &str) {
        if self.line(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{outcome}}}")).await {
            self.book.borrow_mut().answered.insert(id);
        }
    }

    /// Calls a lent tool, with arguments that fit or not.
    async fn call(&mut self) {
        let params = self.random.pick(&[
            "{\"n\":1}",
            "{\"n\":2,\"_meta\":{\"org.mini-me/sessionId\":\"s\"}}",
            "{\"n\":\"x\"}",
            "{\"n\":1e400}",
            "[1]",
            "7",
            "{}",
            "null",
        ]);
        let method = self.random.pick(&["_t/info", "_t/info", "_t/any"]);
        self.request(method, params).await;
    }

    async fn ask(&mut self) {
        let method = self.random.pick(&["ask", "session/request_permission", "_t/none", ""]);
        let params = self.random.pick(&["{}", "[]", "null", "{\"é\":\"\\ud83d\"}", "\"x\""]);
        self.request(method, params).await;
    }

    async fn request(&mut self, method: &str, params: &str) {
        let id = self.id();
        let line = format!("{{\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}");
        if self.line(&line).await {
            Book::count(&mut self.book.borrow_mut().asked, &id);
        }
    }

    /// Often one that is in use, on this side or on the other.
    fn id(&mut self) -> String {
        let number = self.random.below(12);
        match self.random.below(8) {
            0 => format!("\"{number}\""),
            1 => format!("{number}.0"),
            2 => "12345678901234567890123".to_owned(),
            3 => "-1".to_owned(),
            4 => "\"\\u0061\"".to_owned(),
            _ => number.to_string(),
        }
    }

    async fn withdraw(&mut self) {
        let id = match self.random.below(6) {
            0 => "{}".to_owned(),
            1 => "null".to_owned(),
            _ => self.id(),
        };
        let method = "\"method\":\"$/cancel_request\"";
        self.line(&format!("{{{method},\"params\":{{\"requestId\":{id}}}}}")).await;
    }

    /// The last answer or update once more.
    async fn repeat(&mut self) {
        let last = self.last.clone();
        for _ in 0..=self.random.below(3) {
            self.write_line(&last).await;
        }
    }

    /// Texts, seldom more of them than the lane takes.
    async fn flood(&mut self) {
        let (size, count) = if self.random.one_in(60) {
            (LINE_LIMIT / 2, 200)
        } else {
            (1 << self.random.below(12), self.random.below(40))
        };
        let text = "x".repeat(size);
        let head = "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":";
        let tail =
            "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":";
        let line = format!("{head}{tail}\"{text}\"}}}}}}}}");
        for _ in 0..count {
            self.write_line(&line).await;
        }
    }

    async fn update(&mut self) {
        let params = self.random.pick(&[
            "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"plan\",\"entries\":[]}}",
            "{\"sessionId\":7}",
            "null",
            "[]",
            "{\"😀\":{\"a\":\"\\ud83d\"}}",
        ]);
        let method =
            self.random.pick(&["session/update", "session/update", "x", "$/mini-me/ticket"]);
        self.line(&format!("{{\"method\":\"{method}\",\"params\":{params}}}")).await;
    }

    /// What is no message, or is one for nobody.
    async fn lie(&mut self) {
        let lies = [
            ("null", "{\"id\":true,\"method\":\"x\"}"),
            ("null", "{\"id\":{},\"method\":\"_t/info\",\"params\":{\"n\":1}}"),
            ("7", "{\"id\":7,\"method\":7}"),
            ("\"q\"", "{\"id\":\"q\",\"method\":null}"),
            ("", "{\"method\":7}"),
            ("", "{\"id\":999999,\"result\":1}"),
            ("", "{\"id\":\"1\",\"result\":1}"),
            ("", "{\"id\":-1,\"error\":{}}"),
            ("", "{\"id\":1.5,\"result\":{}}"),
            ("", "{\"id\":null,\"error\":{\"code\":1}}"),
            ("", "{\"result\":1}"),
            ("", "{\"jsonrpc\":\"3.0\"}"),
        ];
        let (id, line) = lies[self.random.below(lies.len())];
        if self.line(line).await && !id.is_empty() {
            Book::count(&mut self.book.borrow_mut().asked, id);
        }
    }

    async fn babble(&mut self) {
        let noise: &[u8] = self.random.pick(&[
            b"hello\n",
            b"\n",
            b"\r\n",
            b"{\"half\": \n",
            b"[{\"id\":1,\"result\":1}]\n",
            b"\xff\xfe\xc3\n",
            b"{\"id\":1,\"result\":\n",
            b"\"\xe2\x80\xa8\"\n",
        ]);
        self.end_line().await;
        self.write(noise).await;
    }

    /// Leaves a line half written.
    async fn begin_line(&mut self) {
        self.end_line().await;
        let line = "{\"method\":\"x\",\"params\":{\"é\":[1,2,3]}}\n";
        let mut at = self.random.below(line.len());
        while !line.is_char_boundary(at) {
            at -= 1;
        }
        let (head, rest) = line.split_at(at);
        self.half = Some(rest.to_owned());
        self.write(head.as_bytes()).await;
    }

    /// Goes on with a line that was begun, or breaks it off.
    async fn end_line(&mut self) {
        if let Some(rest) = self.half.take() {
            let rest = if self.random.one_in(2) { rest } else { "\n".to_owned() };
            self.write(rest.as_bytes()).await;
        }
    }

    async fn complain(&mut self) {
        let text = self.random.pick(&["oh\n", "no line end", "é\r\n", "[acp] client tools: x\n"]);
        let mut killed = self.killed.clone();
        tokio::select! {
            written = self.stderr.write_all(text.as_bytes()) => drop(written),
            _ = killed.wait_for(|killed| *killed) => {}
        }
    }

    /// Closes its output, and lives on.
    async fn fall_silent(&mut self) {
        drop(self.writes.shutdown().await);
        self.is_mute = true;
    }

    /// A line, or as much other text, as no client takes.
    async fn overdo(&mut self) {
        self.end_line().await;
        if self.random.one_in(2) {
            self.write(&vec![b'x'; LINE_LIMIT + 1]).await;
            self.write(b"\n").await;
        } else {
            self.write(&b"banner\n".repeat(1001)).await;
        }
    }

    /// Whether the line is with the client, whole.
    async fn line(&mut self, line: &str) -> bool {
        let is_request = line.contains("\"method\"") && line.contains("\"id\"");
        if !is_request {
            line.clone_into(&mut self.last);
        }
        self.write_line(line).await
    }

    async fn write_line(&mut self, line: &str) -> bool {
        self.end_line().await;
        let end = self.random.pick(&["\n", "\n", "\n", "\r\n"]);
        self.write(format!("{line}{end}").as_bytes()).await
    }

    /// In pieces of any size.
    async fn write(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            if self.is_mute {
                return false;
            }
            let most = if self.random.one_in(4) { bytes.len().min(5) } else { bytes.len() };
            let (piece, rest) = bytes.split_at(1 + self.random.below(most));
            let mut killed = self.killed.clone();
            let is_written = tokio::select! {
                written = self.writes.write_all(piece) => written.is_ok(),
                _ = killed.wait_for(|killed| *killed) => false,
            };
            if !is_written {
                self.is_mute = true;
            }
            bytes = rest;
        }
        !self.is_mute
    }
}
