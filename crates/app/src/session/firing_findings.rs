//! Adds lint findings to the runs of firings.

use std::collections::BTreeSet;

use serde_json::Value;

use super::agent::AgentState;
use super::job::Job;
use super::state::Session;
use crate::analysis::lint::FailedToBlock;
use crate::analysis::named_variables::named_variables;
use crate::analysis::resolve::{ResolvedCommand, ResolvedState};
use crate::firing::record::{FiringId, RunRecord, RunState};
use hookbench_core::config::Files;
use hookbench_core::decide::HookRun;
use hookbench_core::diagnostic::{Code, Diagnostic};
use hookbench_core::dialects::{self, Agent, Scene};
use hookbench_core::hook::{EventSpec, HookDefinition};
use hookbench_core::lint::run_advice::{EarlierRun, FiringContext, RunContext, check_firing, check_run, compare_runs};
use hookbench_core::lint::{CommandFacts, ScriptFile, script_digest};
use hookbench_core::run::{Launch, ProcessSpec};

impl Session {
    /// The dialect, scene and event of a running firing.
    fn machine(&self, id: FiringId) -> Option<(&'static Agent, &Scene, &'static EventSpec)> {
        let dialect = dialects::by_id(self.firing(id)?.agent.as_str())?;
        let scene = self.machines.iter().find(|(live, _)| *live == id)?.1.scene();
        Some((dialect, scene, dialects::find_event(dialect, &scene.version, &scene.input.event)?))
    }

    /// Why a launch cannot work, as far as files tell now (`None` if it should), and the variables that it reads from
    /// the environment of the firing.
    pub(super) fn start_facts(&self, id: FiringId, hook: &str, launch: &Launch) -> (Option<String>, Vec<String>) {
        let definition = self.firing(id).and_then(|firing| firing.loaded.definition(hook));
        let resolved = definition.and_then(|definition| self.resolve_launch(launch, definition));
        let inherited = match launch {
            Launch::Process(spec) => self.inherited_variables(spec, resolved.as_ref()),
            Launch::Http(_) | Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => Vec::new(),
        };
        (resolved.filter(|found| found.state == ResolvedState::No).map(|found| found.message), inherited)
    }

    /// The variables that a command or its script names, that the place has, and that the agent neither sets nor removes.
    pub fn inherited_variables(&self, spec: &ProcessSpec, resolved: Option<&ResolvedCommand>) -> Vec<String> {
        let script = resolved.and_then(|resolved| self.script_text(resolved)).unwrap_or_default();
        let mut texts: Vec<&str> = spec.args.iter().map(String::as_str).collect();
        texts.push(&script);
        let names: BTreeSet<&str> = texts.into_iter().flat_map(named_variables).collect();
        let by_agent = |name: &str| {
            let unset = spec.env.remove.iter().chain(&spec.env.scratch_files).any(|other| other == name);
            unset || spec.env.value(name).is_some()
        };
        // Every program has these.
        let usual = |name: &str| matches!(name, "PATH" | "HOME" | "PWD" | "USER" | "SHELL" | "TMPDIR");
        let inherited = names.into_iter().filter(|name| !usual(name) && !by_agent(name));
        inherited.filter(|name| self.place.var(name).is_some()).map(str::to_owned).collect()
    }

    /// The digest of the script that a definition would run now. `None` if it runs none.
    pub fn script_digest(&self, agent: &AgentState, definition: &HookDefinition) -> Option<String> {
        let resolved = self.resolve(agent, definition)?;
        let text = self.script_text(&resolved)?;
        Some(script_digest(resolved.script.as_deref()?, &text, &self.place, self.files()))
    }

    /// The findings about a run that has just ended, and the digest of its script.
    pub(super) fn run_findings(&self, id: FiringId, run: &HookRun) -> (Vec<Diagnostic>, Option<String>) {
        let nothing = (Vec::new(), None);
        let Some((dialect, scene, event)) = self.machine(id) else { return nothing };
        let Some(definition) = scene.loaded.definition(&run.hook) else { return nothing };
        let resolved = self.resolve_launch(&run.launch, definition);
        let script = resolved.as_ref().and_then(|resolved| script_file(resolved, self.files()));
        let digest = script.as_ref().map(|script| script_digest(&script.path, &script.text, &self.place, self.files()));
        let outside = CommandFacts { script, ..CommandFacts::default() };
        let mut found = check_run(&RunContext { dialect, scene, event, definition, run, facts: &outside });
        let before = self.previous_run(id, run, &definition.raw, digest.as_deref());
        found
            .extend(before.and_then(|before| compare_runs(run, &before)).map(|one| one.at(definition.provenance.span)));
        (found, digest)
    }

    /// The last real run of the same hook for the same event, with the same input and the same script.
    fn previous_run(&self, id: FiringId, run: &HookRun, raw: &Value, script: Option<&str>) -> Option<EarlierRun> {
        let now = self.firing(id)?;
        if now.assumed_run.is_some() {
            return None;
        }
        let past = self.history.decided_before(id).filter(|past| !past.assumed)?;
        let then = past.record().filter(|then| then.containment.is_some() == now.containment.is_some())?;
        let same = |record: &&RunRecord| {
            let other = then.loaded.definition(&record.hook);
            let given = match (&record.launch, &run.launch) {
                (Launch::Process(then), Launch::Process(now)) => then.stdin == now.stdin && then.args == now.args,
                (Launch::Http(then), Launch::Http(now)) => then.body == now.body && then.url == now.url,
                _ => false,
            };
            given
                && other.is_some_and(|d| d.raw == *raw && d.event == run.input.event)
                && record.script.as_deref() == script
        };
        let record = then.runs.iter().find(same)?;
        let ended = record.ended()?;
        Some(EarlierRun { label: format!("run {}", then.id.0), vote: ended.output.vote, report: ended.report.clone() })
    }

    /// Adds the findings about a settled firing.
    pub(super) fn add_firing_findings(&mut self, id: FiringId) {
        let Some((dialect, scene, event)) = self.machine(id) else { return };
        let Some(record) = self.firing(id).filter(|record| !record.cancelled) else { return };
        let Some(outcome) = &record.outcome else { return };
        let runs: Vec<&HookRun> = record.ended.iter().filter_map(|run| record.run(*run)?.ended()).collect();
        let found = check_firing(&FiringContext { dialect, scene, event, runs: &runs, outcome });
        let Some(record) = self.history.record_mut(id).filter(|_| !found.is_empty()) else { return };
        for (run, one) in found {
            let of = record.run_mut(run);
            if let Some(RunRecord { state: RunState::Ended(ended), .. }) = of {
                ended.output.notes.push(one);
            }
        }
        self.history.outcome_changed(id);
    }

    /// Remembers which hooks of a settled firing chose an exit status that does not block, so that lint can name the
    /// line; a later run of the same hook replaces what is known. Requests a lint run if anything has changed.
    pub(super) fn note_failures_to_block(&mut self, id: FiringId) -> Vec<Job> {
        let Some(record) = self.firing(id).filter(|record| record.assumed_run.is_none()) else { return Vec::new() };
        let seen = record.runs.iter().filter_map(|run| {
            let (ended, definition) = (run.ended()?, record.loaded.definition(&run.hook)?);
            let status = ended.report.exit.code().filter(|_| ended.output.notes.iter().any(|n| n.code == Code::HW601));
            Some((definition.event.clone(), definition.raw.clone(), run.script.clone(), status))
        });
        let (seen, agent): (Vec<_>, _) = (seen.collect(), record.agent);
        let Some(state) = self.agents.iter_mut().find(|state| state.dialect.id() == agent) else { return Vec::new() };
        let before = state.failed_to_block.clone();
        for (event, definition, script, status) in seen {
            state.failed_to_block.retain(|known| known.event != event || known.definition != definition);
            let failed = status.map(|status| FailedToBlock { event, definition, script, status });
            state.failed_to_block.extend(failed);
        }
        if state.failed_to_block == before { Vec::new() } else { self.request_lint() }
    }
}

/// The script of a command, for the rules about a run.
pub(super) fn script_file(resolved: &ResolvedCommand, files: &dyn Files) -> Option<ScriptFile> {
    let text = resolved.script_text(files)?;
    Some(ScriptFile { path: resolved.script.clone()?, text, interpreted: resolved.is_interpreted() })
}
