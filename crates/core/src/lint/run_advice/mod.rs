//! Findings after a firing: rules for a single run and rules for all runs together. They do not change how an
//! agent interprets a run.

mod answer_keys;
mod answers;
mod exits;
mod run_comparison;
mod stdin;
mod stop_blocks;
mod streams;
mod timing;
mod tool_failures;
mod verdicts;

use std::time::Duration;

use crate::decide::{HookRun, Outcome};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::{Dialect, Scene};
use crate::hook::{EventSpec, Handler, HookDefinition};
use crate::run::{Exit, Launch, RunId};

use super::CommandFacts;
pub use run_comparison::{EarlierRun, compare_runs};
pub use timing::check_durations;

/// A run that has ended, with its context.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    pub dialect: &'a dyn Dialect,
    pub scene: &'a Scene,
    pub event: &'static EventSpec,
    pub definition: &'a HookDefinition,
    pub run: &'a HookRun,
    pub facts: &'a CommandFacts,
}

/// A completed firing.
#[derive(Clone, Copy)]
pub struct FiringContext<'a> {
    pub dialect: &'a dyn Dialect,
    pub scene: &'a Scene,
    pub event: &'static EventSpec,
    /// In the order in which they ended.
    pub runs: &'a [&'a HookRun],
    pub outcome: &'a Outcome,
}

/// A rule that checks one run.
type RunRule = fn(&RunContext<'_>) -> Vec<Diagnostic>;

const RULES: &[RunRule] = &[
    tool_failures::check,
    answers::check,
    streams::check,
    answer_keys::check,
    stdin::check,
    timing::check,
    stop_blocks::check,
    verdicts::check_background,
];

/// Returns the findings about one run, without those that the agent's reader has already reported.
pub fn check_run(at: &RunContext<'_>) -> Vec<Diagnostic> {
    if matches!(at.run.report.exit, Exit::Unanswered | Exit::Cancelled) {
        return Vec::new();
    }
    let mut found: Vec<Diagnostic> = RULES.iter().flat_map(|rule| rule(at)).collect();
    // If a program failed, it is unknown whether the hook would have used its input.
    if found.iter().any(|d| d.code == Code::HW422) {
        found.retain(|d| !matches!(d.code, Code::HW420 | Code::HW421));
    }
    found.retain(|d| !at.run.output.notes.iter().any(|known| known.code == d.code));
    for one in &mut found {
        one.span = one.span.or(Some(at.definition.provenance.span));
    }
    found
}

/// Returns the findings about an answer alone, without the run that printed it.
pub(in crate::lint) fn check_answer(at: &RunContext<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = answers::check(at).into_iter().chain(answer_keys::check(at)).collect();
    found.retain(|d| !at.run.output.notes.iter().any(|known| known.code == d.code));
    found.extend(at.run.output.notes.iter().cloned());
    found
}

/// Returns the findings about a firing as a whole, each with the run that it is about.
pub fn check_firing(at: &FiringContext<'_>) -> Vec<(RunId, Diagnostic)> {
    let mut found = verdicts::check_verdicts(at);
    found.extend(exits::check(at));
    found.extend(timing::check_timeouts(at));
    found.extend(stop_blocks::check_stop_cap(at));
    for (run, one) in &mut found {
        let hook = at.runs.iter().find(|r| r.run == *run).map(|r| &r.hook);
        let definition = hook.and_then(|hook| at.scene.loaded.definition(hook));
        one.span = one.span.or(definition.map(|d| d.provenance.span));
    }
    found
}

impl RunContext<'_> {
    /// The agent's name, for messages.
    fn agent(&self) -> &'static str {
        self.dialect.name()
    }

    fn code(&self) -> Option<i32> {
        self.run.report.exit.code()
    }

    /// Whether a process was started for the run.
    fn process(&self) -> bool {
        matches!(self.run.launch, Launch::Process(_))
    }

    /// Whether the agent waits for the answer.
    fn awaited(&self) -> bool {
        self.run.awaited && !self.definition.detached
    }

    /// The text that determines what the hook does: its script, or its command line without one.
    fn text(&self) -> String {
        match (&self.facts.script, &self.definition.handler) {
            (Some(script), _) => script.text.clone(),
            (None, Handler::Command(command)) => command.command.clone(),
            _ => String::new(),
        }
    }

    fn timeout(&self) -> Option<Duration> {
        match &self.run.launch {
            Launch::Process(spec) => spec.timeout,
            Launch::Http(spec) => spec.timeout,
            Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => None,
        }
    }

    /// Whether the event fires before a tool runs.
    fn before_tool(&self) -> bool {
        let has = |name: &str| self.event.fields.iter().any(|field| field.name == name);
        self.event.blockable_action.is_some() && has("tool_input") && !has("tool_response")
    }
}

/// Shortens a text and puts it on one line.
fn short(text: &str) -> String {
    const LONGEST: usize = 100;
    let line = text.trim().lines().next().unwrap_or("").trim();
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    format!("{}…", line.chars().take(LONGEST).collect::<String>())
}
