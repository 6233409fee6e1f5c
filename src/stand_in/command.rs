//! The command `stand-in -acp [-agent FILE]`: its command line, and the agent on the streams of the
//! process.

use std::io::Write;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::io::{stdin, stdout};

use super::agent_file::AgentFile;
use super::connection::{Io, run};
use super::log::Log;
use super::loop_detector::LoopLimits;
use super::model::Rules;
use super::{Clock, Setup};

const USAGE: &str = "\
usage: stand-in -acp [-agent FILE]

An agent for tests and demos of ACP clients, in the place of mm. It speaks ACP over stdin and stdout
and calls the tools its client lends it. Its model is a set of rules, not a language model.

  -acp          speak ACP; the only mode there is
  -agent FILE   the agent file (YAML): acp.clientTools.{enabled,discovery,permissions,timeout},
                yolo, maxOutput; keys it does not know are ignored
  -help         print this text";

/// Exit status of a command line that cannot be understood.
const USAGE_STATUS: i32 = 2;

/// What a command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Acp { agent_file: Option<String> },
    Help,
    Misused(String),
}

/// Runs the command with `args` on the streams of this process, and returns its exit status.
pub async fn run_on_stdio(args: Vec<String>) -> i32 {
    let log = Log::new(|line| write_line(std::io::stderr(), line));
    let agent_file = match parse(&args) {
        Command::Help => {
            write_line(std::io::stdout(), USAGE);
            return 0;
        }
        Command::Misused(problem) => {
            log.line(format_args!("{problem}\n{USAGE}"));
            return USAGE_STATUS;
        }
        Command::Acp { agent_file: None } => AgentFile::default(),
        Command::Acp { agent_file: Some(path) } => match read_agent_file(&path) {
            Ok(agent_file) => agent_file,
            Err(problem) => {
                log.own(problem);
                return 1;
            }
        },
    };
    let setup = Setup {
        agent_file,
        model: Arc::new(Rules),
        clock: system_clock(),
        loop_limits: LoopLimits::default(),
        past_sessions: Vec::new(),
    };
    run(Io { input: stdin(), output: stdout(), log }, setup).await
}

#[expect(clippy::disallowed_methods, reason = "the command is where the time comes from")]
fn system_clock() -> Clock {
    SystemTime::now
}

fn read_agent_file(path: &str) -> Result<AgentFile, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("expected to read the agent file {path}, got: {error}"))?;
    AgentFile::parse(path, &text).map_err(|error| error.to_string())
}

fn write_line(mut stream: impl Write, line: &str) {
    // A stream that is gone leaves nobody to tell.
    drop(stream.write_all(format!("{line}\n").as_bytes()));
}

/// Flags are written as Go programs take them: one dash or two, `-agent FILE` or `-agent=FILE`.
fn parse(args: &[String]) -> Command {
    let mut is_acp = false;
    let mut agent_file = None;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let flag = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-'));
        match flag {
            Some("acp") => is_acp = true,
            Some("help" | "h") => return Command::Help,
            Some("agent") => match args.next() {
                Some(path) => agent_file = Some(path.clone()),
                None => {
                    return Command::Misused("expected a file after -agent, got nothing".into());
                }
            },
            Some(flag) if flag.starts_with("agent=") => {
                agent_file = flag.strip_prefix("agent=").map(str::to_owned);
            }
            _ => return Command::Misused(format!("expected a flag, got {arg}")),
        }
    }
    if is_acp {
        return Command::Acp { agent_file };
    }
    Command::Misused("expected -acp, the only mode there is, got none".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &Command) {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(parse(&args), *expected);
    }

    fn acp(agent_file: Option<&str>) -> Command {
        Command::Acp { agent_file: agent_file.map(str::to_owned) }
    }

    #[test]
    fn flags_are_taken_with_one_dash_or_two_and_in_any_order() {
        check("-acp", &acp(None));
        check("--acp -agent a.yaml", &acp(Some("a.yaml")));
        check("--agent a.yaml -acp", &acp(Some("a.yaml")));
        check("-agent=a=b.yaml -acp", &acp(Some("a=b.yaml")));
    }

    #[test]
    fn help_wins() {
        check("-acp --help", &Command::Help);
        check("-h", &Command::Help);
    }

    #[test]
    fn what_is_not_understood_says_what_was_expected() {
        check("", &Command::Misused("expected -acp, the only mode there is, got none".into()));
        check("-acp -agent", &Command::Misused("expected a file after -agent, got nothing".into()));
        check("-acp -tui", &Command::Misused("expected a flag, got -tui".into()));
        check("acp", &Command::Misused("expected a flag, got acp".into()));
    }
}
