//! Tells when a model goes in circles: the same call that keeps giving the same answer. Knows nothing
//! of tools. (`docs/protocol.md`, "The stand-in for mm")

use super::model::{CallResult, ModelCall};

/// How often the same call may give the same answer in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopLimits {
    /// From this time on the model is warned.
    pub warn_at: usize,
    /// At this time the turn ends.
    pub end_at: usize,
}

impl Default for LoopLimits {
    fn default() -> Self {
        Self { warn_at: 3, end_at: 5 }
    }
}

/// What the model says when its turn is ended.
pub(super) const ENDED: &str = "[loop: the same call keeps giving the same answer]";

/// What follows from one more result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fine,
    /// This is appended to what the model reads.
    Warn(String),
    /// The turn ends.
    End,
}

/// Counts within one turn.
#[derive(Debug)]
pub(super) struct LoopDetector {
    limits: LoopLimits,
    seen: Vec<(ModelCall, CallResult)>,
}

impl LoopDetector {
    pub(super) fn new(limits: LoopLimits) -> Self {
        Self { limits, seen: Vec::new() }
    }

    pub(super) fn count(&mut self, call: &ModelCall, result: &CallResult) -> Verdict {
        let is_same = |(seen, answer): &&(ModelCall, CallResult)| seen == call && answer == result;
        let times = self.seen.iter().filter(is_same).count() + 1;
        self.seen.push((call.clone(), result.clone()));
        if times >= self.limits.end_at {
            return Verdict::End;
        }
        if times < self.limits.warn_at {
            return Verdict::Fine;
        }
        Verdict::Warn(format!("\n[loop: the same call gave the same answer {times} times]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn call(tool: &str) -> ModelCall {
        ModelCall { tool: tool.into(), arguments: Map::new() }
    }

    fn result(text: &str) -> CallResult {
        CallResult { text: text.into(), is_failed: false }
    }

    #[test]
    fn the_third_time_warns_and_the_fifth_ends() {
        let mut detector = LoopDetector::new(LoopLimits::default());
        let mut again = || detector.count(&call("a"), &result("x"));
        assert_eq!(again(), Verdict::Fine);
        assert_eq!(again(), Verdict::Fine);
        let Verdict::Warn(warning) = again() else { panic!("expected a warning") };
        assert!(warning.contains("3 times"), "{warning}");
        assert!(matches!(again(), Verdict::Warn(_)));
        assert_eq!(again(), Verdict::End);
    }

    #[test]
    fn another_call_and_another_answer_are_no_repeats() {
        let mut detector = LoopDetector::new(LoopLimits { warn_at: 2, end_at: 3 });
        assert_eq!(detector.count(&call("a"), &result("x")), Verdict::Fine);
        assert_eq!(detector.count(&call("b"), &result("x")), Verdict::Fine);
        assert_eq!(detector.count(&call("a"), &result("y")), Verdict::Fine);
        assert!(matches!(detector.count(&call("a"), &result("x")), Verdict::Warn(_)));
    }
}
