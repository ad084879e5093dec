//! Splits a pattern into its alternatives, and describes each in words.

use super::interpretation::{Anchors, MatcherBranch, RegexEngine, SearchPattern};

/// The alternatives of a pattern, at the top level or inside a group that spans the whole pattern.
pub fn branches(pattern: &str, engine: RegexEngine, aliases: bool) -> Vec<MatcherBranch> {
    // A back-reference may refer to a group in another alternative, so the pattern is not split.
    let refers =
        pattern.as_bytes().windows(2).any(|two| two[0] == b'\\' && (two[1].is_ascii_digit() || two[1] == b'k'));
    let parts = if refers { vec![pattern] } else { alternatives(pattern) };
    let single = parts.len() == 1 && !refers;
    if let Some((anchors, inner)) = parts.first().filter(|_| single).and_then(|part| group(part)) {
        let inner = alternatives(inner);
        if inner.len() > 1 {
            return inner.into_iter().map(|part| branch(part, anchors, engine, aliases)).collect();
        }
    }
    parts.into_iter().map(|part| branch(part, Anchors::default(), engine, aliases)).collect()
}

/// Builds one alternative, including the anchors that apply to all alternatives.
fn branch(text: &str, around: Anchors, engine: RegexEngine, aliases: bool) -> MatcherBranch {
    let own = anchors(text);
    let anchors = Anchors { start: own.start || around.start, end: own.end || around.end };
    let (start, end) = (if around.start { "^" } else { "" }, if around.end { "$" } else { "" });
    let compiled = if around == Anchors::default() { text.to_owned() } else { format!("{start}(?:{text}){end}") };
    let pattern = Some(SearchPattern { text: compiled, engine, aliases, anchors });
    MatcherBranch { text: text.to_owned(), description: describe(text, anchors), name: None, pattern }
}

/// Whether a pattern begins with `^` and ends with `$`.
pub(super) fn anchors(text: &str) -> Anchors {
    let escaped = |text: &str| (text.len() - text.trim_end_matches('\\').len()) % 2 == 1;
    Anchors { start: text.starts_with('^'), end: text.strip_suffix('$').is_some_and(|before| !escaped(before)) }
}

/// The content of a group that spans the whole pattern except for its anchors.
pub(super) fn group(text: &str) -> Option<(Anchors, &str)> {
    let around = anchors(text);
    let text = text.strip_prefix('^').unwrap_or(text);
    let text = if around.end { text.strip_suffix('$').unwrap_or(text) } else { text };
    let body = text.strip_prefix("(?:").or_else(|| text.strip_prefix('(').filter(|rest| !rest.starts_with('?')))?;
    let close = group_end(body)?;
    (close + 1 == body.len()).then(|| (around, body.get(..close).unwrap_or("")))
}

/// The offset of the bracket that closes the group whose content begins the text.
pub fn group_end(text: &str) -> Option<usize> {
    walk(text).find(|(_, c, depth, class)| *c == ')' && *depth == 0 && !class).map(|(at, ..)| at)
}

/// All unescaped characters, with their group depth and whether they are inside a class.
pub(super) fn walk(text: &str) -> impl Iterator<Item = (usize, char, usize, bool)> + '_ {
    let (mut depth, mut class, mut escaped) = (0_usize, false, false);
    text.char_indices().filter_map(move |(at, c)| {
        if escaped {
            escaped = false;
            return None;
        }
        let now = (at, c, depth, class);
        match c {
            '\\' => {
                escaped = true;
                return None;
            }
            '[' => class = true,
            ']' => class = false,
            '(' if !class => depth += 1,
            ')' if !class => depth = depth.saturating_sub(1),
            _ => {}
        }
        Some(now)
    })
}

/// Splits at every `|` outside groups and classes.
pub fn alternatives(text: &str) -> Vec<&str> {
    split_top_level(text, &['|']).into_iter().map(|(_, part)| part).collect()
}

/// Splits at every separator outside groups and classes. Each part comes with its offset.
pub fn split_top_level<'a>(text: &'a str, separators: &[char]) -> Vec<(usize, &'a str)> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, ..) in walk(text).filter(|(_, c, depth, class)| separators.contains(c) && *depth == 0 && !class) {
        parts.push((start, text.get(start..at).unwrap_or("")));
        start = at + 1;
    }
    parts.push((start, text.get(start..).unwrap_or("")));
    parts
}

/// Describes the texts that an alternative matches.
fn describe(text: &str, anchors: Anchors) -> String {
    let own = self::anchors(text);
    let text = text.strip_prefix('^').unwrap_or(text);
    let text = if own.end { text.strip_suffix('$').unwrap_or(text) } else { text };
    if text.is_empty() {
        return if anchors.both() {
            "an empty text".to_owned()
        } else {
            "an empty pattern, which matches everything".to_owned()
        };
    }
    let pieces = pieces(text);
    let said = pieces.join(" then ");
    let literal = pieces.len() == 1 && said.starts_with('"');
    match (anchors.start, anchors.end) {
        (true, true) if literal => format!("exactly {said}"),
        (false, false) if literal => format!("the letters {said}, anywhere"),
        (false, false) => format!("{said}, anywhere"),
        (true, false) => format!("begins with {said}"),
        (false, true) => format!("ends with {said}"),
        (true, true) => format!("{said}, and nothing else"),
    }
}

/// The parts of an alternative in order, in words.
fn pieces(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut letters = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (atom, len, plain) = atom(rest, c);
        let after = rest.get(len..).unwrap_or("");
        let (times, skip) = times(after);
        rest = after.get(skip..).unwrap_or("");
        if let (Some(plain), None) = (plain, times) {
            letters.push(plain);
            continue;
        }
        flush(&mut letters, &mut out);
        out.push(match (atom.as_str(), times) {
            ("any one character", Some(QuantifierKind::Any)) => "anything".to_owned(),
            ("any one character", Some(QuantifierKind::Some)) => "at least one character".to_owned(),
            (atom, Some(QuantifierKind::Any)) => format!("any number of {atom}"),
            (atom, Some(QuantifierKind::Some)) => format!("one or more {atom}"),
            (atom, Some(QuantifierKind::Maybe)) => format!("optionally {atom}"),
            (atom, Some(QuantifierKind::Counted)) => format!("{atom} a given number of times"),
            (atom, None) => atom.to_owned(),
        });
    }
    flush(&mut letters, &mut out);
    out
}

fn flush(letters: &mut String, out: &mut Vec<String>) {
    if !letters.is_empty() {
        out.push(format!("\"{}\"", std::mem::take(letters)));
    }
}

#[derive(Clone, Copy)]
pub(super) enum QuantifierKind {
    Any,
    Some,
    Maybe,
    Counted,
}

/// Parses a quantifier, and returns it with its length.
pub(super) fn times(after: &str) -> (Option<QuantifierKind>, usize) {
    let lazy = |len: usize| len + usize::from(after.get(len..).is_some_and(|rest| rest.starts_with('?')));
    match after.chars().next() {
        Some('*') => (Some(QuantifierKind::Any), lazy(1)),
        Some('+') => (Some(QuantifierKind::Some), lazy(1)),
        Some('?') => (Some(QuantifierKind::Maybe), lazy(1)),
        Some('{') if after.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => match after.find('}') {
            Some(end) => (Some(QuantifierKind::Counted), lazy(end + 1)),
            None => (None, 0),
        },
        _ => (None, 0),
    }
}

/// Parses the next atom: its description, its length, and its character if it is a literal.
fn atom(rest: &str, c: char) -> (String, usize, Option<char>) {
    match c {
        '.' => ("any one character".to_owned(), 1, None),
        '\\' => match rest.chars().nth(1) {
            Some('w') => ("a letter, digit or _".to_owned(), 2, None),
            Some('d') => ("a digit".to_owned(), 2, None),
            Some('s') => ("a space".to_owned(), 2, None),
            Some('b') => ("a word boundary".to_owned(), 2, None),
            Some(c) if !c.is_ascii_alphanumeric() => (format!("\"{c}\""), 1 + c.len_utf8(), Some(c)),
            Some(c) => (format!("\\{c}"), 1 + c.len_utf8(), None),
            None => ("\\".to_owned(), 1, None),
        },
        '[' => {
            let end = walk(rest).find(|(at, c, ..)| *at > 0 && *c == ']').map_or(rest.len(), |(at, ..)| at + 1);
            (format!("one of {}", rest.get(..end).unwrap_or(rest)), end, None)
        }
        '(' => {
            let body = rest.get(1..).unwrap_or("");
            let end = group_end(body).map_or(rest.len(), |at| at + 2);
            let whole = rest.get(..end).unwrap_or(rest);
            let inner = |prefix: &str| whole.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(')'));
            let says = if let Some(inner) = inner("(?!") {
                format!("not followed by {inner}")
            } else if let Some(inner) = inner("(?=") {
                format!("followed by {inner}")
            } else if let Some(inner) = inner("(?i:") {
                format!("{inner} in any case")
            } else {
                let inner = inner("(?:").or_else(|| inner("(")).unwrap_or(whole);
                let plain = |part: &&str| part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
                let parts = alternatives(inner);
                if parts.iter().all(plain) {
                    parts.iter().map(|part| format!("\"{part}\"")).collect::<Vec<_>>().join(" or ")
                } else {
                    whole.to_owned()
                }
            };
            (says, end, None)
        }
        '^' => ("the start".to_owned(), 1, None),
        '$' => ("the end".to_owned(), 1, None),
        c => (format!("\"{c}\""), c.len_utf8(), Some(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_in_words() {
        for (pattern, want) in [
            ("Edit.*|bash", vec!["Edit.*: \"Edit\" then anything, anywhere", "bash: the letters \"bash\", anywhere"]),
            ("^(Edit|Bash)$", vec!["Edit: exactly \"Edit\"", "Bash: exactly \"Bash\""]),
            ("^Edit|Bash$", vec!["^Edit: begins with \"Edit\"", "Bash$: ends with \"Bash\""]),
            ("(?:a|b)c", vec!["(?:a|b)c: \"a\" or \"b\" then \"c\", anywhere"]),
            ("Edit*", vec!["Edit*: \"Edi\" then any number of \"t\", anywhere"]),
            (
                "mcp__.+__get_\\w+",
                vec![
                    "mcp__.+__get_\\w+: \"mcp__\" then at least one character then \"__get_\" then one or more a letter, digit or _, anywhere",
                ],
            ),
            ("^(?!Bash).*$", vec!["^(?!Bash).*$: not followed by Bash then anything, and nothing else"]),
            ("a\\|b|[|]", vec!["a\\|b: the letters \"a|b\", anywhere", "[|]: one of [|], anywhere"]),
            ("^Edit|", vec!["^Edit: begins with \"Edit\"", ": an empty pattern, which matches everything"]),
            ("(a)|\\1", vec!["(a)|\\1: \"a\" then \"|\" then \\1, anywhere"]),
            ("^(a|b)(c|d)$", vec!["^(a|b)(c|d)$: \"a\" or \"b\" then \"c\" or \"d\", and nothing else"]),
            ("(", vec!["(: (, anywhere"]),
        ] {
            let found: Vec<String> = branches(pattern, RegexEngine::Ecma, false)
                .iter()
                .map(|b| format!("{}: {}", b.text, b.description))
                .collect();
            assert_eq!(found, want, "{pattern}");
        }
    }

    #[test]
    fn anchors_around_a_group_are_those_of_every_alternative() {
        for (pattern, start, end) in
            [("^(a|b)$", true, true), ("(a|b)$", false, true), ("^a|b", true, false), ("a\\$", false, false)]
        {
            let first = branches(pattern, RegexEngine::Ecma, false)[0].anchors();
            assert_eq!((first.start, first.end), (start, end), "{pattern}");
        }
    }
}
