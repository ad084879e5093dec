//! Text pages for people: aligned, with colour only on a terminal, and readable without colour.

mod all_agents;
mod convert;
mod doctor;
mod events;
mod hooks;
mod import;
mod install;
mod matching;
mod recorded_events;
pub mod text_page;
mod tools;
mod undo;

pub use all_agents::everywhere;
pub use convert::{convert, patch_lines};
pub use doctor::doctor;
pub use events::events;
pub use hookbench_app::write_stdout;
pub use hooks::{firing, list, plan, why};
pub use import::{import, sessions};
pub use install::install;
pub use matching::matching;
pub use recorded_events::recorded;
pub use tools::tools;
pub use undo::{undo, undo_list};
