//! Patterns that are not regular expressions: paths of `if` rules in gitignore syntax, case-insensitive (spec §4),
//! and texts with `*` wildcards.

/// Whether a pattern matches a file. Both are relative to the same directory, without a leading slash. An `anchored`
/// pattern starts in that directory even if it is a bare name.
///
/// As in gitignore, a bare name matches at any depth, and a directory matches everything inside it.
pub fn matches_path(pattern: &str, path: &str, anchored: bool) -> bool {
    let pattern = pattern.to_lowercase();
    // The agent's library treats a `*` at the very end as a wildcard even after a backslash.
    let pattern = pattern.strip_suffix("\\*").map_or(pattern.clone(), |start| format!("{start}*"));
    let path = path.to_lowercase();
    // `directory/**` also matches the directory itself.
    let (pattern, anchored) = match pattern.strip_suffix("/**") {
        Some(directory) if !directory.is_empty() => (directory.to_owned(), true),
        // At the end, `**/` is any number of directories, and none too.
        _ => match pattern.strip_suffix("/**/") {
            Some(directory) if !directory.is_empty() => (format!("{directory}/"), true),
            _ => (pattern, anchored),
        },
    };
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    let wanted: Vec<&str> = pattern.split('/').filter(|p| !p.is_empty()).collect();
    // A pattern with a trailing slash matches only directories, so the file name is left out.
    let longest = if pattern.ends_with('/') { parts.len().saturating_sub(1) } else { parts.len() };
    let parts = parts.get(..longest).unwrap_or(&[]);
    match wanted.as_slice() {
        [name] if !anchored && *name != "**" => parts.iter().any(|part| match_segment(name, part)),
        _ => matching_prefixes(&wanted, parts).contains(&true),
    }
}

/// Returns, for each length, whether the pattern matches that many leading parts of the path. `**` matches any
/// number of directories.
fn matching_prefixes(pattern: &[&str], path: &[&str]) -> Vec<bool> {
    // The table is computed row by row, so that no pattern takes long.
    let mut row: Vec<bool> = std::iter::once(true).chain(path.iter().map(|_| false)).collect();
    for (index, wanted) in pattern.iter().enumerate() {
        let last = index + 1 == pattern.len();
        let mut next = vec![false; row.len()];
        if *wanted == "**" {
            let mut reached = false;
            for (at, here) in row.iter().enumerate() {
                // At the end, `**` needs at least one part.
                if let Some(cell) = next.get_mut(at) {
                    *cell = reached || (*here && !last);
                }
                reached |= *here;
            }
        } else {
            for (at, part) in path.iter().enumerate() {
                let here = row.get(at).copied().unwrap_or(false);
                if let Some(cell) = next.get_mut(at + 1) {
                    *cell = here && match_segment(wanted, part);
                }
            }
        }
        row = next;
    }
    // An empty pattern matches nothing, not the directory itself.
    row.split_off(1)
}

/// Matches `*`, `?` and `[…]` within one part of a path.
fn match_segment(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        let next = pattern.get(p).copied();
        let matched = match (next, text.get(t)) {
            (Some('*'), _) => {
                star = Some((p, t));
                p += 1;
                continue;
            }
            (Some('?'), _) => Some(p + 1),
            (Some('['), Some(c)) => match_class(&pattern, p, *c),
            (Some('\\'), Some(c)) if pattern.get(p + 1) == Some(c) => Some(p + 2),
            (Some(a), Some(b)) if a == *b => Some(p + 1),
            _ => None,
        };
        match (matched, star) {
            (Some(after), _) => {
                p = after;
                t += 1;
            }
            (None, Some((at, from))) => {
                p = at + 1;
                t = from + 1;
                star = Some((at, from + 1));
            }
            (None, None) => return false,
        }
    }
    pattern.get(p..).unwrap_or(&[]).iter().all(|c| *c == '*')
}

/// Returns the position after the character class that starts at `at`, if the class contains the letter. An
/// unclosed class is a literal `[`.
fn match_class(pattern: &[char], at: usize, letter: char) -> Option<usize> {
    let body = pattern.get(at + 1..)?;
    let Some(close) = body.iter().skip(1).position(|c| *c == ']').map(|n| n + 1) else {
        return (letter == '[').then_some(at + 1);
    };
    let inner = body.get(..close)?;
    // The agent's library treats an exclamation mark as a literal character.
    let negated = inner.first() == Some(&'^');
    let inner = if negated { inner.get(1..)? } else { inner };
    let mut found = false;
    let mut index = 0;
    while let Some(low) = inner.get(index) {
        if let (Some('-'), Some(high)) = (inner.get(index + 1), inner.get(index + 2)) {
            found |= (*low..=*high).contains(&letter);
            index += 3;
        } else {
            found |= *low == letter;
            index += 1;
        }
    }
    (found != negated).then_some(at + 1 + close + 1)
}

/// Whether a text matches a pattern in which `*` matches any text and every other character is literal.
pub fn matches_wildcards(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or(""),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns() {
        for (pattern, path, want) in [
            ("*.txt", "f.txt", true),
            ("*.txt", "x/sub/h.txt", true),
            ("f.txt", "F.TXT", true),
            ("f.txt", "g.txt", false),
            ("f.txt", "sub/f.txt", true),
            ("f.t?t", "f.txt", true),
            ("sub/**", "sub/g.txt", true),
            ("sub/**", "sub/a/b/c.txt", true),
            ("sub/**", "x/sub/h.txt", false),
            ("sub/*", "sub/g.txt", true),
            ("sub/*", "x/sub/h.txt", false),
            ("sub/*", "sub/a/b.txt", true),
            ("sub", "sub/g.txt", true),
            ("sub/", "x/sub/g.txt", true),
            ("f.txt/", "f.txt", false),
            ("x/*", "x/sub/h.txt", true),
            ("**/sub/**", "sub/g.txt", true),
            ("**/sub/**", "x/sub/h.txt", true),
            ("**/sub/**", "x/h.txt", false),
            ("**", "a/b", true),
            ("a/**/b", "a/b", true),
            ("[a-c].rs", "b.rs", true),
            ("[!a-c].rs", "b.rs", true),
            ("[^a-c].rs", "b.rs", false),
            ("sub/**", "sub", true),
            ("sub/**/", "sub/a.txt", true),
            ("sub/**/", "sub/x/a.txt", true),
            ("sub/**/", "sub", false),
            ("sub/*/", "sub/a.txt", false),
            ("[", "[", true),
            ("\\[a\\].md", "[a].md", true),
            ("\\*.md", "a.md", false),
            ("a\\*", "a.md", true),
            ("home/user/project/**", "home/user/project/f.txt", true),
        ] {
            assert_eq!(matches_path(pattern, path, false), want, "{pattern} on {path}");
        }
        for (pattern, path, want) in [
            ("*.txt", "sub/f.txt", false),
            ("sub", "x/sub/f.txt", false),
            ("sub", "sub/f.txt", true),
            ("sub", "sub", true),
        ] {
            assert_eq!(matches_path(pattern, path, true), want, "/{pattern} on {path}");
        }
    }

    proptest! {
        #[test]
        fn any_text(pattern in ".{0,20}", path in ".{0,20}") {
            let _ = matches_path(&pattern, &path, false);
        }
    }
}
