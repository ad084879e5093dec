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
//! | `plan_facts` | facts derived from a plan: the hooks that fail, need the agent, or never run |
//! | `ladder` | the ladder of the selected hook |
//! | `run_time` | durations and timeouts of runs as text |
//! | `hook_list`, `hook_rows` | the rows of the list of hooks; how they are built, and the selection |
//! | `keymap` | the table of commands and keys, for input, footer and help |
//! | `edit_loop` | commands of the edit loop: pins, history, what-if |
//! | `popup`, `choices`, `consent` | popups: lists, questions, help |
//! | `editor` | opening the user's editor |
//! | `theme` | colours and signs by meaning |
//! | `payload_view`, `payload_refresh`, `payload_keys` | the event's pane, how it is computed, and its keys |
//! | `key_names` | key names |
//! | `config` | the user's settings |
//! | `doctor_facts` | facts about terminal and settings, for `hookbench doctor` |
//! | `clipboard`, `copy_items` | the ways to the clipboard, and the texts that can be copied |
//! | `mouse` | click targets and clicks |
//! | `finder`, `command_lines` | fuzzy search; the equivalent command line |
//! | `calibration` | the calibration of an agent, while it runs and its result |
//! | `stress` | the stress test of a hook, while it runs and its result |
//! | `verification` | the comparison of a firing with the installed agent |
//! | `update` | keys into commands and changes of the model |
//! | `saved_layout` | the state of a project's screen, for the next start |
//! | `page`, `screen`, `page_registry` | the list of pages, the parts of a page, and the screen of each page |
//! | `page_layout`, `header` | the layout of the open page, and the row with the tabs |
//! | `events` | recorded events |
//! | `matching` | one matcher, tested in every agent |
//! | `problems` | the findings of lint for all agents |
//! | `compare` | the same event in every agent |
//! | `files` | the settings files of every agent |
//! | `guards` | the guards, and the findings that the user judges |
//! | `list_detail` | the panes of a page with a list and the selected row in full |
//! | `intercept` | held events of running agents, and breakpoints |
//! | `view`, `footer`, `layer_keys` | the frame, composed of the panes of `bench`; the keys of the topmost layer |
//! | `widgets` | text that fits, trees, lines of a stream |

#![allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]

mod bench;
mod bounded_backend;
mod calibration;
mod choices;
mod clipboard;
mod command_lines;
mod compare;
mod config;
mod consent;
mod copy_items;
mod crash;
mod doctor_facts;
mod edit_loop;
mod editor;
mod events;
mod files;
mod finder;
mod footer;
mod guard_mode;
mod guards;
mod header;
mod hook_list;
mod hook_rows;
mod intercept;
mod key_names;
mod keymap;
mod ladder;
mod layer_keys;
mod list_detail;
mod matching;
mod model;
mod mouse;
mod new_hook;
mod page;
mod page_layout;
mod page_registry;
mod payload_keys;
mod payload_refresh;
mod payload_view;
mod plain;
mod plan_facts;
mod popup;
mod problems;
mod run;
mod run_log;
mod run_time;
mod saved_layout;
mod screen;
mod script;
mod sent_payload;
mod shared_refresh;
mod signals;
mod start;
mod stress;
mod terminal;
mod terminal_events;
mod theme;
mod theme_preview;
mod time_line;
mod tour;
mod update;
mod verification;
mod view;
mod widgets;
mod window;

pub use config::print_or_check as print_config;
pub use crash::guarded;
pub use doctor_facts::terminal_facts;
pub use model::{Focus, Model, Tab};
pub use page::Page;
pub use page_registry::resize;
pub use plain::plain;
pub use run::{Frontend, open, open_as};
pub use script::play;
#[cfg(unix)]
pub use terminal::InitialModes;
pub use theme::{Palette, Shades, Theme};
pub use tour::Tour;
pub use update::{LoopRequest, Msg, update};
pub use view::view;
