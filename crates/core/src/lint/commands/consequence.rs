//! The consequence of a hook's exit status, from the agent's own reading of runs.

use std::sync::Arc;

use crate::config::Loaded;
use crate::dialects::{Looked, Memory, Scene};
use crate::hook::HookInput;
use crate::names::RunId;
use crate::output::Vote;
use crate::run::{Exit, RunReport};

/// Returns half a sentence: what the agent does when this hook ends with that status and prints a reason on
/// stderr.
pub(in crate::lint) fn comes_to(at: &Looked<'_>, status: i32) -> String {
    let agent = at.agent();
    match (held(at, status), at.event.blocks) {
        (true, Some(blocks)) => format!("{agent} takes that as a refusal, each time: {blocks}"),
        _ => format!("{agent} goes on as if nobody had objected"),
    }
}

/// Whether that status blocks the event.
pub(in crate::lint) fn held(at: &Looked<'_>, status: i32) -> bool {
    let whole = at.whole;
    let Some(example) = whole.dialect.examples(at.event, whole.place, whole.version).into_iter().next() else {
        return false;
    };
    let subject = whole.dialect.subject(at.event, &example.body, whole.version);
    let scene = Scene {
        input: HookInput { event: at.event.name.to_owned(), subject, body: example.body },
        loaded: Arc::new(Loaded::default()),
        place: Arc::new(whole.place.clone()),
        version: whole.version.clone(),
        headless: false,
        memory: Memory::default(),
    };
    let report = RunReport::of(RunId(0), Exit::Code(status), "", "it failed");
    let output = whole.dialect.read(at.definition, &report, &scene);
    at.event.blocks.is_some() && matches!(output.vote, Vote::Deny | Vote::Block)
}
