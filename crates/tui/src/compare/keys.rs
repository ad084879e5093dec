//! The commands of the Compare page. Commands about the event mean the same as on the bench.

use crossterm::event::KeyEvent;
use ratatui::layout::Position;

use super::placement::{in_columns, inner, sheet};
use super::state::CompareTarget;
use super::{CompareTab, CompareView, detail, differences};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::popup::{PickItem, PickList, Popup};
use crate::update::{LoopRequest, command, open_page};
use crate::widgets;
use hookbench_app::Command;
use hookbench_core::dialects;

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_command(model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
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

/// Moves up or down: in the open detail, otherwise in the differences, and in the agents if those are rows.
pub fn step(model: &mut Model, by: isize) {
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

/// Handles a click.
pub fn on_click(model: &mut Model, at: Position) {
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
