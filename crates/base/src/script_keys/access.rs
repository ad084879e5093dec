//! Finds keys that are read from objects: `x["a"]`, `x.get("a")`, `x?.a.b`, `const { a } = x`.

use std::collections::BTreeMap;

use super::ScriptKey;

/// The keys that a text reads. A first pass finds the variables that hold the payload or a part of it.
pub(super) fn paths(code: &str) -> Vec<ScriptKey> {
    let mut scan = KeyScanner { code, names: BTreeMap::new(), found: Vec::new() };
    scan.run();
    // A variable with the name of a key that the script reads is assumed to hold that key.
    for key in std::mem::take(&mut scan.found) {
        if let Some(name) = key.path.last() {
            scan.names.entry(name.clone()).or_insert_with(|| key.clone());
        }
    }
    scan.run();
    scan.found
}

/// Objects that never are the payload.
const NOT_PAYLOADS: [&str; 9] =
    ["environ", "env", "argv", "headers", "kwargs", "os", "process", "argument", "localStorage"];

/// Properties that JavaScript values have, and that are not payload keys.
const PROPERTIES: [&str; 2] = ["length", "constructor"];

struct KeyScanner<'a> {
    code: &'a str,
    /// The part of the payload that each variable holds.
    names: BTreeMap<String, ScriptKey>,
    found: Vec<ScriptKey>,
}

fn is_name(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

impl KeyScanner<'_> {
    fn rest(&self, at: usize) -> &str {
        self.code.get(at..).unwrap_or("")
    }

    fn name_end(&self, at: usize) -> usize {
        at + self.rest(at).find(|c| !is_name(c)).unwrap_or(self.code.len().saturating_sub(at))
    }

    fn run(&mut self) {
        let mut at = 0;
        while let Some(c) = self.rest(at).chars().next() {
            if is_name(c) {
                at = self.expression(at);
            } else {
                at += c.len_utf8();
            }
        }
    }

    /// Scans an expression that begins with a name. Returns the offset after it.
    fn expression(&mut self, start: usize) -> usize {
        let mut from = start;
        let mut end = self.name_end(from);
        loop {
            let name = self.code.get(from..end).unwrap_or("").to_owned();
            let held = self.names.get(&name).filter(|_| from == start).cloned();
            let loads = matches!(name.as_str(), "load" | "loads") && self.code.get(start..from) == Some("json.");
            if (loads || name == "parse" && self.code.get(start..from) == Some("JSON."))
                && self.rest(end).starts_with('(')
            {
                let close = self.closing(end);
                let given = self.code.get(end..close).unwrap_or("");
                let rooted = given.contains("stdin") || given.contains("readFileSync(0");
                return self.chain(start, close, ScriptKey { path: Vec::new(), rooted }, true);
            }
            if let Some(held) = held {
                return self.chain(start, end, held, true);
            }
            if self.access(end, false).is_some() {
                let constant = name.chars().all(|c| !c.is_lowercase());
                let nothing = NOT_PAYLOADS.contains(&name.as_str()) || constant;
                let unknown = ScriptKey { path: Vec::new(), rooted: false };
                return if nothing { end } else { self.chain(start, end, unknown, false) };
            }
            let dotted = self.rest(end).strip_prefix('.').and_then(|r| r.chars().next()).is_some_and(is_name);
            if !dotted {
                return end;
            }
            from = end + 1;
            end = self.name_end(from);
        }
    }

    /// Records the keys that are read from `at` on, from a value that is `held`.
    fn chain(&mut self, start: usize, at: usize, held: ScriptKey, dots: bool) -> usize {
        let mut end = at;
        let mut key = held;
        let mut any = false;
        while let Some((name, next)) = self.access(self.skip_default(end), dots) {
            key.path.push(name);
            end = next;
            any = true;
        }
        let after = self.rest(end).trim_start_matches(' ');
        let written = after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
        if any && !written {
            self.found.push(key.clone());
        }
        self.bind_variable(start, &key);
        end
    }

    /// Parses one key access at `at`, and returns the key and the offset after it.
    fn access(&self, at: usize, dots: bool) -> Option<(String, usize)> {
        let rest = self.rest(at);
        let ends_at = |after: &str| self.code.len() - after.len();
        let bare = rest.strip_prefix("?.").filter(|r| r.starts_with('[')).unwrap_or(rest);
        if let Some(inside) = bare.strip_prefix('[') {
            let (key, after) = literal(inside)?;
            return Some((key.to_owned(), ends_at(after.trim_start().strip_prefix(']')?)));
        }
        if let Some(inside) = rest.strip_prefix(".get(") {
            let (key, after) = literal(inside)?;
            let after = after.trim_start();
            if let Some(after) = after.strip_prefix(')') {
                return Some((key.to_owned(), ends_at(after)));
            }
            // A default follows.
            after.strip_prefix(',')?;
            return Some((key.to_owned(), self.closing(at + ".get".len())));
        }
        let name = if dots { rest.strip_prefix("?.").or_else(|| rest.strip_prefix('.'))? } else { return None };
        let (key, after) = name.split_at(name.find(|c| !is_name(c)).unwrap_or(name.len()));
        let called = after.starts_with('(') || after.starts_with("?.(");
        let fits = !key.is_empty() && !called && !PROPERTIES.contains(&key);
        fits.then(|| (key.to_owned(), ends_at(after)))
    }

    /// Skips a default value between two accesses: `(x.get("a") or {}).get("b")`.
    fn skip_default(&self, at: usize) -> usize {
        let rest = self.rest(at).trim_start();
        for word in ["or {}", "|| {}", "?? {}"] {
            if let Some(after) = rest.strip_prefix(word).and_then(|r| r.trim_start().strip_prefix(')')) {
                return self.code.len() - after.len();
            }
        }
        at
    }

    /// The offset after the bracket that closes the one at `at`, ignoring brackets in quotes.
    fn closing(&self, at: usize) -> usize {
        let mut depth = 0;
        let mut quote: Option<char> = None;
        for (index, c) in self.rest(at).char_indices() {
            match (quote, c) {
                (Some(q), c) if q == c => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '(' | '[' | '{') => depth += 1,
                (None, ')' | ']' | '}') => {
                    depth -= 1;
                    if depth == 0 {
                        return at + index + 1;
                    }
                }
                _ => {}
            }
        }
        self.code.len()
    }

    /// Records the variable to which the expression at `start` is assigned.
    fn bind_variable(&mut self, start: usize, key: &ScriptKey) {
        let line = self.code.get(..start).unwrap_or("").rsplit('\n').next().unwrap_or("");
        let line = line.trim_end_matches([' ', '(']).trim_end_matches("await").trim_end();
        let Some(left) = line.strip_suffix('=').map(|l| l.trim_end_matches(':').trim_end()) else { return };
        if left.ends_with(['=', '!', '<', '>', '+', '-']) {
            return;
        }
        if let Some(inside) =
            left.strip_suffix('}').and_then(|l| l.rsplit_once('{')).map(|(_, inside)| inside.to_owned())
        {
            for part in inside.split(',') {
                let (name, variable) = part.split_once(':').unwrap_or((part, part));
                let (name, variable) = (name.trim(), variable.split('=').next().unwrap_or("").trim());
                let name = name.split('=').next().unwrap_or("").trim();
                if !name.is_empty() && name.chars().all(is_name) {
                    let mut key = key.clone();
                    key.path.push(name.to_owned());
                    self.found.push(key.clone());
                    self.names.insert(variable.to_owned(), key);
                }
            }
            return;
        }
        let name: String =
            left.chars().rev().take_while(|c| is_name(*c)).collect::<Vec<_>>().into_iter().rev().collect();
        if !name.is_empty() {
            self.names.insert(name, key.clone());
        }
    }
}

/// Parses a quoted text without interpolation, and returns it with the rest.
fn literal(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| "\"'".contains(*c))?;
    let (key, after) = text.get(1..)?.split_once(quote)?;
    let plain = !key.is_empty() && !key.contains(['\\', '\n', '{', '$']) && key.len() <= 80;
    plain.then_some((key, after))
}
