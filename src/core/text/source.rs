//! Sources, spans and positions.

use serde::Serialize;

/// Which text of a [`SourceMap`] a span points into.
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

/// A place that people can find: both numbers count from 1, columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

#[derive(Debug, Clone, PartialEq)]
struct Source {
    /// As shown to people: relative to the project, or `~/…`.
    name: String,
    /// As opened.
    path: String,
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
}

/// All texts that were read in one load, so that a span can be turned into file, line and column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceMap {
    sources: Vec<Source>,
}

impl SourceMap {
    /// Keeps `text`, and gives the id that spans into it carry. `name` is what people are shown, `path` what was opened.
    pub fn add(&mut self, name: impl Into<String>, path: impl Into<String>, text: impl Into<String>) -> SourceId {
        let text = text.into();
        let lines = std::iter::once(0).chain(text.bytes().zip(1..).filter(|(b, _)| *b == b'\n').map(|(_, at)| at));
        let lines = lines.collect();
        self.sources.push(Source { name: name.into(), path: path.into(), text, lines });
        SourceId(u32::try_from(self.sources.len() - 1).unwrap_or(u32::MAX))
    }

    /// The text that was opened under a path.
    pub fn by_path(&self, path: &str) -> Option<SourceId> {
        let at = self.sources.iter().position(|source| source.path == path)?;
        u32::try_from(at).ok().map(SourceId)
    }

    /// Every text under the path that was opened.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.sources.iter().map(|source| (source.path.as_str(), source.text.as_str()))
    }

    fn get(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(id.0 as usize)
    }

    /// The name that people are shown; empty for an unknown id.
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

    /// The text under a span; empty when the span does not fit.
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.source).get(span.start..span.end).unwrap_or("")
    }

    /// Line and column of a byte offset.
    pub fn position(&self, id: SourceId, offset: usize) -> Position {
        let (text, lines) = self.get(id).map_or(("", &[][..]), |s| (s.text.as_str(), s.lines.as_slice()));
        let offset = if text.is_char_boundary(offset) { offset } else { text.len() };
        let line = lines.partition_point(|start| *start <= offset).max(1);
        let start = lines.get(line - 1).copied().unwrap_or(0);
        let column = text.get(start..offset).unwrap_or("").chars().filter(|c| *c != '\u{feff}').count() + 1;
        Position { line: u32::try_from(line).unwrap_or(u32::MAX), column: u32::try_from(column).unwrap_or(u32::MAX) }
    }

    /// Line and column where a span starts.
    pub fn start(&self, span: Span) -> Position {
        self.position(span.source, span.start)
    }

    /// The text of a line (counted from 1), without its end.
    pub fn line(&self, id: SourceId, line: u32) -> &str {
        let start = self.get(id).and_then(|s| s.lines.get(line.saturating_sub(1) as usize));
        start.and_then(|start| self.text(id).get(*start..)).and_then(|rest| rest.lines().next()).unwrap_or("")
    }
}
