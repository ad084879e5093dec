//! The effect of an event's merged output in the agent's client (spec §7).

use crate::gemini_cli::rules;
use serde_json::{Value, json};

use super::super::model_request::rewrite;
use super::super::tools;
use crate::gemini_cli::answer::{TypedOutput, has_parts, is_convertible};
use crate::kernel::effect::Effect;
use hookbench_base::decide::Verdict;
use hookbench_base::dialects::Scene;

/// A stop of the turn.
fn stop(reason: String, summary: impl Into<String>) -> Effect {
    let stop_reason = Some(reason.clone());
    Effect { ends_turn: true, stop_reason, ..Effect::block(rules::DECIDE_STOP, reason, "the user", summary) }
}

/// Returns what happens if no hook decides anything.
pub fn default_action(event: &str) -> &'static str {
    match event {
        "SessionStart" => "the session starts",
        "BeforeAgent" => "the prompt is sent to the model",
        "BeforeModel" => "the model is called with the unchanged request",
        "BeforeToolSelection" => "the model is offered all tools",
        "AfterModel" => "this piece of the answer is shown unchanged",
        "BeforeTool" => "the tool call continues: the agent's own rules decide whether the user is asked",
        "AfterTool" => "the model gets the unchanged tool result",
        "AfterAgent" => "the turn ends",
        "Notification" => "the user is asked for permission",
        "PreCompress" => "the agent checks whether the chat must be compressed",
        "SessionEnd" => "the session ends",
        _ => "the agent continues",
    }
}

/// Returns the effect if the agent throws while it handles the firing.
pub fn thrown(scene: &Scene) -> Effect {
    let does =
        format!("{}; every answer is lost, because the agent throws an error", default_action(&scene.input.event));
    Effect::quiet(rules::DECIDE_THROWN, does)
}

/// Returns what the client does with a merged output; `None` if no hook has answered.
pub fn effect(scene: &Scene, merged: Option<&Value>) -> Effect {
    let event = scene.input.event.as_str();
    let Some(output) = merged else { return Effect::quiet(rules::DECIDE_SILENT, default_action(event)) };
    let typed = TypedOutput(output);
    match event {
        "BeforeTool" => before_tool(scene, typed),
        "AfterTool" => after_tool(typed),
        "BeforeAgent" => before_agent(typed),
        "AfterAgent" => after_agent(typed),
        "BeforeModel" => before_model(scene, typed),
        "AfterModel" => after_model(typed),
        "BeforeToolSelection" => {
            let config = typed.specific_output("toolConfig").cloned();
            let mode = config.as_ref().and_then(|c| c.get("mode")).and_then(Value::as_str).unwrap_or("AUTO");
            let does = match mode {
                "NONE" => "the model cannot call a tool",
                "ANY" => "the model must call one of the named tools",
                _ => "the model may call tools; the request's own choice of tools is replaced",
            };
            Effect::quiet(rules::DECIDE_TOOLS, does).with("tool_config", config)
        }
        "SessionStart" => {
            let context = typed.context();
            let does =
                if context.is_some() { "the context is placed before the first prompt" } else { default_action(event) };
            Effect::quiet(rules::DECIDE_CONTEXT, does).with_context(context)
        }
        _ => Effect::quiet(rules::DECIDE_UNREAD, default_action(event)),
    }
}

fn before_tool(scene: &Scene, typed: TypedOutput<'_>) -> Effect {
    if typed.stops() {
        let does = "the tool does not run, and the turn ends; the model receives nothing more";
        return stop(typed.effective_reason(), does);
    }
    if typed.blocks() {
        let does = "the tool does not run; the model gets the reason as the error of the call, and the turn continues";
        return Effect::block(rules::DECIDE_DENY, typed.effective_reason(), "the model", does);
    }
    let input = typed.tool_input().cloned();
    let tool = scene.input.body.get("tool_name").and_then(Value::as_str).unwrap_or("");
    if let Some(missing) = input.as_ref().and_then(|input| tools::missing_key(tool, input)) {
        let reason = format!(
            "Tool parameter modification by hook failed validation: params must have required property '{missing}'"
        );
        let does = "the tool rejects the arguments of a hook; the model gets this as the error of the call";
        return Effect { failed_closed: true, ..Effect::block(rules::DECIDE_INPUT_REFUSED, reason, "the model", does) };
    }
    let rewritten = if input.is_some() { ", with the arguments of a hook" } else { "" };
    if typed.asks() {
        let does = if scene.headless {
            format!("a confirmation is required; without a user, the agent waits for one{rewritten}")
        } else {
            format!("the user is asked in a dialog, even in yolo mode, and decides{rewritten}")
        };
        let seen_by = Some("the user");
        return Effect {
            decision: Some(Verdict::Ask),
            updated_input: input,
            seen_by,
            ..Effect::quiet(rules::DECIDE_ASK, does)
        };
    }
    let does = match input {
        Some(_) => format!("the tool call continues{rewritten}; the model learns that they were changed"),
        None => default_action("BeforeTool").to_owned(),
    };
    Effect { updated_input: input, ..Effect::quiet(rules::DECIDE_PROCEED, does) }
}

fn after_tool(typed: TypedOutput<'_>) -> Effect {
    if typed.stops() {
        return stop(
            typed.effective_reason(),
            "the tool has run; the model does not get its result, and the turn ends",
        );
    }
    if typed.blocks() {
        let does = "the tool has run; the model gets the reason instead of its result, and the turn continues";
        return Effect::block(rules::DECIDE_RESULT_REPLACED, typed.effective_reason(), "the model", does);
    }
    let (context, tail) = (typed.context(), typed.tail_call().cloned());
    let does = match (&tail, &context) {
        (Some(_), _) => "another tool runs, and its result replaces this one",
        (None, Some(_)) => "the context is appended to the tool result",
        (None, None) => default_action("AfterTool"),
    };
    Effect::quiet(rules::DECIDE_RESULT, does).with_context(context).with("tail_tool_call_request", tail)
}

fn before_agent(typed: TypedOutput<'_>) -> Effect {
    if typed.stops() {
        return stop(typed.effective_reason(), "the turn ends; the prompt is not sent but stays in the chat");
    }
    if typed.blocks() {
        let does = "the turn ends, and the prompt is dropped";
        return Effect::block(rules::DECIDE_PROMPT_BLOCKED, typed.effective_reason(), "the user", does);
    }
    let context = typed.context();
    let does = if context.is_some() {
        "the prompt is sent with the context as a separate part"
    } else {
        default_action("BeforeAgent")
    };
    Effect::quiet(rules::DECIDE_PROMPT, does).with_context(context)
}

fn after_agent(typed: TypedOutput<'_>) -> Effect {
    let clear = typed.clears_context().then_some(Value::Bool(true));
    let and = if clear.is_some() { ", and the chat is reset" } else { "" };
    if typed.stops() {
        let reason = typed.effective_reason();
        let stop = stop(reason, format!("the turn ends at once{and}"));
        return Effect { blocked: false, ..stop }.with("clear_context", clear);
    }
    if typed.blocks() {
        let does = format!("the turn continues with the reason as a new prompt{and}");
        let effect = Effect::block(rules::DECIDE_RETRY, typed.effective_reason(), "the model", does);
        return effect.with("clear_context", clear);
    }
    Effect::quiet(rules::DECIDE_TURN_ENDS, default_action("AfterAgent"))
}

fn before_model(scene: &Scene, typed: TypedOutput<'_>) -> Effect {
    if typed.stops() {
        return stop(typed.effective_reason(), "the model is not called, and the turn ends");
    }
    let response = typed.specific_output("llm_response").filter(|r| hookbench_base::text::truthy(r)).cloned();
    if typed.blocks() {
        if response.as_ref().is_some_and(|r| !is_convertible(r)) {
            let does = "the model is still called: the client throws an error on an llm_response of another shape";
            return Effect::quiet(rules::DECIDE_CLIENT_FAILS, does);
        }
        let does = match response {
            Some(_) => "the model is not called; the hook's text is used as its answer",
            None => "the model is not called; the user is shown a warning",
        };
        let effect = Effect::block(rules::DECIDE_MODEL_BLOCKED, typed.effective_reason(), "the user", does);
        return effect.with("llm_response", response);
    }
    let base = scene.input.body.get("llm_request").cloned().unwrap_or_else(|| json!({}));
    let written = typed.specific_output("llm_request").filter(|r| hookbench_base::text::truthy(r));
    let request = written.and_then(|written| rewrite(&base, written));
    let does =
        if request.is_some() { "the model is called with another request" } else { default_action("BeforeModel") };
    Effect::quiet(rules::DECIDE_REQUEST, does).with("llm_request", request)
}

fn after_model(typed: TypedOutput<'_>) -> Effect {
    if typed.stops() {
        return stop(typed.effective_reason(), "the turn ends in the middle of the answer");
    }
    if typed.blocks() {
        let does = "this piece is still shown; then the answer is cut off with a warning";
        return Effect::block(rules::DECIDE_ANSWER_CUT, typed.effective_reason(), "the user", does);
    }
    let response = typed.specific_output("llm_response").filter(|r| has_parts(r) && is_convertible(r)).cloned();
    let does = match response {
        Some(_) => "the hook's text is shown instead of this piece; tool calls in the piece are lost",
        None => default_action("AfterModel"),
    };
    Effect::quiet(rules::DECIDE_ANSWER, does).with("llm_response", response)
}
