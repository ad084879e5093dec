//! The directories that the agent and hooks need to start, where those directories are hidden from them.

use std::path::{Path, PathBuf};

use hookbench_core::config::Place;

/// Directories of the home directory in which tool managers keep programs.
const OF_TOOL_MANAGERS: [&str; 8] =
    [".rustup", ".pyenv", ".rbenv", ".nvm", ".volta", ".asdf", ".local/share/mise", ".local/share/fnm"];

/// The directories of programs below `hidden` directories. `program` is that of the agent.
pub(super) fn program_directories(place: &Place, program: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    let project = Path::new(&place.project);
    let home = Path::new(&place.home);
    let mut wanted: Vec<PathBuf> = std::env::split_paths(place.var("PATH").unwrap_or_default()).collect();
    wanted.extend(program.parent().map(Path::to_owned));
    if let Ok(real) = std::fs::canonicalize(program) {
        let packages = real.ancestors().filter(|part| part.ends_with("node_modules")).last();
        wanted.extend(packages.or(real.parent()).map(Path::to_owned));
    }
    wanted.extend(OF_TOOL_MANAGERS.iter().map(|name| home.join(name)));
    let mut found: Vec<PathBuf> = Vec::new();
    for directory in wanted {
        let is_hidden = hidden.iter().any(|hidden| directory.starts_with(hidden));
        if !directory.is_absolute() || !directory.is_dir() || !is_hidden || directory.starts_with(project) {
            continue;
        }
        let widened = with_libraries(&directory, &[project, home], hidden);
        if !found.iter().any(|known| widened.starts_with(known)) {
            found.retain(|known| !known.starts_with(&widened));
            found.push(widened);
        }
    }
    found
}

/// A directory of programs with the libraries beside it, unless that would show a directory with a copy.
fn with_libraries(directory: &Path, copied: &[&Path], hidden: &[PathBuf]) -> PathBuf {
    let parent = directory.parent().filter(|_| directory.ends_with("bin") || directory.ends_with(".bin"));
    let shows = |parent: &Path| {
        copied.iter().any(|copied| copied.starts_with(parent)) || hidden.iter().any(|hidden| hidden.starts_with(parent))
    };
    parent.filter(|parent| !shows(parent)).unwrap_or(directory).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hidden_directories_are_shown() {
        let root = tempfile::tempdir().unwrap();
        let base = root.path().canonicalize().unwrap();
        for name in ["home/.cargo/bin", "home/bin", "home/p/bin", "opt/bin", "home/lib/node_modules/x"] {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        std::fs::write(base.join("home/lib/node_modules/x/agent"), "").unwrap();
        let text = |name: &str| base.join(name).to_string_lossy().into_owned();
        let path = ["home/.cargo/bin", "home/bin", "home/p/bin", "opt/bin"].map(&text).join(":");
        let env = [("PATH".to_owned(), path)].into();
        let place = Place { project: text("home/p"), home: text("home"), env, ..Place::default() };
        let program = base.join("home/lib/node_modules/x/agent");
        let found = program_directories(&place, &program, &[base.join("home")]);
        let want = ["home/.cargo", "home/bin", "home/lib/node_modules"].map(|name| base.join(name));
        assert_eq!(found, want);
    }
}
