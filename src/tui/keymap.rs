//! Every verb, once: its name, its keys, its help and what does the same without the screen. Input, footer, help and the
//! user's own keys are made from this table.

use crossterm::event::KeyEvent;

use crate::tui::chord;

/// What a key means on the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Fire,
    Cancel,
    Edit,
    OpenEditor,
    SetField,
    Template,
    Agent,
    PreviousEvent,
    NextEvent,
    PreviousTab,
    NextTab,
    Why,
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Left,
    Right,
    NextPane,
    PreviousPane,
    Open,
    Back,
    Zoom,
    Pin,
    AutoFire,
    History,
    Diff,
    WhatIf,
    LeaveOut,
    CopyCommand,
    Help,
    Redraw,
    Suspend,
    Quit,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    pub verb: Verb,
    /// In the configuration and on the command line of the screen.
    pub name: &'static str,
    /// As people read them, with blanks between; the user's configuration may say others.
    pub keys: &'static str,
    /// In the footer; empty: only in the help.
    pub short: &'static str,
    pub help: &'static str,
}

const fn row(verb: Verb, name: &'static str, keys: &'static str, short: &'static str, help: &'static str) -> Binding {
    Binding { verb, name, keys, short, help }
}

/// The table, in the order of the help.
pub const BINDINGS: &[Binding] = &[
    row(Verb::Fire, "fire", "f", "fire", "fire the event at its hooks"),
    row(Verb::Edit, "edit", "e", "edit", "edit the payload in $EDITOR"),
    row(Verb::Template, "template", "t", "template", "take another event or template"),
    row(Verb::SetField, "set-field", "s", "", "set one field of the payload"),
    row(Verb::Agent, "agent", "a", "", "choose the agent"),
    row(Verb::Pin, "pin", "p", "pin", "pin this event, or take its pin off"),
    row(Verb::AutoFire, "auto-fire", "W", "auto-fire", "fire pinned events when a hook is saved, or no longer"),
    row(Verb::History, "history", "H", "", "earlier runs: go back to one"),
    row(Verb::Diff, "diff", "d", "", "what changed since the run before"),
    row(Verb::WhatIf, "what-if", "o", "", "what if the selected hook had ended otherwise"),
    row(Verb::LeaveOut, "leave-out", "Space", "", "leave the selected hook out of the next run, or not"),
    row(Verb::Why, "why", "w", "why", "why the selected hook fires or does not"),
    row(Verb::PreviousTab, "previous-stream", "[", "", "previous stream of the selected hook"),
    row(Verb::NextTab, "next-stream", "]", "", "next stream of the selected hook"),
    row(Verb::PreviousEvent, "previous-event", "{", "", "previous event; of the pinned ones, if there are any"),
    row(Verb::NextEvent, "next-event", "}", "", "next event; of the pinned ones, if there are any"),
    row(Verb::Up, "up", "k Up", "", "up"),
    row(Verb::Down, "down", "j Down", "", "down"),
    row(Verb::PageUp, "page-up", "PgUp", "", "a page up"),
    row(Verb::PageDown, "page-down", "PgDn", "", "a page down"),
    row(Verb::Top, "top", "g Home", "", "to the top"),
    row(Verb::Bottom, "bottom", "G End", "", "to the bottom, and stay there"),
    row(Verb::Left, "left", "h Left", "", "to the pane on the left"),
    row(Verb::Right, "right", "l Right", "", "to the pane on the right"),
    row(Verb::NextPane, "next-pane", "Tab", "", "next pane"),
    row(Verb::PreviousPane, "previous-pane", "Shift+Tab", "", "previous pane"),
    row(Verb::Open, "open", "Enter", "", "open or unfold; answer a hook by hand"),
    row(Verb::Back, "back", "Esc", "", "back one level"),
    row(Verb::Zoom, "zoom", "z", "", "give the pane the whole screen, and back"),
    row(
        Verb::OpenEditor,
        "open-editor",
        "E",
        "",
        "open in $EDITOR what the cursor is on: settings, script (from its pane), payload",
    ),
    row(Verb::CopyCommand, "copy-command", "c", "", "copy the command line that does this"),
    row(Verb::Cancel, "cancel", "Ctrl+C", "", "end what is running; again kills it; else quit"),
    row(Verb::Redraw, "redraw", "Ctrl+L", "", "draw anew and read the settings again"),
    row(Verb::Suspend, "suspend", "Ctrl+Z", "", "suspend"),
    row(Verb::Help, "help", "?", "help", "these keys"),
    row(Verb::Quit, "quit", "q", "quit", "quit"),
];

/// Which keys do what: the table, with what the user has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    /// One entry for each row of the table.
    chords: Vec<Vec<String>>,
}

impl Default for Keymap {
    fn default() -> Keymap {
        let chords = |b: &Binding| b.keys.split(' ').filter(|k| !k.is_empty()).map(str::to_owned).collect();
        Keymap { chords: BINDINGS.iter().map(chords).collect() }
    }
}

impl Keymap {
    /// The verb of a key.
    pub fn verb(&self, key: KeyEvent) -> Option<Verb> {
        let name = chord::name(key)?;
        self.rows().find(|(_, chords)| chords.contains(&name)).map(|(binding, _)| binding.verb)
    }

    /// Every row with the keys that it has now.
    pub fn rows(&self) -> impl Iterator<Item = (&'static Binding, &Vec<String>)> {
        BINDINGS.iter().zip(&self.chords)
    }

    /// The keys of a row, to be changed.
    pub fn keys_mut(&mut self, row: usize) -> Option<&mut Vec<String>> {
        self.chords.get_mut(row)
    }

    /// The first key of a verb; empty when it has none.
    pub fn first(&self, verb: Verb) -> &str {
        let chords = self.rows().find(|(b, _)| b.verb == verb).and_then(|(_, chords)| chords.first());
        chords.map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_meanings() {
        let mut seen: Vec<&str> = Vec::new();
        for binding in BINDINGS {
            assert!(!seen.contains(&binding.name), "{} is there twice", binding.name);
            seen.push(binding.name);
            for key in binding.keys.split(' ') {
                assert!(!seen.contains(&key), "{key} is bound twice");
                assert_eq!(chord::parse(key).and_then(chord::name).as_deref(), Some(key), "no such key");
                seen.push(key);
            }
        }
        assert!(BINDINGS.iter().filter(|b| !b.short.is_empty()).count() <= 8, "at most eight keys in the footer");
    }
}
