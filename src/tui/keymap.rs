//! Every key, once: input, footer and help are made from this table.

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
    UndoPayload,
    RedoPayload,
    Find,
    NextHit,
    PreviousHit,
    Redraw,
    Suspend,
    Quit,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    pub verb: Verb,
    /// As people read it.
    pub keys: &'static str,
    /// In the footer; empty: only in the help.
    pub short: &'static str,
    pub help: &'static str,
}

/// The table, in the order of the help.
pub const BINDINGS: &[Binding] = &[
    Binding { verb: Verb::Fire, keys: "f", short: "fire", help: "fire the event at its hooks" },
    Binding { verb: Verb::Edit, keys: "e", short: "edit", help: "edit the payload in $EDITOR" },
    Binding { verb: Verb::Template, keys: "t", short: "template", help: "take another event or template" },
    Binding { verb: Verb::SetField, keys: "s", short: "", help: "set the field under the cursor, or any other" },
    Binding { verb: Verb::Agent, keys: "a", short: "", help: "choose the agent" },
    Binding { verb: Verb::Pin, keys: "p", short: "pin", help: "pin this event, or take its pin off" },
    Binding {
        verb: Verb::AutoFire,
        keys: "W",
        short: "auto-fire",
        help: "fire pinned events when a hook is saved, or no longer",
    },
    Binding { verb: Verb::History, keys: "H", short: "", help: "earlier runs: go back to one" },
    Binding { verb: Verb::Diff, keys: "d", short: "", help: "what changed since the run before" },
    Binding { verb: Verb::WhatIf, keys: "o", short: "", help: "what if the selected hook had ended otherwise" },
    Binding {
        verb: Verb::LeaveOut,
        keys: "Space",
        short: "",
        help: "leave the selected hook out, or not; folds in the event",
    },
    Binding { verb: Verb::Why, keys: "w", short: "why", help: "why the selected hook fires or does not" },
    Binding { verb: Verb::PreviousTab, keys: "[", short: "", help: "previous stream of the selected hook" },
    Binding { verb: Verb::NextTab, keys: "]", short: "", help: "next stream of the selected hook" },
    Binding {
        verb: Verb::PreviousEvent,
        keys: "{",
        short: "",
        help: "previous event; of the pinned ones, if there are any",
    },
    Binding { verb: Verb::NextEvent, keys: "}", short: "", help: "next event; of the pinned ones, if there are any" },
    Binding { verb: Verb::Up, keys: "k Up", short: "", help: "up" },
    Binding { verb: Verb::Down, keys: "j Down", short: "", help: "down" },
    Binding { verb: Verb::PageUp, keys: "PgUp", short: "", help: "a page up" },
    Binding { verb: Verb::PageDown, keys: "PgDn", short: "", help: "a page down" },
    Binding { verb: Verb::Top, keys: "g Home", short: "", help: "to the top" },
    Binding { verb: Verb::Bottom, keys: "G End", short: "", help: "to the bottom, and stay there" },
    Binding { verb: Verb::Left, keys: "h Left", short: "", help: "to the pane on the left; folds in the event" },
    Binding { verb: Verb::Right, keys: "l Right", short: "", help: "to the pane on the right; unfolds in the event" },
    Binding { verb: Verb::NextPane, keys: "Tab", short: "", help: "next pane" },
    Binding { verb: Verb::PreviousPane, keys: "Shift+Tab", short: "", help: "previous pane" },
    Binding { verb: Verb::Open, keys: "Enter", short: "", help: "open, unfold, change a value, answer by hand" },
    Binding { verb: Verb::Back, keys: "Esc", short: "", help: "back one level" },
    Binding { verb: Verb::Zoom, keys: "z", short: "", help: "give the pane the whole screen, and back" },
    Binding {
        verb: Verb::OpenEditor,
        keys: "E",
        short: "",
        help: "open in $EDITOR what the cursor is on: settings, script (from its pane), payload",
    },
    Binding { verb: Verb::UndoPayload, keys: "U", short: "", help: "take back the last change of the payload" },
    Binding { verb: Verb::RedoPayload, keys: "Ctrl+R", short: "", help: "make the change of the payload again" },
    Binding { verb: Verb::Find, keys: "/", short: "", help: "find a key or a value in the event" },
    Binding { verb: Verb::NextHit, keys: "n", short: "", help: "next place found" },
    Binding { verb: Verb::PreviousHit, keys: "N", short: "", help: "previous place found" },
    Binding { verb: Verb::CopyCommand, keys: "c", short: "", help: "copy the command line that does this" },
    Binding { verb: Verb::Cancel, keys: "Ctrl+C", short: "", help: "end what is running; again kills it; else quit" },
    Binding { verb: Verb::Redraw, keys: "Ctrl+L", short: "", help: "draw anew and read the settings again" },
    Binding { verb: Verb::Suspend, keys: "Ctrl+Z", short: "", help: "suspend" },
    Binding { verb: Verb::Help, keys: "?", short: "help", help: "these keys" },
    Binding { verb: Verb::Quit, keys: "q", short: "quit", help: "quit" },
];

/// The verb of a key.
pub fn verb(key: KeyEvent) -> Option<Verb> {
    let name = chord::name(key)?;
    BINDINGS.iter().find(|b| b.keys.split(' ').any(|k| k == name)).map(|b| b.verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_meanings() {
        let mut seen: Vec<&str> = Vec::new();
        for binding in BINDINGS {
            for key in binding.keys.split(' ') {
                assert!(!seen.contains(&key), "{key} is bound twice");
                seen.push(key);
            }
        }
        assert!(BINDINGS.iter().filter(|b| !b.short.is_empty()).count() <= 8, "at most eight keys in the footer");
    }
}
