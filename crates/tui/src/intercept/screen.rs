//! The registration of the Intercept page.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::{InterceptView, choices, draw, held_band, keys, sentences};
use crate::bench::{Band, FrameLayout};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::plain::sentences::{expanded, sentence};
use crate::screen::{FooterKey, PageKeys, Screen};
use crate::update::LoopRequest;

/// The page.
pub struct InterceptScreen;

impl Screen for InterceptScreen {
    fn tab_count(&self, model: &Model) -> Option<(usize, Style)> {
        let held = model.session.live().pending.len();
        (held > 0).then(|| (held, model.theme.warn()))
    }

    fn refresh(&self, model: &mut Model) {
        model.with_part(|model| &mut model.intercept, InterceptView::refresh);
    }

    fn always_fresh(&self) -> bool {
        true
    }

    fn on_open(&self, model: &mut Model, before: Page, asks: &mut Vec<LoopRequest>) {
        keys::on_open(model, before, asks);
    }

    fn on_command(&self, model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
        keys::on_command(model, verb, asks)
    }

    fn on_typing_key(&self, model: &mut Model, key: KeyEvent, _: &mut Vec<LoopRequest>) -> bool {
        keys::on_letter(model, key)
    }

    fn on_click(&self, model: &mut Model, at: Position, _: &mut Vec<LoopRequest>) {
        keys::on_click(model, at);
    }

    fn step(&self, model: &mut Model, by: isize, _: &mut Vec<LoopRequest>) {
        keys::step(model, by);
    }

    fn visible_rows(&self, _: &Model) -> usize {
        11
    }

    fn on_wheel(&self, model: &mut Model, at: Position, by: isize, _: &mut Vec<LoopRequest>) {
        keys::on_wheel(model, at, by);
    }

    fn band(&self, model: &Model) -> Band {
        held_band::build_band(model)
    }

    fn draw_top_line(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
        held_band::draw_top_line(model, area, buf);
        None
    }

    fn draw(&self, model: &Model, at: &FrameLayout, buf: &mut Buffer) {
        draw::draw(model, at.shared, buf);
    }

    fn keys(&self) -> &'static [PageKeys] {
        &[
            (&[UiCommand::Open], "answer; or its letter in the list"),
            (&[UiCommand::Edit, UiCommand::OpenEditor], "edit answer, input"),
            (&[UiCommand::SetField], "enter token"),
            (&[UiCommand::NextEvent, UiCommand::PreviousEvent], "next, previous held event"),
            (&[UiCommand::ToBench, UiCommand::Fire], "put on bench, fire"),
            (&[UiCommand::LeaveOut, UiCommand::Fix], "toggle, remove breakpoint"),
        ]
    }

    fn bench_command(&self) -> UiCommand {
        UiCommand::ToBench
    }

    fn footer(&self, model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
        let live = model.session.live();
        if !live.pending.is_empty() {
            return vec![
                (UiCommand::Open, "answer"),
                (UiCommand::Edit, choices::edit_label(model)),
                (UiCommand::NextPane, "payload"),
                (UiCommand::ToBench, "bench"),
                (UiCommand::Capture, "release, pause"),
            ];
        }
        let mut all = vec![
            (UiCommand::Capture, if live.is_connected() { "stop, pause" } else { "" }),
            (UiCommand::Edit, "add breakpoint"),
            (UiCommand::LeaveOut, "toggle"),
        ];
        all.retain(|(command, _)| *command != UiCommand::LeaveOut || !live.breakpoints.is_empty());
        all
    }

    fn sentences(&self, model: &Model) -> Vec<String> {
        sentences::page(model).iter().map(|text| sentence(&expanded(text))).collect()
    }
}
