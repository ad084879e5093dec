//! Sources, spans and positions.

use std::collections::HashMap;

use serde::Serialize;

/// The index of a text in a [`SourceMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct SourceId(pub u32);

/// A half-open byte range in one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Span {
    pub source: SourceId,
    pub start: usize,
    pub end: usize,
}

impl Span {
    /// The span of `start..end` in `source`.
    pub fn new(source: SourceId, start: usize, end: usize) -> Span {
        Span { source, start, end }
    }
}

/// Line and column for display. Both count from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

#[derive(Debug, Clone, PartialEq)]
struct SourceText {
    /// The name as displayed: relative to the project, or `~/…`.
    name: String,
    /// The path as opened.
    path: String,
    text: String,
    /// The offset of each line.
    lines: Vec<usize>,
    /// The number of characters before every [`STEP`]th byte. This keeps lookups fast in a file that is one long
    /// line.
    characters_before: Vec<usize>,
}

/// The number of bytes between two entries of `SourceText::characters_before`.
const STEP: usize = 256;

/// Whether a character begins at this byte. A byte order mark does not count.
fn begins(bytes: &[u8], at: usize) -> bool {
    let mark = "\u{feff}".as_bytes();
    bytes.get(at).is_some_and(|byte| byte & 0xc0 != 0x80) && !bytes.get(at..).is_some_and(|rest| rest.starts_with(mark))
}

impl SourceText {
    fn new(name: String, path: String, text: String) -> SourceText {
        let bytes = text.as_bytes();
        let (mut lines, mut before, mut count) = (vec![0], Vec::with_capacity(bytes.len() / STEP + 1), 0);
        for (at, byte) in bytes.iter().enumerate() {
            if at % STEP == 0 {
                before.push(count);
            }
            count += usize::from(byte.is_ascii() || begins(bytes, at));
            if *byte == b'\n' {
                lines.push(at + 1);
            }
        }
        before.push(count);
        SourceText { name, path, text, lines, characters_before: before }
    }

    /// The number of characters that begin before an offset.
    fn characters(&self, offset: usize) -> usize {
        let step = offset / STEP;
        let known = self.characters_before.get(step).copied().unwrap_or(0);
        let bytes = self.text.as_bytes();
        let from = step * STEP;
        let rest = bytes.get(from..offset).unwrap_or_default();
        if rest.is_ascii() {
            known + rest.len()
        } else {
            known + (from..offset).filter(|at| begins(bytes, *at)).count()
        }
    }
}

/// The texts of all files that were read together. Converts spans to file, line and column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceMap {
    sources: Vec<SourceText>,
    /// The first source for each path.
    paths: HashMap<String, SourceId>,
}

impl SourceMap {
    /// Adds a text, and returns its id for spans. `name` is the display name, `path` the path that was opened.
    pub fn add(&mut self, name: impl Into<String>, path: impl Into<String>, text: impl Into<String>) -> SourceId {
        let source = SourceText::new(name.into(), path.into(), text.into());
        let id = SourceId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
        self.paths.entry(source.path.clone()).or_insert(id);
        self.sources.push(source);
        id
    }

    /// The id of the source that was opened from a path. `None` if the path was not opened.
    pub fn by_path(&self, path: &str) -> Option<SourceId> {
        self.paths.get(path).copied()
    }

    /// All texts with their paths.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.sources.iter().map(|source| (source.path.as_str(), source.text.as_str()))
    }

    fn get(&self, id: SourceId) -> Option<&SourceText> {
        self.sources.get(id.0 as usize)
    }

    /// The display name; empty for an unknown id.
    pub fn name(&self, id: SourceId) -> &str {
        self.get(id).map_or("", |s| &s.name)
    }

    /// The path that was opened; empty for an unknown id.
    pub fn path(&self, id: SourceId) -> &str {
        self.get(id).map_or("", |s| &s.path)
    }

    /// The whole text; empty for an unknown id.
    pub fn text(&self, id: SourceId) -> &str {
        self.get(id).map_or("", |s| &s.text)
    }

    /// The text of a span; empty if the span is out of range.
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.source).get(span.start..span.end).unwrap_or("")
    }

    /// The line and column of a byte offset.
    pub fn position(&self, id: SourceId, offset: usize) -> Position {
        let Some(source) = self.get(id) else { return Position { line: 1, column: 1 } };
        let offset = if source.text.is_char_boundary(offset) { offset } else { source.text.len() };
        let line = source.lines.partition_point(|start| *start <= offset).max(1);
        let start = source.lines.get(line - 1).copied().unwrap_or(0);
        let column = source.characters(offset) - source.characters(start) + 1;
        Position { line: u32::try_from(line).unwrap_or(u32::MAX), column: u32::try_from(column).unwrap_or(u32::MAX) }
    }

    /// The line and column of the start of a span.
    pub fn start(&self, span: Span) -> Position {
        self.position(span.source, span.start)
    }

    /// The text of a line (counted from 1), without its line end.
    pub fn line(&self, id: SourceId, line: u32) -> &str {
        let start = self.get(id).and_then(|s| s.lines.get(line.saturating_sub(1) as usize));
        start.and_then(|start| self.text(id).get(*start..)).and_then(|rest| rest.lines().next()).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions in long lines agree with a full count.
    #[test]
    fn places_are_counted_in_characters() {
        let long = "aé\u{feff}日😀".repeat(300);
        let text = format!("\u{feff}{long}\n{long}\r\nb");
        let mut sources = SourceMap::default();
        let id = sources.add("f", "/f", text.clone());
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let before = text.get(..offset).unwrap_or("");
            let line = before.rsplit('\n').next().unwrap_or("");
            let want = (before.matches('\n').count() + 1, line.chars().filter(|c| *c != '\u{feff}').count() + 1);
            let at = sources.position(id, offset);
            assert_eq!((at.line as usize, at.column as usize), want, "{offset}");
        }
    }
}
