//! Path patterns of breakpoints.

use std::fmt;

use regex::Regex;

use crate::text::normalize_path;

/// A path pattern: `*` and `?` match within a directory, `**` across directories. A pattern that does not begin with
/// `/` is matched against the path relative to the project directory.
#[derive(Debug, Clone)]
pub struct PathPattern {
    text: String,
    regex: Regex,
}

/// The error for an invalid path pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPatternError;

impl fmt::Display for PathPatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is not a path pattern; write one like src/**/*.rs")
    }
}

impl std::error::Error for PathPatternError {}

impl PathPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// Returns an error if the pattern is empty or longer than any path.
    pub fn new(text: &str) -> Result<PathPattern, PathPatternError> {
        if text.is_empty() || text.len() > 4_096 {
            return Err(PathPatternError);
        }
        let mut regex = String::from("(?s)^");
        let mut rest = text.strip_prefix("./").unwrap_or(text);
        while let Some(first) = rest.chars().next() {
            let (written, length) = if rest.starts_with("**/") {
                ("(?:.*/)?".to_owned(), 3)
            } else if rest.starts_with("**") {
                (".*".to_owned(), 2)
            } else {
                let one = match first {
                    '*' => "[^/]*".to_owned(),
                    '?' => "[^/]".to_owned(),
                    other => regex::escape(other.encode_utf8(&mut [0; 4])),
                };
                (one, first.len_utf8())
            };
            regex.push_str(&written);
            rest = &rest[length..];
        }
        regex.push('$');
        let regex = Regex::new(&regex).map_err(|_| PathPatternError)?;
        Ok(PathPattern { text: text.to_owned(), regex })
    }

    /// Returns the original text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a path of an event in this project matches.
    pub fn matches(&self, project: &str, path: &str) -> bool {
        let whole =
            if path.starts_with('/') { normalize_path(path) } else { normalize_path(&format!("{project}/{path}")) };
        if self.text.starts_with('/') {
            return self.regex.is_match(&whole);
        }
        let project = normalize_path(project);
        let inside = whole
            .strip_prefix(&project)
            .and_then(|rest| if project == "/" { Some(rest) } else { rest.strip_prefix('/') });
        inside.is_some_and(|inside| self.regex.is_match(inside))
    }
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &PathPattern) -> bool {
        self.text == other.text
    }
}

impl Eq for PathPattern {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_within_directories_and_across_them() {
        for (pattern, path, matches) in [
            ("*.rs", "a.rs", true),
            ("*.rs", "src/a.rs", false),
            ("**/*.rs", "a.rs", true),
            ("**/*.rs", "/p/src/deep/a.rs", true),
            ("src/**", "/p/src/a/b", true),
            ("src/**", "/p/src2/a", false),
            ("src/?.rs", "src/a.rs", true),
            ("src/?.rs", "src/ab.rs", false),
            ("./src/a", "src/a", true),
            ("a.rs", "axrs", false),
            ("[a].rs", "[a].rs", true),
            ("**", "/etc/passwd", false),
            ("**", "../q/a", false),
            ("**", "/p2/a", false),
            ("/etc/*", "/etc/passwd", true),
            ("/etc/*", "src/../../etc/passwd", true),
            ("/p/**/.env*", ".env.local", true),
            ("**/.env", "//p//deep/.//.env", true),
        ] {
            assert_eq!(PathPattern::new(pattern).unwrap().matches("/p/", path), matches, "{pattern} {path}");
        }
        assert!(PathPattern::new("**/a").unwrap().matches("/", "/x/a"));
        assert_eq!(PathPattern::new(""), Err(PathPatternError));
    }
}
