//! The answer of a run, for agents that read one JSON object on stdout.

use serde_json::{Map, Value};

use crate::shared::rules;
use hookbench_base::output::AnswerForm;
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
    /// Interprets the report of a run. `parse` returns the object that the agent reads from stdout, and `failure` why an exit
    /// status without an object is a failure.
    pub fn read(
        report: &RunReport,
        parse: impl Fn(AnswerEnd, &str) -> Option<Map<String, Value>>,
        failure: impl Fn(i32) -> Option<String>,
    ) -> RunAnswer {
        let end = match &report.exit {
            Exit::Code(code) => AnswerEnd::Code(*code),
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
        let failure = match end {
            _ if object.is_some() => None,
            AnswerEnd::NotStarted => None,
            AnswerEnd::Code(code) => failure(code),
            AnswerEnd::Signal => Some("killed by a signal, which does not block".to_owned()),
            AnswerEnd::TimedOut => Some("it ran out of time, which does not block".to_owned()),
        };
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
