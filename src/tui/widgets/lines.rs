//! Lines of a stream and of a JSON text.

use crate::app::LiveStream;
use crate::core::text::visible;

/// The lines of what is kept of a stream, made anew only when the stream has grown.
#[derive(Debug, Clone, Default)]
pub struct StreamLines {
    key: (u64, u32, bool, u64),
    pub lines: Vec<String>,
}

/// Longest line that is laid out; the rest is said to be there.
const LONGEST: usize = 4096;

impl StreamLines {
    /// Brings the lines up to date. `key` names firing, run and stream.
    pub fn update(&mut self, key: (u64, u32, bool), stream: &LiveStream) {
        let key = (key.0, key.1, key.2, stream.total());
        if self.key == key {
            return;
        }
        self.key = key;
        self.lines.clear();
        push_lines(&mut self.lines, &stream.head);
        if stream.gap > 0 {
            self.lines.push(format!("⋯ {} bytes are not kept here ⋯", stream.gap));
        }
        push_lines(&mut self.lines, &stream.tail);
    }
}

fn push_lines(lines: &mut Vec<String>, bytes: &[u8]) {
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
        lines.push(text);
    }
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
        lines.update((1, 0, false), &stream);
        assert_eq!(lines.lines, ["a", "^[[31mb", "", "⋯ 7 bytes are not kept here ⋯", "end"]);
        lines.update((1, 1, false), &LiveStream::default());
        assert_eq!(lines.lines, Vec::<String>::new());
    }

    #[test]
    fn json_lines_split() {
        assert_eq!(json_line("  \"a\": 1,"), ("  ", "\"a\":", " 1,"));
        assert_eq!(json_line("  \"text\""), ("  ", "", "\"text\""));
    }
}
