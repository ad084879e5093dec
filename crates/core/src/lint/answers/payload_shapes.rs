//! HW619: a script that reads a key inside a value that never has it: a text, or an object whose keys are always the same.

use std::collections::BTreeSet;

use serde_json::Value;

use super::hook_text::{HookText, serves_several};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;

/// The examples that show that the keys of an object do not depend on the tool.
const ENOUGH: usize = 3;
/// The number of keys that an object has only sometimes.
const OPTIONAL: usize = 2;

/// Keys that authors expect in the answer of a tool. A key that an object has only sometimes is not in any example.
const GUESSED_KEYS: [&str; 12] = [
    "exit_code",
    "exitCode",
    "returncode",
    "return_code",
    "status",
    "success",
    "stdout",
    "stderr",
    "output",
    "content",
    "text",
    "result",
];

pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some(text) = HookText::of(at) else { return Vec::new() };
    // A script that looks at the type first handles both forms.
    let looks =
        ["isinstance", "typeof", "fromjson", "json.loads(", "| type"].iter().any(|word| text.text.contains(word));
    if looks || serves_several(at, &text.text) {
        return Vec::new();
    }
    let Some(walked) = text.walk(at) else { return Vec::new() };
    let mut found: Vec<Diagnostic> = Vec::new();
    for key in &walked.reads {
        let [outer, inner, ..] = key.as_slice() else { continue };
        if inner.parse::<usize>().is_ok() || inner == "*" {
            continue;
        }
        let Some((message, help)) = wrong_inner_key(at, outer, inner) else { continue };
        let own = text.text.find(inner.as_str()).map(|place| text.span_of(place..place + inner.len()));
        let included = || at.script.and_then(|script| script.inclusion_with(inner));
        let place = own.or_else(included).unwrap_or_else(|| text.span_of(0..0));
        let one = Diagnostic::new(Code::HW619, message).with_help(help);
        found.push(one.at(place).with_cause(format!("`{outer}.{inner}`")));
    }
    found
}

/// The message and the help about a key inside a value of the payload. `None` if the value may have it.
fn wrong_inner_key(at: &RuleContext<'_>, outer: &str, inner: &str) -> Option<(String, String)> {
    let sent = at.agent.sent_examples(at.event, &at.definition.event);
    let values: Vec<&Value> = sent.iter().filter_map(|body| body.get(outer)).collect();
    let first = values.first()?;
    let (event, agent) = (at.event.name, at.agent_name());
    if values.iter().all(|value| value.is_string()) {
        let message = format!("this hook reads `{outer}.{inner}`, but `{outer}` is a text on {event} in {agent}");
        return Some((message, format!("read the text `{outer}`")));
    }
    if outer == "tool_input" || !GUESSED_KEYS.contains(&inner) {
        return None;
    }
    let keys = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<BTreeSet<String>>());
    let common = values.iter().try_fold(keys(first)?, |common, value| Some(&common & &keys(value)?))?;
    let all = values.iter().try_fold(BTreeSet::new(), |all, value| Some(&all | &keys(value)?))?;
    let is_fixed = values.len() >= ENOUGH && common.len() > 1 && all.len() - common.len() <= OPTIONAL;
    if !is_fixed || all.contains(inner) {
        return None;
    }
    let names: Vec<String> = all.iter().map(|key| format!("`{key}`")).collect();
    let message = format!("this hook reads `{outer}.{inner}`, which {event} does not contain in {agent}");
    Some((message, format!("`{outer}` has the keys {}", names.join(", "))))
}
