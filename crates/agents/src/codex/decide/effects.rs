//! Combines all answers of a firing into what Codex does (spec §5.7).

use crate::codex::rules;
use crate::kernel::effect::Effect;
use serde_json::{Value, json};

use super::super::answer::{AnsweredRun, HookAnswer, HookRunStatus};
use super::super::events::label;
use super::super::schema::TEXT_LIMIT;
use super::super::setting_keys::HOOK_RUNS;
use super::super::tools;
use hookbench_base::decide::Verdict;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::HookDefinition;
use hookbench_base::output::AnswerForm;
use hookbench_base::run::RunId;

/// Returns what happens if no hook decides anything.
pub fn default_action(event: &str) -> &'static str {
    match event {
        "PreToolUse" => "the tool runs, if the user's policy allows it",
        "PermissionRequest" => "the user is asked",
        "PostToolUse" => "the model gets the unchanged tool result",
        "UserPromptSubmit" => "the prompt is sent to the model",
        "SessionStart" => "the session starts",
        "SubagentStart" => "the sub-agent starts",
        "Stop" => "the agent stops",
        "SubagentStop" => "the sub-agent stops and returns its result",
        "PreCompact" => "the conversation is compacted",
        "PostCompact" => "the turn continues with the compacted conversation",
        "PreModelRequest" => "the request is sent",
        _ => "Codex continues; it ignores the output of hooks of this event",
    }
}

/// Combines the answers. `said` are the awaited runs in the order of the plan; `ended` is the order in which they
/// ended; `late` are the runs of async hooks.
pub fn effect(scene: &Scene, said: &[AnsweredRun<'_>], ended: &[RunId], late: &[AnsweredRun<'_>]) -> Effect {
    let event = scene.input.event.as_str();
    let mut effect = Effect::quiet(rules::DECIDE_GOES_ON, default_action(event));
    match event {
        "PreToolUse" => before_tool(&mut effect, scene, said, ended),
        "PermissionRequest" => permission(&mut effect, said),
        "PostToolUse" => after_tool(&mut effect, scene, said),
        "UserPromptSubmit" => prompt(&mut effect, said),
        "SessionStart" | "PreCompact" | "PostCompact" => ending(&mut effect, event, said),
        "Stop" | "SubagentStop" => stop(&mut effect, scene, said),
        _ => {}
    }
    add_messages(&mut effect, scene, said, late);
    if event != "SessionEnd" && !said.is_empty() {
        let words: Vec<&str> = said.iter().map(|s| s.answer.status.word()).collect();
        effect.extra.insert("hook_status".to_owned(), json!(words));
    }
    effect
}

fn with_status<'s, 'a>(
    said: &'s [AnsweredRun<'a>],
    status: HookRunStatus,
) -> impl Iterator<Item = &'s AnsweredRun<'a>> {
    said.iter().filter(move |s| s.answer.status == status)
}

/// Collects warnings and contexts in the order of the plan; those of async hooks come last.
fn add_messages(effect: &mut Effect, scene: &Scene, said: &[AnsweredRun<'_>], late: &[AnsweredRun<'_>]) {
    let mut messages = Vec::new();
    let mut contexts = Vec::new();
    for (one, awaited) in said.iter().map(|s| (s, true)).chain(late.iter().map(|s| (s, false))) {
        let context = if awaited { one.answer.context.as_deref() } else { async_context(&one.answer) };
        if let Some(text) = context {
            contexts.push(truncate(text, context_limit(one.definition), scene));
        }
        messages.extend(one.answer.message.clone());
        if context.is_some() || one.answer.message.is_some() {
            effect.contributors.push(one.run.run);
        }
    }
    if contexts.len() > 1 {
        effect.extra.insert("context_messages".to_owned(), json!(contexts));
    }
    effect.context = (!contexts.is_empty()).then(|| contexts.join("\n"));
    effect.message = (!messages.is_empty()).then(|| messages.join("\n"));
    if effect.context.is_some() {
        effect.seen_by.get_or_insert("the model");
        let when =
            if effect.blocked || effect.ends_turn { "in the next turn" } else { "as a message of the developer" };
        effect.summary = format!("{}; the model gets the context {when}", effect.summary);
    }
}

/// Returns the context of an async hook. Codex ignores plain text of async hooks.
fn async_context(answer: &HookAnswer) -> Option<&str> {
    let value = answer.value.as_ref().filter(|_| answer.form == AnswerForm::Json)?;
    value.pointer("/hookSpecificOutput/additionalContext").and_then(Value::as_str)
}

/// Returns the token limit of a hook's context, or `None` if it is unlimited.
fn context_limit(definition: &HookDefinition) -> Option<u64> {
    match definition.raw.get("additionalContextLimit").and_then(Value::as_u64) {
        Some(0) => None,
        Some(limit) => Some(limit),
        None => Some(TEXT_LIMIT),
    }
}

fn before_tool(effect: &mut Effect, scene: &Scene, said: &[AnsweredRun<'_>], ended: &[RunId]) {
    if let Some(first) = with_status(said, HookRunStatus::Blocked).next() {
        effect.blocked = true;
        effect.reason.clone_from(&first.answer.reason);
        let does = "the tool does not run; the model gets the reason instead of a result";
        return effect.decide(rules::DECIDE_ANY_DENY, first, does, Some("the model"));
    }
    // Of several rewrites, the one of the hook that ended last applies, even if it cannot be used.
    let last =
        ended.iter().rev().find_map(|run| said.iter().find(|s| s.run.run == *run && s.answer.updated_input.is_some()));
    let Some((last, updated)) = last.and_then(|s| Some((s, s.answer.updated_input.as_ref()?))) else { return };
    let body = &scene.input.body;
    let tool = body.get("tool_name").and_then(Value::as_str).unwrap_or("");
    let input = if tools::takes_command(tool) {
        let Some(command) = updated.get("command").and_then(Value::as_str) else {
            effect.blocked = true;
            effect.failed_closed = true;
            effect.reason = Some("hook returned updatedInput without string field `command`".to_owned());
            let does = "the call fails, because the new input has no string `command`";
            return effect.decide(rules::DECIDE_BAD_REWRITE, last, does, Some("the model"));
        };
        json!({"command": command})
    } else {
        updated.clone()
    };
    if tools::is_mcp(tool) && !updated.is_object() {
        effect.blocked = true;
        effect.failed_closed = true;
        effect.reason = Some(format!("MCP tool arguments must be a JSON object, got {updated}"));
        let does = "the call fails, because the new input is not an object";
        return effect.decide(rules::DECIDE_BAD_REWRITE, last, does, Some("the model"));
    }
    let does = "the tool gets the new input, if the user's policy allows it";
    effect.decide(rules::DECIDE_REWRITE, last, does, None);
    if !tools::takes_command(tool) && !updated.is_object() {
        effect.unknown = true;
        "it is unknown how this tool handles a new input that is not an object".clone_into(&mut effect.summary);
    }
    effect.updated_input = (body.get("tool_input") != Some(&input)).then_some(input);
}

fn permission(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    if let Some(first) = with_status(said, HookRunStatus::Blocked).next() {
        effect.blocked = true;
        effect.reason.clone_from(&first.answer.reason);
        effect.decide(rules::DECIDE_ANY_DENY, first, "the call is rejected without asking the user", Some("the model"));
    } else {
        for one in said.iter().filter(|s| s.answer.approves) {
            effect.decision = Some(Verdict::Allow);
            effect.decide(rules::DECIDE_ALLOW, one, "the call runs without asking the user", None);
        }
    }
    let asked = !effect.blocked && effect.decision.is_none();
    effect.extra.insert("asked".to_owned(), json!(asked));
}

fn after_tool(effect: &mut Effect, scene: &Scene, said: &[AnsweredRun<'_>]) {
    let speaks = |s: &&AnsweredRun<'_>| matches!(s.answer.status, HookRunStatus::Blocked | HookRunStatus::Stopped);
    let mut texts = Vec::new();
    for one in said.iter().filter(speaks) {
        texts.extend(one.answer.reason.clone());
        let does = "the model gets this text instead of the tool result, and the turn continues";
        effect.decide(rules::DECIDE_RESULT_REPLACED, one, does, Some("the model"));
    }
    if !texts.is_empty() {
        effect.reason = Some(truncate(&texts.join("\n\n"), Some(TEXT_LIMIT), scene));
    }
}

fn prompt(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    if let Some(first) = with_status(said, HookRunStatus::Blocked).next() {
        effect.blocked = true;
        effect.reason.clone_from(&first.answer.reason);
        let does = "the model receives nothing; the prompt is dropped and the turn ends";
        effect.decide(rules::DECIDE_PROMPT_DROPPED, first, does, Some("the user"));
    }
    if let Some(first) = with_status(said, HookRunStatus::Stopped).next() {
        effect.blocked = true;
        end(effect, said);
        let does = "the model receives nothing; the prompt is dropped and the turn ends";
        effect.decide(rules::DECIDE_PROMPT_DROPPED, first, does, Some("the user"));
    }
}

/// Ends the turn. The stop reason is that of the first hook that has one.
fn end(effect: &mut Effect, said: &[AnsweredRun<'_>]) {
    effect.ends_turn = true;
    let texts =
        with_status(said, HookRunStatus::Stopped).find_map(|s| Some((s.run.run, s.answer.stop_reason.clone()?)));
    if let Some((run, text)) = texts {
        effect.stop_reason = Some(text);
        effect.contributors.push(run);
    }
}

fn ending(effect: &mut Effect, event: &str, said: &[AnsweredRun<'_>]) {
    let Some(first) = with_status(said, HookRunStatus::Stopped).next() else { return };
    end(effect, said);
    let (rule, does) = match event {
        "SessionStart" => (rules::DECIDE_SESSION_STOPPED, "the first prompt is dropped, and the model is not called"),
        "PreCompact" => {
            (rules::DECIDE_COMPACTION_SKIPPED, "the conversation is not compacted, and the turn is interrupted")
        }
        _ => (rules::DECIDE_INTERRUPTED, "the compaction stays, and the turn is interrupted"),
    };
    effect.blocked = event != "PostCompact";
    effect.decide(rule, first, does, Some("the user"));
}

fn stop(effect: &mut Effect, scene: &Scene, said: &[AnsweredRun<'_>]) {
    if let Some(first) = with_status(said, HookRunStatus::Stopped).next() {
        end(effect, said);
        let does = "the agent stops, even if other hooks block";
        return effect.decide(rules::DECIDE_STOP, first, does, Some("the user"));
    }
    let event = scene.input.event.as_str();
    let mut texts = Vec::new();
    let mut prompts = Vec::new();
    for one in with_status(said, HookRunStatus::Blocked) {
        let text = truncate(one.answer.reason.as_deref().unwrap_or(""), Some(TEXT_LIMIT), scene);
        let (order, file) = run_number_and_file(scene, one.definition);
        prompts.push(format!(
            "<hook_prompt hook_run_id=\"{}:{order}:{file}\">{}</hook_prompt>",
            label(event).replace('_', "-"),
            escaped(&text)
        ));
        texts.push(text);
        let does = "the agent does not stop: the model is called again with the reasons as a prompt";
        effect.decide(rules::DECIDE_STOP_BLOCKED, one, does, Some("the model"));
    }
    if !texts.is_empty() {
        effect.blocked = true;
        effect.reason = Some(texts.join("\n\n"));
        effect.extra.insert("hook_prompts".to_owned(), json!(prompts));
    }
}

/// Returns the number of a hook among all accepted hooks, and the file that Codex names as its source.
fn run_number_and_file(scene: &Scene, definition: &HookDefinition) -> (u64, String) {
    let place = scene.loaded.agent_settings.get(HOOK_RUNS).and_then(|runs| runs.get(&definition.id));
    let order = place.and_then(|p| p.get("order")).and_then(Value::as_u64).unwrap_or(0);
    let file = place.and_then(|p| p.get("file")).and_then(Value::as_str).unwrap_or("");
    (order, file.to_owned())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns the text as the model receives it. The remainder of a shortened text depends on the file name that
/// Codex generates; `…` replaces both.
pub fn truncate(text: &str, limit: Option<u64>, scene: &Scene) -> String {
    let tokens = text.len().div_ceil(4) as u64;
    if limit.is_none_or(|limit| tokens <= limit) {
        return text.to_owned();
    }
    let directory = scene.place.var("TMPDIR").filter(|dir| !dir.is_empty()).unwrap_or("/tmp").trim_end_matches('/');
    let thread = scene.input.body.get("session_id").and_then(Value::as_str).unwrap_or("…");
    let lines = text.lines().count();
    format!(
        "Warning: truncated output (original token count: {tokens})\nTotal output lines: {lines}\n\n…\n\n\
         Full hook output saved to: {directory}/hook_outputs/{thread}/….txt"
    )
}
