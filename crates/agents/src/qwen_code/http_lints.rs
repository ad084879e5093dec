//! HW808: HTTP hooks that are not sent, or are sent without a value that their headers refer to (spec §8).

use serde_json::Value;

use super::http;
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::dialects::RuleContext;
use hookbench_base::hook::Handler;
use hookbench_base::text::{Span, truthy};

/// Checks the address, and the variables in it and in the headers. Variables that were set when the settings were
/// read are already replaced.
pub fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Handler::Http(handler) = &at.definition.handler else { return Vec::new() };
    let settings = &at.agent.loaded.settings;
    let patterns = settings.get("allowedHttpHookUrls").and_then(Value::as_array);
    let patterns: Vec<String> = patterns.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let private = settings.get("allowPrivateNetworkHooks").is_some_and(truthy);
    let allowed = handler.allowed_env.clone().unwrap_or_default();
    let mut found = Vec::new();
    let url = http::interpolate(&handler.url, &allowed, &at.agent.place.env);
    if (!handler.url.contains('$') || url != handler.url)
        && let Some(why) = http::refusal(&url, &patterns, private)
    {
        let says = format!("this hook is not sent ({why}), and nothing objects");
        let help = if patterns.is_empty() {
            "use an address outside of private networks, or set allowPrivateNetworkHooks in your own settings"
        } else {
            "add the address to allowedHttpHookUrls"
        };
        found.push(Diagnostic::warning("HW808", says).at(position(at, &handler.url)).with_help(help));
    }
    let texts =
        std::iter::once(("the address", &handler.url)).chain(handler.headers.iter().map(|(n, v)| (n.as_str(), v)));
    for (what, text) in texts {
        for name in variable_names(text).filter(|name| !allowed.contains(name)) {
            let says =
                format!("{what} is sent without ${name}: it is not set here, and `allowedEnvVars` does not name it");
            let help = format!("add \"{name}\" to allowedEnvVars of this hook");
            found.push(Diagnostic::warning("HW808", says).at(position(at, &format!("${name}"))).with_help(help));
        }
    }
    found
}

/// Returns the names of the variables in a text.
fn variable_names(text: &str) -> impl Iterator<Item = String> {
    text.split('$').skip(1).filter_map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())).then_some(name)
    })
}

/// Returns the position of a text in the definition.
fn position(at: &RuleContext<'_>, text: &str) -> Span {
    let own = at.handler_span();
    match at.agent.sources.slice(own).find(text) {
        Some(from) => Span::new(own.source, own.start + from, own.start + from + text.len()),
        None => own,
    }
}
