//! The texts that can be copied from an event: its payload, the event as a fixture line, and command lines that
//! fire it again.

use crate::copy_items::CopyItem;
use crate::model::Model;
use hookbench_app::shell_quoted;
use hookbench_core::recorded::{RecordedEvent, format_event_line};
use hookbench_core::run::ProcessSpec;
use hookbench_core::text::{parse_value, stringify_pretty};

/// The selected event and its number; `None` until it has been read.
fn event(model: &Model) -> Option<(i64, &RecordedEvent)> {
    let shelf = model.session.event_list();
    let seq = shelf.window.row()?.seq;
    let (of, event) = shelf.selected_event.as_ref()?;
    Some((seq, event.as_deref().filter(|_| *of == seq)?))
}

/// The command line that fires the selected event again.
pub fn replay_command_line(model: &Model) -> Option<String> {
    model.session.event_list().window.row().map(|row| format!("hookbench replay {}", row.seq))
}

/// The texts that can be copied from the selected event.
pub fn copy_items(model: &Model) -> Option<Vec<CopyItem>> {
    let (_, event) = event(model)?;
    let text = String::from_utf8_lossy(&event.payload).into_owned();
    let mut all = Vec::new();
    let mut add = |key, name, text: String| all.push(CopyItem { key, name, text });
    add('e', "payload as received", text.clone());
    if let Ok(value) = parse_value(&text) {
        add('j', "payload as JSON", stringify_pretty(&value));
    }
    add('f', "event as a fixture line", format_event_line(event));
    let command = event.runs.iter().find_map(|run| run.command.as_deref());
    let started = model.session.process_for(event, command).or_else(|| model.session.process_for(event, None));
    if let Some(spec) = started {
        add('s', "shell line with directory, environment, input", started_line(model, event, &spec));
    } else if let Some(command) = command {
        add('s', "shell line that pipes the payload", shell_line(event, command));
    }
    if let Some(source) = &event.source {
        add('p', "path of its source", source.file.clone());
    }
    add('c', "command line that replays it", replay_command_line(model)?);
    Some(all)
}

/// A command line that runs the process as the agent would: directory, environment, stdin.
fn started_line(model: &Model, event: &RecordedEvent, spec: &ProcessSpec) -> String {
    let own = |name: &str| model.session.place().var(name).map(str::to_owned);
    let mut env = Vec::new();
    for name in spec.env.remove.iter().filter(|name| own(name).is_some()) {
        env.extend(["-u".to_owned(), shell_quoted(name)]);
    }
    let files = spec.env.scratch_files.iter().map(|name| (name.clone(), "/dev/null".to_owned()));
    for (name, value) in spec.env.pairs().map(|(name, value)| (name.to_owned(), value.to_owned())).chain(files) {
        if own(&name).as_ref() != Some(&value) {
            env.push(format!("{name}={}", shell_quoted(&value)));
        }
    }
    let words =
        std::iter::once(&spec.program).chain(&spec.args).map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ");
    let env = if env.is_empty() { String::new() } else { format!("env {} ", env.join(" ")) };
    let text = String::from_utf8_lossy(&event.payload);
    format!("cd {} && printf '%s' {} | {env}{words}", shell_quoted(&spec.cwd), shell_quoted(&text))
}

/// A command line that pipes the payload to the command in the project's directory.
fn shell_line(event: &RecordedEvent, command: &str) -> String {
    let text = String::from_utf8_lossy(&event.payload);
    let go = event.project.as_ref().map(|project| format!("cd {} && ", shell_quoted(project))).unwrap_or_default();
    format!("{go}printf '%s' {} | sh -c {}", shell_quoted(&text), shell_quoted(command))
}
