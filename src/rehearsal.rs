//! A call of a lent tool without an agent: both its ends in one place, for tests of a program's tools.
//! Starts nothing, and knows nothing of JavaScript.
//!
//! No rule is its own: what mm checks and reads is `tools`, what the client checks is `carrier`, and
//! how answers become lines is `client::calls`. (`docs/protocol.md`, "A call" and "Results")

use serde_json::{Map, Value};

use crate::carrier::mini_me::MiniMe;
use crate::carrier::{Carrier as _, Received};
use crate::client::calls::Calls;
use crate::json_text::mend_surrogates;
use crate::tools::description::Flaw;
use crate::tools::lent::Lent;
use crate::tools::limits::MAX_OUTGOING_BYTES;
use crate::tools::outcome::{Reading, cut, missing_parameters, read_result, too_large_result};
use crate::tools::registry::{RegisteredTool, ToolIndex};
use crate::tools::report::Discovery;
use crate::tools::schema::{self, ModelTool};
use crate::wire::envelope::{Message, Outcome, classify};

/// The id of a rehearsed call. Any would do: one answer is read at a time.
const ID: &str = "1";

/// See the module's head.
#[derive(Debug)]
pub struct Rehearsal {
    lent: Lent,
    calls: Calls,
    max_output: usize,
}

/// What becomes of a call before its handler is asked.
#[derive(Debug, PartialEq, Eq)]
pub enum Begun {
    /// The agent finds that required parameters are missing, and sends no request.
    Unsent(Reading),
    /// The client refuses the arguments.
    Refused(Answered),
    /// The handler's turn; its answer goes by this key.
    Run(u32),
}

/// An answer, and what the model reads of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Answered {
    /// JSON text of the result; `None` for a JSON-RPC error, which only a withdrawn call gets.
    pub result: Option<String>,
    /// Cut to the longest output. Of a withdrawn call a model reads nothing.
    pub reading: Reading,
    /// Whether the result stands for one that was over the limit of a line.
    pub is_too_large: bool,
}

impl Rehearsal {
    /// Nothing is lent yet. `max_output` is that of an agent file, in characters.
    #[must_use]
    pub fn new(namespace: &str, max_output: usize) -> Self {
        Self { lent: Lent::new(namespace), calls: Calls::default(), max_output }
    }

    /// Lends a tool, described as [`Registry::add`](crate::tools::registry::Registry::add) takes it.
    ///
    /// # Errors
    /// See there.
    pub fn add(&mut self, definition: &Value) -> Result<ToolIndex, Flaw> {
        self.lent.own_mut().add(definition)
    }

    /// The tool of an index.
    #[must_use]
    pub fn get(&self, index: ToolIndex) -> Option<&RegisteredTool> {
        self.lent.get(index)
    }

    /// What the model is going to see.
    #[must_use]
    pub fn model_tools(&self) -> Vec<ModelTool> {
        self.lent.own().model_tools()
    }

    /// Begins a call with the params of its request, JSON text. `None`: there is no such tool.
    #[must_use]
    pub fn begin(&self, index: ToolIndex, params: &str) -> Option<Begun> {
        let tool = self.lent.get(index)?;
        // Params that are beyond a tree of values lack nothing; the client refuses them.
        if let Ok(arguments) = serde_json::from_str::<Map<String, Value>>(&mend_surrogates(params))
        {
            let missing = schema::missing_parameters(&tool.description, &arguments);
            if !missing.is_empty() {
                return Some(Begun::Unsent(missing_parameters(&missing)));
            }
        }
        let carrier = MiniMe { discovery: Discovery::Meta };
        match carrier.receive(&self.lent, &tool.description.method, Some(params)) {
            Received::Call(_) => Some(Begun::Run(self.calls.open(ID))),
            Received::Misfit { result, .. } | Received::Unlent { result } => {
                Some(Begun::Refused(self.read(result, false)))
            }
            Received::NotOurs => None,
        }
    }

    /// Answers a call, as the client's [`Calls::answer`] takes it. `None`: no such call is open.
    #[must_use]
    pub fn answer(&self, answer: &str) -> Option<Answered> {
        let limit = MAX_OUTGOING_BYTES;
        let answers = self.calls.answer(answer, limit, |bytes| too_large_result(bytes, limit));
        let line = std::str::from_utf8(&answers.lines).ok()?;
        match classify(line) {
            Ok(Message::Answer { outcome: Outcome::Result(result), .. }) => {
                Some(self.read(result.to_owned(), !answers.too_large.is_empty()))
            }
            Ok(Message::Answer { .. }) => Some(Answered {
                result: None,
                reading: Reading { text: String::new(), is_failed: true },
                is_too_large: false,
            }),
            _ => None,
        }
    }

    fn read(&self, result: String, is_too_large: bool) -> Answered {
        let mut reading = read_result(&result);
        reading.text = cut(&reading.text, self.max_output);
        Answered { result: Some(result), reading, is_too_large }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rehearsal() -> (Rehearsal, ToolIndex) {
        let mut rehearsal = Rehearsal::new("test", 100);
        let schema = json!({
            "type": "object",
            "properties": { "topic": { "type": "string", "enum": ["os", "cpu"] } },
            "required": ["topic"],
        });
        let index = rehearsal.add(&json!({ "name": "info", "inputSchema": schema })).unwrap();
        (rehearsal, index)
    }

    /// Runs a call whose handler gives `answer`, as `js/calls.js` writes it without its key.
    #[track_caller]
    fn answered(answer: &str) -> Answered {
        let (rehearsal, index) = rehearsal();
        let Some(Begun::Run(key)) = rehearsal.begin(index, r#"{"topic":"os"}"#) else {
            panic!("expected a call to run");
        };
        let answered = rehearsal.answer(&format!("{key}{answer}\n")).unwrap();
        assert_eq!(rehearsal.answer(&format!("{key}{answer}\n")), None, "answered once");
        answered
    }

    #[track_caller]
    fn check(answer: &str, text: &str, is_failed: bool) {
        let reading = Reading { text: text.to_owned(), is_failed };
        assert_eq!(answered(answer).reading, reading);
    }

    #[test]
    fn what_a_handler_gave_is_read_as_a_model_reads_it() {
        check(r#"r"plain""#, "plain", false);
        check(r"rnull", "null", false);
        check(
            r#"r{"content":[{"type":"text","text":"no"}],"isError":true}"#,
            "[client tool error: no]",
            true,
        );
        assert_eq!(answered("r[1]").result.as_deref(), Some("[1]"));
        assert_eq!(answered(r#"r"\ud83d""#).result.as_deref(), Some(r#""\ufffd""#));
    }

    #[test]
    fn a_text_over_the_longest_output_is_cut() {
        let long = "x".repeat(150);
        let cut = answered(&format!(r#"r"{long}""#));
        assert!(cut.reading.text.contains("[… 50 characters cut …]"), "{}", cut.reading.text);
        assert_eq!(cut.result, Some(format!(r#""{long}""#)), "the wire has all of it");
    }

    #[test]
    fn of_a_withdrawn_call_nothing_is_read() {
        check(r#"e{"code":-32800,"message":"Request cancelled"}"#, "", true);
        assert_eq!(answered("e{}").result, None);
    }

    #[test]
    fn a_result_over_the_limit_of_a_line_is_told() {
        let answered = answered(&format!(r#"r"{}""#, "x".repeat(MAX_OUTGOING_BYTES)));
        assert!(answered.is_too_large && answered.reading.is_failed);
        assert!(answered.reading.text.contains("the result is too large"));
    }

    #[test]
    fn a_call_without_its_required_parameters_is_not_sent() {
        let (rehearsal, index) = rehearsal();
        for params in ["{}", r#"{"\ud800":1,"_meta":{}}"#] {
            let expected = missing_parameters(&["topic".to_owned()]);
            assert_eq!(rehearsal.begin(index, params), Some(Begun::Unsent(expected)));
        }
    }

    #[test]
    fn arguments_that_do_not_fit_are_refused() {
        let (rehearsal, index) = rehearsal();
        let Some(Begun::Refused(refused)) = rehearsal.begin(index, r#"{"topic":"disk"}"#) else {
            panic!("expected a refusal");
        };
        assert!(refused.reading.is_failed);
        assert!(refused.reading.text.starts_with("[client tool error: topic: expected"));
        let deep = format!(r#"{{"topic":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        assert!(matches!(rehearsal.begin(index, &deep), Some(Begun::Refused(_))));
    }

    #[test]
    fn a_tool_that_is_not_lent_is_not_called() {
        let (rehearsal, ToolIndex(index)) = rehearsal();
        assert_eq!(rehearsal.begin(ToolIndex(index + 1), "{}"), None);
        assert_eq!(rehearsal.answer("7r1\n"), None);
    }
}
