//! The commands and their rows in the table, in the order of the help.

use std::sync::LazyLock;

use super::Equivalent::{CommandLine, ScreenOnly};
use super::{KeyBinding, page_row};
use crate::page::Page;

/// The table, in the order of the help. The commands that open pages come from the pages.
pub static BINDINGS: LazyLock<Vec<KeyBinding>> = LazyLock::new(|| {
    let with_pages = |own: &KeyBinding| {
        let has_tab = match own.command {
            UiCommand::Edit => Some(true),
            UiCommand::Capture => Some(false),
            _ => None,
        };
        let pages = Page::ALL.iter().filter(|page| Some(page.spec().has_tab) == has_tab);
        pages.map(|page| page_row(*page)).chain([*own]).collect::<Vec<_>>()
    };
    OTHERS.iter().flat_map(with_pages).collect()
});

/// Declares the commands that do not open a page: name, keys, label, help, equivalent, and whether the command means the
/// same on every page.
macro_rules! commands {
    ($($command:ident: $name:literal, $keys:literal, $short:literal, $help:literal, $kind:ident($line:literal), $general:literal;)*) => {
        /// The command of a key.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum UiCommand {
            /// Opens a page.
            Page(Page),
            $($command,)*
        }

        impl UiCommand {
            /// Whether the command means the same on every page.
            pub fn is_general(self) -> bool {
                match self {
                    UiCommand::Page(_) => true,
                    $(UiCommand::$command => $general,)*
                }
            }
        }

        const OTHERS: &[KeyBinding] = &[$(KeyBinding {
            command: UiCommand::$command,
            name: $name,
            keys: $keys,
            short: $short,
            help: $help,
            equivalent: $kind($line),
        }),*];
    };
}

commands! {
    Fire: "fire", "f", "fire", "fire the event; on Compare in every agent", CommandLine("hookbench fire EVENT"), false;
    Edit: "edit", "e", "edit", "edit the payload in $EDITOR; on Match the matcher",
        CommandLine("hookbench fire EVENT --payload FILE"), false;
    Template: "template", "t", "template", "choose an event or a template",
        CommandLine("hookbench events EVENT"), false;
    SetField: "set-field", "s", "", "set the selected field or any other",
        CommandLine("hookbench fire EVENT --set a.b=VALUE"), false;
    Agent: "agent", "a", "", "choose the agent; on Compare and Match the agents to show",
        CommandLine("hookbench fire EVENT --agent AGENT"), true;
    Pin: "pin", "p", "", "pin or unpin this event", ScreenOnly("a script names its events itself"), false;
    AutoFire: "auto-fire", "W", "auto-fire", "fire the pinned events, or this one, whenever a hook is saved; toggle",
        ScreenOnly("any file watcher can call hookbench fire"), true;
    Contain: "contain", "!", "", "run hooks in a copy of the project, without home and network; toggle",
        CommandLine("hookbench fire EVENT --contain"), true;
    AssumeTrust: "as-trusted", ",t", "",
        "decide as if the agent trusted the project and its hooks were reviewed; toggle",
        CommandLine("hookbench fire EVENT --as-trusted"), true;
    Environment: "env", ",e", "", "next environment of hooks", CommandLine("hookbench fire EVENT --env login"), true;
    History: "history", "H", "", "list earlier runs, open or compare them",
        ScreenOnly("about the runs of this session"), true;
    Diff: "diff", "d", "", "compare with the previous run",
        ScreenOnly("diff compares the output of two commands"), false;
    WhatIf: "what-if", "o", "", "decide as if the selected hook had exited differently",
        CommandLine("hookbench fire EVENT --what-if HOOK=2"), false;
    NewHook: "new-hook", "N", "", "write a hook from a recipe: script, settings and tests, shown as a patch",
        CommandLine("hookbench new RECIPE"), true;
    SaveTest: "save-test", "S", "", "keep this result, or the guard's finding, as a test",
        CommandLine("hookbench fire EVENT --save-test"), false;
    Stress: "stress", "T", "", "stress-test the selected hook: variants of the command, bad conditions; stop the test",
        CommandLine("hookbench stress HOOK"), false;
    TryHook: "try-hook", "F", "", "run the selected hook once, in a copy of the project, and judge its answer",
        CommandLine("hookbench lint --run"), false;
    Verify: "verify", "V", "", "fire the event in the installed agent too, on a copy without network, and compare",
        CommandLine("hookbench fire EVENT --verify"), false;
    Calibrate: "calibrate", "", "", "run the probes of the installed agent, and show what differs from the rules",
        CommandLine("hookbench calibrate --agent AGENT"), true;
    AskModel: "ask-model", "", "", "let your model answer", CommandLine("hookbench fire EVENT --ask-model"), false;
    LeaveOut: "leave-out", "Space", "", "skip the selected hook in the next run; fold in the payload; mark an event",
        CommandLine("hookbench fire EVENT --without HOOK"), false;
    Fix: "fix", "x", "",
        "show the fix of the selected problem or hook as a patch; without one, try a hook whose answer is unknown",
        CommandLine("hookbench lint --fix"), false;
    Undo: "undo", "u", "", "undo the last change that hookbench wrote to a file of this project",
        CommandLine("hookbench undo"), true;
    Explain: "explain", "K", "", "explain the problem of the selected hook or row",
        CommandLine("hookbench explain"), false;
    Allow: "allow", "A", "",
        "allow the problem or the guard's finding of the selected row in this project, with a reason",
        ScreenOnly("entries of .hookbench.toml can be written by hand"), false;
    JudgeRight: "judge-right", "J", "", "the finding is right", CommandLine("hookbench guard judge HIT right"), false;
    JudgeWrong: "judge-wrong", "X", "", "the finding is wrong", CommandLine("hookbench guard judge HIT wrong"), false;
    GuardMode: "guard-mode", "D", "", "choose the mode of the selected guard or rule: off, shadow, warn or deny",
        CommandLine("hookbench guard mode GUARD MODE"), false;
    Replay: "replay", "r", "",
        "replay the selected, the marked or the listed events without running hooks; on Guards try the guards on them",
        CommandLine("hookbench replay NUMBER"), false;
    ReplayAgainst: "replay-against", "", "",
        "replay the selected event against another agent, version, directory or commit",
        CommandLine("hookbench replay NUMBER --against DIR"), false;
    RunAgain: "run-again", "R", "", "run the hooks of the selected recorded event again; asks first",
        CommandLine("hookbench replay NUMBER --run"), false;
    Impact: "impact", "L", "", "list the recorded events that the last change of the settings affects",
        CommandLine("hookbench replay --filter FILTER --against ."), true;
    Comment: "comment", "m", "", "comment on a recorded event", ScreenOnly("about the events on the screen"), false;
    Follow: "follow", "", "", "keep the newest recorded event in view; toggle", ScreenOnly("about the screen"), false;
    Scope: "scope", "P", "", "list the recorded events of the session, of the project, or all",
        CommandLine("hookbench db list --filter '~p DIR'"), false;
    Stats: "stats", "%", "", "show the times of hooks over the listed events", CommandLine("hookbench stats"), false;
    Import: "import", "I", "", "import a session of this project", CommandLine("hookbench import"), true;
    ToBench: "to-bench", "b", "", "put the selected event on the bench",
        CommandLine("hookbench fire EVENT --payload FILE"), false;
    Capture: "capture", "C", "", "capture the events of running agents; again: stop, pause, release",
        CommandLine("hookbench serve"), true;
    ReleaseAll: "release-all", "", "", "let all held events continue as without a hook",
        ScreenOnly("held events continue by themselves after their timeout"), true;
    PauseHolding: "pause", "", "", "hold no further events, or hold again",
        ScreenOnly("config.toml has enabled = false for each breakpoint"), true;
    Why: "why", "w", "why", "show why the selected hook runs or does not",
        CommandLine("hookbench why HOOK EVENT"), false;
    PreviousTab: "previous-stream", "[", "", "show the previous stream of the selected hook",
        CommandLine("hookbench fire EVENT --format json"), false;
    NextTab: "next-stream", "]", "", "show the next stream of the selected hook",
        CommandLine("hookbench fire EVENT --format json"), false;
    PreviousEvent: "previous-event", "{", "",
        "go to the previous pinned event, else the previous event; on Match the previous hook",
        CommandLine("hookbench events"), false;
    NextEvent: "next-event", "}", "", "go to the next pinned event, else the next event; on Match the next hook",
        CommandLine("hookbench events"), false;
    Up: "up", "Up k", "", "move up", ScreenOnly("moves the cursor"), true;
    Down: "down", "Down j", "", "move down", ScreenOnly("moves the cursor"), true;
    PageUp: "page-up", "PgUp", "", "move up a page", ScreenOnly("moves the cursor"), true;
    PageDown: "page-down", "PgDn", "", "move down a page", ScreenOnly("moves the cursor"), true;
    Top: "top", "g Home", "", "go to the top", ScreenOnly("moves the cursor"), true;
    Bottom: "bottom", "G End", "", "go to the bottom and follow it", ScreenOnly("moves the cursor"), true;
    Left: "left", "Left h", "", "go to the left pane; scroll a stream; fold in the payload",
        ScreenOnly("moves the cursor"), true;
    Right: "right", "Right l", "", "go to the right pane; scroll a stream; expand in the payload",
        ScreenOnly("moves the cursor"), true;
    NextPane: "next-pane", "Tab", "", "go to the next pane", ScreenOnly("moves the cursor"), true;
    PreviousPane: "previous-pane", "Shift+Tab", "", "go to the previous pane", ScreenOnly("moves the cursor"), true;
    Open: "open", "Enter", "", "open or expand; change a value; answer for the agent; apply a suggestion",
        CommandLine("hookbench fire EVENT --answer HOOK=ANSWER"), true;
    Back: "back", "Esc", "", "close the topmost thing or go back", ScreenOnly("about the screen"), true;
    Mode: "mode", "v", "", "wrap a stream, unwrap it, or show it as hex",
        ScreenOnly("about how a stream is shown"), false;
    Search: "search", "/", "", "search in the pane; on other pages filter the list",
        ScreenOnly("grep searches output"), false;
    NextMatch: "next-match", "n )", "", "go to the next match; on Match the next problem",
        ScreenOnly("grep searches output"), false;
    PreviousMatch: "previous-match", "(", "", "go to the previous match; on Match the previous problem",
        ScreenOnly("grep searches output"), false;
    UndoPayload: "undo-payload", "U", "", "undo the last edit of the payload",
        ScreenOnly("about the payload on the screen"), false;
    RedoPayload: "redo-payload", "Ctrl+R", "", "redo the last edit of the payload",
        ScreenOnly("about the payload on the screen"), false;
    Zoom: "zoom", "z", "", "show only this pane; toggle", ScreenOnly("about the screen"), false;
    Grow: "grow", "+", "", "enlarge the pane", ScreenOnly("about the screen"), false;
    Shrink: "shrink", "-", "", "shrink the pane", ScreenOnly("about the screen"), false;
    ResetLayout: "reset-layout", "", "", "restore the default sizes of the panes",
        ScreenOnly("hookbench --reset-layout does it at the start"), true;
    OpenEditor: "open-editor", "E", "",
        "open the hook's script at the line that decided, or the selected file or payload, in $EDITOR",
        ScreenOnly("an editor opens files by itself"), false;
    OpenSettings: "open-settings", ",E", "", "open the hook's settings entry in $EDITOR",
        ScreenOnly("an editor opens files by itself"), false;
    Copy: "copy", "y", "", "copy the pane, the command of the hook, the payload or a path",
        ScreenOnly("the output of a command can be piped"), true;
    CopyCommand: "copy-command", "c", "", "copy the equivalent command line",
        ScreenOnly("it is the command line"), true;
    Cancel: "cancel", "Ctrl+C", "", "cancel the run; again: kill it; without a run: quit",
        ScreenOnly("Ctrl+C cancels a command too"), true;
    Mouse: "mouse", "M", "", "use the mouse; toggle. Hold Shift to select text", ScreenOnly("about the screen"), true;
    Redraw: "redraw", "Ctrl+L", "", "redraw, and read the settings again",
        ScreenOnly("a command always reads the settings"), true;
    Suspend: "suspend", "Ctrl+Z", "", "suspend", ScreenOnly("the shell suspends a command"), true;
    Palette: "commands", ":", "more", "run a command by its name", ScreenOnly("the shell has its commands"), true;
    Find: "find", "Ctrl+P", "", "find a hook, an event or a command", CommandLine("hookbench list"), true;
    NewSession: "new-session", "", "", "start a new session: Stop events are counted from 1 again",
        CommandLine("hookbench fire --session FILE"), true;
    Tools: "tools", "", "", "list the names of the tools in every agent", CommandLine("hookbench tools"), true;
    Tour: "tour", "", "", "start the guided tour; Esc ends it", ScreenOnly("about the screen"), true;
    Messages: "messages", "", "", "list the messages", ScreenOnly("a command prints its messages"), true;
    Help: "help", "?", "help", "list the keys", CommandLine("hookbench --help"), true;
    Quit: "quit", "q", "quit", "quit; asks while hooks run", ScreenOnly("a command ends by itself"), true;
}
