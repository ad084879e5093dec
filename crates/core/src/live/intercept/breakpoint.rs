//! Breakpoints: rules for which events are held for the user, and which get a fixed answer.

use regex::Regex;

use super::{IncomingEvent, PathPattern};
use crate::catalogue::catalogue;
use crate::live::normalized_event::NormalizedEvent;
use crate::live::{Decision, UNKNOWN_EVENT, agents, is_blocking, live_form, wire_event};

/// The action of a breakpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BreakpointAction {
    /// Hold the event until the user decides.
    Hold,
    /// Answer with this decision.
    Fixed(Decision),
}

hookbench_base::words! {
    /// The answer to a held event without a decision of the user: the time limit was reached, or hookbench ended.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum TimeoutAction {
        /// Observe: the agent continues as without a hook.
        #[default]
        Pass = "pass",
        Deny = "deny",
        Ask = "ask",
    }
    /// The word used in settings.
    fn word; const ALL; fn from_word;
}

impl TimeoutAction {
    /// The decision, with this reason for the agent.
    pub fn decision(self, reason: &str) -> Decision {
        let reason = Some(reason.to_owned());
        match self {
            TimeoutAction::Pass => Decision::Observe,
            TimeoutAction::Deny => Decision::Deny { reason },
            TimeoutAction::Ask => Decision::Ask { reason },
        }
    }
}

/// A breakpoint. A field that is `None` matches everything. The first breakpoint in the list that matches an event
/// applies.
#[derive(Debug, Clone)]
pub struct Breakpoint {
    pub name: String,
    pub enabled: bool,
    /// An agent's id.
    pub agent: Option<String>,
    /// The event name on the wire.
    pub event: Option<String>,
    /// The event as the user wrote it, for display.
    pub event_name: Option<String>,
    /// A tool by any of its names, in any agent.
    pub tool: Option<String>,
    /// Matches if it matches one of the event's paths.
    pub path: Option<PathPattern>,
    /// A regular expression searched for in the command.
    pub command: Option<Regex>,
    pub session: Option<String>,
    pub action: BreakpointAction,
    pub on_timeout: TimeoutAction,
}

impl Breakpoint {
    /// Creates a breakpoint that holds everything.
    pub fn holding(name: &str) -> Breakpoint {
        Breakpoint {
            name: name.to_owned(),
            enabled: true,
            agent: None,
            event: None,
            event_name: None,
            tool: None,
            path: None,
            command: None,
            session: None,
            action: BreakpointAction::Hold,
            on_timeout: TimeoutAction::Pass,
        }
    }
}

impl Breakpoint {
    /// Whether the breakpoint matches this event, regardless of whether it is enabled.
    pub fn matches(&self, arrival: &IncomingEvent) -> bool {
        let same = |asked: &Option<String>, said: &str| asked.as_deref().is_none_or(|asked| asked == said);
        let normal = &arrival.normal;
        same(&self.agent, &arrival.provider)
            && same(&self.event, &arrival.event)
            && same(&self.session, &arrival.provider_ref)
            && self.tool.as_deref().is_none_or(|tool| is_tool(tool, &arrival.provider, normal))
            && self.path.as_ref().is_none_or(|p| normal.paths().any(|path| p.matches(&arrival.project_path, path)))
            && self.command.as_ref().is_none_or(|p| normal.command.as_deref().is_some_and(|text| p.is_match(text)))
    }
}

/// Whether a name, in any agent's words, refers to the event's tool.
fn is_tool(asked: &str, provider: &str, normal: &NormalizedEvent) -> bool {
    let Some(native) = normal.tool_native.as_deref() else { return false };
    if asked == native || normal.tool.as_deref() == Some(asked) {
        return true;
    }
    let Some(agent) = catalogue().agent(provider) else { return false };
    catalogue().resolve(asked, agent).id.as_deref() == Some(native)
}

/// Whether events with this name can be held for the user.
pub fn can_be_held(event: &str) -> bool {
    // On these events, a session waits only for handlers.
    is_blocking(event) && !matches!(event, "session_start" | "pre_compact")
}

/// Returns the wire name of an event in any spelling, of this agent or, if none is given, of any agent.
pub fn event_named(agent: Option<&str>, spelled: &str) -> Option<String> {
    let forms = agents().filter(|id| agent.is_none_or(|agent| *id == agent)).filter_map(|id| live_form(id.as_str()));
    let names: Vec<String> = forms.map(|form| wire_event(Some(form), spelled)).collect();
    let plain = wire_event(None, spelled);
    let own = names.into_iter().find(|name| *name != plain).unwrap_or(plain);
    (own != UNKNOWN_EVENT).then_some(own)
}

impl PartialEq for Breakpoint {
    fn eq(&self, other: &Breakpoint) -> bool {
        fn compared_fields(of: &Breakpoint) -> (&str, bool, [Option<&str>; 6], &BreakpointAction, TimeoutAction) {
            let texts = [
                of.agent.as_deref(),
                of.event.as_deref(),
                of.tool.as_deref(),
                of.path.as_ref().map(PathPattern::text),
                of.command.as_ref().map(Regex::as_str),
                of.session.as_deref(),
            ];
            (&of.name, of.enabled, texts, &of.action, of.on_timeout)
        }
        compared_fields(self) == compared_fields(other)
    }
}

impl Eq for Breakpoint {}
