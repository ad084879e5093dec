//! The files around an event, on the disk. A path comes from a payload, so it may lead anywhere.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::disk;
use crate::disk::canonical;
use crate::own_directories::home_directory;
use hookbench_core::dialects;
use hookbench_core::guard::{GuardFile, GuardSettings, Surroundings, TranscriptEnd, read_guard_settings};
use hookbench_core::live::{project_variables, settings_file, state_directory};
use hookbench_core::text::is_absolute_path;

/// The size of the end of a transcript that is read, in bytes.
pub const MAX_TRANSCRIPT_END: u64 = 4 << 20;
/// The size of a transcript above which it is not opened.
const MAX_TRANSCRIPT: u64 = 512 << 20;
/// The size up to which a transcript that is one JSON value is read.
const MAX_WHOLE_TRANSCRIPT: u64 = 32 << 20;
/// The size of a changed file above which only its beginning is compared.
const MAX_CONTENT: u64 = 2 << 20;

/// The files on the disk.
pub struct DiskSurroundings {
    pub home: String,
    pub temporary: Option<String>,
    /// The directories in which transcripts may be.
    pub roots: Vec<PathBuf>,
}

impl Surroundings for DiskSurroundings {
    fn file(&self, path: &str) -> GuardFile {
        match disk::read_beginning(path, MAX_CONTENT) {
            Ok(bytes) => GuardFile::Text(String::from_utf8_lossy(&bytes).into_owned()),
            Err(why) if why.kind() == ErrorKind::NotFound => GuardFile::Missing,
            Err(_) => GuardFile::Unreadable,
        }
    }

    fn transcript(&self, path: &str) -> Option<TranscriptEnd> {
        let real = canonical(path).ok()?;
        let inside = |root: &PathBuf| canonical(root).is_ok_and(|root| real.starts_with(root));
        if !self.roots.iter().any(inside) {
            return None;
        }
        read_end(&real).ok().flatten()
    }

    fn home(&self) -> &str {
        &self.home
    }

    fn temporary(&self) -> Option<&str> {
        self.temporary.as_deref()
    }
}

/// Reads the end of a transcript. `None` if it is too large.
fn read_end(path: &Path) -> std::io::Result<Option<TranscriptEnd>> {
    let mut file = disk::open(path)?;
    let size = file.metadata()?.len();
    if size > MAX_TRANSCRIPT {
        return Ok(None);
    }
    if size > MAX_TRANSCRIPT_END && is_one_value(&mut file)? {
        let whole = size <= MAX_WHOLE_TRANSCRIPT;
        file.seek(SeekFrom::Start(0))?;
        return if whole { read(file, size, true).map(Some) } else { Ok(None) };
    }
    let start = size.saturating_sub(MAX_TRANSCRIPT_END);
    file.seek(SeekFrom::Start(start))?;
    read(file, MAX_TRANSCRIPT_END, start == 0).map(Some)
}

/// Whether a file is one JSON value over many lines.
fn is_one_value(file: &mut File) -> std::io::Result<bool> {
    let mut beginning = [0; 2];
    let count = file.read(&mut beginning)?;
    Ok(beginning.get(..count) == Some(b"{\n"))
}

fn read(file: File, most: u64, whole: bool) -> std::io::Result<TranscriptEnd> {
    let mut bytes = Vec::with_capacity(usize::try_from(most.min(MAX_TRANSCRIPT_END)).unwrap_or_default());
    file.take(most).read_to_end(&mut bytes)?;
    Ok(TranscriptEnd { bytes, whole })
}

/// The size limit for settings files.
const LONGEST_SETTINGS: u64 = 256 * 1024;

/// The home directory and the project of the process.
pub struct GuardEnvironment {
    home: Option<PathBuf>,
    /// The project's directory, if the agent names it in a variable.
    pub project: Option<String>,
}

impl GuardEnvironment {
    /// Reads the environment.
    pub fn read() -> GuardEnvironment {
        GuardEnvironment {
            home: home_directory(),
            project: project_variables().filter_map(var).find(|path| is_absolute_path(path)),
        }
    }

    /// The user's settings.
    pub fn settings(&self) -> GuardSettings {
        read_guard_settings(&self.settings_text()).0
    }

    /// The text of the user's settings. Empty without a file.
    pub fn settings_text(&self) -> String {
        let path = settings_file(var("XDG_CONFIG_HOME").as_deref(), self.home.as_deref());
        let bytes = path.and_then(|path| crate::disk::read_beginning(path, LONGEST_SETTINGS).ok());
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }

    /// The home directory.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The directory of hits and counters. `None` without a home directory.
    pub fn state_directory(&self) -> Option<PathBuf> {
        self.home.as_deref().map(state_directory)
    }

    /// The files around an event. Transcripts may be below the home directory, in the project, and where variables
    /// move the directories of agents.
    pub fn surroundings(&self, project: &str) -> DiskSurroundings {
        let moved = dialects::released().flat_map(|dialect| dialect.home_variables()).filter_map(|name| var(name));
        let roots =
            self.home.iter().cloned().chain([project.to_owned()].map(PathBuf::from)).chain(moved.map(PathBuf::from));
        DiskSurroundings {
            home: self.home.as_ref().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default(),
            temporary: var("TMPDIR"),
            roots: roots.filter(|root| root.is_absolute() && root.parent().is_some()).collect(),
        }
    }
}

fn var(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(root: &Path) -> DiskSurroundings {
        DiskSurroundings { home: String::new(), temporary: None, roots: vec![root.to_owned()] }
    }

    #[test]
    fn only_the_end_of_a_long_transcript_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("t.jsonl");
        let line = "{\"type\":\"x\"}\n";
        let count = usize::try_from(MAX_TRANSCRIPT_END).unwrap() / line.len() + 10;
        std::fs::write(&file, line.repeat(count)).unwrap();
        let end = around(directory.path()).transcript(file.to_str().unwrap()).unwrap();
        assert_eq!((end.bytes.len() as u64, end.whole), (MAX_TRANSCRIPT_END, false));
        std::fs::write(&file, line).unwrap();
        let end = around(directory.path()).transcript(file.to_str().unwrap()).unwrap();
        assert_eq!((end.bytes.as_slice(), end.whole), (line.as_bytes(), true));
        // A file over the limit is not opened; it has no content, so the test writes nothing.
        std::fs::File::create(&file).unwrap().set_len(MAX_TRANSCRIPT + 1).unwrap();
        assert_eq!(around(directory.path()).transcript(file.to_str().unwrap()), None);
    }

    #[test]
    fn only_the_beginning_of_a_large_file_is_compared() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("large.rs");
        let limit = usize::try_from(MAX_CONTENT).unwrap();
        std::fs::write(&file, [vec![b'x'; limit], vec![b'y'; 10]].concat()).unwrap();
        let around = around(directory.path());
        assert_eq!(around.file(file.to_str().unwrap()), GuardFile::Text("x".repeat(limit)));
        std::fs::write(&file, b"a\xffb").unwrap();
        assert_eq!(around.file(file.to_str().unwrap()), GuardFile::Text("a\u{fffd}b".to_owned()));
    }

    #[cfg(unix)]
    #[test]
    fn transcripts_elsewhere_are_not_opened() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = outside.path().join("t.jsonl");
        std::fs::write(&file, "{}\n").unwrap();
        let around = around(inside.path());
        assert_eq!(around.transcript(file.to_str().unwrap()), None);
        let link = inside.path().join("link.jsonl");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(around.transcript(link.to_str().unwrap()), None);
        assert_eq!(around.transcript("/dev/zero"), None);
        assert_eq!(around.file("/dev/zero"), GuardFile::Unreadable);
        assert_eq!(around.file("/nonexistent"), GuardFile::Missing);
    }
}
