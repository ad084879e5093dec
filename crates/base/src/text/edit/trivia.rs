//! The text between the values of a JSON file: whitespace, commas and comments.

/// The characters that JSON treats as whitespace.
pub(super) const BLANK: [char; 4] = [' ', '\t', '\n', '\r'];

/// A comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonComment {
    pub start: usize,
    pub end: usize,
    /// Whether it is a line comment.
    pub line: bool,
}

/// Returns the comments between two offsets, neither of which is inside a string or a comment.
pub fn comments(text: &str, start: usize, end: usize) -> Vec<JsonComment> {
    let mut out = Vec::new();
    let mut at = start;
    while at < end {
        let Some(rest) = text.get(at..end) else { return out };
        let line = rest.starts_with("//");
        if line || rest.starts_with("/*") {
            let length = if line { rest.find(['\n', '\r']) } else { rest.find("*/").map(|found| found + 2) };
            let length = length.unwrap_or(rest.len());
            out.push(JsonComment { start: at, end: at + length, line });
            at += length;
        } else if rest.starts_with('"') {
            at += string(rest);
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    out
}

/// Returns the length of the string at the start of the text.
fn string(text: &str) -> usize {
    let mut escaped = true;
    for (at, c) in text.char_indices() {
        match c {
            // The first quote opens the string.
            '"' if !escaped => return at + 1,
            '\\' if !escaped => escaped = true,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Returns the offset of the first comma after a value.
pub(super) fn comma(text: &str, from: usize, to: usize) -> Option<usize> {
    let comments = comments(text, from, to);
    let outside = |at: usize| !comments.iter().any(|comment| comment.start <= at && at < comment.end);
    text.get(from..to)?.match_indices(',').map(|(at, _)| from + at).find(|at| outside(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_comments() {
        let text = r#"1 /* , */ // ,
 , "a\"// no" /*"#;
        let found: Vec<&str> =
            comments(text, 0, text.len()).iter().map(|comment| &text[comment.start..comment.end]).collect();
        assert_eq!(found, ["/* , */", "// ,", "/*"]);
        assert_eq!(comma(text, 1, text.len()), Some(16));
        assert_eq!(comma("1 // ,", 1, 6), None);
    }
}
