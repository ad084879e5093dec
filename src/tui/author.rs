//! The verbs of an author's loop: auto-fire, earlier runs, comparison, what-if, leaving a hook out.

use crate::app::{Command, FiringRecord};
use crate::tui::model::{Model, Row};
use crate::tui::popup::{Input, InputFor, Item, Pick, Popup};
use crate::tui::update::{Ask, command};

/// Arms or disarms auto-fire, and says what that means now.
pub(super) fn arm(model: &mut Model, asks: &mut Vec<Ask>) {
    let armed = !model.session.watch.armed;
    command(model, Command::ArmAutoFire(armed), asks);
    if model.session.watch.armed != armed {
        // The session says why not.
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

/// Earlier runs, the newest first.
pub(super) fn history(model: &Model) -> Popup {
    let item = |f: &FiringRecord| {
        let verdict = match &f.outcome {
            _ if f.superseded => "superseded",
            Some(outcome) => outcome.verdict.title(),
            None => "running",
        };
        let by = f.outcome.as_ref().and_then(|o| o.decided_by.first()).and_then(|id| f.loaded.definition(id));
        let supposed = if f.supposed { "   supposed" } else { "" };
        Item {
            label: format!("run {:<4} {verdict}", f.id.0),
            about: format!(
                "{}  {}{}{supposed}",
                f.input.event,
                f.input.subject.value.as_deref().unwrap_or(""),
                by.map_or_else(String::new, |d| format!("   by {}", d.label())),
            ),
            commands: vec![Command::Recall(f.id)],
        }
    };
    let items: Vec<Item> = model.session.firings.iter().rev().map(item).collect();
    Popup::Pick(Pick { title: "Runs", items, filter: String::new(), selected: 0 })
}

pub(super) fn compare(model: &mut Model) {
    let (Some(new), Some(old)) = (model.firing(), model.previous()) else {
        model.toast = Some("there is no earlier run of this event to compare with".to_owned());
        return;
    };
    let lines = crate::tui::bench::diff(old, new, model.theme);
    let title = format!("run {} against run {}", new.id.0, old.id.0);
    model.popups.push(Popup::Lines { title, lines, top: 0 });
}

pub(super) fn what_if(model: &mut Model) {
    let (Some(firing), Some(run)) = (model.firing().filter(|f| f.settled), model.selected_run()) else {
        model.toast = Some("fire the event first; then a hook's end can be changed".to_owned());
        return;
    };
    let (firing, run) = (firing.id, run.run);
    model.popups.push(Popup::Input(Input {
        title: "What if it had ended so?".to_owned(),
        hint: "exit status, then stdout; nothing runs   Enter decides anew".to_owned(),
        text: "2 ".to_owned().into(),
        what: InputFor::WhatIf { firing, run },
        error: None,
    }));
}

pub(super) fn leave_out(model: &mut Model, asks: &mut Vec<Ask>) {
    let Some(Row::Hook(hook)) = model.rows.get(model.selected).cloned() else { return };
    model.shown = None;
    command(model, Command::ToggleHook(hook), asks);
}
