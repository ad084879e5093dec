//! The commands of the Files page.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::draw::{detail_now, room};
use super::{FilesView, Item};
use crate::bench::has_detail;
use crate::keymap::Verb;
use crate::model::Model;
use crate::page::Page;
use crate::update::{Ask, command, go_to, open_page};
use hookbench_app::Command;
use hookbench_app::inventory::Spot;
use hookbench_core::config::LayerState;

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_verb(model: &mut Model, verb: Verb, asks: &mut Vec<Ask>) -> bool {
    match verb {
        Verb::Up => step(model, -1),
        Verb::Down => step(model, 1),
        Verb::PageUp => step(model, -page(model)),
        Verb::PageDown => step(model, page(model)),
        Verb::Top => step(model, isize::MIN / 2),
        Verb::Bottom => step(model, isize::MAX / 2),
        Verb::Left => {
            model.files.fold(Some(false));
        }
        Verb::Right => {
            model.files.fold(Some(true));
        }
        Verb::NextPane | Verb::PreviousPane => beside(model, verb == Verb::NextPane),
        Verb::Open => open(model, asks),
        Verb::Why => to_bench(model, asks),
        Verb::OpenEditor => open_editor(model, asks),
        Verb::Search => model.files.typing = true,
        Verb::Back | Verb::Quit => back(model),
        _ => return false,
    }
    true
}

fn page(model: &Model) -> isize {
    isize::try_from(room(model)).unwrap_or(10).max(2) - 1
}

/// Moves up or down in the rows, or scrolls the detail if it fills the page.
fn step(model: &mut Model, by: isize) {
    if alone(model) {
        let (lines, rows) = detail_now(model);
        let last = lines.len().saturating_sub(rows);
        model.files.scroll = model.files.scroll.min(last).saturating_add_signed(by).min(last);
        return;
    }
    let last = model.files.items.len().saturating_sub(1);
    model.files.selected = model.files.selected.saturating_add_signed(by).min(last);
    model.files.scroll = 0;
}

/// Whether the detail fills the page.
fn alone(model: &Model) -> bool {
    model.files.open && !has_detail(model.size)
}

/// Selects the next or previous agent.
fn beside(model: &mut Model, forward: bool) {
    let files = &mut model.files;
    let Some(now) = files.item() else { return };
    let is_agent = |index: &usize| matches!(files.items.get(*index), Some(Item::Agent(_)));
    let found = if forward {
        (files.selected + 1..files.items.len()).find(is_agent)
    } else {
        let from = if matches!(now, Item::Agent(_)) { files.selected } else { files.selected + 1 };
        (0..from).rev().find(is_agent)
    };
    files.selected = found.unwrap_or(files.selected);
    files.scroll = 0;
}

/// Opens the selected row: unfolds a file, goes to a hook, or shows the detail if it is not beside the list.
fn open(model: &mut Model, asks: &mut Vec<Ask>) {
    match model.files.item() {
        Some(Item::Hook(..)) if has_detail(model.size) || model.files.open => to_bench(model, asks),
        Some(Item::Layer(..)) if model.files.fold(None) => {}
        _ if !has_detail(model.size) => {
            model.files.open = !model.files.open;
            model.files.scroll = 0;
        }
        _ => {}
    }
}

/// Puts the event of the selected hook on the bench and selects the hook there.
fn to_bench(model: &mut Model, asks: &mut Vec<Ask>) {
    let Some(Item::Hook(a, l, h)) = model.files.item() else {
        model.toast = Some("select a hook: Enter on a file lists them".to_owned());
        return;
    };
    let Some((agent, _, hook)) = model.files.hook(a, l, h) else { return };
    let (agent, event, id) = (agent.agent, hook.event.clone(), hook.id.clone());
    if agent != model.session.bench.agent {
        command(model, Command::ChooseAgent(agent), asks);
    }
    open_page(model, Page::Bench);
    go_to(model, &event, &id, asks);
}

/// The place in a file where the selected thing is defined.
pub fn spot(files: &FilesView) -> Option<Spot> {
    match files.item()? {
        Item::Agent(a) => files.agents.get(a)?.refused.as_ref()?.1.clone(),
        Item::Layer(a, l) => {
            let (_, layer) = files.layer(a, l)?;
            let there = layer.state != LayerState::Absent;
            there.then(|| Spot { path: layer.path.clone(), file: layer.file.clone(), line: 1, column: 1 })
        }
        Item::Hook(a, l, h) => Some(files.hook(a, l, h)?.2.spot.clone()),
        Item::Switch(a, s) => files.switch(a, s)?.1.spot.clone(),
        Item::NotRead(..) => None,
    }
}

fn open_editor(model: &mut Model, asks: &mut Vec<Ask>) {
    if let Some(Item::NotRead(a, n)) = model.files.item() {
        let file = model.files.not_read(a, n).map(|(_, file)| file.file.clone()).unwrap_or_default();
        let place = &model.session.place;
        asks.push(Ask::OpenFile { path: place.absolute(&place.project, &file), line: 1, column: 1 });
        return;
    }
    match spot(&model.files) {
        Some(spot) => asks.push(Ask::OpenFile { path: spot.path, line: spot.line, column: 1 }),
        None => model.toast = Some("there is no file to open here".to_owned()),
    }
}

/// Goes back one level; from the page itself to the bench.
fn back(model: &mut Model) {
    if alone(model) {
        model.files.open = false;
    } else if !model.files.filter.is_empty() {
        model.files.filter.clear();
        model.files.list();
    } else {
        open_page(model, Page::Bench);
    }
}

/// Handles a key while the filter is typed; returns `false` if no filter is being typed.
pub fn search_key(model: &mut Model, key: KeyEvent) -> bool {
    if !model.files.typing || model.page != Page::Files {
        return false;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let files = &mut model.files;
    match key.code {
        KeyCode::Enter => files.typing = false,
        KeyCode::Esc => forget(files),
        KeyCode::Char('c') if control => forget(files),
        KeyCode::Char('u') if control => files.filter.clear(),
        KeyCode::Backspace if files.filter.is_empty() => files.typing = false,
        KeyCode::Backspace => {
            files.filter.pop();
        }
        KeyCode::Char(c) if !control => files.filter.push(c),
        _ => {}
    }
    files.list();
    true
}

fn forget(files: &mut FilesView) {
    files.typing = false;
    files.filter.clear();
}

/// Handles a click: selects a row, or folds or unfolds the selected one.
pub fn click(model: &mut Model, row: usize) {
    if model.files.selected == row {
        model.files.fold(None);
    }
    model.files.selected = row.min(model.files.items.len().saturating_sub(1));
    model.files.scroll = 0;
}

/// Handles the wheel.
pub fn turn(model: &mut Model, by: isize) {
    step(model, by);
}
