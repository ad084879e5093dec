//! A run of a hook that prints given texts, read by its agent.

use std::sync::Arc;

use crate::config::LoadedConfig;
use crate::decide::{FiringRuns, HookRun, Outcome};
use crate::dialects::{RuleContext, Scene};
use crate::hook::HookInput;
use crate::lint::CommandFacts;
use crate::lint::run_advice::RunContext;
use crate::names::RunId;
use crate::run::{Exit, RunReport};

/// A run that did not take place, and its firing.
pub(super) struct Simulation {
    pub scene: Scene,
    pub run: HookRun,
}

impl Simulation {
    /// The run as the rules for runs read it.
    pub fn run_context<'a>(&'a self, at: &RuleContext<'a>, facts: &'a CommandFacts) -> RunContext<'a> {
        RunContext {
            dialect: at.agent.dialect,
            scene: &self.scene,
            event: at.event,
            definition: at.definition,
            run: &self.run,
            facts,
        }
    }

    /// The outcome of the firing if this is its only run.
    pub fn outcome(&self, at: &RuleContext<'_>) -> Outcome {
        let plan = at.agent.dialect.plan(&self.scene);
        let runs = FiringRuns { finished: std::slice::from_ref(&self.run), expired: false, aborted: None };
        at.agent.dialect.decide(&plan, runs, &self.scene)
    }
}

/// Returns the run in which a hook prints these texts and ends with this status, on the first example that it matches. `None`
/// if the event has no example.
pub(super) fn simulate(at: &RuleContext<'_>, stdout: &str, stderr: &str, exit: i32) -> Option<Simulation> {
    simulate_report(at, RunReport::new(RunId(1), Exit::Code(exit), stdout, stderr))
}

/// Returns the run in which the model answers the prompt of a hook with this text.
pub(super) fn simulate_model(at: &RuleContext<'_>, answer: &str) -> Option<Simulation> {
    simulate_report(at, RunReport::new(RunId(1), Exit::Answered { by: None }, answer, ""))
}

fn simulate_report(at: &RuleContext<'_>, report: RunReport) -> Option<Simulation> {
    let whole = at.agent;
    let examples = whole.examples(at.event);
    let of_matcher = whole.matched_examples(at.event, at.definition.matcher.as_ref());
    let index = of_matcher.iter().position(|(_, is_match)| *is_match == Some(true)).unwrap_or(0);
    let (example, (subject, _)) = examples.get(index).zip(of_matcher.get(index))?;
    let (body, subject) = (example.body.clone(), subject.clone());
    let input = HookInput { event: at.event.name.to_owned(), subject, body };
    let loaded = LoadedConfig {
        definitions: vec![at.definition.clone()],
        agent_settings: whole.loaded.agent_settings.clone(),
        ..LoadedConfig::default()
    };
    let scene = Scene::new(input.clone(), Arc::new(loaded), Arc::clone(whole.place), whole.version.clone());
    let output = whole.dialect.interpret_run(at.definition, &report, &scene);
    let launch = whole.dialect.launch(at.definition, &scene);
    let hook = at.definition.id.clone();
    let run = HookRun { run: RunId(1), hook, awaited: true, launch, input, report, output };
    Some(Simulation { scene, run })
}
