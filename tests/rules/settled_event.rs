//! One event of a session, fired with reports that a test gives.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::collections::VecDeque;
use std::sync::Arc;

use hookbench::app::{InputRequest, build_input};
use hookbench::core::config::{LoadedConfig, MemoryFiles, Place};
use hookbench::core::decide::Outcome;
use hookbench::core::dialects::{self, Dialect, Scene, SessionMemory};
use hookbench::core::firing::{Firing, FiringStep};
use hookbench::core::run::{Launch, RunReport, RunRequest};

/// Fires an event and returns its outcome. `answer` gives the report of each run that the agent starts.
pub(crate) fn settle(
    dialect: &'static dyn Dialect,
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
            FiringStep::Kill(_) | FiringStep::Read(_) | FiringStep::Decided(_) => {}
        }
    }
}

/// The scene of an event in a session without a terminal, in the agent's default version.
pub(crate) fn scene_of(
    dialect: &'static dyn Dialect,
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
        memory: SessionMemory { stops_blocked },
    }
}
