//! Surprises specific to this agent: switches that disable all hooks, a settings file that the agent rewrites (HW112),
//! and HTTP hooks that are not sent, or are sent without a value that their headers refer to (HW808; spec §8).

use super::http;
use super::switches::switched_on;
use hookbench_base::config::LayerState;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::{AgentContext, RuleContext};
use hookbench_base::hook::{Handler, Layer};
use hookbench_base::text::{JsonSyntax, Span, parse_json, truthy};

/// Reports switches and the settings file.
pub fn check_agent(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = check_rewritten(at).into_iter().collect();
    let hooks = at.loaded.definitions.len();
    if hooks == 0 || at.loaded.hooks_off.is_none() {
        return found;
    }
    for switch in &at.loaded.switches {
        let (code, help) = match switch.name.as_str() {
            "disableAllHooks" if truthy(&switch.value) => (Code::HW701, "delete the key"),
            "QWEN_CODE_SAFE_MODE" | "QWEN_CODE_SIMPLE" if switch.value.as_str().is_some_and(switched_on) => {
                (Code::HW712, "unset the variable")
            }
            _ => continue,
        };
        let by = switch.set_by.as_deref().unwrap_or("the settings");
        let count = format!("{hooks} hook{}", if hooks == 1 { "" } else { "s" });
        let says = match code {
            Code::HW712 => format!("{count} will not run: the variable {by} is set, so hooks of files do not run"),
            _ => format!("{count} will not run: `{}` is set in {by}", switch.name),
        };
        let mut one = Diagnostic::new(code, says).with_help(help);
        one.span = switch.span;
        found.push(one);
    }
    found
}

/// Reports project settings without a version number, which the agent will add (HW112). Reported only if git
/// tracks the file, where the change shows until it is committed.
fn check_rewritten(at: &AgentContext<'_>) -> Option<Diagnostic> {
    let tracked = at.machine.tracked.as_ref()?;
    let mut project = at.loaded.layers.iter().filter(|l| l.layer == Layer::Project && l.state == LayerState::Read);
    let file = project.find(|layer| tracked.contains(&layer.path))?;
    let source = at.loaded.sources.by_path(&file.path)?;
    let syntax = JsonSyntax { bom: true, ..at.dialect.settings_format().syntax };
    let root = parse_json(source, at.loaded.sources.text(source), syntax).ok()?;
    if root.get("$version").is_some() {
        return None;
    }
    let says = "the agent rewrites this file when it starts: it adds \"$version\": 4, and git shows a change";
    Some(
        Diagnostic::new(Code::HW112, says)
            .in_file(file.file.clone())
            .with_help("commit the file after the first start"),
    )
}

/// Checks the address of an HTTP hook, and the variables in it and in the headers. Variables that were set when the settings were
/// read are already replaced.
pub fn check_definition(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Handler::Http(handler) = &at.definition.handler else { return Vec::new() };
    let (patterns, private) = http::url_policy(at.agent.loaded);
    let allowed = handler.allowed_env.clone().unwrap_or_default();
    let mut found = Vec::new();
    let url = http::interpolate(&handler.url, &allowed, &at.agent.place.env);
    if (!handler.url.contains('$') || url != handler.url)
        && let Some(why) = http::refusal(&url, &patterns, private)
    {
        let says = format!("this hook is not sent ({why}), so it blocks nothing");
        let help = if patterns.is_empty() {
            "use an address outside private networks, or set allowPrivateNetworkHooks in your own settings"
        } else {
            "add the address to allowedHttpHookUrls"
        };
        found.push(Diagnostic::new(Code::HW808, says).at(position(at, &handler.url)).with_help(help));
    }
    let texts =
        std::iter::once(("the address", &handler.url)).chain(handler.headers.iter().map(|(n, v)| (n.as_str(), v)));
    for (what, text) in texts {
        for name in variable_names(text).filter(|name| !allowed.contains(name)) {
            let says =
                format!("{what} is sent without ${name}: it is not set here, and `allowedEnvVars` does not list it");
            let help = format!("add \"{name}\" to allowedEnvVars of this hook");
            found.push(Diagnostic::new(Code::HW808, says).at(position(at, &format!("${name}"))).with_help(help));
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
