//! One event of a session, fired with reports that a test gives.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::collections::VecDeque;
use std::sync::Arc;

use hookbench::app::{InputRequest, build_input};
use hookbench::core::config::{LoadedConfig, MemoryFiles, Place};
use hookbench::core::decide::Outcome;
use hookbench::core::dialects::{self, Agent, Scene, SessionMemory};
use hookbench::core::firing::{Firing, FiringStep};
use hookbench::core::run::{Exit, Launch, RunReport, RunRequest};
use serde_json::Value;

/// Fires an event and returns its outcome. `answer` gives the report of each run that the agent starts.
pub(crate) fn settle(
    dialect: &'static Agent,
    scene: Scene,
    mut answer: impl FnMut(&RunRequest) -> RunReport,
) -> Outcome {
    let (mut firing, steps) = Firing::start(dialect, scene);
    let mut steps = VecDeque::from(steps);
    loop {
        match steps.pop_front().unwrap() {
            FiringStep::Launch(run) => {
                if !matches!(run.launch, Launch::Refused(_) | Launch::Canned { .. }) {
                    steps.extend(firing.report(answer(&run)));
                }
            }
            FiringStep::Settled(outcome) => return *outcome,
            FiringStep::Pause | FiringStep::Kill(_) | FiringStep::Read(_) | FiringStep::Decided(_) => {}
        }
    }
}

/// The scene of an event in a session without a terminal, in the agent's default version.
pub(crate) fn scene_of(
    dialect: &'static Agent,
    place: &Arc<Place>,
    files: &MemoryFiles,
    loaded: &Arc<LoadedConfig>,
    request: &InputRequest,
    stops_blocked: u32,
) -> Scene {
    let version = |_: &'static str| dialects::default_version(dialect);
    Scene {
        input: build_input(request, place, files, &version).unwrap().input,
        loaded: Arc::clone(loaded),
        place: Arc::clone(place),
        version: dialects::default_version(dialect),
        headless: true,
        memory: SessionMemory { stops_blocked, ..SessionMemory::default() },
    }
}

/// Fires an event of an agent in a session without a terminal, over these files, with the first example of its payload.
/// Returns the commands that start, with their payloads, and the outcome. `answer` gives status, stdout and stderr by
/// command.
pub(crate) fn fire_over(
    agent: &str,
    place: Place,
    files: &[(&str, Value)],
    request: &InputRequest,
    stops_blocked: u32,
    mut answer: impl FnMut(&str) -> (i32, String, String),
) -> (Vec<(String, Value)>, Outcome) {
    let dialect = dialects::by_id(agent).unwrap();
    let mut memory = MemoryFiles::default();
    for (path, content) in files {
        memory.put(*path, content.as_str().map_or_else(|| content.to_string(), str::to_owned));
    }
    let loaded = dialect.load(&place, &memory, &dialects::default_version(dialect));
    let request = InputRequest { agent: Some(dialect.id()), ..request.clone() };
    let scene = scene_of(dialect, &Arc::new(place), &memory, &loaded, &request, stops_blocked);
    let mut started = Vec::new();
    let outcome = settle(dialect, scene, |run| {
        let Launch::Process(spec) = &run.launch else { panic!("{:?}", run.launch) };
        let command = spec.args.last().unwrap_or(&spec.program).clone();
        let (code, stdout, stderr) = answer(&command);
        started.push((command, serde_json::from_slice(&spec.stdin).unwrap()));
        RunReport::new(run.run, Exit::Code(code), stdout, stderr)
    });
    (started, outcome)
}
