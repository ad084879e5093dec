//! Lines of a stream and of a JSON text.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::app::LiveStream;
use crate::core::text::visible;

/// The lines of what is kept of a stream, made anew only when the stream has grown.
#[derive(Debug, Clone, Default)]
pub struct StreamLines {
    key: (u64, u32, bool, u64, usize),
    pub lines: Vec<String>,
}

/// Longest line that is laid out; the rest is said to be there.
const LONGEST: usize = 4096;

impl StreamLines {
    /// Brings the lines up to date, broken at `columns`. `key` names firing, run and stream.
    pub fn update(&mut self, key: (u64, u32, bool), stream: &LiveStream, columns: usize) {
        let key = (key.0, key.1, key.2, stream.total(), columns);
        if self.key == key {
            return;
        }
        self.key = key;
        self.lines.clear();
        push_lines(&mut self.lines, &stream.head, columns);
        if stream.gap > 0 {
            self.lines.push(format!("⋯ {} bytes are not kept here ⋯", stream.gap));
        }
        push_lines(&mut self.lines, &stream.tail, columns);
    }
}

fn push_lines(lines: &mut Vec<String>, bytes: &[u8], columns: usize) {
    if bytes.is_empty() {
        return;
    }
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    for line in bytes.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (shown, rest) = line.split_at(line.len().min(LONGEST));
        let mut text = visible(&String::from_utf8_lossy(shown));
        if !rest.is_empty() {
            text.push_str(&format!(" ⋯ {} more bytes on this line", rest.len()));
        }
        push_rows(lines, &text, columns);
    }
}

/// Longest line that is broken between words.
const SENTENCE: usize = 512;

/// One line as rows of at most `columns`.
fn push_rows(lines: &mut Vec<String>, text: &str, columns: usize) {
    if columns == 0 || text.width() <= columns {
        lines.push(text.to_owned());
        return;
    }
    // Sentences break between words; what is no sentence, or too much of it, breaks where the row is full.
    if text.len() <= SENTENCE {
        let pieces = [(ratatui::style::Style::new(), text.to_owned())];
        let rows = super::text::wrap(&pieces, columns, 0);
        lines.extend(rows.into_iter().map(|row| row.into_iter().map(|(_, t)| t).collect::<String>()));
        return;
    }
    let mut row = String::new();
    let mut used = 0;
    for cluster in text.graphemes(true) {
        let wide = cluster.width();
        if used + wide > columns && used > 0 {
            lines.push(std::mem::take(&mut row));
            used = 0;
        }
        row.push_str(cluster);
        used += wide;
    }
    lines.push(row);
}

/// Splits a line of pretty JSON into indent, key (with its colon) and rest.
pub fn json_line(line: &str) -> (&str, &str, &str) {
    let start = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(start);
    if let Some(end) = rest.strip_prefix('"').and_then(|r| r.find("\": ")) {
        let (key, value) = rest.split_at(end + 3);
        return (indent, key, value);
    }
    (indent, "", rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_become_lines() {
        let mut lines = StreamLines::default();
        let stream = LiveStream { head: b"a\r\n\x1b[31mb\n\n".to_vec(), gap: 7, tail: b"end".to_vec() };
        lines.update((1, 0, false), &stream, 80);
        assert_eq!(lines.lines, ["a", "^[[31mb", "", "⋯ 7 bytes are not kept here ⋯", "end"]);
        lines.update((1, 1, false), &LiveStream::default(), 80);
        let long = LiveStream { head: b"abcdefg".to_vec(), ..LiveStream::default() };
        lines.update((1, 2, false), &long, 3);
        assert_eq!(lines.lines, ["abc", "def", "g"]);
        lines.update((1, 3, false), &LiveStream::default(), 3);
        assert_eq!(lines.lines, Vec::<String>::new());
    }

    #[test]
    fn json_lines_split() {
        assert_eq!(json_line("  \"a\": 1,"), ("  ", "\"a\":", " 1,"));
        assert_eq!(json_line("  \"text\""), ("  ", "", "\"text\""));
    }
}
