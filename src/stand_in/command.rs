//! The command `mm-stand-in -acp ...`: its command line, and the agent on the streams of the process.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use tokio::io::{stdin, stdout};

use super::agent_file::{AgentFile, MODEL_KINDS, ModelKind, ModelSettings};
use super::connection::{Io, run};
use super::log::Log;
use super::loop_detector::LoopLimits;
use super::model::{Model, Rules};
use super::record::Record;
use super::{Clock, Setup};

const USAGE: &str = "\
usage: mm-stand-in -acp [-agent FILE] [-model MODEL] [-script FILE] [-record FILE]

An agent for tests and demos of ACP clients, in the place of mm. It speaks ACP over stdin and stdout
and calls the tools its client lends it.

  -acp          speak ACP; the only mode there is
  -agent FILE   the agent file (YAML): acp.clientTools.{enabled,discovery,permissions,timeout}, yolo,
                maxOutput, standIn.{model,script,baseUrl,modelName,apiKey,temperature}; keys it does
                not know are ignored
  -model MODEL  what decides:
                  rules   the words of the question choose the tools (default; no language model)
                  script  what -script says
                  openai  a server with OpenAI's chat completions: standIn.baseUrl, standIn.modelName
                          or OPENAI_BASE_URL, OPENAI_MODEL, and OPENAI_API_KEY
  -script FILE  the script, JSON or a module; implies -model script
  -record FILE  append what it took, asked and read, one JSON object a line
  -help         print this text";

/// Exit status of a command line that cannot be understood.
const USAGE_STATUS: i32 = 2;

/// What a command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Acp(Flags),
    Help,
    Misused(String),
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Flags {
    agent_file: Option<String>,
    model: Option<ModelKind>,
    script: Option<String>,
    record: Option<String>,
}

/// What is going to run.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// What decides; the flags and the agent file in one. `script` is absolute.
    pub model: ModelSettings,
    /// The settings.
    #[serde(skip)]
    pub agent_file: AgentFile,
    /// Where the record goes.
    #[serde(skip)]
    pub record: Option<PathBuf>,
}

/// Reads a command line. `Err` is an exit status: all there was to do is done.
///
/// # Errors
/// See above.
pub fn plan(args: &[String]) -> Result<Plan, i32> {
    let log = stderr_log();
    let flags = match parse(args) {
        Command::Help => {
            write_line(std::io::stdout(), USAGE);
            return Err(0);
        }
        Command::Misused(problem) => {
            log.line(format_args!("{problem}\n{USAGE}"));
            return Err(USAGE_STATUS);
        }
        Command::Acp(flags) => flags,
    };
    planned(flags).map_err(|problem| {
        log.own(problem);
        1
    })
}

fn planned(flags: Flags) -> Result<Plan, String> {
    let agent_file = match &flags.agent_file {
        None => AgentFile::default(),
        Some(path) => read_agent_file(path)?,
    };
    let mut model = agent_file.model.clone();
    // A path in the agent file is meant beside it.
    let folder = flags.agent_file.as_deref().map(Path::new).and_then(Path::parent);
    model.script = match (&flags.script, model.script) {
        (Some(script), _) => Some(absolute(Path::new(script))?),
        (None, Some(script)) => Some(absolute(&folder.unwrap_or(Path::new("")).join(script))?),
        (None, None) => None,
    };
    let implied = flags.script.as_ref().map(|_| ModelKind::Script);
    let kind = flags.model.or(implied).or(model.model).unwrap_or(ModelKind::Rules);
    model.model = Some(kind);
    if kind == ModelKind::Script && model.script.is_none() {
        return Err("expected a script for the model script (-script or standIn.script), got none"
            .to_owned());
    }
    Ok(Plan { model, agent_file, record: flags.record.map(PathBuf::from) })
}

fn absolute(path: &Path) -> Result<String, String> {
    let absolute = std::path::absolute(path)
        .map_err(|error| format!("expected a path, got {}: {error}", path.display()))?;
    Ok(absolute.to_string_lossy().into_owned())
}

/// Runs the agent of `plan` on the streams of this process until its input ends, and returns its exit
/// status. `model` decides, when it is not the rules.
pub async fn run_on_stdio(plan: Plan, model: Arc<dyn Model>) -> i32 {
    let log = stderr_log();
    let record = match plan.record.as_deref().map(record_to).transpose() {
        Ok(record) => record.unwrap_or_default(),
        Err(problem) => {
            log.own(problem);
            return 1;
        }
    };
    let (model, introduction): (Arc<dyn Model>, _) = match plan.model.model {
        Some(ModelKind::Script) => (model, "it does what a script says"),
        Some(ModelKind::OpenAi) => (model, "its model is on a server"),
        Some(ModelKind::Rules) | None => {
            (Arc::new(Rules), "its model is a set of rules, not a language model")
        }
    };
    let setup = Setup {
        agent_file: plan.agent_file,
        model,
        introduction,
        record,
        clock: system_clock(),
        loop_limits: LoopLimits::default(),
        past_sessions: Vec::new(),
    };
    run(Io { input: stdin(), output: stdout(), log }, setup).await
}

fn stderr_log() -> Log {
    Log::new(|line| write_line(std::io::stderr(), line))
}

fn record_to(path: &Path) -> Result<Record, String> {
    let file: File = OpenOptions::new().create(true).append(true).open(path).map_err(|error| {
        format!("expected to write the record {}, got: {error}", path.display())
    })?;
    let file = Mutex::new(file);
    Ok(Record::new(move |entry| {
        let file = file.lock().unwrap_or_else(PoisonError::into_inner);
        write_line(&*file, &entry.to_string());
    }))
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
    let mut flags = Flags::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let flag = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-'));
        let (name, value) = match flag.map(|flag| flag.split_once('=')) {
            Some(Some((name, value))) => (name, Some(value.to_owned())),
            Some(None) => (flag.unwrap_or_default(), None),
            None => return Command::Misused(format!("expected a flag, got {arg}")),
        };
        match name {
            "acp" => is_acp = true,
            "help" | "h" => return Command::Help,
            "agent" | "model" | "script" | "record" => {
                let Some(value) = value.or_else(|| args.next().cloned()) else {
                    return Command::Misused(format!(
                        "expected a value after -{name}, got nothing"
                    ));
                };
                match name {
                    "agent" => flags.agent_file = Some(value),
                    "script" => flags.script = Some(value),
                    "record" => flags.record = Some(value),
                    _ => match MODEL_KINDS.iter().find(|(word, _)| *word == value) {
                        Some((_, kind)) => flags.model = Some(*kind),
                        None => {
                            return Command::Misused(format!(
                                "expected -model to be rules, script or openai, got {value}"
                            ));
                        }
                    },
                }
            }
            _ => return Command::Misused(format!("expected a flag, got {arg}")),
        }
    }
    if is_acp {
        return Command::Acp(flags);
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
        Command::Acp(Flags { agent_file: agent_file.map(str::to_owned), ..Flags::default() })
    }

    #[test]
    fn flags_are_taken_with_one_dash_or_two_and_in_any_order() {
        check("-acp", &acp(None));
        check("--acp -agent a.yaml", &acp(Some("a.yaml")));
        check("--agent a.yaml -acp", &acp(Some("a.yaml")));
        check("-agent=a=b.yaml -acp", &acp(Some("a=b.yaml")));
        let all = Flags {
            agent_file: None,
            model: Some(ModelKind::OpenAi),
            script: Some("s.json".into()),
            record: Some("r".into()),
        };
        check("-model openai -acp -script=s.json --record r", &Command::Acp(all));
    }

    #[test]
    fn help_wins() {
        check("-acp --help", &Command::Help);
        check("-h", &Command::Help);
    }

    #[test]
    fn what_is_not_understood_says_what_was_expected() {
        let misused = |problem: &str| Command::Misused(problem.to_owned());
        check("", &misused("expected -acp, the only mode there is, got none"));
        check("-acp -agent", &misused("expected a value after -agent, got nothing"));
        check("-acp -tui", &misused("expected a flag, got -tui"));
        check("acp", &misused("expected a flag, got acp"));
        check(
            "-acp -model gpt",
            &misused("expected -model to be rules, script or openai, got gpt"),
        );
    }

    #[track_caller]
    fn check_model(flags: Flags, expected: Result<ModelKind, &str>) {
        let planned = planned(flags).map(|plan| plan.model.model.unwrap());
        match (planned, expected) {
            (Ok(kind), Ok(expected)) => assert_eq!(kind, expected),
            (Err(problem), Err(words)) => assert!(problem.contains(words), "{problem}"),
            (planned, _) => panic!("{planned:?}"),
        }
    }

    #[test]
    fn a_script_is_a_model_and_the_rules_are_the_default() {
        check_model(Flags::default(), Ok(ModelKind::Rules));
        let script = || Some("s.json".to_owned());
        check_model(Flags { script: script(), ..Flags::default() }, Ok(ModelKind::Script));
        let model = Some(ModelKind::Rules);
        check_model(Flags { script: script(), model, ..Flags::default() }, Ok(ModelKind::Rules));
        let model = Some(ModelKind::Script);
        check_model(Flags { model, ..Flags::default() }, Err("expected a script"));
    }

    #[test]
    fn a_script_of_an_agent_file_is_beside_it() {
        let folder = std::env::temp_dir().join(format!("mini-me-plan-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("agent.yaml");
        std::fs::write(&file, "standIn: {model: script, script: a/s.json}\n").unwrap();
        let agent_file = Some(file.to_string_lossy().into_owned());
        let plan = planned(Flags { agent_file, ..Flags::default() }).unwrap();
        let script = folder.join("a/s.json").to_string_lossy().into_owned();
        assert_eq!(plan.model.script, Some(script));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
