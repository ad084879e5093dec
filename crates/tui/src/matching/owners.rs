//! The hooks whose matchers can be tested, and those with a finding.

use super::state::MatcherOwner;
use crate::model::Model;
use hookbench_core::diagnostic::CodeFamily;
use hookbench_core::dialects::{MachineFacts, find_event};
use hookbench_core::hook::HookDefinition;
use hookbench_core::lint::{CommandFacts, LintScope, lint};
use hookbench_core::names::AgentId;
use hookbench_core::text::Span;

impl MatcherOwner {
    /// Its definition in the current settings.
    pub fn definition<'a>(&self, model: &'a Model) -> Option<&'a HookDefinition> {
        model.session.agent(self.agent.as_str())?.loaded.as_ref()?.definition(&self.hook)
    }
}

/// Every hook whose event is known to its agent, the agent on the bench first; of hooks with a shared matcher only
/// the first.
pub fn all(model: &Model) -> Vec<MatcherOwner> {
    let own = model.session.bench().payload.agent;
    let agents = || model.session.agents().iter();
    let ordered = agents().filter(|a| a.dialect.id() == own).chain(agents().filter(|a| a.dialect.id() != own));
    let mut out = Vec::new();
    for agent in ordered {
        let Some(loaded) = &agent.loaded else { continue };
        let mut seen: Vec<Span> = Vec::new();
        for definition in &loaded.definitions {
            let place = definition.matcher_span.unwrap_or(definition.provenance.span);
            let known = find_event(agent.dialect, &agent.version, &definition.event).is_some();
            if known && !seen.contains(&place) {
                seen.push(place);
                out.push(MatcherOwner { agent: agent.dialect.id(), hook: definition.id.clone() });
            }
        }
    }
    out
}

/// The hooks whose matcher has a finding.
pub fn with_problem(model: &Model) -> Vec<MatcherOwner> {
    let mut found: Vec<(AgentId, Span)> = Vec::new();
    for agent in model.session.agents() {
        let Some(loaded) = &agent.loaded else { continue };
        let (place, files) = (model.session.place(), model.session.files());
        let around = MachineFacts::default();
        let scope =
            LintScope { dialect: agent.dialect, version: &agent.version, place, files, loaded, machine: &around };
        let all = lint(scope, &|_| CommandFacts::default()).findings;
        let about = all.into_iter().filter(|d| d.code.family() == Some(CodeFamily::Matchers)).filter_map(|d| d.span);
        found.extend(about.map(|span| (agent.dialect.id(), span)));
    }
    let is = |whose: &MatcherOwner| {
        let span = whose.definition(model).and_then(|definition| definition.matcher_span);
        span.is_some_and(|span| found.contains(&(whose.agent, span)))
    };
    all(model).into_iter().filter(is).collect()
}

/// The hook selected on the bench, or the one that shares its matcher; otherwise the first with a finding;
/// otherwise the first.
pub fn initial(model: &Model) -> Option<MatcherOwner> {
    let all = all(model);
    let selected = model.definition().and_then(|selected| {
        let agent = model.session.bench().payload.agent;
        let same = |whose: &&MatcherOwner| {
            whose.agent == agent
                && whose.definition(model).is_some_and(|d| match d.matcher_span {
                    Some(span) => selected.matcher_span == Some(span),
                    None => d.id == selected.id,
                })
        };
        all.iter().find(same)
    });
    selected.cloned().or_else(|| with_problem(model).into_iter().next()).or_else(|| all.into_iter().next())
}

/// The next or previous hook, wrapping around at the ends.
pub fn neighbour(all: &[MatcherOwner], now: Option<&MatcherOwner>, forward: bool) -> Option<MatcherOwner> {
    let at = now.and_then(|now| all.iter().position(|whose| whose == now));
    let count = all.len();
    let next = match (at, forward) {
        (None, _) => 0,
        (Some(at), true) => (at + 1) % count.max(1),
        (Some(at), false) => (at + count.max(1) - 1) % count.max(1),
    };
    all.get(next).cloned()
}
