//! Every verb, once: its name, its keys, its help and what does the same without the screen. Input, footer, help and the
//! user's own keys are made from this table.

use crossterm::event::KeyEvent;

use crate::tui::chord;
use crate::tui::page::Page;

/// What a key means on the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Opens a page of the workbench.
    Page(Page),
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
    Mode,
    Search,
    NextMatch,
    PreviousMatch,
    Zoom,
    Grow,
    Shrink,
    ResetLayout,
    Pin,
    AutoFire,
    Contain,
    History,
    Diff,
    WhatIf,
    LeaveOut,
    Fix,
    Undo,
    Explain,
    Allow,
    Replay,
    ReplayMarked,
    ReplayShown,
    ReplayAgainst,
    RunAgain,
    Impact,
    Comment,
    Follow,
    Import,
    ToBench,
    Copy,
    CopyCommand,
    Palette,
    Find,
    Tools,
    Messages,
    Help,
    Mouse,
    UndoPayload,
    RedoPayload,
    Redraw,
    Suspend,
    Quit,
}

impl Verb {
    /// What the table calls it.
    pub fn name(self) -> &'static str {
        BINDINGS.iter().find(|binding| binding.verb == self).map_or("", |binding| binding.name)
    }
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
    pub twin: Twin,
}

/// What does the same without the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Twin {
    /// A command line; words in capitals stand for what lies on the bench.
    Line(&'static str),
    /// Nothing does, for this reason.
    Screen(&'static str),
}

use Twin::{Line, Screen};

const fn row(
    verb: Verb,
    name: &'static str,
    keys: &'static str,
    short: &'static str,
    help: &'static str,
    twin: Twin,
) -> Binding {
    Binding { verb, name, keys, short, help, twin }
}

/// The table, in the order of the help.
pub const BINDINGS: &[Binding] = &[
    row(
        Verb::Fire,
        "fire",
        "f",
        "fire",
        "fire the event at its hooks; on Compare in every agent",
        Line("hookbench fire EVENT"),
    ),
    row(Verb::Page(Page::Bench), "bench", "1", "", "one event of one agent", Line("hookbench plan EVENT")),
    row(
        Verb::Page(Page::Events),
        "recorded",
        "3",
        "",
        "recorded events: search, mark, fire again",
        Line("hookbench db list"),
    ),
    row(
        Verb::Page(Page::Problems),
        "problems",
        "4",
        "",
        "what is wrong with the hooks of all agents, with line and cure",
        Line("hookbench lint"),
    ),
    row(
        Verb::Page(Page::Compare),
        "compare",
        "5",
        "",
        "the same event in every agent, side by side",
        Line("hookbench plan EVENT --agent all"),
    ),
    row(
        Verb::Page(Page::Files),
        "files",
        "6",
        "",
        "every file that an agent looks at: what it brings, what is dropped, what is not read",
        Line("hookbench list"),
    ),
    row(Verb::Edit, "edit", "e", "edit", "edit the payload in $EDITOR", Line("hookbench fire EVENT --payload FILE")),
    row(Verb::Template, "template", "t", "template", "take another event or template", Line("hookbench events EVENT")),
    row(
        Verb::SetField,
        "set-field",
        "s",
        "",
        "set the field under the cursor, or any other",
        Line("hookbench fire EVENT --set a.b=VALUE"),
    ),
    row(
        Verb::Agent,
        "agent",
        "a",
        "",
        "choose the agent; on Compare leave one out or take it in",
        Line("hookbench fire EVENT --agent AGENT"),
    ),
    row(Verb::Pin, "pin", "p", "", "pin this event, or take its pin off", Screen("a script names its events itself")),
    row(
        Verb::AutoFire,
        "auto-fire",
        "W",
        "auto-fire",
        "fire pinned events, else this one, when a hook is saved; or no longer",
        Screen("any file watcher can call hookbench fire"),
    ),
    row(
        Verb::Contain,
        "contain",
        "!",
        "",
        "keep the next runs apart from the project, the home folder and the network; or no longer",
        Line("hookbench fire EVENT --contain"),
    ),
    row(
        Verb::History,
        "history",
        "H",
        "",
        "earlier runs: go back to one, compare two",
        Screen("about the runs of this session"),
    ),
    row(
        Verb::Diff,
        "diff",
        "d",
        "",
        "what changed since the run before",
        Screen("diff compares what two commands print"),
    ),
    row(
        Verb::WhatIf,
        "what-if",
        "o",
        "",
        "what if the selected hook had ended otherwise",
        Line("hookbench fire EVENT --what-if HOOK=2"),
    ),
    row(
        Verb::LeaveOut,
        "leave-out",
        "Space",
        "",
        "leave the selected hook out of the next run, or not; fold in the event; mark",
        Line("hookbench fire EVENT --without HOOK"),
    ),
    row(
        Verb::Fix,
        "fix",
        "x",
        "",
        "the fix of the selected finding or hook as a patch; y writes it",
        Line("hookbench lint --fix"),
    ),
    row(
        Verb::Undo,
        "undo",
        "u",
        "",
        "take back what was last written to a file for this project, byte for byte",
        Line("hookbench undo"),
    ),
    row(
        Verb::Explain,
        "explain",
        "K",
        "",
        "what the code of the selected finding means, and why it bites",
        Line("hookbench explain"),
    ),
    row(
        Verb::Allow,
        "allow",
        "A",
        "",
        "pass the selected finding over in this project, with a reason",
        Screen("entries of .hookbench.toml are written by hand too"),
    ),
    row(
        Verb::Replay,
        "replay",
        "r",
        "",
        "fire the selected recorded event again, planned, and hold it against what was",
        Line("hookbench replay NUMBER"),
    ),
    row(
        Verb::ReplayMarked,
        "replay-marked",
        "R",
        "",
        "the same with all that are marked, in their order; on what came of it: really run their hooks",
        Line("hookbench replay --filter ~marked"),
    ),
    row(
        Verb::ReplayShown,
        "replay-shown",
        "",
        "",
        "the same with all that pass the filter",
        Line("hookbench replay --filter FILTER"),
    ),
    row(
        Verb::ReplayAgainst,
        "replay-against",
        "",
        "",
        "the same against another agent, another version, another directory or a commit",
        Line("hookbench replay NUMBER --against DIR"),
    ),
    row(
        Verb::RunAgain,
        "run-again",
        "",
        "",
        "really run the hooks of the selected recorded event; asks where a command is new",
        Line("hookbench replay NUMBER --run"),
    ),
    row(
        Verb::Impact,
        "impact",
        "L",
        "",
        "what the last change of the settings comes to for the recorded events",
        Line("hookbench replay --filter FILTER --baseline git:HEAD"),
    ),
    row(
        Verb::Comment,
        "comment",
        "m",
        "",
        "say something about a recorded event",
        Screen("about the events on the screen"),
    ),
    row(
        Verb::Follow,
        "follow",
        "F",
        "",
        "keep the newest recorded event in view, or no longer",
        Screen("about the screen"),
    ),
    row(
        Verb::Import,
        "import",
        "I",
        "",
        "take in a session that an agent has kept of this project",
        Line("hookbench import"),
    ),
    row(
        Verb::ToBench,
        "to-bench",
        "b",
        "",
        "put the selected recorded event on the bench",
        Line("hookbench fire EVENT --payload FILE"),
    ),
    row(Verb::Why, "why", "w", "why", "why the selected hook fires or does not", Line("hookbench why HOOK EVENT")),
    row(
        Verb::PreviousTab,
        "previous-stream",
        "[",
        "",
        "previous stream of the selected hook",
        Line("hookbench fire EVENT --format json"),
    ),
    row(
        Verb::NextTab,
        "next-stream",
        "]",
        "",
        "next stream of the selected hook",
        Line("hookbench fire EVENT --format json"),
    ),
    row(
        Verb::PreviousEvent,
        "previous-event",
        "{",
        "",
        "previous event; of the pinned ones, if there are any",
        Line("hookbench events"),
    ),
    row(
        Verb::NextEvent,
        "next-event",
        "}",
        "",
        "next event; of the pinned ones, if there are any",
        Line("hookbench events"),
    ),
    row(Verb::Up, "up", "k Up", "", "up", Screen("moves the cursor")),
    row(Verb::Down, "down", "j Down", "", "down", Screen("moves the cursor")),
    row(Verb::PageUp, "page-up", "PgUp", "", "a page up", Screen("moves the cursor")),
    row(Verb::PageDown, "page-down", "PgDn", "", "a page down", Screen("moves the cursor")),
    row(Verb::Top, "top", "g Home", "", "to the top", Screen("moves the cursor")),
    row(Verb::Bottom, "bottom", "G End", "", "to the bottom, and stay there", Screen("moves the cursor")),
    row(
        Verb::Left,
        "left",
        "h Left",
        "",
        "to the pane on the left; sideways in a stream; fold in the event",
        Screen("moves the cursor"),
    ),
    row(
        Verb::Right,
        "right",
        "l Right",
        "",
        "to the pane on the right; sideways in a stream; unfold in the event",
        Screen("moves the cursor"),
    ),
    row(Verb::NextPane, "next-pane", "Tab", "", "next pane", Screen("moves the cursor")),
    row(Verb::PreviousPane, "previous-pane", "Shift+Tab", "", "previous pane", Screen("moves the cursor")),
    row(
        Verb::Open,
        "open",
        "Enter",
        "",
        "open or unfold; change a value of the event; answer a hook by hand",
        Line("hookbench fire EVENT --answer HOOK=ANSWER"),
    ),
    row(Verb::Back, "back", "Esc", "", "back one level", Screen("about the screen")),
    row(
        Verb::Mode,
        "mode",
        "v",
        "",
        "a stream wrapped, unwrapped (left and right move), as hex",
        Screen("about how a stream is shown"),
    ),
    row(Verb::Search, "search", "/", "", "search in the pane; back forgets it", Screen("grep searches output")),
    row(Verb::NextMatch, "next-match", "n", "", "next match", Screen("grep searches output")),
    row(Verb::PreviousMatch, "previous-match", "N", "", "previous match", Screen("grep searches output")),
    row(
        Verb::UndoPayload,
        "undo-payload",
        "U",
        "",
        "take back the last change of the payload",
        Screen("about the payload on the screen"),
    ),
    row(
        Verb::RedoPayload,
        "redo-payload",
        "Ctrl+R",
        "",
        "make the change of the payload again",
        Screen("about the payload on the screen"),
    ),
    row(Verb::Zoom, "zoom", "z", "", "give the pane the whole screen, and back", Screen("about the screen")),
    row(Verb::Grow, "grow", "+", "", "more room for the pane", Screen("about the screen")),
    row(Verb::Shrink, "shrink", "-", "", "less room for the pane", Screen("about the screen")),
    row(
        Verb::ResetLayout,
        "reset-layout",
        "",
        "",
        "the panes as they are at first",
        Screen("opened with --reset-layout it begins so"),
    ),
    row(
        Verb::OpenEditor,
        "open-editor",
        "E",
        "",
        "open in $EDITOR what the cursor is on: settings, script (from its pane), payload",
        Screen("an editor opens files without us"),
    ),
    row(
        Verb::Copy,
        "copy",
        "y",
        "",
        "copy the pane, the hook's command, the payload or a path",
        Screen("a command's output can be piped"),
    ),
    row(
        Verb::CopyCommand,
        "copy-command",
        "c",
        "",
        "copy the command line that does this",
        Screen("it is the command line"),
    ),
    row(
        Verb::Cancel,
        "cancel",
        "Ctrl+C",
        "",
        "end what is running; again kills it; else quit",
        Screen("Ctrl+C ends a command too"),
    ),
    row(
        Verb::Mouse,
        "mouse",
        "M",
        "",
        "the mouse on or off; Shift marks text while it is on",
        Screen("about the screen"),
    ),
    row(
        Verb::Redraw,
        "redraw",
        "Ctrl+L",
        "",
        "draw anew and read the settings again",
        Screen("a command always reads anew"),
    ),
    row(Verb::Suspend, "suspend", "Ctrl+Z", "", "suspend", Screen("the shell suspends a command")),
    row(
        Verb::Palette,
        "commands",
        ":",
        "more",
        "every command by its name, with its key and its command line",
        Screen("the shell has commands of its own"),
    ),
    row(Verb::Find, "find", "Ctrl+P", "", "find a hook, an event or a command", Line("hookbench list")),
    row(Verb::Tools, "tools", "", "", "what the tools are called in every agent; take one", Line("hookbench tools")),
    row(
        Verb::Messages,
        "messages",
        "",
        "",
        "what was told at the bottom, the newest first",
        Screen("a command prints what it has to say"),
    ),
    row(Verb::Help, "help", "?", "help", "these keys", Line("hookbench --help")),
    row(Verb::Quit, "quit", "q", "quit", "quit", Screen("a command ends by itself")),
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
    /// For where there are no keys: every verb goes by its name.
    pub fn by_name() -> Keymap {
        Keymap { chords: BINDINGS.iter().map(|b| vec![b.name.to_owned()]).collect() }
    }

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
            for key in binding.keys.split(' ').filter(|k| !k.is_empty()) {
                assert!(!seen.contains(&key), "{key} is bound twice");
                assert_eq!(chord::parse(key).and_then(chord::name).as_deref(), Some(key), "no such key");
                seen.push(key);
            }
        }
        assert!(BINDINGS.iter().filter(|b| !b.short.is_empty()).count() <= 8, "at most eight keys in the footer");
    }

    /// The palette is made from the table, so what is in it can be reached; the README shows all of it.
    #[test]
    fn every_verb_has_help_and_a_twin_or_a_reason() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
        let text = std::fs::read_to_string(file).unwrap();
        let mut table = String::from("| Key | Command | What it does | Without the screen |\n|---|---|---|---|\n");
        for Binding { name, keys, help, twin, .. } in BINDINGS {
            assert!(!name.is_empty() && !help.is_empty(), "{name}: {help}");
            let keys: Vec<String> = keys.split_whitespace().map(|k| format!("`{k}`")).collect();
            let twin = match twin {
                Line(line) => {
                    assert!(line.starts_with("hookbench "), "{name}: {line}");
                    format!("`{line}`")
                }
                Screen(why) => {
                    assert!(!why.is_empty(), "{name}: say why there is no command line");
                    format!("screen only: {why}")
                }
            };
            table.push_str(&format!("| {} | {name} | {help} | {twin} |\n", keys.join(" ")));
        }
        let (before, rest) = text.split_once("<!-- keys -->\n").unwrap();
        let (there, after) = rest.split_once("<!-- /keys -->").unwrap();
        if std::env::var_os("HOOKBENCH_DRAW").is_some() && there != table {
            std::fs::write(file, format!("{before}<!-- keys -->\n{table}<!-- /keys -->{after}")).unwrap();
            return;
        }
        assert!(there == table, "the README's table of keys is not this one: run assets/pictures/make");
    }
}
