//! Shell globs, and patterns for which the case does not count, as JavaScript patterns.

/// The pattern for a glob over a whole text, with `*`, `?`, `[abc]` and `[!abc]`. A bracket that is not closed is a character,
/// and nothing escapes a character.
pub fn glob_pattern(glob: &str) -> String {
    let mut out = String::from("^");
    let mut rest = glob;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match (c, class(rest)) {
            ('*', _) => out.push_str(".*"),
            ('?', _) => out.push('.'),
            ('[', Some((is_negated, members, after))) => {
                out.push_str(if is_negated { "[^" } else { "[" });
                out.push_str(&members.replace('\\', "\\\\").replace(']', "\\]").replace('^', "\\^"));
                out.push(']');
                rest = after;
            }
            _ => out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out.push('$');
    out
}

/// The class after a bracket: whether it is negated, its members, and the text after it. A bracket at its start is a member.
fn class(text: &str) -> Option<(bool, &str, &str)> {
    let inner = text.strip_prefix('!').unwrap_or(text);
    let first = usize::from(inner.starts_with(']'));
    let end = first + inner.get(first..)?.find(']')?;
    Some((inner.len() != text.len(), inner.get(..end)?, inner.get(end + 1..)?))
}

/// A pattern in lower case, for texts in lower case. Escapes such as `\S` stay.
pub fn without_case(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut is_escaped = false;
    for c in pattern.chars() {
        if is_escaped {
            out.push(c);
        } else {
            out.extend(c.to_lowercase());
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_patterns() {
        for (glob, want) in [
            ("a*b?", "^a.*b.$"),
            ("a.b|c", r"^a\.b\|c$"),
            ("[ab]c", "^[ab]c$"),
            ("[!a]c", "^[^a]c$"),
            ("[]a]c", r"^[\]a]c$"),
            ("[^a]", r"^[\^a]$"),
            (r"[\]", r"^[\\]$"),
            ("[ab", r"^\[ab$"),
        ] {
            assert_eq!(glob_pattern(glob), want, "{glob}");
        }
        for (pattern, want) in [(r"A\SB\\C", r"a\Sb\\c"), ("[A-Z]", "[a-z]")] {
            assert_eq!(without_case(pattern), want, "{pattern}");
        }
    }
}
