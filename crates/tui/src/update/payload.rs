//! The event on the bench: choosing another one, setting a field, the editor.

use super::{LoopRequest, command};
use crate::model::{Focus, Model};
use crate::popup::{InputPopup, InputPurpose, Popup};
use hookbench_app::Command;

pub(super) fn edit_payload(model: &Model, asks: &mut Vec<LoopRequest>) {
    let bench = model.session.bench();
    let text = match (&bench.refused, bench.body()) {
        (Some(refused), _) => refused.text.clone(),
        (None, Some(body)) => format!("{}\n", hookbench_core::text::stringify_pretty(body)),
        (None, None) => return,
    };
    asks.push(LoopRequest::EditPayload(text));
}

pub(super) fn open_editor(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if model.focus == Focus::Event {
        edit_payload(model, asks);
        return;
    }
    let Some(definition) = model.definition() else {
        model.toast = Some("nothing to open here".to_owned());
        return;
    };
    let Some(loaded) = model.session.loaded() else { return };
    let script = model
        .definition_facts
        .as_ref()
        .and_then(|k| k.resolved()?.script.clone())
        .filter(|_| model.focus == Focus::Detail);
    match script {
        Some(path) => asks.push(LoopRequest::OpenFile { path, line: 1, column: 1 }),
        None => {
            let path = loaded.sources.path(definition.provenance.span.source).to_owned();
            let (line, column) = (definition.provenance.line, definition.provenance.column);
            asks.push(LoopRequest::OpenFile { path, line, column });
        }
    }
}

pub(super) fn set_field(model: &Model) -> Popup {
    let first =
        match model.session.bench().body().and_then(|b| b.get("tool_input")).and_then(serde_json::Value::as_object) {
            Some(input) => input.keys().next().map_or_else(String::new, |key| format!("tool_input.{key}=")),
            None => String::new(),
        };
    Popup::Input(InputPopup {
        title: "Set a field".to_owned(),
        hint: "the value is JSON or text".to_owned(),
        text: first.into(),
        form: "a.b=VALUE",
        what: InputPurpose::Field,
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
    let now = model.session.bench().event.and_then(|e| events.iter().position(|o| o.name == e.name)).unwrap_or(0);
    let count = events.len().max(1);
    let next = if forward { (now + 1) % count } else { (now + count - 1) % count };
    if let Some(name) = events.get(next).map(|e| e.name.to_owned()) {
        command(model, Command::ChooseEvent(name), asks);
        show_last_run(model);
    }
}

/// Shows the last run of an event that was fired before.
pub(super) fn show_last_run(model: &mut Model) {
    model.shown_firing = model.session.last_of_bench().map(|run| run.id);
    model.derive_facts();
}
