//! What is worked out of a plan once, when bench or settings have changed: who fails, who needs the agent, who never runs.

use crate::model::Model;
use hookbench_app::{LEFT_OUT, ResolvedState, RunRecord};
use hookbench_core::hook::{Handler, HookDefinition};
use hookbench_core::plan::{PlanEntry, Selection};
use hookbench_core::run::{Exit, Launch};

impl Model {
    /// Works out what takes a little longer, when bench or settings have changed.
    pub fn judge(&mut self) {
        // A saved file may have changed what a command comes to.
        self.known = None;
        self.for_others = self.session.for_others();
        self.known = None;
        self.failing.clear();
        self.by_hand.clear();
        let (Some(agent), Some(plan)) = (self.session.current(), &self.session.bench.plan) else { return };
        let Some(loaded) = &agent.loaded else { return };
        let fires: Vec<&HookDefinition> = plan.firing().filter_map(|e| loaded.definition(&e.hook)).collect();
        let fails = |definition: &&HookDefinition| {
            let resolved = self.session.resolve(agent, definition)?;
            (resolved.state == ResolvedState::No).then(|| (definition.id.clone(), resolved.says))
        };
        let needs = |definition: &&HookDefinition| match self.session.prospect(agent, definition)?.launch {
            Launch::ByHand(question) => Some((definition.id.clone(), question.needs)),
            _ => None,
        };
        // Only what is no program of its own may need the agent.
        let by_hand = fires.iter().filter(|d| !matches!(d.handler, Handler::Command(_) | Handler::Http(_)));
        let (failing, by_hand) = (fires.iter().filter_map(fails).collect(), by_hand.filter_map(needs).collect());
        (self.failing, self.by_hand) = (failing, by_hand);
    }

    /// Why a hook that fires cannot work, where that is known before it is started.
    pub fn fails(&self, hook: &str) -> Option<&str> {
        self.failing.iter().find(|(id, _)| id == hook).map(|(_, says)| says.as_str())
    }

    /// Why a run could not work, where that was known before it was started and still holds: a shell only says that it did
    /// not.
    pub fn known_failure(&self, run: &RunRecord) -> Option<&str> {
        let vain = matches!(run.ended()?.report.exit, Exit::Code(126 | 127) | Exit::FailedToStart { .. });
        self.fails(&run.hook).filter(|_| vain && !self.outdated())
    }

    /// What of the agent a hook needs that nobody else can run.
    pub fn needs(&self, hook: &str) -> Option<&'static str> {
        self.by_hand.iter().find(|(id, _)| id == hook).map(|(_, needs)| *needs)
    }

    /// How many hooks of the plan need something that only the agent has.
    pub fn needing(&self) -> Vec<(usize, &'static str)> {
        let mut all: Vec<(usize, &'static str)> = Vec::new();
        for (_, needs) in &self.by_hand {
            match all.iter_mut().find(|(_, other)| other == needs) {
                Some((number, _)) => *number += 1,
                None => all.push((1, *needs)),
            }
        }
        all
    }

    /// Entries that no subject of this event would make run, with their sentence.
    pub fn never(&self) -> Vec<(&HookDefinition, &PlanEntry)> {
        let (Some(plan), Some(loaded)) = (self.plan(), self.loaded()) else { return Vec::new() };
        plan.entries
            .iter()
            .filter(|e| !matches!(e.selection, Selection::Fires { .. }) && !self.for_others.contains(&e.hook))
            .filter(|e| e.why.rule != LEFT_OUT)
            .filter_map(|e| Some((loaded.definition(&e.hook)?, e)))
            .collect()
    }
}
