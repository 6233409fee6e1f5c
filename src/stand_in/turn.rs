//! A turn: the model decides, calls are made at once, and all of it is told in updates. Knows nothing
//! of how the model decides.

use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use agent_client_protocol::Error;
use futures::future::try_join_all;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::Setup;
use super::call::Call;
use super::link::{Answer, Fault, Link};
use super::loop_detector::{ENDED, LoopDetector, Verdict};
use super::model::{self, CallResult, Done, ModelCall, Step, View};
use super::params::internal;
use super::session::Session;
use crate::tools::outcome::cut;

/// How a turn ended.
#[derive(Debug)]
pub(super) enum End {
    /// With this stop reason.
    Reason(Cow<'static, str>),
    /// With this error object.
    Error(Value),
}

impl End {
    /// What the prompt is answered with.
    pub(super) fn answer(self) -> Answer {
        match self {
            Self::Reason(reason) => Ok(json!({ "stopReason": reason })),
            Self::Error(error) => Err(error),
        }
    }
}

/// What a prompt says.
#[derive(Debug)]
pub(super) struct Prompt {
    /// The blocks as they came.
    pub(super) blocks: Value,
    /// Their text.
    pub(super) question: String,
    /// The model takes no notice of a cancellation.
    pub(super) is_deaf: AtomicBool,
}

/// Runs a turn to its end. Dropping the future withdraws what is open.
pub(super) async fn run(
    link: &Link,
    session: &Session,
    setup: &Setup,
    prompt: &Prompt,
) -> Result<End, Error> {
    let turn =
        Turn { link, session, setup, detector: Mutex::new(LoopDetector::new(setup.loop_limits)) };
    let cwd = session.conversation.cwd();
    let view = View {
        session_id: &session.id,
        cwd: &cwd,
        prompt: &prompt.blocks,
        question: &prompt.question,
        tools: &session.tools,
    };
    let mut model = setup.model.begin(&view);
    let mut done = None;
    loop {
        let step = model.next(done.take()).await;
        done = Some(Done::Said);
        match step {
            Step::Say(chunks) => turn.say(&chunks)?,
            Step::Tell(update) => turn.tell(update)?,
            Step::Deafen => prompt.is_deaf.store(true, Ordering::Relaxed),
            Step::Call(wishes) => {
                let (results, is_loop) = turn.call(wishes).await?;
                if is_loop {
                    turn.say(&[ENDED.to_owned()])?;
                    return Ok(End::Reason("end_turn".into()));
                }
                done = Some(Done::Called(results));
            }
            step => {
                if let Some(end) = do_to_connection(link, step).await? {
                    return Ok(end);
                }
            }
        }
    }
}

/// What a model does before a request is handled; an error is the answer to it.
pub(super) async fn before(
    link: &Link,
    mut model: Box<dyn model::Turn>,
) -> Result<Option<Value>, Error> {
    let mut done = None;
    loop {
        let step = model.next(done.take()).await;
        done = Some(Done::Said);
        match do_to_connection(link, step).await? {
            None => {}
            Some(End::Reason(_)) => return Ok(None),
            Some(End::Error(error)) => return Ok(Some(error)),
        }
    }
}

/// Takes a step that concerns no session. Gives the end of the turn, if it is one.
async fn do_to_connection(link: &Link, step: Step) -> Result<Option<End>, Error> {
    match step {
        Step::Write(bytes) => {
            let (sender, written) = oneshot::channel();
            link.fault(Fault::Write(bytes, sender))?;
            // An error says that the connection is ending, and this task with it.
            drop(written.await);
        }
        Step::RepeatAnswer => link.fault(Fault::RepeatAnswer)?,
        Step::Exit(status) => {
            link.fault(Fault::Exit(status))?;
            std::future::pending::<()>().await;
        }
        Step::End(reason) => return Ok(Some(End::Reason(reason))),
        Step::Fail(problem) => return Ok(Some(End::Error(internal(&problem)))),
        Step::Refuse(error) => return Ok(Some(End::Error(error))),
        Step::Say(_) | Step::Tell(_) | Step::Call(_) | Step::Deafen => {}
    }
    Ok(None)
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
                let result = CallResult { text, is_failed: true };
                self.setup.record.call(&self.session.id, &wish, &result);
                Ok((wish, result, false))
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
        let reading = call.make(self.link, file, &self.setup.record).await?;
        let mut result =
            CallResult { text: cut(&reading.text, file.max_output), is_failed: reading.is_failed };
        let verdict = match self.detector.lock() {
            Ok(mut detector) => detector.count(&call.wish, &result),
            Err(poisoned) => poisoned.into_inner().count(&call.wish, &result),
        };
        if let Verdict::Warn(warning) = &verdict {
            result.text.push_str(warning);
        }
        self.setup.record.call(&self.session.id, &call.wish, &result);
        self.tell(call.end(&result.text, result.is_failed))?;
        Ok((call.wish, result, verdict == Verdict::End))
    }
}
