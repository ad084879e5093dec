//! The state of hookbench's entries, from the settings that the agent has loaded.

use std::time::Duration;

use super::command::is_program;
use super::is_forward;
use crate::config::{HOOKS_OFF, Loaded};
use crate::dialects::Dialect;
use crate::hook::{Handler, HookDefinition, Layer};
use crate::live::{Changes, deadlines_of, installed_timeout, wire_event};
use crate::names::RungName;

/// One of hookbench's entries, as the agent has loaded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub event: String,
    pub layer: Layer,
    /// The path as opened.
    pub path: String,
    /// The path as shown.
    pub file: String,
    pub line: u32,
    pub command: String,
    /// The time limit that the agent gives the command.
    pub timeout: Option<Duration>,
    /// A problem with the entry.
    pub problem: Option<Problem>,
}

/// A problem with an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The agent does not run it until the user approves it.
    Untrusted { says: String, cure: Option<String> },
    /// The agent does not run it for another reason.
    Refused(String),
    /// Any output on this event changes what the agent does.
    Unsafe,
    /// The program does not exist.
    NotThere(String),
    /// The agent's time limit is shorter than an answer may take.
    TooShort { given: Duration, needed: Duration, written: Duration },
}

impl Problem {
    /// Returns `untrusted`, `refused`, `unsafe`, `program` or `timeout`.
    pub fn word(&self) -> &'static str {
        match self {
            Problem::Untrusted { .. } => "untrusted",
            Problem::Refused(_) => "refused",
            Problem::Unsafe => "unsafe",
            Problem::NotThere(_) => "program",
            Problem::TooShort { .. } => "timeout",
        }
    }

    /// Explains the problem in a sentence.
    pub fn says(&self) -> String {
        let seconds = |limit: &Duration| format!("{} s", limit.as_secs_f64());
        match self {
            Problem::Untrusted { says, cure: Some(cure) } => format!("installed, not yet trusted: {says}; {cure}"),
            Problem::Untrusted { says, cure: None } => format!("installed, not yet trusted: {says}"),
            Problem::Refused(says) => format!("the agent does not run it: {says}"),
            Problem::Unsafe => {
                "whatever a hook prints on this event changes what the agent does: take the entry out".to_owned()
            }
            Problem::NotThere(why) => format!("{why}, so each of these events fails: hookbench install writes it anew"),
            Problem::TooShort { given, needed, written } => format!(
                "the agent gives up after {}, and an answer may take {}: hookbench install writes {}",
                seconds(given),
                seconds(needed),
                seconds(written)
            ),
        }
    }
}

/// Returns hookbench's entries among the definitions of an agent. `changes` holds the user's deadlines.
pub fn standings(dialect: &dyn Dialect, loaded: &Loaded, program: &str, changes: &Changes) -> Vec<Standing> {
    let own = loaded.definitions.iter().filter(|definition| command_of(definition, program).is_some());
    own.map(|definition| Standing {
        event: definition.event.clone(),
        layer: definition.from.layer,
        path: loaded.sources.path(definition.from.span.source).to_owned(),
        file: definition.from.file.clone(),
        line: definition.from.line,
        command: command_of(definition, program).unwrap_or_default(),
        timeout: definition.timeout,
        problem: problem(dialect, loaded, definition, changes),
    })
    .collect()
}

/// Returns the command line of a definition that is one of hookbench's.
fn command_of(definition: &HookDefinition, program: &str) -> Option<String> {
    let Handler::Command(handler) = &definition.handler else { return None };
    let ours = match &handler.args {
        None => is_forward(&handler.command, program),
        Some(args) => is_program(&handler.command, program) && args.first().is_some_and(|arg| arg == "forward"),
    };
    let args = handler.args.iter().flatten().map(|arg| format!(" {arg}"));
    ours.then(|| std::iter::once(handler.command.clone()).chain(args).collect())
}

fn problem(dialect: &dyn Dialect, loaded: &Loaded, definition: &HookDefinition, changes: &Changes) -> Option<Problem> {
    if let Some(refused) = &definition.refused {
        if refused.rung != RungName::Trusted {
            return Some(Problem::Refused(refused.says.clone()));
        }
        let note = loaded.notes.iter().find(|note| note.span == Some(definition.from.span) && note.help.is_some());
        let cure = note.and_then(|note| note.help.clone());
        return Some(Problem::Untrusted { says: refused.says.clone(), cure });
    }
    let off = loaded.settings.get(HOOKS_OFF).and_then(|says| says.as_str()).map(str::to_owned);
    if let Some(says) = off.or_else(|| loaded.refused.as_ref().map(|refused| refused.says.clone())) {
        return Some(Problem::Refused(says));
    }
    let live = dialect.live();
    if live.never.contains(&definition.event.as_str()) {
        return Some(Problem::Unsafe);
    }
    let event = wire_event(Some(live), &definition.event);
    let deadlines = deadlines_of(&event, changes);
    let needed = deadlines.hold.max(deadlines.stdin + deadlines.ack);
    let given = definition.timeout?;
    // Starting a process takes time too.
    let short = given < needed + Duration::from_millis(500);
    short.then(|| Problem::TooShort { given, needed, written: installed_timeout(&event) })
}
