//! The registration of the Problems page.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::{ProblemsView, band, keys, view};
use crate::bench::{Band, FrameLayout};
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, typing_keys};
use crate::model::Model;
use crate::plain::sentences::detail;
use crate::screen::{FooterKey, PageKeys, PageList, Screen};
use crate::update::LoopRequest;

/// The page.
pub struct ProblemsScreen;

impl Screen for ProblemsScreen {
    fn tab_count(&self, model: &Model) -> Option<(usize, Style)> {
        let style = if model.problems.has_errors() { model.theme.bad() } else { model.theme.warn() };
        Some((model.problems.urgent_count(), style))
    }

    fn refresh(&self, model: &mut Model) {
        model.with_part(|model| &mut model.problems, ProblemsView::refresh);
    }

    fn always_fresh(&self) -> bool {
        true
    }

    fn on_command(&self, model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
        keys::on_command(model, verb, asks)
    }

    fn on_typing_key(&self, model: &mut Model, key: KeyEvent, _: &mut Vec<LoopRequest>) -> bool {
        keys::on_typing_key(model, key)
    }

    fn on_paste(&self, model: &mut Model, text: &str, _: &mut Vec<LoopRequest>) -> bool {
        keys::on_paste(&mut model.problems, text)
    }

    fn on_click(&self, model: &mut Model, at: Position, _: &mut Vec<LoopRequest>) {
        keys::on_click(model, at);
    }

    fn step(&self, model: &mut Model, by: isize, _: &mut Vec<LoopRequest>) {
        keys::step(model, by);
    }

    fn visible_rows(&self, model: &Model) -> usize {
        if model.problems.open.is_some() { view::open_room(model) } else { view::room(model) }
    }

    fn band(&self, model: &Model) -> Band {
        band::build_band(model)
    }

    fn draw_top_line(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
        band::draw_top_line(model, area, buf)
    }

    fn draw(&self, model: &Model, at: &FrameLayout, buf: &mut Buffer) {
        view::draw(model, at.shared, buf);
    }

    fn keys(&self) -> &'static [PageKeys] {
        &[
            (&[UiCommand::Open, UiCommand::Explain], "open, explain"),
            (&[UiCommand::Fix, UiCommand::Undo], "fix, undo"),
            (&[UiCommand::Allow], "allow with a reason"),
            (&[UiCommand::Search], "filter"),
            (&[UiCommand::Why, UiCommand::ToBench], "show hook on bench"),
            (&[UiCommand::OpenEditor, UiCommand::Edit], "open file"),
            (&[UiCommand::PreviousTab, UiCommand::NextTab], "switch part"),
        ]
    }

    fn bench_command(&self) -> UiCommand {
        UiCommand::Why
    }

    fn typing_keys(&self, model: &Model) -> Option<Vec<LayerKey>> {
        model.problems.typing.as_ref().map(|_| typing_keys("keep filter", "cancel"))
    }

    fn footer(&self, model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
        let palette = (UiCommand::Palette, "");
        if model.problems.group().is_none() {
            return vec![(UiCommand::NewHook, "new hook"), palette];
        }
        vec![
            (if model.problems.open.is_some() { UiCommand::Back } else { UiCommand::Open }, ""),
            (UiCommand::Fix, ""),
            (UiCommand::Explain, ""),
            (UiCommand::Why, ""),
            (UiCommand::Search, "filter"),
            (UiCommand::OpenEditor, "editor"),
            palette,
        ]
    }

    fn copy_items(&self, model: &Model) -> Result<Vec<CopyItem>, &'static str> {
        keys::copy_items(model)
    }

    fn command_line(&self, model: &Model) -> Result<String, &'static str> {
        Ok(keys::lint_command_line(model))
    }

    fn page_list(&self, model: &Model) -> Option<PageList> {
        let is_covered = model.problems.open.is_some();
        (!is_covered).then(|| PageList::new("problems", view::rows(model), model.problems.selected))
    }

    fn sentences(&self, model: &Model) -> Vec<String> {
        view::page(model)
    }

    fn open_sentences(&self, model: &Model) -> Option<Vec<String>> {
        model.problems.open?;
        Some(detail(&view::full_finding(model)))
    }
}
