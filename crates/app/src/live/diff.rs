//! A line diff of two texts.

use similar::{ChangeTag, TextDiff};

/// All lines of both texts, each with a prefix: `-` removed, `+` added, a space if unchanged.
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
