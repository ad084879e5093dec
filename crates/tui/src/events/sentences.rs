//! The Events page as sentences.

use super::report;
use crate::model::Model;
use crate::widgets::StyledLine;
use hookbench_app::EventStoreState;
use hookbench_core::dialects;

/// The state of the page: the number of events and the selected one, or the open report.
pub fn page(model: &Model) -> Vec<String> {
    let shelf = model.session.event_list();
    if let Some(report) = model.events.report.as_ref().filter(|_| shelf.progress.is_none()) {
        return report_sentences(model, report);
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
            [Some(count).filter(|count| !count.is_empty()), selected(model)].into_iter().flatten().collect()
        }
    }
}

/// Maximum number of report rows in plain mode.
const MAX_ROWS: usize = 60;

/// A report as sentences.
fn report_sentences(model: &Model, report: &report::EventsReport) -> Vec<String> {
    let text = |parts: &mut dyn Iterator<Item = &str>| {
        parts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let band = report::build_band(model, report);
    let rows = band
        .rows
        .iter()
        .map(|row| format!("{} {}", row.word, row.parts.iter().map(|p| p.text.as_str()).collect::<String>()));
    let level = report.current().map(|level| level.rows.as_slice()).unwrap_or_default();
    let lines = level.iter().take(MAX_ROWS).map(|row| text(&mut row.line.iter().map(|(_, text)| text.as_str())));
    let mut all: Vec<String> =
        rows.chain(lines).filter(|says| !says.is_empty()).map(|says| format!("{says}.")).collect();
    if level.len() > MAX_ROWS {
        all.push(format!("And {} more.", level.len() - MAX_ROWS));
    }
    all
}

/// The selected event in a sentence.
pub fn selected(model: &Model) -> Option<String> {
    let row = model.session.event_list().window.row()?;
    let agent = dialects::by_id(&row.agent).map_or(row.agent.as_str(), |dialect| dialect.name());
    let parts = [
        Some(format!("Number {}", row.seq)),
        Some(format!("{agent} {}", row.event)),
        row.subject.clone(),
        row.highlight.clone(),
        row.verdict.as_ref().map(|verdict| verdict.replace('_', " ")),
        Some(row.payload_source.word().to_owned()),
        row.marked.then(|| "marked".to_owned()),
        row.comment.clone(),
    ];
    Some(format!("{}.", parts.into_iter().flatten().collect::<Vec<_>>().join(", ")))
}

/// The selected event in full.
pub fn full_event(model: &Model) -> Vec<String> {
    let text = |line: &StyledLine| line.iter().map(|(_, text)| text.as_str()).collect::<String>();
    model.events.lines.iter().map(text).filter(|line| !line.trim().is_empty()).collect()
}
