//! The registration of the Compare page.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::{CompareView, band, detail, keys, placement, sentences};
use crate::bench::{Band, FrameLayout};
use crate::command_lines::fire_line;
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, typing_keys};
use crate::model::Model;
use crate::screen::{FooterKey, PageKeys, Screen};
use crate::update::LoopRequest;
use hookbench_core::text::{escape_for_terminal, stringify_pretty};

/// The page.
pub struct CompareScreen;

impl Screen for CompareScreen {
    fn refresh(&self, model: &mut Model) {
        model.with_part(|model| &mut model.compare, CompareView::refresh);
    }

    fn on_output(&self, model: &mut Model) {
        Model::refresh_compared_runs(model);
    }

    fn on_command(&self, model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
        keys::on_command(model, verb, asks)
    }

    fn on_typing_key(&self, model: &mut Model, key: KeyEvent, _: &mut Vec<LoopRequest>) -> bool {
        keys::on_typing_key(&mut model.compare, key)
    }

    fn on_click(&self, model: &mut Model, at: Position, _: &mut Vec<LoopRequest>) {
        keys::on_click(model, at);
    }

    fn step(&self, model: &mut Model, by: isize, _: &mut Vec<LoopRequest>) {
        keys::step(model, by);
    }

    fn visible_rows(&self, model: &Model) -> usize {
        detail::room(placement::inner(model))
    }

    fn band(&self, model: &Model) -> Band {
        band::build_band(model)
    }

    fn draw(&self, model: &Model, at: &FrameLayout, buf: &mut Buffer) {
        placement::draw(model, at.shared, buf);
    }

    fn keys(&self) -> &'static [PageKeys] {
        &[
            (&[UiCommand::Fire], "fire in all agents"),
            (&[UiCommand::Open, UiCommand::Why], "open agent, show why"),
            (&[UiCommand::Edit, UiCommand::SetField], "edit payload, field"),
            (&[UiCommand::UndoPayload, UiCommand::RedoPayload], "undo, redo payload edit"),
            (&[UiCommand::Template, UiCommand::PreviousEvent, UiCommand::NextEvent], "choose event"),
            (&[UiCommand::Agent], "choose agents"),
            (&[UiCommand::PreviousTab, UiCommand::NextTab], "switch part"),
            (&[UiCommand::Search], "filter differences"),
            (&[UiCommand::OpenEditor], "open settings file"),
            (&[UiCommand::Pin, UiCommand::Contain], "pin, contain"),
        ]
    }

    fn typing_keys(&self, model: &Model) -> Option<Vec<LayerKey>> {
        model.compare.typing.then(|| typing_keys("keep filter", "clear filter"))
    }

    fn footer(&self, model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
        let fire = (UiCommand::Fire, "");
        let event = [(UiCommand::Edit, ""), (UiCommand::Template, ""), (UiCommand::Agent, "agents")];
        match model.compare.open {
            Some(_) => {
                [(UiCommand::Back, ""), fire].into_iter().chain(event).chain([(UiCommand::Open, "bench")]).collect()
            }
            None => [fire, (UiCommand::Open, "")].into_iter().chain(event).chain([(UiCommand::Palette, "")]).collect(),
        }
    }

    fn copy_items(&self, model: &Model) -> Result<Vec<CopyItem>, &'static str> {
        Ok(copy_items(model))
    }

    fn command_line(&self, model: &Model) -> Result<String, &'static str> {
        Ok(command_line(model))
    }

    fn sentences(&self, model: &Model) -> Vec<String> {
        sentences::spoken(model)
    }
}

fn copy_items(model: &Model) -> Vec<CopyItem> {
    let mut all = Vec::new();
    let mut add = |key, name, text: Option<String>| all.extend(text.map(|text| CopyItem { key, name, text }));
    let open = model.compare.open.is_some();
    let shown = if open { sentences::open_detail(model) } else { sentences::page(model) };
    let shown: Vec<String> = shown.iter().map(|line| escape_for_terminal(line)).collect();
    add('v', "page", Some(shown.join("\n")));
    let of = model.compare.shown.as_ref().and_then(|s| s.all.agents.get(model.compare.selected(model)));
    let body = of.and_then(|of| of.event.as_ref().ok()).map(|there| stringify_pretty(&there.input.body));
    add('j', "payload of selected agent", body);
    add('c', "command line", Some(command_line(model)));
    all
}

/// The command line that fires the event in all compared agents. If agents are left out, each of the others gets its
/// own line with its own event.
fn command_line(model: &Model) -> String {
    let bench = model.session.bench();
    match &model.compare.shown {
        None => fire_line(model, bench.payload.agent.as_str(), bench.body()),
        Some(shown) if shown.len() == model.session.agents().len() => fire_line(model, "all", bench.body()),
        Some(shown) => {
            let line = |(of, there): (&hookbench_app::AgentEvent, &hookbench_app::PlannedAgentEvent)| {
                fire_line(model, of.agent.as_str(), Some(&there.input.body))
            };
            shown.all.translated().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}
