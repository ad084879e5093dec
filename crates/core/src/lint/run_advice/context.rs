//! The context of the rules about runs.

use std::time::Duration;

use crate::decide::{HookRun, Outcome};
use crate::dialects::{Agent, Scene};
use crate::hook::{EventSpec, Handler, HookDefinition};
use crate::lint::CommandFacts;
use crate::run::Launch;

/// A run that has ended, with its context.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    pub dialect: &'a Agent,
    pub scene: &'a Scene,
    pub event: &'static EventSpec,
    pub definition: &'a HookDefinition,
    pub run: &'a HookRun,
    pub facts: &'a CommandFacts,
}

/// A completed firing.
#[derive(Clone, Copy)]
pub struct FiringContext<'a> {
    pub dialect: &'a Agent,
    pub scene: &'a Scene,
    pub event: &'static EventSpec,
    /// In the order in which they ended.
    pub runs: &'a [&'a HookRun],
    pub outcome: &'a Outcome,
}

impl RunContext<'_> {
    /// The agent's name, for messages.
    pub(super) fn agent(&self) -> &'static str {
        self.dialect.name()
    }

    pub(super) fn code(&self) -> Option<i32> {
        self.run.report.exit.code()
    }

    /// Whether a process was started for the run.
    pub(super) fn process(&self) -> bool {
        matches!(self.run.launch, Launch::Process(_))
    }

    /// Whether the agent waits for the answer.
    pub(super) fn awaited(&self) -> bool {
        self.run.awaited && !self.definition.detached
    }

    /// The text that determines what the hook does: its script, or its command line without one.
    pub(super) fn text(&self) -> String {
        match (&self.facts.script, &self.definition.handler) {
            (Some(script), _) => script.text.clone(),
            (None, Handler::Command(command)) => command.command.clone(),
            _ => String::new(),
        }
    }

    pub(super) fn timeout(&self) -> Option<Duration> {
        match &self.run.launch {
            Launch::Process(spec) => spec.timeout,
            Launch::Http(spec) => spec.timeout,
            Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => None,
        }
    }

    /// Whether the event fires before a tool runs.
    pub(super) fn before_tool(&self) -> bool {
        let has = |name: &str| self.event.fields.iter().any(|field| field.name == name);
        self.event.blockable_action.is_some() && has("tool_input") && !has("tool_response")
    }
}

/// Shortens a text and puts it on one line.
pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 100;
    let line = text.trim().lines().next().unwrap_or("").trim();
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    format!("{}…", line.chars().take(LONGEST).collect::<String>())
}
