//! Lint rules for behaviour that is specific to Claude Code and that a hook's author may not expect.

mod conditions;
mod permissions;
mod plugins;

pub use permissions::not_lifted;

use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::dialects::{AgentContext, RuleContext};
use hookbench_base::hook::Handler;

/// Checks one definition.
pub fn on_one(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = conditions::look(at);
    found.extend(not_sent(at));
    found
}

/// HW808: reports a URL that the settings do not allow.
fn not_sent(at: &RuleContext<'_>) -> Option<Diagnostic> {
    if !matches!(at.definition.handler, Handler::Http(_)) {
        return None;
    }
    let why = at.start?.refused.as_ref()?;
    let says = format!("this hook is not sent ({why}), and nothing objects");
    let help = "add the address to allowedHttpHookUrls; an empty list allows none";
    Some(Diagnostic::warning("HW808", says).at(at.handler_span()).with_help(help))
}

/// Checks everything that was loaded.
pub fn on_all(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    plugins::look(at)
}
