//! Styling and cutting the lines of a stream to the pane.

use ratatui::style::Style;

use crate::widgets::StyledLine;
use crate::widgets::{width, wrap};

/// The same pieces with the given ranges of their text in another style.
pub fn marked(pieces: StyledLine, marks: &[(std::ops::Range<usize>, Style)]) -> StyledLine {
    if marks.is_empty() {
        return pieces;
    }
    let mut out: StyledLine = Vec::new();
    let mut at = 0;
    for (style, text) in pieces {
        let end = at + text.len();
        let mut from = at;
        let mut put = |style: Style, from: usize, to: usize| {
            if let Some(part) = text.get(from - at..to - at).filter(|t| !t.is_empty()) {
                out.push((style, part.to_owned()));
            }
        };
        for (range, mark) in marks.iter().filter(|(r, _)| r.start < end && r.end > at) {
            put(style, from, range.start.max(from));
            put(*mark, range.start.max(from), range.end.min(end));
            from = range.end.min(end);
        }
        put(style, from, end);
        at = end;
    }
    out
}

/// The rest of a row without its first columns.
pub fn slice(pieces: &[(Style, String)], left: usize) -> StyledLine {
    use unicode_segmentation::UnicodeSegmentation as _;
    let mut column = 0;
    let mut out: StyledLine = Vec::new();
    for (style, text) in pieces {
        let mut rest = String::new();
        for cluster in text.graphemes(true) {
            let wide = width(cluster);
            if column >= left {
                rest.push_str(cluster);
            } else if column + wide > left {
                // Half of a wide character becomes a space.
                rest.push(' ');
            }
            column += wide;
        }
        if !rest.is_empty() {
            out.push((*style, rest));
        }
    }
    out
}

/// Breaks a line between words. A change of its style is no place to break.
pub fn break_at_words(pieces: &[(Style, String)], columns: usize) -> Vec<StyledLine> {
    let text: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
    let mut end = 0;
    let rows = wrap(&[(Style::new(), text.clone())], columns, 0).into_iter().map(|row| {
        let row: String = row.into_iter().map(|(_, text)| text).collect();
        // Spaces at the end of a row are left out.
        let start = end + text.get(end..).and_then(|rest| rest.find(&row)).unwrap_or(0);
        end = start + row.len();
        part(pieces, start..end)
    });
    rows.collect()
}

/// The pieces of a part of a line.
fn part(pieces: &[(Style, String)], range: std::ops::Range<usize>) -> StyledLine {
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

/// Breaks a line into full rows, ignoring words.
pub fn break_anywhere(pieces: &[(Style, String)], columns: usize) -> Vec<StyledLine> {
    use unicode_segmentation::UnicodeSegmentation as _;
    let mut rows: Vec<StyledLine> = vec![Vec::new()];
    let mut used = 0;
    for (style, text) in pieces {
        for cluster in text.graphemes(true) {
            let wide = width(cluster);
            if used + wide > columns && used > 0 {
                rows.push(Vec::new());
                used = 0;
            }
            used += wide;
            let Some(row) = rows.last_mut() else { continue };
            match row.last_mut() {
                Some((last, before)) if last == style => before.push_str(cluster),
                _ => row.push((*style, cluster.to_owned())),
            }
        }
    }
    rows
}
