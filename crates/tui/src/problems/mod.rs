//! Problems: the findings of lint for the hooks of all agents, before any of them runs.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the findings that match the filter, the selection, the open part |
//! | `refresh` | computes the state again when its inputs have changed |
//! | `band` | the number of findings, and the filter above it |
//! | `detail` | one finding in full: its line, note, help, fix; and the page of its code |
//! | `hook_findings` | the findings about a hook |
//! | `screen` | the page and its commands |

mod band;
mod detail;
mod hook_findings;
mod refresh;
mod screen;
mod state;
mod view;

pub use detail::{allow_entry, ask_reason, show_explanation, show_fix};
pub use hook_findings::{FAILED_TO_BLOCK, finding_of_hook, fix_target, hooks_in_view};
pub use screen::ProblemsScreen;
pub use state::{ProblemTab, ProblemsView};
