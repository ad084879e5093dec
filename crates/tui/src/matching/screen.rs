//! The registration of the Match page.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::state::TypingTarget;
use super::{MatchView, keys, pattern_line, placement, sentences, typing};
use crate::bench::{Band, FrameLayout};
use crate::command_lines::start_options;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, typing_keys};
use crate::model::Model;
use crate::page::Page;
use crate::screen::{FooterKey, PageKeys, Screen};
use crate::update::LoopRequest;
use hookbench_app::shell_quoted;

/// The page.
pub struct MatchScreen;

impl Screen for MatchScreen {
    fn refresh(&self, model: &mut Model) {
        model.with_part(|model| &mut model.matching, MatchView::refresh);
    }

    fn on_open(&self, model: &mut Model, before: Page, asks: &mut Vec<LoopRequest>) {
        keys::on_open(model, before, asks);
    }

    fn on_command(&self, model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
        keys::on_command(model, verb, asks)
    }

    fn on_typing_key(&self, model: &mut Model, key: KeyEvent, _: &mut Vec<LoopRequest>) -> bool {
        typing::on_typing_key(model, key)
    }

    fn on_paste(&self, model: &mut Model, text: &str, _: &mut Vec<LoopRequest>) -> bool {
        typing::on_paste(model, text)
    }

    fn on_click(&self, model: &mut Model, at: Position, _: &mut Vec<LoopRequest>) {
        keys::on_click(model, at);
    }

    fn step(&self, model: &mut Model, by: isize, _: &mut Vec<LoopRequest>) {
        keys::step(model, by);
    }

    fn visible_rows(&self, model: &Model) -> usize {
        keys::visible_rows(model)
    }

    fn band(&self, model: &Model) -> Band {
        pattern_line::build_band(model)
    }

    fn draw_top_line(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
        pattern_line::draw_top_line(model, area, buf)
    }

    fn draw(&self, model: &Model, at: &FrameLayout, buf: &mut Buffer) {
        placement::draw(model, at.shared, buf);
    }

    fn keys(&self) -> &'static [PageKeys] {
        &[
            (&[UiCommand::Edit], "edit matcher"),
            (&[UiCommand::Open], "apply suggestion"),
            (&[UiCommand::Fix, UiCommand::Undo], "write to file, undo"),
            (&[UiCommand::Search], "filter names"),
            (&[UiCommand::NextMatch, UiCommand::PreviousMatch], "next, previous problem"),
            (&[UiCommand::PreviousEvent, UiCommand::NextEvent], "previous, next hook"),
            (&[UiCommand::Why], "explain selected name"),
            (&[UiCommand::Agent], "choose shown agents"),
            (&[UiCommand::OpenEditor], "open settings file"),
            (&[UiCommand::Zoom], "zoom"),
        ]
    }

    fn typing_keys(&self, model: &Model) -> Option<Vec<LayerKey>> {
        Some(match model.matching.typing? {
            TypingTarget::Matcher => typing_keys("apply", "cancel"),
            TypingTarget::Filter => typing_keys("keep filter", "clear filter"),
        })
    }

    fn footer(&self, _: &Model, _: &FrameLayout) -> Vec<FooterKey> {
        vec![
            (UiCommand::Edit, ""),
            (UiCommand::Fix, "write to file"),
            (UiCommand::Open, "apply suggestion"),
            (UiCommand::Search, "filter"),
            (UiCommand::NextMatch, "next problem"),
            (UiCommand::Palette, ""),
        ]
    }

    fn command_line(&self, model: &Model) -> Result<String, &'static str> {
        Ok(command_line(model))
    }

    fn sentences(&self, model: &Model) -> Vec<String> {
        sentences::spoken(model)
    }
}

fn command_line(model: &Model) -> String {
    let matching = &model.matching;
    let mut words = vec!["hookbench".to_owned(), "match".to_owned(), shell_quoted(&matching.text.text())];
    match matching.owner.as_ref().and_then(|whose| Some((whose, whose.definition(model)?))) {
        Some((_, definition)) => {
            let place = format!(
                "{}:{}:{}",
                definition.provenance.file, definition.provenance.line, definition.provenance.column
            );
            words.extend(["--hook".to_owned(), shell_quoted(&place)]);
        }
        None => {
            let event = matching.board.as_ref().and_then(|board| board.columns.first()).map(|c| c.event.name);
            words.extend(event.into_iter().flat_map(|event| ["--event".to_owned(), event.to_owned()]));
        }
    }
    words.extend(matching.added_names.iter().flat_map(|name| ["--value".to_owned(), shell_quoted(name)]));
    words.extend(start_options(model));
    words.join(" ")
}
