//! Compares the effect of exit status 2 with a reason on stderr in both agents: fires the event with one hook that
//! ends like this and compares the agents' decisions.

use std::sync::Arc;

use serde_json::json;

use super::{Item, Note, Pair};
use crate::config::{MemoryFiles, Place};
use crate::decide::Outcome;
use crate::dialects::{Memory, Scene, event_of};
use crate::firing::{Firing, Step};
use crate::hook::{HookInput, Layer};
use crate::names::RungName;
use crate::port::Side;
use crate::run::{Exit, Launch, RunReport};

/// Whether the event is blocked: in some of the agent's examples, in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    some: bool,
    all: bool,
}

/// Whether exit status 2 blocks the event in both agents, in all examples.
pub fn both(pair: &Pair<'_>, event: &str, there: &str) -> bool {
    let all = |side, event| held(side, event).is_some_and(|held| held.all);
    all(pair.from, event) && all(pair.to, there)
}

/// Returns notes about the effect of exit status 2, one for each pair of events.
pub fn notes(pair: &Pair<'_>, items: &[Item]) -> Vec<Note> {
    let mut known: Vec<(&str, &str)> = Vec::new();
    for item in items {
        let commands = item.written.iter().filter(|w| w.handler.get("type").is_some_and(|kind| kind == "command"));
        for written in commands {
            let events = (item.event.as_str(), written.event.as_str());
            if !known.contains(&events) {
                known.push(events);
            }
        }
    }
    known.into_iter().filter_map(|(event, there)| note(pair, event, there)).collect()
}

fn note(pair: &Pair<'_>, event: &str, event_there: &str) -> Option<Note> {
    let (here, there) = (held(pair.from, event)?, held(pair.to, event_there)?);
    let (from, to) = (pair.from.dialect.name(), pair.to.dialect.name());
    if here.some && !there.some {
        let says = format!("exit status 2 holds {event} up in {from}, and {event_there} in {to} not");
        return Some(Note::worse("exit-2.no-effect", says));
    }
    if !here.some && there.some {
        let says = format!("exit status 2 holds nothing up on {event} in {from}, and does on {event_there} in {to}");
        return Some(Note::changed("exit-2.blocks", says));
    }
    None
}

/// Returns whether exit status 2 blocks an event. `None` if no hook could be fired on it, so that nothing is
/// known.
fn held(side: &Side, event: &str) -> Option<Held> {
    let place = Place { project: "/project".to_owned(), home: "/home".to_owned(), ..Place::default() };
    let form = side.dialect.form();
    let place = form.trusted(&place);
    let mut files = MemoryFiles::default();
    let settings = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": "x"}]}]}});
    files.put((form.file)(&place, Layer::Project)?, settings.to_string());
    let mut loaded = side.dialect.load(&place, &files, &side.version);
    for definition in &mut loaded.definitions {
        definition.refused = definition.refused.take().filter(|refused| refused.rung != RungName::Trusted);
    }
    let event = event_of(side.dialect, &side.version, event)?;
    let (loaded, place) = (Arc::new(loaded), Arc::new(place));
    let examples = side.dialect.examples(event, &place, &side.version).into_iter();
    let outcomes: Vec<bool> = examples
        .filter_map(|example| {
            let subject = side.dialect.subject(event, &example.body, &side.version);
            let scene = Scene {
                input: HookInput { event: event.name.to_owned(), subject, body: example.body },
                loaded: Arc::clone(&loaded),
                place: Arc::clone(&place),
                version: side.version.clone(),
                headless: false,
                memory: Memory::default(),
            };
            outcome(side, scene).map(|outcome| outcome.blocked)
        })
        .collect();
    let some = outcomes.contains(&true);
    (!outcomes.is_empty()).then(|| Held { some, all: !outcomes.contains(&false) })
}

/// Returns the agent's decision after the hook exits with status 2. `None` if no hook runs.
fn outcome(side: &Side, scene: Scene) -> Option<Outcome> {
    let (mut firing, steps) = Firing::start(side.dialect, scene);
    let run = steps.iter().find_map(|step| match step {
        Step::Launch(request) if matches!(request.launch, Launch::Process(_)) => Some(request.run),
        _ => None,
    })?;
    let steps = firing.report(RunReport::of(run, Exit::Code(2), "", "no"));
    steps.into_iter().find_map(|step| match step {
        Step::Decided(outcome) => Some(*outcome),
        _ => None,
    })
}
