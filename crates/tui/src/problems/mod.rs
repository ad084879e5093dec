//! Problems: the findings of lint for the hooks of all agents, before any of them runs.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the findings that match the filter, the selection, the open part |
//! | `band` | the number of findings, and the filter above it |
//! | `draw` | the list with the selected finding below it, or the open finding alone |
//! | `detail` | one finding in full: its line, note, help, fix; and the page of its code |
//! | `fix` | a fix shown as a patch, an entry that allows a finding |
//! | `keys` | the commands |
//! | `said` | the page as sentences |

mod band;
mod detail;
mod draw;
mod fix;
mod keys;
pub mod said;
mod state;

pub use band::{band_of, top_line};
pub use draw::{draw, rows_at};
pub use fix::{allow_entry, fix_of_hook, fix_shown};
pub use keys::{click, filter_key, line_of, on_verb, paste, turn};
pub use state::{Part, ProblemsView, count};
