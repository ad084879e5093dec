//! The question before a replay runs hooks: every command, the number of events, contained or not.

use crate::consent::ConsentQuestion;
use hookbench_app::{ReplayQuestion, commands_by_place, consent_notes};
use hookbench_core::text::pluralize;

/// The question in words.
pub fn replay_question(question: &ReplayQuestion) -> ConsentQuestion<'_> {
    let events = pluralize(question.events, "event");
    let commands = pluralize(commands_by_place(&question.items).commands.len(), "command");
    let how = if question.order.contain {
        "contained: a copy of the project, no network where possible; hooks can read your files"
    } else {
        "not contained: they run in the project, as the agent runs them"
    };
    ConsentQuestion {
        items: &question.items,
        title: format!("Run {commands} for {events}?"),
        notes: consent_notes(&question.items)
            .into_iter()
            .chain([how, "Each run adds a row. The recorded events do not change."])
            .map(str::to_owned)
            .collect(),
        extra_key: Some(("!", if question.order.contain { "do not contain" } else { "contain" })),
    }
}
