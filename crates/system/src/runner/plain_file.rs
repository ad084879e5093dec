//! Commands that begin with a file that is not executable, for an agent that makes it executable before it runs it.
//! hookbench changes no modes: it gives the file to the interpreter that would run it.

use std::borrow::Cow;
use std::path::Path;

use hookbench_core::run::ProcessSpec;

/// Returns the arguments of a process, with the interpreter before such a file.
pub(super) fn arguments(spec: &ProcessSpec) -> Cow<'_, [String]> {
    let interpreted = || {
        let (command, others) = spec.args.split_last()?;
        let interpreter = interpreter(&Path::new(&spec.cwd).join(spec.plain_file()?))?;
        Some([others, &[format!("{interpreter} {command}")]].concat())
    };
    interpreted().map_or(Cow::Borrowed(spec.args.as_slice()), Cow::Owned)
}

/// The interpreter of a file. `None` if it is executable, or not a file.
fn interpreter(path: &Path) -> Option<String> {
    let data = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    if is_executable(&data) {
        return None;
    }
    let head = crate::disk::read_beginning(path, 256).ok()?;
    let head = String::from_utf8_lossy(&head);
    let named = head.strip_prefix("#!").and_then(|rest| rest.lines().next()).map(str::trim);
    Some(named.filter(|named| !named.is_empty()).unwrap_or("/bin/bash").to_owned())
}

#[cfg(unix)]
fn is_executable(data: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_data: &std::fs::Metadata) -> bool {
    true
}
