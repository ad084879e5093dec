//! Combines all answers of a firing into what Droid does (spec §5.1, §5.2).

use serde_json::{Map, Value, json};

use crate::droid::answer::{AnsweredRun, HookAnswer};
use crate::droid::{events, rules};
use crate::kernel::decision::default_action;
use crate::kernel::effect::Effect;
use crate::shared::javascript::{spread, trim};
use hookbench_base::decide::Verdict;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::Handler;
use hookbench_base::output::AnswerForm;
use hookbench_base::text::{replace_surrogates, truthy};

/// Whether the command of a hook is empty, for which the agent ignores the answers of the whole event.
pub fn is_empty_command(one: &AnsweredRun<'_>) -> bool {
    matches!(&one.definition.handler, Handler::Command(command) if command.command.is_empty())
}

fn end_run(effect: &mut Effect, by: &AnsweredRun<'_>, does: &str) {
    effect.ends_turn = true;
    effect.decide(rules::DECIDE_ENDS_RUN, by, does, Some("nobody"));
}

/// Combines the answers of the runs, which are in the configured order.
pub fn effect(scene: &Scene, said: &[AnsweredRun<'_>]) -> Effect {
    let event = scene.input.event.as_str();
    let mut effect = Effect::quiet(rules::DECIDE_GOES_ON, default_action(event));
    if let Some(empty) = said.iter().find(|one| is_empty_command(one)) {
        effect.contribute(empty);
        return effect;
    }
    match event {
        "PreToolUse" => before_tool(&mut effect, scene, said),
        "PostToolUse" => after_tool(&mut effect, said),
        "SessionStart" => session_start(&mut effect, said),
        "Stop" => stop(&mut effect, said),
        _ if events::is_unobserved(event) => unobserved(&mut effect, event, said),
        _ => {}
    }
    if let Some(message) = message_to_model(event, &effect) {
        effect.extra.insert("told".to_owned(), json!(message));
    }
    effect
}

/// Returns the text that the model gets, as Droid writes it around the reason.
fn message_to_model(event: &str, effect: &Effect) -> Option<String> {
    let reason = effect.reason.as_deref()?;
    match event {
        "PreToolUse" if effect.blocked => Some(format!("Error: {reason}")),
        "PostToolUse" => Some(format!("[Hook Feedback] {reason}")),
        _ => None,
    }
}

fn before_tool(effect: &mut Effect, scene: &Scene, said: &[AnsweredRun<'_>]) {
    if let Some(first) = said.iter().find(|one| one.answer.ends_run()) {
        effect.blocked = true;
        return end_run(effect, first, "the run ends at once: the tool does not run, and nothing is printed");
    }
    let winner = said.iter().find(|one| one.answer.permission().is_some());
    let word = winner.and_then(|one| one.answer.permission()).and_then(Value::as_str);
    let exit_2 = said.iter().find(|one| one.answer.exited_with(2));
    let denies = "the tool does not run; the model gets the reason as the result";
    if let Some(winner) = winner.filter(|_| word == Some("deny")) {
        effect.blocked = true;
        // stderr of a hook with exit 2 is not told beside a deny.
        let reason = winner.answer.permission_reason();
        effect.reason = Some(reason.unwrap_or_else(|| "Tool execution denied by hook".to_owned()));
        return effect.decide(rules::DECIDE_DENY, winner, denies, Some("the model"));
    }
    if let Some(first) = exit_2 {
        effect.blocked = true;
        effect.reason = Some(text(&first.answer.stderr).unwrap_or_else(|| "Tool execution blocked by hook".to_owned()));
        // Without the winner, another hook's deny could give the reason.
        effect.contributors.extend(winner.map(|one| one.run.run).filter(|run| *run != first.run.run));
        return effect.decide(rules::DECIDE_EXIT_2, first, denies, Some("the model"));
    }
    if let Some(winner) = winner {
        let asks = word == Some("ask");
        effect.decision = match word {
            Some("allow") => Some(Verdict::Allow),
            Some("ask") if !scene.headless => Some(Verdict::Ask),
            _ => None,
        };
        let does = match (asks, scene.headless) {
            (true, true) => "the tool runs without a question",
            (true, false) => "the user is asked, according to the documentation",
            _ => "the tool runs, whatever later hooks decide",
        };
        effect.decide(rules::DECIDE_PERMITS, winner, does, None);
    }
    rewrite(effect, scene, said);
    if effect.blocked {
        return;
    }
    let warning = said.iter().find_map(|one| Some((one, one.answer.warning()?)));
    if let Some((one, warning)) = warning.filter(|(_, warning)| !warning.is_empty()) {
        effect.extra.insert("output_prefix".to_owned(), json!(format!("{warning}\n\n")));
        effect.contribute(one);
    }
}

/// Merges the new input over the tool's.
fn rewrite(effect: &mut Effect, scene: &Scene, said: &[AnsweredRun<'_>]) {
    let answers: Vec<&HookAnswer> = said.iter().map(|one| &one.answer).collect();
    let Some(one) = rewriting_answer(&answers).and_then(|at| said.get(at)) else { return };
    let Some(update) = one.answer.updated_input().map(spread) else { return };
    let body = &scene.input.body;
    let before = body.get("tool_input").and_then(Value::as_object).cloned().unwrap_or_default();
    let tool = body.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let after = merge(tool, &before, &update);
    if tool == "Execute" && update.get("command").is_some_and(|command| command.as_str().is_none_or(str::is_empty)) {
        effect.blocked = true;
        effect.failed_closed = true;
        effect.decision = None;
        effect.reason = Some("command is required and must be a string".to_owned());
        let does = "the call fails; the model gets the error";
        return effect.decide(rules::DECIDE_BAD_REWRITE, one, does, Some("the model"));
    }
    if effect.deciders.is_empty() {
        effect.decide(rules::DECIDE_REWRITE, one, "the tool gets the new input, if its permission allows it", None);
    } else {
        effect.contribute(one);
    }
    effect.updated_input = (after != before).then_some(Value::Object(after));
}

fn after_tool(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    if let Some(first) = said.iter().find(|one| one.answer.ends_run()) {
        return end_run(effect, first, "the run ends at once, after the tool; nothing is printed");
    }
    let context = said.iter().find_map(|one| {
        let context = one.answer.own("additionalContext").filter(|context| truthy(context))?;
        Some((one, context))
    });
    if let Some((one, context)) = context {
        match context.as_str() {
            // The first context counts even if it is blank. A blank context is not sent.
            Some(text) if is_blank(text) => effect.contribute(one),
            Some(text) => {
                effect.context = Some(replace_surrogates(text).into_owned());
                effect.decide(
                    rules::DECIDE_CONTEXT,
                    one,
                    "the model gets the context after the result",
                    Some("the model"),
                );
            }
            None => return end_run(effect, one, "Droid ends with an error, because the context is not a string"),
        }
    }
    if let Some(first) = said.iter().find(|one| one.answer.exited_with(2)) {
        let feedback = text(&first.answer.stderr).unwrap_or_else(|| "PostToolUse hook reported an issue".to_owned());
        effect.reason = Some(feedback);
        let does = "the model gets the unchanged tool result, and the feedback as a message";
        effect.decide(rules::DECIDE_FEEDBACK, first, does, Some("the model"));
    }
}

fn session_start(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    let mut contexts = Vec::new();
    for one in said {
        if let Some(context) = one.answer.session_context() {
            contexts.push(context);
            effect.decide(
                rules::DECIDE_SESSION_CONTEXT,
                one,
                "the model gets the context before everything else",
                Some("the model"),
            );
        }
    }
    let joined = contexts.join("\n\n");
    effect.context = (!is_blank(&joined)).then(|| replace_surrogates(&joined).into_owned());
}

/// Whether a message would be blank. Droid sends no such message.
fn is_blank(text: &str) -> bool {
    trim(text).is_empty()
}

/// The reason of a JSON answer that keeps the agent from stopping. A reason that is not a string has no text.
pub fn stop_reason(answer: &HookAnswer) -> Option<&Value> {
    answer.object.as_ref().filter(|object| is_block(object))?.get("reason").filter(|reason| truthy(reason))
}

fn is_block(object: &Map<String, Value>) -> bool {
    object.get("decision").and_then(Value::as_str) == Some("block")
}

fn stop(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    let does = "the agent does not stop: the model is called again with the reason as a message";
    // The first block counts, even if its reason is missing.
    let first = said.iter().find(|one| one.answer.object.as_ref().is_some_and(is_block));
    if let Some((one, reason)) = first.and_then(|one| Some((one, stop_reason(&one.answer)?))) {
        if reason.as_array().is_some_and(|items| !items.is_empty()) {
            effect.unknown = true;
            let does = "the agent stops, unless its model accepts the list as a message";
            return effect.decide(rules::DECIDE_STOP_BLOCKED, one, does, Some("the model"));
        }
        effect.blocked = true;
        effect.reason =
            reason.as_str().filter(|text| !is_blank(text)).map(|text| replace_surrogates(text).into_owned());
        return effect.decide(rules::DECIDE_STOP_BLOCKED, one, does, Some("the model"));
    }
    // A block without a reason lets the agent stop, whatever other hooks say.
    if let Some(first) = first {
        effect.contributors.extend((said.len() > 1).then_some(first.run.run));
    } else if let Some(first) = said.iter().find(|one| one.answer.exited_with(2)) {
        effect.blocked = true;
        effect.reason =
            Some(text(&first.answer.stderr).unwrap_or_else(|| "Stop hook requested continuation".to_owned()));
        effect.decide(rules::DECIDE_STOP_BLOCKED, first, does, Some("the model"));
    }
}

/// An answer to an event that was never provoked: its effect is unknown.
fn unobserved(effect: &mut Effect, event: &str, said: &[AnsweredRun<'_>]) {
    let answers = |one: &&AnsweredRun<'_>| one.answer.exited_with(2) || one.answer.form != AnswerForm::Nothing;
    for one in said.iter().filter(answers) {
        effect.unknown = true;
        effect.decide(rules::DECIDE_UNOBSERVED, one, default_action(event), None);
    }
    if effect.unknown {
        effect.summary = format!("{}, unless Droid follows this answer, which was not observed", default_action(event));
    }
}

/// The text, if there is any. Blank text counts.
fn text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// The position of the answer whose new input counts. The agent may still ignore it for the decision beside it.
pub fn rewriting_answer(answers: &[&HookAnswer]) -> Option<usize> {
    let offers = |answer: &&HookAnswer| answer.offers_input();
    let winner = answers.iter().position(|answer| answer.permission().is_some());
    winner.filter(|at| answers.get(*at).is_some_and(offers)).or_else(|| answers.iter().position(offers))
}

/// Merges a new input over the tool's. A new command drops what the model said about the risk of the old one.
pub fn merge(tool: &str, before: &Map<String, Value>, update: &Map<String, Value>) -> Map<String, Value> {
    let mut after = before.clone();
    after.extend(update.clone());
    let is_new = update.get("command").is_some_and(|command| before.get("command") != Some(command));
    if tool == "Execute" && is_new {
        after.shift_remove("riskLevel");
        after.shift_remove("riskLevelReason");
    }
    after
}

/// The input with which a call goes on.
pub fn merged_input(tool: &str, input: &Value, answers: &[HookAnswer]) -> Value {
    let answers: Vec<&HookAnswer> = answers.iter().collect();
    let update = rewriting_answer(&answers).and_then(|at| answers.get(at)?.updated_input()).map(spread);
    match (input, update) {
        (Value::Object(before), Some(update)) => Value::Object(merge(tool, before, &update)),
        _ => input.clone(),
    }
}
