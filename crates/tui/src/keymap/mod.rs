//! The table of commands: name, keys, help and equivalent command line. Input, footer, help and the user's own
//! keys are derived from it.

mod table;

use crossterm::event::KeyEvent;

use crate::key_names;
use crate::page::Page;

pub use table::{BINDINGS, UiCommand};

impl UiCommand {
    /// The command's name in the table.
    pub fn name(self) -> &'static str {
        BINDINGS.iter().find(|binding| binding.command == self).map_or("", |binding| binding.name)
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct KeyBinding {
    pub command: UiCommand,
    /// The name in the configuration and in the command palette.
    pub name: &'static str,
    /// The default keys, separated by spaces.
    pub keys: &'static str,
    /// The label in the footer; empty if the command is listed only in the help.
    pub short: &'static str,
    pub help: &'static str,
    pub equivalent: Equivalent,
}

/// The row of the command that opens a page.
fn page_row(page: Page) -> KeyBinding {
    let spec = page.spec();
    KeyBinding {
        command: UiCommand::Page(page),
        name: spec.command,
        keys: spec.key,
        short: "",
        help: spec.help,
        equivalent: Equivalent::CommandLine(spec.equivalent),
    }
}

/// The equivalent of a command without the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equivalent {
    /// A command line; words in capitals are placeholders for values of the bench.
    CommandLine(&'static str),
    /// No equivalent, for this reason.
    ScreenOnly(&'static str),
}

/// The keys of all commands: the defaults with the user's changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    /// One entry for each row of the table.
    keys: Vec<Vec<String>>,
}

impl Default for Keymap {
    fn default() -> Keymap {
        let chords = |b: &KeyBinding| b.keys.split(' ').filter(|k| !k.is_empty()).map(str::to_owned).collect();
        Keymap { keys: BINDINGS.iter().map(chords).collect() }
    }
}

impl Keymap {
    /// A keymap for plain mode, in which every command is called by its name.
    pub fn by_name() -> Keymap {
        Keymap { keys: BINDINGS.iter().map(|b| vec![b.name.to_owned()]).collect() }
    }

    /// The command of a key.
    pub fn command(&self, key: KeyEvent) -> Option<UiCommand> {
        let name = key_names::name(key)?;
        self.rows().find(|(_, chords)| chords.contains(&name)).map(|(binding, _)| binding.command)
    }

    /// The commands whose keys are this key and another one, with the other key.
    pub fn sequences(&self, first: KeyEvent) -> Vec<(String, UiCommand)> {
        let Some(first) = key_names::name(first) else { return Vec::new() };
        let second = |key: &String| key.strip_prefix(first.as_str()).filter(|rest| !rest.is_empty()).map(str::to_owned);
        let is_sequence = |key: &&String| key_names::parse(key).is_none();
        let of = |(binding, keys): (&KeyBinding, &Vec<String>)| {
            let found: Vec<_> = keys.iter().filter(is_sequence).filter_map(second).collect();
            found.into_iter().map(|key| (key, binding.command)).collect::<Vec<_>>()
        };
        self.rows().flat_map(of).collect()
    }

    /// Every row with its current keys.
    pub fn rows(&self) -> impl Iterator<Item = (&'static KeyBinding, &Vec<String>)> {
        BINDINGS.iter().zip(&self.keys)
    }

    /// The keys of a row, for changing them.
    pub fn keys_mut(&mut self, row: usize) -> Option<&mut Vec<String>> {
        self.keys.get_mut(row)
    }

    /// The first key of a command; empty if it has no key.
    pub fn first_key(&self, verb: UiCommand) -> &str {
        let chords = self.rows().find(|(b, _)| b.command == verb).and_then(|(_, chords)| chords.first());
        chords.map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::Equivalent::{CommandLine, ScreenOnly};
    use super::*;

    #[test]
    fn no_key_has_two_meanings() {
        let mut seen: Vec<&str> = Vec::new();
        for binding in BINDINGS.iter() {
            assert!(!seen.contains(&binding.name), "{} is there twice", binding.name);
            seen.push(binding.name);
            for key in binding.keys.split(' ').filter(|k| !k.is_empty()) {
                assert!(!seen.contains(&key), "{key} is bound twice");
                assert_eq!(key_names::canonical(key).as_deref(), Some(key), "no such key");
                seen.push(key);
            }
        }
        assert!(BINDINGS.iter().filter(|b| !b.short.is_empty()).count() <= 8, "at most eight keys in the footer");
    }

    /// The palette is built from the table, so every row can be reached; `docs/keys.md` lists all of it.
    #[test]
    fn every_verb_has_help_and_a_twin_or_a_reason() {
        let mut page = String::from(
            "# Look up a key\n\nIn the workbench, `?` shows the keys with your own changes, and `:` finds a command by its name. \
             [Change a key](settings.md) in `config.toml`.\n\nThis page is generated from the key table: `assets/pictures/make`.\n\n\
             | Key | Command | What it does | Without the screen |\n|---|---|---|---|\n",
        );
        for KeyBinding { name, keys, help, equivalent: twin, .. } in BINDINGS.iter() {
            assert!(!name.is_empty() && !help.is_empty(), "{name}: {help}");
            let keys: Vec<String> = keys.split_whitespace().map(|k| format!("`{k}`")).collect();
            let twin = match twin {
                CommandLine(line) => {
                    assert!(line.starts_with("hookbench "), "{name}: {line}");
                    format!("`{line}`")
                }
                ScreenOnly(why) => {
                    assert!(!why.is_empty(), "{name}: say why there is no command line");
                    format!("screen only: {why}")
                }
            };
            page.push_str(&format!("| {} | {name} | {help} | {twin} |\n", keys.join(" ")));
        }
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/keys.md");
        if std::env::var_os("HOOKBENCH_DRAW").is_some() {
            std::fs::write(file, &page).unwrap();
        }
        let there = std::fs::read_to_string(file).unwrap_or_default();
        assert!(there == page, "docs/keys.md differs from the key table: run assets/pictures/make");
    }
}
