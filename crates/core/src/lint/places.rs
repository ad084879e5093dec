//! Where in a settings file the parts of a hook stand.

use crate::dialects::Looked;
use crate::text::{Node, Span, Syntax, parse_json};

/// The place of the value of a key of the handler; the handler's own where the file is not JSON or the key is not there.
pub(super) fn value(at: &Looked<'_>, key: &str) -> Span {
    let whole = at.handler();
    let text = at.whole.sources.slice(whole);
    let lenient = Syntax { comments: true, trailing_commas: true, bom: false };
    let Ok(node) = parse_json(whole.source, text, lenient) else { return whole };
    let found = node.get(key).map(|value: &Node| value.span);
    found.map_or(whole, |span| Span::new(whole.source, whole.start + span.start, whole.start + span.end))
}
