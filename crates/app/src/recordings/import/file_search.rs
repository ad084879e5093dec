//! Lists the files below a directory, and recognizes each by its content.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use hookbench_core::debug_log::recognise_debug_log;
use hookbench_core::dialects::Agent;
use hookbench_core::recorded::{FileShape, HEAD_BYTES, TranscriptFormat};
use hookbench_core::transcript::{FileKind, recognise};
use hookbench_system::disk;
use hookbench_system::disk::canonical;

/// Directories that contain no sessions but very many files.
const SKIPPED_DIRECTORIES: [&str; 2] = [".git", "node_modules"];

/// The number of bytes in which a line is looked for that tells the format. Only a longer first line exceeds it.
const MAX_SEARCHED: u64 = 256 << 20;

/// How a gzip file begins.
const GZIP: [u8; 2] = *b"\x1f\x8b";

/// The files below a directory.
#[derive(Debug, Default)]
pub struct FoundFiles {
    /// Sorted by name, a file before the directory of the same name.
    pub files: Vec<PathBuf>,
    /// Directories and links that could not be followed, with reasons.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Lists every regular file below a directory. A link is followed only if its target is inside the directory.
pub fn files_below(root: &Path) -> io::Result<FoundFiles> {
    let real = canonical(root)?;
    let mut walked = FoundFiles::default();
    let mut seen = HashSet::from([real.clone()]);
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        let entries = match std::fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(why) if directory == root => return Err(why),
            Err(why) => {
                walked.unreadable.push((directory, why.to_string()));
                continue;
            }
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            // Skip dangling links.
            let (Ok(target), Ok(about)) = (canonical(&path), path.metadata()) else { continue };
            if !target.starts_with(&real) || !seen.insert(target) {
                continue;
            }
            let passed_over =
                path.file_name().is_some_and(|name| SKIPPED_DIRECTORIES.iter().any(|other| name == *other));
            if about.is_dir() && !passed_over {
                directories.push(path);
            } else if about.is_file() {
                walked.files.push(path);
            }
        }
    }
    walked.files.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    Ok(walked)
}

/// The kind of a file.
pub enum ImportFileKind {
    Known(&'static dyn TranscriptFormat),
    /// A debug log of this agent.
    DebugLog(&'static Agent),
    /// An unknown format, with a reason if the file resembles a session.
    Other(Option<String>),
}

/// Recognizes a file by its beginning.
pub fn file_kind(path: &Path) -> io::Result<ImportFileKind> {
    let head = head(path)?;
    let kind = recognise(&path.to_string_lossy(), &head);
    let by_lines = |kind: &FileKind| matches!(kind, FileKind::Format(format) if format.shape() != FileShape::Whole);
    if !by_lines(&kind)
        && head.len() == HEAD_BYTES
        && let FileKind::Format(format) = recognise(&path.to_string_lossy(), &short_lines(path, &head)?)
        && format.shape() == FileShape::Lines
    {
        return Ok(ImportFileKind::Known(format));
    }
    Ok(match kind {
        FileKind::Format(format) => ImportFileKind::Known(format),
        FileKind::UnsupportedEncoding(encoding) => {
            ImportFileKind::Other(Some(format!("it is in {encoding}: save it as UTF-8")))
        }
        FileKind::Unknown if is_compressed(&head) => ImportFileKind::Other(Some(packed_problem(path, &head)?)),
        FileKind::Unknown => recognise_debug_log(&head).map_or(ImportFileKind::Other(None), ImportFileKind::DebugLog),
    })
}

/// The first lines of a file without those that are longer than its head, which tell nothing about the format.
fn short_lines(path: &Path, head: &[u8]) -> io::Result<Vec<u8>> {
    let mut text =
        head.get(..head.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)).unwrap_or_default().to_vec();
    let mut file = unpacked(path, disk::open(path)?)?;
    io::copy(&mut file.by_ref().take(text.len() as u64), &mut io::sink())?;
    let mut lines = BoundedLines::new(BufReader::with_capacity(HEAD_BYTES, file), HEAD_BYTES);
    while text.len() < HEAD_BYTES && lines.read < MAX_SEARCHED {
        match lines.next()? {
            Some(FileLine::Whole { bytes, ended: true }) => {
                text.extend_from_slice(bytes);
                text.push(b'\n');
            }
            Some(FileLine::TooLong { .. }) => {}
            Some(FileLine::Whole { .. }) | None => break,
        }
    }
    Ok(text)
}

/// Why a packed file has no readable beginning: hookbench does not read its kind, or it is damaged.
fn packed_problem(path: &Path, head: &[u8]) -> io::Result<String> {
    let mut start = unpacked(path, disk::open(path)?)?.take(HEAD_BYTES as u64);
    let error = start.read_to_end(&mut Vec::new()).err().filter(|_| head.starts_with(&GZIP));
    let damage =
        error.map(|why| format!("it is gzip, and its first bytes cannot be unpacked: {why}; copy the file again"));
    Ok(damage.unwrap_or_else(|| "it is compressed: unpack it first, or compress it with gzip".to_owned()))
}

/// Returns whether the file starts like gzip, zstd or xz.
fn is_compressed(head: &[u8]) -> bool {
    let beginnings: [&[u8]; 3] = [&GZIP, b"\x28\xb5\x2f\xfd", b"\xfd7zXZ"];
    beginnings.iter().any(|beginning| head.starts_with(beginning))
}

/// Reads the beginning of a file. A file that cannot be unpacked is read without unpacking.
pub fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let unpacked = unpacked(path, disk::open(path)?)?.take(HEAD_BYTES as u64).read_to_end(&mut bytes);
    if unpacked.is_err() && bytes.is_empty() { disk::read_beginning(path, HEAD_BYTES as u64) } else { Ok(bytes) }
}

/// The place of a file among others. Of several events with one id the first is kept, and of the same call a transcript holds more
/// than telemetry, and spans hold more than logs.
pub fn reading_order(path: &Path, format: &dyn TranscriptFormat) -> u8 {
    let begins_with_spans = || {
        let head = head(path).unwrap_or_default();
        head.split(|byte| *byte == b'[').next().is_some_and(|key| key.windows(13).any(|word| word == b"resourceSpans"))
    };
    match format.kind() {
        "telemetry" if !begins_with_spans() => 2,
        "telemetry" => 1,
        _ => 0,
    }
}

/// The content of a file, which is unpacked if the file is gzip.
pub fn unpacked<'a>(path: &Path, file: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let is_packed = disk::read_beginning(path, GZIP.len() as u64)? == GZIP;
    Ok(if is_packed { Box::new(MultiGzDecoder::new(BufReader::new(file))) } else { Box::new(file) })
}

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
    use super::*;
    use std::io::BufReader;

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

#[cfg(unix)]
#[cfg(test)]
mod link_tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_stay_inside() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        for directory in ["root/a/deep", "root/.git", "outside"] {
            std::fs::create_dir_all(dir.path().join(directory)).unwrap();
        }
        for file in ["root/a.jsonl", "root/a/deep/b", "root/.git/x", "outside/c"] {
            std::fs::write(dir.path().join(file), "x").unwrap();
        }
        symlink(dir.path().join("outside"), root.join("away")).unwrap();
        symlink(dir.path().join("outside/c"), root.join("c")).unwrap();
        symlink(&root, root.join("a/round")).unwrap();
        symlink(root.join("nothing"), root.join("gone")).unwrap();
        symlink(root.join("a/deep/b"), root.join("z-again")).unwrap();
        let files: Vec<String> = files_below(&root)
            .unwrap()
            .files
            .iter()
            .map(|file| file.strip_prefix(&root).unwrap().display().to_string())
            .collect();
        assert_eq!(files.len(), 2, "{files:?}");
        assert_eq!(files[0], "a.jsonl");
        assert!(files[1] == "a/deep/b" || files[1] == "z-again", "{files:?}");
        assert!(files_below(&root.join("nowhere")).is_err());
    }
}
