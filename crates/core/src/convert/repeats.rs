//! Repeated commands on one event: agents differ on whether a repeated command runs again, and on which of two
//! copies they keep.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::note::{ConversionNote, NoteCode};
use super::{ConversionPair, ConvertedDefinition, WrittenDefinition};
use crate::catalogue::catalogue;
use crate::dialects::find_event;
use crate::port::AgentVersion;

/// Returns the parts of a handler that determine what it runs, without its other keys.
pub fn executed_parts(handler: &Map<String, Value>) -> Value {
    let keys = ["type", "command", "url", "prompt", "server", "tool"];
    Value::from_iter(keys.map(|key| handler.get(key).cloned().unwrap_or_default()))
}

/// Adds a note to each definition that repeats an earlier one, if the agents treat repeats differently.
pub fn note_repeats(pair: &ConversionPair<'_>, items: &mut [ConvertedDefinition]) {
    let written: Vec<Vec<WrittenDefinition>> = items.iter().map(|item| item.written.clone()).collect();
    let lines: Vec<u32> = items.iter().map(|item| item.line).collect();
    for (index, item) in items.iter_mut().enumerate() {
        let before = written.iter().zip(&lines).take(index);
        let twin = before.flat_map(|(all, line)| all.iter().map(move |one| (one, *line))).find_map(|(one, line)| {
            let same = |own: &&WrittenDefinition| {
                one.event == own.event && executed_parts(&one.handler) == executed_parts(&own.handler)
            };
            let own = item.written.iter().filter(same).find(|own| {
                !own.exists && matchers_meet(pair.to, &one.event, [one.matcher.as_deref(), own.matcher.as_deref()])
            })?;
            Some((one.handler == own.handler, line))
        });
        item.notes.extend(twin.and_then(|(equal, line)| repeat_note(pair, equal, line)));
    }
}

fn repeat_note(pair: &ConversionPair<'_>, equal: bool, line: u32) -> Option<ConversionNote> {
    let (from, to) = (pair.from.dialect, pair.to.dialect);
    let says = match (from.settings_format().runs_duplicates, to.settings_format().runs_duplicates) {
        (false, true) => {
            format!("the hook on line {line} is the same: {} runs one of the two, {} runs both", from.name(), to.name())
        }
        (true, false) => {
            format!("the hook on line {line} is the same: {} runs both, {} runs one of the two", from.name(), to.name())
        }
        (true, true) => return None,
        (false, false) if equal => return None,
        (false, false) => format!(
            "the hook on line {line} runs the same command with other keys: {} keeps one of the two, and {} may keep the other",
            from.name(),
            to.name()
        ),
    };
    Some(ConversionNote::worse(NoteCode::HandlerRepeated, says))
}

/// Whether both matchers match at least one known name on an event of this agent.
pub fn matchers_meet(side: &AgentVersion, event: &str, matchers: [Option<&str>; 2]) -> bool {
    let Some(event) = find_event(side.dialect, &side.version, event) else { return false };
    let Some(key) = event.subject else { return true };
    let mut names: BTreeSet<&str> = event.subjects.iter().copied().collect();
    if let Some(agent) = catalogue().agent(side.dialect.id().as_str()).filter(|_| key == "tool_name") {
        names.extend(agent.tools.iter().map(|tool| tool.id));
    }
    names.extend(matchers.iter().flatten());
    names.iter().any(|name| {
        let subject = side.dialect.subject(event, &json!({ key: name }), &side.version);
        matchers.iter().all(|matcher| {
            let matcher = matcher.map(Value::from);
            side.dialect.matches(event, matcher.as_ref(), &subject, &side.version) == Some(true)
        })
    })
}
