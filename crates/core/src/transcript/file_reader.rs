//! Reading of one file, line by line. Invalid records are reported, and duplicate events count once.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::{fmt, mem};

use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::formats;
use super::otlp_batch::BorrowedText;
use crate::dialects::{self, Agent, Version, default_version, find_event};
use crate::hook::EventSpec;
use crate::recorded::{
    FileContext, FileHead, FileShape, FormatFit, HEAD_BYTES, RecordedEvent, TranscriptFormat, TranscriptItem,
    TranscriptReader,
};
use crate::text::parse_value;

/// The maximum size of an object that has several lines. A larger one is incomplete.
const MAX_OBJECT_BYTES: usize = 16 << 20;
/// The number of readers of subjects that are kept.
const MAX_SUBJECT_READERS: usize = 64;

/// A file that is being read.
pub struct TranscriptFileReader {
    reader: Box<dyn TranscriptReader>,
    shape: FileShape,
    /// Hashes of the event ids so far. A file may have a million of them.
    seen: HashSet<u64>,
    /// The subjects of its events.
    subjects: Vec<SubjectReader>,
    /// The lines of an object that may continue, and the number of the first.
    open: (u64, Vec<u8>),
}

impl TranscriptFileReader {
    /// Creates a reader for a file of this format.
    pub fn new(format: &dyn TranscriptFormat, about: &FileContext) -> TranscriptFileReader {
        TranscriptFileReader {
            reader: format.reader(about),
            shape: format.shape(),
            seen: HashSet::new(),
            subjects: Vec::new(),
            open: (0, Vec::new()),
        }
    }

    /// Whether the caller passes lines or the whole file.
    pub fn shape(&self) -> FileShape {
        self.shape
    }

    /// Reads one line without its line break, or the whole file as line 1. `ended` is false for a last line
    /// without a line break, which may be incomplete.
    pub fn line(&mut self, line: u64, bytes: &[u8], ended: bool, out: &mut Vec<TranscriptItem>) {
        if self.shape != FileShape::Objects {
            return self.whole_record(line, bytes, ended, out);
        }
        if bytes.starts_with(b"{") {
            self.close_object(true, out);
        }
        if self.open.1.is_empty() {
            self.open.0 = line;
        }
        if self.open.1.len() + bytes.len() <= MAX_OBJECT_BYTES {
            self.open.1.extend_from_slice(bytes);
            self.open.1.push(b'\n');
        }
        if !ended {
            self.close_object(false, out);
        }
    }

    /// Reads the object whose last line has been reached.
    fn close_object(&mut self, ended: bool, out: &mut Vec<TranscriptItem>) {
        let (line, bytes) = mem::take(&mut self.open);
        self.whole_record(line, &bytes, ended, out);
    }

    fn whole_record(&mut self, line: u64, bytes: &[u8], ended: bool, out: &mut Vec<TranscriptItem>) {
        let from = out.len();
        if std::str::from_utf8(bytes).is_ok_and(|text| self.reader.text_record(line, text, out)) {
            return self.finish(from, out);
        }
        match record(line, bytes, ended) {
            Ok(None) => {}
            Ok(Some((text, record))) => {
                self.reader.record(line, text, record, out);
                self.finish(from, out);
            }
            Err(why) => out.push(TranscriptItem::Skipped { line, why }),
        }
    }

    /// Reports the end of the file.
    pub fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        self.close_object(true, out);
        let from = out.len();
        self.reader.end(out);
        self.finish(from, out);
    }

    /// Fills in the subject and removes duplicate events, for all formats.
    fn finish(&mut self, from: usize, out: &mut Vec<TranscriptItem>) {
        let (seen, subjects) = (&mut self.seen, &mut self.subjects);
        let mut index = 0;
        out.retain_mut(|read| {
            index += 1;
            match read {
                TranscriptItem::Event(event) if index > from => {
                    fill_subject(event, subjects);
                    let mut hash = DefaultHasher::new();
                    event.id.hash(&mut hash);
                    seen.insert(hash.finish())
                }
                _ => true,
            }
        });
    }
}

/// The events of one name from one version of an agent.
struct SubjectReader {
    agent: String,
    version: Option<String>,
    event: String,
    dialect: &'static Agent,
    parsed_version: Version,
    /// The event and the key of its subject. `None` if it has none.
    spec: Option<(&'static EventSpec, &'static str)>,
}

impl SubjectReader {
    fn of(event: &RecordedEvent) -> Option<SubjectReader> {
        let dialect = dialects::by_id(&event.agent)?;
        let version = event.version.as_deref().and_then(Version::parse);
        let parsed_version = version.unwrap_or_else(|| default_version(dialect));
        let spec = find_event(dialect, &parsed_version, &event.event).and_then(|spec| Some((spec, spec.subject?)));
        let (agent, version, event) = (event.agent.clone(), event.version.clone(), event.event.clone());
        Some(SubjectReader { agent, version, event, dialect, parsed_version, spec })
    }

    fn subject(&self, payload: &[u8]) -> Option<String> {
        let (spec, key) = self.spec?;
        // Payloads may be large, so only this key is parsed.
        let member = serde_json::Deserializer::from_slice(payload).deserialize_map(MemberVisitor(key)).ok()?;
        let body: Value = match member {
            Some(value) => [(key.to_owned(), value)].into_iter().collect(),
            // The key may have another spelling.
            None => self.dialect.held_payload(spec.name, &serde_json::from_slice(payload).ok()?)?,
        };
        self.dialect.subject(spec, &body, &self.parsed_version).value
    }
}

/// Reads one member of an object.
struct MemberVisitor<'a>(&'a str);

impl<'de> Visitor<'de> for MemberVisitor<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<Value>, A::Error> {
        let mut member = None;
        while let Some(BorrowedText(key)) = map.next_key()? {
            if key == self.0 {
                member = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(member)
    }
}

fn fill_subject(event: &mut RecordedEvent, subjects: &mut Vec<SubjectReader>) {
    if event.subject.is_some() {
        return;
    }
    let is_reader = |reader: &SubjectReader| {
        (&reader.event, &reader.version, &reader.agent) == (&event.event, &event.version, &event.agent)
    };
    if !subjects.iter().any(is_reader) {
        if subjects.len() == MAX_SUBJECT_READERS {
            subjects.clear();
        }
        subjects.extend(SubjectReader::of(event));
    }
    event.subject = subjects.iter().find(|reader| is_reader(reader)).and_then(|reader| reader.subject(&event.payload));
}

/// Parses the record of a line. `None` if the line is empty.
fn record(line: u64, bytes: &[u8], ended: bool) -> Result<Option<(&str, Value)>, String> {
    let half = || "the last line is incomplete".to_owned();
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(why) if why.error_len().is_none() && !ended => return Err(half()),
        Err(why) => return Err(format!("not UTF-8 (byte {})", why.valid_up_to() + 1)),
    };
    let text = if line == 1 { text.trim_start_matches('\u{feff}') } else { text };
    // A crash can leave zero bytes in blocks that were never written.
    let zeros = text.contains('\0');
    // Blank lines before the record of a whole file are kept, because they count as lines.
    let text = text.trim_start_matches('\0').trim_end_matches(['\0', ' ', '\t', '\r', '\n']);
    if text.trim().is_empty() {
        return if zeros { Err("zero bytes, probably left by a crash".to_owned()) } else { Ok(None) };
    }
    match serde_json::from_str(text) {
        Ok(record) => Ok(Some((text, record))),
        Err(why) if why.is_eof() && !ended => Err(half()),
        // Agents that cut texts inside a surrogate pair write unpaired surrogates, which serde_json rejects.
        Err(why) => match parse_value(text) {
            Ok(record) => Ok(Some((text, record))),
            Err(_) => Err(format!("not JSON: {}", plain(&why))),
        },
    }
}

/// Formats an error without the line number if the text has only one line.
fn plain(why: &serde_json::Error) -> String {
    let says = why.to_string();
    match says.rsplit_once(" at line ") {
        Some((says, _)) if why.line() <= 1 => format!("{says} (column {})", why.column()),
        _ => says,
    }
}

/// The format of a file.
pub enum FileKind {
    Format(&'static dyn TranscriptFormat),
    /// Text in an unsupported encoding.
    UnsupportedEncoding(&'static str),
    Unknown,
}

/// Recognizes the format of a file by its first bytes. Of formats that are equally certain, the first is used.
pub fn recognise(path: &str, bytes: &[u8]) -> FileKind {
    let bytes = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    if let Some(encoding) = other_encoding(bytes) {
        return FileKind::UnsupportedEncoding(encoding);
    }
    // The text may end inside a character, and single lines may have another encoding.
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let records = text.lines().filter_map(|line| serde_json::from_str(line.trim_matches('\0')).ok()).collect();
    let head = FileHead { path, text, records };
    let mut best: Option<(&'static dyn TranscriptFormat, FormatFit)> = None;
    for format in formats() {
        let fit = format.detect(&head);
        if fit > best.map_or(FormatFit::No, |(_, fit)| fit) {
            best = Some((format, fit));
        }
    }
    best.map_or(FileKind::Unknown, |(format, _)| FileKind::Format(format))
}

/// Returns the encoding of a text that does not begin as UTF-8.
fn other_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'{' | b'[', 0, ..] | [0, b'{' | b'[', ..] => Some("UTF-16"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_hold_no_record() {
        for (bytes, ended, want) in [
            (&b"{\"a\":1}"[..], false, Ok(true)),
            (b"{\"a\":1}\r", true, Ok(true)),
            (b"\0\0{\"a\":1}", true, Ok(true)),
            (b"{\"a\":\"\\ud83d\"}", true, Ok(true)),
            (b"", true, Ok(false)),
            (b"  \t\r", true, Ok(false)),
            (b"{\"a\":", false, Err("the last line is incomplete")),
            (b"{\"a\":\"\xc3", false, Err("the last line is incomplete")),
            (b"{\"a\":", true, Err("not JSON: EOF while parsing a value (column 5)")),
            (b"{\"a\":\"caf\xe9\"}", true, Err("not UTF-8 (byte 10)")),
            (b"\0\0\0", true, Err("zero bytes, probably left by a crash")),
            (b"garbage", true, Err("not JSON: expected value (column 1)")),
        ] {
            let got = record(7, bytes, ended).map(|record| record.is_some());
            assert_eq!(got, want.map_err(str::to_owned), "{}", String::from_utf8_lossy(bytes));
        }
    }
}

#[cfg(test)]
mod format_detection_tests {
    use super::*;

    fn kind(text: &[u8]) -> String {
        match recognise("/x/file", text) {
            FileKind::Format(format) => format.kind().to_owned(),
            FileKind::UnsupportedEncoding(encoding) => encoding.to_owned(),
            FileKind::Unknown => "nothing".to_owned(),
        }
    }

    #[test]
    fn unknown_files() {
        for text in [
            &b""[..],
            b"hello\n",
            b"{}\n",
            b"[1,2]\n",
            b"{\"matcher\":\"Bash\"}\n",
            b"{\n  \"mcpServers\": {}\n}\n",
            b"\xff\xd8\xff\xe0",
            b"\0\0\0\0",
        ] {
            assert_eq!(kind(text), "nothing", "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn encodings_are_reported() {
        let wide: Vec<u8> = "{\"a\":1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(kind(&wide), "UTF-16");
        assert_eq!(kind(&[&[0xff, 0xfe][..], &wide].concat()), "UTF-16");
        assert_eq!(kind(b"\0\0\xfe\xff\0\0\0{"), "UTF-32");
    }

    #[test]
    fn a_mark_and_zeros_do_not_matter() {
        let line = br#"{"hook_event_name":"Stop","transcript_path":"/h/s.jsonl"}"#;
        assert_eq!(kind(line), "payloads");
        assert_eq!(kind(&[b"\xef\xbb\xbf".as_slice(), line].concat()), "payloads");
        assert_eq!(kind(&[b"\0\0\0".as_slice(), line].concat()), "payloads");
        assert_eq!(kind(&[line.as_slice(), b"\r\n\xe9t\xe9\r\n"].concat()), "payloads");
    }
}
