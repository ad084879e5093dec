//! PreToolUse (spec §10.1, §11): deny takes precedence over defer, ask and allow, in this order. The reason is
//! from the last deny, or from the first ask.

use serde_json::{Value, json};

use super::super::answer::Block;
use super::rewrite;
use super::{Said, Tally};
use hookbench_base::decide::Verdict;
use hookbench_base::dialects::Scene;

/// The current decision, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stands {
    Nothing,
    Allow,
    Ask,
    Defer,
    Deny,
}

/// Returns the decision that one answer asks for.
fn wish(said: &Said<'_>, headless: bool) -> (Stands, Option<Block>) {
    if let Some(block) = said.answer.block() {
        return (Stands::Deny, Some(block));
    }
    let stands = match said.answer.own("permissionDecision").and_then(Value::as_str) {
        Some("allow") => Stands::Allow,
        Some("ask") => Stands::Ask,
        // In an interactive session the agent ignores `defer` with a warning.
        Some("defer") if headless => Stands::Defer,
        None if said.answer.top_text("decision") == Some("approve") => Stands::Allow,
        Some(_) | None => Stands::Nothing,
    };
    (stands, None)
}

/// Combines the answers in the order in which the hooks ended.
pub fn fold(tally: &mut Tally, said: &[Said<'_>], scene: &Scene) {
    let mut stands = Stands::Nothing;
    let mut rewritten: Option<(Value, String)> = None;
    for one in said.iter().filter(|s| s.counts()) {
        let (wish, block) = wish(one, scene.headless);
        // The top-level reason applies only to a refusal.
        let reason = one.answer.own_text("permissionDecisionReason");
        match (wish, &block) {
            (Stands::Deny, Some(block)) => {
                tally.blocked_by(one, block);
                stands = Stands::Deny;
                if let Some(objection) = one.answer.objection.as_ref().filter(|o| !o.goes_on) {
                    tally.end_turn(Some(objection.reason.clone()));
                }
            }
            (Stands::Defer, _) if stands < Stands::Defer => {
                stands = Stands::Defer;
                tally.outcome.reason = None;
                tally.outcome.decided_by = vec![one.run.hook.clone()];
            }
            (Stands::Ask, _) if stands < Stands::Ask => {
                stands = Stands::Ask;
                tally.outcome.reason = reason.map(str::to_owned);
                tally.outcome.decided_by = vec![one.run.hook.clone()];
            }
            (Stands::Allow, _) if stands < Stands::Allow => {
                stands = Stands::Allow;
                tally.outcome.decided_by = vec![one.run.hook.clone()];
            }
            _ => {}
        }
        if let Some(input) = one.answer.own("updatedInput")
            && wish != Stands::Deny
            && (wish == Stands::Nothing || wish == stands)
        {
            rewritten = Some((input.clone(), one.run.hook.clone()));
        }
        tally.additional_context(one, scene);
        tally.system_message(one, scene);
        tally.stop(one);
    }
    settle(tally, stands, rewritten, scene);
}

fn settle(tally: &mut Tally, stands: Stands, rewritten: Option<(Value, String)>, scene: &Scene) {
    let what = thing(scene);
    let then = if tally.outcome.continues { "" } else { ", and the turn ends" };
    match stands {
        Stands::Deny => tally.does(format!("{what} does not run{then}"), Some("the model")),
        Stands::Defer => {
            tally.outcome.blocked = true;
            tally.parts.denied = true;
            let body = &scene.input.body;
            let field = |key: &str| body.get(key).cloned().unwrap_or(Value::Null);
            let call = json!({"id": field("tool_use_id"), "name": field("tool_name"), "input": field("tool_input")});
            tally.extra("deferred_tool_use", call);
            tally.does(format!("{what} is put off, and the process ends until it is resumed"), Some("nobody"));
        }
        Stands::Ask if scene.headless => {
            tally.outcome.blocked = true;
            tally.parts.denied = true;
            tally.does(format!("{what} does not run, because nobody can be asked{then}"), Some("the model"));
        }
        Stands::Ask => {
            tally.parts.decision = Some(Verdict::Ask);
            tally.does(format!("the user is asked whether {what} may run{then}"), Some("the user"));
        }
        Stands::Allow => {
            tally.parts.decision = Some(Verdict::Allow);
            let says = format!("{what} runs without a prompt, unless a permission rule stands against it{then}");
            tally.does(says, Some("nobody"));
        }
        Stands::Nothing => {
            let says = format!("{what} goes through the normal permission flow{then}");
            tally.does(says, (!tally.outcome.continues).then_some("the user"));
        }
    }
    if tally.outcome.blocked {
        return;
    }
    let Some((input, hook)) = rewritten else { return };
    let tool = scene.input.body.get("tool_name").and_then(Value::as_str).unwrap_or("");
    if let Some(wrong) = rewrite::wrong_input(tool, &input) {
        tally.outcome.blocked = true;
        tally.parts.denied = true;
        tally.outcome.reason =
            Some(format!("PreToolUse hook for {tool} returned updatedInput that failed schema validation: {wrong}"));
        tally.outcome.decided_by = vec![hook];
        tally.does(format!("{what} does not run: the new input does not fit the tool"), Some("the model"));
        return;
    }
    tally.outcome.updated_input = Some(input);
    let does = format!("{}, with the input that a hook has put in its place", tally.outcome.agent_does);
    let seen_by = tally.outcome.seen_by;
    tally.does(does, seen_by);
}

/// Names the command or tool call in a sentence.
pub fn thing(scene: &Scene) -> String {
    match scene.input.body.get("tool_name").and_then(Value::as_str) {
        Some("Bash" | "PowerShell") => "the command".to_owned(),
        Some(tool) => format!("the {tool} call"),
        None => "the tool call".to_owned(),
    }
}
