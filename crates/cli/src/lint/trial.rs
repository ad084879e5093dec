//! `lint --run`: runs each hook in a copy of the project, and adds what its answers show.

use std::path::Path;

use crate::consent::{ask_and_store_consent, read_consent};
use crate::containment::prepare_containment;
use crate::error::CliError;
use crate::progress::ProgressLine;
use crate::run::runtime;
use crate::signals::stop_signals;
use hookbench_app::lint::LintResult;
use hookbench_app::{Command, ConsentItem, LintTrial, Session, StateDir, kill_every_group, try_hook, write_stderr};
use hookbench_core::names::AgentId;
use hookbench_core::text::pluralize;

/// The hooks to run: those of one agent or of all, and only those in the named files if there are any.
pub(super) struct ChosenHooks<'a> {
    pub agent: Option<AgentId>,
    /// Paths as agents open them.
    pub files: &'a [String],
}

/// Runs the hooks that lint reads. Returns whether all of them were tried.
pub(super) fn run_hooks(
    session: &mut Session,
    chosen: &ChosenHooks<'_>,
    yes: bool,
    linted: &mut LintResult,
) -> Result<bool, CliError> {
    session.apply(Command::SetContained(true));
    let trials = hooks_to_run(session, chosen);
    if trials.is_empty() {
        return Ok(true);
    }
    let state = StateDir::of(session.place());
    prepare_containment(true, Path::new(&session.place().project), yes)?;
    if !yes {
        let consent = read_consent(&state);
        let missing: Vec<ConsentItem> = trials.iter().filter_map(|one| one.request.consent_missing(&consent)).collect();
        ask_and_store_consent(&state, &missing, &missing)?;
    }
    runtime(2)?.block_on(async {
        // Registered before the first process starts, so that Ctrl-C never leaves one running.
        let mut stops = stop_signals();
        let mut line = ProgressLine::new();
        let all = trials.len();
        for (number, trial) in trials.into_iter().enumerate() {
            line.show(|| format!("{number} of {} tried", pluralize(all as u64, "hook")));
            let label = trial.request.definition.label();
            let found = tokio::select! {
                found = try_hook(trial) => found,
                Some(()) = stops.recv() => {
                    line.clear();
                    kill_every_group();
                    return Ok(false);
                }
            };
            match found {
                Ok(observed) => linted.add_observed(&observed),
                Err(why) => write_stderr(format!("{label} was not tried: {why}")),
            }
        }
        line.clear();
        Ok(true)
    })
}

/// The hooks of the chosen agents that start a process. If files are named, only hooks in these files or with these scripts.
fn hooks_to_run(session: &Session, chosen: &ChosenHooks<'_>) -> Vec<LintTrial> {
    let mut trials = Vec::new();
    for agent in session.agents().iter().filter(|agent| chosen.agent.is_none_or(|id| agent.dialect.id() == id)) {
        let Some(loaded) = &agent.loaded else { continue };
        for definition in &loaded.definitions {
            let Some(trial) = session.lint_trial(agent, definition) else { continue };
            let file = loaded.sources.path(definition.provenance.span.source);
            let script = trial.script.as_ref().map(|script| script.path.as_str());
            let is_named = |path: &String| path == file || Some(path.as_str()) == script;
            if chosen.files.is_empty() || chosen.files.iter().any(is_named) {
                trials.push(trial);
            }
        }
    }
    trials
}
