//! HW305: an MCP server that comes from a plugin, under its short name. Its tools have the plugin in their names.

use serde_json::{Value, json};

use super::super::layer_reader::config_dir;
use hookbench_base::catalogue::catalogue;
use hookbench_base::diagnostic::{Code, Diagnostic, Fix};
use hookbench_base::dialects::{AgentContext, RuleContext};
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
