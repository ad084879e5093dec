//! HW813: shell commands in skills that no guard sees, because no PreToolUse fires for them.

use super::super::events;
use super::super::front_matter::skill_files;
use super::super::version_behaviour::VersionBehaviour;
use hookbench_base::config::read_settings;
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::AgentContext;
use hookbench_base::hook::{HookDefinition, Subject};

/// Reports the first guard of shell commands, if nothing guards those of the project's skills.
pub fn check(at: &AgentContext<'_>) -> Option<Diagnostic> {
    if !VersionBehaviour::for_version(at.version).has_skill_commands
        || runs_for(at, "PreSkillShellCommand").next().is_some()
    {
        return None;
    }
    // A hook of every tool is more often a log than a guard.
    let names_tools = |one: &&HookDefinition| !matches(at, one, "SomeOtherTool");
    let guard = runs_for(at, "PreToolUse").find(names_tools)?;
    let root = format!("{}/.claude", at.place.project);
    let skill = skill_files(at.files, &root).into_iter().find(|path| has_shell_commands(at, path))?;
    let skill = at.place.display_path(&skill);
    let message = format!("this hook does not see the shell commands in {skill}: no PreToolUse fires for them");
    let help = "add the hook under PreSkillShellCommand, too";
    Some(Diagnostic::new(Code::HW813, message).at(guard.provenance.span).with_help(help))
}

/// The hooks of an event that run for the shell.
fn runs_for<'a>(at: &'a AgentContext<'_>, event: &'a str) -> impl Iterator<Item = &'a HookDefinition> {
    let of_event = at.loaded.definitions.iter().filter(move |one| one.event == event && one.is_valid());
    of_event.filter(|one| matches(at, one, "Bash"))
}

fn matches(at: &AgentContext<'_>, definition: &HookDefinition, tool: &str) -> bool {
    let subject = Subject { value: Some(tool.to_owned()), aliases: Vec::new() };
    let event = events::find(&definition.event);
    event
        .is_some_and(|event| at.dialect.matches(event, definition.matcher.as_ref(), &subject, at.version) == Some(true))
}

/// Whether a skill or slash command has shell commands: in backticks after `!`, or in a block of them.
fn has_shell_commands(at: &AgentContext<'_>, path: &str) -> bool {
    let text = read_settings(at.files, path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.contains("!`") || text.contains("```!")
}
