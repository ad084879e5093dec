//! Comparisons of values of the payload with texts: `tool == "Bash"`, `case "$tool" in Bash|Write)`, `tool in NAMES`, a pattern.

use crate::state::{Compared, State};
use crate::steps::{ByteRange, ComparisonKind};
use crate::value::{PathKey, Piece, Value, payload_path};
use crate::walk::Walk;

/// The letters before a pattern that ignores case.
pub(crate) const ANY_CASE: &str = "(?i)";

impl Walk<'_> {
    /// Whether a comparison holds, as far as that is known. What it compares is noted.
    pub fn compare(&mut self, kind: ComparisonKind, values: &[Value], at: &ByteRange, state: &State) -> Value {
        self.note_comparison(kind, values, at);
        let values: Vec<Value> = values.iter().map(|value| self.resolved(state, value.clone())).collect();
        match (kind, values.as_slice()) {
            (ComparisonKind::Equal, [left, right]) => equal(left, right),
            (ComparisonKind::Within, [item, holder @ Value::Payload(outer)]) if outer.is_empty() => {
                let Some(Value::Payload(path)) = holder.at(item) else { return Value::Unknown };
                self.ask_for(&path);
                self.has_key(&path).map_or(Value::Unknown, Value::Bool)
            }
            (ComparisonKind::Within, [item, holder]) => is_within(item, holder),
            (ComparisonKind::Glob, values) => matches_any(values),
            _ => Value::Unknown,
        }
    }

    /// Notes what a comparison compares. The first value is compared with the others.
    pub fn note_comparison(&mut self, kind: ComparisonKind, values: &[Value], at: &ByteRange) {
        let Some((first, others)) = values.split_first() else { return };
        match (kind, others) {
            (ComparisonKind::Equal, [second]) => match (payload_path(first), payload_path(second)) {
                (Some(path), None) => self.note_text(&path, second, false, at),
                (None, Some(path)) => self.note_text(&path, first, false, at),
                _ => {}
            },
            (ComparisonKind::Within, [holder]) => match (payload_path(first), payload_path(holder)) {
                (Some(path), None) => match holder {
                    Value::List(items) => items.iter().for_each(|item| self.note_text(&path, item, false, at)),
                    Value::Object(object) if !object.is_open => {
                        object
                            .entries
                            .iter()
                            .for_each(|(name, _)| self.note_text(&path, &Value::text(name), false, at));
                    }
                    _ => self.note(&path, None, false, at),
                },
                (None, Some(path)) if !path.is_empty() => match first {
                    Value::List(items) => items.iter().for_each(|item| self.note_text(&path, item, true, at)),
                    text => self.note_text(&path, text, true, at),
                },
                _ => {
                    if is_stdin(holder) {
                        self.note_in_raw_text(&first.known_text().unwrap_or_default(), at);
                    }
                }
            },
            (ComparisonKind::Glob, patterns) => {
                let path = payload_path(first);
                for pattern in patterns {
                    match (&path, pattern.known_text()) {
                        (Some(path), Some(pattern)) => self.note_pattern(path, &pattern, false, at),
                        (Some(path), None) => self.note(path, None, false, at),
                        (None, Some(pattern)) if is_stdin(first) => self.note_in_raw_text(&pattern, at),
                        (None, _) => {}
                    }
                }
            }
            (ComparisonKind::Pattern, [pattern]) => self.note_match(first, pattern, at),
            _ => {}
        }
    }

    /// Notes a pattern that is searched in a value.
    pub fn note_match(&mut self, value: &Value, pattern: &Value, at: &ByteRange) {
        match (payload_path(value), pattern.known_text()) {
            (Some(path), Some(pattern)) if !path.is_empty() => self.note_pattern(&path, &pattern, true, at),
            (Some(path), None) if !path.is_empty() => self.note(&path, None, false, at),
            (_, Some(pattern)) if is_stdin(value) => self.note_in_raw_text(&pattern, at),
            _ => {}
        }
    }

    fn note_text(&mut self, path: &[PathKey], text: &Value, is_substring: bool, at: &ByteRange) {
        match (text, text.known_text()) {
            (_, Some(text)) if text.is_empty() => {}
            (_, Some(text)) => self.note(path, Some((&text, is_substring)), false, at),
            (Value::Null | Value::Bool(_), None) => {}
            (_, None) => self.note(path, None, false, at),
        }
    }

    /// Notes the names between the bars of a pattern. `is_search`: it is a regular expression, and its names may be anywhere
    /// in the value.
    fn note_pattern(&mut self, path: &[PathKey], pattern: &str, is_search: bool, at: &ByteRange) {
        let (ignores_case, pattern) =
            pattern.strip_prefix(ANY_CASE).map_or((false, pattern), |pattern| (true, pattern));
        let names: Vec<&str> = if is_search { pattern.split('|').collect() } else { vec![pattern] };
        for part in names {
            let part = if is_search {
                let part = part.trim_start_matches(['^', '(', '?', ':', '\\', ' ']);
                let part = if pattern.contains("\\b") { part.strip_prefix('b').unwrap_or(part) } else { part };
                part.trim_end_matches(['$', ')', ' ']).trim_end_matches("\\b")
            } else {
                part
            };
            let name = part.trim_matches('*');
            let is_name = name.chars().all(|c| c == '_' || c == '-' || c.is_alphanumeric());
            match name {
                "" => {}
                _ if is_name => self.note(path, Some((name, is_search || name.len() < part.len())), ignores_case, at),
                mcp if mcp.starts_with("mcp") => {}
                _ => self.note(path, None, ignores_case, at),
            }
        }
    }

    /// Notes a pattern for the bytes of stdin: `"tool_name": *"Bash"`.
    fn note_in_raw_text(&mut self, pattern: &str, at: &ByteRange) {
        let parts: Vec<&str> = pattern.split('"').collect();
        for (index, key) in parts.iter().enumerate() {
            let between =
                parts.get(index + 1).map(|text| text.trim_start_matches("[[:space:]]").trim_start_matches("\\s"));
            let colon = between.is_some_and(|text| text.trim_start_matches(['*', '\\', ' ', '?']).starts_with(':'));
            if let (true, Some(names)) = (colon && !key.is_empty(), parts.get(index + 2)) {
                let names = names.trim_matches(['(', ')', '\\']);
                self.note_pattern(&[key.trim_end_matches('\\').to_owned()], names, true, at);
            }
        }
    }

    /// Notes a change of the letters of a value.
    pub fn fold(&mut self, value: &Value) {
        self.folded.extend(payload_path(value));
    }

    /// All comparisons, in the order of the script.
    pub fn comparisons(&mut self) -> Vec<Compared> {
        let mut all = std::mem::take(&mut self.found.compared);
        for one in &mut all {
            one.ignores_case |= self.any_case || self.folded.contains(&one.path);
        }
        all.sort_by_key(|one| one.at.start);
        all
    }

    fn note(&mut self, path: &[PathKey], text: Option<(&str, bool)>, ignores_case: bool, at: &ByteRange) {
        let (text, is_substring) = text.map_or((None, false), |(text, part)| (Some(text.to_owned()), part));
        let found = Compared { path: path.to_vec(), text, is_substring, ignores_case, at: at.clone() };
        if !self.found.compared.contains(&found) {
            self.found.compared.push(found);
        }
    }
}

/// Whether a value is the bytes of stdin.
fn is_stdin(value: &Value) -> bool {
    match value {
        Value::Stdin => true,
        Value::Text(pieces) => matches!(pieces.as_slice(), [Piece::Of(Value::Stdin), ..]),
        _ => false,
    }
}

fn equal(left: &Value, right: &Value) -> Value {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => Value::Bool(left == right),
        (Value::Null, Value::Null) => Value::Bool(true),
        _ => match (left.known_text(), right.known_text()) {
            (Some(left), Some(right)) => Value::Bool(left == right),
            _ => Value::Unknown,
        },
    }
}

fn is_within(item: &Value, holder: &Value) -> Value {
    let Some(text) = item.known_text() else { return Value::Unknown };
    match holder {
        Value::List(items) => {
            let known: Vec<Option<String>> = items.iter().map(Value::known_text).collect();
            // The first item is a program, not an argument.
            let doubt = known.iter().skip(1).any(Option::is_none);
            let is_there = known.iter().flatten().any(|item| *item == text);
            if is_there || !doubt { Value::Bool(is_there) } else { Value::Unknown }
        }
        Value::Object(object) if !object.is_open => Value::Bool(object.entries.iter().any(|(name, _)| *name == text)),
        other => other.known_text().map_or(Value::Unknown, |holder| Value::Bool(holder.contains(&text))),
    }
}

/// Whether the first value matches one of the patterns after it.
fn matches_any(values: &[Value]) -> Value {
    let Some((value, patterns)) = values.split_first() else { return Value::Unknown };
    let text = value.known_text();
    let mut is_sure = true;
    for pattern in patterns.iter().map(Value::known_text) {
        match (&text, pattern) {
            (_, Some(pattern)) if pattern == "*" => return Value::Bool(true),
            (Some(text), Some(pattern)) if matches_glob(&pattern, text) => return Value::Bool(true),
            // The other signs of a pattern are not followed.
            (Some(_), Some(pattern)) if !pattern.contains(['[', '(', '\\']) => {}
            _ => is_sure = false,
        }
    }
    if is_sure { Value::Bool(false) } else { Value::Unknown }
}

/// Whether a text matches a pattern of a shell.
fn matches_glob(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some('?') => {
                p += 1;
                t += 1;
            }
            Some(c) if text.get(t) == Some(c) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((from, seen)) => {
                    star = Some((from, seen + 1));
                    (p, t) = (from + 1, seen + 1);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}
