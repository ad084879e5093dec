//! A minimal Rust tokenizer that finds the paths that a source file names.

/// A word or symbol of a source file, without comments and literals.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RustToken {
    text: String,
    line: usize,
}

/// A path that a file names, such as `crate::core::run::RunId`, with `super` and `self` resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPath {
    pub path: Vec<String>,
    pub line: usize,
    pub place: PathPlace,
}

/// The place of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathPlace {
    Code,
    Use,
    /// `pub use`.
    PublicUse,
}

/// Returns every path that starts at the crate, and every path into another crate. `module` is the module of the
/// file (three segments for `core::text::js`).
pub fn named_paths(text: &str, module: &[String]) -> Vec<NamedPath> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    // The brace depths at which the open inline modules end.
    let mut inline: Vec<usize> = Vec::new();
    let mut depth = 0;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let earlier = |by: usize| at.checked_sub(by).and_then(|i| tokens.get(i)).map(|t| t.text.as_str());
        let before = earlier(1);
        // The path of `pub(in crate::a)` is a visibility, so it does not use `a`.
        let visibility = before == Some("in") && earlier(2) == Some("(");
        match token.text.as_str() {
            "{" => {
                depth += 1;
                if at >= 2 && tokens[at - 2].text == "mod" {
                    inline.push(depth);
                }
            }
            "}" => {
                if inline.last() == Some(&depth) {
                    inline.pop();
                }
                depth -= 1;
            }
            word if before != Some("::") && !visibility && is_word(word) => {
                let starts_path = tokens.get(at + 1).is_some_and(|t| t.text == "::");
                if starts_path || before == Some("use") {
                    let mut paths = Vec::new();
                    let at_use = at.checked_sub(1).filter(|i| tokens[*i].text == "use");
                    at = tree(&tokens, at, &mut Vec::new(), &mut paths);
                    let here: Vec<String> =
                        module.iter().cloned().chain(inline.iter().map(|_| "tests".to_owned())).collect();
                    let public = at_use.is_some_and(|i| i > 0 && matches!(tokens[i - 1].text.as_str(), "pub" | ")"));
                    let place = match at_use {
                        Some(_) if public => PathPlace::PublicUse,
                        Some(_) => PathPlace::Use,
                        None => PathPlace::Code,
                    };
                    let line = token.line;
                    found.extend(paths.into_iter().map(|p| NamedPath { path: resolve(p, &here), line, place }));
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Reads `a::b::{c, d::e}` from `at` and returns the position after it.
fn tree(tokens: &[RustToken], mut at: usize, prefix: &mut Vec<String>, out: &mut Vec<Vec<String>>) -> usize {
    let kept = prefix.len();
    while let Some(token) = tokens.get(at) {
        if token.text == "{" {
            at += 1;
            while tokens.get(at).is_some_and(|t| t.text != "}") {
                if tokens[at].text == "as" {
                    at += 2;
                    continue;
                }
                let next = tree(tokens, at, prefix, out);
                // Skips a comma.
                at = if next == at { at + 1 } else { next };
            }
            at += 1;
            prefix.truncate(kept);
            return at;
        }
        if !is_word(&token.text) && token.text != "*" {
            break;
        }
        prefix.push(token.text.clone());
        at += 1;
        if tokens.get(at).is_none_or(|t| t.text != "::") {
            break;
        }
        at += 1;
    }
    if prefix.len() > kept {
        out.push(prefix.clone());
    }
    prefix.truncate(kept);
    at
}

/// Resolves `super::x` in `core::text::js` to `crate::core::text::x`.
fn resolve(path: Vec<String>, module: &[String]) -> Vec<String> {
    let first = path.first().map(String::as_str);
    if first != Some("super") && first != Some("self") {
        return path;
    }
    let mut here = module.to_vec();
    let mut rest = path.as_slice();
    while let [first, after @ ..] = rest {
        match first.as_str() {
            "super" => drop(here.pop()),
            "self" => {}
            _ => break,
        }
        rest = after;
    }
    std::iter::once("crate".to_owned()).chain(here).chain(rest.iter().cloned()).collect()
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_alphabetic())
}

fn tokens(text: &str) -> Vec<RustToken> {
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(&c) = chars.get(at) {
        let start = at;
        let next = chars.get(at + 1).copied();
        match c {
            '/' if next == Some('/') => at = find(&chars, at, '\n'),
            '/' if next == Some('*') => at = block_comment(&chars, at),
            '"' => at = string_end(&chars, at),
            'r' | 'b' if raw_string(&chars, at).is_some() => at = raw_string(&chars, at).unwrap_or(at + 1),
            '\'' => at = quote_end(&chars, at),
            ':' if next == Some(':') => {
                out.push(RustToken { text: "::".to_owned(), line });
                at += 2;
            }
            c if c == '_' || c.is_alphanumeric() => {
                while chars.get(at).is_some_and(|c| *c == '_' || c.is_alphanumeric()) {
                    at += 1;
                }
                out.push(RustToken { text: chars[start..at].iter().collect(), line });
            }
            c => {
                if !c.is_whitespace() {
                    out.push(RustToken { text: c.to_string(), line });
                }
                at += 1;
            }
        }
        line += chars[start..at].iter().filter(|c| **c == '\n').count();
    }
    out
}

fn find(chars: &[char], from: usize, wanted: char) -> usize {
    chars[from..].iter().position(|c| *c == wanted).map_or(chars.len(), |n| from + n)
}

fn block_comment(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => depth += 1,
            ('*', Some('/')) => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            break;
        }
    }
    at
}

fn string_end(chars: &[char], from: usize) -> usize {
    let mut at = from + 1;
    while let Some(&c) = chars.get(at) {
        at += if c == '\\' { 2 } else { 1 };
        if c == '"' {
            break;
        }
    }
    at.min(chars.len())
}

/// Returns the end of the raw string that starts here (`r"…"`, `r#"…"#`, `br"…"`), or `None`.
fn raw_string(chars: &[char], from: usize) -> Option<usize> {
    let mut at = from;
    if chars.get(at) == Some(&'b') {
        at += 1;
    }
    if chars.get(at) != Some(&'r') || from > 0 && (chars[from - 1] == '_' || chars[from - 1].is_alphanumeric()) {
        return None;
    }
    at += 1;
    let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
    at += hashes;
    if chars.get(at) != Some(&'"') {
        return None;
    }
    let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let end = chars[at + 1..].windows(close.len()).position(|w| w == close.as_slice())?;
    Some(at + 1 + end + close.len())
}

/// Returns the position after a character literal, or after the tick of a lifetime.
fn quote_end(chars: &[char], at: usize) -> usize {
    if chars.get(at + 1) == Some(&'\\') {
        return find(chars, at + 3, '\'') + 1;
    }
    if chars.get(at + 2) == Some(&'\'') { at + 3 } else { at + 1 }
}
