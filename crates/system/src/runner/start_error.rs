//! Describes why a program did not start, in the style of a shell.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use hookbench_core::run::ProcessSpec;

/// Describes a start error. One error number of the system has several causes ("not found" may refer to the
/// program, its interpreter or the working directory), so each cause is checked.
pub(super) fn describe(spec: &ProcessSpec, error: &io::Error) -> String {
    let program = &spec.program;
    let cwd = Path::new(&spec.cwd);
    match cwd.metadata() {
        Err(_) => return format!("working directory {}: no such file or directory", spec.cwd),
        Ok(found) if !found.is_dir() => return format!("working directory {}: not a directory", spec.cwd),
        Ok(_) => {}
    }
    match error.kind() {
        ErrorKind::NotFound => match interpreter(&cwd.join(program)) {
            Some(interpreter) if program.contains('/') => {
                format!("{program}: bad interpreter: {}: no such file or directory", interpreter.display())
            }
            _ => format!("{program}: not found"),
        },
        ErrorKind::PermissionDenied if cwd.join(program).is_dir() => format!("{program}: is a directory"),
        ErrorKind::PermissionDenied => format!("{program}: permission denied"),
        _ => format!("{program}: {error}"),
    }
}

/// The interpreter that the first line of a script names.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let start = crate::disk::read_beginning(script, 256).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    line.split_whitespace().next().map(PathBuf::from)
}
