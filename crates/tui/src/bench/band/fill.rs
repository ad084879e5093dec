//! Chooses the rows that fit: each group gets one row before any group gets a second; the rest is counted.

use super::rows::BandRow;

/// Rows of the same kind. A row whose word differs from the first row's belongs to the row above it and is not
/// counted.
pub(super) struct BandGroup {
    pub rows: Vec<BandRow>,
    /// The noun used to count the rows that do not fit; empty if they are not counted.
    pub noun: &'static str,
}

/// Returns the given rows, followed by as many rows of each group as fit.
pub(super) fn fit_rows<const N: usize>(mut rows: Vec<BandRow>, groups: [BandGroup; N], room: usize) -> Vec<BandRow> {
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
        let left: usize = group.rows.iter().skip(shown).filter(|row| row.word == word).map(|row| row.hooks).sum();
        rows.extend(group.rows.into_iter().take(shown));
        match rows.iter_mut().rfind(|row| shown > 0 && row.word == word) {
            _ if left == 0 || group.noun.is_empty() => {}
            Some(last) => {
                // The row's word already names the kind.
                last.right = last.right.trim_end_matches(&format!(" {word}")).to_owned();
                append_count(last, &format!("+ {left} more"));
            }
            None => unseen.push(format!("+ {left} {}", group.noun)),
        }
    }
    if let (Some(last), false) = (rows.last_mut(), unseen.is_empty()) {
        append_count(last, &unseen.join(", "));
    }
    rows
}

fn append_count(row: &mut BandRow, says: &str) {
    let before = if row.count.is_empty() { String::new() } else { format!("{}, ", row.count) };
    row.count = format!("{before}{says}");
}
