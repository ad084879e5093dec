//! Lint rules for behaviour that is specific to Claude Code and that a hook's author may not expect.

mod conditions;
mod permissions;
mod plugins;
mod stale_plugins;

pub use permissions::{overriding_rule, unlifted_rule};

use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::{AgentContext, RuleContext};
use hookbench_base::hook::Handler;

/// Checks one definition.
pub fn check_hook(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = conditions::check(at);
    found.extend(check_address(at));
    found.extend(plugins::check(at));
    found
}

/// HW808: reports a URL that the settings do not allow.
fn check_address(at: &RuleContext<'_>) -> Option<Diagnostic> {
    if !matches!(at.definition.handler, Handler::Http(_)) {
        return None;
    }
    let why = at.start?.refused.as_ref()?;
    let says = format!("this hook is not sent ({why}), so it blocks nothing");
    let help = "add the address to allowedHttpHookUrls; an empty list allows none";
    Some(Diagnostic::new(Code::HW808, says).at(at.handler_span()).with_help(help))
}

/// Checks the configuration as a whole: reports plugins whose cached copy differs from its source, copies of hooks, and
/// shell commands that no guard sees.
pub fn check_all(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let mut found = stale_plugins::check(at);
    found.extend(plugins::check_copies(at));
    found.extend(plugins::check_skill_commands(at));
    found
}
