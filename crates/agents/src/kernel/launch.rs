//! How agents run a hook: a command line in one shell, or a program, in the directory of the session, with the event on
//! stdin.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use hookbench_base::dialects::Scene;
use hookbench_base::hook::{Handler, HookDefinition};
use hookbench_base::run::{EnvChange, FinishCondition, HookVariable, KillSpec, Launch, ProcessSpec};
use hookbench_base::text::stringify;

/// The agent keeps the whole stream; no hook should print more than this.
const MAX_OUTPUT: usize = 64 << 20;

/// The differences between such agents.
pub struct ShellRun<'a> {
    /// The shell, which gets `-c` and the command.
    pub shell: &'a str,
    pub finish: FinishCondition,
    /// The time between the two signals at the time limit.
    pub grace: Duration,
}

/// How to run a definition with these variables of the agent.
pub fn in_shell(
    definition: &HookDefinition,
    scene: &Scene,
    how: &ShellRun<'_>,
    variables: impl IntoIterator<Item = HookVariable>,
) -> Launch {
    let Handler::Command(command) = &definition.handler else {
        return Launch::Refused(format!("{} hooks do not run here", definition.handler.kind()));
    };
    let args = vec!["-c".to_owned(), command.command.clone()];
    let words = (how.shell.to_owned(), args);
    process(definition, scene, (how.finish, how.grace), words, &scene.input.body, variables)
}

/// How to run a definition as a program with arguments, without a shell, with this payload. `grace` is the time between the
/// two signals at the time limit.
pub fn directly(
    definition: &HookDefinition,
    scene: &Scene,
    end: (FinishCondition, Duration),
    body: &Value,
    variables: impl IntoIterator<Item = HookVariable>,
) -> Launch {
    match &definition.handler {
        Handler::Command(command) => {
            let words = (command.command.clone(), command.args.clone().unwrap_or_default());
            process(definition, scene, end, words, body, variables)
        }
        other => Launch::Refused(format!("{} hooks do not run here", other.kind())),
    }
}

fn process(
    definition: &HookDefinition,
    scene: &Scene,
    (finish, grace): (FinishCondition, Duration),
    (program, args): (String, Vec<String>),
    body: &Value,
    variables: impl IntoIterator<Item = HookVariable>,
) -> Launch {
    let home = scene.place.home_given.then(|| HookVariable::of_user("HOME", &scene.place.home));
    Launch::Process(ProcessSpec {
        program,
        args,
        // The directory of the session, also if the event names another one.
        cwd: scene.place.project.clone(),
        env: EnvChange { set: home.into_iter().chain(variables).collect(), ..EnvChange::default() },
        stdin: Arc::from(stringify(body).into_bytes()),
        timeout: definition.timeout,
        finish,
        kill: KillSpec { grace },
        keep: MAX_OUTPUT,
        names_directory: false,
        runs_plain_files: false,
    })
}
