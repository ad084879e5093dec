//! The text that determines what a hook does, and the source spans of its bytes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use hookbench_script::{Given, Grammar, Value, Walked, WordKind};
use serde_json::json;

use super::event_payload::{known_keys, other_events};
use crate::dialects::{RuleContext, Script};
use crate::lint::handler_spans;
use crate::text::{Literal, Span};

/// The key that names the event.
const EVENT: &str = "hook_event_name";

/// The script of a hook, or its command line without one.
pub(in crate::lint) struct HookText<'a> {
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

    /// The walk through the hook on this event. `None` if its language is not understood.
    pub fn walk(&self, at: &RuleContext<'_>) -> Option<Arc<Walked>> {
        at.walked.get_or_init(|| self.new_walk(at)).clone()
    }

    fn new_walk(&self, at: &RuleContext<'_>) -> Option<Arc<Walked>> {
        let model = at.model()?;
        let sent = json!({ EVENT: at.event.name });
        let sent = at.agent.dialect.sent_payload(&at.definition.event, &sent);
        let event = sent.get(EVENT).and_then(|name| Some((vec![EVENT.to_owned()], name.as_str()?.to_owned())));
        let mut keys = vec![(EVENT.to_owned(), event.is_some())];
        let payload: Vec<_> = event.into_iter().collect();
        // A command line gets no arguments.
        let line = || self.literal.map(|_| vec![Value::text("sh")]).unwrap_or_default();
        let arguments = self.script.map_or_else(line, |script| arguments(at, script));
        let given = Given { arguments: &arguments, payload: &payload, ..Given::default() };
        let walked = model.walk(&Given { keys: &keys, ..given });
        let known = known_keys(at, &walked);
        if known.is_empty() {
            return Some(walked);
        }
        keys.extend(known);
        Some(model.walk(&Given { keys: &keys, ..given }))
    }

    /// Whether a shell reads the text.
    pub fn is_shell(&self) -> bool {
        let model = self.script.and_then(|script| script.model.as_ref());
        self.script.is_none() || model.is_some_and(|model| model.language == Grammar::Shell)
    }

    /// Whether a word is in the text, and not only in comments.
    pub fn mentions(&self, word: &str) -> bool {
        if !self.text.contains(word) {
            return false;
        }
        let language = match self.script {
            Some(script) => script.model.as_ref().map(|model| model.language),
            None => Some(Grammar::Shell),
        };
        let words = language.map(|language| language.words(&self.text)).unwrap_or_default();
        let is_comment =
            |place: usize| words.iter().any(|(range, kind)| *kind == WordKind::Comment && range.contains(&place));
        self.text.match_indices(word).any(|(place, _)| !is_comment(place))
    }

    /// Whether a statement that includes a file is at this place.
    pub fn includes_at(&self, place: &Range<usize>) -> bool {
        let model = self.script.and_then(|script| script.model.as_ref());
        model.is_some_and(|model| model.included.iter().any(|(at, _)| at == place))
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

/// The words of the command after the script, and its name before them. Empty if the command is not known.
fn arguments(at: &RuleContext<'_>, script: &Script) -> Vec<Value> {
    let name = script.path.rsplit('/').next().unwrap_or(&script.path);
    let after = |words: &[Value]| {
        let place = words.iter().position(|word| word.ends_with(name))?;
        Some(std::iter::once(Value::text(name)).chain(words.get(place + 1..)?.iter().cloned()).collect())
    };
    let Some(written) = at.written else { return Vec::new() };
    if let Some(args) = &written.args {
        let words = std::iter::once(&written.command).chain(args).map(|word| Value::text(&word.text));
        return after(&words.collect::<Vec<Value>>()).unwrap_or_default();
    }
    let model = written.shell_line.as_ref().and_then(|line| line.model.as_ref());
    let Some(walked) = model.map(|model| model.walk(&Given::default())) else { return Vec::new() };
    // xargs and its like put words of their own into the arguments.
    let fills = |program: &str| ["xargs", "parallel", "find"].contains(&program);
    let mut words = walked.started.iter().filter(|started| !fills(&started.program)).map(|started| {
        std::iter::once(Value::text(&started.program)).chain(started.arguments.iter().cloned()).collect::<Vec<Value>>()
    });
    words.find_map(|words| after(&words)).unwrap_or_default()
}
