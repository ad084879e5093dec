//! Combines all answers of a firing into what Copilot CLI does (spec §5.1, §5.2). The effects before and after a tool are
//! in `tool_effects`.

use serde_json::{Value, json};

use super::tool_effects;
use crate::copilot::answer::{AnsweredRun, printed_context};
use crate::copilot::rules;
use crate::copilot::spelling::{camel_event, native_tool};
use crate::kernel::effect::Effect;
use crate::shared::javascript::{trim, trim_end};
use crate::shared::rules::DecisionRule;
use hookbench_base::dialects::Scene;
use hookbench_base::text::truthy;

/// The number of blocked stops in a row after which the agent stops anyway.
pub const STOP_CAP: u32 = 8;

/// Records the runs that decide together.
fn decide_together(
    effect: &mut Effect,
    rule: DecisionRule,
    by: [&AnsweredRun<'_>; 2],
    does: &str,
    seen_by: &'static str,
) {
    for one in by {
        if !effect.deciders.contains(&one.run.run) {
            effect.decide(rule, one, does, Some(seen_by));
        }
    }
}

/// Joins contexts by a blank line. The model gets them.
pub fn join_contexts(effect: &mut Effect, contexts: &[(&AnsweredRun<'_>, String)], does: &str) {
    if contexts.is_empty() {
        return;
    }
    effect.context = Some(contexts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n\n"));
    let decided = !effect.deciders.is_empty();
    for (one, _) in contexts {
        if decided {
            effect.contribute(one);
        } else {
            effect.decide(rules::DECIDE_CONTEXT, one, does, Some("the model"));
        }
    }
}

/// Returns what happens on an event, by its camelCase name, if no hook decides anything.
pub fn default_action(event: &str) -> &'static str {
    match event {
        "preToolUse" => "the tool runs, if its permission allows it",
        "permissionRequest" => "the agent's own rules decide, or the user is asked",
        "postToolUse" => "the model gets the unchanged tool result",
        "postToolUseFailure" => "the model gets the error",
        "userPromptSubmitted" | "userPromptTransformed" => "the prompt is sent to the model",
        "sessionStart" => "the session starts",
        "subagentStart" => "the subagent starts",
        "agentStop" => "the agent stops",
        "subagentStop" => "the subagent stops",
        "preCompact" => "the conversation is compacted",
        "sessionEnd" => "the session ends",
        _ => "the agent continues",
    }
}

/// Combines the answers of the runs, in the order in which they ran.
pub fn effect(scene: &Scene, said: &[AnsweredRun<'_>]) -> Effect {
    let event = camel_event(&scene.input.event);
    let mut effect = Effect::quiet(rules::DECIDE_GOES_ON, default_action(&event));
    match event.as_str() {
        "preToolUse" => tool_effects::before_tool(&mut effect, scene, said),
        "permissionRequest" => tool_effects::permission(&mut effect, said),
        "postToolUse" => tool_effects::after_tool(&mut effect, said),
        "postToolUseFailure" => tool_effects::after_failure(&mut effect, said),
        "userPromptSubmitted" => prompt(&mut effect, said),
        "userPromptTransformed" => transformed(&mut effect, said),
        "sessionStart" => join_printed(&mut effect, said, "the model gets the context before the prompt"),
        "subagentStart" => join_texts(&mut effect, said, "the subagent gets the context before its prompt"),
        "agentStop" | "subagentStop" => stop(&mut effect, &event, scene, said),
        _ => {}
    }
    effect
}

/// The contexts of all answers: strings are joined unless one is blank, any other value replaces those before it.
fn printed_contexts<'s, 'a>(said: &'s [AnsweredRun<'a>]) -> Vec<(&'s AnsweredRun<'a>, String)> {
    let mut contexts = Vec::new();
    let mut is_joined = true;
    for (one, value) in said.iter().filter_map(|one| Some((one, one.answer.top("additionalContext")?))) {
        let is_blank = |text: &str| trim(text).is_empty();
        let has_text = contexts.iter().any(|(_, text): &(_, String)| !is_blank(text));
        if value.as_str().is_some_and(is_blank) && is_joined && has_text {
            continue;
        }
        if !is_joined || !value.is_string() || !has_text {
            contexts.clear();
        }
        is_joined = value.is_string();
        contexts.extend(printed_context(value).map(|text| (one, text)));
    }
    contexts
}

/// Joins the contexts of all answers. The agent ignores one that is not a string (1.0.102).
fn join_texts(effect: &mut Effect, said: &[AnsweredRun<'_>], does: &str) {
    let only_texts =
        |(one, _): &(&AnsweredRun<'_>, String)| one.answer.top("additionalContext").is_some_and(Value::is_string);
    let contexts: Vec<_> = printed_contexts(said).into_iter().filter(only_texts).collect();
    join_contexts(effect, &contexts, does);
    if said.len() > 1 {
        let replaces = |one: &&AnsweredRun<'_>| one.answer.top("additionalContext").is_some_and(|v| !v.is_string());
        said.iter().filter(replaces).for_each(|one| effect.contribute(one));
    }
}

/// Joins the contexts of all answers. One that is not a string takes back those before it.
fn join_printed(effect: &mut Effect, said: &[AnsweredRun<'_>], does: &str) {
    join_contexts(effect, &printed_contexts(said), does);
    if said.len() > 1 {
        let replaces = |one: &&AnsweredRun<'_>| one.answer.top("additionalContext").is_some_and(|v| !v.is_string());
        said.iter().filter(replaces).for_each(|one| effect.contribute(one));
    }
}

/// The last answer that has this key. The agent merges the answers of these events key by key.
pub fn last_with<'s, 'a>(said: &'s [AnsweredRun<'a>], key: &str) -> Option<(&'s AnsweredRun<'a>, &'s Value)> {
    said.iter().rev().find_map(|one| Some((one, one.answer.top(key)?)))
}

/// The last answer that has this key, if its value is a string. Any other value takes back those of earlier answers.
fn last_text<'s, 'a>(
    effect: &mut Effect,
    said: &'s [AnsweredRun<'a>],
    key: &str,
) -> Option<(&'s AnsweredRun<'a>, &'s str)> {
    let (one, value) = last_with(said, key)?;
    if !value.is_string() && said.len() > 1 {
        effect.contribute(one);
    }
    Some((one, value.as_str()?))
}

/// Records the answers that take a block back, if there was one.
fn contribute_answers_after_block(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    if said.iter().any(|one| one.answer.blocks()) {
        let last = ["decision", "reason"].into_iter().filter_map(|key| last_with(said, key));
        last.for_each(|(one, _)| effect.contribute(one));
    }
}

/// The answers that block together: that with the decision, and that with the reason, which must be a string.
fn blocking_answers<'s, 'a>(said: &'s [AnsweredRun<'a>]) -> Option<([&'s AnsweredRun<'a>; 2], &'s str)> {
    let (by, _) = last_with(said, "decision").filter(|(_, word)| *word == "block")?;
    let (of, reason) = last_with(said, "reason")?;
    Some(([by, of], reason.as_str()?))
}

/// The answers that block a prompt: that with the last decision, and the last that has a reason beside a block, which
/// must be a string.
fn prompt_blockers<'s, 'a>(said: &'s [AnsweredRun<'a>]) -> Option<([&'s AnsweredRun<'a>; 2], &'s str)> {
    let (by, _) = last_with(said, "decision").filter(|(_, word)| *word == "block")?;
    let reason = |one: &'s AnsweredRun<'a>| one.answer.top("reason").filter(|_| one.answer.blocks());
    let (of, reason) = said.iter().rev().find_map(|one| Some((one, reason(one)?)))?;
    Some(([by, of], reason.as_str()?))
}

/// The answers that answer the prompt together: the last with `handled`, and the last with a text, which may be another
/// one. Measured on 1.0.102.
fn prompt_answer<'s, 'a>(said: &'s [AnsweredRun<'a>]) -> Option<([&'s AnsweredRun<'a>; 2], &'s str)> {
    let (by, _) = last_with(said, "handled").filter(|(_, handled)| truthy(handled))?;
    let (of, text) = last_with(said, "responseContent")?;
    Some(([by, of], text.as_str().filter(|text| !text.is_empty())?))
}

/// Records the answers that take back an earlier answer to the prompt.
fn contribute_answers_after_prompt_answer(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    if (1..said.len()).any(|count| prompt_answer(&said[..count]).is_some()) {
        let last = ["handled", "responseContent"].into_iter().filter_map(|key| last_with(said, key));
        last.for_each(|(one, _)| effect.contribute(one));
    }
}

fn prompt(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    effect.extra.insert("updated_prompt".to_owned(), Value::Null);
    if let Some((by, reason)) = prompt_blockers(said) {
        effect.blocked = true;
        effect.reason = Some(reason.to_owned());
        let does = "the prompt is not sent to the model; the run ends with status 1";
        decide_together(effect, rules::DECIDE_PROMPT_BLOCKED, by, does, "the user");
        return;
    }
    contribute_answers_after_block(effect, said);
    if let Some(([by, of], text)) = prompt_answer(said) {
        effect.blocked = true;
        effect.extra.insert("response".to_owned(), json!(text));
        let does =
            "the model is not called: the user gets the text of the hook as the answer, and the run ends with status 0";
        decide_together(effect, rules::DECIDE_PROMPT_HANDLED, [by, of], does, "the user");
        return;
    }
    contribute_answers_after_prompt_answer(effect, said);
    let prompt = last_text(effect, said, "modifiedPrompt");
    if let Some((one, text)) = prompt {
        effect.extra.insert("updated_prompt".to_owned(), json!(trim_end(text)));
        effect.decide(rules::DECIDE_REPLACED, one, "the model gets the new prompt", Some("the model"));
    }
    let context = last_with(said, "additionalContext").filter(|(_, value)| !value.is_null());
    if let Some((one, text)) = context.and_then(|(one, value)| Some((one, printed_context(value)?))) {
        effect.context = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        if effect.deciders.is_empty() {
            effect.decide(rules::DECIDE_CONTEXT, one, "the model gets the context after the prompt", Some("the model"));
        } else {
            effect.contribute(one);
        }
    }
}

fn transformed(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    effect.extra.insert("updated_prompt".to_owned(), Value::Null);
    let prompt = last_text(effect, said, "modifiedTransformedPrompt");
    if let Some((one, text)) = prompt {
        effect.extra.insert("updated_prompt".to_owned(), json!(text));
        effect.decide(
            rules::DECIDE_REPLACED,
            one,
            "the model gets the new text instead of the whole prompt",
            Some("the model"),
        );
    }
}

fn stop(effect: &mut Effect, event: &str, scene: &Scene, said: &[AnsweredRun<'_>]) {
    if let Some((by, reason)) = blocking_answers(said).filter(|(_, reason)| !reason.is_empty()) {
        effect.blocked = true;
        effect.reason = Some(trim_end(reason).to_owned());
        let does = "the agent does not stop: the model is called again with the reason as a message";
        decide_together(effect, rules::DECIDE_STOP_BLOCKED, by, does, "the model");
    }
    if !effect.blocked && said.len() > 1 {
        contribute_answers_after_block(effect, said);
    }
    // Measured on 1.0.102: the hook runs for a subagent, too, which only subagentStop keeps working.
    if effect.blocked && event == "agentStop" && scene.input.body.get("parent_agent_id").is_some_and(Value::is_string) {
        effect.blocked = false;
        effect.reason = None;
        effect.rule = rules::DECIDE_SUBAGENT_STOP;
        effect.seen_by = Some("nobody");
        "the subagent stops: agentStop keeps only the agent itself working, and subagentStop a subagent"
            .clone_into(&mut effect.summary);
    }
    if effect.blocked && event == "agentStop" && scene.memory.stops_blocked >= STOP_CAP {
        effect.blocked = false;
        effect.reason = None;
        effect.rule = rules::DECIDE_STOP_CAP;
        effect.seen_by = Some("nobody");
        "the agent stops, because eight stops in a row were blocked".clone_into(&mut effect.summary);
    }
}

/// Returns the message with the context that hooks added on an event, by its camelCase name. `None` if the model gets
/// only the context.
pub fn context_message(event: &str, scene: &Scene, context: &str) -> Option<String> {
    let tool = scene.input.body.get("tool_name").and_then(Value::as_str).map_or("", native_tool);
    match event {
        "preToolUse" => Some(format!("Additional context from preToolUse hook:\n{context}")),
        "postToolUse" => {
            Some(format!("Tool \"{tool}\" succeeded. Additional guidance from postToolUse hooks:\n{context}"))
        }
        "postToolUseFailure" => {
            Some(format!("Tool \"{tool}\" failed. Additional guidance from postToolUseFailure hooks:\n{context}"))
        }
        "userPromptSubmitted" => Some(format!("<system_reminder>\n{context}\n</system_reminder>")),
        _ => None,
    }
}
