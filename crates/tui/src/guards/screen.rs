//! The registration of the Guards page.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::state::LAYER;
use super::{GuardsView, keys, view};
use crate::bench::{Band, FrameLayout};
use crate::command_lines::place_options;
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::plain::sentences::{band_rows, detail, expanded, sentence};
use crate::screen::{FooterKey, PageKeys, PageList, Screen};
use crate::update::LoopRequest;
use hookbench_core::text::escape_for_terminal;

/// The page.
pub struct GuardsScreen;

impl Screen for GuardsScreen {
    fn refresh(&self, model: &mut Model) {
        model.with_part(|model| &mut model.guards, GuardsView::refresh);
    }

    fn on_open(&self, model: &mut Model, before: Page, asks: &mut Vec<LoopRequest>) {
        keys::on_open(model, before, asks);
    }

    fn on_command(&self, model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
        keys::on_command(model, verb, asks)
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
            (&[UiCommand::Open], "install a guard"),
            (&[UiCommand::JudgeRight, UiCommand::JudgeWrong], "judge right, wrong"),
            (&[UiCommand::Allow], "allow with a reason"),
            (&[UiCommand::SaveTest], "keep as a test"),
            (&[UiCommand::GuardMode], "choose the mode"),
            (&[UiCommand::Replay], "try on recorded events"),
            (&[UiCommand::Explain], "explain the rule"),
        ]
    }

    fn footer(&self, model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
        if model.guards.hit().is_none() {
            let install = model.guards.installable().map(|_| (UiCommand::Open, "install"));
            let rest = [
                (UiCommand::GuardMode, "mode"),
                (UiCommand::Replay, "try on events"),
                (UiCommand::Back, "events"),
                (UiCommand::Palette, ""),
            ];
            return install.into_iter().chain(rest).collect();
        }
        vec![
            (UiCommand::JudgeRight, "right"),
            (UiCommand::JudgeWrong, "wrong"),
            (UiCommand::Allow, "allow"),
            (UiCommand::SaveTest, "test"),
            (UiCommand::GuardMode, "mode"),
            (UiCommand::Explain, "explain"),
            (UiCommand::Replay, "try"),
            (UiCommand::Palette, ""),
        ]
    }

    fn copy_items(&self, model: &Model) -> Result<Vec<CopyItem>, &'static str> {
        let shown =
            |lines: Vec<String>| lines.iter().map(|line| escape_for_terminal(line)).collect::<Vec<_>>().join("\n");
        Ok(vec![
            CopyItem { key: 'v', name: "list", text: shown(view::page(&model.guards)) },
            CopyItem { key: 'd', name: "selected row", text: shown(view::selected(&model.guards)) },
            CopyItem { key: 'c', name: "command line", text: command_line(model) },
        ])
    }

    fn command_line(&self, model: &Model) -> Result<String, &'static str> {
        Ok(command_line(model))
    }

    fn page_list(&self, model: &Model) -> Option<PageList> {
        let rows = view::page(&model.guards).into_iter().map(|text| sentence(&expanded(&text)));
        Some(PageList::new("guards", rows, model.guards.selected))
    }

    fn sentences(&self, model: &Model) -> Vec<String> {
        band_rows(&self.band(model))
    }

    fn open_sentences(&self, model: &Model) -> Option<Vec<String>> {
        Some(detail(&view::selected(&model.guards)))
    }
}

fn command_line(model: &Model) -> String {
    let view = &model.guards;
    let install = view
        .installable()
        .zip(view.agent)
        .map(|(guard, agent)| vec!["install", guard.guard.word(), "--agent", agent.as_str(), "--scope", LAYER.word()]);
    let own = install.unwrap_or_else(|| vec!["list"]);
    let mut words: Vec<String> = ["hookbench", "guard"].into_iter().chain(own).map(str::to_owned).collect();
    words.extend(place_options(model));
    words.join(" ")
}
