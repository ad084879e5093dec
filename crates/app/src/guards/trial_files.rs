//! The files around a recorded event. Its transcript is cut at the event; contents of files at that time are unknown.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use hookbench_core::guard::{GuardFile, Surroundings, TranscriptEnd};
use hookbench_system::guard::MAX_TRANSCRIPT_END;

/// The transcripts that were read, with the offsets of their lines.
#[derive(Default)]
pub struct TranscriptCache(RefCell<HashMap<String, Option<Rc<CachedTranscript>>>>);

/// A transcript in memory.
pub struct CachedTranscript {
    bytes: Vec<u8>,
    /// The end of each line.
    ends: Vec<usize>,
}

/// The number of transcripts that are kept in memory.
const MAX_KEPT: usize = 4;

impl TranscriptCache {
    fn get(&self, path: &str) -> Option<Rc<CachedTranscript>> {
        if let Some(known) = self.0.borrow().get(path) {
            return known.clone();
        }
        let read = hookbench_system::disk::read(path).ok().map(|bytes| {
            let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
            Rc::new(CachedTranscript { bytes, ends })
        });
        let mut kept = self.0.borrow_mut();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(path.to_owned(), read.clone());
        read
    }
}

impl CachedTranscript {
    /// Returns the transcript before a line, counted from 1.
    fn before(&self, line: usize) -> TranscriptEnd {
        let end = line.checked_sub(2).map_or(0, |index| self.ends.get(index).copied().unwrap_or(self.bytes.len()));
        let most = usize::try_from(MAX_TRANSCRIPT_END).unwrap_or(usize::MAX);
        let start = end.saturating_sub(most);
        TranscriptEnd { bytes: self.bytes.get(start..end).unwrap_or_default().to_vec(), whole: start == 0 }
    }

    /// Returns the first line, counted from 1, that contains a text.
    fn line_with(&self, text: &str) -> Option<usize> {
        let mut start = 0;
        for (index, end) in self.ends.iter().enumerate() {
            let line = self.bytes.get(start..*end).unwrap_or_default();
            if line.windows(text.len()).any(|window| window == text.as_bytes()) {
                return Some(index + 1);
            }
            start = *end;
        }
        None
    }
}

/// The files around one recorded event.
pub struct TrialSurroundings<'a> {
    pub cache: &'a TranscriptCache,
    /// The transcript from which the event was rebuilt, and its line.
    pub source: Option<(&'a str, u64)>,
    /// The id of the call, which marks the event in the transcript.
    pub call: Option<&'a str>,
    /// Whether the event edits a file, which must exist then.
    pub edits: bool,
    pub home: &'a str,
}

impl Surroundings for TrialSurroundings<'_> {
    fn file(&self, _path: &str) -> GuardFile {
        if self.edits { GuardFile::Unreadable } else { GuardFile::Missing }
    }

    fn transcript(&self, path: &str) -> Option<TranscriptEnd> {
        if let Some((file, line)) = self.source
            && file.rsplit_once('.').is_some_and(|(_, extension)| extension == "jsonl")
        {
            // A stop comes after its message, and a call after its own line.
            let after = usize::from(self.call.is_none());
            return Some(self.cache.get(file)?.before(usize::try_from(line).ok()? + after));
        }
        let transcript = self.cache.get(path)?;
        Some(transcript.before(transcript.line_with(self.call?)?))
    }

    fn home(&self) -> &str {
        self.home
    }

    fn temporary(&self) -> Option<&str> {
        None
    }
}
