//! The lines that a fix changes, before and after.

use super::{FileEdit, FileFix};
use hookbench_core::text::edit::EditSet;
use hookbench_core::text::{DiffLine, LineSign, diff_lines};

/// One removed or added line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLine {
    /// The file, as displayed.
    pub file: String,
    /// The line number from 1: in the new text if the line is added, else in the old one.
    pub line: usize,
    pub added: bool,
    pub text: String,
}

/// The lines that a fix changes. `read` returns the text of a file by its path as opened.
pub fn preview(fix: &FileFix, read: &dyn Fn(&str) -> Option<String>) -> Vec<ChangedLine> {
    let mut lines = Vec::new();
    let mut paths: Vec<&str> = Vec::new();
    for edit in &fix.edits {
        if !paths.contains(&edit.path.as_str()) {
            paths.push(&edit.path);
        }
    }
    for path in paths {
        let edits: Vec<&FileEdit> = fix.edits.iter().filter(|edit| edit.path == path).collect();
        let (Some(text), Some(file)) = (read(path), edits.first().map(|edit| edit.file.as_str())) else { continue };
        lines.extend(of_file(file, &text, edits));
    }
    lines
}

fn of_file(file: &str, text: &str, edits: Vec<&FileEdit>) -> Vec<ChangedLine> {
    if edits.iter().any(|edit| text.get(edit.edit.start..edit.edit.end) != Some(edit.was.as_str())) {
        return Vec::new();
    }
    let edits: EditSet = edits.into_iter().map(|edit| edit.edit.clone()).collect();
    let (Some(first), Some(last), Ok(edited)) = (edits.first(), edits.last(), edits.apply(text)) else {
        return Vec::new();
    };
    // The range is extended to whole lines.
    let start = text.get(..first.start).map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1));
    let rest = text.get(last.end..).and_then(|rest| Some(rest.len() - rest.find('\n')? - 1)).unwrap_or(0);
    let lines = |text: &str| text.get(start..text.len() - rest).unwrap_or("").to_owned();
    let (before, after) = (lines(text), lines(&edited));
    let above = text.get(..start).map_or(0, |above| above.matches('\n').count());
    let changed = |line: &DiffLine<'_>| ChangedLine {
        file: file.to_owned(),
        line: above + line.number(),
        added: line.sign == LineSign::Added,
        // Invisible characters are replaced, because they may be all that changes.
        text: line.text.trim_end_matches('\n').replace('\r', "␍").replace('\u{feff}', "<U+FEFF>"),
    };
    diff_lines(&before, &after).iter().filter(|line| line.sign != LineSign::Kept).map(changed).collect()
}
