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

/// One firing with one project file.
#[derive(Debug, Clone)]
pub struct TestFiring {
    pub event: String,
    pub hooks: Vec<Value>,
    /// Exit status, stdout and stderr of each hook, by its number.
    pub answers: Vec<(i32, String, String)>,
    /// Settings besides the hooks.
    pub settings: Value,
    pub stops_blocked: u32,
    pub version: &'static str,
}

impl TestFiring {
    /// Creates parallel hooks `h1`, `h2`, …, each of which exits and prints as given.
    pub fn new(event: &str, answers: &[(i32, &str, &str)]) -> TestFiring {
        let hooks = (1..=answers.len()).map(|i| json!({"type": "command", "command": format!("run h{i}")})).collect();
        let answers = answers.iter().map(|(code, out, err)| (*code, (*out).to_owned(), (*err).to_owned())).collect();
        TestFiring { event: event.to_owned(), hooks, answers, settings: json!({}), stops_blocked: 0, version: "0.24.4" }
    }

    /// Adds a hook that only the model can answer.
    pub fn add_prompt_hook(&mut self) {
        self.hooks.push(json!({"type": "prompt", "prompt": "ok?"}));
    }

    fn files(&self) -> MemoryFiles {
        let mut files = MemoryFiles::default();
        let mut settings = json!({"$version": 4, "hooks": {self.event.as_str(): [{"hooks": self.hooks}]}});
        if let (Some(all), Some(more)) = (settings.as_object_mut(), self.settings.as_object()) {
            all.extend(more.clone());
        }
        files.put("/p/.qwen/settings.json", settings.to_string());
        files
    }
}

/// Returns a place with the project `/p` and the home `/h`.
pub fn place() -> Place {
    Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() }
}

/// Returns the scene of an event's first example over these files.
pub fn scene(event: &str, files: &MemoryFiles, place: &Place, version: &str) -> Scene {
    let version = Version::parse(version).unwrap();
    let spec = super::events::EVENTS.by_name(event).unwrap();
    let body = AGENT.examples(spec, place, &version).swap_remove(0).body;
    let subject = AGENT.subject(spec, &body, &version);
    Scene {
        input: HookInput { event: event.to_owned(), subject, body },
        loaded: AGENT.load(place, files, &version),
        place: Arc::new(place.clone()),
        version,
        headless: false,
        memory: SessionMemory::default(),
    }
}

/// Returns the plan of an event over these files.
pub fn plan(event: &str, files: &MemoryFiles) -> Plan {
    AGENT.plan(&scene(event, files, &place(), "0.24.4"))
}

/// Runs every hook of the plan in parallel, and decides.
pub fn run(sketch: &TestFiring) -> Outcome {
    let mut scene = scene(&sketch.event, &sketch.files(), &place(), sketch.version);
    scene.memory.stops_blocked = sketch.stops_blocked;
    let plan = AGENT.plan(&scene);
    let definitions = plan.firing().filter_map(|entry| scene.loaded.definition(&entry.hook));
    let finished: Vec<HookRun> = (0..)
        .zip(definitions)
        .map(|(number, definition)| {
            let run = RunId(number);
            let launch = AGENT.launch(definition, &scene);
            let report = match &launch {
                Launch::Process(spec) => {
                    let number: usize = spec.args.last().unwrap().trim_start_matches("run h").parse().unwrap();
                    let (code, stdout, stderr) = sketch.answers[number - 1].clone();
                    RunReport::new(run, Exit::Code(code), stdout, stderr)
                }
                _ => RunReport::new(run, Exit::Unanswered, "", ""),
            };
            let output = AGENT.interpret_run(definition, &report, &scene);
            let hook = definition.id.clone();
            HookRun { run, hook, awaited: true, launch, input: scene.input.clone(), report, output }
        })
        .collect();
    AGENT.decide(&plan, FiringRuns { finished: &finished, expired: false, aborted: None }, &scene)
}
