//! HW811, HW812: HTTP hooks that are not sent, or are sent without the value of a variable.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::dialects::RuleContext;
use crate::hook::Handler;
use crate::lint::handler_spans;
use crate::text::{ascii_regex, quote_literal};

static VARIABLE: LazyLock<Option<Regex>> = LazyLock::new(|| ascii_regex(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))"));

/// Checks for a variable in a header that is not in `allowedEnvVars`.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Handler::Http(http) = &at.definition.handler else { return Vec::new() };
    // Agents that expand variables when they load the settings are checked by another rule.
    if at.agent.dialect.settings_format().expands_on_load {
        return Vec::new();
    }
    let Some(variable) = VARIABLE.as_ref() else { return Vec::new() };
    let allowed = |name: &str| http.allowed_env.as_ref().is_some_and(|names| names.iter().any(|n| n == name));
    let headers = at.definition.raw.get("headers").and_then(Value::as_object);
    let mut found: Vec<Diagnostic> = Vec::new();
    for (header, value) in headers.into_iter().flatten() {
        for captured in variable.captures_iter(value.as_str().unwrap_or("")) {
            let Some(name) = captured.get(1).or(captured.get(2)).map(|m| m.as_str()).filter(|name| !allowed(name))
            else {
                continue;
            };
            let span = at.handler_span();
            let text = at.agent.sources.slice(span);
            let place = text.find(&format!("${name}")).or_else(|| text.find(&format!("${{{name}}}")));
            let length = captured.get(0).map_or(0, |m| m.len());
            let span = place.map_or(span, |from| {
                crate::text::Span::new(span.source, span.start + from, span.start + from + length)
            });
            let says = format!(
                "{header} is sent without ${name}: `allowedEnvVars` does not list it, so {} removes it",
                at.agent_name()
            );
            found.push(
                Diagnostic::new(Code::HW811, says).at(span).with_help(format!("add \"allowedEnvVars\": [\"{name}\"]")),
            );
        }
    }
    found
}

/// HW812: an HTTP hook whose URL has no scheme, or one other than HTTP.
pub(super) fn check_address(at: &RuleContext<'_>) -> Option<Diagnostic> {
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
