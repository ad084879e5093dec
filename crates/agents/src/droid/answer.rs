//! Interprets the output of a finished run (spec §5.1): stdout is an answer only as one JSON object as a whole, whatever
//! the exit status.

use std::ops::Deref;

use serde_json::{Map, Value};

use crate::kernel::answer::{AnswerEnd, RunAnswer};
use crate::kernel::decision::InterpretedRun;
use crate::shared::javascript::{shown, trim};
use hookbench_base::run::RunReport;
use hookbench_base::text::{parse_value, truthy};

/// The top-level keys that the agent knows. On `SessionStart`, an object without any of them is plain text.
const KNOWN_KEYS: [&str; 7] =
    ["continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"];

/// A run with its interpreted answer.
pub type AnsweredRun<'a> = InterpretedRun<'a, HookAnswer>;

/// A run's answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookAnswer(RunAnswer);

impl Deref for HookAnswer {
    type Target = RunAnswer;

    fn deref(&self) -> &RunAnswer {
        &self.0
    }
}

impl HookAnswer {
    /// The answer's `permissionDecision`, whatever its type. `None` if it is absent, empty or false.
    pub fn permission(&self) -> Option<&Value> {
        self.own("permissionDecision").filter(|word| truthy(word))
    }

    /// The reason of the `permissionDecision` as the agent prints it. `None` if it is empty.
    pub fn permission_reason(&self) -> Option<String> {
        self.own("permissionDecisionReason").filter(|reason| truthy(reason)).map(shown)
    }

    /// Whether the answer or the exit status ends the agent's run.
    pub fn ends_run(&self) -> bool {
        self.at(&["continue"]) == Some(&Value::Bool(false)) || self.exited_with(3)
    }

    /// Whether the answer has a new input, which may be ignored.
    pub fn offers_input(&self) -> bool {
        self.own("updatedInput").is_some_and(truthy)
    }

    /// The new input. The agent ignores one beside `ask`, `defer` or an unknown decision.
    pub fn updated_input(&self) -> Option<&Value> {
        let counts = self.permission().is_none_or(|word| matches!(word.as_str(), Some("allow" | "deny")));
        self.own("updatedInput").filter(|input| counts && truthy(input))
    }

    /// The text that a hook with exit 1 puts before the tool's output: stderr, which may be empty. At the time limit, what was
    /// printed before counts as with exit 1.
    pub fn warning(&self) -> Option<&str> {
        (self.exited_with(1) || self.end == AnswerEnd::TimedOut).then_some(self.stderr.as_str())
    }

    /// The context of a session start: plain text is one, too.
    pub fn session_context(&self) -> Option<String> {
        if !self.exited_with(0) {
            return None;
        }
        let is_answer = |object: &Map<String, Value>| KNOWN_KEYS.iter().any(|key| object.contains_key(*key));
        match &self.object {
            Some(object) if is_answer(object) => {
                self.own("additionalContext").and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
            }
            // Within blanks of another kind, which JSON does not have, an answer is neither read nor a text.
            _ => {
                let text = trim(&self.stdout);
                let hidden = matches!(parse_value(text), Ok(Value::Object(object)) if is_answer(&object));
                (!hidden && !text.is_empty()).then(|| text.to_owned())
            }
        }
    }
}

/// Interprets the report of a run.
pub fn read_answer(report: &RunReport) -> HookAnswer {
    let parse = |_, stdout: &str| match parse_value(stdout) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    };
    HookAnswer(RunAnswer::read(report, parse, |end| end.quiet_failure(&[0, 2, 3])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::output::AnswerForm;
    use hookbench_base::run::{Exit, RunId};

    fn answer(exit: Exit, stdout: &str, stderr: &str) -> HookAnswer {
        read_answer(&RunReport::new(RunId(0), exit, stdout, stderr))
    }

    #[test]
    fn only_a_whole_object_is_an_answer() {
        for (stdout, form) in [
            ("", AnswerForm::Nothing),
            (" \n", AnswerForm::Nothing),
            (" {\"a\": 1}\n", AnswerForm::Json),
            ("{\"a\": 1} x", AnswerForm::Text),
            ("{}\n{}", AnswerForm::Text),
            ("[1]", AnswerForm::Text),
            ("\u{feff}{}", AnswerForm::Text),
            ("{}\0", AnswerForm::Text),
            ("null", AnswerForm::Text),
        ] {
            assert_eq!(answer(Exit::Code(0), stdout, "").form, form, "{stdout:?}");
        }
        for (exit, fails) in [(0, false), (1, true), (2, false), (3, false), (127, true)] {
            assert_eq!(answer(Exit::Code(exit), "", "").failure.is_some(), fails, "{exit}");
            assert_eq!(answer(Exit::Code(exit), "{}", "").failure, None, "{exit}");
        }
    }

    #[test]
    fn contexts_of_a_session_start() {
        for (code, stdout, want) in [
            (0, " plain ", Some("plain")),
            (0, "\u{feff}plain\u{a0}", Some("plain")),
            (0, "\u{feff}{\"hookSpecificOutput\": {\"additionalContext\": \"C\"}}", None),
            (0, "{\"decision\": \"block\"}\u{b}", None),
            (0, "\u{feff}{\"foo\": 1}", Some("{\"foo\": 1}")),
            (0, "\u{feff}{\"reason\": 1", Some("{\"reason\": 1")),
            (0, "null", Some("null")),
            (0, "{\"foo\": \"bar\"}", Some("{\"foo\": \"bar\"}")),
            (0, "{\"decision\": \"block\"}", None),
            (0, "{\"hookSpecificOutput\": {\"additionalContext\": \" C \"}}", Some(" C ")),
            (0, "{\"hookSpecificOutput\": {\"additionalContext\": 5}}", None),
            (1, "plain", None),
        ] {
            assert_eq!(answer(Exit::Code(code), stdout, "").session_context().as_deref(), want, "{code} {stdout}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(stdout: Vec<u8>, stderr: Vec<u8>, code in 0..4_i32) {
            let _ = read_answer(&RunReport::new(RunId(0), Exit::Code(code), stdout, stderr));
        }
    }
}
