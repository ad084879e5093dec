//! Patterns that `grep -E` cannot look for, in decoded text or in the JSON text of an event.

use super::compose::RecipeError;

/// The text that `grep` searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrepInput {
    /// The texts of the event, one a line.
    Decoded,
    /// The whole event, one line of JSON.
    Json,
}

/// Checks that a pattern can match in the searched text.
///
/// # Errors
/// Returns an error that names the part of the pattern that never matches as written, and the cure.
pub fn check_grep_pattern(pattern: &str, searched: GrepInput) -> Result<(), RecipeError> {
    let Some((part, why)) = unusable_part(pattern, searched) else { return Ok(()) };
    let cannot = match searched {
        GrepInput::Decoded => "in a Bash script",
        GrepInput::Json => "without a script",
    };
    Err(RecipeError(format!(
        "the pattern {pattern:?} does not work {cannot}, because of {part:?}: {why}; choose python or node"
    )))
}

/// The first part that never matches as written, and the reason.
fn unusable_part(pattern: &str, searched: GrepInput) -> Option<(String, &'static str)> {
    const UNKNOWN: &str = "grep does not know it";
    const LINES: &str = "grep reads a pattern and a text line by line";
    const ESCAPED: &str = "JSON writes this character as an escape";
    const WHOLE: &str = "the command searches the JSON text of the whole event, so no text in it begins or ends a line";
    let in_json = searched == GrepInput::Json;
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let found = match c {
            // In a class of grep, a backslash is a backslash.
            '\\' if in_class => Some((2, UNKNOWN)),
            '\\' => {
                let found = match next {
                    Some('d' | 'D' | 't' | 'n' | 'r' | 'f' | 'v' | '0' | 'x' | 'u' | 'c' | 'p' | 'P' | 'k') => {
                        Some((2, UNKNOWN))
                    }
                    _ => None,
                };
                chars.next();
                found
            }
            '\n' | '\r' => Some((1, LINES)),
            c if c.is_control() && in_json => Some((1, ESCAPED)),
            '[' if !in_class => {
                in_class = true;
                chars.next_if_eq(&'^');
                None
            }
            ']' => {
                in_class = false;
                None
            }
            '(' if !in_class && next == Some('?') => Some((2, UNKNOWN)),
            '^' | '$' if !in_class && in_json => Some((1, WHOLE)),
            _ => None,
        };
        if let Some((length, why)) = found {
            let part = [Some(c), next.filter(|_| length == 2)].into_iter().flatten().collect();
            return Some((part, why));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_refused_where_grep_cannot_find_it() {
        // The pattern, and whether it works in decoded text and in JSON.
        for (pattern, decoded, json) in [
            ("rm -rf", true, true),
            ("git (push|fetch)", true, true),
            (r#"echo "x""#, true, true),
            (r"a\\b", true, true),
            (r"\bsudo\s", true, true),
            ("[^a-z$]x", true, true),
            (r"\$HOME", true, true),
            (r"\^", true, true),
            ("^rm", true, false),
            ("rm$", true, false),
            ("(^|;)rm", true, false),
            ("a\tb", true, false),
            (r"a\tb", false, false),
            (r"\d+", false, false),
            (r"[\s\d]", false, false),
            ("(?:a|b)", false, false),
            ("a(?=b)", false, false),
            (r"\u00e9", false, false),
            ("a\nb", false, false),
        ] {
            let works = |searched| check_grep_pattern(pattern, searched).is_ok();
            assert_eq!((works(GrepInput::Decoded), works(GrepInput::Json)), (decoded, json), "{pattern:?}");
        }
    }
}
