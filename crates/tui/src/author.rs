//! The commands of the edit loop: auto-fire, pins, earlier runs, comparison, what-if, leaving a hook out.

use crate::keymap::Verb;
use crate::model::{Model, Row};
use crate::popup::{Input, InputFor, Popup, Runs, other};
use crate::update::{Ask, command};
use crate::widgets::{Line, fit};
use hookbench_app::{Command, FiringId};

/// Arms or disarms auto-fire and reports the new state in the toast.
pub(super) fn arm(model: &mut Model, asks: &mut Vec<Ask>) {
    let armed = !model.session.watch.armed;
    command(model, Command::ArmAutoFire(armed), asks);
    if model.session.watch.armed != armed {
        // The session reports the reason.
        return;
    }
    let what = match model.session.watch.pins.len() {
        0 => "this event".to_owned(),
        1 => "the pinned event".to_owned(),
        n => format!("the {n} pinned events"),
    };
    model.toast = Some(if armed {
        format!("auto-fire is armed: saving a hook or its settings fires {what} again")
    } else {
        "auto-fire is off".to_owned()
    });
}

/// Turns containment of the next runs on or off and reports the new state in the toast.
pub(super) fn contain(model: &mut Model, asks: &mut Vec<Ask>) {
    let on = !model.session.contain;
    command(model, Command::Contain(on), asks);
    model.toast = Some(if on {
        "contained: the next runs get a copy of the project, a home of their own, no network where that can be"
            .to_owned()
    } else {
        "hooks run where the agent runs them".to_owned()
    });
}

/// Pins the event on the bench or removes its pin, and reports the change in the toast.
pub(super) fn pin(model: &mut Model, asks: &mut Vec<Ask>) {
    let before = model.session.pinned();
    command(model, Command::TogglePin, asks);
    let key = model.key(Verb::AutoFire);
    model.toast = match (before, model.session.pinned()) {
        (Some(_), None) => Some("no longer pinned".to_owned()),
        (None, Some(now)) if model.session.watch.armed => {
            Some(format!("pinned as number {}; a saved hook fires it", now + 1))
        }
        (None, Some(now)) => Some(format!("pinned as number {}; {key} lets a saved hook fire it", now + 1)),
        _ => return,
    };
}

/// Opens the list of earlier runs, newest first.
pub(super) fn history(model: &mut Model) {
    match Runs::of(&model.session.history) {
        Some(runs) => model.popups.push(Popup::Runs(runs)),
        None => model.toast = Some(format!("nothing was fired yet; {} fires the event", model.key(Verb::Fire))),
    }
}

/// Compares the run on the screen with the run before it.
pub(super) fn compare(model: &mut Model) {
    let shown = model.shown.or_else(|| Some(model.last_of_bench()?.id));
    let pair = shown.and_then(|id| Some((model.session.history.to_compare(id)?.id, id)));
    compare_two(model, pair);
}

/// Compares a run with the run on the screen; if it is that run, with the run before it.
pub(super) fn compare_with(model: &mut Model, id: FiringId) {
    let pair = other(model, id).map(|other| (other.min(id), other.max(id)));
    compare_two(model, pair);
}

fn compare_two(model: &mut Model, pair: Option<(FiringId, FiringId)>) {
    let run = |id| model.session.history.get(id);
    let Some((old, new)) = pair.and_then(|(old, new)| Some((run(old)?, run(new)?))) else {
        model.toast = Some("there is no earlier run of this event to compare with".to_owned());
        return;
    };
    let lines = crate::bench::diff(old, new, model.theme);
    let title = format!("run {} against run {}", new.id.0, old.id.0);
    model.popups.push(Popup::Lines { title, lines, top: 0 });
}

pub(super) fn what_if(model: &mut Model) {
    if let Some(run) = model.gone() {
        model.toast = Some(run.gone_words(&model.key(Verb::Fire)));
        return;
    }
    let (Some(firing), Some(run)) = (model.firing().filter(|f| f.settled), model.selected_run()) else {
        model.toast = Some("fire the event first; then a hook's end can be changed".to_owned());
        return;
    };
    let name = firing.loaded.definition(&run.hook).map_or_else(String::new, |d| d.label());
    let (firing, run) = (firing.id, run.run);
    model.popups.push(Popup::Input(Input {
        title: format!("What if {} had ended so?", fit(&name, 40, model.theme)),
        hint: "exit status, then stdout; nothing runs   Enter decides anew".to_owned(),
        text: Line::default(),
        form: "2   as it is when nothing is typed; else 0, or 0 {\"decision\": ...}",
        what: InputFor::WhatIf { firing, run },
        error: None,
    }));
}

pub(super) fn leave_out(model: &mut Model, asks: &mut Vec<Ask>) {
    let Some(Row::Hook(hook)) = model.rows.get(model.selected).cloned() else { return };
    model.shown = None;
    command(model, Command::ToggleHook(hook), asks);
}
