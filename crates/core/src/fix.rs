//! Replacement of a definition's matcher.

use crate::config::LoadedConfig;
use crate::hook::{HookDefinition, Layer};
use crate::text::edit::{FileFormat, TextEdit, insert_before, quote_like};
use crate::text::{JsonSyntax, Node, SourceId, Span, parse_json};

/// The reason why the file of a definition cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MatcherEditError(pub String);

/// Returns the edit of a definition's file that changes its matcher and that of all others in its group.
///
/// # Errors
/// Returns an error if the file is not the user's, or if it has no place for a matcher.
pub fn set_matcher(
    loaded: &LoadedConfig,
    definition: &HookDefinition,
    matcher: &str,
) -> Result<TextEdit, MatcherEditError> {
    let file = &definition.provenance.file;
    let own = matches!(definition.provenance.layer, Layer::User | Layer::Project | Layer::Local);
    if !own {
        let whose = definition.provenance.bundle.as_deref().unwrap_or(definition.provenance.layer.word());
        return Err(MatcherEditError(format!("{file} belongs to {whose}; its next update would overwrite the change")));
    }
    let source = definition.provenance.span.source;
    let text = loaded.sources.text(source);
    let form = FileFormat::from_path(loaded.sources.path(source));
    if let Some(span) = definition.matcher_span {
        let before = loaded.sources.slice(span);
        if before.starts_with("\"\"\"") || before.starts_with("'''") || before.starts_with(['|', '>']) {
            return Err(MatcherEditError(format!("the matcher in {file} spans several lines; edit it there")));
        }
        return Ok(TextEdit::replace(span.start, span.end, quote_like(matcher, before, form)));
    }
    let none = || MatcherEditError(format!("the group in {file} has no matcher to change; add one beside `hooks`"));
    if form != FileFormat::Json {
        return Err(none());
    }
    let lenient = JsonSyntax { comments: true, trailing_commas: true, bom: true };
    let root = parse_json(SourceId(0), text, lenient).map_err(|_| none())?;
    let group = group_of(&root, definition.provenance.span).ok_or_else(none)?;
    let first = group.members().and_then(|members| members.first()).ok_or_else(none)?.key_span.start;
    Ok(insert_before(text, first, "matcher", &quote_like(matcher, "\"", form)))
}

/// Returns the object whose `hooks` contain the handler at a span.
fn group_of(node: &Node, handler: Span) -> Option<&Node> {
    let inside = |node: &Node| node.span.start <= handler.start && handler.end <= node.span.end;
    if !inside(node) {
        return None;
    }
    let is = |node: &Node| node.span.start == handler.start && node.span.end == handler.end;
    let holds = node.get("hooks").and_then(Node::items).is_some_and(|items| items.iter().any(is));
    if holds {
        return Some(node);
    }
    let members = node.members().unwrap_or(&[]).iter().map(|member| &member.value);
    members.chain(node.items().unwrap_or(&[])).find_map(|inner| group_of(inner, handler))
}
