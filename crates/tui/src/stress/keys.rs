//! Starting and stopping a stress test, keeping its misses, and opening the hook's script.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::view::popup_rows;
use crate::hook_list::HookListRow;
use crate::keymap::UiCommand;
use crate::layer_keys::{LayerKey, arrows, fixed_keys};
use crate::model::Model;
use crate::page_layout::popup_area;
use crate::popup::{Popup, scroll_full, show_patch};
use crate::update::{LoopRequest, command, open_script};
use hookbench_app::suite::{DEFAULT_SUITE, addition_to, missed_cases};
use hookbench_app::{Command, StressTest};

/// Starts a stress test of the selected hook, or stops the one that runs.
pub fn toggle(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if model.session.stress_test().is_some_and(StressTest::is_running) {
        command(model, Command::StopStress, asks);
        show(model);
        return;
    }
    let Some(HookListRow::Hook(hook)) = model.rows.get(model.selected).cloned() else {
        model.toast = Some("select a hook to stress".to_owned());
        return;
    };
    command(model, Command::Stress { hook, in_place: false }, asks);
}

/// Shows the stress test, unless it is shown already.
pub fn show(model: &mut Model) {
    if !model.popups.iter().any(|popup| matches!(popup, Popup::Stress { .. })) {
        model.popups.push(Popup::Stress { top: 0 });
    }
}

/// The keys of the popup and their verbs.
pub fn footer(model: &Model) -> Vec<LayerKey> {
    let Some(test) = model.session.stress_test() else { return Vec::new() };
    let mut keys = vec![(arrows(model.theme), "scroll")];
    if test.is_running() {
        keys.extend([("T Esc", "stop"), ("PgUp PgDn", "page")]);
        return fixed_keys(&keys);
    }
    if test.report.misses().next().is_some() {
        keys.push(("S", "keep misses"));
    }
    keys.extend([("x", "script"), ("Esc", "close"), ("u", "undo"), ("T", "again"), ("PgUp PgDn", "page")]);
    fixed_keys(&keys)
}

/// Handles a key of the open popup.
pub fn on_key(model: &mut Model, key: KeyEvent, asks: &mut Vec<LoopRequest>) {
    let Some(test) = model.session.stress_test() else { return };
    let running = test.is_running();
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c') if control => stop_or_close(model, running, asks),
        KeyCode::Esc => stop_or_close(model, running, asks),
        KeyCode::Enter if !running => close(model),
        KeyCode::Char('T') if running => command(model, Command::StopStress, asks),
        KeyCode::Char('T') => {
            let hook = test.hook.clone();
            scroll_full(model, KeyCode::Home, 0);
            command(model, Command::Stress { hook, in_place: false }, asks);
        }
        KeyCode::Char('S') if running => model.toast = Some("the test still runs; T stops it".to_owned()),
        KeyCode::Char('S') => keep_misses(model),
        KeyCode::Char('x') => edit_script(model, asks),
        KeyCode::Char('u') => command(model, Command::ShowUndo, asks),
        code if scroll_full(model, code, popup_rows(model, popup_area(model).width).len()) => {}
        _ if model.config.keys.command(key) == Some(UiCommand::Quit) => stop_or_close(model, running, asks),
        _ => model.toast = crate::key_names::name(key).map(|key| format!("{key} does nothing here")),
    }
}

fn stop_or_close(model: &mut Model, running: bool, asks: &mut Vec<LoopRequest>) {
    if running {
        command(model, Command::StopStress, asks);
    } else {
        close(model);
    }
}

fn close(model: &mut Model) {
    model.popups.retain(|popup| !matches!(popup, Popup::Stress { .. }));
}

/// Shows the misses as cases of the project's suite; `Y` writes them.
fn keep_misses(model: &mut Model) {
    let Some(test) = model.session.stress_test() else { return };
    let cases = missed_cases(&test.report, test.agent, &test.event);
    if cases.is_empty() {
        model.toast = Some("no misses to keep".to_owned());
        return;
    }
    let title = if cases.len() == 1 {
        "Keep 1 miss as a test".to_owned()
    } else {
        format!("Keep {} misses as tests", cases.len())
    };
    match addition_to(DEFAULT_SUITE, &cases, model.session.place(), model.session.files()) {
        Ok(change) => show_patch(model, title, vec![change]),
        Err(why) => model.toast = Some(why.to_string()),
    }
}

/// Opens the script of the tested hook.
fn edit_script(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let Some(test) = model.session.stress_test() else { return };
    let tested = |row: &HookListRow| matches!(row, HookListRow::Hook(hook) if *hook == test.hook);
    match model.rows.iter().position(tested) {
        Some(row) => {
            model.selected = row;
            model.refresh_shared();
            open_script(model, asks);
        }
        None => model.toast = Some(format!("{} is no longer configured", test.label)),
    }
}
