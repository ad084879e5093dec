//! Which rows have room: every kind of news has one before any has another, and what has none is counted.

use super::BandRow;

/// Rows about the same kind of thing. A row with another word than the first belongs to the one above it, and is not
/// counted.
pub(super) struct Group {
    pub rows: Vec<BandRow>,
    /// What those without room are called when they are counted; where it is empty they are not.
    pub noun: &'static str,
}

/// The first rows, and after them of every group as many as there is room for.
pub(super) fn fill<const N: usize>(mut rows: Vec<BandRow>, groups: [Group; N], room: usize) -> Vec<BandRow> {
    let mut free = room.saturating_sub(rows.len());
    let mut shown = [0; N];
    while free > 0 && shown.iter().zip(&groups).any(|(shown, group)| *shown < group.rows.len()) {
        for (shown, group) in shown.iter_mut().zip(&groups) {
            let one = usize::from(*shown < group.rows.len()).min(free);
            *shown += one;
            free -= one;
        }
    }
    let mut unseen = Vec::new();
    for (shown, group) in shown.into_iter().zip(groups) {
        let word = group.rows.first().map(|row| row.word.clone()).unwrap_or_default();
        let left = group.rows.iter().skip(shown).filter(|row| row.word == word).count();
        rows.extend(group.rows.into_iter().take(shown));
        match rows.iter_mut().rfind(|row| shown > 0 && row.word == word) {
            _ if left == 0 || group.noun.is_empty() => {}
            Some(last) => {
                // What they are is the row's word.
                last.right = last.right.trim_end_matches(&format!(" {word}")).to_owned();
                count(last, &format!("+ {left} more"));
            }
            None => unseen.push(format!("+ {left} {}", group.noun)),
        }
    }
    if let (Some(last), false) = (rows.last_mut(), unseen.is_empty()) {
        count(last, &unseen.join(", "));
    }
    rows
}

fn count(row: &mut BandRow, says: &str) {
    let before = if row.count.is_empty() { String::new() } else { format!("{}, ", row.count) };
    row.count = format!("{before}{says}");
}
