//! Tries one hook for lint: runs it with an event, and once more without each program that it needs.

use std::sync::Arc;
use std::time::Duration;

use super::{HookRunner, choose_deed, world};
use crate::analysis::lint::HookObservation;
use crate::disk::files::DiskFiles;
use crate::firing::history::gist;
use crate::stress::{LintTrial, WorldCondition, WorldResult};
use hookbench_core::decide::HookRun;
use hookbench_core::diagnostic::{Code, Diagnostic};
use hookbench_core::lint::run_advice::{FiringContext, RunContext, check_firing, check_run};
use hookbench_core::lint::{CommandFacts, script_digest};
use hookbench_core::run::deciding_line;
use hookbench_core::script_keys::{bare_name, interpreter_of};

/// The longest search for an event that the hook refuses.
const LONGEST_SEARCH: Duration = Duration::from_secs(3);

/// Runs a hook with the first event that it refuses, or else the first one that it runs for, and then without each program
/// that it needs. Returns what the agent makes of its real answers. Dropping the future ends every process that it has
/// started.
pub async fn try_hook(trial: LintTrial) -> Result<HookObservation, String> {
    let LintTrial { request, script } = trial;
    let runner = Arc::new(HookRunner::create(request).await?);
    let (body, first, _) = choose_deed(&runner, LONGEST_SEARCH).await?;
    let request = runner.request();
    let event_text = gist(Some(request.event), &body).map(|gist| format!(" on `{gist}`")).unwrap_or_default();
    let mut observed = HookObservation {
        agent: request.dialect.id(),
        definition: request.definition.clone(),
        loaded: Arc::clone(&request.loaded),
        script: script
            .as_ref()
            .map(|script| (script.path.clone(), script_digest(&script.path, &script.text, &request.place, &DiskFiles))),
        message: format!("{}{event_text}: {}", first.outcome.verdict.title().to_lowercase(), first.explanation()),
        line: script.as_ref().zip(first.run.as_ref()).and_then(|(of, run)| deciding_line(&of.text, &run.report)),
        found: Vec::new(),
    };
    let Some(run) = &first.run else { return Ok(observed) };
    let interpreter = script.as_ref().map(|script| interpreter_of(None, &script.path, &script.text));
    let (scene, facts) = (request.scene(&body), CommandFacts { script, ..CommandFacts::default() });
    let (dialect, event, definition) = (request.dialect, request.event, &request.definition);
    let mut found = run.output.notes.clone();
    found.extend(check_run(&RunContext { dialect, scene: &scene, event, definition, run, facts: &facts }));
    let runs: [&HookRun; 1] = [run];
    let firing = FiringContext { dialect, scene: &scene, event, runs: &runs, outcome: &first.outcome };
    found.extend(check_firing(&firing).into_iter().map(|(_, one)| one));
    if first.refuses() {
        // No script can refuse without the program that runs it.
        let is_needed = |program: &&String| {
            Some(bare_name(program)) != interpreter.as_deref()
                && definition.handler.text().split_whitespace().next() != Some(program.as_str())
        };
        for program in request.programs.iter().filter(is_needed) {
            let condition = WorldCondition::WithoutProgram(program.clone());
            let row = world::try_condition(&runner, condition, &body, &first, None).await;
            if row.result == WorldResult::FailsOpen {
                let says =
                    format!("without {program}, the hook does not refuse what it refuses now: {}", row.explanation);
                let cure = format!("refuse if {program} is missing, so that the guard fails closed");
                found.push(Diagnostic::new(Code::HW637, says).at(definition.provenance.span).with_help(cure));
            }
        }
    }
    observed.found = found;
    Ok(observed)
}
