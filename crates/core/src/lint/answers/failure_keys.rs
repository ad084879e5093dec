//! HW619: a hook after a tool that waits for a failure, which fires another event.

use serde_json::Value;

use super::event_payload::other_events;
use super::hook_text::HookText;
use super::payload_keys;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::port::mapping;

/// Keys for the exit status of a program, as scripts guess them.
const STATUS_KEYS: [&str; 7] =
    ["exit_code", "exitCode", "exitcode", "exit_status", "exitStatus", "returncode", "return_code"];

/// Checks for a script that reads the exit status of a command on the event of calls that succeeded.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let agent = at.agent.dialect.id();
    mapping().row_of(agent.as_str(), at.event.name).filter(|row| row.canonical == "post_tool_use")?;
    let failures = mapping().row("post_tool_use_failure")?.events.get(agent.as_str())?;
    let text = HookText::of(at)?;
    let walked = text.walk(at)?;
    let path = walked.reads.iter().find(|path| {
        let status = path.last().is_some_and(|last| STATUS_KEYS.contains(&last.as_str()));
        status && path.first().is_some_and(|first| at.event.fields.iter().any(|field| field.name == first))
    })?;
    let pointer = format!("/{}", path.join("/"));
    let examples = at.agent.examples(at.event);
    let sends = |body: &Value| body.pointer(&pointer).is_some();
    if examples.iter().any(|example| sends(&example.body)) || other_events(at).contains(&failures) {
        return None;
    }
    let key = path.join(".");
    let known = payload_keys::check(at);
    if known.iter().any(|one| one.message.contains(&key)) {
        return None;
    }
    let says = format!(
        "{} does not send `{key}`: a call that fails fires {failures} instead of {}, so this hook sees no failure",
        at.agent_name(),
        at.event.name
    );
    let last = path.last()?;
    let place = text.text.find(last.as_str()).map(|start| start..start + last.len())?;
    let help = format!("configure the hook on {failures}, whose payload says what failed");
    Some(Diagnostic::new(Code::HW619, says).at(text.span_of(place)).with_help(help))
}
