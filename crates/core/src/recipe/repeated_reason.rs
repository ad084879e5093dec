//! The reason of a refusal on stdout. Exit 2 with a reason on stderr blocks in most agents, but some lose the reason. For
//! them a script repeats it in an answer, which the other agents must not take for something else.

use serde_json::{Map, Value, json};

use crate::adapt::LoneHook;
use crate::config::Place;
use crate::convert::quote_word;
use crate::port::AgentVersion;
use crate::run::{Exit, RunId, RunReport};
use crate::text::stringify;

/// The placeholder of the reason.
const REASON: &str = "@REASON@";
const MARK: &str = "{{repeat";

/// The answers that can repeat a reason, from the one that changes least. In some agents, only such an answer blocks.
fn candidates() -> [Value; 5] {
    [
        json!({"additionalContext": REASON}),
        json!({"permissionDecision": "deny", "permissionDecisionReason": REASON}),
        json!({"decision": "block", "reason": REASON}),
        json!({"decision": "block", "reason": REASON, "permissionDecision": "deny", "permissionDecisionReason": REASON}),
        json!({"cancel": true, "errorMessage": REASON}),
    ]
}

/// The effect of a reason in an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ReasonEffect {
    Nothing,
    /// The agent blocks, but the reason does not arrive.
    Blocks,
    /// The reason arrives, and it blocks if it must.
    Told,
}

/// The answer that a script prints beside exit 2 and stderr, so that each of these agents does the most that it can do.
/// `blocks` is whether the action must be blocked. `None` if stderr is enough, or if no answer helps.
pub(super) fn repeated_reason(events: &[(&AgentVersion, &str)], blocks: bool, place: &Place) -> Option<Value> {
    let effect_of =
        |(agent, event): &(&AgentVersion, &str), stdout: &str| effect_of(agent, event, stdout, blocks, place);
    let most: Vec<ReasonEffect> = events.iter().map(|(agent, event)| most(agent, event, blocks, place)).collect();
    let suffices = |stdout: &str| events.iter().zip(&most).all(|(on, most)| effect_of(on, stdout) == *most);
    if suffices("") {
        return None;
    }
    candidates().into_iter().find(|answer| suffices(&stringify(answer)))
}

/// Whether an agent does anything with the reason of a hook that exits with 2, with or without an answer that repeats it.
pub(super) fn can_tell(agent: &AgentVersion, event: &str, blocks: bool, place: &Place) -> bool {
    most(agent, event, blocks, place) > ReasonEffect::Nothing
}

/// Whether exit 2 alone blocks.
pub(super) fn exit_2_blocks(agent: &AgentVersion, event: &str, place: &Place) -> bool {
    effect_of(agent, event, "", true, place) > ReasonEffect::Nothing
}

/// The most that an agent can be made to do.
fn most(agent: &AgentVersion, event: &str, blocks: bool, place: &Place) -> ReasonEffect {
    let answers = candidates().into_iter().map(|answer| stringify(&answer)).chain([String::new()]);
    let effects = answers.map(|stdout| effect_of(agent, event, &stdout, blocks, place));
    effects.max().unwrap_or(ReasonEffect::Nothing)
}

/// The effect of the reason of a hook that exits with 2 and prints this.
fn effect_of(agent: &AgentVersion, event: &str, stdout: &str, blocks: bool, place: &Place) -> ReasonEffect {
    // Such a hook is written with the key that makes it count.
    if blocks && agent.dialect.settings_format().strict_key(event).is_some() {
        return ReasonEffect::Told;
    }
    let decide = || {
        let hook = LoneHook::on(agent, event, place)?;
        let input = hook.example_inputs(event).into_iter().next()?;
        let report = RunReport::new(RunId(0), Exit::Code(2), stdout, REASON);
        Some(hook.decide(&input, &report)?.outcome)
    };
    let Some(outcome) = decide() else { return ReasonEffect::Nothing };
    let has = |text: Option<&str>| text.is_some_and(|text| text.contains(REASON));
    let is_told = has(outcome.reason.as_deref()) || !blocks && has(outcome.additional_context.as_deref());
    match (is_told, outcome.blocked) {
        (true, is_blocked) if is_blocked || !blocks => ReasonEffect::Told,
        (_, true) if blocks => ReasonEffect::Blocks,
        _ => ReasonEffect::Nothing,
    }
}

/// Fills the answer into a script, or removes its places. A line `{{repeat:EXPRESSION}}` prints the answer with the value of
/// the expression as its reason; `{{repeat}}` is the last argument of a call.
pub(super) fn fill_reason(script: &str, extension: &str, answer: Option<&Value>) -> String {
    if !script.contains(MARK) {
        return script.to_owned();
    }
    let mut out = String::new();
    for line in script.lines() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        match (code.strip_prefix("{{repeat:").and_then(|rest| rest.strip_suffix("}}")), answer) {
            (Some(expression), Some(answer)) => {
                out.push_str(indent);
                out.push_str(&printing_line(extension, expression, answer));
            }
            (Some(_), None) => continue,
            (None, _) => {
                let argument = answer.map(|answer| format!(", {}", python_dict(answer, "None"))).unwrap_or_default();
                out.push_str(&line.replace("{{repeat}}", &argument));
            }
        }
        out.push('\n');
    }
    out
}

/// The command that prints the answer with a fixed reason.
pub(super) fn printing_command(answer: &Value, reason: &str) -> String {
    let answer = with_reason(answer, &Value::from(reason));
    format!("echo '{}'", stringify(&answer).replace('\'', "'\\''"))
}

/// The line of a script that prints the answer.
fn printing_line(extension: &str, expression: &str, answer: &Value) -> String {
    match extension {
        "py" => format!("print(json.dumps({}))", python_dict(answer, expression)),
        "mjs" => format!("console.log(JSON.stringify({{{}}}));", members(answer, ": ", expression)),
        _ => {
            // A literal would be linted as an answer to every agent.
            let texts = answer.as_object().into_iter().flatten().map(|(key, value)| match value.as_str() {
                Some(REASON) => format!("--arg {key} {expression}"),
                Some(text) => format!("--arg {key} {}", quote_word(text)),
                None => format!("--argjson {key} {}", stringify(value)),
            });
            let by_jq = texts.collect::<Vec<_>>().join(" ");
            let by_python = python_dict(answer, "sys.argv[1]");
            format!(
                "jq -cn {by_jq} '$ARGS.named' 2>/dev/null || python3 -c 'import json, sys; \
                 print(json.dumps({by_python}))' {expression}"
            )
        }
    }
}

/// The answer as Python. A literal would be linted as an answer to every agent.
fn python_dict(answer: &Value, expression: &str) -> String {
    format!("dict({})", members(answer, "=", expression).replace("=true", "=True"))
}

/// The members of the answer, with an expression as its reason.
fn members(answer: &Value, separator: &str, expression: &str) -> String {
    let value = |value: &Value| if value == REASON { expression.to_owned() } else { stringify(value) };
    let members = answer.as_object().into_iter().flatten();
    members.map(|(key, member)| format!("{key}{separator}{}", value(member))).collect::<Vec<_>>().join(", ")
}

fn with_reason(answer: &Value, reason: &Value) -> Value {
    let members = answer.as_object().into_iter().flatten();
    let filled =
        members.map(|(key, value)| (key.clone(), if value == REASON { reason.clone() } else { value.clone() }));
    Value::Object(filled.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_prints_the_answer_or_has_no_trace_of_it() {
        let answer = json!({"decision": "block", "reason": REASON});
        for (extension, script, with, without) in [
            (
                "py",
                "if x:\n    {{repeat:why}}\n    exit(2)\n",
                "if x:\n    print(json.dumps(dict(decision=\"block\", reason=why)))\n    exit(2)\n",
                "if x:\n    exit(2)\n",
            ),
            ("py", "guard(f{{repeat}})\n", "guard(f, dict(decision=\"block\", reason=None))\n", "guard(f)\n"),
            ("mjs", "{{repeat:TEXT}}\n", "console.log(JSON.stringify({decision: \"block\", reason: TEXT}));\n", ""),
        ] {
            assert_eq!(fill_reason(script, extension, Some(&answer)), with);
            assert_eq!(fill_reason(script, extension, None), without);
        }
        assert_eq!(printing_command(&answer, "it's"), r#"echo '{"decision":"block","reason":"it'\''s"}'"#);
    }
}
