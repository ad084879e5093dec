//! The commands of the Files page.

use crossterm::event::KeyEvent;
use ratatui::layout::Position;

use super::view::{current_detail, row_places};
use super::{FilesRow, FilesView};
use crate::bench::has_detail;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::update::{LoopRequest, command, go_to_hook, open_page};
use crate::{calibration, widgets};
use hookbench_app::Command;
use hookbench_app::inventory::FileLocation;
use hookbench_core::config::LayerState;

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_command(model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
    match verb {
        UiCommand::Left => {
            model.files.fold(Some(false));
        }
        UiCommand::Right => {
            model.files.fold(Some(true));
        }
        UiCommand::NextPane | UiCommand::PreviousPane => step_agent(model, verb == UiCommand::NextPane),
        UiCommand::Open => open(model, asks),
        UiCommand::Why => to_bench(model, asks),
        UiCommand::OpenEditor => open_editor(model, asks),
        UiCommand::Search => model.files.typing = true,
        UiCommand::Back => go_back(model),
        _ => return false,
    }
    true
}

/// Moves up or down in the rows, or scrolls the detail if it fills the page.
pub fn step(model: &mut Model, by: isize) {
    if detail_fills_page(model) {
        let (lines, rows) = current_detail(model);
        model.files.scroll = widgets::scroll(model.files.scroll, by, lines.len(), rows);
        return;
    }
    model.files.selected = widgets::step(model.files.selected, by, model.files.items.len());
    model.files.scroll = 0;
}

/// Whether the detail fills the page.
fn detail_fills_page(model: &Model) -> bool {
    model.files.detail_open && !has_detail(model.size)
}

/// Selects the next or previous agent.
fn step_agent(model: &mut Model, forward: bool) {
    let files = &mut model.files;
    let Some(now) = files.item() else { return };
    let is_agent = |index: &usize| matches!(files.items.get(*index), Some(FilesRow::Agent(_)));
    let found = if forward {
        (files.selected + 1..files.items.len()).find(is_agent)
    } else {
        let from = if matches!(now, FilesRow::Agent(_)) { files.selected } else { files.selected + 1 };
        (0..from).rev().find(is_agent)
    };
    files.selected = found.unwrap_or(files.selected);
    files.scroll = 0;
}

/// Opens the selected row: unfolds a file, goes to a hook, or shows the detail if it is not beside the list.
fn open(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    match model.files.item() {
        Some(FilesRow::Hook(..)) if has_detail(model.size) || model.files.detail_open => to_bench(model, asks),
        Some(FilesRow::Layer(..)) if model.files.fold(None) => {}
        Some(FilesRow::Agent(a)) if has_detail(model.size) && !model.files.has_calibration() => {
            let name = model.files.agents.get(a).map_or("the agent", |files| files.name);
            model.toast = Some(format!("{name} is not on PATH, so it cannot be calibrated"));
        }
        Some(FilesRow::Agent(a))
            if (has_detail(model.size) || model.files.detail_open) && model.files.has_calibration() =>
        {
            if let Some(agent) = model.files.agents.get(a).map(|files| files.agent) {
                calibration::show(model, agent);
            }
        }
        _ if !has_detail(model.size) => {
            model.files.detail_open = !model.files.detail_open;
            model.files.scroll = 0;
        }
        _ => {}
    }
}

/// Puts the event of the selected hook on the bench and selects the hook there.
fn to_bench(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let Some(FilesRow::Hook(a, l, h)) = model.files.item() else {
        model.toast = Some("select a hook; Enter on a file lists its hooks".to_owned());
        return;
    };
    let Some((agent, _, hook)) = model.files.hook(a, l, h) else { return };
    let (agent, event, id) = (agent.agent, hook.event.clone(), hook.id.clone());
    if agent != model.session.bench().payload.agent {
        command(model, Command::ChooseAgent(agent), asks);
    }
    open_page(model, Page::Bench);
    go_to_hook(model, &event, &id, asks);
}

/// The place in a file where the selected thing is defined.
pub fn selected_location(files: &FilesView) -> Option<FileLocation> {
    match files.item()? {
        FilesRow::Agent(a) => files.agents.get(a)?.refused.as_ref()?.1.clone(),
        FilesRow::Layer(a, l) => {
            let (_, layer) = files.layer(a, l)?;
            let there = layer.state != LayerState::Absent;
            there.then(|| FileLocation { path: layer.path.clone(), file: layer.file.clone(), line: 1, column: 1 })
        }
        FilesRow::Hook(a, l, h) => Some(files.hook(a, l, h)?.2.location.clone()),
        FilesRow::Switch(a, s) => files.switch(a, s)?.1.location.clone(),
        FilesRow::NotRead(..) => None,
    }
}

fn open_editor(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if let Some(FilesRow::NotRead(a, n)) = model.files.item() {
        let file = model.files.not_read(a, n).map(|(_, file)| file.file.clone()).unwrap_or_default();
        let place = model.session.place();
        asks.push(LoopRequest::OpenFile { path: place.absolute(&place.project, &file), line: 1, column: 1 });
        return;
    }
    match selected_location(&model.files) {
        Some(spot) => asks.push(LoopRequest::OpenFile { path: spot.path, line: spot.line, column: 1 }),
        None => model.toast = Some("no file to open here".to_owned()),
    }
}

/// Goes back one level; from the page itself to the bench.
fn go_back(model: &mut Model) {
    if detail_fills_page(model) {
        model.files.detail_open = false;
    } else if !model.files.filter.is_empty() {
        model.files.filter.clear();
        model.files.list();
    } else {
        open_page(model, Page::Bench);
    }
}

/// Handles a key while the filter is typed; returns `false` if no filter is being typed.
pub fn on_typing_key(files: &mut FilesView, key: KeyEvent) -> bool {
    if !files.typing {
        return false;
    }
    widgets::filter_key(&mut files.filter, &mut files.typing, key);
    files.list();
    true
}

/// Handles a click: selects a row, or folds or unfolds the selected one.
pub fn on_click(model: &mut Model, at: Position) {
    let frame = frame_layout(model);
    let Some(row) = widgets::target_at(row_places(model, frame.shared, frame.size), at) else { return };
    if model.files.selected == row {
        model.files.fold(None);
    }
    model.files.selected = row.min(model.files.items.len().saturating_sub(1));
    model.files.scroll = 0;
}
