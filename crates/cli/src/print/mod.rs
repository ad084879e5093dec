//! Output: JSON documents, and text pages for people that are readable without colour.

mod all_agents;
pub mod ci;
mod convert;
mod diff;
mod doctor;
mod events;
mod hooks;
mod html;
mod import;
mod install;
pub mod lines;
mod matching;
mod new_hook;
mod portable;
mod recorded_event;
mod refusals;
mod stats;
pub mod text_page;
mod tools;
mod verification;

pub use all_agents::everywhere;
pub use convert::{convert, patch_lines};
pub use diff::diff;
pub use doctor::doctor;
pub use events::events;
pub use hookbench_app::write_stdout;
pub use hooks::{firing, list, plan, why};
pub use import::{import, import_progress, sessions};
pub use install::{install, undo, undo_list};
pub use matching::matching;
pub use new_hook::{new_hook, recipes, written_hook};
pub use portable::portable;
pub use recorded_event::{recorded, recorded_event};
pub use refusals::{refusals, replay_report};
pub use stats::{repeated, stats};
pub use tools::tools;
pub use verification::verified_everywhere;

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::error::CliError;
use super::formats::{Format, PageFormat, SharingArgs};
use hookbench_app::ExitStatus;
use hookbench_core::text::escape_json_for_terminal;
use lines::PageStyle;
use text_page::TextPage;

/// Whether this process has printed a document.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Returns whether a document was printed.
pub fn document_is_printed() -> bool {
    PRINTED.load(Ordering::Relaxed)
}

/// Prints a document as one line of JSON.
pub fn print_json_line(document: &impl Serialize) -> Result<ExitStatus, CliError> {
    let text = serde_json::to_string(document).map_err(|why| CliError::Internal(why.to_string()))?;
    write_stdout(&format!("{}\n", escape_json_for_terminal(&text)));
    Ok(ExitStatus::Ok)
}

/// Prints a document as indented JSON.
pub fn print_json(document: &impl Serialize) -> Result<ExitStatus, CliError> {
    PRINTED.store(true, Ordering::Relaxed);
    let text = serde_json::to_string_pretty(document).map_err(|why| CliError::Internal(why.to_string()))?;
    write_stdout(&format!("{}\n", escape_json_for_terminal(&text)));
    Ok(ExitStatus::Ok)
}

/// Prints a document as JSON, or its page in the form that is asked for.
pub fn emit_page(
    format: PageFormat,
    sharing: &SharingArgs,
    document: &impl Serialize,
    write: impl FnOnce(&mut TextPage),
) -> Result<ExitStatus, CliError> {
    let Some(form) = format.form() else { return print_json(document) };
    print_page(sharing.style(form), write);
    Ok(ExitStatus::Ok)
}

/// Prints a page in a style.
pub fn print_page(style: PageStyle, write: impl FnOnce(&mut TextPage)) {
    let mut page = TextPage::styled(style);
    write(&mut page);
    write_stdout(&page.finish());
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
