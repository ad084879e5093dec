//! The lines that a fix changes, before and after.

use std::ops::Range;
use std::rc::Rc;

use super::{FileEdit, FileFix};
use hookbench_core::text::edit::{EditSet, TextEdit};
use hookbench_core::text::{LineSign, diff_lines};

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
pub fn preview(fix: &FileFix, read: &dyn Fn(&str) -> Option<Rc<str>>) -> Vec<ChangedLine> {
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

fn of_file(file: &str, text: &str, mut edits: Vec<&FileEdit>) -> Vec<ChangedLine> {
    if edits.iter().any(|edit| text.get(edit.edit.start..edit.edit.end) != Some(edit.was.as_str())) {
        return Vec::new();
    }
    edits.sort_by_key(|edit| (edit.edit.start, edit.edit.end));
    // Only the lines of the edits are compared: a large file can have many.
    let mut changes: Vec<LineChange<'_>> = Vec::new();
    for edit in edits {
        let lines = lines_around(text, edit.edit.start, edit.edit.end);
        match changes.last_mut().filter(|last| lines.start < last.lines.end || lines == last.lines) {
            Some(last) => {
                last.lines.end = last.lines.end.max(lines.end);
                last.edits.push(edit);
            }
            None => changes.push(LineChange { lines, edits: vec![edit] }),
        }
    }
    let mut changed = Vec::new();
    // The difference between the line numbers of the new text and of the old one, above a change.
    let mut shift: isize = 0;
    for change in changes {
        let before = text.get(change.lines.clone()).unwrap_or("");
        let Some(after) = change.apply(before) else { return Vec::new() };
        let above = change.edits.first().map_or(0, |edit| edit.place.0.line as usize - 1);
        let lines = diff_lines(before, &after);
        for line in lines.iter().filter(|line| line.sign != LineSign::Kept) {
            let added = line.sign == LineSign::Added;
            let number = above + line.number();
            changed.push(ChangedLine {
                file: file.to_owned(),
                line: if added { number.saturating_add_signed(shift) } else { number },
                added,
                // Invisible characters are replaced, because they may be all that changes.
                text: line.text.trim_end_matches('\n').replace('\r', "␍").replace('\u{feff}', "<U+FEFF>"),
            });
        }
        for line in lines {
            shift += match line.sign {
                LineSign::Added => 1,
                LineSign::Removed => -1,
                LineSign::Kept => 0,
            };
        }
    }
    changed
}

/// Edits of the same lines.
struct LineChange<'a> {
    /// The lines as a range of bytes.
    lines: Range<usize>,
    edits: Vec<&'a FileEdit>,
}

impl LineChange<'_> {
    /// The lines after the edits. `None` if the edits overlap.
    fn apply(&self, before: &str) -> Option<String> {
        let inside = |edit: &&FileEdit| TextEdit {
            start: edit.edit.start - self.lines.start,
            end: edit.edit.end - self.lines.start,
            ..edit.edit.clone()
        };
        self.edits.iter().map(inside).collect::<EditSet>().apply(before).ok()
    }
}

/// The whole lines around a range of a text.
fn lines_around(text: &str, start: usize, end: usize) -> Range<usize> {
    let before = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let after = text.get(end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| end + at + 1);
    before..after
}

#[cfg(test)]
mod tests {
    use hookbench_core::text::Position;

    use super::*;

    /// A fix that replaces texts, each given by its start, with these.
    fn fix_of(text: &str, edits: &[(&str, &str)]) -> FileFix {
        let edit = |(was, new): &(&str, &str)| {
            let start = text.find(was).unwrap_or(0);
            let line = u32::try_from(text.get(..start).unwrap_or("").matches('\n').count() + 1).unwrap_or(1);
            let place = Position { line, column: 1 };
            let edit = TextEdit { start, end: start + was.len(), text: (*new).to_owned() };
            FileEdit {
                file: "a".to_owned(),
                path: "/a".to_owned(),
                edit,
                place: (place, place),
                was: (*was).to_owned(),
            }
        };
        FileFix { safe: true, edits: edits.iter().map(edit).collect(), executable: Vec::new() }
    }

    #[test]
    fn each_changed_line_has_its_number_in_its_own_text() {
        let text = "one\ntwo\nthree\nfour\nfive\n";
        let fix = fix_of(text, &[("five", "5"), ("two\nth", "2\n2b\nTH"), ("ree", "REE"), ("four\n", "")]);
        let lines = preview(&fix, &|_| Some(Rc::from(text)));
        let shown: Vec<_> = lines.iter().map(|line| (line.added, line.line, line.text.as_str())).collect();
        let expected = [
            (false, 2, "two"),
            (false, 3, "three"),
            (true, 2, "2"),
            (true, 3, "2b"),
            (true, 4, "THREE"),
            (false, 4, "four"),
            (false, 5, "five"),
            (true, 5, "5"),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_fix_for_another_text_changes_no_line() {
        let fix = fix_of("one\n", &[("one", "1")]);
        assert_eq!(preview(&fix, &|_| Some(Rc::from("two\n"))), []);
    }
}
