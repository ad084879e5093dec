//! HW7xx: layers, policy, trust and freshness.

mod duplicates;
mod other_checkout;

use super::LintRule;
use crate::config::{LayerState, LoadedConfig, Place};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::{Agent, AgentContext};
use crate::hook::HookDefinition;

pub(super) const RULES: &[LintRule] = &[
    LintRule::Agent(check_untrusted_files),
    LintRule::Agent(|at| other_checkout::check_worktree(at).into_iter().collect()),
    LintRule::Agent(duplicates::check),
    LintRule::Agent(check_home),
    LintRule::Agent(check_sessions),
    LintRule::One(other_checkout::check),
    LintRule::One(other_checkout::check_untracked_script),
];

/// HW703: settings files in a directory that the agent does not trust.
fn check_untrusted_files(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    untrusted_files(at.dialect, at.place, at.loaded)
}

/// The findings about settings files that wait for trust, also for outputs other than a lint.
pub fn untrusted_files(dialect: &Agent, place: &Place, loaded: &LoadedConfig) -> Vec<Diagnostic> {
    // Some readers do not read such files at all and report this themselves.
    if loaded.notes.iter().any(|note| note.code == Code::HW703) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for layer in loaded.layers.iter().filter(|layer| layer.state == LayerState::Untrusted) {
        let hooks: Vec<_> = loaded.definitions.iter().filter(|d| d.provenance.file == layer.file).collect();
        let Some(first) = hooks.first() else { continue };
        let why = first.rejection.as_ref().map(|refused| refused.message.clone()).or_else(|| layer.message.clone());
        let count = hooks.len();
        let says = format!(
            "{count} hook{} of this file {} not run: {}",
            if count == 1 { "" } else { "s" },
            if count == 1 { "does" } else { "do" },
            why.unwrap_or_else(|| "the directory is not trusted".to_owned())
        );
        let help = format!("start {} in this directory and trust it", dialect.name());
        found.push(Diagnostic::new(Code::HW703, says).at(first.provenance.span).with_help(help));
    }
    loaded.settle_missing_trust(place, dialect.name(), &mut found);
    found
}

/// HW706: a project directory that is also the home directory.
fn check_home(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    if at.place.project != at.place.home {
        return Vec::new();
    }
    let own = format!("{}/", at.place.project);
    let here = |d: &&HookDefinition| {
        at.sources.path(d.provenance.span.source).starts_with(&own) && d.provenance.bundle.is_none()
    };
    let all: Vec<&HookDefinition> = at.loaded.definitions.iter().filter(here).collect();
    let Some(first) = all.first() else { return Vec::new() };
    let same = |d: &&&HookDefinition| d.provenance.span == first.provenance.span && d.event == first.event;
    let counts = if all.iter().filter(same).count() > 1 { "twice" } else { "once" };
    let says = format!(
        "the project is the home directory, so {} is also the user-level file: its hooks run in every project, and {counts} here",
        first.provenance.file
    );
    vec![
        Diagnostic::new(Code::HW706, says)
            .at(first.provenance.span)
            .with_help("start the agent in a project directory"),
    ]
}

/// The tolerance between file times and process start times, in milliseconds.
const SLACK: i64 = 2_000;

/// HW707: an agent that was started in this project before its settings were edited.
fn check_sessions(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let Some(cure) = at.dialect.settings_format().reload_action else { return Vec::new() };
    let mut found = Vec::new();
    for layer in at.loaded.layers.iter().filter(|layer| matches!(layer.state, LayerState::Read | LayerState::Broken)) {
        let Some(changed) = at.machine.modified_at.get(&layer.path) else { continue };
        let older = at.machine.running.iter().filter(|agent| agent.started_at + SLACK < *changed);
        let pids: Vec<String> = older.map(|agent| agent.pid.to_string()).collect();
        if pids.is_empty() {
            continue;
        }
        let says = format!(
            "{} (pid {}) started before this file was edited, and may still use the old hooks",
            at.dialect.name(),
            pids.join(", ")
        );
        found.push(Diagnostic::new(Code::HW707, says).in_file(layer.file.clone()).with_help(cure));
    }
    found
}
