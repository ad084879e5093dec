//! HW812: an HTTP hook whose URL has no scheme, or one other than HTTP.

use crate::diagnostic::{Diagnostic, Fix};
use crate::dialects::Looked;
use crate::hook::Handler;
use crate::lint::places;
use crate::text::quoted;

pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let Handler::Http(handler) = &at.definition.handler else { return None };
    let place = places::value(at, "url");
    let agent = at.agent();
    let lower = handler.url.trim().to_lowercase();
    if !lower.contains("://") && !lower.starts_with('$') {
        let host = lower.split(['/', ':']).next().unwrap_or_default();
        let own = host == "localhost" || host.starts_with("127.") || !host.contains('.');
        let right = format!("{}://{}", if own { "http" } else { "https" }, handler.url.trim());
        let says = format!("\"{}\" has no http:// or https://, so {agent} cannot send this hook", handler.url);
        let found = Diagnostic::error("HW812", says).at(place).help(format!("write {right}"));
        return Some(found.fix(Fix::proposal(place, quoted(&right))));
    }
    if let Some((scheme, _)) = lower.split_once("://").filter(|(scheme, _)| !matches!(*scheme, "http" | "https"))
        && !scheme.contains('$')
    {
        let says = format!("{agent} does not send hooks to {scheme}:// addresses");
        return Some(Diagnostic::error("HW812", says).at(place).help("use an http:// or https:// address"));
    }
    None
}
