//! Styling and cutting the lines of a stream to the pane.

use ratatui::style::Style;

use crate::widgets::{StyledLine, width};

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
