//! The copies of the project and of the user's settings, and what the agent sees of the machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::mirror::Mirror;
use super::settings::{VerificationSettings, WrittenSettings};
use crate::disk::copy_size::CopyStop;
use crate::disk::copying::{copy_file, copy_tree};
use crate::disk::scratch::create_owned_directory;
use crate::environment::agent_process::AgentCache;
use crate::environment::installed_agents::InstalledProgram;
use crate::verification::VerificationRequest;
use hookbench_core::config::Place;
use hookbench_core::verification::Recorder;
use hookbench_system::disk::canonical;
use hookbench_system::isolation::{Bind, IsolationSpec};

/// The largest directory beside a hook that is copied with it.
const MOST_FILES: usize = 200;
const MOST_BYTES: u64 = 16 << 20;
/// Directories in which every program may write, and those with sockets of the machine's services.
const PRIVATE_DIRECTORIES: [&str; 3] = ["/tmp", "/var/tmp", "/run"];

/// The place of a session. Dropping it deletes the copies.
pub(super) struct VerificationPlace {
    pub mirror: Mirror,
    pub settings: WrittenSettings,
    /// The place as the agent sees it.
    pub shown: Place,
    /// The agent.
    pub program: InstalledProgram,
    /// The notes of the recorder.
    pub notes: PathBuf,
    /// The part of the machine that the agent sees. `None` if it is not isolated.
    pub isolation: Option<IsolationSpec>,
    /// Links that are missing in the copy, with reasons.
    pub left_out: Vec<String>,
    root: TempDir,
}

impl VerificationPlace {
    /// Copies the project and the settings.
    pub(super) fn create(
        request: &VerificationRequest,
        program: &InstalledProgram,
        isolated: bool,
        cache: Option<&AgentCache>,
        stop: &CopyStop,
    ) -> Result<VerificationPlace, String> {
        let failed = |why: std::io::Error| format!("cannot create a scratch directory: {why}");
        let root = create_owned_directory().map_err(failed)?;
        // Agents get their working directory resolved by the system.
        let base = canonical(root.path()).map_err(failed)?;
        let directory = |name: &str| {
            let path = base.join(name);
            fs::create_dir_all(&path).map(|()| path).map_err(failed)
        };
        let place = &request.place;
        let mut mirror = Mirror::new(isolated);
        mirror.add(PathBuf::from(&place.home), directory("home")?);
        let moved = request.dialect.home_variables().iter().filter_map(|name| place.env.get(*name));
        for (number, path) in moved.enumerate() {
            mirror.add(PathBuf::from(path), directory(&format!("settings-{number}"))?);
        }
        let project = Path::new(&place.project);
        let copy = directory("work")?.join(project.file_name().unwrap_or("project".as_ref()));
        let left_out =
            copy_tree(project, &copy, stop).map_err(|why| format!("copy of {}: {why}", project.display()))?;
        mirror.add(project.to_owned(), copy);
        for file in &request.files {
            copy_with_neighbours(file, place, &mirror, stop)?;
        }
        for (path, text) in &request.script.files {
            let path = place.absolute(&place.project, path);
            if let Some(copy) = mirror.copy_of(Path::new(&path)) {
                let written = copy.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&copy, text));
                written.map_err(|why| format!("{path}: {why}"))?;
            }
        }
        let own = std::env::current_exe().and_then(canonical);
        let own = own.map_err(|why| format!("cannot find the program hookbench: {why}"))?;
        let notes = directory("notes")?;
        let recorder_program = if isolated { base.join("bin/hookbench") } else { own.clone() };
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let recorder = Recorder { program: text(&recorder_program), directory: text(&notes) };
        let settings = directory("settings")?;
        let settings = VerificationSettings { request, mirror: &mirror, recorder: &recorder, directory: &settings };
        let written = settings.write()?;
        let shown = settings.shown_place();
        let mut made = VerificationPlace {
            settings: written,
            shown,
            program: program.clone(),
            notes: notes.clone(),
            isolation: None,
            left_out,
            mirror,
            root,
        };
        let mut unpacked = cache.map(|cache| cache.directory.clone());
        if isolated {
            // The home directory is a copy, so the directory is shown in another place.
            let shown = base.join("unpacked");
            let cache =
                cache.map(|cache| Bind { source: cache.directory.clone(), target: shown.clone(), writable: false });
            unpacked = cache.is_some().then_some(shown);
            let own = Bind { source: own, target: recorder_program, writable: false };
            let notes = Bind { source: notes.clone(), target: notes, writable: true };
            let binds = [own, notes].into_iter().chain(cache).collect();
            made.isolation = Some(made.isolation_spec(request, &base, binds)?);
        }
        made.shown.env = made.environment(request, &base);
        if let (Some(cache), Some(unpacked)) = (cache, unpacked) {
            made.shown.env.insert(cache.variable.to_owned(), text(&unpacked));
        }
        Ok(made)
    }

    /// A path in the scratch directory.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The file system that the agent sees: the copies in the places of the originals, and everything else read-only.
    fn isolation_spec(
        &self,
        request: &VerificationRequest,
        base: &Path,
        last: Vec<Bind>,
    ) -> Result<IsolationSpec, String> {
        let failed = |why: std::io::Error| format!("cannot create a scratch directory: {why}");
        let mut binds = Vec::new();
        let mut hidden = Vec::new();
        for (number, path) in PRIVATE_DIRECTORIES.iter().enumerate() {
            let Ok(target) = canonical(path) else { continue };
            let source = base.join(format!("private-{number}"));
            fs::create_dir_all(&source).map_err(failed)?;
            hidden.push(target.clone());
            binds.push(Bind { source, target, writable: true });
        }
        let real = |path: &Path| canonical(path).unwrap_or_else(|_| path.to_owned());
        let project = Path::new(&request.place.project);
        let copies = self.mirror.outermost_first().filter(|directory| directory.real != project);
        for directory in copies {
            hidden.push(directory.real.clone());
            let target = real(&directory.real);
            binds.push(Bind { source: directory.copy.clone(), target, writable: true });
        }
        for directory in program_directories(&request.place, &self.program.command, &hidden) {
            let target = real(&directory);
            if target != directory && !hidden.iter().any(|hidden| target.starts_with(hidden)) {
                continue;
            }
            binds.push(Bind { source: directory.clone(), target, writable: false });
        }
        if let Some(copy) = self.mirror.copy_of(project) {
            binds.push(Bind { source: copy, target: real(project), writable: true });
        }
        let replaced = self.settings.replaced.iter();
        binds.extend(replaced.map(|(path, copy)| Bind { source: copy.clone(), target: real(path), writable: false }));
        binds.extend(last);
        let root = base.join("root");
        fs::create_dir_all(&root).map_err(failed)?;
        let directory = PathBuf::from(&self.shown.project);
        let (link, stdin) = (Some(base.join("model")), String::new());
        Ok(IsolationSpec { root: Some(root), binds, directory, link, stdin, ..IsolationSpec::default() })
    }

    /// The environment of the agent: that of the user, without the variables that choose another service.
    fn environment(&self, request: &VerificationRequest, base: &Path) -> BTreeMap<String, String> {
        let format = request.dialect.verification_format();
        let kept = self.shown.env.clone();
        let mut env: BTreeMap<String, String> = request.place.env.clone();
        env.retain(|name, _| !format.service_variables.iter().any(|prefix| name.starts_with(prefix)));
        env.extend(kept);
        env.insert("HOME".to_owned(), self.shown.home.clone());
        let temporary = if self.isolation.is_some() {
            "/tmp".to_owned()
        } else {
            let path = base.join("tmp");
            // Without it, the agent uses the directory of the machine.
            let _ = fs::create_dir_all(&path);
            path.to_string_lossy().into_owned()
        };
        env.insert("TMPDIR".to_owned(), temporary);
        env
    }
}

/// Copies a file of the home directory, and, if it is a script, the files beside it that it may need.
fn copy_with_neighbours(file: &Path, place: &Place, mirror: &Mirror, stop: &CopyStop) -> Result<(), String> {
    let inside_project = file.starts_with(&place.project);
    let Some(copy) = mirror.copy_of(file).filter(|_| !inside_project && file.is_file()) else { return Ok(()) };
    let copied = copy.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| copy_file(file, &copy));
    copied.map_err(|why| format!("{}: {why}", file.display()))?;
    let is_settings = file.extension().is_some_and(|end| end == "json" || end == "toml" || end == "md");
    let beside = file.parent().filter(|parent| !is_settings && *parent != Path::new(&place.home) && is_small(parent));
    if let (Some(beside), Some(target)) = (beside, copy.parent()) {
        // A file that cannot be copied is missing, which its hook shows.
        let _ = copy_tree(beside, target, stop);
    }
    Ok(())
}

/// Whether a directory has few files.
fn is_small(directory: &Path) -> bool {
    let (mut files, mut bytes) = (0, 0);
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        let Ok(entries) = fs::read_dir(next) else { return false };
        for entry in entries.flatten() {
            let Ok(about) = entry.metadata() else { return false };
            files += 1;
            bytes += about.len();
            if files > MOST_FILES || bytes > MOST_BYTES {
                return false;
            }
            if about.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    true
}

/// Directories of the home directory in which tool managers keep programs.
const OF_TOOL_MANAGERS: [&str; 8] =
    [".rustup", ".pyenv", ".rbenv", ".nvm", ".volta", ".asdf", ".local/share/mise", ".local/share/fnm"];

/// The directories of programs below `hidden` directories. `program` is that of the agent.
pub(super) fn program_directories(place: &Place, program: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    let project = Path::new(&place.project);
    let home = Path::new(&place.home);
    let mut wanted: Vec<PathBuf> = std::env::split_paths(place.var("PATH").unwrap_or_default()).collect();
    wanted.extend(program.parent().map(Path::to_owned));
    if let Ok(real) = canonical(program) {
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

#[cfg(unix)]
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
