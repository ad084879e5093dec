//! HW811: an `if` where nobody reads it.

use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Looked;
use crate::core::text::Span;

/// A definition with an `if` of an agent whose hooks have none.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let condition = at.definition.raw.get("if")?;
    let form = at.whole.dialect.form().handler(at.definition.handler.kind())?;
    if form.may.contains(&"if") {
        return None;
    }
    let span = at.handler();
    let text = at.whole.sources.slice(span);
    let place = text.find("\"if\"").map_or(span, |from| Span::new(span.source, span.start + from, span.start + from + 4));
    let rule = condition.as_str().map_or_else(|| condition.to_string(), str::to_owned);
    let says = format!("{} knows no `if`: this hook runs whether `{rule}` holds or not", at.agent());
    Some(Diagnostic::error("HW811", says).at(place).help("test for it in the script, and end with 0 where it does not hold"))
}
