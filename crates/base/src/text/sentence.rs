//! Turns words into a sentence of their own.

use std::fmt::Display;

/// Makes the first letter uppercase.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => format!("{}{}", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

/// `1 event`, `3 events`, `2 entries`: a number with its noun, which is passed in the singular.
pub fn pluralize<N: Copy + Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    if count == N::from(1) {
        return format!("1 {what}");
    }
    match what.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

/// `a`, `a and b`, `a, b and c`: texts as one phrase.
pub fn joined_with_and<T: AsRef<str>>(texts: &[T]) -> String {
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    match texts.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => texts.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::capitalized;

    #[test]
    fn only_the_first_letter_changes() {
        for (text, want) in [("", ""), ("the command runs", "The command runs"), ("éa B", "Éa B"), ("`a`", "`a`")] {
            assert_eq!(capitalized(text), want);
        }
    }
}

#[cfg(test)]
mod plural_tests {
    use super::{joined_with_and, pluralize};

    #[test]
    fn phrases() {
        for (texts, want) in [(&[][..], ""), (&["a"], "a"), (&["a", "b"], "a and b"), (&["a", "b", "c"], "a, b and c")]
        {
            assert_eq!(joined_with_and(texts), want);
        }
    }

    #[test]
    fn one_or_several() {
        for (count, what, want) in [
            (0_usize, "event", "0 events"),
            (1, "event", "1 event"),
            (2, "event", "2 events"),
            (1, "entry", "1 entry"),
            (3, "entry", "3 entries"),
            (2, "key", "2 keys"),
            (2, "likely secret", "2 likely secrets"),
        ] {
            assert_eq!(pluralize(count, what), want);
        }
    }
}
