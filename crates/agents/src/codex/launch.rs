//! How Codex runs a definition (spec §5.1).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::setting_keys::{MCP_SERVERS, SHELL};
use crate::shared::words::expand_braced;
use hookbench_base::config::{Files, Os, Place};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{CommandHandler, Handler, HookDefinition, McpToolHandler};
use hookbench_base::run::{EnvChange, FinishCondition, HookVariable, KillSpec, Launch, ProcessSpec, Question};

/// Codex keeps the whole stream; no hook should print more than this.
const MAX_OUTPUT: usize = 64 << 20;

/// Returns how to run a definition on this event.
pub fn launch(definition: &HookDefinition, scene: &Scene) -> Launch {
    match &definition.handler {
        Handler::Command(command) => Launch::Process(process(definition, command, scene)),
        Handler::McpTool(tool) => mcp_tool(tool, scene),
        other => Launch::Refused(format!("{} hooks are not supported yet", other.kind())),
    }
}

fn process(definition: &HookDefinition, handler: &CommandHandler, scene: &Scene) -> ProcessSpec {
    let place = &scene.place;
    let shell = scene.loaded.agent_settings.get(SHELL).and_then(Value::as_str).unwrap_or("/bin/bash").to_owned();
    let flag = if place.os == Os::Windows { "/C" } else { "-c" };
    // Codex passes its environment on unchanged.
    let of_files = scene.loaded.variables.iter().map(|(name, one)| HookVariable::of_file(name, one));
    let home = place.home_given.then(|| HookVariable::of_user("HOME", &place.home));
    // Paths of the plugin.
    let own = handler.env.iter().map(|(name, value)| HookVariable::of_agent(name, value));
    ProcessSpec {
        program: shell,
        args: vec![flag.to_owned(), handler.command.clone()],
        // The session's directory, even if the tool call runs elsewhere.
        cwd: place.project.clone(),
        env: EnvChange { set: of_files.chain(home).chain(own).collect(), ..EnvChange::default() },
        stdin: Arc::from(scene.input.body.to_string().into_bytes()),
        timeout: definition.timeout,
        finish: FinishCondition::AtEof,
        kill: KillSpec { grace: Duration::ZERO },
        keep: MAX_OUTPUT,
        names_directory: false,
        runs_plain_files: false,
    }
}

fn mcp_tool(handler: &McpToolHandler, scene: &Scene) -> Launch {
    let servers = scene.loaded.agent_settings.get(MCP_SERVERS).and_then(Value::as_array);
    let known = servers.is_some_and(|names| names.iter().any(|n| n.as_str() == Some(handler.server.as_str())));
    if !known {
        return Launch::Refused(format!("no MCP server \"{}\" is configured", handler.server));
    }
    let input = handler.input.clone().map_or_else(|| json!({}), |input| fill_placeholders(&input, &scene.input.body));
    Launch::ByHand(Question {
        requires: "needs the agent's own process",
        prompt: format!("{}/{} {input}", handler.server, handler.tool),
        template: json!({}),
    })
}

/// Replaces `${dotted.path}` in texts with the payload's values.
fn fill_placeholders(input: &Value, body: &Value) -> Value {
    match input {
        Value::String(text) => Value::from(fill_text(text, body)),
        Value::Array(items) => items.iter().map(|item| fill_placeholders(item, body)).collect(),
        Value::Object(map) => Value::Object(map.iter().map(|(k, v)| (k.clone(), fill_placeholders(v, body))).collect()),
        other => other.clone(),
    }
}

fn fill_text(text: &str, body: &Value) -> String {
    expand_braced(text, |path| match body.pointer(&format!("/{}", path.replace('.', "/"))) {
        Some(Value::String(value)) => Some(value.clone()),
        value => Some(value.map(Value::to_string).unwrap_or_default()),
    })
}

/// Returns the login shell of the account that the environment names, if `/etc/passwd` lists one that Codex
/// supports; otherwise Codex's fallback.
pub fn find_shell(place: &Place, files: &dyn Files) -> String {
    if place.os == Os::Windows {
        return place.var("COMSPEC").unwrap_or("cmd.exe").to_owned();
    }
    let user = place.var("USER").or_else(|| place.var("LOGNAME")).unwrap_or("");
    let accounts = files.read("/etc/passwd").unwrap_or_default();
    let accounts = String::from_utf8_lossy(&accounts).into_owned();
    let fields = accounts.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let own = fields.filter(|f| f.first() == Some(&user)).find_map(|f| f.get(6).map(|shell| (*shell).to_owned()));
    let known = |shell: &String| matches!(shell.rsplit('/').next(), Some("bash" | "zsh" | "sh"));
    let fallback = if place.os == Os::MacOs { "/bin/zsh" } else { "/bin/bash" };
    own.filter(known).unwrap_or_else(|| fallback.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::MemoryFiles;

    #[test]
    fn placeholders_are_filled() {
        let body = json!({"cwd": "/p", "tool_input": {"n": 1}});
        let input = json!({"a": "${cwd}/x ${tool_input.n} ${gone}", "b": ["${cwd"]});
        assert_eq!(fill_placeholders(&input, &body), json!({"a": "/p/x 1 ", "b": ["${cwd"]}));
    }

    #[test]
    fn the_account_decides() {
        let mut files = MemoryFiles::default();
        files.put(
            "/etc/passwd",
            "root:x:0:0::/root:/bin/bash\nann:x:1:1::/home/ann:/usr/bin/zsh\nbob:x:2:2::/b:/bin/false\n",
        );
        for (user, want) in [("ann", "/usr/bin/zsh"), ("bob", "/bin/bash"), ("eve", "/bin/bash")] {
            let mut place = Place::default();
            place.env.insert("USER".to_owned(), user.to_owned());
            place.env.insert("SHELL".to_owned(), "/bin/sh".to_owned());
            assert_eq!(find_shell(&place, &files), want, "{user}");
        }
    }
}
