//! The registration of the Events page.

use super::{EventsView, copy_items, draw, filter_line, keys, report, sentences};
use crate::bench::FrameLayout;
use crate::keymap::{Equivalent::CommandLine, UiCommand, row};
use crate::model::Model;
use crate::page::Page;
use crate::screen::{FooterKey, HelpRow, Screen};
use hookbench_app::EventStoreState;
use hookbench_core::filter::OPERATORS;

/// The parts of the page.
pub static SCREEN: Screen = Screen {
    refresh: |model| model.with_part(|model| &mut model.events, EventsView::refresh),
    on_open: keys::on_open,
    close: |model| (model.events.open, model.events.typing, model.events.filter_error) = (false, None, None),
    on_command: keys::on_command,
    on_typing_key: keys::on_typing_key,
    on_paste: keys::on_paste,
    on_click: keys::on_click,
    step: keys::step,
    visible_rows,
    band: filter_line::build_band,
    draw_top_line: filter_line::draw_top_line,
    draw: |model, at, buf| draw::draw(model, at.shared, buf),
    footer,
    help: |model| ("The filter's words, and keys", operators(model)),
    copy_items: |model| copy_items::copy_items(model).ok_or(NOTHING),
    command_line: |model| copy_items::replay_command_line(model).ok_or(NOTHING),
    sentences: sentences::page,
    open_sentences: |model| model.events.open.then(|| sentences::full_event(model)),
    ..Screen::new(
        "Events",
        row(
            UiCommand::Page(Page::Events),
            "recorded",
            "3",
            "",
            "recorded events: search, mark, fire again",
            CommandLine("hookbench db list"),
        ),
    )
};

fn visible_rows(model: &Model) -> usize {
    match &model.events.report {
        Some(_) => report::room(model),
        None if model.events.open => draw::open_room(model),
        None => draw::room(model),
    }
}

const NOTHING: &str = "no event is selected";

fn footer(model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
    let (view, shelf) = (&model.events, &model.session.event_list);
    if view.report.is_some() {
        let mut all = vec![(UiCommand::Back, ""), (UiCommand::Open, "open")];
        if view.can_replay() {
            all.insert(1, (UiCommand::ReplayMarked, if view.ran_hooks() { "run again" } else { "run them" }));
            all.extend([(UiCommand::Agent, "against"), (UiCommand::CopyCommand, "command line")]);
        }
        return all;
    }
    let events = shelf.store == EventStoreState::Events;
    let own = || shelf.agent_sessions.as_ref().is_some_and(|own| !own.is_empty());
    let way = if view.open {
        Some((UiCommand::Back, ""))
    } else if events {
        shelf.window.row().map(|_| (UiCommand::Open, ""))
    } else {
        (shelf.store == EventStoreState::Empty && own()).then_some((UiCommand::Open, "import"))
    };
    let list = [
        (UiCommand::LeaveOut, "mark"),
        (UiCommand::Replay, ""),
        (UiCommand::ToBench, "bench"),
        (UiCommand::Search, "filter"),
    ];
    let list = list.into_iter().filter(|_| events);
    way.into_iter().chain(list).chain([(UiCommand::Palette, "")]).collect()
}

/// The operators of the filter with their counts, for the help.
fn operators(model: &Model) -> Vec<HelpRow> {
    let row = |operator: &hookbench_core::filter::FilterOperator| {
        let found = draw::operator_counts(model, operator.name);
        let found = if found.is_empty() { found } else { format!("{found}   ") };
        (operator.example.to_owned(), format!("{found}{}", operator.description))
    };
    OPERATORS.iter().map(row).collect()
}
