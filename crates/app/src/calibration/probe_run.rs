//! One probe: the session of the agent, the same events fired here, and the comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;

use super::headless_session::AgentProgram;
use super::result::{ProbeOutcome, ProbeResult, SilentProbe};
use super::scratch::ProbeScratch;
use crate::disk::files::DiskFiles;
use crate::environment::agent_process::NO_PROXY;
use crate::firing::input::InputRequest;
use crate::firing::record::FiringRecord;
use crate::firing::setup::{CannedReports, FiringSetup};
use hookbench_core::calibration::{
    Difference, NotedRun, PredictedFiring, Probe, ProbeDirectories, ProgramTables, SeenFiring, SessionEvidence, Survey,
    SurveyEvidence, SurveyReading, TOOL_OUTPUT, cited_rules, compare_firing, declared_names, group_firings,
    marks_of_outcome,
};
use hookbench_core::config::Place;
use hookbench_core::dialects::{Agent, SessionState, find_event, held_payload};
use hookbench_core::hook::Handler;
use hookbench_core::model_interface::ModelRequest;
use hookbench_core::names::RuleId;
use hookbench_core::run::Launch;
use hookbench_system::disk::canonical;
use hookbench_system::model_server::ModelServer;

/// The number of sessions that must differ before a probe does.
const ATTEMPTS: u32 = 3;

/// Runs a probe.
pub(super) async fn run_probe(program: &AgentProgram, probe: Probe) -> ProbeResult {
    let started = Instant::now();
    let mut rules = BTreeSet::new();
    let mut tables = ProgramTables::default();
    let mut attempt = 1;
    let outcome = loop {
        match observe(program, &probe, &mut rules, &mut tables).await {
            Ok(differences) if differences.is_empty() => break ProbeOutcome::Agrees,
            // An agent that asked its model and did not end may have had too little of a busy machine.
            Err(failure) if failure.model_asked && attempt == 1 => attempt += 1,
            Err(failure) => break ProbeOutcome::Failed(failure.why),
            Ok(differences) if attempt == ATTEMPTS || program.is_too_old() => break ProbeOutcome::Differs(differences),
            // On a busy machine, an agent may end before a hook has noted that it runs.
            Ok(_) => attempt += 1,
        }
    };
    ProbeResult {
        rules: rules.into_iter().collect(),
        settings: probe.settings.clone().unwrap_or_default(),
        id: probe.id,
        says: probe.says,
        outcome,
        tables,
        duration: started.elapsed(),
    }
}

/// The reason why a session shows nothing.
struct SessionFailure {
    why: String,
    /// Whether the agent asked its model before.
    model_asked: bool,
}

impl<T: Into<String>> From<T> for SessionFailure {
    fn from(why: T) -> SessionFailure {
        SessionFailure { why: why.into(), model_asked: false }
    }
}

/// Runs the session and fires its events.
async fn observe(
    program: &AgentProgram,
    probe: &Probe,
    rules: &mut BTreeSet<RuleId>,
    tables: &mut ProgramTables,
) -> Result<Vec<Difference>, SessionFailure> {
    let scratch = ProbeScratch::create(program)?;
    let at = &scratch.directories;
    scratch.lay(program, probe)?;
    let link = scratch.isolation.as_ref().and_then(|spec| spec.link.as_deref());
    let model = program.start_model(probe, at, link).await;
    let model = model.map_err(|why| format!("cannot start a stand-in of the model: {why}"))?;
    let place = program.place(Path::new(&at.project), Path::new(&at.home), &scratch.temporary(), probe, &model.url);
    // Loaded before the session, because the agent may change its own files.
    let files = DiskFiles;
    let loaded = program.dialect.load(&place, &files, program.version());
    let runs = run_session(program, probe, &model, &place, &scratch).await?;
    let given = given_variables(&place);
    for run in &runs {
        tables.add_requests(&run.requests);
        run.firings.iter().flat_map(|firing| &firing.runs).for_each(|noted| tables.add_run(noted, &given));
    }
    let tool_output = hookbench_system::disk::read_text(Path::new(&at.project).join(TOOL_OUTPUT)).ok();
    let setup = FiringSetup {
        place,
        dialect: program.dialect,
        version: program.version().clone(),
        loaded,
        headless: true,
        contain: false,
        prefix: Vec::new(),
        timeout_scale: 1.0,
    };
    let environment: BTreeMap<String, String> = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .collect();
    let mut differences = Vec::new();
    let mut state = SessionState::default();
    let mut told = BTreeSet::new();
    let unseen = unseen_firings(probe, &runs, &setup);
    let last = runs.last().ok_or("the agent did not run")?;
    let mut firings: Vec<(&SessionRun, usize, &SeenFiring)> = Vec::new();
    for run in &runs {
        firings.extend(run.firings.iter().enumerate().map(|(index, firing)| (run, index, firing)));
    }
    firings.extend(unseen.iter().map(|firing| (last, usize::MAX, firing)));
    for (run, index, firing) in firings {
        let (agent, payload) = (Some(setup.dialect.id()), Some(firing.payload.clone()));
        let request = InputRequest { agent, payload, ..InputRequest::default() };
        let input =
            setup.build(&request).map_err(|why| format!("the payload of the agent is not understood: {why}"))?;
        let fired = input.input.clone();
        let memory = state.memory(&fired.event);
        let record = setup.fire_after(memory.clone(), input, &CannedReports::new()).await;
        let record = record.ok_or("the firing here was lost")?;
        let outcome = record.outcome.as_ref().ok_or("the firing here has no outcome")?;
        let noted = held(setup.dialect, scratch.take_log());
        let reasons = hook_reasons(&record, at);
        let predicted = PredictedFiring {
            runs: &noted,
            reasons: &reasons,
            scratch_variables: &scratch_variables(&record),
            told_before: &told,
            outcome,
            schedule: record.plan.schedule,
            action: setup.dialect.headless_format().observable_action(&fired.event),
        };
        let evidence = SessionEvidence {
            requests: &run.requests,
            tool_output: tool_output.as_deref(),
            printed: &run.printed,
            event_repeats: run.firings.iter().skip(index.saturating_add(1)).any(|later| later.repeats(firing)),
            environment: &environment,
        };
        rules.extend(cited_rules(&predicted));
        let marks = marks_of_outcome(outcome);
        let found = compare_firing(firing, &predicted, &evidence);
        differences.extend(found.into_iter().map(|found| without_paths(found, at)));
        told.extend(marks);
        setup.dialect.remember(&mut state, &fired, &memory, outcome);
    }
    Ok(differences)
}

/// The variables that the agent itself is given.
pub(super) fn given_variables(place: &Place) -> BTreeSet<String> {
    place.env.keys().cloned().chain(NO_PROXY.iter().map(|(name, _)| (*name).to_owned())).collect()
}

/// The observations of one run of the agent.
struct SessionRun {
    firings: Vec<SeenFiring>,
    requests: Vec<ModelRequest>,
    printed: String,
}

/// Runs the agent once for each prompt of the probe.
async fn run_session(
    program: &AgentProgram,
    probe: &Probe,
    model: &ModelServer,
    place: &Place,
    scratch: &ProbeScratch,
) -> Result<Vec<SessionRun>, SessionFailure> {
    let mut runs = Vec::new();
    let file = scratch.base.join("spec");
    let isolation = scratch.isolation.as_ref().map(|spec| (spec, file.as_path()));
    let first = (probe.prompt.as_deref().unwrap_or("run it"), false);
    for prompt in std::iter::once(first).chain(probe.then.iter().map(|prompt| (prompt.as_str(), true))) {
        let run = program.run(probe, model, place, isolation, prompt).await?;
        if let Some(why) = run.failure() {
            return Err(SessionFailure { why, model_asked: !run.requests.is_empty() });
        }
        let firings = group_firings(held(program.dialect, scratch.take_log()));
        if firings.is_empty() && run.requests.is_empty() {
            return Err(run.nothing_shown().into());
        }
        runs.push(SessionRun { firings, printed: run.printed(), requests: run.requests });
    }
    Ok(runs)
}

/// A difference with placeholders in place of the scratch directories.
fn without_paths(found: Difference, at: &ProbeDirectories) -> Difference {
    let plain = |text: &str| text.replace(&at.project, "{{project}}").replace(&at.home, "{{home}}");
    Difference { predicted: plain(&found.predicted), seen: plain(&found.seen), ..found }
}

/// The same runs, with payloads as hookbench holds them.
pub(super) fn held(dialect: &Agent, runs: Vec<NotedRun>) -> Vec<NotedRun> {
    runs.into_iter().map(|run| NotedRun { stdin: held_payload(dialect, run.stdin), ..run }).collect()
}

/// The variables that name a file which each run has for itself.
fn scratch_variables(record: &FiringRecord) -> Vec<String> {
    let of = |launch: &Launch| match launch {
        Launch::Process(spec) => spec.env.scratch_files.clone(),
        _ => Vec::new(),
    };
    record.runs.iter().flat_map(|run| of(&run.launch)).collect()
}

/// The name of each hook of the probe, and the rule by which it runs or does not.
fn hook_reasons(record: &FiringRecord, at: &ProbeDirectories) -> Vec<(String, RuleId)> {
    let name = |id: &str| {
        let definition = record.loaded.definition(id)?;
        let Handler::Command(handler) = &definition.handler else { return None };
        Some(handler.command.strip_prefix(&at.hooks)?.trim_start_matches('/').to_owned())
    };
    let named = |id: &str| name(id).unwrap_or_else(|| id.to_owned());
    let lost = record.plan.lost.iter().map(|loss| (String::new(), loss.why.rule));
    record.plan.entries.iter().map(|entry| (named(&entry.hook), entry.why.rule)).chain(lost).collect()
}

/// The events of the probe that were not seen, as firings in which no hook ran.
fn unseen_firings(probe: &Probe, runs: &[SessionRun], setup: &FiringSetup) -> Vec<SeenFiring> {
    let written = probe.settings.as_ref().and_then(|settings| settings.get("hooks")).and_then(Value::as_object);
    let written = written.into_iter().flat_map(serde_json::Map::keys);
    let loaded = setup.loaded.definitions.iter().map(|definition| &definition.event);
    let events: BTreeSet<&String> = written.chain(loaded).collect();
    let seen = |event: &str| {
        let main = setup.dialect.main_spelling(event);
        runs.iter().flat_map(|run| &run.firings).any(|firing| firing.event() == main)
    };
    let known = |event: &str| find_event(setup.dialect, &setup.version, event).is_some();
    let missing = events.into_iter().filter(|event| !seen(event) && known(event));
    let payload = |event: &String| serde_json::json!({ "hook_event_name": event, "cwd": setup.place.project });
    missing.map(|event| SeenFiring { payload: payload(event), runs: Vec::new() }).collect()
}

/// Runs a survey.
pub(super) async fn run_survey(program: &AgentProgram, survey: &Survey) -> Result<ProgramTables, SilentProbe> {
    let asked = ask(program, survey).await;
    asked.map_err(|why| SilentProbe { id: survey.probe.id.clone(), why })
}

async fn ask(program: &AgentProgram, survey: &Survey) -> Result<ProgramTables, String> {
    if let SurveyReading::EventsInProgram { before, .. } = &survey.reads {
        let text = texts_of_program(program.path(), before);
        let declared = BTreeSet::new();
        let evidence = SurveyEvidence { printed: "", file: Some(&text), requests: &[], runs: &[], declared: &declared };
        return survey.read(&evidence);
    }
    let declared = names_of_declarations(program.path());
    let probe = survey.session(program.dialect, &declared);
    let scratch = ProbeScratch::create(program)?;
    scratch.lay(program, &probe)?;
    let link = scratch.isolation.as_ref().and_then(|spec| spec.link.as_deref());
    let model = program.start_model(&probe, &scratch.directories, link).await;
    let model = model.map_err(|why| format!("cannot start a stand-in of the model: {why}"))?;
    let (project, home) = (Path::new(&scratch.directories.project), Path::new(&scratch.directories.home));
    let place = program.place(project, home, &scratch.temporary(), &probe, &model.url);
    let file = scratch.base.join("spec");
    let isolation = scratch.isolation.as_ref().map(|spec| (spec, file.as_path()));
    let prompt = (probe.prompt.as_deref().unwrap_or("run it"), false);
    let run = program.run(&probe, &model, &place, isolation, prompt).await?;
    if let Some(why) = run.failure() {
        return Err(why);
    }
    let written = match &survey.reads {
        SurveyReading::EventList { file, .. } => hookbench_system::disk::read_text(project.join(file)).ok(),
        SurveyReading::UnknownEventsInLog { below, .. } => {
            let files = entries(Path::new(&scratch.directories.fill(below)));
            Some(files.iter().filter_map(|path| hookbench_system::disk::read_text(path).ok()).collect())
        }
        _ => None,
    };
    let runs = held(program.dialect, scratch.take_log());
    let printed = run.printed();
    let evidence = SurveyEvidence {
        printed: &printed,
        file: written.as_deref(),
        requests: &run.requests,
        runs: &runs,
        declared: &declared,
    };
    let mut tables = survey.read(&evidence)?;
    tables.add_requests(&run.requests);
    let given = given_variables(&place);
    for noted in &runs {
        tables.add_run(noted, &given);
    }
    Ok(tables)
}

/// The scripts of a program that contain a text: those beside the file that its command runs, and in directories there.
fn texts_of_program(program: &Path, wanted: &str) -> String {
    let Ok(program) = canonical(program) else { return String::new() };
    let beside = program.parent().map(entries).unwrap_or_default();
    let below = beside.iter().filter(|path| path.is_dir()).flat_map(|path| entries(path));
    let all = beside.iter().cloned().chain(below).filter(|path| has_ending(path, ".js"));
    let texts = all.filter_map(|path| hookbench_system::disk::read_text(path).ok());
    texts.filter(|text| text.contains(wanted)).collect()
}

/// The names in type declarations of the packages that belong to the publisher of the program, such as its SDK.
fn names_of_declarations(program: &Path) -> BTreeSet<String> {
    let Ok(program) = canonical(program) else { return BTreeSet::new() };
    let of_publisher = |path: &&Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('@'));
    let packages = program.ancestors().find(of_publisher).map(entries).unwrap_or_default();
    let files = packages.iter().flat_map(|package| entries(package)).filter(|path| has_ending(path, ".d.ts"));
    files
        .filter_map(|path| hookbench_system::disk::read_text(path).ok())
        .flat_map(|text| declared_names(&text))
        .collect()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending))
}
