//! Two texts, line by line.

use similar::{ChangeTag, TextDiff};

/// Every line of both, marked: `-` only before, `+` only now, a blank in both.
pub fn line_diff(before: &str, after: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(before, after);
    let mark = |tag| match tag {
        ChangeTag::Delete => '-',
        ChangeTag::Insert => '+',
        ChangeTag::Equal => ' ',
    };
    diff.iter_all_changes()
        .map(|change| format!("{} {}", mark(change.tag()), change.value().trim_end_matches('\n')))
        .collect()
}
