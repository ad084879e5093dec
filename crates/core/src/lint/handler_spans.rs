//! The spans of a hook's parts in its settings file.

use crate::dialects::RuleContext;
use crate::text::{JsonSyntax, Node, Span, parse_json};

/// Returns the span of a key's value in the handler. Falls back to the handler if the key is missing, and for any key but
/// the command if the file is not JSON.
pub(super) fn value_span(at: &RuleContext<'_>, key: &str) -> Span {
    if let Some(written) = at.written.filter(|_| key == "command") {
        return written.command.span;
    }
    let whole = at.handler_span();
    let text = at.agent.sources.slice(whole);
    let lenient = JsonSyntax { comments: true, trailing_commas: true, bom: false };
    let Ok(node) = parse_json(whole.source, text, lenient) else { return whole };
    let found = node.get(key).map(|value: &Node| value.span);
    found.map_or(whole, |span| Span::new(whole.source, whole.start + span.start, whole.start + span.end))
}
