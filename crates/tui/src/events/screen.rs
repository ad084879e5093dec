//! The registration of the Events page.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{EventsView, copy_items, draw, filter_line, keys, report};
use crate::bench::{Band, FrameLayout};
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, typing_keys};
use crate::model::Model;
use crate::page::Page;
use crate::plain::sentences::{band_rows, detail, expanded, join_columns, sentence};
use crate::screen::{FooterKey, HelpRow, PageKeys, PageList, Screen};
use crate::theme::Theme;
use crate::time_line;
use crate::update::LoopRequest;
use crate::widgets::StyledLine;
use hookbench_app::{EventListRow, EventStoreState};
use hookbench_core::dialects;
use hookbench_core::filter::OPERATORS;
use hookbench_core::text::pluralize;

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
            (&[UiCommand::Stats], "times of the hooks of listed events"),
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
            } else if view.shows_stats() {
                all.extend([(UiCommand::Stats, "read again"), (UiCommand::Copy, ""), (UiCommand::CopyCommand, "")]);
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
            (UiCommand::Stats, "times"),
            (UiCommand::Search, "filter"),
        ];
        let scope = (UiCommand::Scope, "scope");
        let elsewhere = shelf.store == EventStoreState::Empty && shelf.elsewhere > 0;
        let list = list.into_iter().filter(|_| events).chain((events || elsewhere).then_some(scope));
        // Esc goes back from a filter, too.
        let back = (!view.open && !shelf.filter.is_empty()).then_some((UiCommand::Back, ""));
        back.into_iter().chain(way).chain(list).chain([(UiCommand::Palette, "")]).collect()
    }

    fn filter_words(&self, model: &Model) -> Vec<HelpRow> {
        operators(model)
    }

    fn signs(&self, theme: Theme) -> Vec<HelpRow> {
        let signs = [
            ("* \"", "marked, has a comment"),
            ("~DENY", "verdict of its replay"),
            ("2/4", "hooks: ran, configured"),
            ("+3", "more columns if wider"),
        ];
        let signs = signs.map(|(sign, meaning)| (sign.to_owned(), meaning.to_owned()));
        signs.into_iter().chain(time_line::legend(theme)).collect()
    }

    fn copy_items(&self, model: &Model) -> Result<Vec<CopyItem>, &'static str> {
        copy_items::copy_items(model).ok_or(NOTHING)
    }

    fn command_line(&self, model: &Model) -> Result<String, &'static str> {
        copy_items::replay_command_line(model).ok_or(NOTHING)
    }

    fn page_list(&self, model: &Model) -> Option<PageList> {
        list(model)
    }

    fn sentences(&self, model: &Model) -> Vec<String> {
        page(model)
    }

    fn open_sentences(&self, model: &Model) -> Option<Vec<String>> {
        model.events.open.then(|| detail(&full_event(model)))
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
