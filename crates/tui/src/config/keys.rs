//! The `[keys]` table: a command's name and the keys that replace its default keys.

use std::ops::Range;

use toml_edit::Item;

use super::{Config, Reading, nearest};
use crate::chord;
use crate::keymap::{BINDINGS, Verb};

/// Name of the table.
pub const TABLE: &str = "keys";

/// The keys assigned to one command, with their places in the file.
struct Given {
    row: usize,
    keys: Vec<(String, Option<Range<usize>>)>,
}

impl Reading<'_> {
    pub(super) fn keys(&mut self, item: &Item, config: &mut Config) {
        let Some(table) = item.as_table_like() else {
            let says = format!("keys cannot be {}; allowed: a table of verbs and their keys", self.written(item));
            self.problem(item.span(), says);
            return;
        };
        let mut all: Vec<Given> = Vec::new();
        for (name, item) in table.iter() {
            let span = table.get_key_value(name).and_then(|(key, _)| key.span());
            let Some(row) = BINDINGS.iter().position(|b| b.name == name) else {
                let says = format!("there is no verb \"{name}\"; {}", nearest(name, BINDINGS.iter().map(|b| b.name)));
                self.problem(span, says);
                continue;
            };
            let Some(keys) = self.chords(name, item) else { continue };
            let mut given = Given { row, keys: Vec::new() };
            for (key, at) in keys {
                match all.iter().find(|g| g.keys.iter().any(|(k, _)| *k == key)) {
                    Some(other) => {
                        let owner = BINDINGS.get(other.row).map_or("", |b| b.name);
                        self.problem(at, format!("{key} is the key of {owner} already, so it stays that"));
                    }
                    None => given.keys.push((key, at)),
                }
            }
            all.push(given);
        }
        self.bind(&all, config);
        let leaves = |verb| !config.keys.first(verb).is_empty();
        if !leaves(Verb::Quit) && !leaves(Verb::Cancel) {
            let says = "nothing would leave the workbench any more, so Ctrl+C still does";
            self.problem(item.span(), says.to_owned());
            let row = BINDINGS.iter().position(|b| b.verb == Verb::Cancel);
            if let Some(keys) = row.and_then(|row| config.keys.keys_mut(row)) {
                keys.push("Ctrl+C".to_owned());
            }
        }
    }

    /// Parses a list of keys; reports a problem and returns `None` if it is not a list of strings.
    fn chords(&mut self, verb: &str, item: &Item) -> Option<Vec<(String, Option<Range<usize>>)>> {
        let list = item.as_array().filter(|list| list.iter().all(|v| v.as_str().is_some()));
        let Some(list) = list else {
            let says = format!("{verb} cannot be {}; allowed: a list of keys, such as [\"f\"]", self.written(item));
            self.problem(item.span(), says);
            return None;
        };
        let mut keys = Vec::new();
        for value in list {
            let text = value.as_str().unwrap_or_default();
            match chord::parse(text).and_then(chord::name) {
                Some(key) => keys.push((key, value.span())),
                None => self.problem(
                    value.span(),
                    format!("\"{text}\" is no key; keys look like f, G, Enter, Ctrl+C, Shift+Tab, PgUp"),
                ),
            }
        }
        Some(keys)
    }

    /// Assigns the keys. A default key of another command moves to the command that asks for it; a command left
    /// without keys is reported.
    fn bind(&mut self, all: &[Given], config: &mut Config) {
        for given in all {
            for row in (0..BINDINGS.len()).filter(|row| all.iter().all(|g| g.row != *row)) {
                let Some(keys) = config.keys.keys_mut(row) else { continue };
                let taken = given.keys.iter().find(|(key, _)| keys.contains(key));
                keys.retain(|k| given.keys.iter().all(|(key, _)| key != k));
                if let Some((key, at)) = taken.filter(|_| keys.is_empty()) {
                    let loser = BINDINGS.get(row).map_or("", |b| b.name);
                    self.problem(at.clone(), format!("{key} was the key of {loser}, which has none now"));
                }
            }
            if let Some(keys) = config.keys.keys_mut(given.row) {
                *keys = given.keys.iter().map(|(key, _)| key.clone()).collect();
            }
        }
    }
}
