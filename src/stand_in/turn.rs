//! A turn: the model decides, calls are made at once, and all of it is told in updates. Knows nothing
//! of how the model decides.

use std::sync::Mutex;

use agent_client_protocol::Error;
use futures::future::try_join_all;
use serde_json::{Value, json};

use super::Setup;
use super::call::Call;
use super::link::{Answer, Link};
use super::loop_detector::{ENDED, LoopDetector, Verdict};
use super::model::{CallResult, Done, ModelCall, Step, View};
use super::params::internal;
use super::session::Session;
use crate::tools::outcome::cut;

/// How a turn ended.
#[derive(Debug)]
pub(super) enum End {
    /// With this stop reason.
    Reason(&'static str),
    /// With this problem.
    Problem(String),
}

impl End {
    /// What the prompt is answered with.
    pub(super) fn answer(&self) -> Answer {
        match self {
            Self::Reason(reason) => Ok(json!({ "stopReason": reason })),
            Self::Problem(problem) => Err(internal(problem)),
        }
    }
}

/// Runs a turn to its end. Dropping the future withdraws what is open.
pub(super) async fn run(
    link: &Link,
    session: &Session,
    setup: &Setup,
    question: &str,
) -> Result<End, Error> {
    let turn =
        Turn { link, session, setup, detector: Mutex::new(LoopDetector::new(setup.loop_limits)) };
    let mut done = Vec::new();
    loop {
        let view = View { session_id: &session.id, question, tools: &session.tools, done: &done };
        match setup.model.next(&view) {
            Step::End(reason) => return Ok(End::Reason(reason)),
            Step::Fail(problem) => return Ok(End::Problem(problem)),
            Step::Say(chunks) => {
                turn.say(&chunks)?;
                done.push(Done::Said);
            }
            Step::Tell(update) => {
                turn.tell(update)?;
                done.push(Done::Said);
            }
            Step::Call(wishes) => {
                let (results, is_loop) = turn.call(wishes).await?;
                if is_loop {
                    turn.say(&[ENDED.to_owned()])?;
                    return Ok(End::Reason("end_turn"));
                }
                done.push(Done::Called(results));
            }
        }
    }
}

struct Turn<'a> {
    link: &'a Link,
    session: &'a Session,
    setup: &'a Setup,
    detector: Mutex<LoopDetector>,
}

impl Turn<'_> {
    fn say(&self, chunks: &[String]) -> Result<(), Error> {
        for text in chunks {
            self.tell(json!({
                "sessionUpdate": "agent_message_chunk",
                "content": { "type": "text", "text": text },
            }))?;
        }
        Ok(())
    }

    fn tell(&self, update: Value) -> Result<(), Error> {
        self.link.update(&self.session.id, &update)?;
        self.session.conversation.record(update);
        Ok(())
    }

    /// Announces all calls, then makes them at the same time.
    async fn call(
        &self,
        wishes: Vec<ModelCall>,
    ) -> Result<(Vec<(ModelCall, CallResult)>, bool), Error> {
        let mut calls = Vec::with_capacity(wishes.len());
        for wish in wishes {
            let call = self.prepare(wish);
            if let Ok(call) = &call {
                self.tell(call.announcement())?;
            }
            calls.push(call);
        }
        let finished = try_join_all(calls.into_iter().map(async |call| match call {
            Ok(call) => self.finish(call).await,
            Err(wish) => {
                let text = format!("[no tool is called {}]", wish.tool);
                Ok((wish, CallResult { text, is_failed: true }, false))
            }
        }));
        let finished = finished.await?;
        let is_loop = finished.iter().any(|(_, _, is_loop)| *is_loop);
        Ok((finished.into_iter().map(|(wish, result, _)| (wish, result)).collect(), is_loop))
    }

    /// The call a model wishes for; the wish itself when there is no such tool.
    fn prepare(&self, wish: ModelCall) -> Result<Call<'_>, ModelCall> {
        let Some(tool) = self.session.tools.iter().find(|tool| tool.model_name == wish.tool) else {
            return Err(wish);
        };
        let id = self.session.next_call_id();
        Ok(Call { id, session_id: &self.session.id, tool, wish })
    }

    async fn finish(&self, call: Call<'_>) -> Result<(ModelCall, CallResult, bool), Error> {
        let file = &self.setup.agent_file;
        let reading = call.make(self.link, file).await?;
        let mut result =
            CallResult { text: cut(&reading.text, file.max_output), is_failed: reading.is_failed };
        let verdict = match self.detector.lock() {
            Ok(mut detector) => detector.count(&call.wish, &result),
            Err(poisoned) => poisoned.into_inner().count(&call.wish, &result),
        };
        if let Verdict::Warn(warning) = &verdict {
            result.text.push_str(warning);
        }
        self.tell(call.end(&result.text, result.is_failed))?;
        Ok((call.wish, result, verdict == Verdict::End))
    }
}
