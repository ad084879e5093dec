//! Whole firings for tests: hooks that exit with a status and print.

use serde_json::{Value, json};

use super::AGENT;
use crate::kernel::test::{command_hooks, file, outcome, place, scene};
use hookbench_base::config::MemoryFiles;
use hookbench_base::decide::Outcome;
use hookbench_base::dialects::Scene;
use hookbench_base::plan::Plan;
use hookbench_base::run::Launch;

const VERSION: &str = "1.0.102";

/// Returns files that make the agent trust the project.
pub fn trusting() -> MemoryFiles {
    file("/h/.copilot/config.json", r#"{"trustedFolders": ["/p"]}"#)
}

/// Returns the plan of an event over these files.
pub fn plan_event(event: &str, files: &MemoryFiles) -> Plan {
    AGENT.plan(&scene(&AGENT, VERSION, event, files, &place()))
}

/// Returns a scene in which the user has these hooks on an event.
pub fn scene_with(event: &str, hooks: &Value) -> Scene {
    let settings = json!({"hooks": {event: hooks}}).to_string();
    scene(&AGENT, VERSION, event, &file("/h/.copilot/hooks/h.json", settings), &place())
}

/// Returns how one hook is launched.
pub fn launch_hook(event: &str, hook: &Value) -> Launch {
    let scene = scene_with(event, &json!([hook]));
    AGENT.launch(&scene.loaded.definitions[0], &scene)
}

/// Returns the outcome of hooks that exit with a status and print to stdout and stderr.
pub fn run_hooks(event: &str, answers: &[(i32, &str, &str)], headless: bool) -> Outcome {
    let scene = Scene { headless, ..scene_with(event, &Value::from(command_hooks(answers.len()))) };
    outcome(&AGENT, &scene, answers)
}
