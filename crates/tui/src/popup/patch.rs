//! Changes of files, shown as a patch before they are written.

use super::{AfterWrite, Popup};
use crate::model::Model;
use crate::theme::Theme;
use crate::widgets::StyledLine;
use hookbench_app::lint::FileChange;
use hookbench_app::{Command, UndoneStep};

/// Shows the changes as a patch; `Y` writes them as one step.
pub fn show_patch(model: &mut Model, title: String, files: Vec<FileChange>) {
    show_patch_then(model, title, files, AfterWrite::default());
}

/// Shows the changes as a patch; `Y` writes them as one step and continues with `then`.
pub fn show_patch_then(model: &mut Model, title: String, files: Vec<FileChange>, then: AfterWrite) {
    let theme = model.theme;
    let mut lines: Vec<StyledLine> = Vec::new();
    if files.len() > 1 {
        let names: Vec<&str> = files.iter().map(|file| file.file.as_str()).collect();
        lines.push(vec![(theme.strong(), format!("{} files: {}", files.len(), names.join(", ")))]);
        lines.push(Vec::new());
    }
    for file in &files {
        lines.extend(diff_lines(&file.diff(), theme));
        if file.executable {
            lines.push(vec![(theme.good(), format!("chmod +x {}", file.file))]);
        }
    }
    model.ask_question(Popup::Patch { title, lines, top: 0, files, then });
}

/// Shows the changes as a patch, and above it a note. It comes first, because the end of a long patch can be hidden.
pub fn show_patch_with_note(model: &mut Model, title: String, note: Option<String>, files: Vec<FileChange>) {
    show_patch(model, title, files);
    let style = model.theme.quiet();
    if let (Some(note), Some(Popup::Patch { lines, .. })) = (note, model.popups.last_mut()) {
        lines.splice(0..0, [vec![(style, note)], Vec::new()]);
    }
}

/// Shows the patch of an undo; `Y` writes it.
pub fn show_undo(model: &mut Model, step: &UndoneStep) {
    let theme = model.theme;
    let mut lines = Vec::new();
    for file in &step.files {
        if file.removed {
            lines.push(vec![(theme.warn(), format!("deletes {}", file.path.display()))]);
        } else {
            lines.extend(diff_lines(&file.diff, theme));
        }
        if file.not_executable {
            lines.push(vec![(theme.warn(), format!("chmod -x {}", file.path.display()))]);
        }
    }
    let then = AfterWrite { commands: vec![Command::UndoWrite], ..AfterWrite::default() };
    let title = "Undo the last change".to_owned();
    model.ask_question(Popup::Patch { title, lines, top: 0, files: Vec::new(), then });
}

/// The lines of a diff, added and removed ones in their colours.
pub fn diff_lines(diff: &str, theme: Theme) -> Vec<StyledLine> {
    let style = |line: &str| match line.as_bytes().first() {
        Some(b'+') => theme.good(),
        Some(b'-') => theme.bad(),
        _ => theme.plain(),
    };
    diff.lines().map(|line| vec![(style(line), line.to_owned())]).collect()
}
