//! The commands of a report.

use super::{About, Leads, Report, Showing, draw};
use crate::events::against;
use crate::keymap::Verb;
use crate::model::Model;
use crate::twin::quoted;
use crate::update::{Ask, command};
use hookbench_app::{Command, ReplayOrder, ShelfCommand};

/// The order that replays what is shown: one event, those of a list, or all.
pub fn shown_order(report: &Report) -> Option<ReplayOrder> {
    let About::Replay(result) = &report.about else { return None };
    Some(match &report.top()?.showing {
        Showing::Summary => result.order.clone(),
        Showing::Events { places, .. } => result.again(places.iter().copied()),
        Showing::One(place) => result.again(std::iter::once(*place)),
    })
}

/// The command line that replays what is shown.
pub fn line_of(report: &Report) -> Option<String> {
    let words = shown_order(report)?.words();
    Some(
        std::iter::once("hookbench".to_owned())
            .chain(words.iter().map(|word| quoted(word)))
            .collect::<Vec<_>>()
            .join(" "),
    )
}

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_verb(model: &mut Model, verb: Verb, asks: &mut Vec<Ask>) -> bool {
    let Some(mut report) = model.events.report.take() else { return false };
    let page = isize::try_from(draw::room(model)).unwrap_or(10).max(2) - 1;
    let mut stays = true;
    let mut here = true;
    match verb {
        Verb::Up => report.step(-1),
        Verb::Down => report.step(1),
        Verb::PageUp => report.step(-page),
        Verb::PageDown => report.step(page),
        Verb::Top => report.step(isize::MIN / 2),
        Verb::Bottom => report.step(isize::MAX / 2),
        Verb::NextEvent | Verb::NextMatch => report.beside(model, true),
        Verb::PreviousEvent | Verb::PreviousMatch => report.beside(model, false),
        Verb::Back | Verb::Quit => stays = report.back(),
        Verb::Open => stays = open(model, &mut report, asks),
        Verb::ReplayMarked | Verb::RunAgain => match shown_order(&report) {
            Some(order) => {
                let order = ReplayOrder { run: true, contain: model.session.contain, ..order };
                command(model, Command::Shelf(ShelfCommand::Replay(order)), asks);
            }
            None => model.toast = Some("nothing to run here; a row leads to its events".to_owned()),
        },
        Verb::Agent | Verb::ReplayAgainst => match shown_order(&report) {
            Some(order) => model.popups.push(against::popup(order.which)),
            None => here = false,
        },
        Verb::CopyCommand => match line_of(&report) {
            Some(line) => asks.push(Ask::Copy(line)),
            None => model.toast = Some("a row leads to its events, and those to command lines".to_owned()),
        },
        Verb::Replay => {
            let key = model.key(Verb::ReplayMarked);
            model.toast = Some(format!("{key} runs what is shown; {} leads back", model.key(Verb::Back)));
        }
        Verb::Copy => {
            let line = |row: &super::ReportRow| row.line.iter().map(|(_, text)| text.as_str()).collect::<String>();
            let rows = report.top().map(|level| level.rows.iter().map(line).collect::<Vec<_>>());
            asks.push(Ask::Copy(rows.unwrap_or_default().join("\n")));
        }
        Verb::Search | Verb::LeaveOut | Verb::Comment | Verb::ToBench | Verb::PreviousTab | Verb::NextTab => {
            model.toast = Some(format!("{} is about the list; {} leads back", verb.name(), model.key(Verb::Back)));
        }
        _ => here = false,
    }
    // The command may have opened another report, which stays.
    if stays && model.events.report.is_none() {
        model.events.report = Some(report);
    }
    here
}

/// Follows the row under the cursor. Returns `false` if this closes the report.
fn open(model: &mut Model, report: &mut Report, asks: &mut Vec<Ask>) -> bool {
    let Some(row) = report.top().and_then(|level| level.rows.get(level.selected)) else { return true };
    match row.leads.clone() {
        Leads::Nowhere => true,
        Leads::To(showing) => {
            report.open(model, showing);
            true
        }
        Leads::Event(seq) => {
            command(model, Command::Shelf(ShelfCommand::GoTo(seq)), asks);
            false
        }
        Leads::Filter(text) => {
            if model.session.shelf.session.is_some() {
                command(model, Command::Shelf(ShelfCommand::Narrow(None)), asks);
            }
            command(model, Command::Shelf(ShelfCommand::Filter(text)), asks);
            false
        }
    }
}

/// Moves the cursor by `by` rows.
pub fn step(model: &mut Model, by: isize) {
    if let Some(report) = &mut model.events.report {
        report.step(by);
    }
}

/// Handles a click on a row: moves the cursor there, or follows the row under the cursor.
pub fn click(model: &mut Model, row: usize, asks: &mut Vec<Ask>) {
    let Some(level) = model.events.report.as_mut().and_then(|report| report.levels.last_mut()) else { return };
    if level.selected == row {
        on_verb(model, Verb::Open, asks);
    } else {
        level.selected = row.min(level.rows.len().saturating_sub(1));
    }
}
