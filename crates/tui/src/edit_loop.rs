//! The commands of the edit loop: auto-fire, pins, earlier runs, comparison, what-if, leaving a hook out.

use crate::hook_list::HookListRow;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::popup::{InputPopup, InputPurpose, Popup, RunList, compare_partner, show_patch};
use crate::update::{LoopRequest, command};
use crate::widgets::{InputLine, fit};
use hookbench_app::suite::{DEFAULT_SUITE, KeptFiring, keep_firing};
use hookbench_app::{Command, EventListCommand, FiringId};

/// Arms or disarms auto-fire and reports the new state in the toast.
pub(super) fn toggle_auto_fire(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let armed = !model.session.auto_fire().armed;
    command(model, Command::SetAutoFire(armed), asks);
    if model.session.auto_fire().armed != armed {
        // The session reports the reason.
        return;
    }
    let what = match model.session.auto_fire().pins.len() {
        0 => "this event".to_owned(),
        1 => "the pinned event".to_owned(),
        n => format!("the {n} pinned events"),
    };
    model.toast = Some(if armed {
        format!("auto-fire is on: saving a hook or its settings fires {what} again")
    } else {
        "auto-fire is off".to_owned()
    });
}

/// Turns containment of the next runs on or off and reports the new state in the toast.
pub(super) fn toggle_containment(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let on = !model.session.is_contained();
    command(model, Command::SetContained(on), asks);
    model.toast = Some(if on {
        "contained: a copy, no network; hooks can read your files".to_owned()
    } else {
        "not contained: hooks run where the agent runs them".to_owned()
    });
}

/// Decides as if the project were trusted and its hooks reviewed, or as the agent has recorded it. The agent's own files
/// do not change.
pub(super) fn toggle_assumed_trust(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let on = !model.session.place().assumes_trust;
    model.shown_firing = None;
    command(model, Command::AssumeTrust(on), asks);
    model.toast = Some(if on {
        "treated as trusted here; the agent still asks".to_owned()
    } else {
        "back to the trust that the agent has recorded".to_owned()
    });
}

/// Runs hooks with the next environment. The toast follows once it has been read.
pub(super) fn use_next_environment(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    command(model, Command::UseEnvironment(model.session.place().env_source.next()), asks);
}

/// Shows the shown firing as a case of the project's suite; `Y` writes it.
pub(super) fn keep_as_test(model: &mut Model) {
    let Some(firing) = model.firing() else {
        model.toast = Some(format!("nothing to keep yet; {} fires the event", model.key(UiCommand::Fire)));
        return;
    };
    match keep_firing(firing, model.session.place(), model.session.files()) {
        Ok(KeptFiring::Change(change)) => show_patch(model, "Keep as a test".to_owned(), vec![change]),
        Ok(KeptFiring::Known { case }) => {
            model.toast = Some(format!("{DEFAULT_SUITE} tests this event already: {case}"));
        }
        Err(why) => model.toast = Some(why.to_string()),
    }
}

/// Opens the list of earlier runs, newest first.
pub(super) fn open_history(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if model.session.history().is_empty() && !model.config.log_runs {
        model.toast = Some(format!("no runs yet; {} fires the event", model.key(UiCommand::Fire)));
        return;
    }
    model.popups.push(Popup::Runs(RunList::of(model.session.history())));
    command(model, Command::EventList(EventListCommand::EarlierRuns), asks);
}

/// Compares the run on the screen with the run before it.
pub(super) fn compare_with_previous(model: &mut Model) {
    let shown = model.shown_firing.or_else(|| Some(model.last_of_bench()?.id));
    let pair = shown.and_then(|id| Some((model.session.history().comparison_run(id)?.id, id)));
    compare_two(model, pair);
}

/// Compares a run with the run on the screen; if it is that run, with the run before it.
pub(super) fn compare_with(model: &mut Model, id: FiringId) {
    let pair = compare_partner(model, id).map(|other| (other.min(id), other.max(id)));
    compare_two(model, pair);
}

fn compare_two(model: &mut Model, pair: Option<(FiringId, FiringId)>) {
    let run = |id| model.session.history().get(id);
    let Some((old, new)) = pair.and_then(|(old, new)| Some((run(old)?, run(new)?))) else {
        model.toast = Some("no earlier run of this event".to_owned());
        return;
    };
    let lines = crate::bench::diff(old, new, model.theme);
    let title = format!("run {} against run {}", new.id.0, old.id.0);
    model.popups.push(Popup::Lines { title, lines, top: 0 });
}

pub(super) fn ask_what_if(model: &mut Model) {
    if let Some(run) = model.past_run() {
        model.toast = Some(run.dropped_output_message(&model.key(UiCommand::Fire)));
        return;
    }
    let (Some(firing), Some(run)) = (model.firing().filter(|f| f.settled), model.selected_run()) else {
        model.toast = Some("fire the event first, then change the exit status of a hook".to_owned());
        return;
    };
    let name = firing.loaded.definition(&run.hook).map_or_else(String::new, |d| d.label());
    let (firing, run) = (firing.id, run.run);
    model.popups.push(Popup::Input(InputPopup {
        prefix: String::new(),
        title: format!("What if {} had exited with …", fit(&name, 40, model.theme)),
        hint: "exit status, then stdout; nothing runs".to_owned(),
        text: InputLine::default(),
        form: "2 (default), 0, or 0 {\"decision\": ...}",
        what: InputPurpose::WhatIf { firing, run },
        error: None,
    }));
}

pub(super) fn leave_out(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let Some(HookListRow::Hook(hook)) = model.rows.get(model.selected).cloned() else { return };
    model.shown_firing = None;
    command(model, Command::ToggleHook(hook), asks);
}
