//! From arguments to a loaded session.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::args::{Common, EventArgs};
use super::exit::Failure;
use hookbench_app::{
    Consent, DiskFiles, Fact, InputRequest, Job, Looking, Session, SessionOptions, Setting, StateDir, complain,
    find_installed, make_place, read_payload,
};
use hookbench_core::dialects;
use hookbench_core::text::parse_exact;

/// What stands for the file name in messages about a payload from stdin.
const STDIN: &str = "<stdin>";
/// One byte more than is accepted, so that too large can be told from just fitting.
const READ_LIMIT: u64 = (64 << 20) + 1;

/// A session with everything that the agents read, for the agent that the request means. Nothing is watched: what could
/// change is not even looked for.
pub fn open(common: &Common, request: &InputRequest, mut options: SessionOptions) -> Result<Session, Failure> {
    options.watch.enabled = false;
    open_watching(common, request, options)
}

/// The same for those who stay and watch.
pub fn open_watching(common: &Common, request: &InputRequest, mut options: SessionOptions) -> Result<Session, Failure> {
    let place = make_place(common.project.as_deref(), common.home.as_deref())?;
    options.agent_version.clone_from(&common.agent_version);
    let agent = request
        .agent
        .or_else(|| request.payload.as_ref().and_then(dialects::recognise).map(|d| d.id()))
        .or_else(|| dialects::ALL.first().map(|d| d.id()))
        .unwrap_or_default();
    let installed: Vec<_> = dialects::ALL.iter().map(|d| (d.id(), find_installed(&d.install(), &place))).collect();
    let consent = if options.yes { Consent::default() } else { Consent::read(&StateDir::of(&place)) };
    tell_refused(&consent);
    Ok(Session::new(options, place, Box::new(DiskFiles), agent, &installed, consent))
}

/// Says why consent that is remembered does not count.
pub fn tell_refused(consent: &Consent) {
    if let Some(why) = &consent.refused {
        complain(why);
    }
}

/// Reads the configuration of one agent, or of all. The jobs that follow are for those who watch.
pub fn load(session: &mut Session, only: Option<&str>) -> Vec<Job> {
    let wanted: Vec<_> = session
        .agents
        .iter()
        .filter(|a| only.is_none_or(|id| a.dialect.id() == id))
        .map(|a| (a.dialect, a.version.clone()))
        .collect();
    let mut jobs = Vec::new();
    for (dialect, version) in wanted {
        let files = Looking::new(DiskFiles);
        let mut loaded = dialect.load(&session.place, &files, &version);
        loaded.looked = files.looked();
        jobs.extend(session.absorb(Fact::Loaded { agent: dialect.id(), loaded: Arc::new(loaded) }));
    }
    jobs
}

/// The request that the arguments make.
pub fn request(event: Option<&String>, common: &Common, what: &EventArgs) -> Result<InputRequest, Failure> {
    let payload = what.payload.as_deref().map(payload).transpose()?;
    let tool_input = what.input.as_deref().map(json_argument).transpose()?;
    let set = what.set.iter().map(|text| setting(text)).collect::<Result<_, _>>()?;
    Ok(InputRequest {
        agent: common.one(),
        event: event.cloned(),
        payload,
        tool: what.tool.clone(),
        tool_input,
        set,
        own_subject: true,
    })
}

fn payload(path: &Path) -> Result<Value, Failure> {
    let (name, bytes) = bytes(path)?;
    Ok(read_payload(&name, &bytes)?)
}

/// What a file holds that the command line names, or stdin for `-`; with its name for messages.
pub fn bytes(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let read = std::io::stdin().lock().take(READ_LIMIT).read_to_end(&mut bytes);
        read.map_err(|why| Failure::File { file: STDIN.to_owned(), why: why.to_string() })?;
        return Ok((STDIN.to_owned(), bytes));
    }
    let name = path.display().to_string();
    let fail = |why: std::io::Error| Failure::File { file: name.clone(), why: why.to_string() };
    // One byte more than is accepted is read here too, so that both ways say the same.
    let bytes = hookbench_system::disk::read_beginning(path, READ_LIMIT).map_err(fail)?;
    Ok((name, bytes))
}

fn json_argument(text: &str) -> Result<Value, Failure> {
    parse_exact(text)
        .map_err(|why| Failure::Usage(format!("--input is not JSON: {} (at character {})", why.message, why.at + 1)))
}

fn setting(text: &str) -> Result<Setting, Failure> {
    let (path, value) =
        text.split_once('=').ok_or_else(|| Failure::Usage(format!("--set {text}: write it as a.b=VALUE")))?;
    Ok(Setting { path: path.to_owned(), text: value.to_owned() })
}
