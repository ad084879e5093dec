//! HW810: recorded events in files that contain likely secrets. Checks the given files, or else the project's files
//! that a bounded walk finds.

use std::path::Path;

use crate::analysis::lint::finding::Finding;
use hookbench_core::config::Place;
use hookbench_core::diagnostic::Code;
use hookbench_core::dialects;
use hookbench_core::recorded::find_secrets;
use hookbench_core::text::{Position, parse_value};

/// Directories that are skipped.
const SKIPPED_DIRECTORIES: [&str; 7] = ["node_modules", "target", "dist", "build", "vendor", "__pycache__", "venv"];
/// Limits of the walk: number of directory entries, and depth.
const MAX_ENTRIES: usize = 2_000;
const MAX_DEPTH: usize = 5;
/// Size limits in bytes: of one file, and of all files together.
const MAX_FILE_BYTES: u64 = 4 << 20;
const MAX_TOTAL_BYTES: u64 = 16 << 20;

/// Returns one finding for each file with a likely secret. If `only` is not empty, checks only those files.
pub fn recorded_secrets(place: &Place, only: &[String]) -> Vec<Finding> {
    let files = if only.is_empty() { files_below(&place.project) } else { only.to_vec() };
    let recorded = |path: &String| Path::new(path).extension().is_some_and(|e| e == "jsonl" || e == "ndjson");
    let mut left = MAX_TOTAL_BYTES;
    let mut found = Vec::new();
    for path in files.iter().filter(|path| recorded(path)) {
        let Ok(about) = std::fs::metadata(path) else { continue };
        if !about.is_file() || about.len() > MAX_FILE_BYTES.min(left) {
            continue;
        }
        left -= about.len();
        let Ok(text) = hookbench_system::disk::read_text(path) else { continue };
        found.extend(check_file(place, path, &text));
    }
    found
}

/// Checks one file whose first line is a recorded event; the finding points at the first likely secret.
fn check_file(place: &Place, path: &str, text: &str) -> Option<Finding> {
    let first = parse_value(text.lines().find(|line| !line.trim().is_empty())?).ok()?;
    let line_of_ours = first.get("schema").and_then(|s| s.as_str()).is_some_and(|s| s.starts_with("event/"));
    let payload = if line_of_ours { first.get("payload").unwrap_or(&first) } else { &first };
    if !line_of_ours && first.get("hook_event_name").is_none() {
        return None;
    }
    let agent = dialects::recognise(payload).or(dialects::ALL.first().copied())?.id();
    let mut number = 0;
    let mut start: Option<(Position, Position)> = None;
    for (index, line) in text.lines().enumerate() {
        for range in find_secrets(line) {
            number += 1;
            let at = |byte: usize| Position {
                line: u32::try_from(index + 1).unwrap_or(u32::MAX),
                column: u32::try_from(line.get(..byte).unwrap_or("").chars().count() + 1).unwrap_or(u32::MAX),
            };
            start = start.or(Some((at(range.start), at(range.end))));
        }
    }
    let many = if number == 1 { "one likely secret".to_owned() } else { format!("{number} likely secrets") };
    let says = format!("this recording contains {many}: everyone who gets the file can read them");
    (number > 0).then(|| Finding {
        help: Some("run hookbench import FILE --redact --to NEW to mask them, and replace the keys".to_owned()),
        file: Some(place.display_path(path)),
        path: Some(path.to_owned()),
        place: start,
        // Without its line, which would display the secret.
        ..Finding::new(Some(agent), Code::HW810, says)
    })
}

/// The files below a directory, nearest first.
fn files_below(directory: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut level = vec![Path::new(directory).to_owned()];
    let mut seen = 0;
    for _ in 0..MAX_DEPTH {
        let mut deeper = Vec::new();
        for directory in &level {
            let Ok(entries) = std::fs::read_dir(directory) else { continue };
            for entry in entries.flatten() {
                seen += 1;
                if seen > MAX_ENTRIES {
                    return files;
                }
                let Ok(kind) = entry.file_type() else { continue };
                let name = entry.file_name().to_string_lossy().into_owned();
                if kind.is_dir() && !name.starts_with('.') && !SKIPPED_DIRECTORIES.contains(&name.as_str()) {
                    deeper.push(entry.path());
                } else if kind.is_file() {
                    files.push(entry.path().to_string_lossy().into_owned());
                }
            }
        }
        deeper.sort();
        level = deeper;
    }
    files.sort();
    files
}
