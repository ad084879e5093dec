//! How agents run a command line: one shell, in the directory of the session, with the event on stdin.

use std::sync::Arc;
use std::time::Duration;

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
    let home = scene.place.home_given.then(|| HookVariable::of_user("HOME", &scene.place.home));
    Launch::Process(ProcessSpec {
        program: how.shell.to_owned(),
        args: vec!["-c".to_owned(), command.command.clone()],
        // The directory of the session, also if the event names another one.
        cwd: scene.place.project.clone(),
        env: EnvChange { set: home.into_iter().chain(variables).collect(), ..EnvChange::default() },
        stdin: Arc::from(stringify(&scene.input.body).into_bytes()),
        timeout: definition.timeout,
        finish: how.finish,
        kill: KillSpec { grace: how.grace },
        keep: MAX_OUTPUT,
        names_directory: false,
        runs_plain_files: false,
    })
}
