//! Lines of a JSON text.

/// Splits a line of pretty JSON into indent, key (with its colon) and rest.
pub fn json_line(line: &str) -> (&str, &str, &str) {
    let start = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(start);
    if let Some(end) = rest.strip_prefix('"').and_then(|r| r.find("\": ")) {
        let (key, value) = rest.split_at(end + 3);
        return (indent, key, value);
    }
    (indent, "", rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_lines_split() {
        assert_eq!(json_line("  \"a\": 1,"), ("  ", "\"a\":", " 1,"));
        assert_eq!(json_line("  \"text\""), ("  ", "", "\"text\""));
    }
}
