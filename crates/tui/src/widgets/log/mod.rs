//! The view of a stream: position, mode and search. Only the visible part is decoded.

mod decode;
mod hex;
mod index;
mod margin;
mod pen;
mod search;
mod styled_rows;

use ratatui::style::{Modifier, Style};

use self::decode::{DecodedLine, decode};
use self::index::{LineEntry, LineIndex, stored_bytes};
pub use self::margin::{LineMargin, MarginMark};
use self::pen::Pen;
use self::search::{StreamSearch, ranges};
use self::styled_rows::{break_anywhere, marked, slice};
use super::StyledLine;
use crate::theme::Theme;
use crate::widgets::wrap_whole;
use hookbench_app::StreamBuffer;

/// A line as text: without colours, with other control characters made visible.
pub fn plain_line(line: &[u8]) -> String {
    decode(line, Pen::default(), Theme { colour: false, unicode: true }, usize::MAX).text()
}

hookbench_core::words! {
    /// How bytes are displayed.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum ByteMode {
        #[default]
        Wrapped = "wrapped",
        Unwrapped = "unwrapped",
        Hex = "hex",
    }
    /// The display name.
    fn word;
}

impl ByteMode {
    /// The next mode.
    fn next(self) -> ByteMode {
        match self {
            ByteMode::Wrapped => ByteMode::Unwrapped,
            ByteMode::Unwrapped => ByteMode::Hex,
            ByteMode::Hex => ByteMode::Wrapped,
        }
    }
}

/// The space for the lines, and the theme.
#[derive(Debug, Clone, Copy)]
pub struct LogArea {
    pub rows: usize,
    pub columns: usize,
    pub theme: Theme,
}

/// A range of a line's text, and its style.
type StyledRange = (std::ops::Range<usize>, Style);

/// A row of the view: the offset of its line, and the row within the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LogAnchor {
    place: u64,
    row: usize,
}

/// Maximum number of bytes of one line that are laid out together.
const LONGEST: usize = 4096;
/// Maximum length of a text that is wrapped between words; a longer one is probably not prose.
const PROSE: usize = 512;
/// Lines above one that is shown.
const LINES_BEFORE: usize = 2;
/// Columns scrolled sideways by one key.
const SIDE: usize = 8;
/// Columns decoded beyond the right edge, so that a cut is visible.
const BEYOND: usize = 8;

/// The view of one stream.
#[derive(Debug, Clone)]
pub struct LogView {
    key: (u64, u32, u8),
    index: LineIndex,
    pub mode: ByteMode,
    /// The first visible row; `None` to follow the end.
    top: Option<LogAnchor>,
    /// Columns scrolled off on the left.
    left: usize,
    search: Option<StreamSearch>,
    /// The line numbers, marks and notes of a text.
    pub margin: Option<LineMargin>,
    /// The stored bytes: `..head` and `tail..end`.
    head: u64,
    tail: u64,
    end: u64,
}

impl Default for LogView {
    fn default() -> LogView {
        LogView {
            key: (0, 0, 0),
            index: LineIndex::new(LONGEST),
            mode: ByteMode::default(),
            top: None,
            left: 0,
            search: None,
            margin: None,
            head: 0,
            tail: 0,
            end: 0,
        }
    }
}

impl LogView {
    /// Updates the view. `key` identifies the stream: firing, run, stream. A different stream is shown at its end,
    /// or from its start if `from_start` is set. Returns whether it is a different one.
    pub fn update(&mut self, key: (u64, u32, u8), stream: &StreamBuffer, columns: usize, from_start: bool) -> bool {
        // A multiple of the width, so that a very long line fills every row.
        let longest = match self.mode {
            ByteMode::Wrapped => (LONGEST / columns.max(1)).max(1) * columns.max(1),
            ByteMode::Unwrapped | ByteMode::Hex => LONGEST,
        };
        let is_other = self.key != key;
        if is_other {
            let text = self.search.take().filter(|s| !s.typing).map(|s| s.text);
            *self = LogView { key, mode: self.mode, index: LineIndex::new(longest), ..LogView::default() };
            self.top = from_start.then_some(LogAnchor { place: 0, row: 0 });
            self.search = text.map(StreamSearch::again);
        } else if self.index.longest() != longest.max(16) || stream.total() < self.end {
            self.index = LineIndex::new(longest);
            self.restart_search();
        }
        self.index.extend(stream);
        self.head = stream.head.len() as u64;
        self.tail = self.head + stream.gap;
        self.end = stream.total();
        if let Some(search) = &mut self.search {
            search.forget_between(self.head, if stream.gap > 0 { self.tail } else { self.head });
        }
        self.search_more(stream);
        is_other
    }

    fn restart_search(&mut self) {
        if let Some(search) = &mut self.search {
            search.forget_from(0);
        }
    }

    /// Searches the new part of the stream, and the last line again, because it may have grown.
    fn search_more(&mut self, stream: &StreamBuffer) {
        let Some(mut search) = self.search.take() else { return };
        if !search.text.is_empty() && search.searched < self.end {
            search.forget_from(search.searched);
            for line in self.line_at(search.searched)..self.lines() {
                let place = self.place(line);
                // A match at the end of the previous line may continue in new output.
                search.searched = self.place(line.saturating_sub(1));
                if let Some(text) = self.text(line, stream) {
                    search.search_line(place, &text, &self.continuation(line, &search.text, stream));
                }
            }
        }
        self.search = Some(search);
    }

    /// The number of lines in this mode.
    fn lines(&self) -> usize {
        match self.mode {
            ByteMode::Hex => hex::HexRows::of(self.head, self.tail, self.end).len(),
            ByteMode::Wrapped | ByteMode::Unwrapped => self.index.len(),
        }
    }

    fn place(&self, line: usize) -> u64 {
        match self.mode {
            ByteMode::Hex => hex::HexRows::of(self.head, self.tail, self.end).place(line),
            ByteMode::Wrapped | ByteMode::Unwrapped => self.index.place(line),
        }
    }

    fn line_at(&self, place: u64) -> usize {
        match self.mode {
            ByteMode::Hex => hex::HexRows::of(self.head, self.tail, self.end).row_at(place),
            ByteMode::Wrapped | ByteMode::Unwrapped => self.index.line_at(place),
        }
    }

    /// The searchable text of a line.
    fn text(&self, line: usize, stream: &StreamBuffer) -> Option<String> {
        if self.mode == ByteMode::Hex {
            let range = hex::HexRows::of(self.head, self.tail, self.end).range(line)?;
            return Some(hex::ascii(&stored_bytes(stream, range)));
        }
        match self.index.entry(line)? {
            LineEntry::Line { bytes: range, pen } => {
                let theme = Theme { colour: false, unicode: true };
                Some(decode(&stored_bytes(stream, range), pen, theme, usize::MAX).text())
            }
            LineEntry::Gap(_) => None,
        }
    }

    /// The beginning of the text after a line that was broken only because of its length, as far as a match from
    /// the line can reach.
    fn continuation(&self, line: usize, wanted: &str, stream: &StreamBuffer) -> String {
        let range = |line: usize| match self.mode {
            ByteMode::Hex => hex::HexRows::of(self.head, self.tail, self.end).range(line).filter(|r| !r.is_empty()),
            ByteMode::Wrapped | ByteMode::Unwrapped => match self.index.entry(line)? {
                LineEntry::Line { bytes, .. } => Some(bytes),
                LineEntry::Gap(_) => None,
            },
        };
        let joined = range(line).zip(range(line + 1)).filter(|(one, two)| one.end == two.start);
        let ends = |one: std::ops::Range<u64>| {
            self.mode != ByteMode::Hex && stored_bytes(stream, one.end.saturating_sub(1)..one.end).ends_with(b"\n")
        };
        let next = joined.filter(|(one, _)| !ends(one.clone())).and_then(|_| self.text(line + 1, stream));
        next.map_or_else(String::new, |text| text.chars().take(wanted.chars().count().saturating_sub(1)).collect())
    }

    /// Shows a line, counted from 0, below some lines before it.
    pub fn show_line(&mut self, line: usize) {
        self.top = Some(LogAnchor { place: self.place(line.saturating_sub(LINES_BEFORE)), row: 0 });
    }

    /// The rows of one line, with its margin.
    fn rows_of(&self, line: usize, stream: &StreamBuffer, pane: LogArea) -> Vec<StyledLine> {
        match self.margin.as_ref().filter(|_| self.mode != ByteMode::Hex) {
            Some(margin) => {
                let inner = LogArea { columns: pane.columns.saturating_sub(margin.width()), ..pane };
                margin.add(line, self.text_rows(line, stream, inner), pane)
            }
            None => self.text_rows(line, stream, pane),
        }
    }

    fn text_rows(&self, line: usize, stream: &StreamBuffer, pane: LogArea) -> Vec<StyledLine> {
        let theme = pane.theme;
        let gap = || vec![vec![(theme.warn(), gap_words(stream.gap, theme))]];
        if self.mode == ByteMode::Hex {
            let Some(range) = hex::HexRows::of(self.head, self.tail, self.end).range(line) else { return gap() };
            let place = range.start;
            let bytes = stored_bytes(stream, range);
            let found = self.marks(line, place, &hex::ascii(&bytes), stream, theme);
            return vec![hex::row(place, &bytes, &found, pane)];
        }
        let (range, pen) = match self.index.entry(line) {
            Some(LineEntry::Line { bytes, pen }) => (bytes, pen),
            Some(LineEntry::Gap(_)) => return gap(),
            None => return Vec::new(),
        };
        let place = range.start;
        // Text beyond the right edge is only decoded for a search.
        let limit = match self.mode {
            ByteMode::Unwrapped if self.search.is_none() => self.left + pane.columns + BEYOND,
            _ => usize::MAX,
        };
        let DecodedLine { pieces, rewrites } = decode(&stored_bytes(stream, range), pen, theme, limit);
        let text: String = pieces.iter().map(|(_, t)| t.as_str()).collect();
        let mut pieces = marked(pieces, &self.marks(line, place, &text, stream, theme));
        if rewrites > 0 {
            let times = if rewrites == 1 { "rewrite" } else { "rewrites" };
            let dots = if theme.unicode { "⋯" } else { "..." };
            pieces.push((theme.quiet(), format!("  {dots} {rewrites} {times}")));
        }
        if self.mode == ByteMode::Unwrapped {
            return vec![slice(&pieces, self.left)];
        }
        if text.len() <= PROSE { wrap_whole(&pieces, pane.columns, 0) } else { break_anywhere(&pieces, pane.columns) }
    }

    /// The matches in a line, with their styles.
    fn marks(&self, line: usize, place: u64, text: &str, stream: &StreamBuffer, theme: Theme) -> Vec<StyledRange> {
        let Some(search) = &self.search else { return Vec::new() };
        let style = |from: usize| {
            let current = search.hit().is_some_and(|h| h.line == place && h.from == from);
            if current { current_style(theme) } else { theme.strong().add_modifier(Modifier::UNDERLINED) }
        };
        let whole = format!("{text}{}", self.continuation(line, &search.text, stream));
        let begins = ranges(&search.text, &whole).into_iter().filter(|r| r.start < text.len());
        begins.map(|r| (r.start..r.end.min(text.len()), style(r.start))).collect()
    }

    /// The visible rows.
    pub fn rows(&self, stream: &StreamBuffer, pane: LogArea) -> Vec<StyledLine> {
        let mut rows = Vec::new();
        let top = self.top(stream, pane);
        let mut skip = top.row;
        for line in self.line_at(top.place)..self.lines() {
            if rows.len() >= pane.rows {
                break;
            }
            rows.extend(self.rows_of(line, stream, pane).into_iter().skip(std::mem::take(&mut skip)));
        }
        rows.truncate(pane.rows);
        rows
    }

    /// The first visible row, limited so that the pane is filled.
    fn top(&self, stream: &StreamBuffer, pane: LogArea) -> LogAnchor {
        let bottom = self.bottom(stream, pane);
        match self.top {
            Some(top) if (top.place, top.row) < (bottom.place, bottom.row) => {
                LogAnchor { place: self.place(self.line_at(top.place)), row: top.row }
            }
            _ => bottom,
        }
    }

    /// The first visible row at the end of the stream.
    fn bottom(&self, stream: &StreamBuffer, pane: LogArea) -> LogAnchor {
        let mut left = pane.rows;
        for line in (0..self.lines()).rev() {
            let rows = self.rows_of(line, stream, pane).len();
            if rows >= left {
                return LogAnchor { place: self.place(line), row: rows - left };
            }
            left -= rows;
        }
        LogAnchor { place: 0, row: 0 }
    }

    /// Whether rows follow below the visible ones.
    pub fn has_more(&self, stream: &StreamBuffer, pane: LogArea) -> bool {
        self.top(stream, pane) != self.bottom(stream, pane)
    }

    /// Scrolls by rows; at the end, the view follows the stream again.
    pub fn scroll(&mut self, by: isize, stream: &StreamBuffer, pane: LogArea) {
        let top = self.top(stream, pane);
        let (mut line, mut row) = (self.line_at(top.place), top.row);
        let mut left = by.unsigned_abs();
        if by < 0 {
            while left > row && line > 0 {
                left -= row + 1;
                line -= 1;
                row = self.rows_of(line, stream, pane).len().saturating_sub(1);
                if left > self.lines() * LONGEST {
                    (line, row) = (0, 0);
                }
            }
            row = row.saturating_sub(left);
        } else {
            if left > self.lines().saturating_mul(LONGEST) {
                self.top = None;
                return;
            }
            loop {
                let rows = self.rows_of(line, stream, pane).len();
                if row + left < rows || line + 1 >= self.lines() {
                    row = (row + left).min(rows.saturating_sub(1));
                    break;
                }
                left -= rows - row;
                row = 0;
                line += 1;
            }
        }
        let next = LogAnchor { place: self.place(line), row };
        let bottom = self.bottom(stream, pane);
        self.top = ((next.place, next.row) < (bottom.place, bottom.row)).then_some(next);
    }

    /// Scrolls sideways; returns `false` if that is not possible.
    pub fn scroll_side(&mut self, right: bool) -> bool {
        if self.mode != ByteMode::Unwrapped || (!right && self.left == 0) {
            return false;
        }
        self.left = if right { (self.left + SIDE).min(LONGEST * 8) } else { self.left.saturating_sub(SIDE) };
        true
    }

    /// Switches to the next mode and keeps the position.
    pub fn cycle(&mut self) {
        self.mode = self.mode.next();
        self.left = 0;
        if let Some(top) = &mut self.top {
            top.row = 0;
        }
        self.restart_search();
    }

    /// The position, for example `line 81 of 4032`; `None` if the view follows the end.
    pub fn position(&self) -> Option<String> {
        let line = self.line_at(self.top?.place);
        Some(match self.mode {
            ByteMode::Wrapped | ByteMode::Unwrapped if self.index.has_line_numbers() => {
                format!("line {} of {}", line + 1, self.lines())
            }
            _ => format!("byte {} of {}", self.place(line) + 1, self.end),
        })
    }

    /// The mode in words: `unwrapped`, `from column 9`.
    pub fn mode_words(&self) -> String {
        match self.left {
            0 => self.mode.word().to_owned(),
            left => format!("from column {}", left + 1),
        }
    }

    /// The search, if one is open.
    pub fn search(&self) -> Option<&StreamSearch> {
        self.search.as_ref()
    }

    /// Opens the search.
    pub fn begin_search(&mut self) {
        self.search = Some(StreamSearch::begin());
    }

    /// Changes the text of the search.
    pub fn search_for(&mut self, text: String, stream: &StreamBuffer, pane: LogArea) {
        let from = self.top(stream, pane).place;
        let Some(search) = &mut self.search else { return };
        search.set(text);
        self.search_more(stream);
        if let Some(search) = &mut self.search {
            search.go_near(from);
        }
        self.show_hit(stream, pane);
    }

    /// Ends typing; an empty text closes the search.
    pub fn end_typing(&mut self) {
        if let Some(search) = &mut self.search {
            search.typing = false;
        }
        self.search = self.search.take().filter(|s| !s.text.is_empty());
    }

    /// Closes the search; returns `false` if none was open.
    pub fn clear_search(&mut self) -> bool {
        self.search.take().is_some()
    }

    /// Moves to the next or previous match; returns `false` without a search.
    pub fn step(&mut self, forward: bool, stream: &StreamBuffer, pane: LogArea) -> bool {
        let Some(search) = &mut self.search else { return false };
        search.step(forward);
        self.show_hit(stream, pane);
        true
    }

    /// Scrolls to the current match if it is not visible.
    fn show_hit(&mut self, stream: &StreamBuffer, pane: LogArea) {
        let Some(hit) = self.search.as_ref().and_then(StreamSearch::hit) else { return };
        let current = current_style(pane.theme);
        let is_hit = |row: &StyledLine| row.iter().any(|(style, _)| *style == current);
        if self.mode == ByteMode::Unwrapped {
            self.left = 0;
            let line = self.line_at(hit.line);
            if let Some(text) = self.text(line, stream) {
                let before = super::width(text.get(..hit.from).unwrap_or(""));
                if before + SIDE > pane.columns {
                    self.left = before.saturating_sub(pane.columns / 2);
                }
            }
        }
        if self.rows(stream, pane).iter().any(is_hit) {
            return;
        }
        let line = self.line_at(hit.line);
        let row = self.rows_of(line, stream, pane).iter().position(is_hit).unwrap_or(0);
        self.top = Some(LogAnchor { place: self.place(line), row });
        // Some lines before the match stay visible.
        let before = isize::try_from(pane.rows / 3).unwrap_or(0);
        self.scroll(-before, stream, pane);
    }
}

fn current_style(theme: Theme) -> Style {
    theme.selected().add_modifier(Modifier::BOLD)
}

fn gap_words(gap: u64, theme: Theme) -> String {
    let dots = if theme.unicode { "⋯" } else { "..." };
    format!("{dots} {gap} bytes are not kept here {dots}")
}

#[cfg(test)]
mod tests;
