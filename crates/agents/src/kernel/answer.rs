//! The answer of a run, for agents that read one JSON object on stdout.

use serde_json::{Map, Value};

use crate::shared::missing_keys::list_fields;
use crate::shared::rules;
use hookbench_base::hook::EventSpec;
use hookbench_base::output::{AnswerForm, HookOutput, KeyUse, Vote};
use hookbench_base::run::{Exit, RunReport};
use hookbench_base::trace::TraceStep;

/// The end of a run, as far as it matters to the agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnswerEnd {
    Code(i32),
    /// Killed by a signal.
    Signal,
    /// Killed at its time limit.
    TimedOut,
    /// It never ran, so there is nothing to read.
    #[default]
    NotStarted,
}

impl AnswerEnd {
    /// Why this end is a failure, for agents in which only exit 2 blocks and the statuses of `answers` are answers.
    pub fn quiet_failure(self, answers: &[i32]) -> Option<String> {
        match self {
            AnswerEnd::Code(code) if answers.contains(&code) => None,
            AnswerEnd::Code(code) => Some(format!("exit {code} does not block; use exit 2")),
            other => other.without_status().map(|how| format!("{how}, which does not block")),
        }
    }

    /// How a run ended that has no exit status.
    pub fn without_status(self) -> Option<&'static str> {
        match self {
            AnswerEnd::Signal => Some("killed by a signal"),
            AnswerEnd::TimedOut => Some("it ran out of time"),
            AnswerEnd::Code(_) | AnswerEnd::NotStarted => None,
        }
    }
}

/// A run's answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunAnswer {
    pub form: AnswerForm,
    pub end: AnswerEnd,
    /// The answer, if the agent reads stdout as an object.
    pub object: Option<Map<String, Value>>,
    /// stdout as it was printed.
    pub stdout: String,
    pub stderr: String,
    /// The reason if the run gave no usable answer.
    pub failure: Option<String>,
}

impl RunAnswer {
    /// Interprets the report of a run. `parse` returns the object that the agent reads from stdout, and `failure` why an end
    /// without an object is a failure.
    pub fn read(
        report: &RunReport,
        parse: impl Fn(AnswerEnd, &str) -> Option<Map<String, Value>>,
        failure: impl Fn(AnswerEnd) -> Option<String>,
    ) -> RunAnswer {
        let end = match &report.exit {
            Exit::Code(code) => AnswerEnd::Code(*code),
            Exit::Answered { .. } => AnswerEnd::Code(0),
            Exit::Signal(_) => AnswerEnd::Signal,
            Exit::TimedOut { .. } => AnswerEnd::TimedOut,
            other => {
                let failure = match other {
                    Exit::FailedToStart { error } => error.clone(),
                    other => other.describe(),
                };
                return RunAnswer { form: AnswerForm::Lost, failure: Some(failure), ..RunAnswer::default() };
            }
        };
        let (stdout, stderr) = (report.stdout.text().into_owned(), report.stderr.text().into_owned());
        let object = parse(end, &stdout);
        let form = match (&object, stdout.trim().is_empty()) {
            (Some(_), _) => AnswerForm::Json,
            (None, true) => AnswerForm::Nothing,
            (None, false) => AnswerForm::Text,
        };
        let failure = if object.is_some() { None } else { failure(end) };
        RunAnswer { form, end, object, stdout, stderr, failure }
    }

    /// Whether the run exited with this status.
    pub fn exited_with(&self, code: i32) -> bool {
        self.end == AnswerEnd::Code(code)
    }

    /// The value at a place of the answer: the keys on the way to it.
    pub fn at(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.object.as_ref()?.get(*first)?, |value, key| value.get(key))
    }

    /// A key of the answer's `hookSpecificOutput`.
    pub fn own(&self, key: &str) -> Option<&Value> {
        self.at(&["hookSpecificOutput", key])
    }

    /// The answer for the screen and documents. `use_of` says what the agent does with a key of an answer, by its pointer.
    pub fn output(
        &self,
        report: &RunReport,
        event: Option<&EventSpec>,
        vote: Vote,
        takes_text: bool,
        use_of: impl Fn(&EventSpec, &Value, &str, &Value) -> (KeyUse, String),
    ) -> HookOutput {
        let value = self.object.clone().map(Value::Object);
        let list = |(event, value)| {
            let descends = |pointer: &str| pointer == "/hookSpecificOutput";
            list_fields(value, descends, |pointer, key| use_of(event, value, pointer, key))
        };
        HookOutput {
            form: self.form,
            text: (takes_text && self.form == AnswerForm::Text).then(|| self.stdout.clone()),
            failure: self.failure.clone(),
            vote,
            fields: event.zip(value.as_ref()).map(list).unwrap_or_default(),
            notes: Vec::new(),
            trace: vec![self.step(report, self.exited_with(2))],
            value,
        }
    }

    /// Explains how the answer was read, citing its streams.
    pub fn step(&self, report: &RunReport, reads_stderr: bool) -> TraceStep {
        let (exit, run) = (report.exit.describe(), report.run);
        let step = match (self.form, &self.failure) {
            (_, Some(why)) => TraceStep::new(rules::OUTPUT_FAILED, why.clone()),
            (AnswerForm::Json, None) => {
                TraceStep::new(rules::OUTPUT_JSON, format!("its answer is the JSON on stdout ({exit})"))
                    .with_stdout(run, "")
            }
            (AnswerForm::Text, None) => {
                let says = format!("stdout is not one JSON object, so it is not an answer ({exit})");
                TraceStep::new(rules::OUTPUT_TEXT, says).with_stdout(run, "")
            }
            _ => TraceStep::new(rules::OUTPUT_NOTHING, format!("it printed no answer ({exit})")),
        };
        let step = step.with_exit(run);
        if reads_stderr && !self.stderr.is_empty() { step.with_stderr(run) } else { step }
    }
}
