//! The program that a name on a search path leads to.

use std::path::{Path, PathBuf};

use hookbench_core::config::Files;

/// The endings that Windows tries if `PATHEXT` is not set.
const USUAL_ENDINGS: &str = ".COM;.EXE;.BAT;.CMD";

/// The first executable file with this name in the directories of a search path.
pub fn find_on_path(name: &str, path: &str, files: &dyn Files) -> Option<PathBuf> {
    std::env::split_paths(path).find_map(|directory| executable_at(&directory.join(name), files))
}

/// The executable file that a path leads to: on Windows also with one of the endings of programs.
pub fn executable_at(file: &Path, files: &dyn Files) -> Option<PathBuf> {
    let endings =
        if cfg!(windows) { std::env::var("PATHEXT").unwrap_or(USUAL_ENDINGS.to_owned()) } else { String::new() };
    let with_ending = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    // npm puts a shell script without an ending beside its `.cmd` file, so only a whole name is tried unchanged.
    let is_whole = !cfg!(windows) || file.extension().is_some();
    let whole = is_whole.then(|| file.to_owned());
    let ended = endings.split(';').filter(|ending| !ending.is_empty()).map(with_ending);
    whole.into_iter().chain(ended).find(|file| files.executable(&file.to_string_lossy()) == Some(true))
}
