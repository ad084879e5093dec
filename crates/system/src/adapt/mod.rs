//! `hookbench adapt`: the hook of an agent that runs a script written for another agent. It translates the payload,
//! runs the script, and translates the answer. Like `forward` it uses no async runtime and no store, because an agent
//! waits for it.
//!
//! Its own failures never look like a refusal or an approval of the script: they end with status 1 and a message.

mod args;
mod script;

use std::cell::LazyCell;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use args::AdaptRequest;
use jiff::Timestamp;
use script::run_script;
use serde::Serialize;
use serde_json::Value;

use crate::child_process::{ChildOutput, SignalPipes};
use crate::own_directories::home_directory;
use crate::state_log;
use hookbench_core::adapt::{AdaptedAnswer, AdaptedEvent, HookAdapter, ScriptRun};
use hookbench_core::config::{Os, Place};
use hookbench_core::dialects::{self, Agent, default_version};
use hookbench_core::live::state_directory;
use hookbench_core::port::AgentVersion;
use hookbench_core::run::Exit;
use hookbench_core::text::stringify;

/// The surroundings of the process.
pub struct AdaptEnvironment {
    pub place: Place,
    home: Option<PathBuf>,
}

/// One line of `adapt.log`.
#[derive(Serialize)]
struct AdaptLogLine<'a> {
    at: String,
    agent: &'a str,
    event: &'a str,
    loss: &'a str,
    ms: u128,
}

impl AdaptEnvironment {
    /// Reads the environment. The caller's own variables name the project; otherwise the payload or the current
    /// directory does.
    pub fn read(caller: &Agent, body: &Value) -> AdaptEnvironment {
        let home = home_directory();
        let absolute = |path: &String| Path::new(path).is_absolute();
        let variables = caller.live_format().project_variables.iter();
        let named = variables.filter_map(|name| std::env::var(name).ok()).find(absolute);
        let cwd = body.get("cwd").and_then(Value::as_str).map(str::to_owned).filter(absolute);
        let current =
            || std::env::current_dir().map_or_else(|_| "/".to_owned(), |dir| dir.to_string_lossy().into_owned());
        let place = Place {
            project: named.or(cwd).unwrap_or_else(current),
            home: home.as_ref().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default(),
            os: Os::named(std::env::consts::OS),
            ..Place::default()
        };
        AdaptEnvironment { place, home }
    }

    /// Logs the losses, if there are any. Errors are ignored, because the agent waits for an answer.
    pub fn log(&self, agent: &str, event: &str, losses: &[String], took: Duration) {
        if losses.is_empty() {
            return;
        }
        let at = format!("{:.3}", Timestamp::now());
        let mut text = String::new();
        for loss in losses {
            let line = AdaptLogLine { at: at.clone(), agent, event, loss, ms: took.as_millis() };
            text += &serde_json::to_string(&line).unwrap_or_default();
            text.push('\n');
        }
        if let Some(home) = &self.home {
            let _ = state_log::append(&state_directory(home), "adapt.log", &text);
        }
    }
}

/// The status of a failure that decides nothing.
pub const FAILURE: u8 = 1;
/// The status that refuses, for a payload that is too long to be checked.
const REFUSAL: u8 = 2;
/// The size limit for a payload, in bytes.
const MAX_PAYLOAD: u64 = 64 << 20;

/// The mistake in the arguments after `adapt`, as a sentence. `None` if they can be used.
pub fn argument_mistake(args: impl Iterator<Item = OsString>) -> Option<String> {
    AdaptRequest::parse(args).err()
}

/// Runs `hookbench adapt` and returns the exit status. `args` are the arguments after `adapt`.
pub fn run(args: impl Iterator<Item = OsString>) -> u8 {
    let request = match AdaptRequest::parse(args) {
        Ok(request) => request,
        Err(says) => return fail(&format!("{says}\nhookbench adapt --help shows how to call it"), FAILURE),
    };
    let mut payload = Vec::new();
    let read = std::io::stdin().lock().take(MAX_PAYLOAD + 1).read_to_end(&mut payload);
    if let Err(why) = read {
        return fail(&format!("the payload cannot be read: {why}"), FAILURE);
    }
    if payload.len() as u64 > MAX_PAYLOAD {
        return fail("the payload is longer than 64 MiB, so the script cannot check it", REFUSAL);
    }
    Adaptation { request, started: Instant::now() }.run(&payload)
}

fn fail(says: &str, status: u8) -> u8 {
    tell(says);
    status
}

fn tell(says: &str) {
    let _ = writeln!(std::io::stderr(), "hookbench adapt: {says}");
}

/// The mistake if the payload certainly comes from another agent than the named one. The script runs all the same: a
/// guard must not stop working because of it.
fn wrong_agent(body: &Value, named: &Agent) -> Option<String> {
    let owner = dialects::certain_owner(body, named)?;
    let name = named.name();
    Some(format!(
        "the payload is one of {}, but --agent names {name}, so it is read as one of {name}; write --agent {}, or omit it",
        owner.name(),
        owner.id()
    ))
}

/// One event that is handed to a script.
struct Adaptation {
    request: AdaptRequest,
    started: Instant,
}

impl Adaptation {
    fn run(&self, payload: &[u8]) -> u8 {
        let Some(body) = serde_json::from_slice::<Value>(payload).ok().filter(Value::is_object) else {
            return self.pass_on(payload);
        };
        let Some(caller) = self.request.agent.or_else(|| dialects::recognise(&body)) else {
            return fail("no agent sends such a payload; name the agent with --agent", FAILURE);
        };
        let environment = AdaptEnvironment::read(caller, &body);
        let sent = self.request.agent.map(|named| (named, body.clone()));
        let side = |dialect: &'static Agent| AgentVersion { dialect, version: default_version(dialect) };
        let (script, spelling) = (side(self.request.from), self.request.event.clone());
        let adapter = HookAdapter::new(script, side(caller), spelling, environment.place.clone());
        let input = adapter.read_event(body);
        let wrong_agent = LazyCell::new(|| sent.and_then(|(named, body)| wrong_agent(&body, named)));
        let tell_wrong_agent = || {
            let Some(mistake) = &*wrong_agent else { return };
            tell(mistake);
            environment.log(caller.id().as_str(), &input.event, std::slice::from_ref(mistake), self.started.elapsed());
        };
        let events = match adapter.translate_event(&input) {
            Ok(events) => events,
            Err(why) => {
                tell_wrong_agent();
                return fail(&format!("{}; the script did not run", why.text()), FAILURE);
            }
        };
        if let Some(mistake) = self.unused_spelling(&adapter, &events) {
            tell(&mistake);
        }
        let signals = match SignalPipes::open() {
            Ok(signals) => signals,
            Err(why) => return fail(&format!("the script cannot be watched: {why}"), FAILURE),
        };
        let has_parts = events.len() > 1;
        let mut silent_answer = None;
        let mut runs = Vec::new();
        for event in events {
            let spec = adapter.process(&event);
            let stdin = spec
                .as_ref()
                .map_or_else(|| stringify(&event.input.body).into_bytes().into(), |spec| spec.stdin.clone());
            // The agent waits. What does not depend on the script is worked out while it runs: most scripts print nothing.
            let output = run_script(&self.request.command, &stdin, spec.as_ref(), &signals, || {
                LazyCell::force(&wrong_agent);
                let silent = (!has_parts).then(|| ScriptRun::silent(event.clone()));
                silent_answer = silent.map(|run| adapter.translate_answer(&input, &[run]));
            });
            if let Some(status) = output.killed_by_caller {
                return status;
            }
            runs.push(ScriptRun { event, exit: output.exit, stdout: output.stdout, stderr: output.stderr });
        }
        let answer = match (silent_answer, runs.as_slice()) {
            (Some(answer), [run]) if run.is_silent() => answer,
            _ => adapter.translate_answer(&input, &runs),
        };
        tell_wrong_agent();
        environment.log(caller.id().as_str(), &input.event, &answer.losses, self.started.elapsed());
        respond(&answer)
    }

    /// The mistake if the event of `--event` is not the one that the script gets.
    fn unused_spelling(&self, adapter: &HookAdapter, events: &[AdaptedEvent]) -> Option<String> {
        let wanted = self.request.event.as_deref()?;
        let sent: Vec<&str> = events.iter().map(|event| adapter.script_event(event)).collect();
        (!sent.contains(&wanted)).then(|| {
            format!("--event {wanted} is ignored: this event is {} in {}", sent.join(", "), self.request.from.name())
        })
    }

    /// Runs the script with a payload that is no JSON object, which its own agent would not send either.
    fn pass_on(&self, payload: &[u8]) -> u8 {
        let signals = match SignalPipes::open() {
            Ok(signals) => signals,
            Err(why) => return fail(&format!("the script cannot be watched: {why}"), FAILURE),
        };
        let output = run_script(&self.request.command, payload, None, &signals, || {});
        let ChildOutput { exit, stdout, mut stderr, killed_by_caller } = output;
        stderr.extend(b"hookbench adapt: the payload is not a JSON object; the script received it unchanged\n");
        let exit = match exit {
            Exit::Code(code) => code,
            Exit::Signal(signal) => 128 + signal,
            _ => i32::from(FAILURE),
        };
        killed_by_caller.unwrap_or_else(|| respond(&AdaptedAnswer { exit, stdout, stderr, losses: Vec::new() }))
    }
}

/// Writes the answer and returns its exit status.
fn respond(answer: &AdaptedAnswer) -> u8 {
    let mut out = std::io::stdout();
    // If the agent no longer reads, there is nothing to do.
    let _ = out.write_all(&answer.stdout).and_then(|()| out.flush());
    let _ = std::io::stderr().write_all(&answer.stderr);
    u8::try_from(answer.exit).unwrap_or(FAILURE)
}
