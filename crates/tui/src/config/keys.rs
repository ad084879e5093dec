//! The `[keys]` table: a command's name and the keys that replace its default keys.

use std::ops::Range;

use toml_edit::Item;

use super::{ConfigParser, UserConfig, nearest};
use crate::key_names;
use crate::keymap::{BINDINGS, UiCommand};

/// The keys assigned to one command, with their places in the file.
struct KeyAssignment {
    row: usize,
    keys: Vec<(String, Option<Range<usize>>)>,
}

impl ConfigParser<'_> {
    pub(super) fn keys(&mut self, item: &Item, config: &mut UserConfig) {
        let Some(table) = item.as_table_like() else {
            let says =
                format!("keys cannot be {}; allowed: a table of commands and their keys", self.source_text(item));
            self.problem(item.span(), says);
            return;
        };
        let mut all: Vec<KeyAssignment> = Vec::new();
        for (name, item) in table.iter() {
            let span = table.get_key_value(name).and_then(|(key, _)| key.span());
            let Some(row) = BINDINGS.iter().position(|b| b.name == name) else {
                let says = format!("unknown command \"{name}\"; {}", nearest(name, BINDINGS.iter().map(|b| b.name)));
                self.problem(span, says);
                continue;
            };
            let Some(keys) = self.parse_keys(name, item) else { continue };
            let mut given = KeyAssignment { row, keys: Vec::new() };
            for (key, at) in keys {
                match all.iter().find(|g| g.keys.iter().any(|(k, _)| *k == key)) {
                    Some(other) => {
                        let owner = BINDINGS.get(other.row).map_or("", |b| b.name);
                        self.problem(at, format!("{key} is already the key of {owner}"));
                    }
                    None => given.keys.push((key, at)),
                }
            }
            all.push(given);
        }
        self.bind(&all, config);
        let leaves = |verb| !config.keys.first_key(verb).is_empty();
        if !leaves(UiCommand::Quit) && !leaves(UiCommand::Cancel) {
            let says = "no key would quit the workbench, so Ctrl+C keeps doing it";
            self.problem(item.span(), says.to_owned());
            let row = BINDINGS.iter().position(|b| b.command == UiCommand::Cancel);
            if let Some(keys) = row.and_then(|row| config.keys.keys_mut(row)) {
                keys.push("Ctrl+C".to_owned());
            }
        }
    }

    /// Parses a list of keys; reports a problem and returns `None` if it is not a list of strings.
    fn parse_keys(&mut self, verb: &str, item: &Item) -> Option<Vec<(String, Option<Range<usize>>)>> {
        let list = item.as_array().filter(|list| list.iter().all(|v| v.as_str().is_some()));
        let Some(list) = list else {
            let says = format!("{verb} cannot be {}; allowed: a list of keys, such as [\"f\"]", self.source_text(item));
            self.problem(item.span(), says);
            return None;
        };
        let mut keys = Vec::new();
        for value in list {
            let text = value.as_str().unwrap_or_default();
            match key_names::canonical(text) {
                Some(key) => keys.push((key, value.span())),
                None => self.problem(
                    value.span(),
                    format!("\"{text}\" is not a key; keys look like f, G, Enter, Ctrl+C, Shift+Tab, PgUp"),
                ),
            }
        }
        Some(keys)
    }

    /// Assigns the keys. A default key of another command moves to the command that asks for it; a command left
    /// without keys is reported.
    fn bind(&mut self, all: &[KeyAssignment], config: &mut UserConfig) {
        for given in all {
            for row in (0..BINDINGS.len()).filter(|row| all.iter().all(|g| g.row != *row)) {
                let Some(keys) = config.keys.keys_mut(row) else { continue };
                let taken = given.keys.iter().find(|(key, _)| keys.contains(key));
                keys.retain(|k| given.keys.iter().all(|(key, _)| key != k));
                if let Some((key, at)) = taken.filter(|_| keys.is_empty()) {
                    let loser = BINDINGS.get(row).map_or("", |b| b.name);
                    self.problem(at.clone(), format!("{key} was the only key of {loser}"));
                }
            }
            if let Some(keys) = config.keys.keys_mut(given.row) {
                *keys = given.keys.iter().map(|(key, _)| key.clone()).collect();
            }
        }
    }
}
