//! The text that determines what a hook does, and the source spans of its bytes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::dialects::{RuleContext, Script};
use crate::lint::handler_spans;
use crate::text::{Literal, Span};

/// The script of a hook, or its command line without one.
pub(super) struct HookText<'a> {
    pub text: Cow<'a, str>,
    script: Option<&'a Script>,
    literal: Option<&'a Literal>,
    command: Span,
}

impl<'a> HookText<'a> {
    /// Returns `None` if the handler starts no command.
    pub fn of(at: &RuleContext<'a>) -> Option<HookText<'a>> {
        let command = handler_spans::value_span(at, "command");
        if let Some(script) = at.script {
            return Some(HookText { text: Cow::Borrowed(&script.text), script: Some(script), literal: None, command });
        }
        let literal = at.written.filter(|written| written.args.is_none()).map(|written| &written.command);
        let text = match literal {
            Some(literal) => Cow::Borrowed(literal.text.as_str()),
            None => Cow::Owned(at.command()?),
        };
        Some(HookText { text, script: None, literal, command })
    }

    /// Returns the span of a byte range of the text, or of the whole command if the range cannot be mapped.
    pub fn span_of(&self, range: Range<usize>) -> Span {
        match (self.script, self.literal) {
            (Some(script), _) => script.span(range.start, range.end),
            (None, Some(literal)) if range.end <= literal.text.len() => literal.place(range),
            _ => self.command,
        }
    }

    /// Returns the span of a line (counted from 0) without the surrounding whitespace.
    pub fn line_span(&self, index: usize) -> Span {
        match self.script {
            Some(script) => script.line_span(index),
            None => self.command,
        }
    }

    /// Whether the text is a separate script.
    pub fn is_script(&self) -> bool {
        self.script.is_some()
    }
}

/// Whether the script answers several events: it checks which event it was called for, or it is also configured
/// for another event on which an answer can decide as much as on this one.
pub(super) fn serves_several(at: &RuleContext<'_>, text: &str) -> bool {
    let events = at.agent.dialect.events(at.agent.version);
    let decides = |name: &str| events.iter().any(|event| event.name == name && event.blockable_action.is_some());
    let decides_there = |event: &&str| decides(event) || at.event.blockable_action.is_none();
    text.contains("hook_event_name") || other_events(at).iter().any(decides_there)
}

/// The other events for which the same script is configured, with any arguments.
pub(super) fn other_events<'a>(at: &RuleContext<'a>) -> Vec<&'a str> {
    const SHORTEST: usize = 4;
    let handlers = at.agent.handlers;
    let name = at.script.and_then(|script| script.path.rsplit('/').next()).filter(|name| name.len() >= SHORTEST);
    let mut events = handlers.events_of(&at.definition.handler).to_vec();
    events.extend(name.map(|name| handlers.events_naming(name)).unwrap_or_default());
    let mut seen = HashSet::new();
    events.retain(|event| *event != at.definition.event && seen.insert(*event));
    events
}
