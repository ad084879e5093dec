//! Command lines that no shell reads: their words.

/// Splits a command line into words as a shell does, without expanding anything. `escaped` are the characters that a backslash
/// escapes between double quotes.
///
/// # Errors
/// Returns an error if a quote is not closed or the line ends with a backslash.
pub fn split_words(line: &str, escaped: &[char]) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\r' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err("a quote of the command is not closed".to_owned()),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c) if escaped.contains(&c) => word.push(c),
                            Some(c) => word.extend(['\\', c]),
                            None => return Err("a quote of the command is not closed".to_owned()),
                        },
                        Some(c) => word.push(c),
                        None => return Err("a quote of the command is not closed".to_owned()),
                    }
                }
            }
            '\\' => match chars.next() {
                Some(c) => word.get_or_insert_default().push(c),
                None => return Err("the command ends with a backslash".to_owned()),
            },
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}
