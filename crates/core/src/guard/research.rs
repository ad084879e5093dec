//! The rules of the guard `research`: the agent reads a file before it changes it.

use super::content::{ContentChange, base_name};
use super::event::GuardEvent;
use super::finding::GuardFinding;
use super::findings_of_change::{is_documentation, line_of};
use super::packages::{imported, is_local};
use super::settings::GuardOptions;
use super::surroundings::Surroundings;
use super::todo_list::{called_list, stored_list};
use super::tool_kind::ToolKind;
use super::window::{Window, WindowCall};

/// The number of messages whose prompts may name a file.
const PROMPTS: usize = 10;

/// Checks the changes of files.
pub fn check(event: &GuardEvent<'_>, options: &GuardOptions, around: &dyn Surroundings) -> Vec<GuardFinding> {
    if !event.tool.is_some_and(ToolKind::changes_files) {
        return Vec::new();
    }
    let changes = event.changes(around);
    let mut found: Vec<GuardFinding> = changes
        .iter()
        .filter(|change| change.exists && change.not_found)
        .map(|change| {
            let what = "the text to replace is not in the file";
            let place = event.shown(&change.absolute);
            GuardFinding::new("RV-R1", &place, what, change.old.lines().next().unwrap_or_default())
        })
        .collect();
    let large: Vec<&ContentChange> = changes
        .iter()
        .filter(|change| change.changed_lines >= options.min_lines && !change.not_found && change.old != change.new)
        .collect();
    if large.is_empty() {
        return found;
    }
    let Some(end) = event.transcript(around) else { return found };
    let mut window = Window::read(&end, |messages| messages.len() >= options.lookback);
    for parts in &mut window.messages {
        // The transcript may already contain the call that is checked.
        parts.retain(|part| !matches!(part, crate::recorded::MessagePart::Call(call) if call.id.as_deref().is_some_and(|id| Some(id) == event.call_id())));
    }
    let calls = window.calls(event.tools);
    for change in large {
        if is_documentation(&change.absolute) || is_requested(change, event, &window, around) {
            continue;
        }
        let place = event.shown(&change.absolute);
        let first = change.new.lines().next().unwrap_or_default();
        if change.exists && !calls.iter().any(|call| touches(call, change)) {
            let (rule, what) = if change.whole {
                ("RV-R3", "the file is replaced, but it was not read")
            } else {
                ("RV-R2", "the file is changed, but it was not read")
            };
            found.push(GuardFinding::new(rule, &place, what, first));
        }
        found.extend(unknown_package(change, &calls, event));
    }
    found
}

/// Whether the user or an open todo names the file.
fn is_requested(change: &ContentChange, event: &GuardEvent<'_>, window: &Window, around: &dyn Surroundings) -> bool {
    let base = change.base_name();
    let stem = base.split('.').next().unwrap_or_default();
    let names = |text: &str| text.contains(base) || stem.len() >= 4 && has_word(text, stem);
    let todos = || stored_list(event, around).or_else(|| called_list(window, event)).unwrap_or_default();
    window.prompts(PROMPTS).any(names) || todos().iter().any(|item| item.is_open() && names(&item.text))
}

/// Whether a text contains a word, ignoring case.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| !c.is_alphanumeric() && c != '_';
    text.split(part).any(|own| own.eq_ignore_ascii_case(word))
}

/// Whether a call shows the content of the file, or its place.
fn touches(call: &WindowCall<'_>, change: &ContentChange) -> bool {
    let directory = change.absolute.rsplit_once('/').map_or("", |(directory, _)| directory);
    let in_directory = || {
        let own = super::content::path_of(&call.call.input).map(|path| path.trim_end_matches('/'));
        own.is_some_and(|path| path == directory || directory.ends_with(&format!("/{path}")))
    };
    match call.kind {
        ToolKind::Search | ToolKind::List => call.mentions(change.base_name()) || in_directory(),
        ToolKind::Read | ToolKind::Web | ToolKind::Shell | ToolKind::Write | ToolKind::Edit | ToolKind::Notebook => {
            call.mentions(change.base_name())
        }
        ToolKind::Agent | ToolKind::Other => call.mentions(change.base_name()),
        ToolKind::Todo => false,
    }
}

fn unknown_package(change: &ContentChange, calls: &[WindowCall<'_>], event: &GuardEvent<'_>) -> Option<GuardFinding> {
    let known = imported(&change.absolute, &change.old);
    let new = imported(&change.absolute, &change.new).into_iter().find(|name| {
        let read = |call: &WindowCall<'_>| {
            matches!(call.kind, ToolKind::Read | ToolKind::Search | ToolKind::Shell) && call.mentions(name)
        };
        !known.contains(name) && !calls.iter().any(read) && !is_local(name, &change.absolute, &event.project)
    })?;
    if calls.iter().any(|call| call.kind == ToolKind::Web) {
        return None;
    }
    let place = line_of(&event.shown(&change.absolute), &change.new, base_name(&new));
    Some(GuardFinding::new("RV-R4", &place, format!("{new} is new here, and nothing about it was read"), &new))
}
