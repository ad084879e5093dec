//! PreToolUse (spec §10.1, §11): deny takes precedence over defer, ask and allow, in this order. The reason is
//! from the last deny, or from the first ask.

use serde_json::{Value, json};

use super::{AnsweredRun, OutcomeBuilder, tool_schema};
use crate::claude_code::answer::{BlockCause, BlockDecision, ForcedBlock, NO_REASON};
use crate::claude_code::lints::overriding_rule;
use crate::claude_code::plan;
use hookbench_base::decide::Verdict;
use hookbench_base::dialects::Scene;

/// The current decision, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ToolDecision {
    None,
    Allow,
    Ask,
    Defer,
    Deny,
}

/// Returns the decision that one answer asks for.
fn requested_decision(said: &AnsweredRun<'_>, headless: bool) -> (ToolDecision, Option<BlockDecision>) {
    if let Some(block) = said.answer.block() {
        return (ToolDecision::Deny, Some(block));
    }
    let stands = match said.answer.specific_output("permissionDecision").and_then(Value::as_str) {
        Some("allow") => ToolDecision::Allow,
        Some("ask") => ToolDecision::Ask,
        // In an interactive session the agent ignores `defer` with a warning.
        Some("defer") if headless => ToolDecision::Defer,
        None if said.answer.top_text("decision") == Some("approve") => ToolDecision::Allow,
        Some(_) | None => ToolDecision::None,
    };
    (stands, None)
}

/// Combines the answers in the order in which the hooks ended.
pub fn fold(tally: &mut OutcomeBuilder, said: &[AnsweredRun<'_>], scene: &Scene) {
    let is_monitor = scene.input.body.get("tool_name").and_then(Value::as_str) == Some("Monitor");
    let mut stands = ToolDecision::None;
    let mut rewritten: Option<(Value, String)> = None;
    for one in said.iter().filter(|s| s.is_awaited()) {
        let (wish, block) = requested_decision(one, scene.headless);
        // The top-level reason applies only to a refusal.
        let reason = one.answer.specific_text("permissionDecisionReason");
        match (wish, &block) {
            (ToolDecision::Deny, Some(block)) => {
                tally.set_block(one, block);
                if block.cause == BlockCause::Answer
                    && block.text == NO_REASON
                    && plan::sees_bash(one.definition, scene)
                {
                    tally.outcome.reason = Some("Hook PreToolUse:Monitor denied this tool".to_owned());
                }
                stands = ToolDecision::Deny;
                if let Some(objection) = one.answer.objection.as_ref().filter(|o| !o.turn_continues) {
                    tally.end_turn(Some(objection.reason.clone()));
                }
            }
            (ToolDecision::Defer, _) if stands < ToolDecision::Defer => {
                stands = ToolDecision::Defer;
                tally.outcome.reason = None;
                tally.outcome.decided_by = vec![one.run.hook.clone()];
            }
            // Of several hooks that ask about Monitor, the last one counts (2.1.332).
            (ToolDecision::Ask, _) if stands < ToolDecision::Ask || is_monitor && stands == ToolDecision::Ask => {
                stands = ToolDecision::Ask;
                tally.outcome.reason = reason.map(str::to_owned);
                tally.outcome.decided_by = vec![one.run.hook.clone()];
            }
            (ToolDecision::Allow, _) if stands < ToolDecision::Allow => {
                stands = ToolDecision::Allow;
                tally.outcome.decided_by = vec![one.run.hook.clone()];
            }
            _ => {}
        }
        if let Some(input) = one.answer.specific_output("updatedInput")
            && wish != ToolDecision::Deny
            && (wish == ToolDecision::None || wish == stands)
            && !plan::sees_bash(one.definition, scene)
        {
            rewritten = Some((input.clone(), one.run.hook.clone()));
        }
        tally.add_additional_context(one, scene);
        tally.add_system_message(one, scene);
        tally.apply_stop(one);
    }
    apply_decision(tally, stands, rewritten, scene);
}

fn apply_decision(tally: &mut OutcomeBuilder, stands: ToolDecision, rewritten: Option<(Value, String)>, scene: &Scene) {
    let what = describe_call(scene);
    let then = if tally.outcome.continues { "" } else { ", and the turn ends" };
    let asking =
        (stands == ToolDecision::Allow).then(|| overriding_rule(scene)).flatten().filter(|rule| rule.list == "ask");
    match if asking.is_some() { ToolDecision::Ask } else { stands } {
        ToolDecision::Deny => tally.set_action(format!("{what} does not run{then}"), Some("the model")),
        ToolDecision::Defer => {
            tally.outcome.blocked = true;
            tally.parts.denied = true;
            let body = &scene.input.body;
            let field = |key: &str| body.get(key).cloned().unwrap_or(Value::Null);
            let call = json!({"id": field("tool_use_id"), "name": field("tool_name"), "input": field("tool_input")});
            tally.set_extra("deferred_tool_use", call);
            tally.set_action(
                format!("{what} is deferred, and the process ends until the session is resumed"),
                Some("nobody"),
            );
        }
        ToolDecision::Ask if scene.headless => {
            tally.outcome.blocked = true;
            tally.parts.denied = true;
            // The call is refused as by a permission rule, and then `continue: false` does not end the turn.
            tally.outcome.continues = true;
            tally.outcome.stop_reason = None;
            tally.set_action(format!("{what} does not run, because no user can be asked"), Some("the model"));
        }
        ToolDecision::Ask => {
            tally.parts.decision = Some(Verdict::Ask);
            tally.set_action(format!("the user is asked whether {what} may run{then}"), Some("the user"));
        }
        ToolDecision::Allow => {
            tally.parts.decision = Some(Verdict::Allow);
            let says = format!("{what} runs without a prompt, unless a permission rule forbids it{then}");
            tally.set_action(says, Some("nobody"));
        }
        ToolDecision::None => {
            let says = format!("{what} runs if Claude Code's permissions allow it{then}");
            tally.set_action(says, (!tally.outcome.continues).then_some("the user"));
        }
    }
    if let Some(rule) = &asking {
        let does = format!("{}; the rule `{}` takes precedence over the hook", tally.outcome.agent_does, rule.text);
        let seen_by = tally.outcome.seen_by;
        tally.set_action(does, seen_by);
    }
    if tally.outcome.blocked {
        return;
    }
    let Some((input, hook)) = rewritten else { return };
    let tool = scene.input.body.get("tool_name").and_then(Value::as_str).unwrap_or("");
    if let Some(wrong) = tool_schema::input_error(tool, &input) {
        tally.outcome.blocked = true;
        tally.parts.denied = true;
        tally.outcome.reason =
            Some(format!("PreToolUse hook for {tool} returned updatedInput that failed schema validation: {wrong}"));
        tally.outcome.decided_by = vec![hook];
        tally.set_action(format!("{what} does not run: the new input does not fit the tool"), Some("the model"));
        return;
    }
    tally.outcome.updated_input = Some(input);
    let does = format!("{}, with the input of a hook", tally.outcome.agent_does);
    let seen_by = tally.outcome.seen_by;
    tally.set_action(does, seen_by);
}

/// Names the command or tool call in a sentence.
pub fn describe_call(scene: &Scene) -> String {
    match scene.input.body.get("tool_name").and_then(Value::as_str) {
        Some("Bash" | "PowerShell") => "the command".to_owned(),
        Some(tool) => format!("the {tool} call"),
        None => "the tool call".to_owned(),
    }
}

/// Combines the answers in the order in which the hooks ended.
pub fn fold_permission_request(tally: &mut OutcomeBuilder, said: &[AnsweredRun<'_>], scene: &Scene) {
    let what = describe_call(scene);
    let open = if scene.headless { "is denied, because no user can be asked" } else { "waits for the user's answer" };
    tally.set_action(format!("{what} {open}"), None);
    let mut decided = false;
    for one in said.iter().filter(|s| s.is_awaited()) {
        tally.add_system_message(one, scene);
        if matches!(one.answer.forced_block, Some(ForcedBlock::Exit2(_))) {
            // The hook meant to block, but exit status 2 has no effect here.
            tally.parts.failed = true;
        }
        if decided {
            continue;
        }
        decided = decide(tally, one, &what, scene);
    }
}

fn decide(tally: &mut OutcomeBuilder, one: &AnsweredRun<'_>, what: &str, scene: &Scene) -> bool {
    if let Some(ForcedBlock::OnFailure(text)) = &one.answer.forced_block {
        tally.set_block(one, &BlockDecision { cause: BlockCause::OnFailure, text: text.clone() });
        tally.set_action(format!("{what} does not run"), Some("the model"));
        return true;
    }
    let Some(decision) = one.answer.specific_output("decision") else { return false };
    match decision.get("behavior").and_then(Value::as_str) {
        // A hook that sees a call of Monitor as one of Bash can only deny it (2.1.332).
        Some("allow") if plan::sees_bash(one.definition, scene) => false,
        Some("allow") => {
            let tool = scene.input.body.get("tool_name").and_then(Value::as_str).unwrap_or("");
            // The agent ignores an empty rewrite.
            let rewritten =
                decision.get("updatedInput").filter(|input| input.as_object().is_some_and(|o| !o.is_empty()));
            if let Some(wrong) = rewritten.and_then(|input| tool_schema::input_error(tool, input)) {
                let text = format!(
                    "PermissionRequest hook for {tool} returned updatedInput that failed schema validation: {wrong}"
                );
                tally.set_block(one, &BlockDecision { cause: BlockCause::Answer, text });
                tally
                    .set_action(format!("{what} does not run: the new input does not fit the tool"), Some("the model"));
                return true;
            }
            tally.parts.decision = Some(Verdict::Allow);
            tally.outcome.decided_by = vec![one.run.hook.clone()];
            tally.outcome.updated_input = rewritten.cloned();
            if let Some(permissions) = decision.get("updatedPermissions") {
                tally.set_extra("updated_permissions", permissions.clone());
            }
            tally.set_action(format!("{what} runs, as if the user had allowed it"), Some("nobody"));
            true
        }
        Some("deny") => {
            let message = decision.get("message").and_then(Value::as_str).filter(|m| !m.is_empty());
            let text = message.unwrap_or("Permission denied by hook").to_owned();
            tally.set_block(one, &BlockDecision { cause: BlockCause::Answer, text });
            let interrupts = decision.get("interrupt") == Some(&Value::Bool(true));
            if interrupts {
                tally.set_extra("interrupt", Value::Bool(true));
            }
            let end = if interrupts { ", and the run ends with an error" } else { "" };
            tally.set_action(format!("{what} does not run{end}"), Some("the model"));
            true
        }
        _ => false,
    }
}
