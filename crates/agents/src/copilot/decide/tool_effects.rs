//! The effects of hooks before and after a tool.

use serde_json::{Value, json};

use super::super::answer::{AnsweredRun, RunEnd};
use super::super::layers::is_settings;
use super::super::rules;
use super::super::spelling::native_tool;
use super::effects::{join_contexts, last_with};
use super::tool_arguments;
use crate::kernel::effect::Effect;
use crate::shared::javascript::trim;
use hookbench_base::decide::Verdict;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{HookDefinition, Layer};
use hookbench_base::text::{replace_surrogates, utf16_prefix};

/// The part of the context after a tool that the model gets, in UTF-16 units.
const LONGEST_CONTEXT: usize = 10_240;

fn told(effect: &mut Effect, text: &str) {
    effect.extra.insert("told".to_owned(), json!(text));
}

fn no_reason() -> String {
    "No reason provided".to_owned()
}

/// How the agent names the file of a hook to its model.
fn source_name<'s>(definition: &'s HookDefinition, scene: &'s Scene) -> &'s str {
    let path = scene.loaded.sources.path(definition.provenance.span.source);
    let is_of_user = definition.provenance.layer == Layer::User;
    match (is_settings(path), is_of_user) {
        (true, true) => "global settings",
        (true, false) => "repo settings",
        (false, true) => path,
        (false, false) => &definition.provenance.file,
    }
}

/// A hook before a tool: the first deny or ask, and the first failure, end the chain.
pub fn before_tool(effect: &mut Effect, scene: &Scene, said: &[AnsweredRun<'_>]) {
    let denies = "the tool does not run; the model gets the reason as the result";
    for one in said {
        let answer = &one.answer;
        match (answer.end, answer.permission()) {
            (RunEnd::Failed, _) => {
                effect.blocked = true;
                effect.failed_closed = true;
                effect.reason = Some("hook errored".to_owned());
                let source = source_name(one.definition, scene);
                told(effect, &format!("Denied by preToolUse hook from \"{source}\" (hook errored)"));
                effect.decide(rules::DECIDE_HOOK_FAILED, one, denies, Some("the model"));
            }
            (RunEnd::Blocks, _) => {
                effect.blocked = true;
                let reason = answer.refusal_reason().unwrap_or_else(|| "hook exited with code 2".to_owned());
                told(effect, &format!("Denied by preToolUse hook: {reason}"));
                effect.reason = Some(reason);
                effect.decide(rules::DECIDE_DENY, one, denies, Some("the model"));
            }
            (_, Some("deny")) => {
                effect.blocked = true;
                let reason = answer.permission_reason().unwrap_or_else(no_reason);
                told(effect, &format!("Denied by preToolUse hook: {reason}"));
                effect.reason = Some(reason);
                effect.decide(rules::DECIDE_DENY, one, denies, Some("the model"));
            }
            (_, Some("ask")) => {
                effect.decision = Some(Verdict::Ask);
                effect.reason = answer.permission_reason();
                effect.blocked = scene.headless;
                if scene.headless {
                    let question = "unable to ask user for confirmation";
                    let reason = answer.permission_reason().unwrap_or_else(no_reason);
                    told(effect, &format!("Denied by preToolUse hook ({question}): {reason}"));
                    effect.reason = Some(reason);
                }
                let does = if scene.headless {
                    "the tool does not run, because no user can be asked; the model gets the reason"
                } else {
                    "the user is asked"
                };
                effect.decide(
                    rules::DECIDE_ASK,
                    one,
                    does,
                    Some(if scene.headless { "the model" } else { "the user" }),
                );
            }
            _ => continue,
        }
        break;
    }
    let is_decided = !effect.deciders.is_empty();
    if !is_decided {
        for one in said.iter().filter(|one| one.answer.permission() == Some("allow")) {
            effect.decision = Some(Verdict::Allow);
            effect.decide(rules::DECIDE_ALLOW, one, "the tool runs without a question", None);
        }
    }
    let before = scene.input.body.get("tool_input");
    let tool = scene.input.subject.value.as_deref().map_or("", native_tool);
    let last = said.iter().rev().find_map(|one| Some((one, one.answer.new_arguments()?)));
    if let Some((one, new)) = last.filter(|_| !effect.blocked) {
        if let Some(new) = tool_arguments::usable(tool, new) {
            effect.updated_input = Some(Value::Object(new)).filter(|new| before != Some(new));
            if is_decided || effect.decision.is_some() {
                effect.contribute(one);
            } else {
                effect.decide(
                    rules::DECIDE_REWRITE,
                    one,
                    "the tool gets the new arguments, if its permission allows it",
                    None,
                );
            }
        } else {
            effect.blocked = true;
            effect.failed_closed = true;
            effect.decision = None;
            effect.decide(
                rules::DECIDE_BAD_REWRITE,
                one,
                "the call fails; the model gets the error",
                Some("the model"),
            );
        }
    }
    let contexts: Vec<_> = said.iter().filter_map(|one| Some((one, one.answer.printed_context()?))).collect();
    join_contexts(effect, &contexts, "the model gets the context after the tool's result");
}

/// A permission: all hooks run, and their answers are merged key by key. Exit 2 is a deny. A failure ends the chain.
pub fn permission(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    let denies = "the tool does not run; the model gets the reason as the result";
    if let Some(failed) = said.iter().find(|one| one.answer.end == RunEnd::Failed) {
        effect.failed_closed = true;
        refuse(effect, "Permission request hook failed");
        return effect.decide(rules::DECIDE_HOOK_FAILED, failed, denies, Some("the model"));
    }
    let denied = Value::from("deny");
    let behavior = |one: &AnsweredRun<'_>| match one.answer.end {
        RunEnd::Blocks => Some(denied.clone()),
        _ => one.answer.top("behavior").cloned(),
    };
    let last = said.iter().rev().find_map(|one| Some((one, behavior(one)?)));
    let message = last_with(said, "message");
    match last.as_ref().and_then(|(one, word)| Some((one, word.as_str()?))) {
        Some((one, "deny")) => {
            let text = message.and_then(|(_, text)| text.as_str()).filter(|text| !text.is_empty());
            refuse(effect, text.unwrap_or("Permission denied by hook."));
            effect.ends_turn = last_with(said, "interrupt").is_some_and(|(_, flag)| *flag == Value::Bool(true));
            effect.decide(rules::DECIDE_PERMISSION, one, denies, Some("the model"));
            if let Some((of, _)) = message {
                effect.contribute(of);
            }
        }
        Some((one, "allow")) => {
            effect.decision = Some(Verdict::Allow);
            effect.decide(rules::DECIDE_PERMISSION, one, "the tool runs without a question", None);
        }
        _ => {
            // A later answer can take a decision back.
            if let Some((one, _)) = last.filter(|_| said.len() > 1) {
                effect.contribute(one);
            }
        }
    }
}

fn refuse(effect: &mut Effect, message: &str) {
    effect.blocked = true;
    told(effect, &format!("Permission denied by a PermissionRequest hook: {message}"));
    effect.reason = Some(message.to_owned());
}

/// The context of an answer after a tool, without blanks around it.
fn guidance(one: &AnsweredRun<'_>) -> Option<String> {
    let text = trim(one.answer.text("additionalContext")?);
    (!text.is_empty()).then(|| text.to_owned())
}

/// The part of a context after a tool that the model gets. Half of a character at the cut becomes U+FFFD.
fn cut(context: &str) -> String {
    replace_surrogates(trim(&utf16_prefix(context, LONGEST_CONTEXT))).into_owned()
}

/// A hook after a tool: the first block ends the chain; contexts are joined; the last new result counts.
pub fn after_tool(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    let blocker = said.iter().find_map(|one| {
        let reason = one.answer.top("reason").and_then(Value::as_str).filter(|_| one.answer.blocks())?;
        Some((one, reason))
    });
    if let Some((one, reason)) = blocker {
        effect.blocked = true;
        effect.reason = Some(reason.to_owned());
        told(effect, &format!("Tool result blocked: {reason}"));
        effect.decide(
            rules::DECIDE_RESULT_BLOCKED,
            one,
            "the model gets the reason instead of the result",
            Some("the model"),
        );
    }
    let result = said.iter().rev().find_map(|one| Some((one, one.answer.new_result_text()?)));
    let replaced = result.filter(|_| blocker.is_none());
    effect.extra.insert("updated_output".to_owned(), replaced.map_or(Value::Null, |(_, text)| json!(text)));
    if let Some((one, _)) = replaced {
        effect.decide(rules::DECIDE_REPLACED, one, "the model gets the new result", Some("the model"));
    }
    // Beside a block no context counts.
    let heard = said.iter().filter(|_| blocker.is_none());
    let contexts: Vec<_> = heard.filter_map(|one| Some((one, guidance(one)?))).collect();
    join_contexts(effect, &contexts, "the model gets the context after the tool's result");
    effect.context = effect.context.as_deref().map(cut);
}

/// A hook after a failed tool: contexts, and stderr with exit 2.
pub fn after_failure(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    let context = |one: &AnsweredRun<'_>| {
        // With exit 2 the answer on stdout is not read.
        if one.answer.end == RunEnd::Blocks {
            return Some(trim(&one.answer.stderr)).filter(|text| !text.is_empty()).map(str::to_owned);
        }
        guidance(one)
    };
    let contexts: Vec<_> = said.iter().filter_map(|one| Some((one, context(one)?))).collect();
    join_contexts(effect, &contexts, "the model gets the context after the error");
    effect.context = effect.context.as_deref().map(cut);
}
