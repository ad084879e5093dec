//! HW624: a prompt that asks the model for an answer that the agent does not accept.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Deserializer, Value, json};

use super::simulation::simulate_model;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::hook::Handler;
use crate::lint::handler_spans;
use crate::text::ascii_regex;

/// A key with which other kinds of hooks decide.
static DECIDING_KEY: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r#"["'`](decision|permissionDecision|continue)["'`]\s*:"#));

/// Checks the answers that the text of a prompt shows.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let prompt = match &at.definition.handler {
        Handler::Prompt(prompt) => &prompt.prompt,
        Handler::Agent(agent) => &agent.prompt,
        _ => return None,
    };
    let mut shown = shown_answers(prompt);
    if shown.is_empty() && DECIDING_KEY.as_ref()?.is_match(prompt) {
        shown.push(json!({"decision": "block", "reason": "…"}));
    }
    let failure = |answer: &Value| simulate_model(at, &answer.to_string())?.run.output.failure;
    let accepted = json!({"ok": false, "reason": "…"});
    let (asked, why) = shown.iter().find_map(|answer| Some((answer, failure(answer)?)))?;
    if failure(&accepted).is_some() {
        return None;
    }
    let agent = at.agent_name();
    let says = format!("this prompt asks the model for {asked}, which {agent} does not accept: {why}");
    let help = "ask for {\"ok\": true}, or {\"ok\": false, \"reason\": \"…\"} to block";
    Some(Diagnostic::new(Code::HW624, says).at(handler_spans::value_span(at, "prompt")).with_help(help))
}

/// The JSON objects in a text that have a key which decides.
fn shown_answers(prompt: &str) -> Vec<Value> {
    let objects = prompt.match_indices('{').filter_map(|(at, _)| {
        let found = Deserializer::from_str(prompt.get(at..)?).into_iter::<Value>().next()?.ok();
        found.filter(|value| DECIDING_KEYS.iter().any(|key| value.get(key).is_some()))
    });
    objects.collect()
}

/// Keys that decide in the answers of some kind of hook.
const DECIDING_KEYS: [&str; 5] = ["ok", "decision", "permissionDecision", "continue", "hookSpecificOutput"];
