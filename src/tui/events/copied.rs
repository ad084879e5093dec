//! What can be copied of an event: its payload, itself as a line of a fixture, and command lines that fire it again.

use crate::core::recorded::{RecordedEvent, write_line};
use crate::core::text::{parse_value, stringify_pretty};
use crate::tui::model::Model;
use crate::tui::popup::Popup;
use crate::tui::twin::quoted;
use crate::tui::yank::Yank;

/// The selected event, if it has been read.
fn event(model: &Model) -> Option<(i64, &RecordedEvent)> {
    let shelf = &model.session.shelf;
    let seq = shelf.list.row()?.seq;
    let (of, event) = shelf.whole.as_ref()?;
    Some((seq, event.as_deref().filter(|_| *of == seq)?))
}

/// The command line that does what the page shows: the selected event, fired again.
pub fn line_of(model: &Model) -> Option<String> {
    model.session.shelf.list.row().map(|row| format!("hookbench replay {}", row.seq))
}

/// All that can be copied now.
pub fn yanks(model: &Model) -> Option<Popup> {
    let (_, event) = event(model)?;
    let text = String::from_utf8_lossy(&event.payload).into_owned();
    let mut all = Vec::new();
    let mut add = |key, name, text: String| all.push(Yank { key, name, text });
    add('e', "the payload as it was received", text.clone());
    if let Ok(value) = parse_value(&text) {
        add('j', "the payload as JSON", stringify_pretty(&value));
    }
    add('f', "the event as a line of a fixture", write_line(event));
    if let Some(command) = event.runs.iter().find_map(|run| run.command.as_deref()) {
        add('s', "a shell line that pipes the payload", shell_line(event, command));
    }
    if let Some(source) = &event.source {
        add('p', "the path of its source", source.file.clone());
    }
    add('c', "the command line that fires it again", line_of(model)?);
    Some(Popup::Yank(all))
}

/// Goes to the directory and gives a command what the hook was given.
fn shell_line(event: &RecordedEvent, command: &str) -> String {
    let text = String::from_utf8_lossy(&event.payload);
    let go = event.project.as_ref().map(|project| format!("cd {} && ", quoted(project))).unwrap_or_default();
    format!("{go}printf '%s' {} | sh -c {}", quoted(&text), quoted(command))
}
