//! Changes of files, shown as a patch before they are written.

use ratatui::style::Style;

use super::{AfterWrite, Popup};
use crate::model::Model;
use hookbench_app::lint::FileChange;

/// Shows the changes as a patch; `Y` writes them as one step.
pub fn show_patch(model: &mut Model, title: String, files: Vec<FileChange>) {
    show_patch_then(model, title, files, AfterWrite::default());
}

/// Shows the changes as a patch; `Y` writes them as one step and continues with `then`.
pub fn show_patch_then(model: &mut Model, title: String, files: Vec<FileChange>, then: AfterWrite) {
    let theme = model.theme;
    let mut lines: Vec<Vec<(Style, String)>> = Vec::new();
    if files.len() > 1 {
        let names: Vec<&str> = files.iter().map(|file| file.file.as_str()).collect();
        lines.push(vec![(theme.strong(), format!("{} files: {}", files.len(), names.join(", ")))]);
        lines.push(Vec::new());
    }
    for file in &files {
        for line in file.diff().lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => theme.good(),
                Some(b'-') => theme.bad(),
                _ => theme.plain(),
            };
            lines.push(vec![(style, line.to_owned())]);
        }
        if file.executable {
            lines.push(vec![(theme.good(), format!("chmod +x {}", file.file))]);
        }
    }
    model.ask_question(Popup::Patch { title, lines, top: 0, files, then });
}
