//! A copy of a transcript that ends at the moment of an event, readable by its owner only.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;

use tempfile::TempDir;

use crate::disk::files::DiskFiles;
use crate::disk::owned_directory::create_owned_directory;
use hookbench_core::config::{Files as _, Place};
use hookbench_core::dialects;
use hookbench_core::transcript::TranscriptCut;
use hookbench_system::disk;

/// The largest transcript that is copied, in bytes.
const LARGEST: u64 = 512 << 20;
/// The largest transcript that is one JSON object, in bytes, because it is parsed as a whole.
const LARGEST_OBJECT: u64 = 64 << 20;

/// A copy of a transcript. Dropping it deletes the copy.
#[derive(Debug)]
pub struct TranscriptCopy {
    _directory: TempDir,
    /// The path of the copy.
    pub path: String,
    /// The numbers of copied and of later lines; of messages, in a transcript that is one object.
    pub kept: u64,
    pub later: u64,
}

impl TranscriptCopy {
    /// Copies the part of a transcript that existed at the moment of its event.
    ///
    /// # Errors
    /// Returns the reason if the transcript may not be read or cannot be copied.
    pub fn create(cut: &TranscriptCut, place: &Place) -> Result<TranscriptCopy, String> {
        check_place(&cut.path, place)?;
        let fail = |why: std::io::Error| format!("{}: {why}", cut.path);
        let file = disk::open(&cut.path).map_err(fail)?;
        let size = file.metadata().map_err(fail)?.len();
        if size > LARGEST {
            return Err(format!("{} is larger than {} MiB", cut.path, LARGEST >> 20));
        }
        let directory = create_owned_directory();
        let directory = directory.map_err(|why| format!("cannot create a directory for the transcript: {why}"))?;
        let name = Path::new(&cut.path).file_name().unwrap_or("transcript".as_ref());
        let path = directory.path().join(name);
        let target = create_private(&path).map_err(fail)?;
        let (kept, later) = copy(cut, file, size, target).map_err(fail)?;
        let path = path.to_string_lossy().into_owned();
        Ok(TranscriptCopy { _directory: directory, path, kept, later })
    }
}

/// Creates a file that only its owner can read.
fn create_private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Copies the lines up to the moment. The last line of a session that runs may be incomplete, and is copied too.
fn copy(cut: &TranscriptCut, file: File, size: u64, target: File) -> std::io::Result<(u64, u64)> {
    let mut lines = BufReader::new(file);
    let mut out = BufWriter::new(target);
    let (mut number, mut kept, mut line) = (0, 0, Vec::new());
    while lines.read_until(b'\n', &mut line)? > 0 {
        number += 1;
        if number == 1 && size <= LARGEST_OBJECT && serde_json::from_slice::<serde_json::Value>(&line).is_err() {
            // A transcript whose first line is not a record is one object over many lines.
            let mut text = line.clone();
            lines.read_to_end(&mut text)?;
            if let Some((whole, kept, later)) = cut.cut_object(&String::from_utf8_lossy(&text)) {
                out.write_all(whole.as_bytes())?;
                out.flush()?;
                return Ok((kept, later));
            }
            out.write_all(&text)?;
            out.flush()?;
            return Ok((1, 0));
        }
        if cut.is_later_line(number, &String::from_utf8_lossy(&line)) {
            // A later line may be followed by an earlier one, because agents write some records late.
            line.clear();
            continue;
        }
        if number == 1
            && let Some((whole, kept, later)) = cut.cut_object(&String::from_utf8_lossy(&line))
        {
            out.write_all(whole.as_bytes())?;
            out.flush()?;
            return Ok((kept, later));
        }
        out.write_all(&line)?;
        kept += 1;
        line.clear();
    }
    out.flush()?;
    Ok((kept, number - kept))
}

/// Checks that a transcript is where agents keep transcripts, or in the project. A recorded event may come from another
/// user, so its path may not lead anywhere else.
fn check_place(path: &str, place: &Place) -> Result<(), String> {
    if !path.starts_with('/') || path.contains('\0') {
        return Err(format!("{path:?} is not an absolute path"));
    }
    let real = DiskFiles.canonical(path).ok_or_else(|| format!("{path} no longer exists"))?;
    let sessions = dialects::released().flat_map(|dialect| dialect.sessions(place, &DiskFiles));
    // Sessions of other projects are beside those of this one.
    let roots = sessions.filter_map(|found| Some(Path::new(&found.path).parent()?.to_string_lossy().into_owned()));
    let roots = roots.chain([place.project.clone()]).map(|root| DiskFiles.canonical(&root).unwrap_or(root));
    let inside = |root: &String| real.strip_prefix(root.as_str()).is_some_and(|rest| rest.starts_with('/'));
    if roots.into_iter().any(|root| inside(&root)) {
        return Ok(());
    }
    Err(format!("{path} is neither in the project nor where agents keep their sessions, so it is not read"))
}
