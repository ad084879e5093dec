//! Turns words into a sentence of their own.

/// Makes the first letter uppercase.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => format!("{}{}", first.to_uppercase(), letters.as_str()),
        None => String::new(),
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
