//! The event and the template with which the bench begins.

use super::state::Session;
use crate::firing::input::InputRequest;
use crate::session::AgentState;
use hookbench_core::hook::{EventSpec, HookDefinition};

impl Session {
    /// The event to begin with, and the number of its template.
    ///
    /// A template that runs a hook comes first, of an event that can block a tool, then of another event of a tool,
    /// then of any event. If there is none, it is the first configured event in the same order, then the first event
    /// whose hooks the agent ignores, then the first event that can block a tool.
    pub(super) fn first_event(&self, agent: &AgentState) -> Option<(&'static str, usize)> {
        let is_tool = |event: &EventSpec| event.subject == Some("tool_name");
        let mut events: Vec<&'static EventSpec> = agent.dialect.events(&agent.version).into_iter().collect();
        events.sort_by_key(|event| (!is_tool(event), event.blockable_action.is_none() && is_tool(event)));
        let definitions = || agent.loaded.iter().flat_map(|loaded| &loaded.definitions);
        let has = |event: &EventSpec, fits: fn(&HookDefinition) -> bool| {
            definitions().any(|hook| fits(hook) && agent.dialect.is_same_event(&hook.event, event.name))
        };
        let configured = |event: &&&'static EventSpec| has(event, |hook| hook.rejection.is_none());
        let firing =
            events.iter().filter(configured).find_map(|event| Some((event.name, self.firing_template(agent, event)?)));
        let other = || {
            let ignored = |event: &&&'static EventSpec| has(event, |hook| hook.rejection.is_some());
            let first = events.iter().find(configured).or_else(|| events.iter().find(ignored)).or(events.first());
            first.map(|event| (event.name, 0))
        };
        firing.or_else(other)
    }

    /// The number of the first template of an event that runs a hook.
    fn firing_template(&self, agent: &AgentState, event: &'static EventSpec) -> Option<usize> {
        let templates = agent.dialect.examples(event, &self.place, &agent.version);
        templates.into_iter().position(|template| {
            let request = InputRequest {
                agent: Some(agent.dialect.id()),
                event: Some(event.name.to_owned()),
                payload: Some(template.body),
                require_subject: true,
                ..InputRequest::default()
            };
            let input = self.build(&request).ok().map(|built| built.input);
            let scene = input.and_then(|input| self.scene_of(agent, &input));
            scene.is_some_and(|scene| agent.dialect.plan(&scene).firing().next().is_some())
        })
    }
}
