//! Opening the popup, starting and stopping a calibration.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::view::rows;
use crate::copy_items::CopyItem;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, arrows, fixed_keys};
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::popup_area;
use crate::popup::{Popup, full_columns, scroll_full};
use crate::update::{LoopRequest, command};
use hookbench_app::Command;
use hookbench_core::names::AgentId;

/// Starts the calibration of the selected agent, or shows the one that runs.
pub fn toggle(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    match running(model) {
        Some(agent) => show(model, agent),
        None => command(model, Command::Calibrate { agent: selected_agent(model), quick: false }, asks),
    }
}

/// The agent of the calibration that runs.
fn running(model: &Model) -> Option<AgentId> {
    model.session.calibration_progress().filter(|progress| progress.running).map(|progress| progress.agent)
}

/// The agent of the selected row on the Files page, otherwise the one on the bench.
fn selected_agent(model: &Model) -> AgentId {
    let of_row = model.files.item().and_then(|row| model.files.agents.get(row.agent()));
    let of_row = of_row.filter(|_| model.page == Page::Files).map(|files| files.agent);
    of_row.unwrap_or(model.session.bench().payload.agent)
}

/// Shows the calibration of an agent, unless it is shown already.
pub fn show(model: &mut Model, agent: AgentId) {
    let shown = |popup: &Popup| matches!(popup, Popup::Calibration { agent: known, .. } if *known == agent);
    if !model.popups.iter().any(shown) {
        model.popups.push(Popup::Calibration { agent, top: 0 });
    }
}

/// The keys of the popup and their verbs.
pub fn footer(model: &Model, agent: AgentId) -> Vec<LayerKey> {
    let scroll = (arrows(model.theme), "scroll");
    if running(model) == Some(agent) {
        return fixed_keys(&[("Esc", "stop"), ("b", "in background"), scroll]);
    }
    fixed_keys(&[("a", "all probes"), ("1", "quick probes"), ("c", "command line"), ("Esc", "close"), scroll])
}

/// Handles a key of the open popup.
pub fn on_key(model: &mut Model, key: KeyEvent, asks: &mut Vec<LoopRequest>) {
    let Some(Popup::Calibration { agent, .. }) = model.popups.last() else { return };
    let agent = *agent;
    let runs = running(model) == Some(agent);
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => stop_or_close(model, runs, asks),
        KeyCode::Char('c') if control => stop_or_close(model, runs, asks),
        KeyCode::Char('b') if runs => close(model),
        KeyCode::Enter if !runs => close(model),
        KeyCode::Char('a') if !runs => command(model, Command::Calibrate { agent, quick: false }, asks),
        KeyCode::Char('1') if !runs => command(model, Command::Calibrate { agent, quick: true }, asks),
        KeyCode::Char('c') => {
            let quick = model.session.calibration_progress().is_some_and(|known| known.agent == agent && known.quick);
            model.popups.push(Popup::Copy(vec![command_line(agent, quick)]));
        }
        code if scroll_full(model, code, rows(model, agent, full_columns(popup_area(model).width)).len()) => {}
        _ if model.config.keys.command(key) == Some(UiCommand::Quit) => stop_or_close(model, runs, asks),
        _ => model.toast = crate::key_names::name(key).map(|key| format!("{key} does nothing here")),
    }
}

/// The command line that calibrates an agent.
pub fn command_line(agent: AgentId, quick: bool) -> CopyItem {
    let quick = if quick { " --quick" } else { "" };
    CopyItem { key: 'c', name: "command line", text: format!("hookbench calibrate --agent {agent}{quick}") }
}

fn stop_or_close(model: &mut Model, runs: bool, asks: &mut Vec<LoopRequest>) {
    if runs {
        command(model, Command::StopCalibration, asks);
    } else {
        close(model);
    }
}

fn close(model: &mut Model) {
    model.popups.retain(|popup| !matches!(popup, Popup::Calibration { .. }));
}
