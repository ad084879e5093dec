//! White space as JavaScript defines it. `trim()` in JavaScript and in Rust treat two characters differently that
//! do occur in files.

/// Whether `String.prototype.trim` removes this character (ECMAScript WhiteSpace and LineTerminator).
pub fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// `text.trim()`.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `text.trimStart()`.
pub fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// `text.trimEnd()`.
pub fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

#[cfg(test)]
mod tests {
    use super::trim;

    #[test]
    fn as_javascript_trims() {
        for (text, want) in
            [(" a ", "a"), ("\u{feff}a\u{a0}", "a"), ("\u{85}a", "\u{85}a"), ("\u{200b}a", "\u{200b}a"), ("\n", "")]
        {
            assert_eq!(trim(text), want);
        }
    }
}
