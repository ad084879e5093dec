//! One probe: the session of the agent, the same events fired here, and the comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;

use super::headless_session::AgentProgram;
use super::result::{ProbeOutcome, ProbeResult};
use crate::disk::files::DiskFiles;
use crate::disk::owned_directory::create_owned_directory;
use crate::firing::containment::common_directories;
use crate::firing::input::InputRequest;
use crate::firing::record::FiringRecord;
use crate::firing::setup::{CannedReports, FiringSetup};
use hookbench_core::calibration::{
    Difference, NotedRun, PredictedFiring, Probe, ProbeDirectories, SeenFiring, SessionEvidence, TOOL_OUTPUT,
    cited_rules, compare_firing, group_firings, marks_of_outcome, probe_files, read_hook_log,
};
use hookbench_core::config::Place;
use hookbench_core::dialects::{Agent, SessionState, find_event, held_payload};
use hookbench_core::hook::Handler;
use hookbench_core::model_interface::ModelRequest;
use hookbench_core::names::RuleId;
use hookbench_core::run::Launch;
use hookbench_system::isolation::{Bind, IsolationSpec};
use hookbench_system::model_server::ModelServer;

/// The directory below the scratch directory in which the agent may write.
const PLACE: &str = "place";
/// The number of sessions that must differ before a probe does.
const ATTEMPTS: u32 = 3;

/// Runs a probe.
pub(super) async fn run_probe(program: &AgentProgram, probe: Probe) -> ProbeResult {
    let started = Instant::now();
    let mut rules = BTreeSet::new();
    let mut attempt = 1;
    let outcome = loop {
        match observe(program, &probe, &mut rules).await {
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
        duration: started.elapsed(),
    }
}

/// The scratch directories of a probe, deleted with it.
struct ProbeScratch {
    base: PathBuf,
    directories: ProbeDirectories,
    /// The part of the machine that the agent sees. `None` if it is not isolated.
    isolation: Option<IsolationSpec>,
    _root: TempDir,
}

impl ProbeScratch {
    fn create(isolated: bool) -> std::io::Result<ProbeScratch> {
        let root = create_owned_directory()?;
        // Agents get their working directory resolved by the system.
        let base = fs::canonicalize(root.path())?;
        let directory = |name: &str| -> std::io::Result<String> {
            let path = base.join(PLACE).join(name);
            fs::create_dir_all(&path)?;
            Ok(path.to_string_lossy().into_owned())
        };
        let directories = ProbeDirectories {
            project: directory("project")?,
            home: directory("home")?,
            hooks: directory("hooks")?,
            log: directory("log")?,
        };
        directory("tmp")?;
        fs::create_dir_all(base.join("root"))?;
        let isolation = isolated.then(|| isolation_spec(&base, &directories));
        Ok(ProbeScratch { base, directories, isolation, _root: root })
    }

    /// The directory of the agent's temporary files.
    fn temporary(&self) -> PathBuf {
        self.base.join(PLACE).join("tmp")
    }

    /// Takes what the hooks have noted since the last time.
    fn take_log(&self) -> Vec<NotedRun> {
        let directory = Path::new(&self.directories.log);
        let runs = read_hook_log(|name| hookbench_system::disk::read_text(directory.join(name)).ok());
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            // A file that stays is read again, and shows as a difference.
            let _ = fs::remove_file(entry.path());
        }
        runs
    }
}

/// The machine as the agent of a probe sees it: read-only, but for the directories of the probe.
fn isolation_spec(base: &Path, at: &ProbeDirectories) -> IsolationSpec {
    let place = base.join(PLACE);
    IsolationSpec {
        root: Some(base.join("root")),
        binds: vec![Bind { source: place.clone(), target: place, writable: true }],
        discarded: common_directories(),
        directory: PathBuf::from(&at.project),
        link: Some(base.join("model")),
        stdin: String::new(),
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
///
/// # Errors
/// Returns the reason if the session shows nothing.
async fn observe(
    program: &AgentProgram,
    probe: &Probe,
    rules: &mut BTreeSet<RuleId>,
) -> Result<Vec<Difference>, SessionFailure> {
    let scratch =
        ProbeScratch::create(program.isolated).map_err(|why| format!("cannot create a scratch directory: {why}"))?;
    let at = &scratch.directories;
    lay(program, probe, at).map_err(|why| format!("cannot write the files of the probe: {why}"))?;
    let link = scratch.isolation.as_ref().and_then(|spec| spec.link.as_deref());
    let model = program.start_model(probe, at, link).await;
    let model = model.map_err(|why| format!("cannot start a stand-in of the model: {why}"))?;
    let place = program.place(Path::new(&at.project), Path::new(&at.home), &scratch.temporary(), probe, &model.url);
    // Loaded before the session, because the agent may change its own files.
    let files = DiskFiles;
    let loaded = program.dialect.load(&place, &files, program.version());
    let runs = run_session(program, probe, &model, &place, &scratch).await?;
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

/// The observations of one run of the agent.
struct SessionRun {
    firings: Vec<SeenFiring>,
    requests: Vec<ModelRequest>,
    printed: String,
}

/// Runs the agent once for each prompt of the probe.
///
/// # Errors
/// Returns the reason if a run shows nothing.
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
fn held(dialect: &Agent, runs: Vec<NotedRun>) -> Vec<NotedRun> {
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

/// A TOML text with the tables of another one that it lacks.
fn with_tables(own: &str, added: &str) -> String {
    let header = |table: &str| table.lines().next().unwrap_or_default().to_owned();
    let lacks = |table: &&str| !own.lines().any(|line| line == header(table));
    let tables: Vec<&str> = added.split("\n\n").filter(lacks).collect();
    format!("{own}\n{}\n", tables.join("\n\n"))
}

/// Writes the files of a probe.
fn lay(program: &AgentProgram, probe: &Probe, at: &ProbeDirectories) -> std::io::Result<()> {
    let write = |path: &Path, text: &str| {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, text)
    };
    // What git needs to see a repository.
    let git = Path::new(&at.project).join(".git");
    write(&git.join("HEAD"), "ref: refs/heads/main\n")?;
    fs::create_dir_all(git.join("objects"))?;
    fs::create_dir_all(git.join("refs"))?;
    for file in probe_files(probe, program.dialect, at) {
        let path = Path::new(&file.path);
        write(path, &file.text)?;
        #[cfg(unix)]
        if file.executable {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
        }
    }
    if probe.untrusted {
        return Ok(());
    }
    let trusted = Place { project: at.project.clone(), home: at.home.clone(), home_given: true, ..Place::default() };
    for (path, text) in program.dialect.trust_files(&trusted, &DiskFiles) {
        let own = hookbench_system::disk::read_text(&path).unwrap_or_default();
        write(
            Path::new(&path),
            &if Path::new(&path).extension().is_some_and(|extension| extension == "toml") {
                with_tables(&own, &text)
            } else {
                text
            },
        )?;
    }
    Ok(())
}
