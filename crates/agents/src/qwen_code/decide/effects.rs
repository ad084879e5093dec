//! The effect of an event's merged output in the agent's client (spec §15).

use crate::qwen_code::rules;
use crate::shared::rules::DecisionRule;
use serde_json::Value;

use super::super::front_matter::CONTEXT_AGENTS;
use super::super::typed_output::{Permission, TypedOutput, escape_all};
use super::super::version_behaviour;
use crate::kernel::effect::Effect;
use crate::shared::gemini_fork::answer::{AgentException, specific_output_error};
use hookbench_base::decide::Verdict;
use hookbench_base::dialects::Scene;
use hookbench_base::text::{to_js_string, truthy};

/// Returns what happens if no hook decides anything.
pub fn default_action(event: &str) -> &'static str {
    match event {
        "PreToolUse" => "the tool runs",
        "PostToolUse" => "the model gets the unchanged tool result",
        "PostToolUseFailure" => "the model gets the unchanged tool error",
        "PostToolBatch" => "the model gets the unchanged results of the batch",
        "PermissionRequest" => "the user is asked for permission",
        "UserPromptSubmit" => "the prompt is sent to the model",
        "UserPromptExpansion" => "the command's prompt is sent",
        "Stop" => "the agent stops and waits for the user",
        "SubagentStop" => "the sub-agent stops and returns its result",
        "TodoCreated" | "TodoCompleted" => "the to-do list is changed",
        "SessionStart" => "the session starts",
        "PreCompact" => "the conversation is compacted",
        "SubagentStart" => "the sub-agent starts",
        _ => "the agent continues; it ignores the output of hooks of this event",
    }
}

/// Returns the effect if the agent throws while it handles the firing.
pub fn thrown(scene: &Scene, thrown: &AgentException) -> Effect {
    let event = scene.input.event.as_str();
    if matches!(event, "TodoCreated" | "TodoCompleted") && is_validation(scene) {
        let reason = format!("Hook system failed while processing {event}: {}", thrown.message);
        return Effect {
            failed_closed: true,
            ..Effect::block(
                rules::DECIDE_THROWN_CLOSED,
                reason,
                "the model",
                "the to-do list is not changed, because the agent fails",
            )
        };
    }
    let does = format!("{}; every answer is lost, because the agent throws an error", default_action(event));
    Effect::quiet(rules::DECIDE_THROWN, does)
}

/// Returns the effect if the agent's time limit for all hooks expires first (spec §6.5).
pub fn expired(scene: &Scene) -> Effect {
    let event = scene.input.event.as_str();
    if !matches!(event, "UserPromptSubmit" | "Stop") {
        let does = format!("{}; the answers arrive too late and are lost", default_action(event));
        return Effect::quiet(rules::DECIDE_BUS_TIMEOUT, does);
    }
    let reason = "Request timed out waiting for hook-execution-response".to_owned();
    failing(scene, rules::DECIDE_BUS_TIMEOUT_FATAL, reason)
}

/// Returns the effect if the client itself fails: a headless run ends; the behaviour of an interactive run is
/// unknown.
fn failing(scene: &Scene, rule: DecisionRule, reason: String) -> Effect {
    if scene.headless {
        let does = "the run exits with 1; the model receives nothing";
        return Effect { failed_closed: true, ..Effect::block(rule, reason, "the user", does) };
    }
    let does = "a headless run would exit with 1; the reaction of an interactive one is unknown";
    Effect { unknown: true, ..Effect::quiet(rule, does) }
}

fn is_validation(scene: &Scene) -> bool {
    scene.input.body.get("phase").and_then(Value::as_str) == Some("validation")
}

/// Returns what the client does with a merged output; `None` if no hook has answered.
pub fn effect(scene: &Scene, merged: Option<&Value>) -> Effect {
    let event = scene.input.event.as_str();
    let Some(output) = merged else { return Effect::quiet(rules::DECIDE_SILENT, default_action(event)) };
    let typed = TypedOutput(output);
    match event {
        // The client reads the context first, and swallows an exception there.
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PostToolBatch"
            if specific_output_error(output).is_some() =>
        {
            Effect::quiet(
                rules::DECIDE_CLIENT_SWALLOWS,
                format!(
                    "{}; the answer is lost, because its hookSpecificOutput is not an object",
                    default_action(event)
                ),
            )
        }
        "PreToolUse" => pre_tool(scene, typed),
        "PostToolUse" if typed.stops() => Effect::block(
            rules::DECIDE_RESULT_REPLACED,
            typed.effective_reason(),
            "the model",
            "the tool has run; the model gets the reason as an error instead of the result, and the turn continues",
        ),
        "PostToolUse" | "PostToolUseFailure" => {
            let context = typed.context();
            let does = match (&context, event) {
                (None, _) => default_action(event),
                (Some(_), "PostToolUse") => "the context is appended to the tool's result, after a blank line",
                (Some(_), _) => "the context is appended to the tool's error, after a blank line",
            };
            Effect::quiet(rules::DECIDE_RESULT, does).with_context(context).with("artifacts", artifacts(typed))
        }
        "PostToolBatch" => {
            let does = "the last result of the batch becomes an error with this reason; the turn continues";
            let effect = if typed.blocks() || typed.stops() {
                Effect::block(rules::DECIDE_BATCH_REPLACED, typed.effective_reason(), "the model", does)
            } else if typed.context().is_some() {
                Effect::quiet(rules::DECIDE_BATCH, "the context is appended to the last result of the batch")
            } else {
                Effect::quiet(rules::DECIDE_BATCH, default_action(event))
            };
            effect.with_context(typed.context()).with("artifacts", artifacts(typed))
        }
        "PermissionRequest" => permission(scene, typed),
        "UserPromptSubmit" | "UserPromptExpansion" => prompt(scene, typed),
        "Stop" | "SubagentStop" => stop(scene, typed),
        "TodoCreated" | "TodoCompleted" => todo(scene, typed),
        "SessionStart" => context_only(event, typed.trimmed_context(), "the context is added to the system prompt"),
        "PreCompact" => context_only(
            event,
            typed.compaction_context(),
            "the context is added to the instructions for the compaction",
        ),
        "SubagentStart" => subagent_start(scene, typed),
        "Notification" => notification(scene, typed),
        _ => Effect::quiet(rules::DECIDE_UNREAD, default_action(event)),
    }
}

fn artifacts(typed: TypedOutput<'_>) -> Option<Value> {
    let artifacts = typed.artifacts();
    (!artifacts.is_empty()).then(|| Value::from(artifacts))
}

fn context_only(event: &str, context: Option<String>, does: &str) -> Effect {
    let does = if context.is_some() { does } else { default_action(event) };
    Effect::quiet(rules::DECIDE_CONTEXT, does).with_context(context)
}

fn pre_tool(scene: &Scene, typed: TypedOutput<'_>) -> Effect {
    let not_run = "the tool does not run; the model gets the reason as the error of the call, and the turn continues";
    let permission = typed.permission();
    match permission {
        Some(Permission::Deny) => {
            let reason = typed.permission_reason().unwrap_or_else(|| typed.effective_reason());
            return Effect::block(rules::DECIDE_DENY, reason, "the model", not_run);
        }
        Some(Permission::Ask) => {
            let reason = typed.permission_reason().unwrap_or_else(|| "User confirmation required".to_owned());
            if !version_behaviour::for_version(&scene.version).ask_is_dialog {
                return Effect::block(rules::DECIDE_ASK_DENIED, reason, "the model", not_run);
            }
            if scene.headless {
                let does = "no user can be asked, so the tool does not run; the model gets the reason as an error";
                return Effect::block(rules::DECIDE_ASK_HEADLESS, reason, "the model", does);
            }
            return Effect {
                decision: Some(Verdict::Ask),
                reason: Some(reason),
                seen_by: Some("the user"),
                ..Effect::quiet(rules::DECIDE_ASK, "the user is asked in a dialog, even in yolo mode, and decides")
            };
        }
        _ => {}
    }
    if typed.stops() {
        return Effect::block(rules::DECIDE_STOP, typed.effective_reason(), "the model", not_run);
    }
    let does = if permission == Some(Permission::Allow) {
        "the tool runs; `allow` has no effect, because the permission was decided before"
    } else {
        default_action("PreToolUse")
    };
    Effect::quiet(rules::DECIDE_PROCEED, does)
}

fn permission(scene: &Scene, typed: TypedOutput<'_>) -> Effect {
    let Some(decision) = typed.request_decision() else {
        return Effect::quiet(rules::DECIDE_DIALOG, default_action("PermissionRequest"));
    };
    if decision.get("behavior").and_then(Value::as_str) == Some("allow") {
        // An empty object does not replace the input.
        let given = |i: &&Value| truthy(i) && i.as_object().is_none_or(|object| !object.is_empty());
        let updated_input = decision.get("updatedInput").filter(given).cloned();
        let does = match &updated_input {
            Some(_) => "the tool runs without a dialog, with the input of the hook",
            None => "the tool runs without a dialog",
        };
        return Effect {
            decision: Some(Verdict::Allow),
            updated_input,
            ..Effect::quiet(rules::DECIDE_PERMISSION_ALLOW, does)
        };
    }
    let tool = scene.input.body.get("tool_name").map(to_js_string).unwrap_or_default();
    let message = decision.get("message").filter(|m| truthy(m)).map(to_js_string);
    let reason = message.unwrap_or_else(|| format!("Permission denied by hook for \"{tool}\""));
    let does = "the tool call is denied without a dialog; the model gets the reason as an error";
    let rule = match decision.get("behavior").and_then(Value::as_str) {
        Some("deny") => rules::DECIDE_PERMISSION_DENY,
        _ => rules::DECIDE_PERMISSION_UNDECIDED,
    };
    Effect::block(rule, reason, "the model", does)
}

fn prompt(scene: &Scene, typed: TypedOutput<'_>) -> Effect {
    let expansion = scene.input.event == "UserPromptExpansion";
    if typed.blocks() || typed.stops() {
        let reason = typed.effective_reason();
        return match (expansion, scene.headless) {
            (true, false) => Effect::block(
                rules::DECIDE_EXPANSION_BLOCKED,
                escape_all(&reason),
                "the user",
                "the command's prompt is not sent; the user sees the reason",
            ),
            (true, true) => Effect::block(
                rules::DECIDE_EXPANSION_BLOCKED,
                escape_all(&reason),
                "the user",
                "the command's prompt is not sent; the run exits with 1",
            ),
            (false, false) => Effect::block(
                rules::DECIDE_PROMPT_BLOCKED,
                reason,
                "the user",
                "the model receives nothing; the turn ends and the user sees the reason",
            ),
            (false, true) => Effect::block(
                rules::DECIDE_PROMPT_BLOCKED,
                reason,
                "nobody",
                "the model receives nothing; the run prints an empty line and exits with 0",
            ),
        };
    }
    if specific_output_error(typed.0).is_some() {
        let reason =
            "hookSpecificOutput is not an object, and the client throws an error when it reads the context".to_owned();
        return failing(scene, rules::DECIDE_CLIENT_FAILS, reason);
    }
    let context = if expansion { typed.expansion_context() } else { typed.context() };
    let does = match (&context, expansion) {
        (None, _) => default_action(&scene.input.event),
        (Some(_), true) => "the context is appended to the command's prompt, after a blank line",
        (Some(_), false) => "the prompt is sent with the context as a separate part",
    };
    Effect::quiet(rules::DECIDE_PROMPT, does).with_context(context)
}

fn stop(scene: &Scene, typed: TypedOutput<'_>) -> Effect {
    let of_agent = scene.input.event == "Stop";
    let message = typed.0.get("systemMessage").filter(|m| of_agent && truthy(m)).map(to_js_string);
    let effect = if typed.blocks() || typed.stops() {
        let cap = scene.loaded.agent_settings.get("stopHookBlockingCap").and_then(Value::as_u64);
        match cap.filter(|cap| u64::from(scene.memory.stops_blocked) + 1 >= *cap) {
            Some(cap) => Effect::quiet(
                rules::DECIDE_STOP_CAP,
                format!("the turn still ends: this is block number {cap} in a row, and the limit is {cap}"),
            ),
            None if of_agent => Effect::block(
                rules::DECIDE_STOP_BLOCKED,
                typed.effective_reason(),
                "the model",
                "the agent does not stop; it continues with the reason as the next user message",
            ),
            None => Effect::block(
                rules::DECIDE_STOP_BLOCKED,
                typed.effective_reason(),
                "the model",
                "the sub-agent does not stop; it continues with the reason as a message from its parent",
            ),
        }
    } else {
        Effect::quiet(rules::DECIDE_STOP_GOES_ON, default_action(&scene.input.event))
    };
    effect.with_message(message)
}

fn todo(scene: &Scene, typed: TypedOutput<'_>) -> Effect {
    let event = scene.input.event.as_str();
    if typed.decision() != Some("block") {
        let does = match typed.decision() {
            Some("deny") => "the to-do list is changed: `deny` is not `block`, and only `block` counts here",
            _ => default_action(event),
        };
        return Effect::quiet(rules::DECIDE_TODO, does);
    }
    if !is_validation(scene) {
        return Effect::quiet(
            rules::DECIDE_TODO_LATE,
            "the to-do list is already changed; hooks cannot block in this phase",
        );
    }
    let what = if event == "TodoCreated" { "creation" } else { "completion" };
    let reason = typed.0.get("reason").filter(|r| truthy(r)).map(to_js_string);
    let reason = reason.unwrap_or_else(|| format!("Hook blocked todo {what}"));
    Effect::block(
        rules::DECIDE_TODO_BLOCKED,
        reason,
        "the model",
        "the to-do list is not changed; the model gets the reason",
    )
}

fn subagent_start(scene: &Scene, typed: TypedOutput<'_>) -> Effect {
    let agent = scene.input.body.get("agent_type");
    let names = scene.loaded.agent_settings.get(CONTEXT_AGENTS).and_then(Value::as_array);
    let wants = agent.is_some_and(|agent| names.is_some_and(|names| names.contains(agent)));
    match typed.context() {
        Some(context) if wants => {
            let does = "the context replaces ${hook_context} in the sub-agent's prompt";
            Effect::quiet(rules::DECIDE_CONTEXT, does).with_context(Some(context))
        }
        Some(_) => Effect::quiet(
            rules::DECIDE_CONTEXT_DROPPED,
            "the sub-agent starts; the context is dropped, because its prompt has no ${hook_context}",
        ),
        None => Effect::quiet(rules::DECIDE_CONTEXT, default_action("SubagentStart")),
    }
}

fn notification(scene: &Scene, typed: TypedOutput<'_>) -> Effect {
    let idle = scene.input.body.get("notification_type").and_then(Value::as_str) == Some("idle_prompt");
    let mut effect = Effect::quiet(rules::DECIDE_NOTIFICATION, "the agent continues");
    if let Some(sequence) = typed.0.get("terminalSequence").filter(|s| idle && truthy(s)) {
        effect.extra.insert("terminalSequence".to_owned(), sequence.clone());
        "the agent continues and writes the sequence to the terminal".clone_into(&mut effect.summary);
    }
    effect
}
