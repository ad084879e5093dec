//! The files of `tests/transcripts`, and their parsed events. Parsing does not read the disk again.

use std::fs;
use std::path::{Path, PathBuf};

use hookbench::core::recorded::{
    FileContext, FileShape, RecordedEvent, RecordedSession, TranscriptFormat, TranscriptItem,
};
use hookbench::core::transcript::{FileKind, TranscriptFileReader, recognise};

/// A test file.
pub struct TranscriptFile {
    /// The directory of the file, which is the name of its format.
    pub kind: String,
    pub file: PathBuf,
}

/// The result of reading a file.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct ParsedTranscript {
    /// The reported sessions, with the newest report of each.
    pub sessions: Vec<RecordedSession>,
    pub events: Vec<RecordedEvent>,
    /// The number of events that were returned before the end of the file.
    pub before_the_end: usize,
    pub skipped: Vec<(u64, String)>,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns all test files.
pub fn all() -> Vec<TranscriptFile> {
    let mut found = Vec::new();
    for directory in fs::read_dir(root().join("tests/transcripts")).unwrap().flatten().map(|entry| entry.path()) {
        let is_kind = directory.is_dir() && !directory.ends_with("read");
        for file in fs::read_dir(&directory).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = file.to_string_lossy();
            if is_kind && ![".meta.json", ".settings.json"].iter().any(|end| name.ends_with(end)) {
                found.push(TranscriptFile::of(&file));
            }
        }
    }
    found.sort_by(|a, b| a.file.cmp(&b.file));
    assert!(found.len() >= 12, "the files were not found");
    found
}

impl TranscriptFile {
    /// A single file.
    pub fn of(file: &Path) -> TranscriptFile {
        let kind = file.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        TranscriptFile { kind, file: file.to_owned() }
    }

    /// The name of the test file, such as `codex-rollout-made`.
    pub fn name(&self) -> String {
        format!("{}-{}", self.kind, self.file.file_stem().unwrap().to_str().unwrap())
    }

    /// The content on disk.
    pub fn text(&self) -> String {
        fs::read_to_string(&self.file).unwrap()
    }

    /// Returns the format recognised by content.
    pub fn format(&self) -> &'static dyn TranscriptFormat {
        // The path gives no hint, because formats are recognised by content.
        match recognise("/somewhere/file", self.text().as_bytes()) {
            FileKind::Format(format) => {
                assert_eq!(format.kind(), self.kind, "{}", self.name());
                format
            }
            FileKind::UnsupportedEncoding(why) => panic!("{}: {why}", self.name()),
            FileKind::Unknown => panic!("{} is not recognised", self.name()),
        }
    }
}

/// Reads a test file.
pub fn read(fixture: &TranscriptFile) -> ParsedTranscript {
    let format = fixture.format();
    let beside = fixture.file.to_str().and_then(|path| fs::read_to_string(format.companion(path)?).ok());
    read_text(format, fixture.text().as_bytes(), beside)
}

/// Reads a text in the given format.
pub fn read_text(format: &dyn TranscriptFormat, text: &[u8], beside: Option<String>) -> ParsedTranscript {
    let about = FileContext {
        path: "/home/u/sessions/file.jsonl".to_owned(),
        companion: beside,
        home: "/home/u".to_owned(),
        project: "/home/u/p".to_owned(),
    };
    let mut reading = TranscriptFileReader::new(format, &about);
    let (mut got, mut out) = (ParsedTranscript::default(), Vec::new());
    if reading.shape() == FileShape::Whole {
        reading.line(1, text, true, &mut out);
    } else {
        let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        let last = lines.pop().unwrap_or_default();
        for (number, line) in (1..).zip(&lines) {
            reading.line(number, line, true, &mut out);
        }
        if !last.is_empty() {
            reading.line(lines.len() as u64 + 1, last, false, &mut out);
        }
    }
    take(&mut got, std::mem::take(&mut out));
    got.before_the_end = got.events.len();
    reading.end(&mut out);
    take(&mut got, out);
    got
}

fn take(got: &mut ParsedTranscript, reads: Vec<TranscriptItem>) {
    for read in reads {
        match read {
            TranscriptItem::Event(event) => {
                let told = got.sessions.iter().any(|s| s.agent == event.agent && s.session == event.session);
                assert!(told, "a session is told before its events");
                got.events.push(*event);
            }
            TranscriptItem::Skipped { line, why } => got.skipped.push((line, why)),
            TranscriptItem::Session(session) => {
                let same = |s: &&mut RecordedSession| (&s.agent, &s.session) == (&session.agent, &session.session);
                match got.sessions.iter_mut().find(same) {
                    Some(known) => *known = session,
                    None => got.sessions.push(session),
                }
            }
        }
    }
}
