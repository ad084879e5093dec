//! HW303: a permission rule in the place of a matcher.

use serde_json::Value;

use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Looked;

/// `Bash(git *)`: a tool's name with something in brackets that is no list of names.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let (Value::String(text), Some(span)) = (at.definition.matcher.as_ref()?, at.definition.matcher_span) else {
        return None;
    };
    if at.event.subject != Some("tool_name") {
        return None;
    }
    let (tool, rest) = text.trim().split_once('(')?;
    let inside = rest.strip_suffix(')')?;
    let name = !tool.is_empty() && tool.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    // `Notebook(Edit|Read)` is a pattern like any other.
    let names =
        !inside.is_empty() && inside.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '|' | '?' | ':'));
    if !name || names && !inside.contains(':') {
        return None;
    }
    let says = format!(
        "\"{text}\" is the syntax of a permission rule; a matcher sees the tool's name only, so it never matches {tool}"
    );
    let help = format!("write {tool} as the matcher, and test the input in the hook's `if` or script");
    Some(Diagnostic::error("HW303", says).at(span).help(help))
}
