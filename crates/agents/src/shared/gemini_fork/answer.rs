//! The answer of one finished run, and the JSON in it.

use serde_json::Value;

use hookbench_base::output::AnswerForm;
use hookbench_base::run::{RunReport, Stream};
use hookbench_base::text::parse_value;
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
