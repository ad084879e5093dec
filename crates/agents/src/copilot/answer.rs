//! Interprets the output of a finished run (spec §5.1): stdout must be one JSON object as a whole, after lines that report
//! progress are removed.

use serde_json::{Map, Value};

use super::json;
use super::spelling::{Spelling, camel_event};
use crate::kernel::decision::InterpretedRun;
use crate::shared::javascript::trim;
use hookbench_base::output::AnswerForm;
use hookbench_base::run::{Exit, RunReport};

/// How a run ended, as far as it matters to the agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunEnd {
    /// Exit 0, or a reply of a server.
    Success,
    /// Exit 2.
    Blocks,
    /// At its time limit. The agent throws its output away and goes on.
    TimedOut,
    /// Any other end.
    #[default]
    Failed,
}

/// A run with its interpreted answer.
pub type AnsweredRun<'a> = InterpretedRun<'a, HookAnswer>;

/// A run's answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookAnswer {
    pub form: AnswerForm,
    pub end: RunEnd,
    /// The answer, if stdout is an object and the end lets it count.
    pub object: Option<Map<String, Value>>,
    pub stderr: String,
    /// The reason if the run gave no usable answer.
    pub failure: Option<String>,
    /// Whether `hookSpecificOutput` counts: only for `PreToolUse`.
    reads_specific: bool,
}

impl HookAnswer {
    /// A key beside `hookSpecificOutput`.
    pub fn top(&self, key: &str) -> Option<&Value> {
        self.object.as_ref()?.get(key)
    }

    /// A key of `hookSpecificOutput`. `null` is the same as no key.
    fn specific(&self, key: &str) -> Option<&Value> {
        self.top("hookSpecificOutput").filter(|_| self.reads_specific)?.get(key).filter(|value| !value.is_null())
    }

    /// The decision before a tool.
    pub fn permission(&self) -> Option<&str> {
        self.specific("permissionDecision").or_else(|| self.top("permissionDecision"))?.as_str()
    }

    /// The reason of the decision before a tool, as the agent prints it. `null` counts as a missing reason.
    pub fn permission_reason(&self) -> Option<String> {
        let key = "permissionDecisionReason";
        let reason = self.specific(key).or_else(|| self.top(key)).filter(|reason| !reason.is_null());
        reason.map(json::print)
    }

    /// The reason that counts with exit 2, whatever the decision is. Beside `hookSpecificOutput`, none does.
    pub fn refusal_reason(&self) -> Option<String> {
        let specific = self.top("hookSpecificOutput").filter(|specific| self.reads_specific && specific.is_object());
        let reason = self.top("permissionDecisionReason").filter(|reason| specific.is_none() && !reason.is_null());
        reason.map(json::print).filter(|reason| !reason.is_empty())
    }

    /// The new arguments of a tool, whatever their type is.
    pub fn new_arguments(&self) -> Option<&Value> {
        self.specific("updatedInput").or_else(|| self.top("modifiedArgs"))
    }

    /// The context before a tool, as the agent prints it.
    pub fn printed_context(&self) -> Option<String> {
        let key = "additionalContext";
        printed_context(self.specific(key).or_else(|| self.top(key))?)
    }

    /// A key with a string that is not empty.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.top(key)?.as_str().filter(|text| !text.is_empty())
    }

    /// Whether a key is a string.
    pub fn has_string(&self, key: &str) -> bool {
        self.top(key).is_some_and(Value::is_string)
    }

    /// Whether the answer has `"decision": "block"`.
    pub fn blocks(&self) -> bool {
        self.top("decision").and_then(Value::as_str) == Some("block")
    }

    /// The answer's changes to the tool's result.
    pub fn new_result(&self) -> Option<&Map<String, Value>> {
        self.top("modifiedResult")?.as_object()
    }

    /// The text of a replaced tool result: empty if it is not a string.
    pub fn new_result_text(&self) -> Option<&str> {
        self.new_result()?.get("textResultForLlm").map(|text| text.as_str().unwrap_or_default())
    }
}

/// A context as the agent prints it: a string unchanged, any other value as JSON. `None` for an empty string.
pub fn printed_context(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Interprets the report of a run of a hook that is written under this event.
pub fn read_answer(event: &str, report: &RunReport) -> HookAnswer {
    let end = match &report.exit {
        Exit::Code(0) | Exit::Answered { .. } => RunEnd::Success,
        Exit::Http { status } if (200..300).contains(status) => RunEnd::Success,
        Exit::Code(2) => RunEnd::Blocks,
        Exit::TimedOut { .. } => RunEnd::TimedOut,
        _ => RunEnd::Failed,
    };
    let stderr = report.stderr.text().into_owned();
    let camel = camel_event(event);
    let failure = |why: String| HookAnswer {
        form: AnswerForm::Lost,
        end,
        stderr: stderr.clone(),
        failure: Some(why),
        ..HookAnswer::default()
    };
    match end {
        RunEnd::TimedOut => return failure("it ran out of time: whatever it printed is thrown away".to_owned()),
        RunEnd::Failed => return failure(describe_failure(&camel, &report.exit)),
        RunEnd::Success | RunEnd::Blocks => {}
    }
    let stdout = report.stdout.text();
    let text = without_progress(trim(&stdout));
    let parsed = json::parse(&text);
    let is_json = parsed.is_some();
    let object = match parsed {
        Some(Value::Object(object)) => Some(object),
        _ => None,
    };
    let form = match (&object, trim(&text).is_empty()) {
        (Some(_), _) => AnswerForm::Json,
        (None, true) => AnswerForm::Nothing,
        (None, false) => AnswerForm::Text,
    };
    if camel == "permissionRequest" && form == AnswerForm::Text && !is_json && end == RunEnd::Success {
        let why = "it printed text that is not JSON, which denies here".to_owned();
        return HookAnswer {
            form: AnswerForm::Rejected,
            end: RunEnd::Failed,
            stderr,
            failure: Some(why),
            ..HookAnswer::default()
        };
    }
    let reads_specific = camel == "preToolUse" && Spelling::of(event) == Spelling::Pascal;
    HookAnswer { form, end, object, stderr, failure: None, reads_specific }
}

fn describe_failure(camel: &str, exit: &Exit) -> String {
    let how = match exit {
        Exit::FailedToStart { error } => format!("it did not start: {error}"),
        other => other.describe(),
    };
    match camel {
        "preToolUse" | "permissionRequest" => format!("{how}: a hook that fails denies here"),
        _ => format!("{how}: its answer is ignored"),
    }
}

/// Removes the lines that are objects of the type `progress` with a message.
fn without_progress(text: &str) -> String {
    let is_progress = |line: &&str| {
        let Some(Value::Object(object)) = json::parse(line.trim()) else { return false };
        let string = |key: &str| object.get(key).and_then(Value::as_str);
        string("type") == Some("progress") && string("message").is_some()
    };
    if !text.contains("progress") {
        return text.to_owned();
    }
    text.lines().filter(|line| !is_progress(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::run::RunId;

    fn answer(event: &str, code: i32, stdout: &str) -> HookAnswer {
        read_answer(event, &RunReport::new(RunId(0), Exit::Code(code), stdout, ""))
    }

    #[test]
    fn only_a_whole_object_is_an_answer() {
        const DENY: &str = r#"{"permissionDecision":"deny"}"#;
        for (stdout, form) in [
            (String::new(), AnswerForm::Nothing),
            (format!("\u{feff} {DENY}\n"), AnswerForm::Json),
            (format!("note\n{DENY}"), AnswerForm::Text),
            (format!("{DENY}\n{DENY}"), AnswerForm::Text),
            (format!("{{\"type\":\"progress\",\"message\":\"m\"}}\n{DENY}"), AnswerForm::Json),
            (format!("{DENY}\n{{\"type\":\"progress\",\"message\":\"m\"}}"), AnswerForm::Json),
            (format!("{{\"type\":\"progress\",\"m\":1}}\n{DENY}"), AnswerForm::Text),
            ("{\"type\":\"progress\",\"permissionDecision\":\"deny\"}".to_owned(), AnswerForm::Json),
            ("[1]".to_owned(), AnswerForm::Text),
        ] {
            assert_eq!(answer("preToolUse", 0, &stdout).form, form, "{stdout}");
        }
        assert_eq!(answer("permissionRequest", 0, "t").end, RunEnd::Failed);
        assert_eq!(answer("preToolUse", 1, DENY).object, None);
    }

    #[test]
    fn specific_output_counts_only_in_one_place() {
        let text = r#"{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "R"}, "permissionDecision": "allow"}"#;
        for (event, code, want, reason) in [
            ("PreToolUse", 0, Some("deny"), Some("R")),
            ("PreToolUse", 2, Some("deny"), Some("R")),
            ("preToolUse", 0, Some("allow"), None),
            ("PostToolUse", 0, Some("allow"), None),
        ] {
            let found = answer(event, code, text);
            assert_eq!((found.permission(), found.permission_reason().as_deref()), (want, reason), "{event} {code}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(stdout: Vec<u8>, code in 0..4_i32) {
            let _ = read_answer("PreToolUse", &RunReport::new(RunId(0), Exit::Code(code), stdout, ""));
        }
    }
}
