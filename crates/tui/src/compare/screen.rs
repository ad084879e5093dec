//! The Compare page and its commands.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::placement::{self, in_columns, inner, sheet};
use super::state::CompareTarget;
use super::{CompareTab, CompareView, band, detail, differences, sentences};
use crate::bench::{Band, FrameLayout};
use crate::command_lines::fire_line;
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, typing_keys};
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::popup::{PickItem, PickList, Popup};
use crate::screen::{FooterKey, PageKeys, Screen};
use crate::update::{LoopRequest, command, open_page};
use crate::widgets;
use hookbench_app::Command;
use hookbench_core::dialects;
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
        match verb {
            UiCommand::Fire => fire(model, asks),
            UiCommand::Agent => model.popups.push(agents(model)),
            UiCommand::Left | UiCommand::PreviousPane => step_agent(model, false),
            UiCommand::Right | UiCommand::NextPane => step_agent(model, true),
            UiCommand::PreviousTab => step_part(model, false),
            UiCommand::NextTab => step_part(model, true),
            UiCommand::Open if model.compare.open.is_some() => put_on_bench(model, asks),
            UiCommand::Open => open_selected(model),
            UiCommand::Why => open(model, CompareTab::Why),
            UiCommand::Back => go_back(model),
            UiCommand::Search => {
                model.compare.open = None;
                model.compare.typing = true;
            }
            UiCommand::OpenEditor => open_settings(model, asks),
            _ => return false,
        }
        true
    }

    fn on_typing_key(&self, model: &mut Model, key: KeyEvent, _: &mut Vec<LoopRequest>) -> bool {
        on_typing_key(&mut model.compare, key)
    }

    fn on_click(&self, model: &mut Model, at: Position, _: &mut Vec<LoopRequest>) {
        let targets = sheet(model, frame_layout(model).shared).hits;
        match widgets::target_at(targets, at) {
            Some(CompareTarget::Agent(index)) => {
                model.compare.select(index);
                model.compare.row = 0;
            }
            Some(CompareTarget::Difference(row)) => model.compare.row = row,
            Some(CompareTarget::Part(part)) => open(model, part),
            None => {}
        }
    }

    fn step(&self, model: &mut Model, by: isize, _: &mut Vec<LoopRequest>) {
        let room = detail::room(inner(model));
        let index = model.compare.selected(model);
        let as_rows = !in_columns(model);
        let compare = &mut model.compare;
        if compare.open.is_some() {
            compare.scroll = widgets::scroll(compare.scroll, by, compare.lines.len(), room);
            return;
        }
        let Some(shown) = &compare.shown else { return };
        let (agents, differences) = (shown.len(), shown.matches.len());
        if !as_rows {
            compare.row = widgets::step(compare.row, by, differences + 1);
            return;
        }
        let now = if compare.row == 0 { index } else { agents - 1 + compare.row };
        let next = widgets::step(now, by, agents + differences);
        compare.row = (next + 1).saturating_sub(agents);
        if compare.row == 0 {
            compare.select(next);
        }
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

fn fire(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if model.session.busy() {
        model.toast = Some(format!("still running; {} cancels it", model.key(UiCommand::Cancel)));
        return;
    }
    let rows = model.compare.shown.iter().flat_map(|shown| &shown.comparison.rows);
    if rows.filter_map(|row| row.event.as_ref().ok()).all(|event| event.runs.is_empty()) {
        model.toast = Some("no hook runs for this event in any agent".to_owned());
    }
    command(model, Command::FireEverywhere, asks);
}

/// The list of agents, to include or exclude each.
fn agents(model: &Model) -> Popup {
    let items = model.session.agents().iter().map(|agent| {
        let id = agent.dialect.id();
        let about = match (id == model.session.bench().payload.agent, model.session.compares(id.as_str())) {
            (true, _) => "on the bench; the others are compared with it",
            (false, true) => "compared; Enter exclude",
            (false, false) => "excluded, not fired; Enter include",
        };
        PickItem {
            label: agent.dialect.name().to_owned(),
            about: about.to_owned(),
            commands: vec![Command::ToggleCompared(id)],
        }
    });
    let selected = model.compare.shown.as_ref().and_then(|shown| shown.all.agents.get(model.compare.selected(model)));
    let selected = model.session.agents().iter().position(|a| selected.is_some_and(|of| of.agent == a.dialect.id()));
    let selected = selected.unwrap_or(0);
    Popup::Pick(PickList { title: "Agents to compare", items: items.collect(), filter: String::new(), selected })
}

/// Selects the previous or next agent.
fn step_agent(model: &mut Model, forward: bool) {
    let now = model.compare.selected(model);
    let last = model.compare.shown.as_ref().map_or(0, |shown| shown.len().saturating_sub(1));
    let next = if forward { (now + 1).min(last) } else { now.saturating_sub(1) };
    if next != now {
        model.compare.select(next);
        model.compare.scroll = 0;
    }
}

/// Opens the selected agent, or all sides of the selected difference if the agents are rows.
fn open_selected(model: &mut Model) {
    let shown = model.compare.shown.as_ref().filter(|_| !in_columns(model));
    let difference = shown.and_then(|shown| Some((shown, shown.difference(model.compare.row)?)));
    match difference {
        Some((shown, difference)) => {
            let mut lines = differences::full_lines(model, shown, difference);
            lines.remove(0);
            model.popups.push(Popup::Lines { title: difference.title.clone(), lines, top: 0 });
        }
        None => open(model, CompareTab::Why),
    }
}

fn open(model: &mut Model, part: CompareTab) {
    if model.compare.shown.is_some() {
        model.compare.open = Some(part);
        model.compare.scroll = 0;
    }
}

fn step_part(model: &mut Model, forward: bool) {
    let next = model
        .compare
        .open
        .map_or(if forward { CompareTab::Why } else { CompareTab::Runs }, |part| part.neighbour(forward));
    open(model, next);
}

/// Goes back one level; from the page itself to the bench.
fn go_back(model: &mut Model) {
    let compare = &mut model.compare;
    if compare.open.is_some() {
        compare.open = None;
    } else if !compare.filter.is_empty() {
        compare.filter.clear();
    } else {
        open_page(model, Page::Bench);
    }
}

/// Puts the event on the bench in the selected agent's form.
fn put_on_bench(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let Some(shown) = &model.compare.shown else { return };
    let Some(of) = shown.all.agents.get(model.compare.selected(model)) else { return };
    let (agent, firing) = (of.agent, of.event.as_ref().ok().and_then(|there| there.firing));
    if agent != model.session.bench().payload.agent {
        command(model, Command::UseEventOf(agent), asks);
    }
    if agent != model.session.bench().payload.agent {
        // The agent has no such event, which has already been reported.
        return;
    }
    open_page(model, Page::Bench);
    if let Some(id) = firing.filter(|id| model.session.firing(*id).is_some()) {
        model.shown_firing = Some(id);
        model.refresh_shared();
        model.select_decider();
    }
}

/// Opens the settings at the selected agent's first hook for the event.
fn open_settings(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let index = model.compare.selected(model);
    let there = model.compare.shown.as_ref().and_then(|shown| shown.all.agents.get(index)?.event.as_ref().ok());
    let place = there.and_then(|there| {
        let definition = there.loaded.definition(&there.plan.entries.first()?.hook)?;
        let (path, from) =
            (there.loaded.sources.path(definition.provenance.span.source).to_owned(), &definition.provenance);
        Some((path, from.line, from.column))
    });
    match place {
        Some((path, line, column)) => asks.push(LoopRequest::OpenFile { path, line, column }),
        None => {
            let name = model
                .compare
                .shown
                .as_ref()
                .and_then(|shown| dialects::by_id(shown.all.agents.get(index)?.agent.as_str()));
            let name = name.map_or("the agent", |d| d.name());
            model.toast = Some(format!("{name} has no hook for this event"));
        }
    }
}

/// Handles a key while the filter is typed; returns `false` if no filter is open for typing.
pub fn on_typing_key(compare: &mut CompareView, key: KeyEvent) -> bool {
    if !compare.typing {
        return false;
    }
    widgets::filter_key(&mut compare.filter, &mut compare.typing, key);
    compare.apply_filter();
    if compare.row == 0 && !compare.filter.is_empty() && compare.shown.as_ref().is_some_and(|s| !s.matches.is_empty()) {
        compare.row = 1;
    }
    true
}
