//! Facts derived from a plan when bench or settings change: the hooks that will fail, need the agent, or never
//! run.

use crate::model::Model;
use hookbench_app::{LEFT_OUT, RunRecord};
use hookbench_core::config::{LayerFile, LayerState};
use hookbench_core::decide::Verdict;
use hookbench_core::diagnostic::Code;
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::plan::{PlanEntry, Selection};
use hookbench_core::run::{Exit, Launch};

impl Model {
    /// Computes the slower facts after bench or settings have changed.
    pub fn derive_facts(&mut self) {
        // A saved file may have changed how a command is resolved.
        self.definition_facts = None;
        self.for_others = self.session.hooks_for_other_subjects();
        self.failing.clear();
        self.needing_agent.clear();
        self.script_digests.clear();
        let (Some(agent), Some(plan)) = (self.session.current(), &self.session.bench().plan) else { return };
        let Some(loaded) = &agent.loaded else { return };
        let fires: Vec<&HookDefinition> = plan.firing().filter_map(|e| loaded.definition(&e.hook)).collect();
        let needs = |definition: &&HookDefinition| match self.session.prospect(agent, definition)?.launch {
            Launch::ByHand(question) => Some((definition.id.clone(), question.requires)),
            _ => None,
        };
        // Only hooks that are not a program or an HTTP request may need the agent.
        let by_hand = fires.iter().filter(|d| !matches!(d.handler, Handler::Command(_) | Handler::Http(_)));
        let (failing, by_hand) = (self.session.failing_hooks(agent, plan), by_hand.filter_map(needs).collect());
        let digest = |d: &&HookDefinition| (d.id.clone(), self.session.script_digest(agent, d));
        let digests = fires.iter().map(digest).collect();
        (self.failing, self.needing_agent, self.script_digests) = (failing, by_hand, digests);
    }

    /// The known reason why a hook that matches will fail; `None` if it should work.
    pub fn known_problem(&self, hook: &str) -> Option<&str> {
        self.failing.iter().find(|(id, _)| id == hook).map(|(_, says)| says.as_str())
    }

    /// The reason why a run failed, if it was known when the run started. The shell itself gives no reason.
    pub fn known_failure<'r>(&self, run: &'r RunRecord) -> Option<&'r str> {
        let vain = matches!(run.ended()?.report.exit, Exit::Code(126 | 127) | Exit::FailedToStart { .. });
        run.expected_failure.as_deref().filter(|_| vain)
    }

    /// Whether the result of a run was assumed, so that its time means nothing.
    pub fn is_assumed(&self, run: &RunRecord) -> bool {
        self.firing().is_some_and(|firing| firing.assumed_run == Some(run.run))
    }

    /// Whether the agent blocks because this hook failed.
    pub fn fails_closed(&self, hook: &str) -> bool {
        let outcome = self.firing().and_then(|firing| firing.outcome.as_ref());
        outcome.is_some_and(|outcome| {
            outcome.verdict == Verdict::FailedClosed && outcome.decided_by.iter().any(|by| by == hook)
        })
    }

    /// Why the shown run says nothing about the present any more. `None` if it still holds.
    pub fn stale_reason(&self) -> Option<String> {
        let firing = self.firing().filter(|firing| firing.settled && firing.assumed_run.is_none())?;
        let environment = self.session.place().env_source;
        if firing.env_source != environment {
            return Some(format!("it ran with {}", firing.env_source.description()));
        }
        if self.outdated() {
            return Some("the settings have changed since".to_owned());
        }
        firing.runs.iter().filter(|run| run.ended().is_some()).find_map(|run| {
            let (_, script) = self.script_digests.iter().find(|(hook, _)| *hook == run.hook)?;
            // Rights and programs on PATH change without the script.
            let change = match (run.expected_failure.is_some(), self.known_problem(&run.hook).is_some()) {
                (false, true) => "can no longer be started",
                (true, false) => "could not be started; now it can",
                _ if *script != run.script => "has changed since",
                _ => return None,
            };
            Some(format!("{} {change}", firing.loaded.definition(&run.hook)?.label()))
        })
    }

    /// The part of the agent that a hook needs and hookbench does not have; `None` if it needs none.
    pub fn needs(&self, hook: &str) -> Option<&'static str> {
        self.needing_agent.iter().find(|(id, _)| id == hook).map(|(_, needs)| *needs)
    }

    /// The number of hooks in the plan for each need.
    pub fn need_counts(&self) -> Vec<(usize, &'static str)> {
        let mut all: Vec<(usize, &'static str)> = Vec::new();
        for (_, needs) in &self.needing_agent {
            match all.iter_mut().find(|(_, other)| other == needs) {
                Some((number, _)) => *number += 1,
                None => all.push((1, *needs)),
            }
        }
        all
    }

    /// The settings files that the agent cannot parse, also those that it would not read for another reason.
    pub fn broken_layers(&self) -> Vec<&LayerFile> {
        let Some(loaded) = self.loaded() else { return Vec::new() };
        let unparsed = |layer: &&LayerFile| {
            let mut notes = loaded.notes.iter().filter(|note| note.code == Code::HW101);
            notes.any(|note| note.place(&loaded.sources).is_some_and(|(file, _)| file == layer.file))
        };
        loaded.layers.iter().filter(|layer| layer.state == LayerState::Broken || unparsed(layer)).collect()
    }

    /// The plan's entries that no subject of this event makes run.
    pub fn never_running(&self) -> Vec<(&HookDefinition, &PlanEntry)> {
        let (Some(plan), Some(loaded)) = (self.plan(), self.loaded()) else { return Vec::new() };
        plan.entries
            .iter()
            .filter(|e| !matches!(e.selection, Selection::Fires { .. }) && !self.for_others.contains(&e.hook))
            .filter(|e| e.why.rule != LEFT_OUT)
            .filter_map(|e| Some((loaded.definition(&e.hook)?, e)))
            .collect()
    }
}
