//! Text in a row, wrapped or cut to the available space.

use ratatui::buffer::{Buffer, CellWidth as _};
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::theme::Theme;
use hookbench_core::text::one_line;

/// The width of a text in columns: the sum of its grapheme clusters, because they are drawn one by one. For some
/// scripts the width of the whole text would be smaller.
pub fn width(text: &str) -> usize {
    if text.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return text.len();
    }
    text.graphemes(true).map(columns_of).sum()
}

/// The width of one grapheme cluster; 0 if it is not drawn.
fn columns_of(cluster: &str) -> usize {
    if cluster.contains(char::is_control) { 0 } else { usize::from(cluster.cell_width()) }
}

/// Cuts a text between grapheme clusters, with an ellipsis if something is missing.
pub fn fit(text: &str, columns: usize, theme: Theme) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    if columns == 0 {
        return String::new();
    }
    let mut out = String::new();
    let mut used = 0;
    for cluster in text.graphemes(true) {
        let wide = columns_of(cluster);
        if used + wide > columns - 1 {
            break;
        }
        out.push_str(cluster);
        used += wide;
    }
    out.push_str(theme.ellipsis());
    out
}

/// Cuts a sentence between words, with an ellipsis if something is missing.
pub fn fit_words(text: &str, columns: usize, theme: Theme) -> String {
    let cut = fit(text, columns, theme);
    let kept = cut.strip_suffix(theme.ellipsis()).filter(|_| cut != text);
    match kept.and_then(|kept| kept.rsplit_once(' ')) {
        // Half a sentence says more than a few words of it.
        Some((words, _)) if 2 * width(words) >= columns => {
            format!("{}{}", words.trim_end_matches([' ', ',', ';', ':']), theme.ellipsis())
        }
        _ => cut,
    }
}

/// Wraps a line into rows of at most `columns`; rows after the first are indented. Breaks at spaces if possible,
/// otherwise inside a word.
pub fn wrap(pieces: &[(Style, String)], columns: usize, indent: usize) -> Vec<Vec<(Style, String)>> {
    let indent = if indent + 8 > columns { 0 } else { indent };
    let mut rows: Vec<Vec<(Style, String)>> = vec![Vec::new()];
    let mut used = 0;
    for (style, text) in pieces {
        let text = one_line(text);
        for word in text.split_inclusive(' ') {
            if used > indent && used + width(word.trim_end()) > columns && width(word.trim_end()) <= columns - indent {
                rows.push(vec![(Style::new(), " ".repeat(indent))]);
                used = indent;
            }
            for cluster in word.graphemes(true) {
                let wide = columns_of(cluster);
                if used + wide > columns && used > 0 {
                    if cluster == " " {
                        continue;
                    }
                    rows.push(vec![(Style::new(), " ".repeat(indent))]);
                    used = indent;
                }
                used += wide;
                push_piece(rows.last_mut(), *style, cluster);
            }
        }
    }
    rows
}

/// Like [`wrap`], but a change of the style is no place to break.
pub fn wrap_whole(pieces: &[(Style, String)], columns: usize, indent: usize) -> Vec<Vec<(Style, String)>> {
    let pieces: Vec<(Style, String)> = pieces.iter().map(|(style, text)| (*style, one_line(text))).collect();
    let text: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
    let mut end = 0;
    let rows = wrap(&[(Style::reset(), text.clone())], columns, indent).into_iter().map(|row| {
        let (own, mut out): (Vec<_>, Vec<_>) = row.into_iter().partition(|(style, _)| *style == Style::reset());
        let own: String = own.into_iter().map(|(_, text)| text).collect();
        // Spaces at the end of a row are left out.
        let start = end + text.get(end..).and_then(|rest| rest.find(&own)).unwrap_or(0);
        end = start + own.len();
        out.extend(part(&pieces, start..end));
        out
    });
    rows.collect()
}

/// The pieces of a part of a line.
fn part(pieces: &[(Style, String)], range: std::ops::Range<usize>) -> Vec<(Style, String)> {
    let mut end = 0;
    let within = pieces.iter().filter_map(|(style, text)| {
        let start = end;
        end += text.len();
        let (from, to) = (range.start.max(start), range.end.min(end));
        let text = text.get(from.saturating_sub(start)..to.saturating_sub(start)).filter(|text| !text.is_empty())?;
        Some((*style, text.to_owned()))
    });
    within.collect()
}

fn push_piece(row: Option<&mut Vec<(Style, String)>>, style: Style, text: &str) {
    let Some(row) = row else { return };
    match row.last_mut() {
        Some((last, before)) if *last == style => before.push_str(text),
        _ => row.push((style, text.to_owned())),
    }
}

/// Draws a horizontal rule.
pub fn rule(area: Rect, buf: &mut Buffer, theme: Theme) {
    buf.set_string(area.x, area.y, theme.rule().repeat(area.width as usize), theme.border(false));
}

/// Writes texts side by side on one row, never past its end. Control characters are made visible.
pub struct RowWriter<'a> {
    buf: &'a mut Buffer,
    theme: Theme,
    x: u16,
    y: u16,
    end: u16,
}

impl<'a> RowWriter<'a> {
    /// Starts at the first row of an area.
    pub fn new(area: Rect, buf: &'a mut Buffer, theme: Theme) -> RowWriter<'a> {
        let end = if area.height == 0 { area.x } else { area.right() };
        RowWriter { buf, theme, x: area.x, y: area.y, end }
    }

    /// The number of free columns.
    pub fn left(&self) -> usize {
        usize::from(self.end.saturating_sub(self.x))
    }

    /// Writes a text.
    pub fn put(&mut self, style: Style, text: &str) -> &mut Self {
        let text = fit(&one_line(text), self.left(), self.theme);
        if !text.is_empty() {
            self.buf.set_string(self.x, self.y, &text, style);
            self.x = self.x.saturating_add(u16::try_from(width(&text)).unwrap_or(u16::MAX)).min(self.end);
        }
        self
    }

    /// Writes a sentence; if it is too long, it is cut between words.
    pub fn sentence(&mut self, style: Style, text: &str) -> &mut Self {
        let text = fit_words(&one_line(text), self.left(), self.theme);
        self.put(style, &text)
    }

    /// Writes a text in a column of fixed width, cut if necessary; two spaces follow.
    pub fn cell(&mut self, style: Style, text: &str, columns: usize) -> &mut Self {
        let room = columns.min(self.left());
        let text = fit(&one_line(text), room, self.theme);
        if !text.is_empty() {
            self.buf.set_string(self.x, self.y, &text, style);
        }
        self.skip(columns + 2)
    }

    /// Writes the parts of a line.
    pub fn line(&mut self, line: &[(Style, String)]) -> &mut Self {
        for (style, text) in line {
            self.put(*style, text);
        }
        self
    }

    /// Leaves columns empty.
    pub fn skip(&mut self, columns: usize) -> &mut Self {
        self.x = self.x.saturating_add(u16::try_from(columns).unwrap_or(u16::MAX)).min(self.end);
        self
    }

    /// Writes a text at the right edge if it fits with two spaces before it.
    pub fn right(&mut self, style: Style, text: &str) -> &mut Self {
        let text = one_line(text);
        let wide = width(&text);
        if !text.is_empty() && self.left() >= wide + 2 {
            let x = self.end - u16::try_from(wide).unwrap_or(0);
            self.buf.set_string(x, self.y, &text, style);
            self.end = x.saturating_sub(2);
        }
        self
    }

    /// Writes parts at the right end, or nothing if they do not fit.
    pub fn right_parts(&mut self, parts: &[(Style, String)]) -> &mut Self {
        let wide: usize = parts.iter().map(|(_, text)| width(&one_line(text))).sum();
        if wide > 0 && self.left() >= wide + 2 {
            let mut x = self.end - u16::try_from(wide).unwrap_or(0);
            let start = x;
            for (style, text) in parts {
                let text = one_line(text);
                self.buf.set_string(x, self.y, &text, *style);
                x += u16::try_from(width(&text)).unwrap_or(0);
            }
            self.end = start.saturating_sub(2);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEME: Theme = Theme { colour: false, unicode: true };

    #[test]
    fn texts_fit() {
        for (text, columns, want) in [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("x", 0, ""),
            ("👩‍👩‍👧‍👦abc", 3, "👩‍👩‍👧‍👦…"),
        ] {
            assert_eq!(fit(text, columns, THEME), want, "{text} in {columns}");
            assert!(width(&fit(text, columns, THEME)) <= columns);
        }
    }

    #[test]
    fn sentences_are_cut_between_words() {
        for (text, columns, want) in [
            ("one two three", 13, "one two three"),
            ("one two three", 12, "one two…"),
            ("one, two three", 9, "one, two…"),
            ("a longerwordthanthat", 10, "a longerw…"),
            ("x", 0, ""),
        ] {
            assert_eq!(fit_words(text, columns, THEME), want, "{text} in {columns}");
            assert!(width(&fit_words(text, columns, THEME)) <= columns);
        }
    }

    #[test]
    fn lines_wrap() {
        let rows = |text: &str, columns, indent| -> Vec<String> {
            let pieces = [(Style::new(), text.to_owned())];
            wrap(&pieces, columns, indent).iter().map(|r| r.iter().map(|(_, t)| t.as_str()).collect()).collect()
        };
        assert_eq!(rows("one two three", 9, 0), ["one two ", "three"]);
        assert_eq!(rows("abcdefghijkl", 5, 0), ["abcde", "fghij", "kl"]);
        assert_eq!(rows("label: a longer text here", 14, 3), ["label: a ", "   longer text", "   here"]);
        assert_eq!(rows("日本語", 4, 0), ["日本", "語"]);
        assert_eq!(rows("", 4, 0), [""]);
    }

    /// Joined letters are drawn in one cell each, and text after them must not overlap them.
    #[test]
    fn what_is_drawn_is_as_wide_as_it_is_said_to_be() {
        for text in ["لا", "日本", "ﾊﾟ", "👩‍👩‍👧‍👦", "🇩🇪", "❤️", "1️⃣", "e\u{301}", "ก็", "क्षि", "plain"]
        {
            let mut buf = Buffer::empty(Rect::new(0, 0, 20, 1));
            let drawn = buf.set_stringn(0, 0, text, 20, Style::new());
            assert_eq!(drawn, (u16::try_from(width(text)).unwrap(), 0), "{text}");
        }
    }

    #[test]
    fn rows_never_overflow() {
        let area = Rect::new(1, 0, 10, 1);
        let mut buf = Buffer::empty(Rect::new(0, 0, 12, 1));
        RowWriter::new(area, &mut buf, THEME).right(Style::new(), "end").put(Style::new(), "a very long text");
        let line: String = (0..12).map(|x| buf[(x, 0)].symbol().to_owned()).collect();
        assert_eq!(line, " a ve…  end ");
    }
}
