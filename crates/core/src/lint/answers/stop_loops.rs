//! HW617: a hook that keeps an agent from stopping and checks neither whether it has already done so nor how
//! often.

use std::sync::Arc;

use crate::config::LoadedConfig;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::{RuleContext, Scene, SessionMemory};
use crate::hook::HookInput;
use crate::lint::handler_spans;
use crate::script_keys::refuses;

/// The key that tells a hook that the agent is already continuing because of a hook.
const ACTIVE: &str = "stop_hook_active";
/// Words that suggest that a script counts, or checks for unfinished work.
const COUNTS: [&str; 7] = ["attempt", "count", "retries", "tries", "max_", "background_tasks", "limit"];

/// Checks for a script that can block the stop event without looking at this key.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    if at.definition.detached || !at.event.fields.iter().any(|field| field.name == ACTIVE) {
        return None;
    }
    let text = match at.script {
        Some(script) => script.text.clone(),
        None => at.command()?,
    };
    let lower = text.to_lowercase();
    let looks = text.contains(ACTIVE) || COUNTS.iter().any(|word| lower.contains(word));
    if looks || !refuses(&text) {
        return None;
    }
    let (event, key) = (at.event.name, ACTIVE);
    let asks = format!("exit 0 when `{key}` is true");
    let Some(cap) = block_limit(at) else {
        let says = format!(
            "this hook can block {event} forever: it does not check `{key}`, and {} has no limit",
            at.agent_name()
        );
        return Some(Diagnostic::new(Code::HW617, says).at(handler_spans::value_span(at, "command")).with_help(asks));
    };
    let says = format!(
        "this hook can block {event} repeatedly: it does not check `{key}`, and {} ignores block number {cap} in a row",
        at.agent_name()
    );
    let help = format!("{asks}, or count the blocks in the hook");
    Some(
        Diagnostic::lowered(Code::HW617, Severity::Info, says)
            .at(handler_spans::value_span(at, "command"))
            .with_help(help),
    )
}

/// Returns the number of consecutive blocks after which the agent stops anyway.
fn block_limit(at: &RuleContext<'_>) -> Option<u32> {
    let whole = at.agent;
    let example = whole.dialect.examples(at.event, whole.place, whole.version).into_iter().next()?;
    let subject = whole.dialect.subject(at.event, &example.body, whole.version);
    let scene = Scene {
        input: HookInput { event: at.event.name.to_owned(), subject, body: example.body },
        loaded: Arc::new(LoadedConfig {
            agent_settings: whole.loaded.agent_settings.clone(),
            ..LoadedConfig::default()
        }),
        place: Arc::new(whole.place.clone()),
        version: whole.version.clone(),
        headless: false,
        memory: SessionMemory::default(),
    };
    whole.dialect.stop_cap(&scene)
}
