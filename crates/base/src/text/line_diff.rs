//! The lines in which two texts differ.

use std::fmt::Write as _;

use imara_diff::{Algorithm, Diff, InternedInput};

/// Which of two texts a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineSign {
    /// Both.
    Kept,
    /// The first only.
    Removed,
    /// The second only.
    Added,
}

impl LineSign {
    /// The first character of a line in a patch.
    pub fn mark(self) -> char {
        match self {
            LineSign::Kept => ' ',
            LineSign::Removed => '-',
            LineSign::Added => '+',
        }
    }
}

/// A line of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffLine<'a> {
    pub sign: LineSign,
    /// How many lines of the first text precede it.
    pub before: usize,
    /// How many lines of the second text precede it.
    pub after: usize,
    /// The line, with its `\n` if it has one.
    pub text: &'a str,
}

impl DiffLine<'_> {
    /// The line number from 1: in the second text if the line is added, else in the first.
    pub fn number(&self) -> usize {
        1 + if self.sign == LineSign::Added { self.after } else { self.before }
    }
}

/// All lines of two texts, in order; removed lines precede the added ones that replace them.
pub fn diff_lines<'a>(before: &'a str, after: &'a str) -> Vec<DiffLine<'a>> {
    let mut input = InternedInput::default();
    input.update_before(before.split_inclusive('\n'));
    input.update_after(after.split_inclusive('\n'));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let (removed, added): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let mut lines = Vec::with_capacity(removed.len().max(added.len()));
    let (mut before, mut after) = (0, 0);
    loop {
        let (sign, text) = match (removed.get(before), added.get(after)) {
            (Some(line), _) if diff.is_removed(index(before)) => (LineSign::Removed, *line),
            (_, Some(line)) if diff.is_added(index(after)) => (LineSign::Added, *line),
            (Some(line), Some(_)) => (LineSign::Kept, *line),
            _ => return lines,
        };
        lines.push(DiffLine { sign, before, after, text });
        before += usize::from(sign != LineSign::Added);
        after += usize::from(sign != LineSign::Removed);
    }
}

/// A line's number as the library counts it.
fn index(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// The changed lines, each group with up to `context` kept lines around it.
pub fn changed_groups<'l, 'a>(lines: &'l [DiffLine<'a>], context: usize) -> Vec<&'l [DiffLine<'a>]> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (number, _) in lines.iter().enumerate().filter(|(_, line)| line.sign != LineSign::Kept) {
        let (start, end) = (number.saturating_sub(context), (number + 1 + context).min(lines.len()));
        match ranges.last_mut() {
            Some(last) if last.1 >= start => last.1 = end,
            _ => ranges.push((start, end)),
        }
    }
    ranges.into_iter().filter_map(|(start, end)| lines.get(start..end)).collect()
}

/// A patch of a file in the unified format with three lines of context; empty if the texts are equal.
pub fn unified_diff(name: &str, before: &str, after: &str) -> String {
    let lines = diff_lines(before, after);
    let mut patch = String::new();
    for group in changed_groups(&lines, 3) {
        if patch.is_empty() {
            patch = format!("--- {name}\n+++ {name}\n");
        }
        let count = |other: LineSign| group.iter().filter(|line| line.sign != other).count();
        let (first_before, first_after) = group.first().map_or((0, 0), |line| (line.before, line.after));
        let (old, new) = (range(first_before, count(LineSign::Added)), range(first_after, count(LineSign::Removed)));
        // Writing to a string cannot fail.
        let _ = writeln!(patch, "@@ -{old} +{new} @@");
        for line in group {
            let _ = write!(patch, "{}{}", line.sign.mark(), line.text);
            if !line.text.ends_with('\n') {
                patch += "\n\\ No newline at end of file\n";
            }
        }
    }
    patch
}

/// A range of lines in the head of a group.
fn range(lines_before: usize, count: usize) -> String {
    match count {
        0 => format!("{lines_before},0"),
        1 => (lines_before + 1).to_string(),
        _ => format!("{},{count}", lines_before + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_shows_the_changes_with_their_surroundings() {
        let before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
        for (after, patch) in [
            (before.to_owned(), ""),
            (before.replace("two", "2"), "--- f\n+++ f\n@@ -1,5 +1,5 @@\n one\n-two\n+2\n three\n four\n five\n"),
            (
                before.replace("one\n", "").replace("ten\n", "ten"),
                "--- f\n+++ f\n@@ -1,4 +1,3 @@\n-one\n two\n three\n four\n@@ -7,4 +6,4 @@\n seven\n eight\n nine\n-ten\n+ten\n\\ No newline at end of file\n",
            ),
        ] {
            assert_eq!(unified_diff("f", before, &after), patch);
        }
        assert_eq!(unified_diff("f", "", "a\n"), "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(unified_diff("f", "a\n", ""), "--- f\n+++ f\n@@ -1 +0,0 @@\n-a\n");
    }

    #[test]
    fn each_line_has_its_number() {
        let lines = diff_lines("a\nb\nc", "a\nc\nd");
        let shown: Vec<String> =
            lines.iter().map(|line| format!("{}{}{}", line.number(), line.sign.mark(), line.text.trim_end())).collect();
        assert_eq!(shown, ["1 a", "2-b", "3-c", "2+c", "3+d"]);
    }
}
