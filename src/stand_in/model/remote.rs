//! A model that is somewhere else: events tell it what happens, and it gives one step for each that is
//! asked for. Knows nothing of who listens.

use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::{BoxFuture, FutureExt};
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use super::{CallResult, Done, Model, ModelCall, Step, Turn, View};
use crate::json_text::mend_surrogates;
use crate::tools::schema::model_view;

/// Takes events, each a JSON array: `["turn", key, view]` and `["before", key, {method, params}]` begin
/// a turn, `["next", key, results]` asks for its next step (`results` of calls, else null), `["end",
/// key]` ends it.
pub type RemoteEvents = Box<dyn Fn(String) + Send + Sync>;

/// See the module's head.
#[derive(Debug, Clone)]
pub struct Remote {
    shared: Arc<Shared>,
}

struct Shared {
    tell: RemoteEvents,
    /// The methods that something is done before.
    intercepted: Vec<String>,
    next_key: AtomicU64,
    /// The turns that wait for a step.
    waiting: Mutex<HashMap<u64, oneshot::Sender<Step>>>,
}

impl Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("intercepted", &self.intercepted).finish_non_exhaustive()
    }
}

/// A step as it comes, `{"say": "..."}`.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
enum Told {
    Say(String),
    Update(Map<String, Value>),
    Calls(Vec<ToldCall>),
    /// Bytes, each as the character of its number.
    Write(String),
    Exit(i32),
    Repeat(serde::de::IgnoredAny),
    Deafen(serde::de::IgnoredAny),
    Stop(String),
    Fail(Map<String, Value>),
}

#[derive(serde::Deserialize)]
struct ToldCall {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

impl Remote {
    /// A model that tells its events to `tell`, also before each request of the methods `intercepted`.
    #[must_use]
    pub fn new(tell: RemoteEvents, intercepted: Vec<String>) -> Self {
        let shared =
            Shared { tell, intercepted, next_key: AtomicU64::default(), waiting: Mutex::default() };
        Self { shared: Arc::new(shared) }
    }

    /// Gives a turn the step it waits for. One that has ended meanwhile needs none.
    ///
    /// # Errors
    /// What was expected, when `step` is none.
    pub fn step(&self, key: u64, step: &str) -> Result<(), String> {
        let told = Told::read(step)
            .map_err(|error| format!("expected a step of a model, got {step}: {error}"))?;
        let step = told.into_step()?;
        if let Some(waiting) = self.shared.waiting().remove(&key) {
            // A turn that is cancelled at this moment takes no step.
            drop(waiting.send(step));
        }
        Ok(())
    }

    fn turn(&self, kind: &str, about: &Value) -> Box<dyn Turn> {
        let key = self.shared.next_key.fetch_add(1, Ordering::Relaxed) + 1;
        self.shared.tell(&json!([kind, key, about]));
        Box::new(RemoteTurn { shared: Arc::clone(&self.shared), key })
    }
}

impl Model for Remote {
    fn begin(&self, view: &View<'_>) -> Box<dyn Turn> {
        let tools: Vec<_> = view.tools.iter().map(model_view).collect();
        let about = json!({
            "sessionId": view.session_id,
            "cwd": view.cwd,
            "prompt": view.prompt,
            "question": view.question,
            "tools": tools,
        });
        self.turn("turn", &about)
    }

    fn before(&self, method: &str, params: &Value) -> Option<Box<dyn Turn>> {
        let is_meant = self.shared.intercepted.iter().any(|intercepted| intercepted == method);
        is_meant.then(|| self.turn("before", &json!({ "method": method, "params": params })))
    }
}

impl Shared {
    fn tell(&self, event: &Value) {
        (self.tell)(event.to_string());
    }

    /// A panic elsewhere leaves the table whole: every change under the lock is finished at once.
    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Step>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct RemoteTurn {
    shared: Arc<Shared>,
    key: u64,
}

impl Turn for RemoteTurn {
    fn next(&mut self, done: Option<Done>) -> BoxFuture<'_, Step> {
        let results = match done {
            Some(Done::Called(calls)) => calls.iter().map(|(_, result)| told(result)).collect(),
            Some(Done::Said) | None => Value::Null,
        };
        let (sender, step) = oneshot::channel();
        self.shared.waiting().insert(self.key, sender);
        self.shared.tell(&json!(["next", self.key, results]));
        async move {
            match step.await {
                Ok(step) => step,
                // Nobody is left to decide: the agent is ending.
                Err(_) => std::future::pending().await,
            }
        }
        .boxed()
    }
}

impl Drop for RemoteTurn {
    fn drop(&mut self) {
        self.shared.waiting().remove(&self.key);
        self.shared.tell(&json!(["end", self.key]));
    }
}

fn told(result: &CallResult) -> Value {
    json!({ "text": result.text, "isFailed": result.is_failed })
}

impl Told {
    /// A model may say half a character, and JavaScript hands it on.
    fn read(step: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(&mend_surrogates(step))
    }

    fn into_step(self) -> Result<Step, String> {
        Ok(match self {
            Self::Say(text) => Step::Say(vec![text]),
            Self::Update(update) => Step::Tell(Value::Object(update)),
            Self::Calls(calls) => Step::Call(
                calls
                    .into_iter()
                    .map(|ToldCall { tool, arguments }| ModelCall { tool, arguments })
                    .collect(),
            ),
            Self::Write(characters) => Step::Write(
                characters
                    .chars()
                    .map(u8::try_from)
                    .collect::<Result<_, _>>()
                    .map_err(|_| "expected bytes to write, got a character over U+00FF")?,
            ),
            Self::Exit(status) => Step::Exit(status),
            Self::Repeat(_) => Step::RepeatAnswer,
            Self::Deafen(_) => Step::Deafen,
            Self::Stop(reason) => Step::End(reason.into()),
            Self::Fail(error) => Step::Refuse(Value::Object(error)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::list::read_list;

    type Events = Arc<Mutex<Vec<Value>>>;

    fn remote(intercepted: &[&str]) -> (Remote, Events) {
        let events = Events::default();
        let told = Arc::clone(&events);
        let tell = move |event: String| {
            told.lock().unwrap().push(serde_json::from_str(&event).unwrap());
        };
        let intercepted = intercepted.iter().map(|&method| method.to_owned()).collect();
        (Remote::new(Box::new(tell), intercepted), events)
    }

    fn taken(events: &Events) -> Vec<Value> {
        std::mem::take(&mut *events.lock().unwrap())
    }

    #[tokio::test]
    async fn a_turn_is_told_asked_for_and_ended() {
        let (remote, events) = remote(&[]);
        let tools =
            read_list(&json!([{ "name": "a", "method": "_a", "description": "Tells." }])).tools;
        let prompt = json!([{ "type": "text", "text": "go" }]);
        let mut turn = remote.begin(&View {
            session_id: "s",
            cwd: "/home",
            prompt: &prompt,
            question: "go",
            tools: &tools,
        });
        let schema = json!({ "type": "object", "properties": {} });
        assert_eq!(
            taken(&events),
            [json!(["turn", 1, {
                "sessionId": "s", "cwd": "/home", "prompt": prompt, "question": "go",
                "tools": [{ "name": "client_a", "description": "Tells.", "inputSchema": schema }],
            }])]
        );
        let asked = turn.next(None);
        remote.step(1, r#"{"calls":[{"tool":"client_a"}]}"#).unwrap();
        let Step::Call(calls) = asked.await else { panic!("expected a call") };
        let result = CallResult { text: "x".into(), is_failed: true };
        let called = calls.into_iter().map(|call| (call, result.clone())).collect();
        let asked = turn.next(Some(Done::Called(called)));
        remote.step(1, r#"{"stop":"refusal"}"#).unwrap();
        assert_eq!(asked.await, Step::End("refusal".into()));
        drop(turn);
        let results = json!([{ "text": "x", "isFailed": true }]);
        assert_eq!(
            taken(&events),
            [json!(["next", 1, null]), json!(["next", 1, results]), json!(["end", 1])]
        );
        assert_eq!(remote.step(1, r#"{"say":"too late"}"#), Ok(()));
    }

    #[tokio::test]
    async fn only_what_is_intercepted_is_told_before() {
        let (remote, events) = remote(&["initialize"]);
        assert!(remote.before("session/new", &Value::Null).is_none());
        assert!(remote.before("initialize", &json!({ "a": 1 })).is_some());
        assert_eq!(
            taken(&events),
            [
                json!(["before", 1, { "method": "initialize", "params": { "a": 1 } }]),
                json!(["end", 1])
            ]
        );
    }

    #[track_caller]
    fn check(step: &str, expected: Result<Step, &str>) {
        let told = Told::read(step).map_err(|error| error.to_string());
        let step = told.and_then(Told::into_step);
        match (step, expected) {
            (Ok(step), Ok(expected)) => assert_eq!(step, expected),
            (Err(problem), Err(words)) => assert!(problem.contains(words), "{problem}"),
            (step, _) => panic!("{step:?}"),
        }
    }

    #[test]
    fn each_step_is_read() {
        check(r#"{"say":"a"}"#, Ok(Step::Say(vec!["a".into()])));
        check(r#"{"say":"a\ud83d"}"#, Ok(Step::Say(vec!["a\u{fffd}".into()])));
        check(r#"{"update":{"a":1}}"#, Ok(Step::Tell(json!({ "a": 1 }))));
        check(r#"{"write":"a\u00ff"}"#, Ok(Step::Write(vec![b'a', 0xff])));
        check(r#"{"exit":3}"#, Ok(Step::Exit(3)));
        check(r#"{"repeat":true}"#, Ok(Step::RepeatAnswer));
        check(r#"{"deafen":true}"#, Ok(Step::Deafen));
        check(r#"{"fail":{"code":1}}"#, Ok(Step::Refuse(json!({ "code": 1 }))));
    }

    #[test]
    fn what_is_no_step_is_refused() {
        check(r#"{"sing":"a"}"#, Err("unknown variant"));
        check(r#"{"write":"\u0100"}"#, Err("expected bytes"));
        check(r#"{"say":1}"#, Err("expected a string"));
        let (remote, _) = remote(&[]);
        assert!(
            remote.step(1, "{}").unwrap_err().starts_with("expected a step of a model, got {}")
        );
    }
}
