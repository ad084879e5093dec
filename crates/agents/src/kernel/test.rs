//! Whole firings for unit tests: hooks that exit with a status and print.

use std::sync::Arc;

use serde_json::{Value, json};

use hookbench_base::config::{LoadedConfig, MemoryFiles, Place};
use hookbench_base::decide::{FiringRuns, HookRun, Outcome};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::{Agent, Scene, Version, find_event};
use hookbench_base::hook::{HookDefinition, HookInput};
use hookbench_base::names::RuleId;
use hookbench_base::plan::{Plan, RungName, Schedule, Selection};
use hookbench_base::run::{Exit, RunId, RunReport};

/// A place with the project `/p` and the home `/h`.
pub fn place() -> Place {
    Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() }
}

/// One file.
pub fn file(path: &str, text: impl AsRef<[u8]>) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    files.put(path, text);
    files
}

/// The scene of an event's first example over these files.
pub fn scene(agent: &Agent, version: &str, event: &str, files: &MemoryFiles, place: &Place) -> Scene {
    let version = Version::parse(version).unwrap();
    let spec = find_event(agent, &version, event).unwrap();
    let body = agent.examples(spec, place, &version).swap_remove(0).body;
    Scene::new(
        HookInput { event: event.to_owned(), subject: agent.subject(spec, &body, &version), body },
        agent.load(place, files, &version),
        Arc::new(place.clone()),
        version,
    )
}

/// Command hooks `run h1`, `run h2`, …
pub fn command_hooks(count: usize) -> Vec<Value> {
    (1..=count).map(|number| json!({"type": "command", "command": format!("run h{number}")})).collect()
}

/// A run of a hook: its exit status, stdout and stderr. `None` if only the agent can run it.
pub type TestAnswer<'a> = Option<(i32, &'a str, &'a str)>;

/// The runs of the hooks of a scene; `h1` does what the first answer says.
pub fn runs(agent: &Agent, scene: &Scene, answers: &[TestAnswer<'_>]) -> Vec<HookRun> {
    let plan = agent.plan(scene);
    let definitions = plan.firing().filter_map(|entry| scene.loaded.definition(&entry.hook));
    let run = |(number, definition): (u32, &HookDefinition)| {
        let run = RunId(number);
        let index: usize = definition.id.trim_start_matches('h').parse().unwrap();
        let report = match answers.get(index - 1).copied().flatten() {
            Some((code, stdout, stderr)) => RunReport::new(run, Exit::Code(code), stdout, stderr),
            None => RunReport::new(run, Exit::Unanswered, "", ""),
        };
        HookRun {
            run,
            awaited: !definition.detached,
            launch: agent.launch(definition, scene),
            input: scene.input.clone(),
            output: agent.interpret_run(definition, &report, scene),
            report,
            hook: definition.id.clone(),
        }
    };
    (0..).zip(definitions).map(run).collect()
}

/// The outcome of runs, in the order in which they ended.
pub fn decide(agent: &Agent, scene: &Scene, finished: &[HookRun]) -> Outcome {
    agent.decide(&agent.plan(scene), FiringRuns { finished, expired: false, aborted: None }, scene)
}

/// The outcome of hooks of which each does what its answer says.
pub fn outcome(agent: &Agent, scene: &Scene, answers: &[(i32, &str, &str)]) -> Outcome {
    let answers: Vec<TestAnswer<'_>> = answers.iter().copied().map(Some).collect();
    decide(agent, scene, &runs(agent, scene, &answers))
}

/// The schedule and the order of each hook that fires; for the others, the rule and the rung.
pub type PlanSummary = (Schedule, Vec<String>, Vec<(String, RuleId, Option<RungName>)>);

/// The result of a plan for each hook.
pub fn summary(plan: &Plan) -> PlanSummary {
    let fires = plan.firing().map(|entry| entry.hook.clone()).collect();
    let others = plan.entries.iter().filter(|entry| !matches!(entry.selection, Selection::Fires { .. }));
    (plan.schedule, fires, others.map(|entry| (entry.hook.clone(), entry.why.rule, entry.failed_rung)).collect())
}

/// Code, line and column of every note.
pub fn note_places(loaded: &LoadedConfig) -> Vec<(Code, u32, u32)> {
    let place = |note: &Diagnostic| {
        let at = note.span.map(|span| loaded.sources.start(span));
        assert!(note.help.is_some(), "{} has no help", note.message);
        (note.code, at.map_or(0, |at| at.line), at.map_or(0, |at| at.column))
    };
    loaded.notes.iter().map(place).collect()
}
