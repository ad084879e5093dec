//! The hooks of skills and slash commands. They run for the rest of the session once the Skill tool has loaded it, or once
//! it was typed. Measured on 2.1.332.

use serde_json::Value;

use super::rules;
use hookbench_base::dialects::{Scene, SessionState};
use hookbench_base::hook::{HookDefinition, HookInput, Layer};
use hookbench_base::plan::Reason;

/// Whether the hooks of a skill run in a session.
pub enum SkillReach {
    Yes,
    No(Reason),
    Unknown(Reason),
}

/// Whether a definition is not one of a skill, or one of a skill that is loaded.
pub fn reach(definition: &HookDefinition, scene: &Scene) -> SkillReach {
    let bundle = definition.provenance.bundle.as_deref().unwrap_or("");
    let own = bundle.strip_prefix("skill ").filter(|_| definition.provenance.layer == Layer::Session);
    let Some(own) = own else { return SkillReach::Yes };
    let no = |says: String| SkillReach::No(Reason::new(rules::SKILL_NOT_INVOKED, says));
    if scene.input.body.get("agent_id").is_some() {
        return no(format!("hooks of the {bundle} do not run for a sub-agent"));
    }
    let path = scene.loaded.sources.path(definition.provenance.span.source);
    let is_named = |name: &str| name == own && !path.contains("/commands/") || name == name_in_path(path);
    let memory = &scene.memory;
    // The call of the Skill tool loads it before its own PostToolUse; a typed command is loaded after its own shell
    // commands have run.
    let by_this_call =
        used_skill(&scene.input).is_some_and(|name| scene.input.event == "PostToolUse" && is_named(name));
    let before = memory.loading_skill.iter().filter(|_| scene.input.event != "PreSkillShellCommand");
    if by_this_call || memory.loaded_skills.iter().chain(before).any(|name| is_named(name)) {
        return SkillReach::Yes;
    }
    let says = format!("hooks of the {bundle} run only after it was used in the session");
    if memory.is_known {
        return no(says);
    }
    let says = format!("{says}, and hookbench does not know the earlier events; fire them with `--session`");
    SkillReach::Unknown(Reason::new(rules::SKILL_NOT_INVOKED, says))
}

/// The name by which a file is called: the directory of a skill, or the path of a command with colons.
fn name_in_path(path: &str) -> String {
    if let Some((_, command)) = path.rsplit_once("/commands/") {
        return command.strip_suffix(".md").unwrap_or(command).replace('/', ":");
    }
    let mut parts = path.rsplit('/').skip(1);
    parts.next().unwrap_or(path).to_owned()
}

/// The skill or command that a call of the Skill tool uses.
fn used_skill(input: &HookInput) -> Option<&str> {
    let is_skill = input.body.get("tool_name").and_then(Value::as_str) == Some("Skill");
    let name = input.body.get("tool_input")?.get("skill")?.as_str().filter(|_| is_skill)?;
    Some(name.strip_prefix('/').unwrap_or(name))
}

/// Updates the session after an event.
pub fn remember(state: &mut SessionState, input: &HookInput, blocked: bool) {
    let text = |key: &str| input.body.get(key).and_then(Value::as_str);
    if input.body.get("agent_id").is_some() || input.event == "PreSkillShellCommand" {
        return;
    }
    match (input.event.as_str(), used_skill(input)) {
        ("UserPromptExpansion", _) => match text("command_name").filter(|_| !blocked) {
            Some(name) => state.begin_skill(name),
            None => state.forget_skill(),
        },
        ("UserPromptSubmit", _) => {
            state.finish_skill();
            let typed = text("prompt").and_then(|prompt| prompt.strip_prefix('/'));
            if let Some(name) = typed.and_then(|typed| typed.split_whitespace().next()).filter(|_| !blocked) {
                state.begin_skill(name);
            }
        }
        ("PostToolUse", Some(name)) => {
            state.begin_skill(name);
            state.finish_skill();
        }
        _ => state.finish_skill(),
    }
}
