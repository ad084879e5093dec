//! Why a program did not start, in the words of a shell.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use hookbench_core::run::ProcessSpec;

/// The system's one error number stands for many causes ("not found" may be the program, its interpreter or the working
/// directory), so the causes are looked at.
pub(super) fn words(spec: &ProcessSpec, error: &io::Error) -> String {
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

/// What the first line of a script says that it wants to be run by.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let start = crate::disk::read_beginning(script, 256).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    line.split_whitespace().next().map(PathBuf::from)
}
