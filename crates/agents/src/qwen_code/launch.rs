//! How the agent runs a definition (spec §6 for commands, §8 for HTTP, §9 for prompts, §11 for async hooks).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::environment::STARTED_AGAIN;
use super::substitution::{SECRETS, is_secret};
use super::version_behaviour::{self, VersionBehaviour};
use super::{address, http, plan, prompt};
use hookbench_base::config::Os;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{CommandHandler, Handler, HookDefinition, HttpHandler};
use hookbench_base::run::{
    EnvChange, FinishCondition, HookVariable, HttpSpec, KillSpec, Launch, NEEDS_MODEL, ProcessSpec, Question,
};
use hookbench_base::text::stringify;

/// The bytes kept of each stream: up to three per kept UTF-16 unit.
const MAX_BYTES: usize = 3 * super::answer::MAX_UNITS;
/// The limit of concurrent async hooks; more are refused.
const ASYNC_SLOTS: usize = 10;

/// Returns how to run a definition on this event.
pub fn launch(definition: &HookDefinition, scene: &Scene) -> Launch {
    match &definition.handler {
        Handler::Command(command) => {
            if definition.detached && plan::rank(definition, scene, |d| d.detached) >= ASYNC_SLOTS {
                return Launch::Refused("Async hook rejected: too many concurrent async hooks running".to_owned());
            }
            Launch::Process(process(definition, command, scene))
        }
        Handler::Http(handler) => request(definition, handler, scene),
        Handler::Prompt(handler) => Launch::ByHand(Question {
            requires: NEEDS_MODEL,
            prompt: prompt::user_message(&handler.prompt, &scene.input.body),
            template: json!({"ok": true}),
        }),
        other => Launch::Refused(format!("Unknown hook type: {}", other.kind())),
    }
}

fn text<'a>(scene: &'a Scene, key: &str) -> Option<&'a str> {
    scene.input.body.get(key).and_then(Value::as_str)
}

/// Returns the working directory: the payload's, wherever the agent was started.
fn cwd(scene: &Scene) -> String {
    text(scene, "cwd").filter(|c| !c.is_empty()).unwrap_or(&scene.place.project).to_owned()
}

fn process(definition: &HookDefinition, handler: &CommandHandler, scene: &Scene) -> ProcessSpec {
    let behaviour = version_behaviour::for_version(&scene.version);
    let cwd = cwd(scene);
    // An event of a session names the directory of the session; one that was edited by hand does not move the project.
    let project = &scene.place.project;
    let mut command = handler.command.clone();
    if behaviour.textual_project_dir {
        for name in ["$GEMINI_PROJECT_DIR", "$CLAUDE_PROJECT_DIR", "$QWEN_PROJECT_DIR"] {
            command = command.replace(name, &shell_quote(project));
        }
    }
    let (program, mut args) = shell(handler.shell.as_deref(), scene.place.os);
    args.push(command);
    ProcessSpec {
        program,
        args,
        env: environment(behaviour, definition, handler, scene),
        cwd,
        stdin: Arc::from(stringify(&scene.input.body).into_bytes()),
        timeout: definition.timeout,
        finish: FinishCondition::AtEof,
        kill: KillSpec { grace: Duration::from_secs(2) },
        keep: MAX_BYTES,
        names_directory: false,
        runs_plain_files: false,
    }
}

/// Returns the shell and the arguments before the command. Any `shell` other than `powershell` means bash.
fn shell(configured: Option<&str>, os: Os) -> (String, Vec<String>) {
    let args = |list: &[&str]| list.iter().map(|a| (*a).to_owned()).collect();
    match (configured, os) {
        (Some("powershell"), _) => ("powershell".to_owned(), args(&["-Command"])),
        (None, Os::Windows) => ("cmd.exe".to_owned(), args(&["/d", "/s", "/c"])),
        _ => ("bash".to_owned(), args(&["-c"])),
    }
}

/// Quotes a path as older versions insert it into commands.
fn shell_quote(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/_-.,:=@%+".contains(c);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\"'\"'")) }
}

fn environment(
    behaviour: &VersionBehaviour,
    definition: &HookDefinition,
    handler: &CommandHandler,
    scene: &Scene,
) -> EnvChange {
    let place = &scene.place;
    let mut change = EnvChange::default();
    if behaviour.own_environment {
        change.remove = SECRETS.iter().map(|s| (*s).to_owned()).collect();
        change
            .remove
            .extend(place.env.keys().filter(|name| is_secret(name) && !SECRETS.contains(&name.as_str())).cloned());
    }
    let set = &mut change.set;
    set.extend(scene.loaded.variables.iter().map(|(name, one)| HookVariable::of_file(name, one)));
    set.extend(place.home_given.then(|| HookVariable::of_user("HOME", &place.home)));
    set.extend(
        ["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "QWEN_PROJECT_DIR"]
            .map(|name| HookVariable::of_agent(name, &place.project)),
    );
    set.push(HookVariable::of_agent(STARTED_AGAIN, "true"));
    if behaviour.own_environment {
        let mut of_event = |name: &str, value: &str| set.push(HookVariable::of_event(name, value));
        of_event("QWEN_CODE_SESSION_ID", text(scene, "session_id").unwrap_or(""));
        if let Some(dir) = transcript_dir(scene) {
            of_event("QWEN_CODE_PROJECT_DIR", &dir);
        }
        if let Some(model) = text(scene, "model") {
            of_event("QWEN_CODE_MODEL", model);
        }
        // Hooks of SubagentStart run before the sub-agent is the running one (measured on 0.24.4).
        let agent = text(scene, "agent_id").filter(|_| scene.input.event != "SubagentStart");
        of_event("QWEN_CODE_AGENT_ID", agent.unwrap_or(""));
        of_event("QWEN_CODE_PROMPT_ID", text(scene, "prompt_id").unwrap_or(""));
    }
    set.extend(handler.env.iter().map(|(name, value)| HookVariable::of_definition(name, value, definition)));
    change
}

/// Returns the agent's directory for the project, which holds its transcripts: `~/.qwen/projects/<slug>`.
fn transcript_dir(scene: &Scene) -> Option<String> {
    let (directory, _) = text(scene, "transcript_path")?.rsplit_once("/chats/")?;
    Some(directory.to_owned())
}

/// Returns the configured home directory as the environment variable that the agent would see.
fn home_variable(scene: &Scene) -> Option<(String, String)> {
    scene.place.home_given.then(|| ("HOME".to_owned(), scene.place.home.clone()))
}

fn request(definition: &HookDefinition, handler: &HttpHandler, scene: &Scene) -> Launch {
    let event = scene.input.event.as_str();
    let again =
        |d: &HookDefinition| plan::runs_once(d) && matches!(&d.handler, Handler::Http(h) if h.url == handler.url);
    if plan::runs_once(definition) && plan::rank(definition, scene, again) > 0 {
        return Launch::Canned { stdout: json!({"continue": true}).to_string() };
    }
    if !definition.raw.get("url").is_some_and(Value::is_string) {
        return Launch::Refused("value.replace is not a function".to_owned());
    }
    let allowed = handler.allowed_env.clone().unwrap_or_default();
    let (patterns, private) = http::url_policy(&scene.loaded);
    let of_files = scene.loaded.variables.iter().map(|(name, one)| (name.clone(), one.value.clone()));
    let env = scene.place.env.clone().into_iter().chain(of_files).chain(home_variable(scene)).collect();
    let url = http::interpolate(&handler.url, &allowed, &env);
    if let Some(why) = http::refusal(&url, &patterns, private) {
        return Launch::Refused(format!("URL validation failed: {why}"));
    }
    let mut headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    for (name, value) in &handler.headers {
        let value = http::interpolate(value, &allowed, &env);
        match headers.iter_mut().find(|(seen, _)| seen == name) {
            Some(seen) => seen.1 = value,
            None => headers.push((name.clone(), value)),
        }
    }
    let mut body = scene.input.body.clone();
    if let Some(object) = body.as_object_mut() {
        object.insert("hook_event_name".to_owned(), Value::from(event));
    }
    Launch::Http(HttpSpec {
        url,
        headers,
        body: Arc::from(stringify(&body).into_bytes()),
        timeout: definition.timeout,
        forbidden_networks: address::refused_networks(private),
        keep: MAX_BYTES,
    })
}
