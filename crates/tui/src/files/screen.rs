//! The Files page and its commands.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::view::{self, current_detail, row_places};
use super::{FilesRow, FilesView, detail};
use crate::bench::{Band, FrameLayout, has_detail};
use crate::calibration;
use crate::command_lines::start_options;
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, typing_keys};
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::plain::sentences::{expanded, sentence};
use crate::screen::{FooterKey, PageKeys, PageList, Screen};
use crate::theme::Theme;
use crate::update::{LoopRequest, command, go_to_hook, open_page};
use crate::widgets::{self, StyledLine};
use hookbench_app::Command;
use hookbench_app::inventory::FileLocation;
use hookbench_core::config::LayerState;
use hookbench_core::text::escape_for_terminal;

/// The page.
pub struct FilesScreen;

impl Screen for FilesScreen {
    fn refresh(&self, model: &mut Model) {
        model.with_part(|model| &mut model.files, FilesView::refresh);
    }

    fn on_command(&self, model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
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

    fn on_typing_key(&self, model: &mut Model, key: KeyEvent, _: &mut Vec<LoopRequest>) -> bool {
        on_typing_key(&mut model.files, key)
    }

    fn on_click(&self, model: &mut Model, at: Position, _: &mut Vec<LoopRequest>) {
        let frame = frame_layout(model);
        let Some(row) = widgets::target_at(row_places(model, frame.shared, frame.size), at) else { return };
        if model.files.selected == row {
            model.files.fold(None);
        }
        model.files.selected = row.min(model.files.items.len().saturating_sub(1));
        model.files.scroll = 0;
    }

    fn step(&self, model: &mut Model, by: isize, _: &mut Vec<LoopRequest>) {
        if detail_fills_page(model) {
            let (lines, rows) = current_detail(model);
            model.files.scroll = widgets::scroll(model.files.scroll, by, lines.len(), rows);
            return;
        }
        model.files.selected = widgets::step(model.files.selected, by, model.files.items.len());
        model.files.scroll = 0;
    }

    fn visible_rows(&self, model: &Model) -> usize {
        view::room(model)
    }

    fn band(&self, model: &Model) -> Band {
        view::build_band(model)
    }

    fn draw_top_line(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
        view::draw_top_line(model, area, buf);
        None
    }

    fn draw(&self, model: &Model, at: &FrameLayout, buf: &mut Buffer) {
        view::draw(model, at.shared, buf);
    }

    fn keys(&self) -> &'static [PageKeys] {
        &[
            (&[UiCommand::Open], "expand, open hook"),
            (&[UiCommand::Why], "show hook on bench"),
            (&[UiCommand::NextPane, UiCommand::PreviousPane], "next, previous agent"),
            (&[UiCommand::OpenEditor], "open file"),
            (&[UiCommand::Search], "filter"),
        ]
    }

    fn typing_keys(&self, model: &Model) -> Option<Vec<LayerKey>> {
        model.files.typing.then(|| typing_keys("keep filter", "clear filter"))
    }

    fn footer(&self, model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
        let shows_detail = has_detail(model.size) || model.files.detail_open;
        let open = match model.files.item() {
            Some(FilesRow::Hook(..)) => Some("bench"),
            // Without a calibration, the detail says all.
            Some(FilesRow::Agent(_)) if shows_detail => model.files.has_calibration().then_some("calibration"),
            _ => Some("expand"),
        };
        let open = open.map(|label| (UiCommand::Open, label));
        let why = (UiCommand::Why, "");
        let [first, second] = if model.files.detail_open { [Some(why), open] } else { [open, Some(why)] };
        let back = model.files.detail_open.then_some((UiCommand::Back, ""));
        let rest = [(UiCommand::Search, ""), (UiCommand::OpenEditor, "editor"), (UiCommand::Palette, "")];
        back.into_iter().chain(first).chain(second).chain(rest).collect()
    }

    fn copy_items(&self, model: &Model) -> Result<Vec<CopyItem>, &'static str> {
        Ok(copy_items(model))
    }

    fn command_line(&self, model: &Model) -> Result<String, &'static str> {
        Ok(command_line(model))
    }

    fn page_list(&self, model: &Model) -> Option<PageList> {
        let rows = page(model).into_iter().map(|text| sentence(&expanded(&text)));
        Some(PageList::new("files", rows, model.files.selected))
    }

    fn sentences(&self, model: &Model) -> Vec<String> {
        let mut all = summary(&model.files);
        // The summary has what an agent's own row says.
        if !matches!(model.files.item(), None | Some(FilesRow::Agent(_))) {
            all.extend(selected(&model.files));
        }
        all.iter().map(|text| sentence(&expanded(text))).collect()
    }
}

fn copy_items(model: &Model) -> Vec<CopyItem> {
    let shown = |lines: Vec<String>| lines.iter().map(|line| escape_for_terminal(line)).collect::<Vec<_>>().join("\n");
    let mut all = vec![
        CopyItem { key: 'v', name: "list", text: shown(page(model)) },
        CopyItem { key: 'd', name: "selected row", text: shown(selected(&model.files)) },
    ];
    let path = selected_location(&model.files).map(|spot| spot.path);
    all.extend(path.map(|text| CopyItem { key: 'p', name: "file path", text }));
    if let Some(FilesRow::Agent(a)) = model.files.item() {
        let agent = model.files.agents.get(a).map(|files| files.agent);
        all.extend(agent.map(|agent| CopyItem {
            key: 'k',
            name: "calibrate",
            ..calibration::command_line(agent, false)
        }));
    }
    all.push(CopyItem { key: 'c', name: "command line", text: command_line(model) });
    all
}

fn command_line(model: &Model) -> String {
    let mut words = vec!["hookbench".to_owned(), "list".to_owned()];
    words.extend(start_options(model));
    words.join(" ")
}

const THEME: Theme = Theme { colour: false, unicode: false };

fn text(line: &StyledLine) -> String {
    let whole: String = line.iter().map(|(_, text)| text.as_str()).collect();
    whole.trim_start_matches(['>', ' ']).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every row.
pub fn page(model: &Model) -> Vec<String> {
    let view = &model.files;
    view.items.iter().map(|item| text(&view::line(view, *item, 200, THEME))).collect()
}

/// Each agent with its counts.
pub fn summary(view: &FilesView) -> Vec<String> {
    let agents = view.items.iter().filter(|item| matches!(item, FilesRow::Agent(_)));
    agents.map(|item| text(&view::line(view, *item, 200, THEME))).collect()
}

/// The selected row in full.
pub fn selected(view: &FilesView) -> Vec<String> {
    detail::lines(view, 400, THEME).iter().map(text).collect()
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
