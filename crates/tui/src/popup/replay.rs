//! The question before a replay runs hooks: every command, the number of events, contained or not.

use crossterm::event::KeyCode;

use super::PopupResult;
use super::keys::{YES, scroll_question};
use crate::consent::ConsentQuestion;
use hookbench_app::{ApprovedCommand, Command, EventListCommand, ReplayOrder, ReplayQuestion};
use hookbench_core::text::pluralize;

/// Handles a key. Only `Y` runs the commands, and only after the end of the list was visible.
pub(super) fn replay_key(
    question: &mut ReplayQuestion,
    top: &mut usize,
    code: KeyCode,
    size: (u16, u16),
) -> PopupResult {
    match code {
        KeyCode::Char(YES) if replay_question(question).reaches_end(*top, size) => {
            let agreed: Vec<ApprovedCommand> = question
                .items
                .iter()
                .map(|item| (item.key.clone(), format!("{} ({})", item.command, item.source)))
                .collect();
            PopupResult::Run(vec![
                Command::SetContained(question.order.contain),
                Command::EventList(EventListCommand::ReplayApproved(question.order.clone(), agreed)),
            ])
        }
        KeyCode::Char('!') => {
            question.order = ReplayOrder { contain: !question.order.contain, ..question.order.clone() };
            PopupResult::Stay
        }
        KeyCode::Char('n') | KeyCode::Esc => PopupResult::Close,
        code => scroll_question(top, code),
    }
}

/// The question in words.
pub fn replay_question(question: &ReplayQuestion) -> ConsentQuestion<'_> {
    let events = pluralize(question.events, "event");
    let commands = match question.items.len() {
        1 => "1 command".to_owned(),
        n => format!("{n} commands"),
    };
    let how = if question.order.contain {
        "contained: a copy of the project, an empty home, no network where possible"
    } else {
        "not contained: they run in the project, as the agent runs them"
    };
    ConsentQuestion {
        items: &question.items,
        title: format!("Run {commands} for {events}?"),
        notes: vec![how.to_owned(), "Each run adds a row. The recorded events do not change.".to_owned()],
        extra_key: Some(("!", if question.order.contain { "do not contain" } else { "contain" })),
    }
}
