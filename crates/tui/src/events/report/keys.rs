//! The commands of a report.

use super::{EventsReport, LevelContent, ReportSubject, RowLink};
use crate::events::replay_target;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::update::{LoopRequest, command};
use hookbench_app::{Command, EventListCommand, EventListScope, ReplayOrder, SharedPage, shell_quoted};

/// The order that replays what is shown: one event, those of a list, or all.
pub fn replay_order(report: &EventsReport) -> Option<ReplayOrder> {
    let ReportSubject::Replay(result) = &report.subject else { return None };
    Some(match &report.current()?.content {
        LevelContent::Summary => result.order.clone(),
        LevelContent::Events { places, .. } => result.again(places.iter().copied()),
        LevelContent::Event(place) => result.again(std::iter::once(*place)),
    })
}

/// The command line that replays or prints what is shown.
pub fn report_command_line(report: &EventsReport) -> Option<String> {
    let words = match &report.subject {
        ReportSubject::Stats { stats, .. } if stats.filter.is_empty() => vec!["stats".to_owned()],
        ReportSubject::Stats { stats, .. } => ["stats", "--filter", &stats.filter].map(str::to_owned).to_vec(),
        _ => replay_order(report)?.command_line(),
    };
    Some(
        std::iter::once("hookbench".to_owned())
            .chain(words.iter().map(|word| shell_quoted(word)))
            .collect::<Vec<_>>()
            .join(" "),
    )
}

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_command(model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
    let Some(mut report) = model.events.report.take() else { return false };
    let mut stays = true;
    let mut here = true;
    match verb {
        UiCommand::NextEvent | UiCommand::NextMatch => report.open_neighbour(model, true),
        UiCommand::PreviousEvent | UiCommand::PreviousMatch => report.open_neighbour(model, false),
        UiCommand::Back => {
            stays = report.back();
            if !stays {
                model.toast = kept_results(model, &report);
            }
        }
        UiCommand::Open => {
            stays = open(model, &mut report, asks);
            if let Some(RowLink::Runs(filter)) = report.selected_link().cloned() {
                model.events.times_before = Some((report, filter));
                return true;
            }
        }
        UiCommand::RunAgain => match replay_order(&report) {
            Some(order) => {
                let order = ReplayOrder { run: true, contain: model.session.is_contained(), ..order };
                command(model, Command::EventList(EventListCommand::Replay(order)), asks);
            }
            None => model.toast = Some("open a row to see its events".to_owned()),
        },
        UiCommand::Agent | UiCommand::ReplayAgainst => match replay_order(&report) {
            Some(order) => model.popups.push(replay_target::ask_target(order.selection)),
            None => here = false,
        },
        UiCommand::CopyCommand => match report_command_line(&report) {
            Some(line) => asks.push(LoopRequest::Copy(line)),
            None => model.toast = Some("open a row to see its command line".to_owned()),
        },
        UiCommand::Replay => {
            let key = model.key(UiCommand::RunAgain);
            model.toast = Some(format!("{key} runs these hooks; {} goes back", model.key(UiCommand::Back)));
        }
        UiCommand::Copy => {
            let page = match &report.subject {
                _ if report.levels().len() > 1 => None,
                ReportSubject::Replay(result) => Some(SharedPage::Replay(result)),
                ReportSubject::Stats { stats, .. } => Some(SharedPage::Stats(stats)),
                ReportSubject::Impact(..) => None,
            };
            if let Some(text) = page.and_then(|page| model.to_markdown(page)) {
                asks.push(LoopRequest::Copy(text));
                model.events.report = Some(report);
                return true;
            }
            let line = |row: &super::ReportRow| row.line.iter().map(|(_, text)| text.as_str()).collect::<String>();
            let rows = report.current().map(|level| level.rows.iter().map(line).collect::<Vec<_>>());
            asks.push(LoopRequest::Copy(rows.unwrap_or_default().join("\n")));
        }
        UiCommand::Search
        | UiCommand::LeaveOut
        | UiCommand::Comment
        | UiCommand::ToBench
        | UiCommand::PreviousTab
        | UiCommand::NextTab => {
            model.toast = Some(format!("{} works on the list; {} goes back", verb.name(), model.key(UiCommand::Back)));
        }
        _ => here = false,
    }
    // The command may have opened another report, which stays.
    if stays && model.events.report.is_none() {
        model.events.report = Some(report);
    }
    here
}

/// Says how to list the results of a replay that ran: the list shows recorded events without replays.
fn kept_results(model: &Model, report: &EventsReport) -> Option<String> {
    let ReportSubject::Replay(result) = &report.subject else { return None };
    let is_kept = result.order.run && result.trouble.is_none() && !result.events.is_empty();
    let (it, them) = if result.events.len() == 1 { ("result is", "it") } else { ("results are", "them") };
    let key = model.key(UiCommand::Search);
    is_kept.then(|| format!("the {it} kept: {key} ~replay Enter lists {them}"))
}

/// Follows the row under the cursor. Returns `false` if this closes the report.
fn open(model: &mut Model, report: &mut EventsReport, asks: &mut Vec<LoopRequest>) -> bool {
    let Some(link) = report.selected_link().cloned() else { return true };
    match link {
        RowLink::Nowhere => true,
        RowLink::Level(showing) => {
            report.open(model, showing);
            true
        }
        RowLink::Event(seq) => {
            command(model, Command::EventList(EventListCommand::GoTo(seq)), asks);
            false
        }
        RowLink::Replay(seq) => {
            command(model, Command::EventList(EventListCommand::GoToReplay(seq)), asks);
            false
        }
        RowLink::Runs(text) => {
            command(model, Command::EventList(EventListCommand::Filter(text)), asks);
            false
        }
        RowLink::Filter(text) => {
            // The filter names the project itself, if the effect is limited to it.
            command(model, Command::EventList(EventListCommand::Scope(EventListScope::All)), asks);
            command(model, Command::EventList(EventListCommand::Filter(text)), asks);
            false
        }
    }
}

/// Handles a click on a row: moves the cursor there, or follows the row under the cursor.
pub fn on_click(model: &mut Model, row: usize, asks: &mut Vec<LoopRequest>) {
    let Some(level) = model.events.report.as_mut().and_then(|report| report.levels.last_mut()) else { return };
    if level.selected == row {
        on_command(model, UiCommand::Open, asks);
    } else {
        level.selected = row.min(level.rows.len().saturating_sub(1));
    }
}
