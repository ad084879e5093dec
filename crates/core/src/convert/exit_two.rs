//! Compares the effect of exit status 2 with a reason on stderr in both agents: fires the event with one hook that
//! ends like this and compares the agents' decisions.

use std::sync::Arc;

use serde_json::json;

use super::{ConversionNote, ConversionPair, ConvertedDefinition};
use crate::config::{MemoryFiles, Place};
use crate::decide::Outcome;
use crate::dialects::{Scene, SessionMemory, find_event};
use crate::firing::{Firing, FiringStep};
use crate::hook::{HookInput, Layer};
use crate::names::RungName;
use crate::port::AgentVersion;
use crate::run::{Exit, Launch, RunReport};

/// Whether the event is blocked: in some of the agent's examples, in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BlockingEffect {
    in_some_examples: bool,
    in_all_examples: bool,
}

/// Whether exit status 2 blocks the event in both agents, in all examples.
pub fn blocks_in_both(pair: &ConversionPair<'_>, event: &str, there: &str) -> bool {
    let all = |side, event| blocking_effect(side, event).is_some_and(|held| held.in_all_examples);
    all(pair.from, event) && all(pair.to, there)
}

/// Returns notes about the effect of exit status 2, one for each pair of events.
pub fn exit_two_notes(pair: &ConversionPair<'_>, items: &[ConvertedDefinition]) -> Vec<ConversionNote> {
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
    known.into_iter().filter_map(|(event, there)| exit_two_note(pair, event, there)).collect()
}

fn exit_two_note(pair: &ConversionPair<'_>, event: &str, event_there: &str) -> Option<ConversionNote> {
    let (here, there) = (blocking_effect(pair.from, event)?, blocking_effect(pair.to, event_there)?);
    let (from, to) = (pair.from.dialect.name(), pair.to.dialect.name());
    if here.in_some_examples && !there.in_some_examples {
        let says = format!("exit 2 blocks {event} in {from}, but does not block {event_there} in {to}");
        return Some(ConversionNote::worse("exit-2.no-effect", says));
    }
    if !here.in_some_examples && there.in_some_examples {
        let says = format!("exit 2 does not block {event} in {from}, but blocks {event_there} in {to}");
        return Some(ConversionNote::changed("exit-2.blocks", says));
    }
    None
}

/// Returns whether exit status 2 blocks an event. `None` if no hook could be fired on it, so that nothing is
/// known.
fn blocking_effect(side: &AgentVersion, event: &str) -> Option<BlockingEffect> {
    let place = Place { project: "/project".to_owned(), home: "/home".to_owned(), ..Place::default() };
    let form = side.dialect.settings_format();
    let place = form.trusted(&place);
    let mut files = MemoryFiles::default();
    let settings = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": "x"}]}]}});
    files.put((form.layer_file)(&place, Layer::Project)?, settings.to_string());
    let mut loaded = Arc::unwrap_or_clone(side.dialect.load(&place, &files, &side.version));
    for definition in &mut loaded.definitions {
        definition.rejection = definition.rejection.take().filter(|refused| refused.rung != RungName::Trusted);
    }
    let event = find_event(side.dialect, &side.version, event)?;
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
                memory: SessionMemory::default(),
            };
            outcome(side, scene).map(|outcome| outcome.blocked)
        })
        .collect();
    let some = outcomes.contains(&true);
    (!outcomes.is_empty())
        .then(|| BlockingEffect { in_some_examples: some, in_all_examples: !outcomes.contains(&false) })
}

/// Returns the agent's decision after the hook exits with status 2. `None` if no hook runs.
fn outcome(side: &AgentVersion, scene: Scene) -> Option<Outcome> {
    let (mut firing, steps) = Firing::start(side.dialect, scene);
    let run = steps.iter().find_map(|step| match step {
        FiringStep::Launch(request) if matches!(request.launch, Launch::Process(_)) => Some(request.run),
        _ => None,
    })?;
    let steps = firing.report(RunReport::new(run, Exit::Code(2), "", "no"));
    steps.into_iter().find_map(|step| match step {
        FiringStep::Decided(outcome) => Some(*outcome),
        _ => None,
    })
}
