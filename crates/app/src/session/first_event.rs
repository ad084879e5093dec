//! The event and the template with which the bench begins, and the template that makes a hook fire.

use super::AgentState;
use super::command::Command;
use super::state::Session;
use crate::firing::input::InputRequest;
use hookbench_core::hook::{EventSpec, HookDefinition};
use hookbench_core::plan::{RungName, Selection};

/// A template that does not make a hook fire.
struct FailedTemplate {
    index: usize,
    subject: Option<String>,
    rung: Option<RungName>,
    nearest: Vec<String>,
}

impl Session {
    /// Selects the first template of the event on the bench that makes this hook fire. If none does, it selects the one that
    /// comes closest: it fails at the last rung, or its tool is the one that the matcher probably means.
    pub fn use_firing_template(&mut self, hook: &str) {
        let mut failed: Vec<FailedTemplate> = Vec::new();
        for index in 0..self.bench.templates.len() {
            self.apply(Command::UseTemplate(index));
            let subject = self.bench.payload.input.as_ref().and_then(|input| input.subject.value.clone());
            let Some(entry) = self.bench.plan.as_ref().and_then(|plan| plan.entry(hook)) else { continue };
            if matches!(entry.selection, Selection::Fires { .. }) {
                return;
            }
            failed.push(FailedTemplate { index, subject, rung: entry.failed_rung, nearest: entry.nearest.clone() });
        }
        if self.use_server_tool(hook) {
            return;
        }
        // The nearest name of another tool's template is the tool that was meant.
        let is_meant = |template: &FailedTemplate| {
            let mut names =
                failed.iter().filter(|other| other.subject != template.subject).flat_map(|other| &other.nearest);
            template.subject.as_ref().is_some_and(|subject| names.any(|name| name == subject))
        };
        let closest = failed.iter().rev().max_by_key(|template| (template.rung, is_meant(template)));
        let index = closest.map_or(0, |template| template.index);
        self.apply(Command::UseTemplate(index));
    }
}

impl Session {
    /// Puts the first event on the bench: one with a template for which a hook runs, or whose first template shows a hook
    /// that never runs. Without such an event, the bench takes the first configured one, else the first one whose hooks
    /// the agent ignores, else the first one of the agent. Events that can block a tool come before other events of tools.
    pub(super) fn put_first_event(&mut self) {
        let Some(agent) = self.current() else { return };
        let is_tool = |event: &EventSpec| event.subject == Some("tool_name");
        let mut events = agent.dialect.events(&agent.version);
        events.sort_by_key(|event| (!is_tool(event), event.blockable_action.is_none() && is_tool(event)));
        let has = |event: &EventSpec, fits: fn(&HookDefinition) -> bool| {
            let mut hooks = agent.loaded.iter().flat_map(|loaded| &loaded.definitions);
            hooks.any(|hook| fits(hook) && agent.dialect.is_same_event(&hook.event, event.name))
        };
        let configured = events.iter().copied().filter(|event| has(event, |hook| hook.rejection.is_none()));
        let configured: Vec<&'static EventSpec> = configured.collect();
        let ignored = events.iter().copied().find(|event| has(event, |hook| hook.rejection.is_some()));
        let other = configured.first().copied().or(ignored).or(events.first().copied());
        for event in configured {
            self.put_event(event.name);
            if self.shows_hook() {
                return;
            }
            if let Some(template) = self.firing_template(event) {
                self.take_template(template);
                return;
            }
        }
        if let Some(event) = other {
            self.put_event(event.name);
        }
    }

    /// Whether a hook runs for the input on the bench, or never runs for any input.
    fn shows_hook(&self) -> bool {
        let others = self.hooks_for_other_subjects();
        let mut entries = self.bench.plan.iter().flat_map(|plan| &plan.entries);
        entries.any(|entry| entry.selection != Selection::Skipped || !others.contains(&entry.hook))
    }

    /// The number of the first template of an event of the agent on the bench for which a hook runs.
    fn firing_template(&self, event: &'static EventSpec) -> Option<usize> {
        let agent: &AgentState = self.current()?;
        let runs_hook = |body| {
            let request = InputRequest {
                agent: Some(agent.dialect.id()),
                event: Some(event.name.to_owned()),
                payload: Some(body),
                require_subject: true,
                ..InputRequest::default()
            };
            let input = self.build(&request).ok().map(|built| built.input);
            let scene = input.and_then(|input| self.scene_of(agent, &input));
            scene.is_some_and(|scene| agent.dialect.plan(&scene).firing().next().is_some())
        };
        self.templates(event).into_iter().position(|template| runs_hook(template.body))
    }
}
