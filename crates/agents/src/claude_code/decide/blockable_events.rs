//! Events that a hook can block, without a decision of a special form: tasks, compaction, model switches,
//! settings, worktrees and requests of MCP servers (spec §10.3).

use serde_json::Value;

use super::super::answer::{BlockCause, BlockDecision, NO_REASON, NO_STDERR};
use super::{AnsweredRun, OutcomeBuilder};
use crate::shared::javascript::trim;
use hookbench_base::decide::Verdict;
use hookbench_base::dialects::Scene;

/// Combines the answers in the order in which the hooks ended.
pub fn fold(tally: &mut OutcomeBuilder, said: &[AnsweredRun<'_>], scene: &Scene) {
    let event = scene.input.event.as_str();
    for one in said.iter().filter(|s| s.is_awaited()) {
        tally.add_system_message(one, scene);
        if matches!(event, "TaskCompleted" | "TeammateIdle") {
            tally.apply_stop(one);
        }
        match event {
            "WorktreeCreate" => worktree_create(tally, one),
            "Elicitation" | "ElicitationResult" => elicitation(tally, one),
            "PreModelSwitch" => model_switch(tally, one, scene),
            "ConfigChange" if scene.input.body.get("source").and_then(Value::as_str) == Some("policy_settings") => {}
            "TeammateIdle" => teammate_idle(tally, one),
            "PreCompact" => {
                if let Some(block) = one.answer.block() {
                    compaction(tally, one, &block);
                }
            }
            "TaskCreated" | "TaskCompleted" => {
                if let Some(block) = one.answer.block() {
                    tally.add_block(one, &block, &format!("\n{event} hook feedback:\n"));
                }
            }
            _ => {
                if let Some(block) = one.answer.block() {
                    tally.set_block(one, &block);
                }
            }
        }
    }
    set_action(tally, scene);
}

/// Blocks a compaction. The message names the command even if the reason is from JSON; without a reason it is only
/// the command. Blanks and line breaks around the reason are removed. Messages of several hooks are joined by line
/// breaks.
fn compaction(tally: &mut OutcomeBuilder, one: &AnsweredRun<'_>, block: &BlockDecision) {
    let command = &one.answer.command;
    let stderr = one.run.report.stderr.text();
    let reason = match block.cause {
        BlockCause::Answer if one.answer.objection.is_none() => one.answer.top_text("reason").unwrap_or(""),
        // Unlike elsewhere, a plugin's hook is not named after its stderr (2.1.332).
        BlockCause::Exit2 => &*stderr,
        _ => block.text.strip_suffix(NO_STDERR).unwrap_or(&block.text),
    };
    let text = match (trim(reason), block.cause) {
        ("", _) => format!("[{command}]"),
        (reason, BlockCause::OnFailure) => reason.to_owned(),
        (reason, _) if one.answer.objection.is_some() => reason.to_owned(),
        (reason, _) => format!("[{command}]: {reason}"),
    };
    tally.add_block(one, &BlockDecision { cause: block.cause, text }, "\n");
}

fn teammate_idle(tally: &mut OutcomeBuilder, one: &AnsweredRun<'_>) {
    match &one.answer.objection {
        // Without `continueOnBlock` the teammate stops.
        Some(objection) if !objection.turn_continues => tally.end_turn(Some(objection.reason.clone())),
        _ => {
            if let Some(block) = one.answer.block() {
                tally.set_block(one, &block);
            }
        }
    }
}

/// Decides a model switch. Deny, block, exit 2 and a timeout cancel the switch, and so does `ask` in headless
/// mode.
fn model_switch(tally: &mut OutcomeBuilder, one: &AnsweredRun<'_>, scene: &Scene) {
    if let Some(block) = one.answer.block() {
        tally.set_block(one, &block);
        return;
    }
    if one.answer.timed_out {
        tally.set_block(
            one,
            &BlockDecision { cause: BlockCause::OnFailure, text: format!("[{}]: timed out", one.answer.command) },
        );
        return;
    }
    let reason = one.answer.specific_text("permissionDecisionReason").or_else(|| one.answer.top_text("reason"));
    match one.answer.specific_output("permissionDecision").and_then(Value::as_str) {
        Some("ask") if scene.headless => {
            let text = reason.unwrap_or(NO_REASON).to_owned();
            tally.set_block(one, &BlockDecision { cause: BlockCause::Answer, text });
        }
        Some("ask") if !tally.outcome.blocked && tally.parts.decision != Some(Verdict::Ask) => {
            tally.parts.decision = Some(Verdict::Ask);
            tally.outcome.reason = reason.map(str::to_owned);
            tally.outcome.decided_by = vec![one.run.hook.clone()];
        }
        Some("allow") if !tally.outcome.blocked && tally.parts.decision.is_none() => {
            tally.parts.decision = Some(Verdict::Allow);
            tally.outcome.decided_by = vec![one.run.hook.clone()];
        }
        _ => {}
    }
}

/// Decides a worktree creation. Any status except 0 is a failure. Otherwise the last line of stdout that is not
/// empty must be the path of a directory. An http hook returns the path in its answer.
fn worktree_create(tally: &mut OutcomeBuilder, one: &AnsweredRun<'_>) {
    let status = one.run.report.exit.code();
    let line = one.answer.text.as_deref().and_then(|text| text.lines().rev().map(str::trim).find(|l| !l.is_empty()));
    let named = match status {
        Some(_) => line,
        None => one.answer.specific_text("worktreePath").or(line),
    };
    let wrong = match (&one.answer.failure, named) {
        (Some(failure), _) => Some(failure.clone()),
        (None, _) if status.is_some_and(|code| code != 0) => Some("the hook failed".to_owned()),
        (None, None) => Some("the hook printed no directory".to_owned()),
        (None, Some(path)) if one.run.report.named_directory == Some(false) => {
            Some(format!("{path} is not a directory"))
        }
        (None, Some(_)) => None,
    };
    if let Some(wrong) = wrong {
        let block = one.answer.block().unwrap_or(BlockDecision { cause: BlockCause::OnFailure, text: wrong });
        tally.set_block(one, &block);
        return;
    }
    if let Some(path) = named {
        tally.set_extra("worktree_path", Value::from(path));
        tally.outcome.decided_by = vec![one.run.hook.clone()];
    }
}

/// Decides an MCP server's request. A hook can answer for the user; exit 2 declines.
fn elicitation(tally: &mut OutcomeBuilder, one: &AnsweredRun<'_>) {
    if let Some(block) = one.answer.block() {
        tally.set_block(one, &block);
        return;
    }
    if let Some(action) = one.answer.specific_output("action") {
        tally.set_extra("action", action.clone());
        if let Some(content) = one.answer.specific_output("content") {
            tally.set_extra("content", content.clone());
        }
        tally.outcome.decided_by = vec![one.run.hook.clone()];
    }
}

fn set_action(tally: &mut OutcomeBuilder, scene: &Scene) {
    let blocked = tally.outcome.blocked;
    let answered = tally.outcome.extra.contains_key("action");
    let asks = tally.parts.decision == Some(Verdict::Ask);
    let (does, seen_by) = match (scene.input.event.as_str(), blocked) {
        ("TaskCreated", true) => ("the task is deleted", Some("the model")),
        ("TaskCreated", false) => ("the task is created", None),
        ("TaskCompleted", true) => ("the task stays open", Some("the model")),
        ("TaskCompleted", false) => ("the task is marked as done", None),
        ("TeammateIdle", true) => ("the teammate keeps working", Some("the model")),
        ("TeammateIdle", false) => ("the teammate becomes idle", None),
        ("PreCompact", true) => ("the conversation is not compacted", Some("the user")),
        ("PreCompact", false) => ("the conversation is compacted", None),
        ("PreModelSwitch", true) => ("the model is not switched", Some("the user")),
        ("PreModelSwitch", false) if asks => ("the user is asked whether the model may be switched", Some("the user")),
        ("PreModelSwitch", false) => ("the model is switched", None),
        ("ConfigChange", true) => ("the change is not applied", Some("nobody")),
        ("ConfigChange", false) => ("the change is applied", None),
        ("WorktreeCreate", true) => ("the worktree is not created", Some("the user")),
        ("WorktreeCreate", false) => ("the agent works in the directory that the hook printed", None),
        ("Elicitation", true) => ("the request of the MCP server is declined", Some("the user")),
        ("Elicitation", false) if answered => ("the MCP server gets the hook's answer; the user is not asked", None),
        ("Elicitation", false) => ("the user is asked the question of the MCP server", None),
        (_, true) => ("the MCP server gets a denial", Some("the user")),
        (_, false) if answered => ("the MCP server gets the hook's answer instead of the user's", None),
        (_, false) => ("the MCP server gets the user's answer", None),
    };
    let does = if tally.outcome.continues { does.to_owned() } else { format!("{does}, and the teammate stops") };
    tally.set_action(does, seen_by);
}
