//! The text that determines what a hook does, and the source spans of its bytes.

use std::borrow::Cow;
use std::ops::Range;

use crate::dialects::{RuleContext, Script};
use crate::hook::HookDefinition;
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
    let other = |d: &HookDefinition| {
        d.event != at.definition.event
            && (decides(&d.event) || at.event.blockable_action.is_none())
            && same_script(at, d)
    };
    text.contains("hook_event_name") || at.agent.loaded.definitions.iter().any(other)
}

/// Whether another definition runs the same script, with any arguments.
pub(super) fn same_script(at: &RuleContext<'_>, other: &HookDefinition) -> bool {
    const SHORTEST: usize = 4;
    let name = at.script.and_then(|script| script.path.rsplit('/').next()).filter(|name| name.len() >= SHORTEST);
    other.handler.runs_same(&at.definition.handler) || name.is_some_and(|name| other.handler.text().contains(name))
}
