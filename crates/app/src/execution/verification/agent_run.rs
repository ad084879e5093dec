//! The session of the agent, from its start to its evidence.

use std::collections::BTreeMap;
use std::time::Duration;

use tempfile::TempDir;
use tokio::sync::{OnceCell, mpsc};

use super::mirror::map_texts;
use super::place::VerificationPlace;
use crate::verification::VerificationRequest;
use hookbench_core::calibration::{NotedRun, read_hook_log};
use hookbench_core::dialects::held_payload;
use hookbench_core::model_interface::{ModelRequest, ModelTurn};
use hookbench_core::run::{
    EnvChange, Exit, FinishCondition, KillSpec, Launch, ProcessSpec, RunId, RunReport, RunRequest,
};
use hookbench_core::verification::VerifiedSession;
#[cfg(target_os = "linux")]
use hookbench_system::isolation::{ArrivingListener, SERVER_PORT};
use hookbench_system::isolation::{IsolationSpec, OUTER_STAGE, PREPARATION_FAILED};
use hookbench_system::model_server::{ModelScript, ModelServer};
use hookbench_system::runner::{RunEvent, Runner};

/// The time limit of a session.
const SESSION_LIMIT: Duration = Duration::from_secs(60);
/// The time between the request to end and the kill.
const GRACE: Duration = Duration::from_millis(500);
/// The bytes of each stream that are kept.
const KEPT_OUTPUT: usize = 256 << 10;
/// The longest line of the agent that is quoted, in characters.
const LONGEST_LINE: usize = 200;
/// A closed port as the proxy keeps an agent that is not isolated from the network.
const NO_PROXY: [(&str, &str); 3] =
    [("HTTP_PROXY", "http://127.0.0.1:9"), ("HTTPS_PROXY", "http://127.0.0.1:9"), ("NO_PROXY", "127.0.0.1,localhost")];

/// The reason why this system cannot isolate a program, found once by a trial. `None` if it can.
pub(super) async fn isolation_refusal() -> Option<String> {
    static FOUND: OnceCell<Option<String>> = OnceCell::const_new();
    FOUND.get_or_init(try_isolation).await.clone()
}

async fn try_isolation() -> Option<String> {
    if std::env::consts::OS != "linux" {
        return Some("hookbench isolates programs only on Linux".to_owned());
    }
    match isolated_shell().await {
        Ok(report) if report.exit == Exit::Code(0) => None,
        Ok(report) => Some(first_line(&report.stderr.text()).unwrap_or_else(|| report.exit.describe())),
        Err(why) => Some(why.to_string()),
    }
}

/// Starts a shell that does nothing.
async fn isolated_shell() -> std::io::Result<RunReport> {
    let scratch = TempDir::with_prefix("hookbench-")?;
    let root = scratch.path().join("root");
    std::fs::create_dir(&root)?;
    let file = scratch.path().join("spec");
    IsolationSpec { root, binds: Vec::new(), discarded: Vec::new(), directory: "/".into(), link: None }.write(&file)?;
    let own = std::env::current_exe()?.to_string_lossy().into_owned();
    let file = file.to_string_lossy().into_owned();
    let args = [OUTER_STAGE, &file, "--", "/bin/sh", "-c", ":"].map(str::to_owned).to_vec();
    Ok(run_process(own, args, "/".to_owned(), None, 1.0).await)
}

/// Runs a session and reads what it showed.
///
/// # Errors
/// Returns the reason if it shows nothing.
pub(super) async fn run(
    request: &VerificationRequest,
    place: &VerificationPlace,
    timeout_scale: f64,
) -> Result<VerifiedSession, String> {
    let name = request.dialect.name();
    let format = request.dialect.headless_format();
    let mut turns = request.script.turns.clone();
    for call in turns.iter_mut().flat_map(ModelTurn::calls_mut) {
        call.input = map_texts(&call.input, &|text| place.mirror.to_agent(text));
    }
    let main_tools = format.main_tools.iter().map(|tool| (*tool).to_owned()).collect();
    let script = ModelScript { interface: format.interface, turns, subagent_turns: Vec::new(), main_tools };
    let model = start_model(script, place).await;
    let model = model.map_err(|why| format!("cannot start a stand-in of the model: {why}"))?;
    let mut env = place.shown.env.clone();
    let filled = |value: &str| value.replace("{url}", &model.url).replace("{home}", &place.shown.home);
    env.extend(format.environment.iter().map(|(name, value)| ((*name).to_owned(), filled(value))));
    if place.isolation.is_none() {
        env.extend(NO_PROXY.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    }
    let unattended = request.dialect.verification_format().unattended_arguments;
    let arguments = format.arguments.iter().filter(|argument| {
        !(request.script.asks_permission && unattended.contains(argument)) && **argument != "{resume}"
    });
    let arguments = arguments.map(|text| filled(text).replace("{prompt}", &request.script.prompt));
    let agent = place.program.command.to_string_lossy().into_owned();
    let report = match &place.isolation {
        Some(spec) => {
            let file = place.path("spec");
            spec.write(&file).map_err(|why| format!("cannot isolate {name}: {why}"))?;
            let own = std::env::current_exe().map_err(|why| format!("cannot isolate {name}: {why}"))?;
            let file = file.to_string_lossy().into_owned();
            let args = [OUTER_STAGE.to_owned(), file, "--".to_owned(), agent].into_iter().chain(arguments).collect();
            run_process(
                own.to_string_lossy().into_owned(),
                args,
                request.place.project.clone(),
                Some(env),
                timeout_scale,
            )
            .await
        }
        None => run_process(agent, arguments.collect(), place.shown.project.clone(), Some(env), timeout_scale).await,
    };
    if place.isolation.is_some() && report.exit == Exit::Code(i32::from(PREPARATION_FAILED)) {
        let why = first_line(&report.stderr.text()).unwrap_or_default();
        return Err(format!("cannot isolate {name}: {why}"));
    }
    let noted = read_hook_log(|file| hookbench_system::disk::read_text(place.notes.join(file)).ok());
    let requests = model.requests();
    let printed = last_line(&report).map(|line| format!("; it printed: {line}")).unwrap_or_default();
    match &report.exit {
        Exit::FailedToStart { error } => return Err(format!("{name} does not start: {error}")),
        Exit::TimedOut { .. } => {
            return Err(format!(
                "{name} did not end within {} s{printed}",
                SESSION_LIMIT.mul_f64(timeout_scale).as_secs()
            ));
        }
        Exit::Cancelled => return Err("cancelled by the user".to_owned()),
        exit if noted.is_empty() && requests.is_empty() => {
            let how = exit.describe();
            return Err(format!("{name} neither ran a hook nor asked its model ({how}){printed}"));
        }
        _ => {}
    }
    Ok(session(request, place, noted, requests))
}

/// The evidence of the session, with the paths and commands of the user.
fn session(
    request: &VerificationRequest,
    place: &VerificationPlace,
    noted: Vec<NotedRun>,
    requests: Vec<ModelRequest>,
) -> VerifiedSession {
    let plain = |text: &str| place.settings.recorded.written_text(&place.mirror.to_user(text));
    let runs = noted.into_iter().map(|run| NotedRun {
        stdin: map_texts(&held_payload(request.dialect, run.stdin), &|text| place.mirror.to_user(text)),
        environment: run
            .environment
            .iter()
            .map(|(name, value)| (name.clone(), place.mirror.to_user(value)))
            .collect::<BTreeMap<_, _>>(),
        ..run
    });
    let requests = requests
        .into_iter()
        .map(|asked| ModelRequest { conversation: map_texts(&asked.conversation, &plain), ..asked });
    let mut notes = request.script.notes.clone();
    notes.extend(place.settings.notes.iter().cloned());
    notes.extend(place.left_out.iter().map(|left| format!("not in the copy: {left}")));
    if place.isolation.is_none() {
        notes.push("the agent was not isolated: it ran in a copy of the project, with your rights".to_owned());
    }
    VerifiedSession {
        version: place.program.version.as_ref().map_or_else(|| "of an unknown version".to_owned(), ToString::to_string),
        runs: runs.collect(),
        requests: requests.collect(),
        observed: place.settings.observed,
        isolated: place.isolation.is_some(),
        notes,
    }
}

#[cfg(target_os = "linux")]
async fn start_model(script: ModelScript, place: &VerificationPlace) -> std::io::Result<ModelServer> {
    match place.isolation.as_ref().and_then(|spec| spec.link.as_deref()) {
        Some(link) => {
            let arriving = ArrivingListener::at(link)?;
            Ok(ModelServer::start_later(script, SERVER_PORT, arriving.receive()))
        }
        None => ModelServer::start(script).await,
    }
}

#[cfg(not(target_os = "linux"))]
async fn start_model(script: ModelScript, _place: &VerificationPlace) -> std::io::Result<ModelServer> {
    ModelServer::start(script).await
}

/// Runs a process to its end, and ends every process of it. `env` is its whole environment; `None` keeps that of
/// hookbench.
async fn run_process(
    program: String,
    args: Vec<String>,
    cwd: String,
    env: Option<BTreeMap<String, String>>,
    timeout_scale: f64,
) -> RunReport {
    let remove = || std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    let env = env.map_or_else(EnvChange::default, |env| EnvChange {
        remove: remove(),
        set: env.into_iter().collect(),
        scratch_files: Vec::new(),
    });
    let spec = ProcessSpec {
        program,
        args,
        cwd,
        env,
        stdin: Vec::new().into(),
        timeout: Some(SESSION_LIMIT),
        finish: FinishCondition::AtExit,
        kill: KillSpec { grace: GRACE },
        keep: KEPT_OUTPUT,
        names_directory: false,
    };
    let (sender, mut events) = mpsc::channel(64);
    let runner = Runner::new(sender, timeout_scale);
    runner.start(RunRequest { run: RunId(0), hook: String::new(), launch: Launch::Process(spec), awaited: true });
    loop {
        match events.recv().await {
            Some(RunEvent::Ended(report)) => return *report,
            Some(_) => {}
            None => {
                let exit = Exit::FailedToStart { error: "its process was lost".to_owned() };
                return RunReport::new(RunId(0), exit, Vec::new(), Vec::new());
            }
        }
    }
}

/// The last line that the agent printed, on stderr if it printed something there.
fn last_line(report: &RunReport) -> Option<String> {
    let last = |text: &str| {
        let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(line.trim().chars().take(LONGEST_LINE).collect::<String>())
    };
    last(&report.stderr.text()).or_else(|| last(&report.stdout.text()))
}

/// The first line of a stage's error.
fn first_line(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    Some(line.trim().trim_start_matches("hookbench isolate: ").chars().take(LONGEST_LINE).collect())
}
