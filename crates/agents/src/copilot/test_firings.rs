//! Whole firings for tests: hooks that exit with a status and print.

use std::sync::Arc;

use serde_json::{Value, json};

use super::AGENT;
use hookbench_base::config::{MemoryFiles, Place};
use hookbench_base::decide::{FiringRuns, HookRun, Outcome};
use hookbench_base::dialects::{Scene, SessionMemory, Version};
use hookbench_base::hook::HookInput;
use hookbench_base::plan::Plan;
use hookbench_base::run::{Exit, Launch, RunId, RunReport};

/// Returns a place with the project `/p` and the home `/h`.
pub fn place() -> Place {
    Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() }
}

/// Returns files that make the agent trust the project.
pub fn trusting() -> MemoryFiles {
    let mut files = MemoryFiles::default();
    files.put("/h/.copilot/config.json", r#"{"trustedFolders": ["/p"]}"#);
    files
}

/// Returns the scene of an event's first example over these files.
fn scene(event: &str, files: &MemoryFiles) -> Scene {
    let version = Version::new(1, 0, 102);
    let spec = super::events::by_name(event).unwrap();
    let body = AGENT.examples(spec, &place(), &version).swap_remove(0).body;
    Scene {
        input: HookInput { event: event.to_owned(), subject: AGENT.subject(spec, &body, &version), body },
        loaded: AGENT.load(&place(), files, &version),
        place: Arc::new(place()),
        version,
        headless: false,
        memory: SessionMemory::default(),
    }
}

/// Returns the plan of an event over these files.
pub fn plan_event(event: &str, files: &MemoryFiles) -> Plan {
    AGENT.plan(&scene(event, files))
}

/// Returns a scene in which the user has these hooks on an event.
pub fn scene_with(event: &str, hooks: &Value) -> Scene {
    let mut files = MemoryFiles::default();
    files.put("/h/.copilot/hooks/h.json", json!({"hooks": {event: hooks}}).to_string());
    scene(event, &files)
}

/// Returns how one hook is launched.
pub fn launch_hook(event: &str, hook: &Value) -> Launch {
    let scene = scene_with(event, &json!([hook]));
    AGENT.launch(&scene.loaded.definitions[0], &scene)
}

/// Returns the outcome of hooks that exit with a status and print to stdout and stderr.
pub fn run_hooks(event: &str, answers: &[(i32, &str, &str)]) -> Outcome {
    decide(event, answers, false)
}

/// Returns the same in a run without a user to ask.
pub fn run_hooks_headless(event: &str, answers: &[(i32, &str, &str)]) -> Outcome {
    decide(event, answers, true)
}

fn decide(event: &str, answers: &[(i32, &str, &str)], headless: bool) -> Outcome {
    let hooks: Vec<Value> =
        (1..=answers.len()).map(|i| json!({"type": "command", "command": format!("run h{i}")})).collect();
    let scene = Scene { headless, ..scene_with(event, &Value::from(hooks)) };
    let plan = AGENT.plan(&scene);
    let finished: Vec<HookRun> = (0..)
        .zip(&scene.loaded.definitions)
        .zip(answers)
        .map(|((number, definition), (code, stdout, stderr))| {
            let run = RunId(number);
            let report = RunReport::new(run, Exit::Code(*code), *stdout, *stderr);
            let output = AGENT.interpret_run(definition, &report, &scene);
            let launch = AGENT.launch(definition, &scene);
            let hook = definition.id.clone();
            HookRun { run, hook, awaited: true, launch, input: scene.input.clone(), report, output }
        })
        .collect();
    AGENT.decide(&plan, FiringRuns { finished: &finished, expired: false, aborted: None }, &scene)
}
