//! The assessment of an event by a configuration.

use serde::Serialize;

use super::baseline::outcome_of;
use crate::firing::record::{FiringRecord, leave_out_forwarding};
use crate::firing::setup::FiringSetup;
use hookbench_core::config::LoadedConfig;
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::dialects::{Scene, SessionMemory};
use hookbench_core::firing::{Firing, FiringStep};
use hookbench_core::hook::{HookDefinition, HookInput};
use hookbench_core::names::RungName;
use hookbench_core::plan::{Plan, PlanEntry};
use hookbench_core::recorded::{RecordedEvent, RecordedRun, definition_key, digest};
use hookbench_core::run::{Launch, RunId, RunReport, RunRequest};

/// The hooks that run for an event, and the result.
#[derive(Debug, Clone, PartialEq)]
pub struct EventAssessment {
    /// In the order of the plan.
    pub fires: Vec<FiringHook>,
    /// Hooks that are configured for the event and do not run, with the reason.
    pub skipped: Vec<(FiringHook, String)>,
    /// Sentences about hooks that never run, whatever the event is: the project is not trusted, or a switch is off.
    pub blocked: Vec<String>,
    /// The agent's reaction, or the reason why that is unknown. `decided_by` holds labels instead of hook ids,
    /// because every configuration assigns new ids.
    pub outcome: Result<Outcome, String>,
    /// The label of the hook whose missing run prevents a result.
    pub missing: Option<String>,
    /// Whether only the verdict of the outcome is known, so that its texts cannot be compared.
    pub only_verdict: bool,
    /// Whether this is the recorded result, and not that of a configuration.
    pub is_recorded: bool,
    /// Milliseconds from the first start to the last end, if a hook ran.
    pub took_ms: Option<u64>,
}

/// A hook that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FiresDoc"))]
pub struct FiringHook {
    pub hook: String,
    pub command: String,
    /// `file:line`.
    pub source: Option<String>,
    #[serde(skip)]
    pub why: String,
    /// The exit of the run; null if the hook did not run.
    pub ended: Option<String>,
}

impl FiringHook {
    pub(crate) fn of(definition: &HookDefinition, why: &str) -> FiringHook {
        FiringHook {
            hook: definition.label(),
            command: definition.handler.text(),
            source: Some(format!("{}:{}", definition.provenance.file, definition.provenance.line)),
            why: why.to_owned(),
            ended: None,
        }
    }

    /// The hook of a recorded run.
    pub(crate) fn recorded(run: &RecordedRun) -> FiringHook {
        FiringHook {
            hook: run.hook.clone(),
            command: run.command.clone().unwrap_or_else(|| run.hook.clone()),
            source: None,
            why: "it ran when the event was recorded".to_owned(),
            ended: Some(run.report.exit.describe()),
        }
    }

    /// Returns whether both are the same hook, even if its place in the settings has changed.
    pub fn is_same_hook(&self, other: &FiringHook) -> bool {
        self.command == other.command
    }
}

/// Assesses an event without running hooks. A recorded report answers for a hook if it is complete and has the same
/// definition and stdin.
pub fn assess(
    stage: &FiringSetup,
    memory: SessionMemory,
    input: HookInput,
    recorded: &[RecordedRun],
) -> EventAssessment {
    let scene = Scene {
        input,
        loaded: stage.loaded.clone(),
        place: std::sync::Arc::new(stage.place.clone()),
        version: stage.version.clone(),
        headless: stage.headless,
        memory,
    };
    let mut plan = stage.dialect.plan(&scene);
    let (fires, skipped) = list_hooks(&plan, &stage.loaded);
    let blocked = blocked_hooks(&plan, &stage.loaded);
    leave_out_forwarding(&mut plan, &stage.loaded);
    let (mut firing, mut steps) = Firing::start_planned(stage.dialect, scene, plan);
    let mut used = vec![false; recorded.len()];
    let mut lacks = None;
    let outcome = loop {
        let mut reports = Vec::new();
        let mut missing = None;
        let mut decided = None;
        for step in std::mem::take(&mut steps) {
            match step {
                FiringStep::Launch(request) => match report_of(stage, &request, recorded, &mut used) {
                    Some(found) => reports.push(found),
                    // The agent does not wait for this hook, so it cannot decide.
                    None if !request.awaited => {}
                    None => missing = missing.or(Some(request.hook.clone())),
                },
                FiringStep::Decided(outcome) => decided = Some(*outcome),
                FiringStep::Pause | FiringStep::Kill(_) | FiringStep::Read(_) | FiringStep::Settled(_) => {}
            }
        }
        if let Some(outcome) = decided {
            break Ok(with_labels(outcome, &stage.loaded));
        }
        if let Some(hook) = missing {
            let name = stage.loaded.definition(&hook).map_or(hook, |d| d.label());
            let says = format!("{name} has no recorded run with this definition and this input");
            lacks = Some(name);
            break Err(says);
        }
        // Reports are applied in the order in which they ended, because the order can affect the decision.
        reports.sort_by_key(|(index, _)| *index);
        if reports.is_empty() {
            break Err("no decision".to_owned());
        }
        for (_, report) in reports {
            steps.extend(firing.report(report));
        }
    };
    EventAssessment {
        fires,
        skipped,
        blocked,
        outcome,
        missing: lacks,
        only_verdict: false,
        is_recorded: false,
        took_ms: None,
    }
}

impl EventAssessment {
    /// The same outcome for another event for which the same hooks run, with the explanations of that event's plan.
    pub(crate) fn with_plan(&self, plan: &Plan, loaded: &LoadedConfig) -> EventAssessment {
        let (fires, skipped) = list_hooks(plan, loaded);
        EventAssessment { fires, skipped, blocked: blocked_hooks(plan, loaded), ..self.clone() }
    }
}

/// The assessment from a firing that has run.
pub(crate) fn assess_firing(record: &FiringRecord) -> EventAssessment {
    let (mut fires, skipped) = list_hooks(&record.plan, &record.loaded);
    for (fires, entry) in fires.iter_mut().zip(record.plan.firing()) {
        let ended = record.last_run_of(&entry.hook).and_then(|run| run.ended());
        fires.ended = ended.map(|run| run.report.exit.describe());
    }
    let outcome = record.outcome.clone().map(|outcome| with_labels(outcome, &record.loaded));
    let outcome = outcome.ok_or_else(|| "no decision".to_owned());
    let took = (!record.runs.is_empty()).then(|| u64::try_from(record.duration().as_millis()).unwrap_or(u64::MAX));
    EventAssessment {
        fires,
        skipped,
        blocked: blocked_hooks(&record.plan, &record.loaded),
        outcome,
        missing: None,
        only_verdict: false,
        is_recorded: false,
        took_ms: took,
    }
}

/// The assessment from the recorded runs and outcome of an event. Concurrent hooks ended in a random order, so they are put
/// in that of `place`, then of their commands. `None` if the record does not hold the hooks that ran and the outcome.
pub(crate) fn assess_recorded(event: &RecordedEvent, place: &dyn Fn(&RecordedRun) -> usize) -> Option<EventAssessment> {
    let verdict = event.verdict.as_deref().and_then(Verdict::from_word)?;
    if event.runs.iter().any(|run| run.partial) {
        return None;
    }
    let mut runs: Vec<&RecordedRun> = event.runs.iter().collect();
    runs.sort_by_cached_key(|run| (place(run), run.command.clone(), run.hook.clone()));
    let outcome = match event.outcome.clone() {
        Some(told) => outcome_of(verdict, told),
        None => {
            let blocked = matches!(verdict, Verdict::Deny | Verdict::FailedClosed);
            Outcome { blocked, ..Outcome::without_effect(verdict, "recorded") }
        }
    };
    let took = event.runs.iter().map(|run| run.report.timing.ended).max();
    Some(EventAssessment {
        fires: runs.into_iter().map(FiringHook::recorded).collect(),
        skipped: Vec::new(),
        outcome: Ok(outcome),
        missing: None,
        blocked: Vec::new(),
        only_verdict: event.outcome.is_none(),
        is_recorded: true,
        took_ms: took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
    })
}

fn with_labels(mut outcome: Outcome, loaded: &LoadedConfig) -> Outcome {
    for hook in &mut outcome.decided_by {
        if let Some(definition) = loaded.definition(hook) {
            *hook = definition.label();
        }
    }
    outcome
}

fn list_hooks(plan: &Plan, loaded: &LoadedConfig) -> (Vec<FiringHook>, Vec<(FiringHook, String)>) {
    let of = |hook: &str, why: &str| loaded.definition(hook).map(|d| FiringHook::of(d, why));
    if loaded.refusal.is_some() || plan.lost.is_some() {
        let why = plan.lost.as_ref().map(|lost| lost.why.message.as_str());
        let why = why.or(loaded.refusal.as_ref().map(|r| r.message.as_str())).unwrap_or_default();
        let all = plan.entries.iter().filter_map(|e| Some((of(&e.hook, why)?, why.to_owned())));
        return (Vec::new(), all.collect());
    }
    let fires: Vec<FiringHook> = plan.firing().filter_map(|e| of(&e.hook, &e.why.message)).collect();
    let fire = |hook: &str| plan.firing().any(|e| e.hook == hook);
    let rest = plan.entries.iter().filter(|e| !fire(&e.hook));
    (fires, rest.filter_map(|e| Some((of(&e.hook, &e.why.message)?, e.why.message.clone()))).collect())
}

/// Sentences about the hooks that are stopped before their matcher is tested.
fn blocked_hooks(plan: &Plan, loaded: &LoadedConfig) -> Vec<String> {
    let is_blocked = |entry: &&PlanEntry| matches!(entry.failed_rung, Some(RungName::LayerActive | RungName::Trusted));
    let says = |entry: &PlanEntry| {
        let label = loaded.definition(&entry.hook)?.label();
        Some(format!("{label} does not run: {}", entry.why.message))
    };
    plan.entries.iter().filter(is_blocked).filter_map(says).collect()
}

fn report_of(
    stage: &FiringSetup,
    request: &RunRequest,
    recorded: &[RecordedRun],
    used: &mut [bool],
) -> Option<(usize, RunReport)> {
    let definition = stage.loaded.definition(&request.hook)?;
    let key = definition_key(stage.dialect.id().as_str(), definition);
    let stdin = digest(stdin_of(&request.launch)?);
    // Telemetry does not hold the definition, but the command of a hook without a name.
    let is_own = |run: &RecordedRun| match &run.definition {
        Some(known) => *known == key,
        None => run.command.as_ref() == Some(&definition.handler.text()),
    };
    let fits = |run: &RecordedRun| !run.partial && is_own(run) && run.stdin.as_ref() == Some(&stdin);
    // A definition that occurs twice runs twice, so each recorded run is used once before any is reused.
    let fresh = recorded.iter().enumerate().find(|(index, run)| fits(run) && !used[*index]);
    let (index, run) = fresh.or_else(|| recorded.iter().enumerate().find(|(_, run)| fits(run)))?;
    used[index] = true;
    Some((index, RunReport { run: request.run, ..run.report.clone() }))
}

/// The input of a run. `None` if nothing is run.
fn stdin_of(launch: &Launch) -> Option<&[u8]> {
    match launch {
        Launch::Process(spec) => Some(&spec.stdin),
        Launch::Http(spec) => Some(&spec.body),
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => None,
    }
}

/// Converts the runs of a firing to their stored form.
pub(crate) fn recorded_runs(record: &FiringRecord) -> Vec<RecordedRun> {
    let of = |id: &RunId| {
        let run = record.run(*id)?;
        let ended = run.ended()?;
        let definition = record.loaded.definition(&run.hook)?;
        Some(RecordedRun {
            hook: definition.label(),
            command: Some(definition.handler.text()),
            definition: Some(definition_key(record.agent.as_str(), definition)),
            layer: Some(definition.provenance.layer.word().to_owned()),
            stdin: stdin_of(&ended.launch).map(digest),
            report: ended.report.clone(),
            partial: false,
        })
    };
    record.ended.iter().filter_map(of).collect()
}
