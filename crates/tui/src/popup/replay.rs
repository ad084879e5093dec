//! The question before a replay runs hooks: every command, the number of events, contained or not.

use crossterm::event::KeyCode;

use super::Answer;
use crate::consent::Asked;
use hookbench_app::{Agreed, Command, Question, ReplayOrder, ShelfCommand};
use hookbench_core::text::counted;

/// Handles a key. Only `y` runs the commands, and only after the end of the list was visible.
pub(super) fn replay_key(question: &mut Question, top: &mut usize, code: KeyCode, size: (u16, u16)) -> Answer {
    let by = |top: &mut usize, by: isize| {
        *top = top.saturating_add_signed(by).min(100_000);
        Answer::Stay
    };
    match code {
        KeyCode::Char('y') if asked(question).reaches_end(*top, size) => {
            let agreed: Vec<Agreed> = question
                .items
                .iter()
                .map(|item| (item.key.clone(), format!("{} ({})", item.command, item.source)))
                .collect();
            Answer::Do(vec![
                Command::Contain(question.order.contain),
                Command::Shelf(ShelfCommand::ReplayAgreed(question.order.clone(), agreed)),
            ])
        }
        KeyCode::Char('!') => {
            question.order = ReplayOrder { contain: !question.order.contain, ..question.order.clone() };
            Answer::Stay
        }
        KeyCode::Char('j' | ' ') | KeyCode::Down => by(top, 1),
        KeyCode::Char('k') | KeyCode::Up => by(top, -1),
        KeyCode::PageDown => by(top, 10),
        KeyCode::PageUp => by(top, -10),
        KeyCode::Char('G') | KeyCode::End => by(top, 100_000),
        KeyCode::Char('n' | 'q') | KeyCode::Esc => Answer::Close,
        _ => Answer::Stay,
    }
}

/// The question in words.
pub fn asked(question: &Question) -> Asked<'_> {
    let events = counted(question.events, "event");
    let commands = match question.items.len() {
        1 => "1 command".to_owned(),
        n => format!("{n} commands"),
    };
    let how = if question.order.contain {
        "contained: a copy of the project, a home of their own, no network where that can be"
    } else {
        "not contained: they run in the project, as the agent runs them"
    };
    Asked {
        items: &question.items,
        title: format!("Really run {commands} for {events}"),
        says: vec![how.to_owned(), "Each run is a new row; what was recorded stays as it is.".to_owned()],
        more: Some(("!", if question.order.contain { " not contained" } else { " contained" })),
    }
}
