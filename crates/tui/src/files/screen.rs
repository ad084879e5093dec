//! The registration of the Files page.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{FilesRow, FilesView, detail, keys, view};
use crate::bench::{Band, FrameLayout, has_detail};
use crate::calibration;
use crate::command_lines::start_options;
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, typing_keys};
use crate::model::Model;
use crate::plain::sentences::{expanded, sentence};
use crate::screen::{FooterKey, PageKeys, PageList, Screen};
use crate::theme::Theme;
use crate::update::LoopRequest;
use crate::widgets::StyledLine;
use hookbench_core::text::escape_for_terminal;

/// The page.
pub struct FilesScreen;

impl Screen for FilesScreen {
    fn refresh(&self, model: &mut Model) {
        model.with_part(|model| &mut model.files, FilesView::refresh);
    }

    fn on_command(&self, model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
        keys::on_command(model, verb, asks)
    }

    fn on_typing_key(&self, model: &mut Model, key: KeyEvent, _: &mut Vec<LoopRequest>) -> bool {
        keys::on_typing_key(&mut model.files, key)
    }

    fn on_click(&self, model: &mut Model, at: Position, _: &mut Vec<LoopRequest>) {
        keys::on_click(model, at);
    }

    fn step(&self, model: &mut Model, by: isize, _: &mut Vec<LoopRequest>) {
        keys::step(model, by);
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
    let path = keys::selected_location(&model.files).map(|spot| spot.path);
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
