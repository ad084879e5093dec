//! Insertions into JSON files, laid out like the rest of the file, and removals from them.

use serde_json::{Map, Value};

use super::{EditSet, TextEdit};
use crate::text::{Node, quote_literal, stringify};

/// The layout of a JSON file: its indentation and its line ends.
pub struct JsonLayout<'a> {
    text: &'a str,
    unit: &'a str,
    line_end: &'static str,
}

/// The whitespace that is removed together with an element that another one follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovedGap {
    /// The whitespace before it.
    Before,
    /// The whitespace after its comma.
    After,
}

/// Returns the text of a member.
pub fn member_text(key: &str, value: &str) -> String {
    format!("{}: {value}", quote_literal(key))
}

/// Inserts a member before the key at an offset, on a separate line if that key has one.
pub fn insert_before(text: &str, next: usize, key: &str, value: &str) -> TextEdit {
    let line = text.get(..next).unwrap_or("").rsplit('\n').next().unwrap_or("");
    let blanks = line.chars().all(|c| c == ' ' || c == '\t');
    let gap = if blanks { format!("\n{line}") } else { " ".to_owned() };
    TextEdit::insert(next, format!("{},{gap}", member_text(key, value)))
}

impl<'a> JsonLayout<'a> {
    /// The layout of a file. Its indentation is the whitespace before the first member of the root.
    pub fn new(text: &'a str, root: Option<&Node>) -> JsonLayout<'a> {
        let first = root.and_then(Node::members).and_then(<[_]>::first);
        let line = first.and_then(|member| text.get(..member.key_span.start)?.rsplit_once('\n').map(|(_, line)| line));
        let unit = line.filter(|line| !line.is_empty() && line.chars().all(|c| c == ' ' || c == '\t')).unwrap_or("  ");
        let carriage_return = text.split_once('\n').is_some_and(|(line, _)| line.ends_with('\r'));
        JsonLayout { text, unit, line_end: if carriage_return { "\r\n" } else { "\n" } }
    }

    /// Returns the text of a whole file.
    pub fn format_file(&self, value: &Value) -> String {
        format!("{}{}", self.format(value, 0), self.line_end)
    }

    /// Appends members to an object at nesting level `depth`.
    pub fn append_members(&self, object: &Node, depth: usize, members: &Map<String, Value>) -> Vec<TextEdit> {
        let texts = members.iter().map(|(key, value)| member_text(key, &self.format(value, depth + 1)));
        self.append(object, depth, &texts.collect::<Vec<_>>())
    }

    /// Appends items to a list at nesting level `depth`.
    pub fn append_items(&self, list: &Node, depth: usize, items: &[Value]) -> Vec<TextEdit> {
        self.append(list, depth, &items.iter().map(|item| self.format(item, depth + 1)).collect::<Vec<_>>())
    }

    /// Inserts texts before the closing bracket and a comma after the previous last element.
    fn append(&self, container: &Node, depth: usize, texts: &[String]) -> Vec<TextEdit> {
        if texts.is_empty() {
            return Vec::new();
        }
        let last = elements(container).last().map(|(_, end)| *end);
        let close = container.span.end - 1;
        let from = last.unwrap_or(container.span.start + 1);
        // Trim only JSON whitespace: a comment may end in other Unicode whitespace.
        let end = from + self.text.get(from..close).unwrap_or("").trim_end_matches(BLANK).len();
        let indent = format!("{}{}", self.line_end, self.unit.repeat(depth + 1));
        let mut lines = format!("{indent}{}", texts.join(&format!(",{indent}")));
        let on_own_line = self.text.get(end..close).is_some_and(|rest| rest.contains('\n'));
        if !on_own_line {
            lines.push_str(self.line_end);
            lines.push_str(&self.unit.repeat(depth));
        }
        // Some formats allow a comma after the last element.
        let separated = last.is_none_or(|last| comma(self.text, last, close).is_some());
        let mut separator = last.filter(|_| !separated).map(|last| TextEdit::insert(last, ","));
        // One edit, because the order of two at the same place is not that of every editor.
        if separator.take_if(|comma| comma.start == end).is_some() {
            lines.insert(0, ',');
        }
        separator.into_iter().chain([TextEdit::replace(end, if on_own_line { end } else { close }, lines)]).collect()
    }

    /// Formats a value over several lines. A short object with one plain value stays on one line.
    fn format(&self, value: &Value, depth: usize) -> String {
        const SHORT: usize = 60;
        let over_lines = |open: &str, parts: Vec<String>, close: &str| {
            let outer = format!("{}{}", self.line_end, self.unit.repeat(depth));
            let inner = format!("{outer}{}", self.unit);
            format!("{open}{inner}{}{outer}{close}", parts.join(&format!(",{inner}")))
        };
        let nested = |value: &Value| value.is_object() || value.is_array();
        match value {
            Value::Array(items) if items.iter().any(nested) => {
                over_lines("[", items.iter().map(|item| self.format(item, depth + 1)).collect(), "]")
            }
            Value::Object(map) if !map.is_empty() => {
                let one = map.iter().next().filter(|(_, value)| map.len() == 1 && !nested(value));
                let one = one.map(|(key, value)| format!("{{ {} }}", member_text(key, &stringify(value))));
                let members = map.iter().map(|(key, value)| member_text(key, &self.format(value, depth + 1)));
                one.filter(|one| one.len() <= SHORT).unwrap_or_else(|| over_lines("{", members.collect(), "}"))
            }
            other => stringify(other),
        }
    }
}

/// Removes one element of a list or object with its comma. Comments are kept.
pub fn remove_element(text: &str, container: &Node, index: usize, gap: RemovedGap) -> EditSet {
    let items = elements(container);
    let Some((start, end)) = items.get(index).copied() else { return EditSet::default() };
    let (open, close) = (container.span.start + 1, container.span.end - 1);
    let blank = |from: usize, to: usize| text.get(from..to).is_some_and(|text| text.trim_matches(BLANK).is_empty());
    let before = index.checked_sub(1).and_then(|index| items.get(index)).map(|(_, end)| *end);
    let next = items.get(index + 1).map(|(start, _)| *start);
    let range = match (gap, next) {
        (RemovedGap::After, Some(next)) if comments(text, end, next).is_empty() => Some((start, next)),
        (RemovedGap::After, None) if before.is_none() => Some((start, end)),
        _ if items.len() == 1 && blank(open, start) && blank(end, close) => Some((open, close)),
        _ => None,
    };
    if let Some((start, end)) = range {
        return [TextEdit::remove(start, end)].into_iter().collect();
    }
    let own = if next.is_some() { comma(text, end, close) } else { None };
    let others = if own.is_none() { before.and_then(|before| comma(text, before, start)) } else { None };
    // A comment between the element and its comma is kept.
    let apart = own.filter(|comma| !blank(end, *comma));
    let upto = own.filter(|_| apart.is_none()).map_or(end, |comma| comma + 1);
    let lead = text.get(..start).map_or(start, |head| head.trim_end_matches(BLANK).len());
    // Text after a line comment must start on another line.
    let rest = text.get(upto..close).unwrap_or("");
    let behind = rest.starts_with(['\n', '\r']);
    let after_line = comments(text, before.unwrap_or(open), start).last().is_some_and(|c| c.line && c.end >= lead);
    let (from, upto) =
        if after_line && !behind { (start, close - rest.trim_start_matches([' ', '\t']).len()) } else { (lead, upto) };
    let commas = apart.or(others).map(|at| TextEdit::remove(at, at + 1));
    let edits: EditSet = commas.into_iter().chain([TextEdit::remove(from, upto)]).collect();
    // Merges the edits, if the comma of the previous element is next to the gap.
    edits.then(&EditSet::default())
}

/// Returns the ranges of the members of an object or the items of a list.
fn elements(container: &Node) -> Vec<(usize, usize)> {
    let members = container.members().unwrap_or(&[]).iter();
    let items = container.items().unwrap_or(&[]).iter();
    let members = members.map(|member| (member.key_span.start, member.value.span.end));
    members.chain(items.map(|item| (item.span.start, item.span.end))).collect()
}

/// The characters that JSON treats as whitespace.
pub(super) const BLANK: [char; 4] = [' ', '\t', '\n', '\r'];

/// A comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonComment {
    pub start: usize,
    pub end: usize,
    /// Whether it is a line comment.
    pub line: bool,
}

/// Returns the comments between two offsets, neither of which is inside a string or a comment.
pub fn comments(text: &str, start: usize, end: usize) -> Vec<JsonComment> {
    let mut out = Vec::new();
    let mut at = start;
    while at < end {
        let Some(rest) = text.get(at..end) else { return out };
        let line = rest.starts_with("//");
        if line || rest.starts_with("/*") {
            let length = if line { rest.find(['\n', '\r']) } else { rest.find("*/").map(|found| found + 2) };
            let length = length.unwrap_or(rest.len());
            out.push(JsonComment { start: at, end: at + length, line });
            at += length;
        } else if rest.starts_with('"') {
            at += string(rest);
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    out
}

/// Returns the length of the string at the start of the text.
fn string(text: &str) -> usize {
    let mut escaped = true;
    for (at, c) in text.char_indices() {
        match c {
            // The first quote opens the string.
            '"' if !escaped => return at + 1,
            '\\' if !escaped => escaped = true,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Returns the offset of the first comma after a value.
pub(super) fn comma(text: &str, from: usize, to: usize) -> Option<usize> {
    let comments = comments(text, from, to);
    let outside = |at: usize| !comments.iter().any(|comment| comment.start <= at && at < comment.end);
    text.get(from..to)?.match_indices(',').map(|(at, _)| from + at).find(|at| outside(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_comments() {
        let text = r#"1 /* , */ // ,
 , "a\"// no" /*"#;
        let found: Vec<&str> =
            comments(text, 0, text.len()).iter().map(|comment| &text[comment.start..comment.end]).collect();
        assert_eq!(found, ["/* , */", "// ,", "/*"]);
        assert_eq!(comma(text, 1, text.len()), Some(16));
        assert_eq!(comma("1 // ,", 1, 6), None);
    }
}
