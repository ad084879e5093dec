//! HW812: an HTTP hook whose URL has no scheme, or one other than HTTP.

use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::dialects::RuleContext;
use crate::hook::Handler;
use crate::lint::handler_spans;
use crate::text::quote_literal;

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let Handler::Http(handler) = &at.definition.handler else { return None };
    let place = handler_spans::value_span(at, "url");
    let agent = at.agent_name();
    let lower = handler.url.trim().to_lowercase();
    if !lower.contains("://") && !lower.starts_with('$') {
        let host = lower.split(['/', ':']).next().unwrap_or_default();
        let own = host == "localhost" || host.starts_with("127.") || !host.contains('.');
        let right = format!("{}://{}", if own { "http" } else { "https" }, handler.url.trim());
        let says = format!("\"{}\" has no http:// or https://, so {agent} cannot send this hook", handler.url);
        let found = Diagnostic::new(Code::HW812, says).at(place).with_help(format!("write {right}"));
        return Some(found.with_fix(Fix::proposal(place, quote_literal(&right))));
    }
    if let Some((scheme, _)) = lower.split_once("://").filter(|(scheme, _)| !matches!(*scheme, "http" | "https"))
        && !scheme.contains('$')
    {
        let says = format!("{agent} does not send hooks to {scheme}:// addresses");
        return Some(Diagnostic::new(Code::HW812, says).at(place).with_help("use an http:// or https:// address"));
    }
    None
}
