//! Creates a loaded session from arguments.

use hookbench_core::names::AgentId;
use std::io::Read as _;
use std::mem::ManuallyDrop;
use std::path::Path;

use serde_json::Value;

use super::args::{CommonArgs, EventArgs};
use super::error::CliError;
use hookbench_app::{
    Consent, DiskFiles, FieldSetting, InputRequest, Session, SessionOptions, StateDir, agents_of_project,
    find_installed, make_place, read_calibrations, read_payload, write_stderr,
};
use hookbench_core::config::Place;
use hookbench_core::dialects::{self, Agent, VersionBasis};
use hookbench_core::port::mapping;
use hookbench_core::text::parse_exact_numbers;

/// The session of a command. It is not freed, because the program ends with it: 10,000 hooks take a tenth of a second to free
/// piece by piece, and the system frees all at once.
pub type CommandSession = ManuallyDrop<Session>;

/// The file name of stdin in messages.
const STDIN: &str = "<stdin>";
/// One byte above the accepted size, so that a file that is too large can be detected.
pub const READ_LIMIT: u64 = (64 << 20) + 1;

/// Creates a session for the agent of the request, without file watching. Loads no configuration; see [`Session::load`].
pub fn open(
    common: &CommonArgs,
    request: &InputRequest,
    mut options: SessionOptions,
) -> Result<CommandSession, CliError> {
    options.watch.enabled = false;
    open_watching(common, request, options)
}

/// Like [`open`]. Without `--agent-args`, the agent is assumed to load the plugins of the project.
pub fn open_with_project_plugins(
    common: &CommonArgs,
    request: &InputRequest,
    mut options: SessionOptions,
) -> Result<CommandSession, CliError> {
    options.watch.enabled = false;
    let mut place = make_place(common.project.as_deref(), common.home.as_deref())?;
    if common.agent_args.is_none() {
        place.arguments = dialects::project_plugin_arguments(&place, &DiskFiles, common.single_agent());
    }
    open_in(place, common, request, options)
}

/// Like [`open`], with the file watching of `options`.
pub fn open_watching(
    common: &CommonArgs,
    request: &InputRequest,
    options: SessionOptions,
) -> Result<CommandSession, CliError> {
    open_in(make_place(common.project.as_deref(), common.home.as_deref())?, common, request, options)
}

fn open_in(
    mut place: Place,
    common: &CommonArgs,
    request: &InputRequest,
    mut options: SessionOptions,
) -> Result<CommandSession, CliError> {
    place.assumes_trust = common.as_trusted;
    options.agent_version.clone_from(&common.agent_version);
    options.calibrations = read_calibrations(&place);
    let recognised = || request.payload.as_ref().and_then(dialects::recognise).map(|d| d.id());
    let known = request.agent.or_else(recognised).or_else(|| common.single_agent());
    let agent = known.unwrap_or_else(|| dialects::DEFAULT.id());
    let of_event = known.or_else(|| request.event.as_ref().map(|_| agent));
    if let Some(arguments) = common.arguments(known.filter(|_| !common.is_all_agents()))? {
        place.arguments = Some(arguments);
    }
    if let Some(environment) = common.environment(&place, of_event)? {
        environment.apply(&mut place);
    }
    let installed: Vec<_> = dialects::released().map(|d| (d.id(), find_installed(&d.install(), &place))).collect();
    let consent = if options.yes { Consent::default() } else { Consent::read(&StateDir::of(&place)) };
    Ok(ManuallyDrop::new(Session::new(options, place, Box::new(DiskFiles), agent, &installed, consent)))
}

/// Creates a session with the event of the request on the bench.
pub fn open_on_event(
    request: &InputRequest,
    common: &CommonArgs,
    what: &EventArgs,
) -> Result<CommandSession, CliError> {
    let options = SessionOptions { headless: what.headless, keep_firings: 1, ..SessionOptions::default() };
    let mut session = open(common, request, options)?;
    let built = session.build(request)?;
    session.load(Some(built.dialect.id()));
    session.put_input(built);
    Ok(session)
}

/// Builds the request from the arguments.
pub fn request(event: Option<&String>, common: &CommonArgs, what: &EventArgs) -> Result<InputRequest, CliError> {
    let payload = what.payload.as_deref().map(payload).transpose()?;
    let tool_input = what.input.as_deref().map(json_argument).transpose()?;
    let set = what.set.iter().map(|text| setting(text)).collect::<Result<_, _>>()?;
    let recognised = payload.as_ref().and_then(dialects::recognise).map(|d| d.id());
    let of_project = if recognised.is_none() { event.and_then(|name| agent_of_project(name, common)) } else { None };
    let known = common.single_agent().or(recognised).or(of_project);
    let own = event.filter(|_| !common.is_all_agents()).and_then(|name| event_of_neutral_name(name, known));
    let (agent, event) = match own {
        Some((agent, own)) => (Some(agent), Some(own)),
        None => (common.single_agent().or(of_project), event.cloned()),
    };
    Ok(InputRequest {
        agent,
        event,
        payload,
        tool: what.tool.clone(),
        tool_input,
        set,
        require_subject: true,
        transcript: None,
    })
}

/// The first agent with settings in the project that has this event. `None` if all agents were asked for.
fn agent_of_project(event: &str, common: &CommonArgs) -> Option<AgentId> {
    if common.agent.is_some() {
        return None;
    }
    let place = make_place(common.project.as_deref(), common.home.as_deref()).ok()?;
    let has = |dialect: &&'static Agent| {
        dialects::find_event(dialect, &dialects::default_version(dialect), event).is_some()
            || dialect.event_by_spelling(event).is_some()
            || event_of_neutral_name(event, Some(dialect.id())).is_some()
    };
    agents_of_project(&place, &DiskFiles).into_iter().find(has).map(|dialect| dialect.id())
}

/// Prints the label of an agent that was never released, for outputs without a place for it.
pub fn warn_if_unreleased(dialect: Option<&'static Agent>) {
    let Some(dialect) = dialect else { return };
    let (_, basis) = VersionBasis::of(dialect, dialects::default_version(dialect));
    if let Some(sentence) = basis.sentence(dialect.name()).filter(|_| !dialect.is_released()) {
        write_stderr(sentence);
    }
}

/// Translates an agent-neutral name, such as `pre_tool_use`, into the agent's own name. Without an agent, the first one
/// that has the event is taken. Returns `None` for an agent's own name, and for a name that no row has.
pub fn event_of_neutral_name(name: &str, agent: Option<AgentId>) -> Option<(AgentId, String)> {
    let every = || dialects::released().chain(dialects::SPECIFIED.iter().copied());
    let agents = || every().filter(|dialect| agent.map_or(dialect.is_released(), |id| id == dialect.id()));
    if agents().any(|dialect| dialects::find_event(dialect, &dialects::default_version(dialect), name).is_some()) {
        return None;
    }
    let row = mapping().rows.iter().find(|row| row.canonical == name)?;
    agents().find_map(|dialect| Some((dialect.id(), row.events.get(dialect.id().as_str())?.to_owned())))
}

fn payload(path: &Path) -> Result<Value, CliError> {
    let (name, bytes) = read_input(path)?;
    Ok(read_payload(&name, &bytes)?)
}

/// Reads a file that the command line names, or stdin for `-`. Returns the name for messages and the bytes.
pub fn read_input(path: &Path) -> Result<(String, Vec<u8>), CliError> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let read = std::io::stdin().lock().take(READ_LIMIT).read_to_end(&mut bytes);
        read.map_err(|why| CliError::of_file(Path::new(STDIN), &why))?;
        return Ok((STDIN.to_owned(), bytes));
    }
    let name = path.display().to_string();
    let fail = |why: std::io::Error| CliError::of_file(path, &why);
    // One byte above the accepted size, so that a file and stdin give the same error.
    let bytes = hookbench_system::disk::read_beginning(path, READ_LIMIT).map_err(fail)?;
    Ok((name, bytes))
}

fn json_argument(text: &str) -> Result<Value, CliError> {
    const EXAMPLE: &str = "write an object, such as {\"command\": \"ls\"}";
    let value = parse_exact_numbers(text).map_err(|why| {
        CliError::Usage(format!(
            "--input is not JSON: {} (at character {})\n  help: {EXAMPLE}",
            why.message,
            why.at + 1
        ))
    })?;
    if value.is_object() {
        return Ok(value);
    }
    Err(CliError::Usage(format!("--input {text}: this is not an object\n  help: {EXAMPLE}")))
}

fn setting(text: &str) -> Result<FieldSetting, CliError> {
    let (path, value) = text
        .split_once('=')
        .ok_or_else(|| CliError::Usage(format!("--set {text}: write FIELD=VALUE, such as tool_input.command=ls")))?;
    Ok(FieldSetting { path: path.to_owned(), text: value.to_owned() })
}
