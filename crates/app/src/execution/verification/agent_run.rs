//! The session of the agent, from its start to its evidence.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::mirror::map_texts;
use super::place::VerificationPlace;
use crate::environment::agent_process::{AgentProcess, last_line, start_model, write_address};
use crate::verification::VerificationRequest;
use hookbench_core::calibration::{NotedRun, read_hook_log};
use hookbench_core::dialects::held_payload;
use hookbench_core::model_interface::{ModelRequest, ModelTurn};
use hookbench_core::run::Exit;
use hookbench_core::verification::VerifiedSession;
use hookbench_system::model_server::ModelScript;

/// The time limit of a session.
const SESSION_LIMIT: Duration = Duration::from_secs(60);

/// Runs a session and reads what it showed.
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
    let model = start_model(script, place.isolation.as_ref().and_then(|spec| spec.link.as_deref())).await;
    let model = model.map_err(|why| format!("cannot start a stand-in of the model: {why}"))?;
    let copies = format.files.iter().filter_map(|(path, _)| {
        let path = path.replace("{{project}}", &request.place.project).replace("{{home}}", &request.place.home);
        place.mirror.copy_of(Path::new(&path))
    });
    write_address(copies, &model.url);
    let mut env = place.shown.env.clone();
    let filled = |value: &str| value.replace("{url}", &model.url).replace("{home}", &place.shown.home);
    env.extend(format.environment.iter().map(|(name, value)| ((*name).to_owned(), filled(value))));
    let ways = request.dialect.verification_format();
    let asks = request.script.asks_permission;
    let arguments = format
        .arguments
        .iter()
        .filter(|argument| !(asks && ways.unattended_arguments.contains(argument)) && **argument != "{resume}");
    let arguments = arguments
        .chain(ways.permission_arguments.iter().filter(|_| asks))
        .map(|text| filled(text).replace("{prompt}", &request.script.prompt));
    let mut agent = AgentProcess {
        program: place.program.command.to_string_lossy().into_owned(),
        args: arguments.collect(),
        directory: place.shown.project.clone(),
        env,
        stdin: String::new(),
        limit: SESSION_LIMIT,
        timeout_scale,
    };
    let report = match &place.isolation {
        Some(spec) => {
            agent.directory.clone_from(&request.place.project);
            let isolated = agent.run_isolated(spec, &place.path("spec")).await;
            isolated.map_err(|why| format!("cannot isolate {name}: {why}"))?
        }
        None => agent.run().await,
    };
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
