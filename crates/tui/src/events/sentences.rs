//! The Events page as sentences.

use super::report;
use crate::model::Model;
use crate::plain::sentences::{band_rows, expanded, join_columns, sentence};
use crate::screen::PageList;
use crate::widgets::StyledLine;
use hookbench_app::{EventListRow, EventStoreState};
use hookbench_core::dialects;
use hookbench_core::text::pluralize;

/// The state of the page: the number of events and the selected one, or the open report.
pub fn page(model: &Model) -> Vec<String> {
    let shelf = model.session.event_list();
    if let Some(report) = model.events.report.as_ref().filter(|_| shelf.progress.is_none()) {
        return band_rows(&report::build_band(model, report));
    }
    if let Some(working) = &shelf.progress {
        return vec![format!("{} {}.", working.activity, working.subject)];
    }
    match &shelf.store {
        EventStoreState::Unknown | EventStoreState::Reading => Vec::new(),
        EventStoreState::Fault { message: says, help: cure } => vec![format!("{says}. {}", cure.unwrap_or_default())],
        EventStoreState::Empty => {
            let own = shelf.agent_sessions.as_ref().map_or(0, Vec::len);
            vec![format!("No recorded events yet. The agents have {own} sessions of this project; import imports one.")]
        }
        EventStoreState::Events => {
            let count = match (shelf.matching, shelf.all) {
                (Some(passing), Some(all)) if passing != all => format!("{passing} of {all} events."),
                (_, Some(all)) => format!("{all} events."),
                _ => String::new(),
            };
            let replays = (shelf.replays > 0).then(|| {
                format!("{} not listed; recorded ~replay lists them.", pluralize(shelf.replays, "stored replay"))
            });
            [Some(count).filter(|count| !count.is_empty()), replays, selected(model)].into_iter().flatten().collect()
        }
    }
}

/// The events with their own numbers, or the rows of the open report; `None` while an event is open.
pub fn list(model: &Model) -> Option<PageList> {
    if let Some(report) = &model.events.report {
        let level = report.current()?;
        let text = |line: &StyledLine| line.iter().map(|(_, text)| text.as_str()).collect::<String>();
        let rows = level.rows.iter().map(|row| sentence(&expanded(&join_columns(&text(&row.line), ", "))));
        return Some(PageList::new(report::path(report).join(", "), rows, level.selected));
    }
    if model.events.open {
        return None;
    }
    let window = &model.session.event_list().window;
    let number = |row: &EventListRow| usize::try_from(row.seq).unwrap_or_default();
    let rows = window.rows.iter().map(|row| (number(row), event(row))).collect();
    Some(PageList { title: "events".to_owned(), rows, selected: window.selected })
}

/// The selected event in a sentence.
pub fn selected(model: &Model) -> Option<String> {
    model.session.event_list().window.row().map(|row| format!("Number {}: {}", row.seq, event(row)))
}

/// An event in a sentence.
fn event(row: &EventListRow) -> String {
    let agent = dialects::by_id(&row.agent).map_or(row.agent.as_str(), |dialect| dialect.name());
    let parts = [
        Some(format!("{agent} {}", row.event)),
        row.subject.clone(),
        row.highlight.clone(),
        row.verdict.as_ref().map(|verdict| verdict.replace('_', " ")),
        Some(row.payload_source.word().to_owned()),
        row.marked.then(|| "marked".to_owned()),
        row.comment.clone(),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    format!("{}.", parts.join(", "))
}

/// The selected event in full.
pub fn full_event(model: &Model) -> Vec<String> {
    let text = |line: &StyledLine| line.iter().map(|(_, text)| text.as_str()).collect::<String>();
    model.events.lines.iter().map(text).filter(|line| !line.trim().is_empty()).collect()
}
