//! The answer of one finished run, and the JSON in it.

use serde_json::Value;

use hookbench_base::output::AnswerForm;
use hookbench_base::run::{RunReport, Stream};
use hookbench_base::text::{parse_value, to_js_string, truthy};
use hookbench_base::trace::{Evidence, TraceStep};

/// The answer of one run, as the agent's runner passes it to the aggregator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookAnswer {
    pub form: AnswerForm,
    /// The output object, or `None` if the run has no effect.
    pub value: Option<Value>,
    /// The text, if the output was read as text.
    pub text: Option<String>,
    /// Why the run gave no usable answer.
    pub failure: Option<String>,
    /// Whether the next hook receives the changes of this one.
    pub success: bool,
    /// The stream that the answer was read from.
    pub stream: Option<Stream>,
}

impl HookAnswer {
    /// An answer without a value.
    pub fn failed(form: AnswerForm, why: impl Into<String>) -> HookAnswer {
        HookAnswer { form, failure: Some(why.into()), ..HookAnswer::default() }
    }

    /// An answer that is JSON.
    pub fn json(value: Value, success: bool, stream: Stream) -> HookAnswer {
        HookAnswer { value: Some(value), success, stream: Some(stream), ..HookAnswer::of_form(AnswerForm::Json) }
    }

    /// An answer that is text, with the output object that the agent makes of it.
    pub fn text(value: Value, text: &str, stream: Stream) -> HookAnswer {
        HookAnswer {
            value: Some(value),
            text: Some(text.to_owned()),
            stream: Some(stream),
            ..HookAnswer::of_form(AnswerForm::Text)
        }
    }

    fn of_form(form: AnswerForm) -> HookAnswer {
        HookAnswer { form, ..HookAnswer::default() }
    }

    /// Cites the stream that the answer was read from, and the exit status.
    pub fn cite(&self, step: TraceStep, report: &RunReport) -> TraceStep {
        let step = match self.stream {
            Some(stream) => step.with_evidence(Evidence::Output { run: report.run, stream, pointer: None }),
            None => step,
        };
        step.with_exit(report.run)
    }

    /// Returns the name of the stream for a sentence.
    pub fn stream_name(&self) -> &'static str {
        if self.stream == Some(Stream::Stderr) { "stderr" } else { "stdout" }
    }
}

/// Applies `JSON.parse`, and once more if the result is a string. Returns `None` for invalid JSON.
pub fn decode(text: &str) -> Option<Value> {
    match parse_value(text).ok()? {
        Value::String(inner) => parse_value(&inner).ok(),
        value => Some(value),
    }
}

/// The agent throws while it handles the firing, so every output is lost. Names the output that caused it, and
/// why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentException {
    pub culprit: usize,
    pub message: String,
}

/// Describes a `hookSpecificOutput` on which JavaScript's `in` throws: truthy but not an object. Lists count as
/// objects.
pub fn specific_output_error(output: &Value) -> Option<String> {
    let kind = match output.get("hookSpecificOutput").filter(|s| truthy(s))? {
        Value::String(_) => "a string",
        Value::Number(_) => "a number",
        Value::Bool(_) => "true",
        _ => return None,
    };
    Some(format!("its hookSpecificOutput is {kind} instead of an object, and the agent throws an error"))
}

/// Checks the `hookSpecificOutput` of all outputs.
///
/// # Errors
///
/// Returns the first output on which the agent throws.
pub fn check_specific_outputs(outputs: &[&Value]) -> Result<(), AgentException> {
    match outputs.iter().enumerate().find_map(|(at, output)| Some((at, specific_output_error(output)?))) {
        Some((culprit, message)) => Err(AgentException { culprit, message }),
        None => Ok(()),
    }
}

const NO_REASON: &str = "No reason provided";

/// An output: of one hook, or merged.
#[derive(Debug, Clone, Copy)]
pub struct TypedOutput<'a>(pub &'a Value);

impl<'a> TypedOutput<'a> {
    /// Returns a top-level key as a text, if its value is truthy.
    pub fn truthy_text(self, key: &str) -> Option<String> {
        self.0.get(key).filter(|v| truthy(v)).map(to_js_string)
    }

    /// Returns the value of a key in `hookSpecificOutput`.
    pub fn specific_output(self, key: &str) -> Option<&'a Value> {
        self.0.get("hookSpecificOutput")?.get(key)
    }

    /// Returns the top-level `decision` if it is a string.
    pub fn decision(self) -> Option<&'a str> {
        self.0.get("decision").and_then(Value::as_str)
    }

    /// Returns whether `decision` is exactly `block` or `deny`.
    pub fn blocks(self) -> bool {
        matches!(self.decision(), Some("block" | "deny"))
    }

    /// Returns whether `continue` is exactly false.
    pub fn stops(self) -> bool {
        self.0.get("continue") == Some(&Value::Bool(false))
    }

    /// Returns `stopReason`, or `reason`, or a default text.
    pub fn effective_reason(self) -> String {
        self.truthy_text("stopReason").or_else(|| self.truthy_text("reason")).unwrap_or_else(|| NO_REASON.to_owned())
    }

    /// Returns the unescaped `additionalContext` if it is a string.
    pub fn raw_context(self) -> Option<&'a str> {
        self.specific_output("additionalContext").and_then(Value::as_str)
    }

    /// Returns the context with `<` and `>` escaped, as most events deliver it. `None` if it is empty.
    pub fn context(self) -> Option<String> {
        self.raw_context().map(escape_angles).filter(|c| !c.is_empty())
    }
}

/// Replaces `<` and `>` with entities.
pub fn escape_angles(text: &str) -> String {
    text.replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reasons_and_contexts() {
        for (output, want) in [
            (json!({"stopReason": "", "reason": "r"}), "r"),
            (json!({"stopReason": ["a", "b"], "reason": "r"}), "a,b"),
            (json!({"reason": null}), NO_REASON),
            (json!({"reason": 5}), "5"),
        ] {
            assert_eq!(TypedOutput(&output).effective_reason(), want, "{output}");
        }
        let context =
            |value: Value| TypedOutput(&json!({"hookSpecificOutput": {"additionalContext": value}})).context();
        assert_eq!(context(json!("<b> & ")), Some("&lt;b&gt; & ".to_owned()));
        assert_eq!((context(json!("")), context(json!(5))), (None, None));
    }
}
