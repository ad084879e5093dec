//! The pages of `undo`.

use super::convert::patch_lines;
use super::text_page::{TextPage, Tone};
use super::write_stdout;
use hookbench_app::document::{UndoDoc, UndoListDoc};

/// Prints a reverted step.
pub fn undo(doc: &UndoDoc) {
    let mut page = TextPage::new();
    for file in &doc.files {
        let what = match (file.removed, file.runs_no_more) {
            (true, _) => "removed",
            (false, true) if file.diff.is_empty() => "not executable, as before",
            (false, true) => "restored, and not executable",
            (false, false) => "restored",
        };
        page.put(Tone::Strong, &format!(" {}", file.file)).put(Tone::Quiet, &format!("   {what}")).end();
        patch_lines(&mut page, &file.diff);
    }
    write_stdout(&page.finish());
}

/// Prints the steps that can be undone.
pub fn undo_list(doc: &UndoListDoc) {
    let mut page = TextPage::new();
    if doc.steps.is_empty() {
        page.put(Tone::Plain, "nothing to undo").end();
    }
    for (index, step) in doc.steps.iter().enumerate() {
        let next = if index == 0 { "   undone by the next `hookbench undo`" } else { "" };
        page.put(Tone::Strong, step.at.as_deref().unwrap_or("unknown time")).put(Tone::Quiet, next).end();
        for file in &step.files {
            page.put(Tone::Plain, &format!("  {file}")).end();
        }
    }
    write_stdout(&page.finish());
}
