//! How a definition runs: a program without a shell, with the payload on stdin.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::commands;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{Handler, HookDefinition};
use hookbench_base::run::{EnvChange, FinishCondition, HookVariable, KillSpec, Launch, ProcessSpec};
use hookbench_base::text::stringify;

/// The largest payload in bytes.
pub const LARGEST_INPUT: usize = 10 * 1024 * 1024;
/// The number of bytes that are kept of each stream.
const KEPT: usize = 1 << 20;
/// The time between SIGTERM and SIGKILL, which the documents leave open.
const GRACE: Duration = Duration::from_secs(2);

/// Returns how to run a definition on this event.
pub fn launch(definition: &HookDefinition, scene: &Scene) -> Launch {
    let Handler::Command(handler) = &definition.handler else {
        return Launch::Refused("in-process JavaScript, which hookbench does not run".to_owned());
    };
    if let Some(error) = commands::start_error(&scene.loaded, &definition.id) {
        return Launch::Refused(error);
    }
    let stdin = stringify(&scene.input.body).into_bytes();
    if stdin.len() > LARGEST_INPUT {
        return Launch::Refused(format!("the input has {} bytes; the limit is {LARGEST_INPUT}", stdin.len()));
    }
    let cwd = scene.input.body.get("cwd").and_then(Value::as_str).filter(|cwd| cwd.starts_with('/'));
    let home = scene.place.home_given.then(|| HookVariable::of_user("HOME", &scene.place.home));
    Launch::Process(ProcessSpec {
        program: handler.command.clone(),
        args: handler.args.clone().unwrap_or_default(),
        cwd: cwd.unwrap_or(&scene.place.project).to_owned(),
        env: EnvChange { set: home.into_iter().collect(), ..EnvChange::default() },
        stdin: Arc::from(stdin),
        timeout: definition.timeout,
        finish: FinishCondition::AtEof,
        kill: KillSpec { grace: GRACE },
        keep: KEPT,
        names_directory: false,
        runs_plain_files: false,
    })
}
