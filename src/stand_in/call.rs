//! One call of a lent tool, from the model's wish to what the model reads: required parameters, then
//! permission, then the request. (`docs/protocol.md`, "A call" and "Results")

use agent_client_protocol::Error;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::agent_file::{AgentFile, Permissions};
use super::link::{Link, Reply};
use super::model::ModelCall;
use super::record::Record;
use crate::acp::names::{META_SESSION_ID, REQUEST_PERMISSION};
use crate::tools::description::ToolDescription;
use crate::tools::outcome::{
    Reading, missing_parameters, read_error, read_result, rejected, timed_out,
};
use crate::tools::schema;

/// A call that is going to be made.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) id: String,
    pub(super) session_id: &'a str,
    pub(super) tool: &'a ToolDescription,
    pub(super) wish: ModelCall,
}

impl Call<'_> {
    /// The update that announces the call.
    pub(super) fn announcement(&self) -> Value {
        let mut update = self.tool_call();
        update.insert("sessionUpdate".to_owned(), "tool_call".into());
        Value::Object(update)
    }

    fn tool_call(&self) -> Map<String, Value> {
        Map::from_iter([
            ("toolCallId".to_owned(), self.id.as_str().into()),
            ("title".to_owned(), format!("client: {}", self.tool.name).into()),
            ("kind".to_owned(), "other".into()),
            ("status".to_owned(), "pending".into()),
            ("rawInput".to_owned(), Value::Object(self.wish.arguments.clone())),
        ])
    }

    /// The update that ends the call.
    pub(super) fn end(&self, text: &str, is_failed: bool) -> Value {
        json!({
            "sessionUpdate": "tool_call_update",
            "toolCallId": self.id,
            "status": if is_failed { "failed" } else { "completed" },
            "content": [{ "type": "content", "content": { "type": "text", "text": text } }],
        })
    }

    /// Makes the call. Dropping the future withdraws the request that is open.
    pub(super) async fn make(
        &self,
        link: &Link,
        file: &AgentFile,
        record: &Record,
    ) -> Result<Reading, Error> {
        let missing = schema::missing_parameters(self.tool, &self.wish.arguments);
        if !missing.is_empty() {
            return Ok(missing_parameters(&missing));
        }
        let must_ask = file.permissions == Permissions::Ask || !file.is_yolo;
        if must_ask && !self.is_allowed(link, record).await? {
            return Ok(rejected(&self.tool.model_name));
        }
        let request = link.request(&self.tool.method, &self.params())?;
        Ok(match timeout(file.timeout, request.answer()).await {
            Ok(Reply::Result(result)) => read_result(&result),
            Ok(Reply::Error(error)) => read_error(error.code(), error.message(), error.data()),
            Err(_) => timed_out(),
        })
    }

    async fn is_allowed(&self, link: &Link, record: &Record) -> Result<bool, Error> {
        const ALLOW: &str = "allow";
        let params = json!({
            "sessionId": self.session_id,
            "toolCall": self.tool_call(),
            "options": [
                { "optionId": ALLOW, "name": "Allow", "kind": "allow_once" },
                { "optionId": "reject", "name": "Reject", "kind": "reject_once" },
            ],
        });
        let reply = link.request(REQUEST_PERMISSION, &params)?.answer().await;
        let result: Value = match reply {
            Reply::Result(result) => serde_json::from_str(&result).unwrap_or_default(),
            Reply::Error(_) => Value::Null,
        };
        let outcome = result.get("outcome");
        record.permission(self.session_id, &self.tool.model_name, outcome);
        Ok(outcome.and_then(|outcome| outcome.get("outcome")) == Some(&"selected".into())
            && outcome.and_then(|outcome| outcome.get("optionId")) == Some(&ALLOW.into()))
    }

    /// The arguments at the top level; a `_meta` among them is replaced.
    fn params(&self) -> Value {
        let mut params = self.wish.arguments.clone();
        params.insert("_meta".to_owned(), json!({ META_SESSION_ID: self.session_id }));
        Value::Object(params)
    }
}
