//! Whole firings for tests: hooks that exit with a status and print.

use serde_json::{Value, json};

use super::AGENT;
use crate::kernel::test::{command_hooks, file, outcome, place, scene};
use hookbench_base::config::{MemoryFiles, Place};
use hookbench_base::decide::Outcome;
use hookbench_base::dialects::Scene;
use hookbench_base::plan::Plan;
use hookbench_base::run::Launch;

const VERSION: &str = "0.61.0";

/// Returns files that make the agent trust the project.
pub fn trusting() -> MemoryFiles {
    file("/h/.gemini/trustedFolders.json", r#"{"/": "TRUST_FOLDER"}"#)
}

/// Returns the plan of an event over these files.
pub fn plan_event(event: &str, files: &MemoryFiles) -> Plan {
    AGENT.plan(&scene(&AGENT, VERSION, event, files, &place()))
}

/// Returns a scene in which the project has these hooks on an event.
fn scene_with(event: &str, hooks: &Value, place: &Place) -> Scene {
    let mut files = trusting();
    let settings = json!({"hooks": {event: [{"hooks": hooks}]}});
    files.put(format!("{}/.gemini/settings.json", place.project), settings.to_string());
    scene(&AGENT, VERSION, event, &files, place)
}

/// Returns how one hook on `BeforeTool` is launched.
pub fn launch_hook(hook: &Value, place: &Place) -> Launch {
    let scene = scene_with("BeforeTool", &json!([hook]), place);
    AGENT.launch(&scene.loaded.definitions[0], &scene)
}

/// Returns the outcome of hooks that exit with a status and print to stdout and stderr.
pub fn run_hooks(event: &str, answers: &[(i32, &str, &str)]) -> Outcome {
    outcome(&AGENT, &scene_with(event, &Value::from(command_hooks(answers.len())), &place()), answers)
}
