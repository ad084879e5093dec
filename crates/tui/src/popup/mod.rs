//! Popups over the page: lists to choose from, a line to fill in, questions, the help.
//!
//! | file | holds |
//! |---|---|
//! | `kinds` | the kinds of popups |
//! | `result` | the results of a key |
//! | `keys`, `draw` | keys and drawing of each kind |
//! | `frame` | the frame of a popup |
//! | `full` | a popup that fills the screen or nearly |
//! | `footer` | the keys of each kind, for the footer |
//! | `help`, `help_view` | the keys of the page, and all keys; the state of the help |
//! | `long_text` | a text that can be longer than the screen |
//! | `patch` | changes of files, before they are written |
//! | `pick`, `input`, `input_keys` | a list to choose from, a line to fill in and its keys |
//! | `replay` | the question before a replay runs hooks |
//! | `runs`, `runs_draw`, `runs_rows` | the list of runs with its search index, its drawing, its columns |

mod draw;
mod footer;
mod frame;
mod full;
mod help;
mod help_view;
mod input;
mod input_keys;
mod keys;
mod kinds;
mod long_text;
mod patch;
mod pick;
mod replay;
mod result;
mod runs;
mod runs_draw;
mod runs_rows;

pub use draw::{draw, quit_lines, send_question};
pub(super) use frame::{answer_row, foot, frame, row};
pub(crate) use full::{draw_full, full_columns, scroll_full};
pub use help_view::HelpView;
pub use input::{InputPopup, InputPurpose};
pub use keys::{declines, key};
pub use kinds::Popup;
pub use long_text::lines_columns;
pub use patch::{diff_lines, show_patch, show_patch_then, show_patch_with_note, show_undo};
pub use pick::{PickItem, PickList};
pub(crate) use pick::{draw_list, list_key};
pub use replay::replay_question;
pub use result::{AfterWrite, NewHookChoice, NewHookSource, PopupResult};
pub use runs::RunList;
pub use runs_draw::compare_partner;
