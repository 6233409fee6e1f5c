//! The model of rules. It calls what the words of the question ask for, answers from the results, and
//! says so when nothing matches.

use super::answer::{from_results, without_calls};
use super::arguments::{Missing, fill};
use super::choice::choose;
use super::question::{Question, clauses};
use super::words::name_words;
use futures::future::{BoxFuture, FutureExt, ready};

use super::{Done, Model, ModelCall, Step, Turn, View};
use crate::tools::description::ToolDescription;

/// Chooses calls by the words of the question. Not a language model: it understands nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules;

impl Model for Rules {
    fn begin(&self, view: &View<'_>) -> Box<dyn Turn> {
        Box::new(RulesTurn { first: Some(first_step(view)) })
    }
}

/// The first step is all there is to decide: what follows from it is known.
#[derive(Debug)]
struct RulesTurn {
    first: Option<Step>,
}

impl Turn for RulesTurn {
    fn next(&mut self, done: Option<Done>) -> BoxFuture<'_, Step> {
        let step = match done {
            None => self.first.take().unwrap_or(Step::END),
            Some(Done::Called(calls)) => Step::Say(from_results(&calls)),
            Some(Done::Said) => Step::END,
        };
        ready(step).boxed()
    }
}

fn first_step(view: &View<'_>) -> Step {
    let (calls, missing) = decide(view.tools, view.question);
    if !calls.is_empty() {
        return Step::Call(calls);
    }
    let missing = missing.as_ref().map(|(tool, missing)| (tool.as_str(), missing));
    Step::Say(vec![without_calls(view.tools, missing)])
}

/// The calls a question asks for, each once, and the first that could not be made.
fn decide(
    tools: &[ToolDescription],
    question: &str,
) -> (Vec<ModelCall>, Option<(String, Missing)>) {
    let verbs: Vec<String> =
        tools.iter().filter_map(|tool| name_words(&tool.name).into_iter().next()).collect();
    let mut calls = Vec::new();
    let mut first_missing = None;
    for clause in clauses(question, &verbs) {
        let question = Question::new(clause);
        for chosen in choose(tools, &question) {
            let name = &chosen.tool.model_name;
            match fill(&chosen, &question) {
                Ok(all) => calls.extend(
                    all.into_iter().map(|arguments| ModelCall { tool: name.clone(), arguments }),
                ),
                Err(missing) => {
                    first_missing.get_or_insert_with(|| (name.clone(), missing));
                }
            }
        }
    }
    (without_repeats(calls), first_missing)
}

fn without_repeats(calls: Vec<ModelCall>) -> Vec<ModelCall> {
    let mut kept: Vec<ModelCall> = Vec::with_capacity(calls.len());
    for call in calls {
        if !kept.contains(&call) {
            kept.push(call);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
