//! The state of hookbench's entries, from the settings that the agent has loaded.

use std::time::Duration;

use serde_json::Value;

use super::events::is_program;
use super::{SettingsEditError, is_forward, read_settings};
use crate::config::LoadedConfig;
use crate::dialects::Agent;
use crate::dialects::settings_format::FileForm;
use crate::hook::{Handler, HookDefinition, Layer};
use crate::live::{DeadlineOverrides, deadlines_of, installed_timeout, wire_event};
use crate::names::RungName;
use crate::text::{Node, Span};

/// One of hookbench's entries, as the agent has loaded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledEntry {
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
    pub problem: Option<EntryProblem>,
}

/// A problem with an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryProblem {
    /// The agent does not run it until the user approves it.
    Untrusted { message: String, help: Option<String> },
    /// The agent does not run it for another reason.
    Refused(String),
    /// Any output on this event changes what the agent does.
    Unsafe,
    /// The program does not exist.
    ProgramMissing(String),
    /// The agent's time limit is shorter than an answer may take.
    TooShort { given: Duration, needed: Duration, written: Duration },
}

impl EntryProblem {
    /// Returns `untrusted`, `refused`, `unsafe`, `program` or `timeout`.
    pub fn word(&self) -> &'static str {
        match self {
            EntryProblem::Untrusted { .. } => "untrusted",
            EntryProblem::Refused(_) => "refused",
            EntryProblem::Unsafe => "unsafe",
            EntryProblem::ProgramMissing(_) => "program",
            EntryProblem::TooShort { .. } => "timeout",
        }
    }

    /// Explains the problem in a sentence.
    pub fn message(&self) -> String {
        let seconds = |limit: &Duration| format!("{} s", limit.as_secs_f64());
        match self {
            EntryProblem::Untrusted { message: says, help: Some(cure) } => {
                format!("installed, not yet trusted: {says}; {cure}")
            }
            EntryProblem::Untrusted { message: says, help: None } => format!("installed, not yet trusted: {says}"),
            EntryProblem::Refused(says) => format!("the agent does not run it: {says}"),
            EntryProblem::Unsafe => {
                "any output of a hook on this event changes what the agent does: delete the entry".to_owned()
            }
            EntryProblem::ProgramMissing(why) => {
                format!("{why}, so each of these events fails: run hookbench install to rewrite the entry")
            }
            EntryProblem::TooShort { given, needed, written } => format!(
                "the agent stops waiting after {}, but an answer may take {}: run hookbench install to write {}",
                seconds(given),
                seconds(needed),
                seconds(written)
            ),
        }
    }
}

/// Returns hookbench's entries among the definitions of an agent. `changes` holds the user's deadlines.
pub fn installed_entries(
    dialect: &Agent,
    loaded: &LoadedConfig,
    program: &str,
    changes: &DeadlineOverrides,
) -> Vec<InstalledEntry> {
    let own = loaded.definitions.iter().filter(|definition| command_of(definition, program).is_some());
    own.map(|definition| InstalledEntry {
        event: definition.event.clone(),
        layer: definition.provenance.layer,
        path: loaded.sources.path(definition.provenance.span.source).to_owned(),
        file: definition.provenance.file.clone(),
        line: definition.provenance.line,
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

fn problem(
    dialect: &Agent,
    loaded: &LoadedConfig,
    definition: &HookDefinition,
    changes: &DeadlineOverrides,
) -> Option<EntryProblem> {
    if let Some(refused) = &definition.rejection {
        if refused.rung != RungName::Trusted {
            return Some(EntryProblem::Refused(refused.message.clone()));
        }
        let note =
            loaded.notes.iter().find(|note| note.span == Some(definition.provenance.span) && note.help.is_some());
        let cure = note.and_then(|note| note.help.clone());
        return Some(EntryProblem::Untrusted { message: refused.message.clone(), help: cure });
    }
    let off = loaded.hooks_off.clone();
    if let Some(says) = off.or_else(|| loaded.refusal.as_ref().map(|refused| refused.message.clone())) {
        return Some(EntryProblem::Refused(says));
    }
    let live = dialect.live_format();
    if live.unsafe_events.contains(&definition.event.as_str()) {
        return Some(EntryProblem::Unsafe);
    }
    let event = wire_event(Some(live), &definition.event);
    let deadlines = deadlines_of(&event, changes);
    let needed = deadlines.hold.max(deadlines.stdin + deadlines.ack);
    let given = definition.timeout?;
    // Starting a process takes time too.
    let short = given < needed + Duration::from_millis(500);
    short.then(|| EntryProblem::TooShort { given, needed, written: installed_timeout(&event) })
}

/// One of hookbench's entries.
#[derive(Debug, Clone, PartialEq)]
pub struct HookbenchEntry {
    pub event: String,
    pub command: String,
    pub command_span: Span,
    pub timeout: Option<(Value, Span)>,
}

/// Returns hookbench's entries in the order of the file. If a key occurs twice, the entries under both are
/// returned.
pub fn find_entries(text: &str, form: FileForm, program: &str) -> Result<Vec<HookbenchEntry>, SettingsEditError> {
    let root = read_settings(text, form)?;
    let mut out = Vec::new();
    for place in root.as_ref().map(|root| entry_positions(root, form, program)).unwrap_or_default() {
        let Some(command) = place.handler.get("command") else { continue };
        out.push(HookbenchEntry {
            event: place.event.to_owned(),
            command: command.as_str().unwrap_or_default().to_owned(),
            command_span: command.span,
            timeout: place.handler.get("timeout").map(|node| (node.to_value(), node.span)),
        });
    }
    Ok(out)
}

/// One of hookbench's handlers.
pub struct EntryPosition<'a> {
    pub event: &'a str,
    pub root: &'a Node,
    /// The place in a file with groups.
    pub place: GroupPlace,
    pub handler: &'a Node,
}

/// The index of a handler in each enclosing object and list.
#[derive(Debug, Clone, Copy, Default)]
pub struct GroupPlace {
    /// The index of `hooks`. `None` if the events are at top level.
    pub hooks: Option<usize>,
    pub member: usize,
    pub group: usize,
    pub index: usize,
}

/// Returns the positions of hookbench's handlers.
pub fn entry_positions<'a>(root: &'a Node, form: FileForm, program: &str) -> Vec<EntryPosition<'a>> {
    if let Some(list) = form.list {
        let ours = list.entries(root).filter(|(_, entry)| is_hookbench_handler(entry, program));
        let place = |(event, handler)| EntryPosition { event, root, place: GroupPlace::default(), handler };
        return ours.map(place).collect();
    }
    let below_hooks = root.members().into_iter().flatten().enumerate().filter(|(_, member)| member.key == "hooks");
    let tables: Vec<(Option<usize>, &Node)> = if form.is_top_level {
        vec![(None, root)]
    } else {
        below_hooks.map(|(index, member)| (Some(index), &member.value)).collect()
    };
    let mut out = Vec::new();
    for (hooks, table) in tables {
        for (member, event) in table.members().into_iter().flatten().enumerate() {
            for (group, node) in event.value.items().into_iter().flatten().enumerate() {
                let handlers = node.get("hooks").and_then(Node::items).into_iter().flatten();
                let ours = handlers.enumerate().filter(|(_, handler)| is_hookbench_handler(handler, program));
                out.extend(ours.map(|(index, handler)| EntryPosition {
                    event: &event.key,
                    root,
                    place: GroupPlace { hooks, member, group, index },
                    handler,
                }));
            }
        }
    }
    out
}

/// Whether a handler is one of hookbench's.
pub fn is_hookbench_handler(handler: &Node, program: &str) -> bool {
    handler.get("command").and_then(Node::as_str).is_some_and(|command| is_forward(command, program))
}
