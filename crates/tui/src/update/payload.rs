//! The event on the bench: choosing another one, setting a field, the editor.

use super::commands::show_last_run;
use super::{LoopRequest, command};
use crate::model::{Focus, Model};
use crate::payload_keys;
use crate::popup::{InputPopup, InputPurpose, Popup};
use crate::widgets::InputLine;
use hookbench_app::Command;
use hookbench_core::run::deciding_line;

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
