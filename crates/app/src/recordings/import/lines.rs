//! Reads a stream line by line. A line over the limit is skipped without being stored.

use std::io::{self, BufRead};

/// The maximum length of a line. A line is held in memory several times: as bytes, as parsed values, and as
/// recorded events.
pub const MAX_LINE_BYTES: usize = 16 << 20;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub enum FileLine<'a> {
    /// Without the line break; `ended` is false for a last line without a line break.
    Whole { bytes: &'a [u8], ended: bool },
    /// A line over the limit, with its length.
    TooLong { bytes: u64 },
}

/// A number of bytes in MiB, rounded up: a size over a limit never shows as the limit.
pub fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}

/// The lines of a stream.
pub struct BoundedLines<R> {
    from: R,
    line: Vec<u8>,
    longest: usize,
    /// The number of lines read.
    pub number: u64,
    /// The number of bytes read.
    pub read: u64,
}

impl<R: BufRead> BoundedLines<R> {
    /// Reads from a stream; lines over `longest` bytes are skipped.
    pub fn new(from: R, longest: usize) -> BoundedLines<R> {
        BoundedLines { from, line: Vec::new(), longest, number: 0, read: 0 }
    }

    /// Reads the next line.
    ///
    /// # Errors
    /// Returns an error if the stream cannot be read.
    pub fn next(&mut self) -> io::Result<Option<FileLine<'_>>> {
        // Free the buffer after a long line.
        if self.line.capacity() > 1 << 20 {
            self.line = Vec::new();
        }
        self.line.clear();
        let (mut any, mut too_long, mut length) = (false, false, 0);
        let ended = loop {
            let bytes = match self.from.fill_buf() {
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            if bytes.is_empty() {
                break false;
            }
            any = true;
            let end = memchr::memchr(b'\n', bytes);
            let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            length += part.len() as u64;
            too_long |= self.line.len() + part.len() > self.longest;
            if too_long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.from.consume(used);
            self.read += used as u64;
            if end.is_some() {
                break true;
            }
        };
        if !any {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(if too_long {
            FileLine::TooLong { bytes: length }
        } else {
            FileLine::Whole { bytes: &self.line, ended }
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn lines_of_a_stream() {
        let text = b"one\n\nlonger than ten\r\nlast";
        for room in [1, 2, 7, 64] {
            let mut lines = BoundedLines::new(BufReader::with_capacity(room, &text[..]), 10);
            let mut seen = Vec::new();
            while let Some(line) = lines.next().unwrap() {
                seen.push(match line {
                    FileLine::Whole { bytes, ended } => {
                        format!("{}{}", String::from_utf8_lossy(bytes), if ended { "|" } else { "" })
                    }
                    FileLine::TooLong { bytes } => format!("{bytes} bytes"),
                });
            }
            assert_eq!(seen, ["one|", "|", "16 bytes", "last"], "{room}");
            assert_eq!((lines.number, lines.read), (4, text.len() as u64));
        }
    }
}
