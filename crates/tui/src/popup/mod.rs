//! Popups over the page: lists to choose from, a line to fill in, questions, the help.
//!
//! | file | holds |
//! |---|---|
//! | `kinds` | the kinds of popups, and the results of a key |
//! | `keys`, `draw` | keys and drawing of each kind |
//! | `frame` | the frame of a popup |
//! | `footer` | the keys of each kind, for the footer |
//! | `help` | the keys of the page, and all keys |
//! | `patch` | changes of files, before they are written |
//! | `pick`, `input` | a list to choose from, a line to fill in |
//! | `replay` | the question before a replay runs hooks |
//! | `runs`, `runs_index`, `runs_rows` | the list of runs, its search index, its columns |
//! | `earlier_runs` | the logged runs of earlier sessions in that list |

mod draw;
mod earlier_runs;
mod footer;
mod frame;
mod help;
mod input;
mod keys;
mod kinds;
mod patch;
mod pick;
mod replay;
mod runs;
mod runs_index;
mod runs_rows;

pub use draw::draw;
pub(super) use footer::answers;
pub(crate) use footer::arrows;
pub(super) use frame::{answer_row, foot, frame, row};
pub use help::HelpView;
pub use input::{InputPopup, InputPurpose};
pub(super) use keys::YES;
pub(super) use keys::moved_row;
pub use keys::{declines, key};
pub use kinds::{Popup, PopupResult};
pub use patch::show_patch;
pub use pick::{PickItem, PickList};
pub(crate) use pick::{draw_list, list_key};
pub use replay::replay_question;
pub use runs::{RunList, compare_partner};
