//! A matcher with the values that it is compared with.

use std::cell::OnceCell;

pub(super) use crate::matcher::{is_name, is_word};

use crate::catalogue::{AgentTools, catalogue};
use crate::dialects::RuleContext;
use crate::matcher::server_tools_in;
use crate::text::Span;

/// The matcher of a definition on an event that has a subject, evaluated by the agent's own rule.
pub(super) struct MatcherContext<'a> {
    pub at: &'a RuleContext<'a>,
    pub text: &'a str,
    pub span: Span,
    /// The payload key that it is compared with.
    key: &'static str,
    /// The agent's tools, if it is compared with tool names.
    tools: Option<&'static AgentTools>,
    matches_nothing: OnceCell<bool>,
}

impl<'a> MatcherContext<'a> {
    /// Returns the matcher of a definition. `None` if it matches everything, or if it is a list of the agent's own
    /// tools.
    pub fn of(at: &'a RuleContext<'a>) -> Option<MatcherContext<'a>> {
        let (text, span) = at.matcher()?;
        let key = at.event.subject?;
        let has_globs = at.agent.dialect.settings_format().pattern_prefix.is_some();
        if matches!(text.trim(), "" | "*") || text.trim() == ".*" && !has_globs {
            return None;
        }
        let tools = (key == "tool_name").then(|| catalogue().agent(at.agent.dialect.id().as_str())).flatten();
        let known = |name: &str| tools.is_some_and(|tools| tools.tools.iter().any(|t| t.names().any(|n| n == name)));
        (has_globs && text.contains('|') || !text.split('|').all(known)).then_some(MatcherContext {
            at,
            text,
            span,
            key,
            tools,
            matches_nothing: OnceCell::new(),
        })
    }

    /// The text without the prefix of a pattern.
    pub fn pattern(&self) -> &str {
        let text = self.text.trim();
        let prefix = self.at.agent.dialect.settings_format().pattern_prefix;
        prefix.and_then(|prefix| text.strip_prefix(prefix)).unwrap_or(text)
    }

    /// Returns the agent's tools. `None` if the matcher is not about tools.
    pub fn tools(&self) -> Option<&'static AgentTools> {
        self.tools
    }

    /// Returns the ids of the agent's tools, or nothing if the matcher is not about tools.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.tools.into_iter().flat_map(|tools| tools.tools).map(|tool| tool.id)
    }

    /// Returns the possible values if they are a closed list.
    pub fn values(&self) -> &'static [&'static str] {
        let field = self.at.event.fields.iter().find(|field| field.name == self.key);
        field.map_or(&[], |field| field.values)
    }

    /// Returns everything known to occur: tools, or the values of a closed list.
    pub fn known(&self) -> Vec<&'static str> {
        self.ids().chain(self.values().iter().copied()).collect()
    }

    /// Returns the tool id for a name, or the name itself.
    pub fn resolve_name(&self, name: &str) -> String {
        let id = self.tools.and_then(|tools| catalogue().resolve(name, tools).id);
        id.unwrap_or_else(|| name.to_owned())
    }

    /// The name of a tool that the matchers of the event are compared with, from one of its names.
    pub fn name_in_matchers<'n>(&self, name: &'n str) -> &'n str {
        self.at.agent.dialect.tool_in_matchers(self.at.event.name, name)
    }

    /// Whether another matcher would match a value. `None` if that is unknown.
    pub fn would_match(&self, text: &str, value: &str) -> Option<bool> {
        self.at.agent.matches_value(self.at.event, text, value)
    }

    /// Whether the matcher matches a value. `None` if that is unknown.
    pub fn matches(&self, value: &str) -> Option<bool> {
        self.would_match(self.text, value)
    }

    /// The tools of MCP servers that the matcher writes out and matches.
    pub fn server_tools(&self) -> Vec<String> {
        let named = self.tools.map(|tools| server_tools_in(self.text, tools)).unwrap_or_default();
        named.into_iter().filter(|name| self.matches(name) == Some(true)).collect()
    }

    /// Whether the matcher definitely matches no known value and no MCP tool that it writes out.
    pub fn matches_nothing(&self) -> bool {
        *self.matches_nothing.get_or_init(|| {
            self.known().iter().all(|value| self.matches(value) == Some(false)) && self.server_tools().is_empty()
        })
    }
}

/// Formats `a, b and 3 more`, with at most five names.
pub(super) fn listed(names: &[&str]) -> String {
    const MOST: usize = 5;
    let shown = names.get(..MOST.min(names.len())).unwrap_or(names).join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
