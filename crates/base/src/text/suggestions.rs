//! Spelling suggestions: the known word that is nearest to a misspelled one.

/// The known word that differs by at most a third of the word's length (1 to 3 letters).
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    nearest_within(word, known, (word.chars().count() / 3).clamp(1, 3))
}

/// The nearest known word that differs by at most `limit` letters, ignoring case.
pub fn nearest_within<'a>(word: &str, known: &[&'a str], limit: usize) -> Option<&'a str> {
    let (word, length) = (word.to_ascii_lowercase(), word.chars().count());
    known
        .iter()
        // A difference in length requires as many insertions or deletions.
        .filter(|k| k.chars().count().abs_diff(length) <= limit && min_distance(&word, k) <= limit)
        .map(|k| (distance(&word, &k.to_ascii_lowercase()), *k))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

/// A lower bound for the distance, ignoring the order of letters and their case. It is much cheaper than the
/// distance.
fn min_distance(word: &str, known: &str) -> usize {
    let mut counts = [0_i16; 64];
    let mut count = |text: &str, by: i16| {
        for byte in text.bytes() {
            // Bytes that share a counter can only lower the bound.
            if let Some(count) = counts.get_mut(usize::from(byte.to_ascii_lowercase() & 63)) {
                *count = count.saturating_add(by);
            }
        }
    };
    count(word, 1);
    count(known, -1);
    let more: usize = counts.iter().filter(|count| **count > 0).map(|count| usize::from(count.unsigned_abs())).sum();
    // For a letter of several bytes, the count would be too high.
    if word.is_ascii() && known.is_ascii() { more } else { 0 }
}

/// The number of letters to insert, delete or replace; a swap of two neighbours counts as one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
    let (mut above, mut row): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for (i, ca) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let changed = at(&row, j) + usize::from(ca != cb);
            let mut least = changed.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            if i > 0 && j > 0 && a.get(i - 1) == Some(cb) && b.get(j - 1) == Some(ca) {
                least = least.min(at(&above, j - 1) + 1);
            }
            next.push(least);
        }
        above = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cheap_to_tell_is_never_more_than_what_is_true() {
        let words = ["Bash", "bahs", "Write", "Wriet", "TodoWrite", "mcp__a__b", "Tool4711", "", "é", "Edit", "edits"];
        for (a, b) in words.iter().flat_map(|a| words.map(|b| (*a, b))) {
            let far = distance(&a.to_ascii_lowercase(), &b.to_ascii_lowercase());
            assert!(min_distance(a, b) <= far, "{a} {b}");
        }
    }

    #[test]
    fn near_words() {
        for (word, want) in [
            ("Bahs", Some("Bash")),
            ("Baash", Some("Bash")),
            ("Wriet", Some("Write")),
            ("Writ", Some("Write")),
            ("Wr", None),
        ] {
            assert_eq!(nearest(word, &["Bash", "Write", "Edit"]), want, "{word}");
        }
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("abcd", "badc"), 2);
    }
}
