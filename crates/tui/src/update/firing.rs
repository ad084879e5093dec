//! Firing the event on the bench, cancelling, and quitting.

use super::{Ask, command};
use crate::keymap::Verb;
use crate::model::Model;
use crate::popup::Popup;
use hookbench_app::{Command, ShelfCommand};

pub(super) fn fire(model: &mut Model, asks: &mut Vec<Ask>) {
    if model.session.busy() {
        model.toast = Some(format!("still running; {} ends it", model.key(Verb::Cancel)));
        return;
    }
    if model.session.bench.ready().fires == 0 {
        model.toast = Some("no hook runs for this event".to_owned());
    }
    command(model, Command::Fire, asks);
}

pub(super) fn cancel(model: &mut Model, asks: &mut Vec<Ask>) {
    let shelf = &model.session.shelf;
    if !model.session.busy() && shelf.working.is_some() {
        if shelf.ending {
            asks.push(Ask::Kill);
            return;
        }
        let again =
            if shelf.runs() { format!("; {} again kills the hooks", model.key(Verb::Cancel)) } else { String::new() };
        model.toast = Some(format!("ending it; what is kept stays{again}"));
        command(model, Command::Shelf(ShelfCommand::Stop), asks);
    } else if !model.session.busy() {
        asks.push(Ask::Quit);
    } else if model.cancelled_once {
        asks.push(Ask::Kill);
    } else {
        model.cancelled_once = true;
        model.toast = Some(format!("ending the hooks; {} again kills them", model.key(Verb::Cancel)));
        command(model, Command::Cancel, asks);
    }
}

pub(super) fn quit(model: &mut Model, asks: &mut Vec<Ask>) {
    if model.zoomed {
        model.zoomed = false;
    } else if model.session.busy() || model.session.shelf.runs() {
        model.popups.push(Popup::Quit);
    } else {
        asks.push(Ask::Quit);
    }
}
