//! Problems: the findings of lint for the hooks of all agents, before any of them runs.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the findings that match the filter, the selection, the open part |
//! | `refresh` | computes the state again when its inputs have changed |
//! | `band` | the number of findings, and the filter above it |
//! | `draw` | the list with the selected finding below it, or the open finding alone |
//! | `detail` | one finding in full: its line, note, help, fix; and the page of its code |
//! | `fix` | a fix shown as a patch, an entry that allows a finding |
//! | `hook_findings` | the findings about a hook |
//! | `keys` | the commands |
//! | `screen` | the registration of the page |
//! | `sentences` | the page as sentences |

mod band;
mod detail;
mod draw;
mod fix;
mod hook_findings;
mod keys;
mod refresh;
mod screen;
mod sentences;
mod state;

pub use fix::{allow_entry, ask_reason, show_explanation, show_fix};
pub use hook_findings::{FAILED_TO_BLOCK, finding_of_hook, fix_target, hooks_in_view};
pub use screen::ProblemsScreen;
pub use state::{ProblemTab, ProblemsView};
