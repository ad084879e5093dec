//! A document in its folder, as a request sees it.

use hookbench_app::AgentState;
use hookbench_core::hook::{HookDefinition, Layer};
use hookbench_core::text::Span;
use lsp_types::Range;

use crate::root::{PlacedHook, Root};
use crate::text::{Encoding, Lines};

/// A document and what is known about its hooks.
pub struct DocumentView<'a> {
    pub root: &'a Root,
    /// The path without links.
    pub path: &'a str,
    pub text: &'a str,
    pub lines: Lines<'a>,
    pub encoding: Encoding,
}

/// The layers whose file belongs to one agent.
const OWN_LAYERS: [Layer; 3] = [Layer::User, Layer::Project, Layer::Local];

impl<'a> DocumentView<'a> {
    /// The hooks of the document. Several agents can read one handler: its owner is the first of its group.
    pub fn handlers(&self) -> Vec<Vec<PlacedHook<'a>>> {
        let mut groups: Vec<Vec<PlacedHook<'a>>> = Vec::new();
        for hook in self.root.hooks_in(self.path) {
            let start = |hook: &PlacedHook<'_>| hook.definition.provenance.span.start;
            match groups.last_mut().filter(|group| group.first().map(start) == Some(start(&hook))) {
                Some(group) => group.push(hook),
                None => groups.push(vec![hook]),
            }
        }
        for group in &mut groups {
            group.sort_by_key(|hook| !self.is_owner(hook.agent));
        }
        groups
    }

    /// The agent whose settings the document is; of several readers the owner. `None` if no agent reads it as settings.
    pub fn reader(&self) -> Option<&'a AgentState> {
        self.root.readers_of(self.path).into_iter().min_by_key(|agent| !self.is_owner(agent))
    }

    fn is_owner(&self, agent: &AgentState) -> bool {
        let file = agent.dialect.settings_format().layer_file;
        OWN_LAYERS.iter().any(|layer| file(self.root.place(), *layer).as_deref() == Some(self.path))
    }

    /// The readers of the handler around an offset.
    pub fn handler_at(&self, offset: usize) -> Option<Vec<PlacedHook<'a>>> {
        self.handlers().into_iter().find(|group| is_in(group, offset, |definition| Some(definition.provenance.span)))
    }

    /// The readers of the matcher around an offset.
    pub fn matcher_at(&self, offset: usize) -> Option<Vec<PlacedHook<'a>>> {
        self.handlers().into_iter().find(|group| is_in(group, offset, |definition| definition.matcher_span))
    }

    /// The range of a handler.
    pub fn range_of(&self, hook: &PlacedHook<'_>) -> Range {
        let span = hook.definition.provenance.span;
        self.lines.range(span.start, span.end)
    }

    /// The word around an offset, with its place: letters, digits, `_` and `-`.
    pub fn word_at(&self, offset: usize) -> Option<(&'a str, usize, usize)> {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let (before, after) = self.text.split_at_checked(offset)?;
        let start = before.len() - before.chars().rev().take_while(|c| is_word(*c)).map(char::len_utf8).sum::<usize>();
        let end = offset + after.chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum::<usize>();
        self.text.get(start..end).filter(|word| !word.is_empty()).map(|word| (word, start, end))
    }
}

fn is_in(group: &[PlacedHook<'_>], offset: usize, span: impl Fn(&HookDefinition) -> Option<Span>) -> bool {
    let span = group.first().and_then(|hook| span(hook.definition));
    span.is_some_and(|span| (span.start..=span.end).contains(&offset))
}
