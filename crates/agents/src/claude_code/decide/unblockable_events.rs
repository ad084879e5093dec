//! Events that hooks cannot block (spec §10.3), but to which they can add information.

use serde_json::Value;

use super::{AnsweredRun, OutcomeBuilder, tool_call};
use crate::claude_code::events;
use hookbench_base::dialects::Scene;

/// Combines the answers in the order in which the hooks ended.
pub fn fold(tally: &mut OutcomeBuilder, said: &[AnsweredRun<'_>], scene: &Scene) {
    let event = scene.input.event.as_str();
    let honours = events::find(event).map_or(&[][..], |e| e.honoured_output);
    let texts =
        said.iter().filter(|s| s.is_awaited() && event == "SessionStart").filter_map(|s| s.answer.text.as_ref());
    // Plain texts come before every `additionalContext`, in whatever order the hooks ended.
    for text in texts {
        tally.add_context(text, "stdout", scene);
    }
    for one in said.iter().filter(|s| s.is_awaited()) {
        if honours.contains(&"/systemMessage") {
            tally.add_system_message(one, scene);
        }
        if honours.contains(&"/hookSpecificOutput/additionalContext") {
            tally.add_additional_context(one, scene);
        }
        for (field, key) in [
            ("initialUserMessage", "initial_user_message"),
            ("sessionTitle", "session_title"),
            ("watchPaths", "watch_paths"),
            ("reloadSkills", "reload_skills"),
            ("displayContent", "display_content"),
            ("retry", "retry"),
        ] {
            let pointer = format!("/hookSpecificOutput/{field}");
            if let Some(value) = one.answer.specific_output(field).filter(|_| honours.contains(&pointer.as_str())) {
                tally.set_extra(key, value.clone());
            }
        }
    }
    let does = match event {
        "MessageDisplay" if tally.outcome.extra.contains_key("display_content") => {
            "the text of the hook is shown instead of the model's".to_owned()
        }
        "PermissionDenied" if tally.outcome.extra.get("retry") == Some(&Value::Bool(true)) => {
            "the call stays denied, and the model learns that it may try again".to_owned()
        }
        _ => default_action(scene),
    };
    tally.set_action(does, None);
}

/// The agent's action if no hook influences the event.
pub fn default_action(scene: &Scene) -> String {
    match scene.input.event.as_str() {
        "PreToolUse" => format!("{} runs if Claude Code's permissions allow it", tool_call::describe_call(scene)),
        "PreSkillShellCommand" => "the command runs, and its output becomes a part of the prompt".to_owned(),
        "PermissionRequest" if scene.headless => {
            format!("{} is denied, because no user can be asked", tool_call::describe_call(scene))
        }
        "PermissionRequest" => format!("{} waits for the user's answer", tool_call::describe_call(scene)),
        "PermissionDenied" => format!("{} stays denied", tool_call::describe_call(scene)),
        "PostToolUse" | "PostToolUseFailure" => "the model gets the unchanged result".to_owned(),
        "PostToolBatch" => "the next request goes to the model".to_owned(),
        "UserPromptSubmit" | "UserPromptExpansion" => "the prompt goes to the model".to_owned(),
        "SessionStart" => "the session starts".to_owned(),
        "SessionEnd" => "the session ends".to_owned(),
        "Setup" => "the setup continues".to_owned(),
        "Stop" => "the turn ends".to_owned(),
        "StopFailure" => "the turn has ended with an error".to_owned(),
        "SubagentStart" => "the subagent starts".to_owned(),
        "SubagentStop" => "the subagent ends".to_owned(),
        "PreCompact" => "the conversation is compacted".to_owned(),
        "PreModelSwitch" => "the model is switched".to_owned(),
        "ConfigChange" => "the change is applied".to_owned(),
        "MessageDisplay" => "the unchanged text is shown".to_owned(),
        "TaskCreated" => "the task is created".to_owned(),
        "TaskCompleted" => "the task is marked as done".to_owned(),
        "TeammateIdle" => "the teammate becomes idle".to_owned(),
        "Elicitation" => "the user is asked the question of the MCP server".to_owned(),
        "WorktreeCreate" => "the agent creates the worktree itself".to_owned(),
        _ => "the agent continues as if there were no hooks".to_owned(),
    }
}

/// Combines the answers in the order in which the hooks ended.
pub fn fold_prompt(tally: &mut OutcomeBuilder, said: &[AnsweredRun<'_>], scene: &Scene) {
    let mut decided = false;
    for one in said.iter().filter(|s| s.is_awaited()) {
        tally.add_system_message(one, scene);
        if let Some(text) = &one.answer.text {
            tally.add_context(text, "stdout", scene);
        }
        tally.add_additional_context(one, scene);
        if let Some(title) = one.answer.specific_text("sessionTitle") {
            tally.set_extra("session_title", Value::from(title));
        }
        if decided {
            continue;
        }
        if let Some(block) = one.answer.block() {
            decided = true;
            tally.set_block(one, &block);
            if let Some(objection) = &one.answer.objection {
                tally.end_turn(Some(objection.reason.clone()));
            }
            let hidden = one
                .answer
                .specific_output("suppressOriginalPrompt")
                .or_else(|| one.answer.json.as_ref().and_then(|json| json.get("suppressOriginalPrompt")));
            if hidden == Some(&Value::Bool(true)) {
                tally.set_extra("suppress_original_prompt", Value::Bool(true));
            }
        }
        if one.answer.ends_turn() && (!decided || tally.outcome.decided_by.first() == Some(&one.run.hook)) {
            decided = true;
            tally.apply_stop(one);
            tally.outcome.blocked = true;
            tally.parts.denied = true;
            tally.outcome.decided_by = vec![one.run.hook.clone()];
            if tally.outcome.reason.is_none() {
                tally.outcome.reason.clone_from(&tally.outcome.stop_reason);
            }
        }
    }
    if decided {
        tally.drop_contexts();
        tally.set_action("the prompt is dropped; the model does not receive it", Some("the user"));
    } else {
        tally.set_action("the prompt goes to the model", None);
    }
}
