//! The registration of the Events page.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{EventsView, copy_items, draw, filter_line, keys, report, sentences};
use crate::bench::{Band, FrameLayout};
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, typing_keys};
use crate::model::Model;
use crate::page::Page;
use crate::plain::sentences::detail;
use crate::screen::{FooterKey, HelpRow, PageKeys, PageList, Screen};
use crate::update::LoopRequest;
use hookbench_app::EventStoreState;
use hookbench_core::filter::OPERATORS;

/// The page.
pub struct EventsScreen;

impl Screen for EventsScreen {
    fn refresh(&self, model: &mut Model) {
        model.with_part(|model| &mut model.events, EventsView::refresh);
    }

    fn on_open(&self, model: &mut Model, before: Page, asks: &mut Vec<LoopRequest>) {
        keys::on_open(model, before, asks);
    }

    fn on_command(&self, model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
        keys::on_command(model, verb, asks)
    }

    fn on_typing_key(&self, model: &mut Model, key: KeyEvent, asks: &mut Vec<LoopRequest>) -> bool {
        keys::on_typing_key(model, key, asks)
    }

    fn on_paste(&self, model: &mut Model, text: &str, asks: &mut Vec<LoopRequest>) -> bool {
        keys::on_paste(model, text, asks)
    }

    fn on_click(&self, model: &mut Model, at: Position, asks: &mut Vec<LoopRequest>) {
        keys::on_click(model, at, asks);
    }

    fn step(&self, model: &mut Model, by: isize, asks: &mut Vec<LoopRequest>) {
        keys::step(model, by, asks);
    }

    fn visible_rows(&self, model: &Model) -> usize {
        visible_rows(model)
    }

    fn band(&self, model: &Model) -> Band {
        filter_line::build_band(model)
    }

    fn draw_top_line(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
        filter_line::draw_top_line(model, area, buf)
    }

    fn draw(&self, model: &Model, at: &FrameLayout, buf: &mut Buffer) {
        draw::draw(model, at.shared, buf);
    }

    fn keys(&self) -> &'static [PageKeys] {
        &[
            (&[UiCommand::Open], "open event"),
            (&[UiCommand::Search], "filter"),
            (&[UiCommand::LeaveOut, UiCommand::Comment], "mark, comment"),
            (&[UiCommand::Replay, UiCommand::RunAgain, UiCommand::ReplayAgainst], "replay, run hooks again"),
            (&[UiCommand::ToBench], "put on bench"),
            (&[UiCommand::Scope], "session, project, all"),
            (&[UiCommand::PreviousTab, UiCommand::NextTab], "choose session, this session"),
            (&[UiCommand::Import, UiCommand::Impact], "import session, show impact"),
            (&[UiCommand::NextEvent, UiCommand::PreviousEvent], "next, previous in replay"),
            (&[UiCommand::NextMatch, UiCommand::PreviousMatch], "next, previous in replay"),
            (&[UiCommand::Follow], "follow newest"),
        ]
    }

    fn bench_command(&self) -> UiCommand {
        UiCommand::ToBench
    }

    fn typing_keys(&self, model: &Model) -> Option<Vec<LayerKey>> {
        model.events.typing.as_ref().map(|_| typing_keys("keep filter", "cancel"))
    }

    fn footer(&self, model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
        let (view, shelf) = (&model.events, model.session.event_list());
        if view.report.is_some() {
            let mut all = vec![(UiCommand::Back, ""), (UiCommand::Open, "open")];
            if view.can_replay() {
                all.insert(1, (UiCommand::RunAgain, if view.ran_hooks() { "run again" } else { "run hooks" }));
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
        let scope = (UiCommand::Scope, "scope");
        let elsewhere = shelf.store == EventStoreState::Empty && shelf.elsewhere > 0;
        let list = list.into_iter().filter(|_| events).chain((events || elsewhere).then_some(scope));
        way.into_iter().chain(list).chain([(UiCommand::Palette, "")]).collect()
    }

    fn filter_words(&self, model: &Model) -> Vec<HelpRow> {
        operators(model)
    }

    fn copy_items(&self, model: &Model) -> Result<Vec<CopyItem>, &'static str> {
        copy_items::copy_items(model).ok_or(NOTHING)
    }

    fn command_line(&self, model: &Model) -> Result<String, &'static str> {
        copy_items::replay_command_line(model).ok_or(NOTHING)
    }

    fn page_list(&self, model: &Model) -> Option<PageList> {
        sentences::list(model)
    }

    fn sentences(&self, model: &Model) -> Vec<String> {
        sentences::page(model)
    }

    fn open_sentences(&self, model: &Model) -> Option<Vec<String>> {
        model.events.open.then(|| detail(&sentences::full_event(model)))
    }
}

fn visible_rows(model: &Model) -> usize {
    match &model.events.report {
        Some(_) => report::room(model),
        None if model.events.open => draw::open_room(model),
        None => draw::room(model),
    }
}

const NOTHING: &str = "no event is selected";

/// The operators of the filter with their counts, for the help.
fn operators(model: &Model) -> Vec<HelpRow> {
    let row = |operator: &hookbench_core::filter::FilterOperator| {
        let found = draw::operator_counts(model, operator.name);
        let found = if found.is_empty() { found } else { format!("   {found}") };
        (operator.example.to_owned(), format!("{}{found}", operator.description))
    };
    OPERATORS.iter().map(row).collect()
}
