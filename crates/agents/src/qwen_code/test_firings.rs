//! Whole firings for tests: hooks that exit with a status and print.

use serde_json::{Value, json};

use super::AGENT;
use crate::kernel::test::{TestAnswer, command_hooks, decide, place, runs, scene};
use hookbench_base::config::MemoryFiles;
use hookbench_base::decide::Outcome;
use hookbench_base::plan::Plan;

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
        let hooks = command_hooks(answers.len());
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

/// Returns the plan of an event over these files.
pub fn plan(event: &str, files: &MemoryFiles) -> Plan {
    AGENT.plan(&scene(&AGENT, "0.24.4", event, files, &place()))
}

/// Runs every hook of the plan in parallel, and decides.
pub fn run(sketch: &TestFiring) -> Outcome {
    let mut scene = scene(&AGENT, sketch.version, &sketch.event, &sketch.files(), &place());
    scene.memory.stops_blocked = sketch.stops_blocked;
    let answers: Vec<TestAnswer<'_>> =
        sketch.answers.iter().map(|(code, stdout, stderr)| Some((*code, stdout.as_str(), stderr.as_str()))).collect();
    decide(&AGENT, &scene, &runs(&AGENT, &scene, &answers))
}
