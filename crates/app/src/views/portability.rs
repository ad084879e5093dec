//! The effect of a hook's refusals in other agents.

use std::collections::HashMap;

use super::comparison::{AgentDifference, DifferenceCell, DifferenceKind};
use crate::session::{AgentState, CrossAgentEvent, Session};
use hookbench_core::config::LoadedConfig;
use hookbench_core::convert::{
    ConversionPair, ConvertedDefinition, PortedEffect, PortedHook, convert_definition, port_answers, port_hook,
};
use hookbench_core::dialects::{self, Agent};
use hookbench_core::hook::{DefinitionId, EventSpec, HookDefinition};
use hookbench_core::lint::{LintScope, Refusal, refusals};
use hookbench_core::port::{AgentVersion, project_directory, same_event};
use hookbench_core::run::RunReport;

/// The words before a loss and before its cure in a difference.
const LOSS: &str = "lost";
const CURE: &str = "fix";

/// A hook with its effect in other agents.
#[derive(Debug, Clone, PartialEq)]
pub struct PortableHook {
    pub agent: &'static Agent,
    pub definition: HookDefinition,
    /// `None` if its script is not understood.
    pub refusals: Option<Vec<Refusal>>,
    pub ported: Vec<PortedHook>,
}

impl Session {
    /// Judges the hooks of all loaded agents that `is_wanted` selects, in other agents.
    pub fn portable_hooks(
        &self,
        is_wanted: &dyn Fn(&AgentState, &HookDefinition) -> bool,
        targets: impl Iterator<Item = &'static Agent>,
    ) -> Vec<PortableHook> {
        let targets: Vec<AgentVersion> = targets.map(|dialect| self.version_of(dialect)).collect();
        let mut hooks = Vec::new();
        for agent in self.agents() {
            let Some(loaded) = &agent.loaded else { continue };
            let wanted: Vec<&HookDefinition> =
                loaded.definitions.iter().filter(|d| d.is_valid() && is_wanted(agent, d)).collect();
            let from = AgentVersion { dialect: agent.dialect, version: agent.version.clone() };
            let machine = &dialects::MachineFacts::default();
            let (dialect, version) = (agent.dialect, &agent.version);
            let scope = LintScope { dialect, version, place: self.place(), files: self.files(), loaded, machine };
            let outside = |definition: &HookDefinition| self.command_facts(agent, definition);
            let own = refusals(scope, &from, &wanted, &outside, &|definition| definition.matcher.clone());
            let here = hooks.len();
            hooks.extend(wanted.iter().map(|definition| PortableHook {
                agent: agent.dialect,
                definition: (*definition).clone(),
                refusals: own.get(&definition.id).and_then(|read| read.answers.clone()),
                ported: Vec::new(),
            }));
            for to in &targets {
                let converted = self.convert_all(&from, to, &wanted, loaded);
                let matcher = |definition: &HookDefinition| match converted.get(&definition.id) {
                    Some(converted) => converted.matcher_there(),
                    None => definition.matcher.clone(),
                };
                let mut read = refusals(scope, to, &wanted, &outside, &matcher);
                for hook in hooks.iter_mut().skip(here) {
                    let id = &hook.definition.id;
                    let there = read.remove(id).unwrap_or_default();
                    hook.ported.push(port_hook(to, &hook.definition, converted.get(id), hook.refuses(), there));
                }
            }
        }
        hooks
    }

    /// The hooks that refuse the event in the agent on the bench, and not in all others once they are converted.
    pub(super) fn portability_differences(&self, all: &CrossAgentEvent) -> Vec<AgentDifference> {
        let Some((_, origin)) = all.translated().find(|(of, _)| of.agent == all.origin) else { return Vec::new() };
        let running: Vec<&str> = origin.running().map(|entry| entry.hook.as_str()).collect();
        let is_wanted = |agent: &AgentState, definition: &HookDefinition| {
            agent.dialect.id() == all.origin && running.contains(&definition.id.as_str())
        };
        let targets = all.agents.iter().filter_map(|of| dialects::by_id(of.agent.as_str()));
        let hooks = self.portable_hooks(&is_wanted, targets).into_iter();
        let varies = |hook: &PortableHook| hook.ported.iter().any(|there| there.effect != PortedEffect::Refuses);
        hooks.filter(|hook| hook.refuses() && varies(hook)).map(|hook| hook.difference()).collect()
    }

    /// Judges an answer to an event of one agent in every agent that has it. `answer` returns it for the name of the event
    /// there.
    pub fn port_answer(
        &self,
        agent: &'static Agent,
        event: &EventSpec,
        answer: &dyn Fn(&str) -> RunReport,
    ) -> Vec<PortedHook> {
        let from = self.version_of(agent);
        let targets = dialects::released().map(|dialect| self.version_of(dialect));
        let there = |to: AgentVersion| Some((same_event(&from, event, &to).ok()?.name, to));
        targets.filter_map(there).map(|(event, to)| port_answers(&to, event, &[answer(event)])).collect()
    }

    /// The version that is modelled: that of the session, or else the newest known one.
    fn version_of(&self, dialect: &'static Agent) -> AgentVersion {
        let known = self.agent(dialect.id().as_str()).map(|agent| agent.version.clone());
        AgentVersion { dialect, version: known.unwrap_or_else(|| dialects::default_version(dialect)) }
    }

    /// The definitions as another agent's settings express them. Empty for the same agent.
    fn convert_all(
        &self,
        from: &AgentVersion,
        to: &AgentVersion,
        definitions: &[&HookDefinition],
        loaded: &LoadedConfig,
    ) -> HashMap<DefinitionId, ConvertedDefinition> {
        if from.dialect.id() == to.dialect.id() {
            return HashMap::new();
        }
        let directory = project_directory(to.dialect.settings_format(), self.files(), &self.place().project);
        let pair = ConversionPair { from, to, adapts: false, project_directory: directory };
        let convert = |definition: &&HookDefinition| convert_definition(&pair, definition, loaded);
        definitions.iter().map(|definition| (definition.id.clone(), convert(definition))).collect()
    }
}

impl PortableHook {
    /// Whether it refuses in its own agent.
    fn refuses(&self) -> bool {
        self.refusals.as_ref().is_some_and(|refusals| !refusals.is_empty())
    }

    fn difference(&self) -> AgentDifference {
        let cell = |there: &PortedHook| DifferenceCell {
            agent: there.agent,
            text: there.effect.words().to_owned(),
            reasons: (there.losses.iter().map(|loss| (LOSS.to_owned(), loss.clone())))
                .chain(there.cure.iter().map(|cure| (CURE.to_owned(), cure.clone())))
                .collect(),
        };
        let title = format!("{} once converted", self.definition.label());
        AgentDifference { title, kind: DifferenceKind::Portability, cells: self.ported.iter().map(cell).collect() }
    }
}
