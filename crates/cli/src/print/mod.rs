//! Output: JSON documents, and text pages for people that are readable without colour.

mod all_agents;
pub mod ci;
mod convert;
mod doctor;
mod events;
mod hooks;
mod import;
mod install;
mod matching;
mod new_hook;
mod portable;
mod recorded_event;
pub mod text_page;
mod tools;
mod verification;

pub use all_agents::everywhere;
pub use convert::{convert, patch_lines};
pub use doctor::doctor;
pub use events::events;
pub use hookbench_app::write_stdout;
pub use hooks::{firing, list, plan, why};
pub use import::{import, import_progress, sessions};
pub use install::install;
pub use install::{undo, undo_list};
pub use matching::matching;
pub use new_hook::{new_hook, recipes, written_hook};
pub use portable::portable;
pub use recorded_event::recorded;
pub use recorded_event::recorded_event;
pub use tools::tools;
pub use verification::verified_everywhere;

use serde::Serialize;

use super::args::Format;
use super::error::CliError;
use hookbench_app::ExitStatus;
use hookbench_core::text::escape_json_for_terminal;

/// Prints a document as indented JSON.
pub fn print_json(document: &impl Serialize) -> Result<ExitStatus, CliError> {
    let text = serde_json::to_string_pretty(document).map_err(|why| CliError::Internal(why.to_string()))?;
    write_stdout(&format!("{}\n", escape_json_for_terminal(&text)));
    Ok(ExitStatus::Ok)
}

/// Prints a document as JSON, or its page as text.
pub fn emit(format: Format, document: &impl Serialize, page: impl FnOnce()) -> Result<ExitStatus, CliError> {
    match format {
        Format::Json => print_json(document),
        Format::Text => {
            page();
            Ok(ExitStatus::Ok)
        }
    }
}
