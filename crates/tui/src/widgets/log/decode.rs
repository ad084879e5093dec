//! Decoding a line of a stream: colours become styles, other control characters are made visible.

use ratatui::style::Style;
use unicode_width::UnicodeWidthChar as _;

use super::pen::Pen;
use crate::theme::Theme;
use crate::widgets::StyledLine;
use hookbench_core::text::escape_for_terminal;

/// A decoded line.
#[derive(Debug, Default, PartialEq)]
pub struct DecodedLine {
    pub pieces: StyledLine,
    /// Number of times the line was overwritten after a carriage return.
    pub rewrites: usize,
}

impl DecodedLine {
    /// The text without styles.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|(_, t)| t.as_str()).collect()
    }
}

struct LineDecoder {
    out: DecodedLine,
    pen: Pen,
    theme: Theme,
    column: usize,
    /// Number of columns to decode.
    limit: usize,
    /// Whether the last character was a carriage return; the next text overwrites the line.
    overwrites: bool,
}

impl LineDecoder {
    fn push(&mut self, style: Style, text: &str, columns: usize) {
        if self.overwrites {
            self.overwrites = false;
            self.column = 0;
            self.out.rewrites += 1;
            self.out.pieces.clear();
        }
        if self.column < self.limit {
            match self.out.pieces.last_mut() {
                Some((last, before)) if *last == style => before.push_str(text),
                _ => self.out.pieces.push((style, text.to_owned())),
            }
        }
        self.column += columns;
    }

    /// Adds a control sequence in visible form, dimmed to distinguish it from the hook's text.
    fn push_visible(&mut self, text: &str) {
        let columns = text.chars().count();
        self.push(self.theme.quiet(), text, columns);
    }

    fn push_text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            // Most output is plain ASCII and is handled in one piece.
            let run = rest.bytes().take_while(|b| (0x20..0x7f).contains(b)).count();
            let length = match c {
                _ if run > 0 => {
                    let room = self.limit.saturating_sub(if self.overwrites { 0 } else { self.column });
                    self.push(self.pen.style(self.theme), rest.get(..run.min(room)).unwrap_or(""), run);
                    run
                }
                '\u{1b}' => self.escape(rest),
                '\r' => {
                    self.overwrites = self.column > 0 || self.overwrites;
                    1
                }
                '\t' => {
                    let columns = 8 - if self.overwrites { 0 } else { self.column } % 8;
                    self.push(self.pen.style(self.theme), &" ".repeat(columns), columns);
                    1
                }
                c => {
                    let shown = escape_for_terminal(c.encode_utf8(&mut [0; 4]));
                    if shown.chars().eq([c]) {
                        self.push(self.pen.style(self.theme), &shown, c.width().unwrap_or(0));
                    } else {
                        self.push_visible(&shown);
                    }
                    c.len_utf8()
                }
            };
            rest = rest.get(length..).unwrap_or("");
        }
    }

    /// Handles an escape sequence; returns its length in bytes.
    fn escape(&mut self, text: &str) -> usize {
        let length = sequence(text);
        let whole = text.get(..length).unwrap_or(text);
        match whole.strip_prefix("\u{1b}[").and_then(|t| t.strip_suffix('m')) {
            Some(parameters) if parameters.bytes().all(|b| matches!(b, b'0'..=b'9' | b';' | b':')) => {
                self.pen.apply(parameters);
            }
            _ => self.push_visible(&escape_for_terminal(whole)),
        }
        length
    }
}

/// The length of the sequence at the start of a text that begins with ESC.
fn sequence(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends =
        |from: usize, end: &dyn Fn(u8) -> bool| bytes.iter().skip(from).position(|b| end(*b)).map(|at| from + at);
    match bytes.get(1) {
        Some(b'[') => match ends(2, &|b| !(0x20..0x40).contains(&b)) {
            Some(at) if bytes.get(at).is_some_and(|b| (0x40..0x7f).contains(b)) => at + 1,
            Some(at) => at,
            None => bytes.len(),
        },
        // A string for the terminal ends with BEL or `ESC \`.
        Some(b']' | b'P' | b'_' | b'^' | b'X') => match ends(2, &|b| b < 0x20) {
            Some(at) if bytes.get(at) == Some(&7) => at + 1,
            Some(at) if bytes.get(at..at + 2) == Some(b"\x1b\\") => at + 2,
            Some(at) => at,
            None => bytes.len(),
        },
        Some(0x20..0x7f) => 2,
        _ => 1,
    }
}

#[cfg(test)]
thread_local! {
    /// Number of decoded bytes, for the test of a frame's cost.
    pub static DECODED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Decodes one line that starts with `pen`, up to `limit` columns.
pub fn decode(line: &[u8], pen: Pen, theme: Theme, limit: usize) -> DecodedLine {
    #[cfg(test)]
    DECODED.set(DECODED.get() + line.len());
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut painter = LineDecoder { out: DecodedLine::default(), pen, theme, column: 0, limit, overwrites: false };
    for chunk in line.utf8_chunks() {
        painter.push_text(chunk.valid());
        for byte in chunk.invalid() {
            painter.push_visible(&format!("\\x{byte:02X}"));
        }
    }
    painter.out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Color;

    const THEME: Theme = Theme { colour: true, unicode: true };

    #[test]
    fn lines_are_shown_and_not_obeyed() {
        let long = [b'x'; 100];
        for (bytes, want, rewrites) in [
            (&b"plain\r\n"[..], "plain", 0),
            (b"\x1b[31mred\x1b[0m \x1b[1mbold\n", "red bold", 0),
            (b"\x1b[2J\x1b]0;title\x07\x1b]52;c;aGk=\x1b\\x", "^[[2J^[]0;title^G^[]52;c;aGk=^[\\x", 0),
            (b"a\tb\t\tc", "a       b               c", 0),
            (b" 10 %\r 50 %\r100 %\r\n", "100 %", 2),
            (b"\r\r\rdone", "done", 0),
            (b"old\rnew\r", "new", 1),
            (b"\xff\xfe ok \xe6\x97", "\\xFF\\xFE ok \\xE6\\x97", 0),
            ("日本語 👩‍👩‍👧‍👦 \u{202e}x\u{9b}3m".as_bytes(), "日本語 👩‍👩‍👧‍👦 <U+202E>x<U+009B>3m", 0),
            (b"\x1b", "^[", 0),
            (b"\x1b[3", "^[[3", 0),
            (b"\x1b[?25l\x1b[31\x01m", "^[[?25l^[[31^Am", 0),
            (b"\x1bcx", "^[cx", 0),
            (b"\0", "^@", 0),
            (&long, &"x".repeat(40), 0),
        ] {
            let shown = decode(bytes, Pen::default(), THEME, 40);
            assert_eq!((shown.text().as_str(), shown.rewrites), (want, rewrites), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn colours_become_styles() {
        let mut pen = Pen::default();
        pen.apply("32");
        let shown = decode(b"a\x1b[31mb\x1b[Kc", pen, THEME, 99);
        let want = [
            (Style::new().fg(Color::Green), "a"),
            (Style::new().fg(Color::Red), "b"),
            (THEME.quiet(), "^[[K"),
            (Style::new().fg(Color::Red), "c"),
        ];
        assert_eq!(shown.pieces, want.map(|(s, t)| (s, t.to_owned())));
    }
}
