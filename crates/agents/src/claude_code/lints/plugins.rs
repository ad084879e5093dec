//! HW305: an MCP server that comes from a plugin, under its short name. Its tools have the plugin in their names.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::claude_code::events;
use crate::claude_code::layer_reader::config_dir;
use crate::claude_code::plan::duplicate_key;
use crate::claude_code::skills::skill_files;
use crate::claude_code::version_behaviour::VersionBehaviour;
use hookbench_base::catalogue::catalogue;
use hookbench_base::config::read_settings;
use hookbench_base::diagnostic::{Code, Diagnostic, Fix, Severity};
use hookbench_base::dialects::{AgentContext, RuleContext};
use hookbench_base::hook::{HookDefinition, Subject};
use hookbench_base::matcher::server_tools_in;
use hookbench_base::text::quote_literal;

/// Reports a matcher for tools of a server that only a plugin brings.
pub fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let (text, span) = at.matcher()?;
    at.event.subject.filter(|key| *key == "tool_name")?;
    let tools = catalogue().agent(at.agent.dialect.id().as_str())?;
    let split = tools.mcp.split?;
    let named = server_tools_in(text, tools);
    let servers = named.iter().filter_map(|tool| tool.strip_prefix(tools.mcp.prefix())?.split_once(split));
    let mut servers = servers.filter(|(server, _)| !is_configured(&at.agent, server));
    let (server, tool, plugin) = servers.find_map(|(server, tool)| {
        let plugin = plugin_with(&at.agent, server)?;
        Some((server.to_owned(), tool.to_owned(), plugin))
    })?;
    let real = format!("plugin_{}_{}", in_names(&plugin), in_names(&server));
    let body = json!({"tool_name": tools.mcp.name(&real, &tool)});
    let subject = at.agent.dialect.subject(at.event, &body, at.agent.version);
    if at.agent.dialect.matches(at.event, at.definition.matcher.as_ref(), &subject, at.agent.version) != Some(false) {
        return None;
    }
    let says = format!(
        "the MCP server {server} comes from the plugin {plugin}, so its tools are called {} and this matcher matches none",
        tools.mcp.name(&real, "…")
    );
    let (short, long) = (tools.mcp.name(&server, ""), tools.mcp.name(&real, ""));
    let meant = text.replace(&short, &long);
    let found = Diagnostic::new(Code::HW305, says).at(span).with_help(format!("write {meant}"));
    Some(if meant == text { found } else { found.with_fix(Fix::proposal(span, quote_literal(&meant))) })
}

/// Whether the user or the project configures a server of this name.
fn is_configured(at: &AgentContext<'_>, server: &str) -> bool {
    let place = at.place;
    let own = read(at, &format!("{}/.mcp.json", place.project));
    let user = [format!("{}/.claude.json", place.home), format!("{}/.claude.json", config_dir(place))]
        .iter()
        .find_map(|path| read(at, path));
    let of_project = user.as_ref().and_then(|user| user.get("projects")?.get(&place.project));
    [own.as_ref(), user.as_ref(), of_project].into_iter().flatten().any(|file| has_server(file, server))
}

/// Returns the name of an enabled plugin that brings the server.
fn plugin_with(at: &AgentContext<'_>, server: &str) -> Option<String> {
    let plugins = at.loaded.agent_settings.get("plugins").and_then(Value::as_object)?;
    let mut enabled = plugins.iter().filter(|(_, plugin)| plugin.get("enabled") == Some(&Value::Bool(true)));
    enabled.find_map(|(key, plugin)| {
        let root = plugin.get("root")?.as_str()?;
        let files = [format!("{root}/.mcp.json"), format!("{root}/.claude-plugin/plugin.json")];
        let brings = files.iter().filter_map(|path| read(at, path)).any(|file| {
            // A plugin's file may list the servers without a key around them.
            has_server(&file, server)
                || file.get("mcpServers").is_none() && file.get(server).is_some_and(Value::is_object)
        });
        brings.then(|| key.split('@').next().unwrap_or(key).to_owned())
    })
}

fn has_server(file: &Value, server: &str) -> bool {
    let servers = file.get("mcpServers").and_then(Value::as_object);
    servers.is_some_and(|servers| servers.keys().any(|name| in_names(name) == server))
}

/// A name as the names of tools contain it.
fn in_names(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

fn read(at: &AgentContext<'_>, path: &str) -> Option<Value> {
    serde_json::from_slice(&at.files.read(path).ok()?).ok()
}

/// Reports the first guard of shell commands, if nothing guards those of the project's skills.
pub fn check_skill_commands(at: &AgentContext<'_>) -> Option<Diagnostic> {
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

/// Reports the copies of a hook in other files than the last one. Only a time limit that the copies do not share makes a difference.
pub fn check_copies(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let valid = || at.loaded.definitions.iter().filter(|one| one.is_valid());
    let last: HashMap<_, &HookDefinition> = valid().map(|one| (identity(one), one)).collect();
    let found = valid().filter_map(|one| {
        let file = |d: &HookDefinition| at.sources.path(d.provenance.span.source);
        let winner = last.get(&identity(one)).filter(|winner| file(winner) != file(one))?;
        let place = format!("{}:{}", winner.provenance.file, winner.provenance.line);
        let limit = if winner.timeout == one.timeout { "" } else { ", with its own timeout" };
        let says = format!("the same hook is in {place}; Claude Code runs only that copy{limit}");
        let found = Diagnostic::lowered(Code::HW115, Severity::Info, says).at(one.provenance.span);
        Some(found.with_help("delete one of the two"))
    });
    found.collect()
}

/// The event, the matcher, the agent or plugin that owns the hook, and the parts by which the agent recognizes equal hooks. A
/// hook of a subagent lives while it runs, so a copy elsewhere has a purpose.
fn identity(definition: &HookDefinition) -> (&str, String, Option<&str>, String) {
    let matcher = definition.matcher_text();
    let matcher = if matcher.is_empty() { "*".to_owned() } else { matcher };
    (&definition.event, matcher, definition.provenance.bundle.as_deref(), duplicate_key(definition))
}
