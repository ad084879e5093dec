//! How a definition is launched (spec §5, §9): shell or program, directory, environment, stdin and timeout.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{environment, events, http, plan, skill_refusal};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{CommandHandler, Handler, HookDefinition, McpToolHandler};
use hookbench_base::run::{
    EnvChange, FinishCondition, HookVariable, KillSpec, Launch, NEEDS_MODEL, ProcessSpec, Question,
};
use hookbench_base::text::{stringify, stringify_pretty};

/// The number of bytes kept of each stream. The agent was observed to accept twelve megabytes (2.1.332).
const MAX_OUTPUT: usize = 64 << 20;
/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(5);

/// Returns how to launch a definition in a scene.
pub fn launch(definition: &HookDefinition, scene: &Scene) -> Launch {
    let shown = shown_scene(definition, scene);
    let scene = &*shown;
    match &definition.handler {
        Handler::Command(command) => process(command, definition, scene),
        Handler::Http(handler) => http::launch(handler, definition, scene, timeout(definition, scene), MAX_OUTPUT),
        Handler::McpTool(handler) => mcp_tool(handler, scene),
        Handler::Prompt(p) => model_question(&p.prompt, scene, json!({"ok": true})),
        Handler::Agent(a) => model_question(&a.prompt, scene, json!({"ok": true})),
        Handler::Unknown(_) => Launch::Refused(format!("{} handlers do not run", definition.handler.kind())),
    }
}

/// The scene as this hook sees it: a hook for Bash gets a call of Monitor as a call of Bash. Measured on 2.1.332.
fn shown_scene<'a>(definition: &HookDefinition, scene: &'a Scene) -> Cow<'a, Scene> {
    let body = &scene.input.body;
    let Some(command) = events::monitored_command(&scene.input.event, body) else { return Cow::Borrowed(scene) };
    if !plan::sees_bash(definition, scene) {
        return Cow::Borrowed(scene);
    }
    let mut input = scene.input.clone();
    if let Some(map) = input.body.as_object_mut() {
        let mut call = json!({ "command": command });
        if let (Some(call), Some(about)) = (call.as_object_mut(), body.pointer("/tool_input/description")) {
            call.insert("description".to_owned(), about.clone());
        }
        map.insert("tool_name".to_owned(), Value::from("Bash"));
        map.insert("tool_input".to_owned(), call);
    }
    Cow::Owned(scene.with_input(input))
}

/// Returns the stdin of hooks: one line of JSON.
pub fn payload(scene: &Scene) -> Vec<u8> {
    let mut text = stringify(&scene.input.body);
    text.push('\n');
    text.into_bytes()
}

fn timeout(definition: &HookDefinition, scene: &Scene) -> Option<Duration> {
    let own = definition.timeout;
    if scene.input.event != "SessionEnd" {
        return own;
    }
    let budget = plan::session_end_budget(scene);
    Some(own.map_or(budget, |own| own.min(budget)))
}

fn process(command: &CommandHandler, definition: &HookDefinition, scene: &Scene) -> Launch {
    let plugin = plugin_paths(definition, scene);
    if plugin.is_none() && mentions_plugin(command) {
        return Launch::Refused(
            "Failed to run: Hook command references ${CLAUDE_PLUGIN_ROOT} but the hook is not associated with a plugin."
                .to_owned(),
        );
    }
    let replace = |text: &str| expand_placeholders(text, scene, plugin.as_ref());
    let (program, args) = match &command.args {
        Some(_) if command.command.contains(char::is_whitespace) => {
            let says = format!("Executable not found in $PATH: \"{}\"", command.command);
            return Launch::Refused(format!("Error occurred while executing hook command: {says}"));
        }
        Some(args) => (replace(&command.command), args.iter().map(|arg| replace(arg)).collect()),
        None => {
            // Placeholders in a command text are replaced only for plugins; elsewhere the shell expands them as
            // variables.
            let text = if plugin.is_some() { replace(&command.command) } else { command.command.clone() };
            match command.shell.as_deref() {
                Some("powershell") => ("pwsh".to_owned(), vec!["-NoProfile".to_owned(), "-Command".to_owned(), text]),
                _ => ("/bin/sh".to_owned(), vec!["-c".to_owned(), text]),
            }
        }
    };
    let cwd = scene.input.body.get("cwd").and_then(Value::as_str).unwrap_or(&scene.place.project);
    if program.is_empty() || command.args.is_none() && command.command.is_empty() {
        return Launch::Refused("Failed to run: The argument 'file' cannot be empty. Received ''".to_owned());
    }
    Launch::Process(ProcessSpec {
        program,
        args,
        cwd: scene.place.absolute(&scene.place.project, cwd),
        env: environment(scene, plugin.as_ref()),
        stdin: Arc::from(payload(scene)),
        timeout: timeout(definition, scene),
        finish: FinishCondition::AtExit,
        kill: KillSpec { grace: GRACE },
        keep: MAX_OUTPUT,
        names_directory: scene.input.event == "WorktreeCreate",
        runs_plain_files: false,
    })
}

fn mentions_plugin(command: &CommandHandler) -> bool {
    let texts = std::iter::once(&command.command).chain(command.args.iter().flatten());
    texts.into_iter().any(|text| text.contains("${CLAUDE_PLUGIN_ROOT}"))
}

/// The directories of the plugin that a definition belongs to.
struct PluginPaths {
    root: String,
    data: String,
}

fn plugin_paths(definition: &HookDefinition, scene: &Scene) -> Option<PluginPaths> {
    let places = scene.loaded.agent_settings.get("plugins")?.get(definition.provenance.bundle.as_deref()?)?;
    let text = |key: &str| places.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    Some(PluginPaths { root: text("root"), data: text("data") })
}

/// Replaces `${CLAUDE_PROJECT_DIR}` and the two plugin placeholders in a text.
fn expand_placeholders(text: &str, scene: &Scene, plugin: Option<&PluginPaths>) -> String {
    let text = text.replace("${CLAUDE_PROJECT_DIR}", &scene.place.project);
    match plugin {
        Some(p) => text.replace("${CLAUDE_PLUGIN_ROOT}", &p.root).replace("${CLAUDE_PLUGIN_DATA}", &p.data),
        None => text,
    }
}

/// Returns the changes to the inherited environment: `OTEL_*` removed, the variables of settings and the agent's
/// own variables set (spec §5).
fn environment(scene: &Scene, plugin: Option<&PluginPaths>) -> EnvChange {
    const OWN: [&str; 4] = ["CLAUDE_ENV_FILE", "CLAUDE_EFFORT", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"];
    let body = &scene.input.body;
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    let inherited = scene.place.env.keys().filter(|name| environment::is_withheld(name)).cloned();
    // If hookbench itself runs inside an agent, inherited values of these variables belong to another hook.
    let remove = inherited.chain(OWN.map(str::to_owned)).collect();
    let entrypoint = if scene.headless { "sdk-cli" } else { "cli" };
    let variables = scene.loaded.variables.iter().filter(|(name, _)| !environment::is_withheld(name));
    let mut set: Vec<HookVariable> = variables.map(|(name, variable)| HookVariable::of_file(name, variable)).collect();
    let home = set.iter().any(|variable| variable.name == "HOME");
    set.extend([
        HookVariable::of_agent("CLAUDE_PROJECT_DIR", &scene.place.project),
        HookVariable::of_agent("CLAUDECODE", "1"),
        // It differs between sessions with and without a terminal.
        HookVariable::of_event("CLAUDE_CODE_ENTRYPOINT", entrypoint),
    ]);
    if let Some(session) = text("session_id") {
        set.push(HookVariable::of_event("CLAUDE_CODE_SESSION_ID", session));
    }
    if let Some(level) = body.get("effort").and_then(|e| e.get("level")).and_then(Value::as_str) {
        set.push(HookVariable::of_event("CLAUDE_EFFORT", level));
    }
    if let Some(plugin) = plugin {
        set.push(HookVariable::of_agent("CLAUDE_PLUGIN_ROOT", &plugin.root));
        set.push(HookVariable::of_agent("CLAUDE_PLUGIN_DATA", &plugin.data));
    }
    if scene.place.home_given && !home {
        set.push(HookVariable::of_user("HOME", &scene.place.home));
    }
    let env_file = matches!(scene.input.event.as_str(), "SessionStart" | "Setup" | "CwdChanged" | "FileChanged");
    let scratch_files = if env_file { vec!["CLAUDE_ENV_FILE".to_owned()] } else { Vec::new() };
    EnvChange { remove, set, scratch_files }
}

/// Returns the launch of an MCP tool. If the server is not configured, the agent reports an error; otherwise only
/// the agent can call the tool.
fn mcp_tool(handler: &McpToolHandler, scene: &Scene) -> Launch {
    let known = scene.loaded.agent_settings.get("mcpServers").and_then(Value::as_array);
    let configured = known.is_some_and(|names| names.iter().any(|name| name.as_str() == Some(&handler.server)));
    if !configured && !handler.server.starts_with("plugin_") {
        return Launch::Refused(format!("MCP server '{}' not connected", handler.server));
    }
    let input = handler.input.as_ref().map_or_else(|| json!({}), |input| fill_placeholders(input, &scene.input.body));
    Launch::ByHand(Question {
        requires: "needs the agent's own process",
        prompt: format!("{}/{} {}", handler.server, handler.tool, stringify(&input)),
        template: json!({}),
    })
}

/// Replaces `${a.b}` in the strings of an input by the value at that path of the payload.
fn fill_placeholders(input: &Value, body: &Value) -> Value {
    match input {
        Value::String(text) => Value::String(fill_text(text, body)),
        Value::Array(items) => Value::Array(items.iter().map(|item| fill_placeholders(item, body)).collect()),
        Value::Object(map) => Value::Object(map.iter().map(|(k, v)| (k.clone(), fill_placeholders(v, body))).collect()),
        other => other.clone(),
    }
}

fn fill_text(text: &str, body: &Value) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((path, tail)) = after.split_once('}') else {
            out.push_str("${");
            rest = after;
            continue;
        };
        let value = path.split('.').try_fold(body, |value, key| value.get(key));
        match value {
            Some(Value::String(text)) => out.push_str(text),
            Some(other) => out.push_str(&stringify(other)),
            None => {}
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// Whether prompt and agent hooks run on this event (spec §9.3).
fn has_model_hooks(event: &str) -> bool {
    matches!(
        event,
        "PreToolUse"
            | "PostToolUse"
            | "PostToolUseFailure"
            | "PostToolBatch"
            | "PermissionRequest"
            | "PermissionDenied"
            | "UserPromptSubmit"
            | "UserPromptExpansion"
            | "Stop"
            | "SubagentStop"
            | "TaskCreated"
            | "TaskCompleted"
            | "TeammateIdle"
    )
}

/// Replaces `$ARGUMENTS` by the payload, or else appends the payload.
fn model_question(prompt: &str, scene: &Scene, template: Value) -> Launch {
    if !has_model_hooks(&scene.input.event) {
        return Launch::Refused(match scene.input.event.as_str() {
            "PreSkillShellCommand" => skill_refusal::NEEDS_MODEL.to_owned(),
            event => format!("prompt and agent hooks are not supported on {event}"),
        });
    }
    let asks = if prompt.contains("$ARGUMENTS") {
        prompt.replace("$ARGUMENTS", &stringify(&scene.input.body))
    } else {
        format!("{prompt}\n\nARGUMENTS: {}", stringify_pretty(&scene.input.body))
    };
    Launch::ByHand(Question { requires: NEEDS_MODEL, prompt: asks, template })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::test_scenes::{project_scene, scene};
    use pretty_assertions::assert_eq;

    fn first(handler: &Value, body: Value) -> (Launch, Scene) {
        let event = body["hook_event_name"].as_str().unwrap().to_owned();
        let mut settings = json!({"hooks": {}});
        settings["hooks"][event.as_str()] = json!([{"hooks": [handler]}]);
        let scene = project_scene(settings, body);
        let launch = launch(scene.loaded.definitions.first().unwrap(), &scene);
        (launch, scene)
    }

    fn call() -> Value {
        json!({"session_id": "s", "cwd": "/home/user/project/sub", "effort": {"level": "high"}, "hook_event_name": "PreToolUse", "tool_name": "Bash"})
    }

    #[test]
    fn shell_form() {
        let (launch, scene) = first(&json!({"type": "command", "command": "'${CLAUDE_PROJECT_DIR}'/x"}), call());
        let want = ProcessSpec {
            program: "/bin/sh".to_owned(),
            args: vec!["-c".to_owned(), "'${CLAUDE_PROJECT_DIR}'/x".to_owned()],
            cwd: "/home/user/project/sub".to_owned(),
            env: EnvChange {
                remove: ["CLAUDE_ENV_FILE", "CLAUDE_EFFORT", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"]
                    .map(str::to_owned)
                    .to_vec(),
                set: vec![
                    HookVariable::of_agent("CLAUDE_PROJECT_DIR", "/home/user/project"),
                    HookVariable::of_agent("CLAUDECODE", "1"),
                    HookVariable::of_event("CLAUDE_CODE_ENTRYPOINT", "cli"),
                    HookVariable::of_event("CLAUDE_CODE_SESSION_ID", "s"),
                    HookVariable::of_event("CLAUDE_EFFORT", "high"),
                ],
                scratch_files: vec![],
            },
            stdin: Arc::from(payload(&scene)),
            timeout: Some(Duration::from_secs(600)),
            finish: FinishCondition::AtExit,
            kill: KillSpec { grace: GRACE },
            keep: MAX_OUTPUT,
            names_directory: false,
            runs_plain_files: false,
        };
        assert_eq!(launch, Launch::Process(want));
        assert!(payload(&scene).ends_with(b"\"Bash\"}\n"));
    }

    /// Measured on 2.1.330.
    #[test]
    fn variables_of_settings() {
        let hooks = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "c"}]}]});
        let user = json!({"env": {"A": "ua", "B": "ub", "HOME": "/hh", "OTEL_X": "1", "CLAUDECODE": "0"}});
        let project = json!({"hooks": hooks, "env": {
            "A": "pa", "C": 5, "D": true, "E": null, "F": ["a", ["b", null]], "G": {"x": 1}, "H": "$HOME/x",
            "HOME": "/evil", "CLAUDE_CONFIG_DIR": "/evil", "CLAUDE_CODE_SIMPLE": "1", "PATH": "/p/bin", "": "x", "I=J": "x",
        }});
        let local = json!({"env": {"A": "la"}});
        let skipped = json!({"env": {"A": "ma"}, "model": 5});
        let files = [
            ("/home/user/.claude/settings.json", stringify(&user)),
            ("/home/user/project/.claude/settings.json", stringify(&project)),
            ("/home/user/project/.claude/settings.local.json", stringify(&local)),
            ("/etc/claude-code/managed-settings.json", stringify(&json!({"env": {"K": "m"}}))),
        ];
        let spec = |scene: &Scene| match launch(scene.loaded.definitions.first().unwrap(), scene) {
            Launch::Process(spec) => {
                spec.env.set.into_iter().map(|one| (one.name, one.value)).collect::<Vec<(String, String)>>()
            }
            other => panic!("{other:?}"),
        };
        let got = spec(&scene(&files, call()));
        let want = [
            ("A", "la"),
            ("B", "ub"),
            ("HOME", "/hh"),
            ("CLAUDECODE", "0"),
            ("C", "5"),
            ("D", "true"),
            ("E", "null"),
            ("F", "a,b,"),
            ("G", "[object Object]"),
            ("H", "$HOME/x"),
            ("PATH", "/p/bin"),
            ("K", "m"),
            ("CLAUDE_PROJECT_DIR", "/home/user/project"),
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_ENTRYPOINT", "cli"),
            ("CLAUDE_CODE_SESSION_ID", "s"),
            ("CLAUDE_EFFORT", "high"),
        ];
        assert_eq!(got, want.map(|(name, value)| (name.to_owned(), value.to_owned())));
        // A skipped file sets no variables.
        let mut files = files;
        files[2].1 = stringify(&skipped);
        assert_eq!(spec(&scene(&files, call())).first(), Some(&("A".to_owned(), "pa".to_owned())));
    }

    #[test]
    fn exec_form() {
        let handler = json!({"type": "command", "command": "${CLAUDE_PROJECT_DIR}/h", "args": ["a b", "$HOME", "${CLAUDE_PROJECT_DIR}/x", "*"]});
        let (launch, _) = first(&handler, call());
        let Launch::Process(spec) = launch else { panic!("{launch:?}") };
        assert_eq!(
            (spec.program.as_str(), spec.args),
            ("/home/user/project/h", ["a b", "$HOME", "/home/user/project/x", "*"].map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn what_does_not_start() {
        for (handler, says) in [
            (json!({"type": "command", "command": "sh -c", "args": []}), "Executable not found"),
            (json!({"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x"}), "not associated with a plugin"),
            (
                json!({"type": "command", "command": "x", "args": ["${CLAUDE_PLUGIN_ROOT}"]}),
                "not associated with a plugin",
            ),
            (json!({"type": "command", "command": ""}), "cannot be empty"),
            (json!({"type": "mcp_tool", "server": "nope", "tool": "get"}), "MCP server 'nope' not connected"),
        ] {
            let (launch, _) = first(&handler, call());
            assert!(matches!(&launch, Launch::Refused(why) if why.contains(says)), "{launch:?}");
        }
        let (launch, _) = first(
            &json!({"type": "prompt", "prompt": "p"}),
            json!({"hook_event_name": "SessionStart", "source": "startup"}),
        );
        assert!(matches!(launch, Launch::Refused(_)), "{launch:?}");
    }

    #[test]
    fn only_the_agent_can_answer() {
        let (launch, _) =
            first(&json!({"type": "prompt", "prompt": "CHECK $ARGUMENTS"}), json!({"hook_event_name": "Stop"}));
        let want = Question {
            requires: NEEDS_MODEL,
            prompt: "CHECK {\"hook_event_name\":\"Stop\"}".to_owned(),
            template: json!({"ok": true}),
        };
        assert_eq!(launch, Launch::ByHand(want));
        let settings = json!({"hooks": {"Stop": [{"hooks": [{"type": "mcp_tool", "server": "mem", "tool": "get", "input": {"q": "<${a.b}>"}}]}]}});
        let files = [
            ("/home/user/project/.claude/settings.json", stringify(&settings)),
            ("/home/user/project/.mcp.json", r#"{"mcpServers":{"mem":{"command":"x"}}}"#.to_owned()),
        ];
        let scene = scene(&files, json!({"hook_event_name": "Stop", "a": {"b": 1}}));
        let got = super::launch(scene.loaded.definitions.first().unwrap(), &scene);
        let want = Question {
            requires: "needs the agent's own process",
            prompt: "mem/get {\"q\":\"<1>\"}".to_owned(),
            template: json!({}),
        };
        assert_eq!(got, Launch::ByHand(want));
    }

    #[test]
    fn some_events_have_an_env_file() {
        for (event, want) in [("SessionStart", true), ("CwdChanged", true), ("Stop", false)] {
            let (launch, _) = first(
                &json!({"type": "command", "command": "x"}),
                json!({"hook_event_name": event, "source": "startup"}),
            );
            let Launch::Process(spec) = launch else { panic!("{launch:?}") };
            assert_eq!(!spec.env.scratch_files.is_empty(), want, "{event}");
        }
    }
}
