//! The screen: one model, one update, one view, on the same session as the command line.
//!
//! | file | holds |
//! |---|---|
//! | `run` | the loop: input first, then events, drawn at most once a frame |
//! | `plain` | the screen as sentences, line by line |
//! | `script` | the screen without a terminal, controlled by the lines of a file |
//! | `terminal` | entering and leaving the terminal |
//! | `window` | clicks that only focus the window |
//! | `signals` | the signals of the operating system |
//! | `crash` | internal errors: clean-up and report |
//! | `model` | the state beside the session: selection, focus, popups |
//! | `judged` | facts derived from a plan: the hooks that fail, need the agent, or never run |
//! | `ladder` | the ladder of the selected hook |
//! | `rows` | the rows of the list of hooks, and the selection |
//! | `keymap` | the table of commands and keys, for input, footer and help |
//! | `author` | commands of the edit loop: pins, history, what-if |
//! | `popup`, `choices`, `consent` | popups: lists, questions, help |
//! | `editor` | opening the user's editor |
//! | `theme` | colours and signs by meaning |
//! | `event_view`, `event_keys` | the event's pane, and its keys |
//! | `chord` | key names |
//! | `config` | the user's settings |
//! | `facts` | facts about terminal and settings, for `hookbench doctor` |
//! | `clipboard`, `yank` | the ways to the clipboard, and the texts that can be copied |
//! | `mouse` | click targets and clicks |
//! | `finder`, `twin` | fuzzy search; the equivalent command line |
//! | `update` | keys into commands and changes of the model |
//! | `remembered` | the state of a project's screen, for the next start |
//! | `page`, `header` | the pages, and the row with their tabs |
//! | `events` | recorded events |
//! | `matching` | one matcher, tested in every agent |
//! | `problems` | the findings of lint for all agents |
//! | `compare` | the same event in every agent |
//! | `intercept` | held events of running agents, and breakpoints |
//! | `view` | the frame, composed of the panes of `bench` |
//! | `widgets` | text that fits, trees, lines of a stream |

#![allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]

mod author;
mod bench;
mod choices;
mod chord;
mod clipboard;
mod compare;
mod config;
mod consent;
mod crash;
mod editor;
mod event_keys;
mod event_view;
mod events;
mod facts;
mod files;
mod finder;
mod header;
mod intercept;
mod judged;
mod keymap;
mod ladder;
mod matching;
mod model;
mod mouse;
mod page;
mod plain;
mod popup;
mod problems;
mod remembered;
mod rows;
mod run;
mod script;
mod signals;
mod terminal;
mod theme;
mod twin;
mod update;
mod view;
mod widgets;
mod window;
mod yank;

pub use config::print as print_config;
pub use crash::guarded;
pub use facts::terminal_facts;
pub use model::{Focus, Model, Tab};
pub use page::Page;
pub use plain::plain;
pub use run::{Face, open, open_as};
pub use script::play;
pub use theme::{Shades, Theme};
pub use update::{Ask, Msg, update};
pub use view::view;
