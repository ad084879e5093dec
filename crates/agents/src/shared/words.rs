//! Command lines that no shell reads: their words.

/// Replaces each `${NAME}` by the value of the name. One without a value stays.
pub fn expand_braced(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut parts = text.split("${");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('}').and_then(|(name, rest)| Some((value(name)?, rest))) {
            Some((value, rest)) => out.extend([value.as_str(), rest]),
            None => out.extend(["${", part]),
        }
    }
    out
}

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
