//! The answers with which the scripts of hooks refuse, read without running them.

use std::collections::HashMap;

use hookbench_core::config::{Files, LoadedConfig, Place};
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::dialects::MachineFacts;
use hookbench_core::hook::{DefinitionId, HookDefinition};
use hookbench_core::lint::{CommandFacts, HookRefusals, LintScope, Refusal, refusals};
use hookbench_core::port::AgentVersion;
use hookbench_core::run::{Exit, RunId, RunReport};
use hookbench_core::text::Span;
use serde::Serialize;

/// An answer with which a script refuses. `…` stands for what is not known before a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlacedRefusal {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
    /// The line, such as `hooks/guard.sh:12`.
    pub place: String,
}

impl PlacedRefusal {
    /// The run that ends with it.
    pub fn report(&self) -> RunReport {
        RunReport::new(RunId(0), Exit::Code(self.status), self.stdout.as_str(), self.stderr.as_str())
    }
}

/// What a hook would refuse in an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadRefusals {
    pub answers: Vec<PlacedRefusal>,
    /// What the script expects and only its own agent sends, each as a sentence with its line.
    pub unsent: Vec<String>,
}

/// Reads the refusals of hooks of `agent` as they would be in `there`. `outside` resolves what a definition's command starts.
/// A hook whose script is not understood is left out.
pub fn read_refusals(
    [agent, there]: [&AgentVersion; 2],
    place: &Place,
    files: &dyn Files,
    loaded: &LoadedConfig,
    definitions: &[&HookDefinition],
    outside: &dyn Fn(&HookDefinition) -> CommandFacts,
) -> HashMap<DefinitionId, ReadRefusals> {
    let machine = &MachineFacts::default();
    let scope = LintScope { dialect: agent.dialect, version: &agent.version, place, files, loaded, machine };
    let (found, sources) = refusals(scope, there, definitions, outside);
    let line = |span: Span| format!("{}:{}", sources.name(span.source), sources.start(span).line);
    let placed = |refusal: Refusal| {
        let place = line(refusal.at);
        PlacedRefusal { status: refusal.status, stdout: refusal.stdout, stderr: refusal.stderr, place }
    };
    let sentence = |unsent: Diagnostic| match unsent.span {
        Some(span) => format!("{}: {}", line(span), unsent.message),
        None => unsent.message,
    };
    let read = |one: HookRefusals| ReadRefusals {
        answers: one.answers.into_iter().map(placed).collect(),
        unsent: one.unsent.into_iter().map(sentence).collect(),
    };
    found.into_iter().map(|(hook, one)| (hook, read(one))).collect()
}
