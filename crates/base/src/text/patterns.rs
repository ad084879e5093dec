//! Regular expressions of this program.

use regex::Regex;

/// Compiles a pattern whose `\w`, `\s`, `\d` and `\b` mean ASCII characters: their Unicode tables take most of the time. `None`
/// if it is not valid.
pub fn ascii_regex(pattern: &str) -> Option<Regex> {
    let (mut ascii, mut in_class) = (String::with_capacity(pattern.len() * 2), false);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        in_class = c == '[' || in_class && c != ']';
        if c != '\\' {
            ascii.push(c);
            continue;
        }
        match (chars.next()?, in_class) {
            ('w', true) => ascii.push_str("0-9A-Za-z_"),
            ('s', true) => ascii.push_str(r"\t\n\v\f\r\x20"),
            ('d', true) => ascii.push_str("0-9"),
            (class @ ('w' | 's' | 'd' | 'b'), false) => ascii.push_str(&format!(r"(?-u:\{class})")),
            (other, _) => ascii.extend(['\\', other]),
        }
    }
    Regex::new(&ascii).ok()
}

#[cfg(test)]
mod tests {
    use super::ascii_regex;

    #[test]
    fn classes_mean_ascii_characters() {
        for (pattern, text, want) in [
            (r"\bexit\s+(\d)\b", "x; exit 2;", Some("exit 2")),
            (r"^[\w-]+$", "a-b_1", Some("a-b_1")),
            (r"^[\w-]+$", "ä", None),
            (r"[^\s]+", " a b", Some("a")),
            (r"\d+", "٣ 3", Some("3")),
            (r"\.[\]x]+", "a.]x", Some(".]x")),
            (r"[^\n]*é", "caf\u{e9}", Some("caf\u{e9}")),
        ] {
            let regex = ascii_regex(pattern).unwrap();
            assert_eq!(regex.find(text).map(|found| found.as_str()), want, "{pattern} {text}");
        }
        assert!(ascii_regex("(").is_none());
    }
}
