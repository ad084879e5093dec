//! How the agent runs a definition (spec §5).

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::extensions::VARIABLES;
use super::switches::REDACTION;
use super::{handlers, redaction, substitution};
use hookbench_base::config::Os;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{CommandHandler, Handler, HookDefinition};
use hookbench_base::run::{EnvChange, FinishCondition, HookVariable, KillSpec, Launch, ProcessSpec, VariableSource};
use hookbench_base::text::stringify;

/// The agent keeps the whole stream; no hook should print more than this.
const MAX_OUTPUT: usize = 64 << 20;

/// Returns how to run a definition on this event.
pub fn launch(definition: &HookDefinition, scene: &Scene) -> Launch {
    if let Some(why) = handlers::runtime_error(&definition.raw) {
        return Launch::Refused(why.to_owned());
    }
    match &definition.handler {
        Handler::Command(command) => Launch::Process(process(definition, command, scene)),
        other => Launch::Refused(format!("{} hooks do not run here", other.kind())),
    }
}

fn text<'a>(scene: &'a Scene, key: &str) -> &'a str {
    scene.input.body.get(key).and_then(Value::as_str).unwrap_or("")
}

/// Returns the working directory: the payload's, wherever the agent was started.
fn cwd(scene: &Scene) -> String {
    Some(text(scene, "cwd")).filter(|c| !c.is_empty()).unwrap_or(&scene.place.project).to_owned()
}

/// Returns the agent's plans directory, next to its transcripts: `~/.gemini/tmp/<project>/<session>/plans`. `None`
/// before a transcript is written.
fn plans_dir(scene: &Scene) -> Option<String> {
    let (directory, _) = text(scene, "transcript_path").rsplit_once("/chats/")?;
    Some(format!("{directory}/{}/plans", text(scene, "session_id")))
}

fn process(definition: &HookDefinition, handler: &CommandHandler, scene: &Scene) -> ProcessSpec {
    let cwd = cwd(scene);
    // An event of a session names the directory of the session; one that was edited by hand does not move the project.
    let project = &scene.place.project;
    let quoted = substitution::shell_quote;
    let mut command = handler.command.clone();
    for (name, value) in [
        ("$GEMINI_PROJECT_DIR", Some(quoted(project))),
        ("$GEMINI_CWD", Some(quoted(&cwd))),
        ("$GEMINI_PLANS_DIR", plans_dir(scene).map(|dir| quoted(&dir))),
        ("$GEMINI_SESSION_ID", Some(quoted(text(scene, "session_id")))),
        ("$CLAUDE_PROJECT_DIR", Some(quoted(project))),
    ] {
        if let Some(value) = value {
            command = command.replace(name, &value);
        }
    }
    let (program, mut args) = shell(scene);
    if scene.place.os == Os::Windows {
        command.push_str("; if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }");
    }
    args.push(command);
    ProcessSpec {
        program,
        args,
        env: environment(definition, handler, &cwd, scene),
        cwd,
        stdin: Arc::from(stringify(&scene.input.body).into_bytes()),
        timeout: definition.timeout,
        finish: FinishCondition::AtEof,
        kill: KillSpec { grace: Duration::from_secs(5) },
        keep: MAX_OUTPUT,
        names_directory: false,
        runs_plain_files: false,
    }
}

/// Returns the shell and the arguments before the command.
fn shell(scene: &Scene) -> (String, Vec<String>) {
    if scene.place.os != Os::Windows {
        return ("bash".to_owned(), vec!["-c".to_owned()]);
    }
    let configured = scene.place.var("ComSpec").filter(|path| {
        let lower = path.to_ascii_lowercase();
        lower.ends_with("powershell.exe") || lower.ends_with("pwsh.exe")
    });
    (configured.unwrap_or("powershell.exe").to_owned(), vec!["-NoProfile".to_owned(), "-Command".to_owned()])
}

fn environment(definition: &HookDefinition, handler: &CommandHandler, cwd: &str, scene: &Scene) -> EnvChange {
    let (place, loaded) = (&scene.place, &scene.loaded);
    let own = place.env.iter().chain(loaded.variables.iter().map(|(name, variable)| (name, &variable.value)));
    let remove = redaction::hidden_variables(own, loaded.agent_settings.get(REDACTION));
    let of_files = loaded.variables.iter().filter(|(name, _)| !remove.contains(name));
    let mut set: Vec<HookVariable> = of_files.map(|(name, one)| HookVariable::of_file(name, one)).collect();
    set.extend(place.home_given.then(|| HookVariable::of_user("HOME", &place.home)));
    set.push(HookVariable::of_agent("GEMINI_PROJECT_DIR", &place.project));
    set.extend(plans_dir(scene).map(|dir| HookVariable::of_event("GEMINI_PLANS_DIR", dir)));
    set.push(HookVariable::of_agent("GEMINI_CWD", cwd));
    // The agent starts itself a second time, with this variable.
    set.push(HookVariable::of_agent("GEMINI_CLI_NO_RELAUNCH", "true"));
    set.push(HookVariable::of_event("GEMINI_SESSION_ID", text(scene, "session_id")));
    set.push(HookVariable::of_agent("CLAUDE_PROJECT_DIR", &place.project));
    let of_extension =
        definition.provenance.bundle.as_ref().and_then(|name| loaded.agent_settings.get(VARIABLES)?.get(name));
    for (name, value) in &handler.env {
        let variable = HookVariable::of_definition(name, value, definition);
        let source = of_extension.and_then(|all| all.get(name)).map_or(variable.source, |place| VariableSource::File {
            file: place.get("file").and_then(Value::as_str).unwrap_or_default().to_owned(),
            line: place.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok()),
        });
        set.push(HookVariable { source, ..variable });
    }
    EnvChange { remove, set, scratch_files: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::launch_hook;
    use crate::kernel::test::place;
    use hookbench_base::config::{Os, Place};
    use hookbench_base::run::Launch;
    use serde_json::json;

    #[test]
    fn variables_are_put_into_the_text() {
        let started =
            |command: &str, place: &Place| match launch_hook(&json!({"type": "command", "command": command}), place) {
                Launch::Process(spec) => (spec.program, spec.args.last().cloned().unwrap()),
                other => panic!("{other:?}"),
            };
        let spaced = Place { project: "/a b".to_owned(), ..place() };
        for (command, place, want) in [
            ("$GEMINI_PROJECT_DIRX ${GEMINI_CWD}", place(), "/pX ${GEMINI_CWD}"),
            ("\"$CLAUDE_PROJECT_DIR\"/x", spaced.clone(), "\"'/a b'\"/x"),
            ("$GEMINI_CWD $GEMINI_SESSION_ID", spaced, "'/a b' 00000000-0000-4000-8000-000000000001"),
            ("x $HOME_NOT", place(), "x $HOME_NOT"),
        ] {
            assert_eq!(started(command, &place), ("bash".to_owned(), want.to_owned()), "{command}");
        }
        let windows = Place { os: Os::Windows, ..place() };
        assert!(started("x", &windows).1.ends_with("exit $LASTEXITCODE }"));
    }

    #[test]
    fn what_cannot_run_says_why() {
        for (hook, want) in [
            (json!({"type": "command", "command": ["x"]}), "command.replace is not a function"),
            (json!({"type": "plugin", "name": "p"}), "Command hook missing command"),
            (json!({"type": "runtime", "name": "r"}), "hookConfig.action is not a function"),
        ] {
            assert_eq!(launch_hook(&hook, &place()), Launch::Refused(want.to_owned()), "{hook}");
        }
    }
}
