//! Breakpoints: which events are held for the user, and which are answered at once in one way.

use regex::Regex;

use crate::core::live::Decision;

/// What becomes of an event that a breakpoint matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// It is held until the user decides.
    Hold,
    /// It is answered so.
    Fixed(Decision),
}

/// What is answered when the user has not decided in time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnTimeout {
    /// Nothing: the agent goes on as without a hook.
    #[default]
    Pass,
    Deny,
    Ask,
}

impl OnTimeout {
    /// In settings.
    pub fn word(self) -> &'static str {
        match self {
            OnTimeout::Pass => "pass",
            OnTimeout::Deny => "deny",
            OnTimeout::Ask => "ask",
        }
    }
}

/// One breakpoint. What is none matches everything; the first of the list that matches an event is the one that counts.
#[derive(Debug, Clone)]
pub struct Breakpoint {
    pub name: String,
    pub enabled: bool,
    /// An agent's id.
    pub agent: Option<String>,
    /// The event's name on the wire.
    pub event: Option<String>,
    /// A tool by any of its names, in any agent.
    pub tool: Option<String>,
    /// A pattern of paths: `*` within a folder, `**` across folders. One that does not begin with `/` is looked for from
    /// the project's folder.
    pub path: Option<String>,
    /// A pattern that is looked for in the command.
    pub command: Option<Regex>,
    pub session: Option<String>,
    pub action: Action,
    pub on_timeout: OnTimeout,
}

impl Breakpoint {
    /// One that holds everything.
    pub fn holding(name: &str) -> Breakpoint {
        Breakpoint {
            name: name.to_owned(),
            enabled: true,
            agent: None,
            event: None,
            tool: None,
            path: None,
            command: None,
            session: None,
            action: Action::Hold,
            on_timeout: OnTimeout::Pass,
        }
    }
}

impl PartialEq for Breakpoint {
    fn eq(&self, other: &Breakpoint) -> bool {
        let command = |of: &Breakpoint| of.command.as_ref().map(|pattern| pattern.as_str().to_owned());
        let texts =
            |of: &Breakpoint| [&of.agent, &of.event, &of.tool, &of.path, &of.session].map(std::clone::Clone::clone);
        (&self.name, self.enabled, &self.action, self.on_timeout)
            == (&other.name, other.enabled, &other.action, other.on_timeout)
            && texts(self) == texts(other)
            && command(self) == command(other)
    }
}

impl Eq for Breakpoint {}
