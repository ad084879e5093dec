//! Fuzzy search: the command palette, and one list of hooks, events and commands. After the name of a command that takes
//! an argument, the list holds the values of the argument.

mod argument_values;
mod list;

use crate::choices::{Templates, templates};
use crate::command_lines::equivalent_line;
use crate::guard_mode::GuardModeChange;
use crate::keymap::Equivalent;
use crate::model::Model;
use crate::popup::Popup;
use argument_values::argument_commands;
use list::FinderEntry;

pub use list::{Finder, FinderAction};

/// The list of all commands.
pub fn palette(model: &Model) -> Popup {
    let arguments = argument_commands(model);
    let mut found = verbs(model);
    for command in &arguments {
        let label = format!("{} {}", command.name, command.form);
        match found.iter_mut().find(|entry| entry.label == command.name) {
            Some(entry) => entry.label = label,
            None => found.push(FinderEntry {
                label,
                key: String::new(),
                about: command.help.to_owned(),
                equivalent: match command.name {
                    "theme" | "log" => "screen only: about the screen".to_owned(),
                    name => equivalent_line(model, &format!("hookbench {name}")),
                },
                choice: FinderAction::Argument(command.name),
            }),
        }
    }
    Popup::Find(Finder::new("Commands", found, arguments))
}

/// The effect of a command of the palette with an argument; `None` if it does not accept the argument.
pub fn with_argument(model: &Model, name: &str, text: &str) -> Option<FinderAction> {
    let command = argument_commands(model).into_iter().find(|command| command.name == name)?;
    let known = command.values.iter().find(|value| value.label == text).map(|value| value.choice.clone());
    known.or_else(|| command.read(text))
}

/// A sentence that lists the arguments of a command; `None` if it takes none.
pub fn accepted_arguments(model: &Model, name: &str) -> Option<String> {
    let mut commands = argument_commands(model).into_iter();
    commands.find(|command| command.name == name).map(|command| command.accepts())
}

/// The list of modes for a guard or a rule.
pub fn guard_modes(changes: Vec<GuardModeChange>) -> Popup {
    let entry = |change: GuardModeChange| FinderEntry {
        label: change.mode.word().to_owned(),
        key: String::new(),
        about: format!("{}: {}", change.subject(), change.about()),
        equivalent: change.command_line(),
        choice: FinderAction::GuardMode(change),
    };
    Popup::Find(Finder::new("Mode", changes.into_iter().map(entry).collect(), Vec::new()))
}

/// The list of all commands, with the command typed that imports this file.
pub fn import_of(model: &Model, path: &str) -> Popup {
    let mut popup = palette(model);
    if let Popup::Find(finder) = &mut popup {
        finder.push(&format!("import {path}"));
    }
    popup
}

/// The list of hooks, events with their templates, and commands.
pub fn anything(model: &Model) -> Popup {
    let mut found = Vec::new();
    for definition in model.loaded().iter().flat_map(|loaded| &loaded.definitions) {
        found.push(FinderEntry {
            label: definition.label(),
            key: String::new(),
            about: format!(
                "hook on {}   {}:{}",
                definition.event, definition.provenance.file, definition.provenance.line
            ),
            equivalent: equivalent_line(model, &format!("hookbench why {}", definition.id)),
            choice: FinderAction::Hook { event: definition.event.clone(), id: definition.id.clone() },
        });
    }
    let Templates { items, .. } = templates(model);
    for item in items {
        let event = item.label.split("  ").next().unwrap_or_default().to_owned();
        found.push(FinderEntry {
            label: item.label,
            key: String::new(),
            about: item.about,
            equivalent: equivalent_line(model, &format!("hookbench events {event}")),
            choice: FinderAction::Do(item.commands),
        });
    }
    found.extend(verbs(model));
    Popup::Find(Finder::new("Hooks, events, commands", found, Vec::new()))
}

fn verbs(model: &Model) -> Vec<FinderEntry> {
    let found = |(binding, chords): (&crate::keymap::KeyBinding, &Vec<String>)| FinderEntry {
        label: binding.name.to_owned(),
        key: chords.first().cloned().unwrap_or_default(),
        about: binding.help.to_owned(),
        equivalent: match binding.equivalent {
            Equivalent::CommandLine(line) => equivalent_line(model, line),
            Equivalent::ScreenOnly(why) => format!("screen only: {why}"),
        },
        choice: FinderAction::Verb(binding.command),
    };
    model.config.keys.rows().map(found).collect()
}
