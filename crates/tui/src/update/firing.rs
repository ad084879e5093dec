//! Firing the event on the bench, verifying it, cancelling, and quitting.

use super::{LoopRequest, command};
use crate::intercept;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::popup::Popup;
use crate::verification;
use hookbench_app::{CalibrationProgress, Command, EventListCommand};
use hookbench_core::text::pluralize;

/// The number of hooks whose preparation takes long enough to say so first.
const MANY_HOOKS: usize = 500;

pub(crate) fn fire(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if model.session.busy() {
        model.toast = Some(format!("still running; {} cancels it", model.key(UiCommand::Cancel)));
        return;
    }
    match model.session.hook_counts().fires {
        0 => model.toast = Some("no hook runs for this event".to_owned()),
        many @ MANY_HOOKS.. => {
            model.toast = Some(format!("preparing {}", pluralize(many, "hook")));
            return asks.push(LoopRequest::FireOnceDrawn);
        }
        _ => {}
    }
    command(model, Command::Fire, asks);
}

/// Verifies the event on the bench, or shows the result that it has already.
pub(super) fn verify(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if model.session.busy() {
        model.toast = Some(format!("still running; {} cancels it", model.key(UiCommand::Cancel)));
        return;
    }
    match model.firing().filter(|firing| firing.verification.is_some()).map(|firing| firing.id) {
        Some(verified) => verification::show(model, verified),
        None => command(model, Command::Verify { insists: false }, asks),
    }
}

pub(super) fn cancel_or_quit(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let shelf = model.session.event_list();
    if !model.session.busy() && shelf.progress.is_some() {
        if shelf.stopping {
            asks.push(LoopRequest::Kill);
            return;
        }
        let again = if shelf.is_running_hooks() {
            format!("; {} again to kill the hooks", model.key(UiCommand::Cancel))
        } else {
            String::new()
        };
        model.toast = Some(format!("cancelling; finished events are kept{again}"));
        command(model, Command::EventList(EventListCommand::Stop), asks);
    } else if !model.session.busy() && model.session.calibration_progress().is_some_and(|known| known.running) {
        command(model, Command::StopCalibration, asks);
        model.toast = model.session.calibration_progress().map(CalibrationProgress::headline);
    } else if !model.session.busy() && model.cancelled_once {
        // The key was probably meant for the hooks, which ended in the meantime.
        model.cancelled_once = false;
        model.toast = Some(format!("the hooks have ended; {} again quits", model.key(UiCommand::Cancel)));
    } else if !model.session.busy() {
        quit(model, asks);
    } else if model.cancelled_once {
        asks.push(LoopRequest::Kill);
    } else {
        model.cancelled_once = true;
        model.toast = Some(format!("cancelling the hooks; {} again to kill them", model.key(UiCommand::Cancel)));
        command(model, Command::Cancel, asks);
    }
}

/// Whether hooks run that quitting ends.
pub(crate) fn runs_hooks(model: &Model) -> bool {
    model.session.busy() || model.session.event_list().is_running_hooks()
}

pub(super) fn quit(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if runs_hooks(model) || !intercept::quit_lines(model).is_empty() {
        model.popups.push(Popup::Quit);
    } else {
        asks.push(LoopRequest::Quit);
    }
}
