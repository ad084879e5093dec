//! The part of JavaScript's pattern language that Rust's linear engine reads alike, spelt in its terms.

/// The same pattern for the `regex` crate, or none when it uses anything that the two languages do not share. The text
/// must already be a valid JavaScript pattern. Holds for ASCII subjects.
pub(super) fn translate(pattern: &str) -> Option<String> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '.' => out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            // JavaScript's `$` without `m` is the very end, as in Rust's default mode.
            '^' | '$' | '|' | ')' | '*' | '+' | '?' => out.push(c),
            '(' => {
                out.push('(');
                if chars.get(at) == Some(&'?') {
                    if chars.get(at + 1) != Some(&':') {
                        return None;
                    }
                    out.push_str("?:");
                    at += 2;
                }
            }
            '{' => at = quantifier(&chars, at, &mut out)?,
            '[' => at = class(&chars, at, &mut out)?,
            '\\' => at = escape(&chars, at, &mut out)?,
            ']' | '}' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_ascii() && !c.is_ascii_control() => push_literal(&mut out, c),
            _ => return None,
        }
    }
    Some(out)
}

fn push_literal(out: &mut String, c: char) {
    if c.is_ascii_punctuation() && c != '_' && c != '<' && c != '>' && c != '/' && c != '"' && c != '\'' {
        // Rust lets every ASCII punctuation but `<` and `>` be escaped; `_` needs nothing.
        out.push('\\');
    }
    out.push(c);
}

/// `{n}`, `{n,}`, `{n,m}` after the brace; a brace that is a literal in JavaScript is left to the other engine.
fn quantifier(chars: &[char], at: usize, out: &mut String) -> Option<usize> {
    let close = chars.get(at..)?.iter().position(|c| *c == '}')? + at;
    let inner: String = chars.get(at..close)?.iter().collect();
    let (low, high) = inner.split_once(',').map_or((inner.as_str(), None), |(l, h)| (l, Some(h)));
    let number = |text: &str| text.len() <= 3 && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !number(low) || !high.is_none_or(|h| h.is_empty() || number(h)) {
        return None;
    }
    out.push('{');
    out.push_str(&inner);
    out.push('}');
    Some(close + 1)
}

/// A class of plain characters, ranges and `\d \w \s`; anything that Rust reads as set arithmetic is left to the other
/// engine, the empty classes too.
fn class(chars: &[char], mut at: usize, out: &mut String) -> Option<usize> {
    out.push('[');
    if chars.get(at) == Some(&'^') {
        out.push('^');
        at += 1;
    }
    if chars.get(at) == Some(&']') {
        return None;
    }
    loop {
        let c = *chars.get(at)?;
        at += 1;
        match c {
            ']' => {
                out.push(']');
                return Some(at);
            }
            '[' => return None,
            '&' | '~' if chars.get(at) == Some(&c) => return None,
            '-' => {
                // A dash is a range only between two plain characters; set difference `--` is Rust's own.
                if chars.get(at) == Some(&'-') || chars.get(at.checked_sub(2)?) == Some(&'-') {
                    return None;
                }
                let first = matches!(chars.get(at.checked_sub(2)?), Some('[' | '^'));
                let last = chars.get(at) == Some(&']');
                if first || last {
                    out.push_str(r"\-");
                } else {
                    if chars.get(at) == Some(&'\\') || (at >= 3 && chars.get(at - 3) == Some(&'\\')) {
                        return None;
                    }
                    out.push('-');
                }
            }
            '\\' => at = class_escape(chars, at, out)?,
            c if c.is_ascii_alphanumeric() || c == '_' || c == ' ' => out.push(c),
            c if c.is_ascii_punctuation() => push_literal(out, c),
            _ => return None,
        }
    }
}

fn class_escape(chars: &[char], at: usize, out: &mut String) -> Option<usize> {
    match *chars.get(at)? {
        'd' => out.push_str("0-9"),
        'w' => out.push_str("0-9A-Za-z_"),
        's' => out.push_str(r"\t\n\x0B\x0C\r "),
        c if c.is_ascii_punctuation() => push_literal(out, c),
        _ => return None,
    }
    Some(at + 1)
}

fn escape(chars: &[char], at: usize, out: &mut String) -> Option<usize> {
    match *chars.get(at)? {
        'd' => out.push_str("[0-9]"),
        'D' => out.push_str("[^0-9]"),
        'w' => out.push_str("[0-9A-Za-z_]"),
        'W' => out.push_str("[^0-9A-Za-z_]"),
        's' => out.push_str(r"[\t\n\x0B\x0C\r ]"),
        'S' => out.push_str(r"[^\t\n\x0B\x0C\r ]"),
        'b' => out.push_str(r"(?-u:\b)"),
        'B' => out.push_str(r"(?-u:\B)"),
        't' => out.push_str(r"\t"),
        'n' => out.push_str(r"\n"),
        'r' => out.push_str(r"\r"),
        c if c.is_ascii_punctuation() => push_literal(out, c),
        _ => return None,
    }
    Some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn shared_part_only() {
        for pattern in
            ["Edit.*", "^(Edit|Bash)$", r"mcp__.*", r"\w+", "[a-z_]+", "a{1,2}", "(?:x)", "B[^a]sh", r"[\w.-]+"]
        {
            assert!(translate(pattern).is_some(), "{pattern}");
        }
        for pattern in
            ["(?=a)", "(?<n>a)", r"(a)\1", "[]", "[^]", "[[a]]", "a{,3}", "{", "é", r"\p{L}", r"\x41", "[a--b]", r"\cA"]
        {
            assert!(translate(pattern).is_none(), "{pattern}");
        }
    }
}
