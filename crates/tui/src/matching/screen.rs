//! The registration of the Match page.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::state::TypingTarget;
use super::table::{self, build_band};
use super::{MatchView, keys, placement, typing};
use crate::bench::{Band, FrameLayout};
use crate::command_lines::start_options;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, typing_keys};
use crate::model::Model;
use crate::page::Page;
use crate::plain::sentences::{band_rows, expanded, sentence};
use crate::screen::{FooterKey, HelpRow, PageKeys, Screen};
use crate::theme::Theme;
use crate::update::LoopRequest;
use hookbench_app::shell_quoted;
use hookbench_core::matcher::MatcherKind;
use hookbench_core::matching::MatchCell;
use hookbench_core::text::capitalized;

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
        table::build_band(model)
    }

    fn draw_top_line(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
        table::draw_top_line(model, area, buf)
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

    fn signs(&self, _: Theme) -> Vec<HelpRow> {
        let signs = [(".", "unknown to the agent"), ("?", "unknown"), ("+3", "more agents if wider")];
        signs.map(|(sign, meaning)| (sign.to_owned(), meaning.to_owned())).to_vec()
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
        spoken(model)
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

/// The pattern and its hook.
pub fn pattern(model: &Model) -> String {
    let text = model.matching.text.text();
    let definition = model.matching.owner.as_ref().and_then(|whose| whose.definition(model));
    let of = definition.map(|d| format!(", the matcher of {}", d.label())).unwrap_or_default();
    let changed = if model.matching.differs(model) { ", changed and not written" } else { "" };
    format!("matcher {text}{of}{changed}")
}

/// For each agent its interpretation and the matching names.
pub fn page(model: &Model) -> Vec<String> {
    let (Some(board), Some(asked)) = (&model.matching.board, &model.matching.result) else { return Vec::new() };
    let each = board.columns.iter().zip(&asked.answer.columns).enumerate().map(|(index, (column, said))| {
        let passes = board.values.iter().zip(&asked.answer.cells);
        let passes =
            passes.filter(|(_, cells)| cells.get(index) == Some(&MatchCell::Yes)).map(|(value, _)| value.name.as_str());
        let names: Vec<&str> = passes.collect();
        let reading = said.reading.describe();
        if said.reading.kind == MatcherKind::Ignored {
            return format!("{}: the matcher is ignored, every event runs the hook", column.side.dialect.name());
        }
        let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        format!("{}: {reading}; it matches {names}", column.side.dialect.name())
    });
    each.collect()
}

/// The page in plain mode: the matcher, its result, the interpretation of each agent.
pub fn spoken(model: &Model) -> Vec<String> {
    let all = page(model);
    let first = sentence(&capitalized(&expanded(&pattern(model))));
    let rest = all.iter().map(|text| sentence(&capitalized(&expanded(text))));
    std::iter::once(first).chain(band_rows(&build_band(model))).chain(rest).collect()
}
