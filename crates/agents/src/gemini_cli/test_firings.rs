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
    files.put("/h/.gemini/trustedFolders.json", r#"{"/": "TRUST_FOLDER"}"#);
    files
}

/// Returns the scene of an event's first example over these files.
fn scene(event: &str, files: &MemoryFiles, place: &Place) -> Scene {
    let version = Version::new(0, 61, 0);
    let spec = super::events::EVENTS.by_name(event).unwrap();
    let body = AGENT.examples(spec, place, &version).swap_remove(0).body;
    Scene {
        input: HookInput { event: event.to_owned(), subject: AGENT.subject(spec, &body, &version), body },
        loaded: AGENT.load(place, files, &version),
        place: Arc::new(place.clone()),
        version,
        headless: false,
        memory: SessionMemory::default(),
    }
}

/// Returns the plan of an event over these files.
pub fn plan_event(event: &str, files: &MemoryFiles) -> Plan {
    AGENT.plan(&scene(event, files, &place()))
}

/// Returns a scene in which the project has these hooks on an event.
fn scene_with(event: &str, hooks: &Value, place: &Place) -> Scene {
    let mut files = trusting();
    let settings = json!({"hooks": {event: [{"hooks": hooks}]}});
    files.put(format!("{}/.gemini/settings.json", place.project), settings.to_string());
    scene(event, &files, place)
}

/// Returns how one hook on `BeforeTool` is launched.
pub fn launch_hook(hook: &Value, place: &Place) -> Launch {
    let scene = scene_with("BeforeTool", &json!([hook]), place);
    AGENT.launch(&scene.loaded.definitions[0], &scene)
}

/// Returns the outcome of hooks that exit with a status and print to stdout and stderr.
pub fn run_hooks(event: &str, answers: &[(i32, &str, &str)]) -> Outcome {
    let hooks: Vec<Value> =
        (1..=answers.len()).map(|i| json!({"type": "command", "command": format!("run h{i}")})).collect();
    let scene = scene_with(event, &Value::from(hooks), &place());
    let plan = AGENT.plan(&scene);
    let finished: Vec<HookRun> = (0..)
        .zip(&scene.loaded.definitions)
        .zip(answers)
        .map(|((number, definition), (code, stdout, stderr))| {
            let run = RunId(number);
            let report = RunReport::new(run, Exit::Code(*code), *stdout, *stderr);
            let output = AGENT.interpret_run(definition, &report, &scene);
            let launch = AGENT.launch(definition, &scene);
            HookRun {
                run,
                hook: definition.id.clone(),
                awaited: true,
                launch,
                input: scene.input.clone(),
                report,
                output,
            }
        })
        .collect();
    AGENT.decide(&plan, FiringRuns { finished: &finished, expired: false, aborted: None }, &scene)
}
