//! The text that decides what a hook does, and where its bytes are written.

use std::borrow::Cow;
use std::ops::Range;

use crate::dialects::{Looked, Script};
use crate::hook::HookDefinition;
use crate::lint::places;
use crate::text::{Literal, Span};

/// The script of a hook, else its command line.
pub(super) struct HookText<'a> {
    pub text: Cow<'a, str>,
    script: Option<&'a Script>,
    literal: Option<&'a Literal>,
    command: Span,
}

impl<'a> HookText<'a> {
    /// `None` if the handler starts no command.
    pub fn of(at: &Looked<'a>) -> Option<HookText<'a>> {
        let command = places::value(at, "command");
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

    /// Where some bytes of it are written; the whole command where that cannot be told.
    pub fn place(&self, range: Range<usize>) -> Span {
        match (self.script, self.literal) {
            (Some(script), _) => script.span(range.start, range.end),
            (None, Some(literal)) if range.end <= literal.text.len() => literal.place(range),
            _ => self.command,
        }
    }

    /// The place of what stands on a line (from 0), without the blanks around it.
    pub fn line(&self, index: usize) -> Span {
        match self.script {
            Some(script) => script.line(index),
            None => self.command,
        }
    }

    /// Whether it is a script of its own.
    pub fn is_script(&self) -> bool {
        self.script.is_some()
    }
}

/// Whether the script answers for several events: it asks which one it was called for, or it is run for another event
/// too on which an answer decides as much as on this one.
pub(super) fn serves_several(at: &Looked<'_>, text: &str) -> bool {
    let events = at.whole.dialect.events(at.whole.version);
    let decides = |name: &str| events.iter().any(|event| event.name == name && event.blocks.is_some());
    let other = |d: &HookDefinition| {
        d.event != at.definition.event && (decides(&d.event) || at.event.blocks.is_none()) && same_script(at, d)
    };
    text.contains("hook_event_name") || at.whole.loaded.definitions.iter().any(other)
}

/// Whether another definition runs the same script, with whatever arguments.
pub(super) fn same_script(at: &Looked<'_>, other: &HookDefinition) -> bool {
    const SHORTEST: usize = 4;
    let name = at.script.and_then(|script| script.path.rsplit('/').next()).filter(|name| name.len() >= SHORTEST);
    other.handler.runs_as(&at.definition.handler) || name.is_some_and(|name| other.handler.text().contains(name))
}
