//! Text pages for people: aligned, with colour only on a terminal, and readable without colour.

mod convert;
mod doctor;
mod events;
mod everywhere;
mod import;
mod install;
mod matching;
pub mod page;
mod pages;
mod recorded;
mod tools;
mod undo;

pub use convert::{convert, lines};
pub use doctor::doctor;
pub use events::events;
pub use everywhere::everywhere;
pub use hookbench_app::out;
pub use import::{import, sessions};
pub use install::install;
pub use matching::matching;
pub use pages::{firing, list, plan, why};
pub use recorded::recorded;
pub use tools::tools;
pub use undo::{undo, undo_list};
