//! The Events page as sentences.

use super::report;
use crate::model::Model;
use hookbench_app::Holding;
use hookbench_core::dialects;

/// The state of the page: the number of events and the selected one, or the open report.
pub fn page(model: &Model) -> Vec<String> {
    let shelf = &model.session.shelf;
    if let Some(report) = model.events.report.as_ref().filter(|_| shelf.working.is_none()) {
        return reported(model, report);
    }
    if let Some(working) = &shelf.working {
        return vec![format!("{} {}.", working.what, working.of)];
    }
    match &shelf.holding {
        Holding::Unknown | Holding::Reading => Vec::new(),
        Holding::Fault { says, cure } => vec![format!("{says}. {}", cure.unwrap_or_default())],
        Holding::Nothing => {
            let own = shelf.own.as_ref().map_or(0, Vec::len);
            vec![format!(
                "No events are recorded yet. The agents have kept {own} sessions of this project; import takes one in."
            )]
        }
        Holding::Events => {
            let count = match (shelf.passing, shelf.all) {
                (Some(passing), Some(all)) if passing != all => format!("{passing} of {all} events."),
                (_, Some(all)) => format!("{all} events."),
                _ => String::new(),
            };
            [Some(count).filter(|count| !count.is_empty()), selected(model)].into_iter().flatten().collect()
        }
    }
}

/// Maximum number of report rows in plain mode.
const SAID: usize = 60;

/// A report as sentences.
fn reported(model: &Model, report: &report::Report) -> Vec<String> {
    let text = |parts: &mut dyn Iterator<Item = &str>| {
        parts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let band = report::band_of(model, report);
    let rows = band
        .rows
        .iter()
        .map(|row| format!("{} {}", row.word, row.parts.iter().map(|p| p.text.as_str()).collect::<String>()));
    let level = report.top().map(|level| level.rows.as_slice()).unwrap_or_default();
    let lines = level.iter().take(SAID).map(|row| text(&mut row.line.iter().map(|(_, text)| text.as_str())));
    let mut all: Vec<String> =
        rows.chain(lines).filter(|says| !says.is_empty()).map(|says| format!("{says}.")).collect();
    if level.len() > SAID {
        all.push(format!("And {} more.", level.len() - SAID));
    }
    all
}

/// The selected event in a sentence.
pub fn selected(model: &Model) -> Option<String> {
    let row = model.session.shelf.list.row()?;
    let agent = dialects::by_id(&row.agent).map_or(row.agent.as_str(), |dialect| dialect.name());
    let parts = [
        Some(format!("Number {}", row.seq)),
        Some(format!("{agent} {}", row.event)),
        row.subject.clone(),
        row.what.clone(),
        row.verdict.as_ref().map(|verdict| verdict.replace('_', " ")),
        Some(row.made.word().to_owned()),
        row.marked.then(|| "marked".to_owned()),
        row.comment.clone(),
    ];
    Some(format!("{}.", parts.into_iter().flatten().collect::<Vec<_>>().join(", ")))
}

/// The selected event in full.
pub fn whole(model: &Model) -> Vec<String> {
    let text = |line: &crate::compare::Line| line.iter().map(|(_, text)| text.as_str()).collect::<String>();
    model.events.lines.iter().map(text).filter(|line| !line.trim().is_empty()).collect()
}
