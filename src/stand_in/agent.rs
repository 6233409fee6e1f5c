//! The agent: what each method of a client does. Never waits in a handler, because dispatch is serial:
//! what takes time is spawned.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::{Error, Responder};
use serde_json::{Value, json};

use super::Setup;
use super::catalogue::{self, Announced};
use super::ids::session_id;
use super::link::{Answer, Link};
use super::log::Log;
use super::params::{Opening, invalid, method_not_found, opening, prompt_text, session_of};
use super::session::{Conversation, Session};
use super::turn;
use crate::acp::names::{
    INITIALIZE, SESSION_CANCEL, SESSION_LOAD, SESSION_NEW, SESSION_PROMPT, SESSION_RESUME,
};
use crate::acp::version::PROTOCOL_VERSION;
use crate::tools::description::ToolDescription;

const SESSION_LIST: &str = "session/list";
const SESSION_CLOSE: &str = "session/close";

/// One per connection.
#[derive(Debug)]
pub(super) struct Agent {
    setup: Setup,
    log: Log,
    announced: Mutex<Announced>,
    sessions: Mutex<Sessions>,
}

#[derive(Debug)]
struct Sessions {
    open: HashMap<String, Arc<Session>>,
    /// All that were ever opened; their ids sort by time.
    known: BTreeMap<String, Arc<Conversation>>,
}

impl Agent {
    pub(super) fn new(setup: Setup, log: Log) -> Self {
        let past = setup.past_sessions.iter();
        let known = past.map(|past| (past.id.clone(), Arc::new(Conversation::from(past))));
        let sessions = Sessions { open: HashMap::new(), known: known.collect() };
        Self { setup, log, announced: Mutex::default(), sessions: Mutex::new(sessions) }
    }

    /// Answers a request, now or from a task.
    pub(super) fn request(
        self: &Arc<Self>,
        method: &str,
        params: Result<Value, String>,
        responder: Responder<Value>,
        link: &Link,
    ) -> Result<(), Error> {
        let params = match params {
            Ok(params) => params,
            Err(problem) => return link.answer(responder, Err(invalid(&problem))),
        };
        let Some(model) = self.setup.model.before(method, &params) else {
            return self.handle(method, &params, responder, link);
        };
        let (agent, method, task_link) = (Arc::clone(self), method.to_owned(), link.clone());
        link.spawn(async move {
            match turn::before(&task_link, model).await? {
                Some(error) => task_link.answer(responder, Err(error)),
                None => agent.handle(&method, &params, responder, &task_link),
            }
        })
    }

    fn handle(
        self: &Arc<Self>,
        method: &str,
        params: &Value,
        responder: Responder<Value>,
        link: &Link,
    ) -> Result<(), Error> {
        match method {
            INITIALIZE => link.answer(responder, self.initialize(params)),
            SESSION_NEW | SESSION_LOAD | SESSION_RESUME => {
                self.open(method, params, responder, link)
            }
            SESSION_PROMPT => self.prompt(params, responder, link),
            SESSION_LIST => link.answer(responder, Ok(self.list(params))),
            SESSION_CLOSE => link.answer(responder, self.close(params)),
            _ => link.answer(responder, Err(method_not_found(method))),
        }
    }

    /// Takes a notification. One that is not known, or names no session, is none of the agent's.
    pub(super) fn notification(&self, method: &str, params: Result<Value, String>) {
        let params = params.unwrap_or_default();
        if method == SESSION_CANCEL
            && let Ok(session) = self.session(&params)
        {
            session.cancel();
        }
    }

    fn initialize(&self, params: &Value) -> Answer {
        let meta = params.get("clientCapabilities").and_then(|told| told.get("_meta"));
        let meta = meta.filter(|meta| !meta.is_null());
        if meta.is_some_and(|meta| !meta.is_object()) {
            return Err(invalid("clientCapabilities._meta: expected an object"));
        }
        *lock(&self.announced) = {
            let Setup { agent_file, record, .. } = &self.setup;
            catalogue::announced(meta, agent_file, &self.log, record)
        };
        Ok(json!({
            "protocolVersion": PROTOCOL_VERSION,
            "agentInfo": { "name": "mini-me-stand-in", "version": env!("CARGO_PKG_VERSION") },
            "agentCapabilities": {
                "auth": {},
                "loadSession": true,
                "mcpCapabilities": {},
                "promptCapabilities": {},
                "sessionCapabilities": { "close": {}, "list": {}, "resume": {} },
            },
            "authMethods": [],
        }))
    }

    fn open(
        self: &Arc<Self>,
        method: &str,
        params: &Value,
        responder: Responder<Value>,
        link: &Link,
    ) -> Result<(), Error> {
        let opening = match opening(method, params) {
            Ok(opening) => opening,
            Err(error) => return link.answer(responder, Err(error)),
        };
        let known =
            opening.session_id.as_ref().map(|id| lock(&self.sessions).known.get(id).cloned());
        let conversation = match known {
            None => Arc::default(),
            Some(Some(conversation)) => conversation,
            Some(None) => {
                let id = opening.session_id.unwrap_or_default();
                return link.answer(responder, Err(not_found(&id)));
            }
        };
        conversation.move_to(&opening.cwd);
        let id = opening.session_id.clone().unwrap_or_else(|| session_id((self.setup.clock)()));
        let announced = lock(&self.announced).clone();
        let tools = match announced {
            Announced::Nothing => Vec::new(),
            Announced::List(tools) => tools,
            Announced::OnRequest => {
                return self.open_with_list(id, opening, conversation, responder, link);
            }
        };
        self.opened(Session::new(id, tools, conversation), &opening, responder, link)
    }

    /// Asks for the list, and answers the opening afterwards.
    fn open_with_list(
        self: &Arc<Self>,
        id: String,
        opening: Opening,
        conversation: Arc<Conversation>,
        responder: Responder<Value>,
        link: &Link,
    ) -> Result<(), Error> {
        let agent = Arc::clone(self);
        let task_link = link.clone();
        link.spawn(async move {
            let timeout = agent.setup.agent_file.timeout;
            let told = (&agent.log, &agent.setup.record);
            let tools: Vec<ToolDescription> =
                catalogue::ask(&task_link, &id, &opening.cwd, timeout, told).await?;
            agent.opened(Session::new(id, tools, conversation), &opening, responder, &task_link)
        })
    }

    fn opened(
        &self,
        session: Session,
        opening: &Opening,
        responder: Responder<Value>,
        link: &Link,
    ) -> Result<(), Error> {
        let session = Arc::new(session);
        let replaced = {
            let mut sessions = lock(&self.sessions);
            sessions.known.insert(session.id.clone(), Arc::clone(&session.conversation));
            sessions.open.insert(session.id.clone(), Arc::clone(&session))
        };
        if let Some(replaced) = replaced {
            replaced.cancel();
        }
        if opening.is_replayed {
            for update in session.conversation.updates() {
                link.update(&session.id, &update)?;
            }
        }
        let is_new = opening.session_id.is_none();
        let result = if is_new { json!({ "sessionId": session.id }) } else { json!({}) };
        link.answer(responder, Ok(result))
    }

    fn prompt(
        self: &Arc<Self>,
        params: &Value,
        responder: Responder<Value>,
        link: &Link,
    ) -> Result<(), Error> {
        let prompted = self.session(params).and_then(|session| {
            let question = prompt_text(params)?;
            Ok((session, question))
        });
        let (session, question) = match prompted {
            Ok(prompted) => prompted,
            Err(error) => return link.answer(responder, Err(error)),
        };
        let said = json!({ "type": "text", "text": question });
        session
            .conversation
            .record(json!({ "sessionUpdate": "user_message_chunk", "content": said }));
        // Here and not in the task: a `session/cancel` in the next line must find the turn.
        let guard = session.begin_turn();
        let withdrawn = responder.cancellation();
        let agent = Arc::clone(self);
        let task_link = link.clone();
        let blocks = params.get("prompt").cloned().unwrap_or_default();
        let prompt = turn::Prompt { blocks, question, is_deaf: AtomicBool::new(false) };
        link.spawn(async move {
            let mut turn = Box::pin(turn::run(&task_link, &session, &agent.setup, &prompt));
            let cancelled = async {
                tokio::select! {
                    () = guard.cancelled() => {}
                    () = withdrawn.cancelled() => {}
                }
                if prompt.is_deaf.load(Ordering::Relaxed) {
                    std::future::pending::<()>().await;
                }
            };
            let end = tokio::select! {
                biased;
                () = cancelled => turn::End::Reason("cancelled".into()),
                end = &mut turn => end?,
            };
            drop(guard);
            let answered = task_link.answer(responder, end.answer());
            // Only now: mm's SDK, too, mostly withdraws what is open after the answer. (SDK fact 7)
            drop(turn);
            answered
        })
    }

    fn list(&self, params: &Value) -> Value {
        let wanted = params.get("cwd").and_then(Value::as_str);
        let sessions = lock(&self.sessions);
        let known = sessions.known.iter().map(|(id, conversation)| (id, conversation.cwd()));
        let known = known.filter(|(_, cwd)| wanted.is_none_or(|wanted| wanted == cwd));
        let list: Vec<Value> =
            known.map(|(id, cwd)| json!({ "sessionId": id, "cwd": cwd })).collect();
        json!({ "sessions": list })
    }

    fn close(&self, params: &Value) -> Answer {
        let session = self.session(params)?;
        session.cancel();
        lock(&self.sessions).open.remove(&session.id);
        Ok(json!({}))
    }

    /// The open session that `params` name.
    fn session(&self, params: &Value) -> Result<Arc<Session>, Value> {
        let id = session_of(params)?;
        lock(&self.sessions).open.get(id).cloned().ok_or_else(|| not_found(id))
    }
}

fn not_found(id: &str) -> Value {
    invalid(&format!("session {id} not found"))
}

/// A panic elsewhere leaves the values whole: every change under a lock is finished at once.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
