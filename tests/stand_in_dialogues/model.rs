//! A model that does what the recorded one did, as its updates tell.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use futures::future::{BoxFuture, FutureExt, ready};
use mini_me_client::stand_in::model::{self, Done, Model, ModelCall, Step, View};
use mini_me_client::tools::name::model_name;
use serde_json::Value;

use super::matching::Names;
use super::order::{Kind, Strands, kind, session};
use super::transcript::{Direction, Entry};

/// Shared with the player, which learns how sessions are called in this run.
pub(crate) type SharedNames = Arc<Mutex<Names>>;

#[derive(Debug)]
pub(crate) struct Script {
    names: SharedNames,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The turns of each session that are to come, by its recorded name.
    turns: HashMap<String, VecDeque<Vec<Step>>>,
}

impl Model for Script {
    fn begin(&self, view: &View<'_>) -> Box<dyn model::Turn> {
        let names = self.names.lock().unwrap();
        let session = names.recorded_session(view.session_id).expect("a session of the recording");
        let mut state = self.state.lock().unwrap();
        let turn = state.turns.get_mut(session).and_then(VecDeque::pop_front);
        let steps = turn.expect("no more turns than were recorded");
        Box::new(ScriptTurn(steps.into_iter()))
    }
}

struct ScriptTurn(std::vec::IntoIter<Step>);

impl model::Turn for ScriptTurn {
    fn next(&mut self, _: Option<Done>) -> BoxFuture<'_, Step> {
        ready(self.0.next().unwrap_or(Step::END)).boxed()
    }
}

impl Script {
    /// The script of a dialogue; `first_steps` are taken before all others.
    pub(crate) fn derive(entries: &[Entry], first_steps: Vec<Step>, names: SharedNames) -> Self {
        let mut strands = Strands::default();
        let mut turns: Vec<Turn> = Vec::new();
        for entry in entries {
            let Ok(line) = serde_json::from_str::<Value>(&entry.line) else { continue };
            match entry.direction {
                Direction::ToAgent => {
                    strands.client_wrote(&line);
                    if line["method"] == "session/prompt" {
                        turns.push(Turn::of_prompt(&line));
                    }
                }
                Direction::ToClient => {
                    let prompt = strands.of(&line);
                    if let Some(turn) = turns.iter_mut().find(|turn| turn.prompt == prompt) {
                        turn.take(&line);
                    }
                }
                Direction::Stderr | Direction::Note => {}
            }
        }
        if let Some(first) = turns.first_mut() {
            first.steps.splice(0..0, first_steps);
        }
        let mut state = State::default();
        for turn in turns {
            state.turns.entry(turn.session).or_default().push_back(turn.steps);
        }
        Self { names, state: Mutex::new(state) }
    }
}

struct Turn {
    /// The id of its request.
    prompt: Value,
    session: String,
    steps: Vec<Step>,
    /// The line before belongs to the last step.
    is_open: bool,
}

impl Turn {
    fn of_prompt(line: &Value) -> Self {
        let session = session(line).expect("a session").to_owned();
        Self { prompt: line["id"].clone(), session, steps: Vec::new(), is_open: false }
    }

    fn take(&mut self, line: &Value) {
        let update = &line["params"]["update"];
        match kind(line) {
            Kind::Announcement => {
                let call = call(update);
                match self.steps.last_mut() {
                    Some(Step::Call(calls)) if self.is_open => calls.push(call),
                    _ => self.steps.push(Step::Call(vec![call])),
                }
            }
            Kind::Other if update["sessionUpdate"] == "agent_message_chunk" => {
                let text = update["content"]["text"].as_str().expect("a text").to_owned();
                match self.steps.last_mut() {
                    Some(Step::Say(chunks)) if self.is_open => chunks.push(text),
                    _ => self.steps.push(Step::Say(vec![text])),
                }
            }
            Kind::Other if update.is_object() => self.steps.push(Step::Tell(update.clone())),
            Kind::Answer => self.steps.extend(end(line)),
            Kind::Withdrawal => return,
            Kind::Request | Kind::CallUpdate | Kind::Other => {}
        }
        self.is_open = matches!(kind(line), Kind::Announcement | Kind::Other);
    }
}

fn call(update: &Value) -> ModelCall {
    let title = update["title"].as_str().expect("a title");
    let name = title.strip_prefix("client: ").expect("a title that names a client's tool");
    ModelCall {
        tool: model_name(name).expect("a name that a model can call"),
        arguments: update["rawInput"].as_object().expect("arguments").clone(),
    }
}

/// What the model ended its turn with; `None` when it was not the model that ended it.
fn end(answer: &Value) -> Option<Step> {
    if let Some(problem) = answer["error"]["data"]["error"].as_str() {
        return Some(Step::Fail(problem.to_owned()));
    }
    match answer["result"]["stopReason"].as_str() {
        Some("cancelled") => None,
        Some(reason) => Some(Step::End(reason.to_owned().into())),
        other @ None => panic!("expected a stop reason of the recordings, got {other:?}"),
    }
}
