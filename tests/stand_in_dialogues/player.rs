//! Plays a recorded client against the stand-in.

use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use mini_me_client::stand_in::{Io, Log, Record, Setup, run};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, duplex};
use tokio::task::JoinHandle;

use super::matching::Line;
use super::model::{Script, SharedNames};
use super::order::{self, Strands, Written, kind};
use super::transcript::{self, Direction, Entry};
use super::{deviations, settings};

/// Longer than any time limit of the stand-in. The clock of the tests is one that jumps.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Plays a file to its end.
pub(crate) async fn play(file: &'static str) {
    let entries = deviations::apply(file, transcript::read(file));
    let mut player = Player::start(file, &entries);
    for (at, entry) in entries.iter().enumerate() {
        match entry.direction {
            Direction::ToAgent => player.write(entry, at + 1 == entries.len()).await,
            Direction::ToClient => player.expect(entry).await,
            Direction::Stderr | Direction::Note => {}
        }
    }
    player.end(&entries).await;
}

struct Player {
    file: &'static str,
    to_agent: DuplexStream,
    from_agent: Lines<BufReader<DuplexStream>>,
    agent: JoinHandle<i32>,
    log: Arc<Mutex<Vec<String>>>,
    names: SharedNames,
    strands: Strands,
    /// Lines of the stand-in that no recorded one was found for yet, with their order of arrival.
    pending: Vec<(usize, Line)>,
    arrived: usize,
    written: Vec<Written>,
}

impl Player {
    fn start(file: &'static str, entries: &[Entry]) -> Self {
        let names = SharedNames::default();
        let script = Script::derive(entries, settings::traceless_steps(file), Arc::clone(&names));
        let (to_agent, input) = duplex(64 * 1024);
        let (output, from_agent) = duplex(64 * 1024);
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&log);
        let setup = Setup {
            agent_file: settings::agent_file(file),
            model: Arc::new(script),
            clock: || UNIX_EPOCH,
            loop_limits: settings::loop_limits(file),
            introduction: "a test",
            record: Record::default(),
            past_sessions: settings::past_sessions(file),
        };
        let log_to = Log::new(move |line| lines.lock().unwrap().push(line.to_owned()));
        Self {
            file,
            to_agent,
            from_agent: BufReader::new(from_agent).lines(),
            agent: tokio::spawn(run(Io { input, output, log: log_to }, setup)),
            log,
            names,
            strands: Strands::default(),
            pending: Vec::new(),
            arrived: 0,
            written: Vec::new(),
        }
    }

    /// The client writes a line.
    async fn write(&mut self, entry: &Entry, is_last: bool) {
        let mut line = self.names.lock().unwrap().translate_line(&entry.line);
        if let Some(message) = order::read(&entry.line) {
            self.strands.client_wrote(&message.value);
        }
        if !entry.is_partial {
            line.push('\n');
        }
        let is_read = self.to_agent.write_all(line.as_bytes()).await.is_ok();
        assert!(is_read || is_last, "{}: line {} was not read", self.file, entry.number);
    }

    /// The stand-in writes a line.
    async fn expect(&mut self, entry: &Entry) {
        let recorded = Line::read(entry.line.clone());
        let mut tried = 0;
        let arrival = loop {
            if let Some(arrival) = self.take_pending(&recorded, tried) {
                break arrival;
            }
            tried = self.pending.len();
            let Some(line) = self.next().await else { self.fail(entry) };
            self.pending.push((self.arrived, line));
            self.arrived += 1;
        };
        let (kind, strand) = (kind(&recorded.value), self.strands.of(&recorded.value));
        self.written.push(Written { number: entry.number, kind, strand, arrival });
    }

    /// When the recorded line arrived, if it is among the pending ones from `from` on.
    fn take_pending(&mut self, recorded: &Line, from: usize) -> Option<usize> {
        let mut names = self.names.lock().unwrap();
        let mut untried = self.pending.iter().skip(from);
        let at = untried.position(|(_, line)| names.take(recorded, line))?;
        Some(self.pending.remove(from + at).0)
    }

    async fn next(&mut self) -> Option<Line> {
        let line = tokio::time::timeout(PATIENCE, self.from_agent.next_line()).await.ok()?;
        line.expect("an open pipe").map(Line::read)
    }

    fn fail(&self, entry: &Entry) -> ! {
        let shown = |text: &str| text.chars().take(400).collect::<String>();
        let pending: Vec<_> =
            self.pending.iter().take(5).map(|(_, line)| shown(&line.text)).collect();
        panic!(
            "{}: expected line {}: {}\ngot: {pending:#?}\nknown to differ: {:?}",
            self.file,
            entry.number,
            shown(&entry.line),
            deviations::reasons(self.file),
        );
    }

    /// The client closes its end: nothing more is written, and stderr is as it was.
    async fn end(mut self, entries: &[Entry]) {
        self.to_agent.shutdown().await.expect("an open pipe");
        while let Some(line) = self.next().await {
            self.pending.push((self.arrived, line));
        }
        let rest: Vec<_> = self.pending.iter().map(|(_, line)| line.text.as_str()).collect();
        assert_eq!(rest, Vec::<&str>::new(), "{}: lines that were not recorded", self.file);
        let status = tokio::time::timeout(PATIENCE, self.agent).await.expect("an end");
        assert_eq!(status.expect("no panic"), 0, "{}: exit status", self.file);
        order::check(self.file, &self.written);
        let names = self.names.lock().unwrap();
        let recorded = entries.iter().filter(|entry| entry.direction == Direction::Stderr);
        let recorded: Vec<String> =
            recorded.filter_map(|entry| about_tools(&names.translate(&entry.line))).collect();
        let log = self.log.lock().unwrap();
        let logged: Vec<String> = log.iter().filter_map(|line| about_tools(line)).collect();
        assert_eq!(logged, recorded, "{}: stderr", self.file);
    }
}

/// A line of mm's on stderr, without the words each agent chooses for itself.
fn about_tools(line: &str) -> Option<String> {
    const FREE: [&str; 2] = ["not a tool description:", "got"];
    let line = line.starts_with("[acp] ").then_some(line)?;
    let free = FREE.iter().find_map(|word| Some(line.find(word)? + word.len()));
    Some(line[..free.unwrap_or(line.len())].to_owned())
}
