//! How agents run a command line, through a shell or without one: in the directory of the session, with the event on stdin.

use std::sync::Arc;
use std::time::Duration;

use hookbench_base::dialects::Scene;
use hookbench_base::hook::{CommandHandler, Handler, HookDefinition};
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

/// The differences between agents that start programs without a shell.
pub struct DirectRun {
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
    with_command(definition, |command| {
        let args = vec!["-c".to_owned(), command.command.clone()];
        process(definition, scene, (how.shell, args), (how.finish, how.grace), variables)
    })
}

/// How to run a definition whose command is a program with its arguments.
pub fn without_shell(definition: &HookDefinition, scene: &Scene, how: &DirectRun) -> Launch {
    with_command(definition, |command| {
        let args = command.args.clone().unwrap_or_default();
        process(definition, scene, (&command.command, args), (how.finish, how.grace), [])
    })
}

fn with_command(definition: &HookDefinition, launch: impl FnOnce(&CommandHandler) -> ProcessSpec) -> Launch {
    match &definition.handler {
        Handler::Command(command) => Launch::Process(launch(command)),
        other => Launch::Refused(format!("{} hooks do not run here", other.kind())),
    }
}

fn process(
    definition: &HookDefinition,
    scene: &Scene,
    (program, args): (&str, Vec<String>),
    (finish, grace): (FinishCondition, Duration),
    variables: impl IntoIterator<Item = HookVariable>,
) -> ProcessSpec {
    let home = scene.place.home_given.then(|| HookVariable::of_user("HOME", &scene.place.home));
    ProcessSpec {
        program: program.to_owned(),
        args,
        // The directory of the session, also if the event names another one.
        cwd: scene.place.project.clone(),
        env: EnvChange { set: home.into_iter().chain(variables).collect(), ..EnvChange::default() },
        stdin: Arc::from(stringify(&scene.input.body).into_bytes()),
        timeout: definition.timeout,
        finish,
        kill: KillSpec { grace },
        keep: MAX_OUTPUT,
        names_directory: false,
        runs_plain_files: false,
    }
}
