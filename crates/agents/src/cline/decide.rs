//! Reads the answers of the runs (spec §3) and decides what Cline does after them.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::config::is_awaited;
use super::events::EVENTS;
use super::rules;
use crate::kernel::answer::{AnswerEnd, RunAnswer};
use crate::kernel::decision::{DecisionRules, RunWithAnswer};
use crate::kernel::effect::Effect;
use crate::shared::javascript::trim;
use hookbench_base::decide::{FiringRuns, Outcome};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::EventSpec;
use hookbench_base::output::{HookOutput, KeyUse, Vote};
use hookbench_base::plan::Plan;
use hookbench_base::run::RunReport;
use hookbench_base::text::{parse_value, replace_surrogates, utf16_len, utf16_prefix};

/// The beginning of a line with an answer among other lines.
const CONTROL: &str = "HOOK_CONTROL\t";
/// The most characters of a context, in units of UTF-16.
const LONGEST_CONTEXT: usize = 50_000;
/// The tag around a context, which the agent escapes inside.
static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("(?i)<(/?)hook_context").ok());

/// Reads the answer of a run, whatever its exit status: the last line that begins with [`CONTROL`], or else the whole of
/// stdout.
fn read_answer(report: &RunReport) -> RunAnswer {
    let parse = |end: AnswerEnd, stdout: &str| {
        let last = stdout.split('\n').map(trim).filter_map(|line| line.strip_prefix(CONTROL)).next_back();
        match parse_value(last.unwrap_or_else(|| trim(stdout))) {
            Ok(Value::Object(object)) if end != AnswerEnd::TimedOut => Some(object),
            _ => None,
        }
    };
    let failure =
        |end: AnswerEnd| (end == AnswerEnd::TimedOut).then(|| "it ran out of time, so its answer is lost".to_owned());
    RunAnswer::read(report, parse, failure)
}

fn cancels(answer: &Map<String, Value>) -> bool {
    answer.get("cancel") == Some(&Value::Bool(true))
}

/// The text for the model: the first of the two keys that is a text, also if it is empty.
fn context(answer: &Map<String, Value>) -> Option<&str> {
    ["context", "contextModification"].iter().find_map(|key| answer.get(*key)?.as_str())
}

fn error_message(answer: &Map<String, Value>) -> Option<&str> {
    answer.get("errorMessage")?.as_str().filter(|text| !trim(text).is_empty())
}

/// The text that a run adds to the conversation.
fn added_text(answer: &Map<String, Value>) -> Option<Cow<'_, str>> {
    let text = context(answer).or_else(|| error_message(answer))?;
    if utf16_len(text) <= LONGEST_CONTEXT {
        return Some(Cow::Borrowed(text));
    }
    let start = utf16_prefix(text, LONGEST_CONTEXT);
    Some(Cow::Owned(format!("{start}\n[hook context truncated: exceeded {LONGEST_CONTEXT} characters]")))
}

fn default_action(event: &str) -> &'static str {
    match event {
        "PreToolUse" => "the tool runs, if its permission allows it",
        "PostToolUse" => "the model gets the unchanged tool result",
        "TaskComplete" => "the agent stops",
        "UserPromptSubmit" => "the prompt is sent to the model",
        _ => "the agent continues",
    }
}

/// Combines the answers of the runs, which are in their order.
fn effect(name: &str, runs: &[RunWithAnswer<'_>]) -> Effect {
    if !is_awaited(name) {
        return Effect::quiet(rules::DECIDE_NOT_AWAITED, default_action(name));
    }
    let mut effect = Effect::quiet(rules::DECIDE_GOES_ON, default_action(name));
    let answers = || runs.iter().filter_map(|one| Some((one, one.answer.object.as_ref()?)));
    let joined = |texts: Vec<Cow<'_, str>>| {
        let text = texts.iter().filter(|text| !text.is_empty()).map(AsRef::as_ref).collect::<Vec<&str>>().join("\n");
        Some(replace_surrogates(trim(&text)).into_owned()).filter(|text| !text.is_empty())
    };
    if answers().any(|(_, answer)| cancels(answer)) {
        let does = if name == "PreToolUse" {
            "the tool does not run, and the whole run ends with status 0; the model is not told"
        } else {
            "the whole run ends with status 0; the model is not told"
        };
        let mut reasons = Vec::new();
        for (one, answer) in answers().filter(|(_, answer)| cancels(answer)) {
            effect.decide(rules::DECIDE_CANCEL, one, does, None);
            reasons.extend(error_message(answer).or_else(|| context(answer)).map(Cow::Borrowed));
        }
        let reason = joined(reasons);
        (effect.blocked, effect.ends_turn) = (name == "PreToolUse", true);
        effect.stop_reason.clone_from(&reason);
        effect.reason = reason.filter(|_| effect.blocked);
        return effect;
    }
    if let Some((one, input)) =
        answers().filter_map(|(one, answer)| Some((one, answer.get("overrideInput")?))).next_back()
        && name == "PreToolUse"
    {
        // What a tool does with an input that does not fit is the tool's own.
        effect.unknown = !input.is_object();
        effect.decide(rules::DECIDE_INPUT, one, "the tool gets the new input, if that fits", None);
        effect.updated_input = Some(input.clone());
    }
    let texts: Vec<_> = answers().filter_map(|(one, answer)| Some((one, added_text(answer)?))).collect();
    if let Some(text) = joined(texts.iter().map(|(_, text)| text.clone()).collect()) {
        for (one, _) in texts.iter().filter(|(_, text)| !text.is_empty()) {
            if effect.updated_input.is_some() {
                effect.contribute(one);
            } else {
                effect.decide(
                    rules::DECIDE_CONTEXT,
                    one,
                    "the model gets the text after the tool result",
                    Some("the model"),
                );
            }
        }
        let text =
            TAG.as_ref().map_or_else(|| text.clone(), |tag| tag.replace_all(&text, "<\\${1}hook_context").into_owned());
        effect = effect.with_context(Some(text));
    }
    effect
}

/// Combines the finished runs into the outcome for the agent.
pub fn decide(plan: &Plan, runs: FiringRuns<'_>, scene: &Scene) -> Outcome {
    let name = scene.input.event.as_str();
    let rules = DecisionRules {
        event: EVENTS.by_name(name),
        default_action: default_action(name),
        basis: ["measured on 3.0.65", "spec §1"],
        read: &|_, run| read_answer(&run.report),
        effect: &|runs| effect(name, runs),
    };
    rules.decide(plan, runs, scene)
}

/// The agent's interpretation of a run.
pub fn interpret(report: &RunReport, scene: &Scene) -> HookOutput {
    let answer = read_answer(report);
    let name = scene.input.event.as_str();
    let vote = match answer.object.as_ref().is_some_and(cancels) {
        true if name == "PreToolUse" => Vote::Deny,
        true if is_awaited(name) => Vote::Block,
        _ => Vote::None,
    };
    answer.output(report, EVENTS.by_name(name), vote, false, use_of)
}

fn use_of(event: &EventSpec, answer: &Value, pointer: &str, value: &Value) -> (KeyUse, String) {
    let Some(answer) = answer.as_object() else { return (KeyUse::Ignored, String::new()) };
    let (key_use, says) = match pointer {
        _ if !is_awaited(event.name) => (KeyUse::Ignored, "the agent does not wait for this hook"),
        _ if !event.honoured_output.contains(&pointer) => (KeyUse::Ignored, "not read"),
        "/cancel" if cancels(answer) => (KeyUse::Used, "the whole run ends"),
        "/cancel" if value.is_boolean() => (KeyUse::Ignored, "only `true` cancels"),
        "/cancel" => (KeyUse::Invalid, "not `true`, so it does not cancel"),
        "/overrideInput" if cancels(answer) => (KeyUse::Ignored, "the tool does not run"),
        "/overrideInput" if value.is_object() => (KeyUse::Used, "the new input, which replaces the whole one"),
        "/overrideInput" => (KeyUse::Used, "the new input; what the tool does with it is its own"),
        _ if !value.is_string() => (KeyUse::Invalid, "not a text"),
        "/errorMessage" if error_message(answer).is_none() => (KeyUse::Ignored, "a blank text"),
        "/errorMessage" if cancels(answer) => (KeyUse::Used, "the reason, which the model does not get"),
        "/errorMessage" if context(answer).is_some() => (KeyUse::Ignored, "the context counts before it"),
        "/contextModification" if answer.get("context").is_some_and(Value::is_string) => {
            (KeyUse::Ignored, "`context` counts before it")
        }
        _ if cancels(answer) && error_message(answer).is_none() => {
            (KeyUse::Used, "the reason, which the model does not get")
        }
        _ if cancels(answer) => (KeyUse::Ignored, "the run ends"),
        _ => (KeyUse::Used, "the model gets it after the tool result"),
    };
    (key_use, says.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The limit is one of UTF-16 units, and the text says that it was cut.
    #[test]
    fn long_contexts_are_cut() {
        for (text, kept) in [("a".repeat(50_000), 50_000), ("a".repeat(50_001), 50_000), ("😀".repeat(25_001), 25_000)]
        {
            let answer = json!({ "context": text });
            let added = added_text(answer.as_object().unwrap()).unwrap().into_owned();
            let (start, end) = added.split_once('\n').unwrap_or((&added, ""));
            assert_eq!((start.chars().count(), end.is_empty()), (kept, text.len() == 50_000));
        }
    }
}
