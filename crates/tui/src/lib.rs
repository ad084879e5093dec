//! The screen: one model, one update, one view, over the same session as the command line.
//!
//! | file | holds |
//! |---|---|
//! | `run` | the loop: input first, then facts, drawn at most once a frame |
//! | `plain` | the same as sentences, line by line |
//! | `script` | the same without a terminal, driven by lines of a file |
//! | `terminal` | entering and leaving, whatever happens |
//! | `window` | clicks that are meant for the window |
//! | `signals` | what asks the program to end or to go on |
//! | `crash` | what is done and reported when the program breaks by a mistake of its own |
//! | `model` | what is shown beside the session: selection, focus, popups |
//! | `judged` | what is worked out of a plan once: who fails, who needs the agent, who never runs |
//! | `ladder` | the ladder of the selected hook |
//! | `rows` | the rows of the list of hooks, and which of them is selected |
//! | `keymap` | the one table of keys, for input, footer and help |
//! | `author` | pins, history, what-if: the verbs of who writes a hook |
//! | `popup`, `choices`, `consent` | what lies over the screen: lists, questions, help |
//! | `editor` | the user's editor, and back |
//! | `theme` | colours and signs by what they mean |
//! | `event_view`, `event_keys` | the event as rows: what is known of them; keys while the focus is on it |
//! | `chord` | keys as people write them |
//! | `config` | the user's own settings |
//! | `facts` | what the terminal and the settings come to, for who asks |
//! | `clipboard`, `yank` | what can be copied, and which way it goes |
//! | `mouse` | what lies under it, and what a click does there |
//! | `finder`, `twin` | finding by typing; the command line that does the same |
//! | `update` | keys into commands and changes of the model |
//! | `remembered` | how a project's screen was left, for the next time |
//! | `page`, `header` | the pages of the workbench, and the row with their tabs |
//! | `events` | recorded events |
//! | `matching` | one matcher, tried on everything in every agent |
//! | `problems` | what is wrong with the hooks of all agents |
//! | `compare` | the same event in every agent |
//! | `intercept` | what is held of running agents: shown, answered; breakpoints |
//! | `view` | the frame, put together from the panes of `bench` |
//! | `widgets` | text that fits, lists, lines of a stream |

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
