//! The logs of the commands that agents start: appended in one write, rotated, and readable by their owner only.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use crate::owner_only::{create_directory, open_options};

/// The size at which a log is rotated. Rotation replaces the previous old log.
const MAX_LOG_BYTES: u64 = 1024 * 1024;

/// Appends lines to the log of this name, and rotates a long one to `NAME.1`.
pub fn append(directory: &Path, name: &str, text: &str) -> std::io::Result<()> {
    let path = directory.join(name);
    let file = match open(&path) {
        Ok(file) => file,
        Err(_) => {
            create_directory(directory)?;
            open(&path)?
        }
    };
    let mut file = if file.metadata()?.len() >= MAX_LOG_BYTES {
        std::fs::rename(&path, directory.join(format!("{name}.1")))?;
        open(&path)?
    } else {
        file
    };
    // A single write, so that lines of processes that end at the same time do not mix.
    file.write_all(text.as_bytes())
}

fn open(path: &Path) -> std::io::Result<File> {
    open_options().append(true).create(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_is_put_aside_once() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("state/forward.log");
        let aside = directory.path().join("state/forward.log.1");
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        append(&directory.path().join("state"), "forward.log", "a\n").unwrap();
        append(&directory.path().join("state"), "forward.log", "b\n").unwrap();
        assert_eq!((read(&log).as_str(), read(&aside).as_str()), ("a\nb\n", ""));
        let long = "x".repeat(usize::try_from(MAX_LOG_BYTES).unwrap());
        for (text, kept) in [(long.as_str(), 4 + long.len()), ("c\n", 4 + long.len()), ("d\n", 4 + long.len())] {
            append(&directory.path().join("state"), "forward.log", text).unwrap();
            assert_eq!(read(&log).len() + read(&aside).len() - if text == long { 0 } else { read(&log).len() }, kept);
        }
        assert_eq!(read(&log), "c\nd\n");
    }
}
