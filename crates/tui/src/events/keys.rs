//! The commands of the Events page.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{against, copied, draw, empty, report};
use crate::keymap::Verb;
use crate::model::Model;
use crate::page::Page;
use crate::popup::{Input, InputFor, Item, Pick, Popup};
use crate::update::{Ask, command, open_page};
use crate::widgets::{self, TreeMove};
use hookbench_app::impact::Impact;
use hookbench_app::{Command, Holding, Rematch, ReplayOrder, Replays, ShelfCommand};
use hookbench_core::filter::parse;

fn ask(model: &mut Model, what: ShelfCommand, asks: &mut Vec<Ask>) {
    command(model, Command::Shelf(what), asks);
}

/// Reads the list after the page was opened.
pub fn arrive(model: &mut Model, before: Page, asks: &mut Vec<Ask>) {
    let new = before != Page::Events || model.session.shelf.holding == Holding::Unknown;
    if model.page == Page::Events && new {
        ask(model, ShelfCommand::Look, asks);
    }
}

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_verb(model: &mut Model, verb: Verb, asks: &mut Vec<Ask>) -> bool {
    if report::on_verb(model, verb, asks) {
        return true;
    }
    let events = model.session.shelf.holding == Holding::Events;
    match verb {
        Verb::Up => step(model, -1, asks),
        Verb::Down => step(model, 1, asks),
        Verb::PageUp => step(model, -page(model), asks),
        Verb::PageDown => step(model, page(model), asks),
        Verb::Top if model.events.open || !events => step(model, isize::MIN / 2, asks),
        Verb::Bottom if model.events.open || !events => step(model, isize::MAX / 2, asks),
        Verb::Top => ask(model, ShelfCommand::Oldest, asks),
        Verb::Bottom => ask(model, ShelfCommand::Newest, asks),
        Verb::Open if !events => import_selected(model, asks),
        Verb::Left if model.events.open => _ = fold(model, TreeMove::Out),
        Verb::Right if model.events.open => _ = fold(model, TreeMove::In),
        Verb::LeaveOut if model.events.open && fold(model, TreeMove::Toggle) => {}
        Verb::Open if model.events.open && fold(model, TreeMove::Toggle) => {}
        Verb::Open if model.events.open => to_bench(model, asks),
        Verb::Open => model.events.open = model.session.shelf.list.row().is_some(),
        Verb::Back | Verb::Quit => back(model, asks),
        Verb::Search => {
            model.events.open = false;
            let now = model.session.shelf.filter.clone();
            model.events.typing = Some((widgets::Line::from(now.clone()), now));
            ask(model, ShelfCommand::Counts, asks);
        }
        Verb::Help => {
            if events {
                ask(model, ShelfCommand::Counts, asks);
            }
            return false;
        }
        Verb::Follow => ask(model, ShelfCommand::Follow, asks),
        Verb::LeaveOut => ask(model, ShelfCommand::Mark, asks),
        Verb::Comment => comment(model),
        Verb::PreviousTab => ask(model, ShelfCommand::Sessions, asks),
        Verb::NextTab => {
            let session = model.session.shelf.list.row().map(|row| row.session.clone());
            if session.is_some() {
                ask(model, ShelfCommand::Narrow(session), asks);
            }
        }
        Verb::Import => {
            model.events.asked_own = true;
            ask(model, ShelfCommand::Own, asks);
        }
        Verb::ToBench => to_bench(model, asks),
        Verb::Replay => replay(model, selected(model).map(ReplayOrder::dry), asks),
        Verb::ReplayMarked => replay(model, Some(ReplayOrder::dry(Replays::Marked)), asks),
        Verb::ReplayShown => replay(model, Some(ReplayOrder::dry(Replays::Passing(shown(model)))), asks),
        Verb::ReplayAgainst => match selected(model) {
            Some(which) => model.popups.push(against::popup(which)),
            None => model.toast = Some("no event is selected".to_owned()),
        },
        Verb::RunAgain => {
            let contain = model.session.contain;
            let order = selected(model).map(|which| ReplayOrder { run: true, contain, ..ReplayOrder::dry(which) });
            replay(model, order, asks);
        }
        Verb::Copy => match copied::yanks(model) {
            Some(popup) => model.popups.push(popup),
            None => model.toast = Some("no event is selected".to_owned()),
        },
        Verb::CopyCommand => match copied::line_of(model) {
            Some(line) => asks.push(Ask::Copy(line)),
            None => model.toast = Some("no event is selected".to_owned()),
        },
        Verb::Fire
        | Verb::Edit
        | Verb::SetField
        | Verb::Template
        | Verb::Why
        | Verb::Diff
        | Verb::WhatIf
        | Verb::Mode
        | Verb::Zoom
        | Verb::Grow
        | Verb::Shrink
        | Verb::NextMatch
        | Verb::PreviousMatch => {
            let (name, key) = (verb.name(), model.key(Verb::ToBench));
            model.toast = Some(format!("{name} is about the bench; {key} puts the selected event there"));
        }
        _ => return false,
    }
    true
}

/// Folds or unfolds the row under the cursor in the open event. Returns `false` if the row cannot be folded.
fn fold(model: &mut Model, what: TreeMove) -> bool {
    let mut view = std::mem::take(&mut model.events);
    let done = view.fold(model, what);
    model.events = view;
    done
}

/// The selected event.
fn selected(model: &Model) -> Option<Replays> {
    model.session.shelf.list.row().map(|row| Replays::One(row.seq))
}

/// The current filter as text; empty if all events are listed.
fn shown(model: &Model) -> String {
    let shelf = &model.session.shelf;
    if shelf.filter.trim().is_empty() && shelf.session.is_none() { String::new() } else { shelf.selects().to_string() }
}

fn replay(model: &mut Model, order: Option<ReplayOrder>, asks: &mut Vec<Ask>) {
    match order {
        Some(order) => ask(model, ShelfCommand::Replay(order), asks),
        None => model.toast = Some("no event is selected".to_owned()),
    }
}

/// Opens the effect of the last settings change, preferably for the agent on the bench.
pub fn show_impact(model: &mut Model) {
    let here = model.session.bench.agent;
    let told =
        |agent: &&hookbench_app::AgentState| agent.impact.as_ref().is_some_and(|impact| impact.words().is_some());
    let mut all = model.session.agents.iter().filter(told);
    let found = all.clone().find(|agent| agent.dialect.id() == here).or_else(|| all.next());
    let Some((name, impact)) = found.and_then(|agent| Some((agent.dialect.name(), agent.impact.clone()?))) else {
        model.toast = Some("no change of the settings since the start concerns a recorded event".to_owned());
        return;
    };
    open_impact(model, name, impact);
}

/// Opens the predicted effect of a change that is not written yet; returns `false` if there is nothing to open.
pub fn show_foreseen(model: &mut Model, change: &Rematch) -> bool {
    let state = model.session.agent(change.agent);
    let known = state.and_then(|agent| Some((agent.dialect.name(), agent.prospect.clone()?)));
    let (name, impact) = match known.filter(|(_, (after, _))| *after == change.after) {
        Some((name, (_, Some(impact)))) if impact.words().is_some() => (name, impact),
        known => {
            let unknown = known.is_none_or(|(_, (_, impact))| impact.is_none());
            let says =
                if unknown { "it is not known yet which events it concerns" } else { "no event is planned otherwise" };
            model.toast = Some(says.to_owned());
            return false;
        }
    };
    open_impact(model, name, impact);
    true
}

fn open_impact(model: &mut Model, agent: &'static str, impact: Impact) {
    let report = report::Report::new(model, report::About::Impact(agent, Box::new(impact)));
    (model.events.open, model.events.typing) = (false, None);
    model.events.report = Some(report);
    open_page(model, Page::Events);
}

fn page(model: &Model) -> isize {
    let rows = if model.events.open { draw::open_room(model) } else { draw::room(model) };
    isize::try_from(rows).unwrap_or(10).max(2) - 1
}

/// Moves up or down: in the open event, otherwise in the list, otherwise in the agents' own sessions.
fn step(model: &mut Model, by: isize, asks: &mut Vec<Ask>) {
    let moved = |at: usize, last: usize| at.saturating_add_signed(by).min(last);
    if model.session.shelf.holding != Holding::Events {
        let last = model.session.shelf.own.as_ref().map_or(0, |own| own.len().saturating_sub(1));
        model.events.own = moved(model.events.own, last);
    } else if model.events.open {
        let last = model.events.lines.len().saturating_sub(1);
        model.events.at = moved(model.events.at, last);
    } else {
        ask(model, ShelfCommand::Step(by), asks);
    }
}

/// Goes back one level; from the list itself to the bench.
fn back(model: &mut Model, asks: &mut Vec<Ask>) {
    if model.events.open {
        model.events.open = false;
    } else if !model.session.shelf.filter.is_empty() {
        ask(model, ShelfCommand::Filter(String::new()), asks);
    } else if model.session.shelf.session.is_some() {
        ask(model, ShelfCommand::Narrow(None), asks);
    } else {
        open_page(model, Page::Bench);
    }
}

fn to_bench(model: &mut Model, asks: &mut Vec<Ask>) {
    let before = model.session.payload_revision;
    ask(model, ShelfCommand::ToBench, asks);
    if model.session.payload_revision != before {
        model.events.open = false;
        open_page(model, Page::Bench);
    }
}

fn import_selected(model: &mut Model, asks: &mut Vec<Ask>) {
    let own = model.session.shelf.own.as_ref().and_then(|own| own.get(model.events.own));
    match own.map(|own| own.file.clone()).filter(|_| model.session.shelf.holding == Holding::Nothing) {
        Some(file) => ask(model, ShelfCommand::Import(file), asks),
        None => model.toast = Some("there is nothing to open here".to_owned()),
    }
}

fn comment(model: &mut Model) {
    let Some(row) = model.session.shelf.list.row() else { return };
    model.popups.push(Popup::Input(Input {
        title: format!("Comment on #{}", row.seq),
        hint: "Enter keeps it; an empty one takes it away".to_owned(),
        text: row.comment.clone().unwrap_or_default().into(),
        form: "",
        what: InputFor::Comment(row.seq),
        error: None,
    }));
}

/// Handles a key while the filter is typed; returns `false` if the key is a command.
pub fn filter_key(model: &mut Model, key: KeyEvent, asks: &mut Vec<Ask>) -> bool {
    let Some((line, before)) = &mut model.events.typing else { return false };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => {
            let before = std::mem::take(before);
            (model.events.typing, model.events.wrong) = (None, None);
            if before != model.session.shelf.filter {
                ask(model, ShelfCommand::Filter(before), asks);
            }
        }
        KeyCode::Char('c') if control => return false,
        KeyCode::Enter if model.events.wrong.is_some() => {}
        KeyCode::Enter => model.events.typing = None,
        KeyCode::Up => step(model, -1, asks),
        KeyCode::Down => step(model, 1, asks),
        code => {
            if line.key(code, control) {
                typed(model, asks);
            }
        }
    }
    true
}

/// Applies the typed filter if it can be parsed.
fn typed(model: &mut Model, asks: &mut Vec<Ask>) {
    let Some(text) = model.events.typing.as_ref().map(|(line, _)| line.text()) else { return };
    match parse(&text) {
        Err(wrong) => model.events.wrong = Some(wrong),
        Ok(_) => {
            model.events.wrong = None;
            ask(model, ShelfCommand::Filter(text), asks);
        }
    }
}

/// Adds pasted text to the filter; returns `false` if no filter is being typed.
pub fn paste(model: &mut Model, text: &str, asks: &mut Vec<Ask>) -> bool {
    let Some((line, _)) = &mut model.events.typing else { return false };
    line.insert(text);
    typed(model, asks);
    true
}

/// Shows what the session has answered: a replay, a question, or a list to choose from.
pub fn on_news(model: &mut Model) {
    if let Some(result) = model.session.shelf.replayed.take() {
        // The replay has ended, so the message about cancelling it is removed.
        model.toast = None;
        if result.order.run && model.page != Page::Events {
            let key = model.key(Page::Events.verb());
            model.toast = Some(format!("{} fired again; {key} shows what came of it", result.summary.events));
        }
        model.events.report = Some(report::Report::new(model, report::About::Replay(result)));
        (model.events.open, model.events.typing, model.events.wrong) = (false, None, None);
    }
    if let Some(question) = model.session.shelf.question.take() {
        model.ask(Popup::Replay { question, top: 0 });
    }
    if let Some(sessions) = model.session.shelf.sessions.take() {
        let item = |session: hookbench_app::SessionRow| {
            let id = session.session.agent.as_str();
            let name = hookbench_core::dialects::by_id(id).map_or(id, |dialect| dialect.name());
            let title = session.session.title.clone().unwrap_or_default();
            let at = session.last.and_then(hookbench_core::recorded::time_text);
            let at = at.and_then(|at| at.get(..16).map(|at| at.replace('T', " "))).unwrap_or_default();
            Item {
                label: format!("{name}  {at}"),
                about: format!("{} events   {}  {title}", session.events, session.session.session),
                commands: vec![Command::Shelf(ShelfCommand::Narrow(Some(session.session.session.clone())))],
            }
        };
        let items = sessions.into_iter().map(item).collect();
        model.popups.push(Popup::Pick(Pick { title: "Sessions", items, filter: String::new(), selected: 0 }));
    }
    if let Some(own) = model.session.shelf.own.as_ref().filter(|_| model.events.asked_own) {
        model.events.asked_own = false;
        if own.is_empty() {
            model.toast =
                Some("the agents have kept no session of this project; hookbench import FILE takes any".into());
            return;
        }
        let item = |own: &hookbench_app::OwnSession| {
            let (label, about) = empty::words(own);
            Item { label, about, commands: vec![Command::Shelf(ShelfCommand::Import(own.file.clone()))] }
        };
        let items = own.iter().map(item).collect();
        let title = "Import a session of this project";
        model.popups.push(Popup::Pick(Pick { title, items, filter: String::new(), selected: 0 }));
    }
}

/// Handles a click on a row.
pub fn click(model: &mut Model, row: usize, asks: &mut Vec<Ask>) {
    if model.events.report.is_some() {
        report::click(model, row, asks);
        return;
    }
    ask(model, ShelfCommand::Select(row), asks);
}

/// Handles the wheel.
pub fn turn(model: &mut Model, by: isize, asks: &mut Vec<Ask>) {
    if model.events.report.is_some() {
        report::step(model, by);
        return;
    }
    step(model, by, asks);
}
