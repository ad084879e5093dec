//! Interprets the output of a finished run (spec §5.2): stdout, or stderr if stdout is blank; JSON takes
//! precedence over text, whatever the exit status.

use serde_json::{Value, json};

pub use crate::shared::gemini_fork::answer::TypedOutput;
use crate::shared::gemini_fork::answer::{HookAnswer, decode};
use crate::shared::javascript::trim;
use hookbench_base::hook::EventSpec;
use hookbench_base::output::{AnswerForm, TextRecipient};
use hookbench_base::run::{Exit, RunReport, Stream};

/// Returns who receives plain text, which becomes a system message.
pub fn text_reaches(event: &EventSpec) -> TextRecipient {
    if event.honoured_output.contains(&"/systemMessage") { TextRecipient::User } else { TextRecipient::Discarded }
}

/// Interprets the report of a run.
pub fn read_answer(report: &RunReport) -> HookAnswer {
    let lost = |why: String| HookAnswer::failed(AnswerForm::Lost, why);
    let code = match &report.exit {
        Exit::Code(code) => Some(*code),
        // A signal counts as exit 0, but not as a success.
        Exit::Signal(_) => None,
        Exit::TimedOut { after } => {
            let says = format!("Hook timed out after {}ms: its output is discarded", after.as_millis());
            return lost(says);
        }
        Exit::FailedToStart { error } => return lost(error.clone()),
        other => return lost(other.describe()),
    };
    let (stdout, stderr) = (report.stdout.text(), report.stderr.text());
    let (stdout, stderr) = (trim(&stdout), trim(&stderr));
    let (text, stream) = if stdout.is_empty() { (stderr, Stream::Stderr) } else { (stdout, Stream::Stdout) };
    let mut answer = read_text(code.unwrap_or(0), text, stream);
    answer.success = code == Some(0);
    answer.failure = failure(code, &answer);
    answer
}

fn read_text(code: i32, text: &str, stream: Stream) -> HookAnswer {
    if text.is_empty() {
        return HookAnswer::default();
    }
    match decode(text) {
        Some(value @ (Value::Object(_) | Value::Array(_))) => HookAnswer::json(value, false, stream),
        // A number, a boolean, null or a string that was encoded twice.
        Some(_) => HookAnswer { stream: Some(stream), ..HookAnswer::default() },
        None => {
            let value = match code {
                0 => json!({"decision": "allow", "systemMessage": text}),
                1 => json!({"decision": "allow", "systemMessage": format!("Warning: {text}")}),
                _ => json!({"decision": "deny", "reason": text}),
            };
            HookAnswer::text(value, text, stream)
        }
    }
}

/// Returns why a run that exited gave no usable answer.
fn failure(code: Option<i32>, answer: &HookAnswer) -> Option<String> {
    match (code, answer.form) {
        (_, AnswerForm::Json) | (Some(0), _) => None,
        (Some(1), AnswerForm::Text) => Some("exit 1 with text is a warning and does not block".to_owned()),
        (Some(_), AnswerForm::Text) => None,
        (Some(code), _) => Some(format!("exit {code} without text or JSON does not block")),
        (None, _) => Some("killed by a signal, which does not block".to_owned()),
    }
}

impl<'a> TypedOutput<'a> {
    /// Returns whether `decision` is exactly `ask`.
    pub(super) fn asks(self) -> bool {
        self.decision() == Some("ask")
    }

    /// Returns the message for the user.
    pub(super) fn message(self) -> Option<String> {
        self.truthy_text("systemMessage")
    }

    /// Returns the arguments that replace the tool's.
    pub(super) fn tool_input(self) -> Option<&'a Value> {
        self.specific_output("tool_input").filter(|v| v.is_object())
    }

    /// Returns the tool call whose result replaces this one.
    pub(super) fn tail_call(self) -> Option<&'a Value> {
        self.specific_output("tailToolCallRequest").filter(|v| v.is_object())
    }

    /// Returns whether the chat is reset.
    pub(super) fn clears_context(self) -> bool {
        self.specific_output("clearContext") == Some(&Value::Bool(true))
    }
}

/// Returns whether a replacement for the model's answer has the shape that the agent can convert; it throws on any
/// other.
pub fn is_convertible(response: &Value) -> bool {
    let parts = |candidate: &Value| candidate.pointer("/content/parts").is_some_and(Value::is_array);
    response.get("candidates").and_then(Value::as_array).is_some_and(|all| all.iter().all(parts))
}

/// Returns whether the first candidate of an answer has content.
pub fn has_parts(response: &Value) -> bool {
    let parts = response.pointer("/candidates/0/content/parts");
    parts.and_then(Value::as_array).is_some_and(|parts| !parts.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::run::RunId;

    fn value(exit: Exit, stdout: &str, stderr: &str) -> (Option<Value>, bool) {
        let answer = read_answer(&RunReport::new(RunId(0), exit, stdout, stderr));
        (answer.value, answer.failure.is_some())
    }

    #[test]
    fn exit_codes_and_streams() {
        let deny = || Some(json!({"decision": "deny"}));
        let refusal = |text: &str| Some(json!({"decision": "deny", "reason": text}));
        let message = |text: &str| Some(json!({"decision": "allow", "systemMessage": text}));
        let json = r#"{"decision":"deny"}"#;
        for (exit, stdout, stderr, want) in [
            (Exit::Code(0), "", "", (None, false)),
            (Exit::Code(0), "hi\n", "", (message("hi"), false)),
            (Exit::Code(1), "", "boom", (message("Warning: boom"), true)),
            (Exit::Code(2), "", "no\n", (refusal("no"), false)),
            (Exit::Code(2), "plain", "why", (refusal("plain"), false)),
            (Exit::Code(2), "", "", (None, true)),
            (Exit::Code(2), r#"{"systemMessage":"x"}"#, "why", (Some(json!({"systemMessage": "x"})), false)),
            (Exit::Code(3), " ", "x", (refusal("x"), false)),
            (Exit::Code(127), "", "not found", (refusal("not found"), false)),
            (Exit::Code(1), json, "", (deny(), false)),
            (Exit::Code(0), "", json, (deny(), false)),
            (Exit::Code(0), r#""{\"decision\":\"deny\"}""#, "", (deny(), false)),
            (Exit::Code(0), r#""hello""#, "", (message("\"hello\""), false)),
            (Exit::Code(0), "42", "", (None, false)),
            (Exit::Code(0), "[1]", "", (Some(json!([1])), false)),
            (Exit::Code(0), "{bad", "", (message("{bad"), false)),
            (Exit::Code(0), "\u{feff}{\"decision\":\"deny\"}\u{a0}", "", (deny(), false)),
            (Exit::Signal(9), "", "dying", (message("dying"), true)),
            (Exit::Signal(9), json, "", (deny(), false)),
            (Exit::TimedOut { after: std::time::Duration::from_millis(5) }, json, "", (None, true)),
        ] {
            assert_eq!(value(exit.clone(), stdout, stderr), want, "{exit:?} {stdout} {stderr}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(stdout: Vec<u8>, stderr: Vec<u8>, code in 0..4_i32) {
            let _ = read_answer(&RunReport::new(RunId(0), Exit::Code(code), stdout, stderr));
        }
    }
}

#[cfg(test)]
mod typed_output_tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn responses() {
        for (response, want) in [
            (json!({}), (false, false)),
            (json!("x"), (false, false)),
            (json!({"candidates": []}), (true, false)),
            (json!({"candidates": [{"content": {"parts": []}}]}), (true, false)),
            (json!({"candidates": [{"content": {"parts": ["x"]}}]}), (true, true)),
            (json!({"candidates": [{"content": {"parts": ["x"]}}, null]}), (false, true)),
        ] {
            assert_eq!((is_convertible(&response), has_parts(&response)), want, "{response}");
        }
    }
}
