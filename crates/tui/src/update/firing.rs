//! Firing the event on the bench, verifying it, cancelling, and quitting.

use super::commands::show_last_run;
use super::{LoopRequest, command};
use crate::keymap::UiCommand;
use crate::model::{Focus, Model};
use crate::popup::{InputPopup, InputPurpose, Popup, quit_lines};
use crate::widgets::InputLine;
use crate::{payload_keys, verification};
use hookbench_app::{CalibrationProgress, Command, EventListCommand};
use hookbench_core::run::deciding_line;
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
    if quit_lines(model).is_empty() {
        asks.push(LoopRequest::Quit);
    } else {
        model.popups.push(Popup::Quit);
    }
}

pub(super) fn edit_payload(model: &Model, asks: &mut Vec<LoopRequest>) {
    let bench = model.session.bench();
    let text = match (&bench.payload.refused, bench.body()) {
        (Some(refused), _) => refused.text.clone(),
        (None, Some(body)) => format!("{}\n", hookbench_core::text::stringify_pretty(body)),
        (None, None) => return,
    };
    asks.push(LoopRequest::EditPayload(text));
}

/// Opens the payload if the focus is on the event, otherwise the selected hook's script.
pub(super) fn open_editor(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if model.focus == Focus::Event {
        edit_payload(model, asks);
    } else {
        open_script(model, asks);
    }
}

/// Opens the selected hook's script at the line that decided, or its settings entry if it has no script.
pub(crate) fn open_script(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let script = model.definition_facts.as_ref().and_then(|facts| facts.resolved()?.script.clone());
    match script.filter(|_| model.definition().is_some()) {
        Some(path) => {
            let line = deciding_line_of(model, &path).unwrap_or(1);
            asks.push(LoopRequest::OpenFile { path, line, column: 1 });
        }
        None => open_settings(model, asks),
    }
}

/// Opens the settings entry of the selected hook.
pub(super) fn open_settings(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    let entry = model.definition().zip(model.session.loaded()).map(|(definition, loaded)| {
        let place = &definition.provenance;
        (loaded.sources.path(place.span.source).to_owned(), place.line, place.column)
    });
    match entry {
        Some((path, line, column)) => asks.push(LoopRequest::OpenFile { path, line, column }),
        None => model.toast = Some("select a hook first".to_owned()),
    }
}

/// The line of a script at which the shown run of the selected hook decided.
fn deciding_line_of(model: &Model, path: &str) -> Option<u32> {
    let hook = &model.definition()?.id;
    let ended = model.firing()?.runs.iter().rfind(|run| run.hook == *hook)?.ended()?;
    let text = model.session.files().read(path).ok()?;
    deciding_line(&String::from_utf8_lossy(&text), &ended.report)
}

pub(super) fn set_field(model: &Model) -> Popup {
    let body = model.session.bench().body().and_then(serde_json::Value::as_object);
    let input = body.and_then(|body| body.get("tool_input")?.as_object()?.iter().next());
    let (prefix, value) = input.map_or_else(Default::default, |(key, value)| {
        let value = Some(payload_keys::editable(value)).filter(|value| value.len() <= payload_keys::LONGEST);
        (format!("tool_input.{key}="), value.unwrap_or_default())
    });
    let form = if prefix.is_empty() { "a.b=VALUE" } else { "a value, or another field as a.b=VALUE" };
    Popup::Input(InputPopup {
        title: "Set a field".to_owned(),
        hint: "the value is JSON or text; a.b=VALUE sets another field".to_owned(),
        prefix,
        text: InputLine::selected(value),
        form,
        what: InputPurpose::Field(body.map(|body| body.keys().cloned().collect()).unwrap_or_default()),
        error: None,
    })
}

pub(super) fn step_event(model: &mut Model, forward: bool, asks: &mut Vec<LoopRequest>) {
    let pins = model.session.auto_fire().pins.len();
    if pins > 0 {
        let next = match (model.session.pinned(), forward) {
            (Some(now), true) => (now + 1) % pins,
            (Some(now), false) => (now + pins - 1) % pins,
            (None, _) => 0,
        };
        command(model, Command::UsePin(next), asks);
        return;
    }
    let Some(agent) = model.session.current() else { return };
    let events = agent.dialect.events(&agent.version);
    let now =
        model.session.bench().payload.event.and_then(|e| events.iter().position(|o| o.name == e.name)).unwrap_or(0);
    let count = events.len().max(1);
    let next = if forward { (now + 1) % count } else { (now + count - 1) % count };
    if let Some(name) = events.get(next).map(|e| e.name.to_owned()) {
        command(model, Command::ChooseEvent(name), asks);
        show_last_run(model);
    }
}
