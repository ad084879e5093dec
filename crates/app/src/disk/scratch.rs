//! Temporary directories: an empty home, a copy of a home, a copy of a project.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::{fs, io};

use tempfile::TempDir;

use super::copy_size::CopyStop;
use super::copying::copy_tree;
use super::files::DiskFiles;
use hookbench_core::config::Place;
use hookbench_core::dialects::Agent;
use hookbench_system::disk::canonical;
use hookbench_system::isolation::{Bind, IsolationSpec, SharedNamespaces};
use hookbench_system::own_directories::temporary_directory;
use hookbench_system::runner::kill_processes_of;

/// The home directory that hooks see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Home {
    /// An empty one, for this firing only.
    #[default]
    Scratch,
    Real,
    /// A copy of this one, for this firing only.
    CopyOf(PathBuf),
    /// This one itself.
    Itself(PathBuf),
}

/// The directories that something is fired in. Dropping it deletes the temporary ones.
#[derive(Debug)]
pub struct ScratchDirectories {
    pub project: PathBuf,
    /// `None` for the real home.
    pub home: Option<PathBuf>,
    /// Links that are missing in the copies, with reasons.
    pub left_out: Vec<String>,
    /// Shows the copy of the project in the place of the project.
    in_place: Option<SharedNamespaces>,
    _directories: Vec<TempDir>,
}

impl ScratchDirectories {
    /// Prepares a project, or a copy of it, and a home.
    pub(crate) fn create(
        project: &Path,
        copied: bool,
        home: &Home,
        stop: &CopyStop,
    ) -> Result<ScratchDirectories, String> {
        let (mut made, mut left_out) = (Vec::new(), Vec::new());
        let mut fresh = |what: &str| -> Result<PathBuf, String> {
            let dir = create_owned_directory();
            let dir = dir.map_err(|why| format!("cannot create a directory for {what}: {why}"))?;
            let path = dir.path().to_owned();
            made.push(dir);
            Ok(path)
        };
        let home = match home {
            Home::Real => None,
            Home::Scratch => Some(fresh("the home directory")?),
            Home::Itself(home) => Some(home.clone()),
            Home::CopyOf(from) => {
                let to = fresh("the home directory")?;
                let left =
                    copy_tree(from, &to, stop).map_err(|why| format!("home directory {}: {why}", from.display()))?;
                left_out.extend(left);
                Some(to)
            }
        };
        let project = if copied {
            let to = fresh("the copy of the project")?.join(project.file_name().unwrap_or("project".as_ref()));
            let left = copy_tree(project, &to, stop).map_err(|why| format!("copy of {}: {why}", project.display()))?;
            left_out.extend(left);
            to
        } else {
            project.to_owned()
        };
        Ok(ScratchDirectories { project, home, left_out, in_place: None, _directories: made })
    }

    /// Mounts the copy of a project over the project's path, so a hook cannot change the project by its absolute path.
    pub(crate) fn show_in_place_of(&mut self, project: &Path) -> io::Result<()> {
        let directory = create_owned_directory()?;
        let bind = Bind { source: self.project.clone(), target: canonical(project)?, writable: true };
        let spec = IsolationSpec { binds: vec![bind], directory: "/".into(), ..IsolationSpec::default() };
        let made = SharedNamespaces::create(&std::env::current_exe()?, &spec, &directory.path().join("spec"))?;
        self.in_place = Some(made);
        Ok(())
    }

    /// The program and its first arguments that start a hook, if it needs any.
    pub(crate) fn prefix(&self) -> Vec<String> {
        self.in_place.as_ref().map(SharedNamespaces::prefix).unwrap_or_default()
    }
}

/// Turns an empty home directory into that of a user who trusts the project and has reviewed its hooks.
pub(crate) fn write_trust(
    project: &Path,
    home: &Path,
    dialects: impl Iterator<Item = &'static Agent>,
) -> io::Result<()> {
    // The canonical path, because agents get their working directory resolved by the system.
    let real = |path: &Path| canonical(path).map(|path| path.to_string_lossy().into_owned());
    // An empty environment, so that no variable points outside the home directory.
    let place = Place { project: real(project)?, home: real(home)?, home_given: true, ..Place::default() };
    for (path, text) in dialects.flat_map(|dialect| dialect.trust_files(&place, &DiskFiles)) {
        if let Some(directory) = Path::new(&path).parent() {
            fs::create_dir_all(directory)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}

/// The beginnings of the names; the id of the owner, a dash, the name space of the id and another dash follow.
const PREFIX: &str = "hookbench-run-";
const DEMO_PREFIX: &str = "hookbench-demo-";

static ABANDONED: Once = Once::new();

/// Creates a directory that is deleted when the result is dropped. Those of processes that were killed are deleted first,
/// because their copies take room.
pub fn create_owned_directory() -> io::Result<TempDir> {
    ABANDONED.call_once(|| delete_abandoned(&temporary_directory()));
    create(PREFIX)
}

/// Creates the directory of a demo, which is deleted when the result is dropped.
pub(crate) fn create_demo_directory() -> io::Result<TempDir> {
    remove_abandoned_directories();
    create(DEMO_PREFIX)
}

/// Deletes the temporary directories of processes that were killed, in the background.
pub fn remove_abandoned_directories() {
    let delete = || ABANDONED.call_once(|| delete_abandoned(&temporary_directory()));
    // Without another thread, the next command that copies something does it.
    let _ = std::thread::Builder::new().name("abandoned".to_owned()).spawn(delete);
}

fn create(prefix: &str) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(&name_of(prefix, std::process::id())).tempdir()
}

/// The beginning of the name of a process's directory.
fn name_of(prefix: &str, process: u32) -> String {
    format!("{prefix}{process}-{}-", process_names().unwrap_or_default())
}

/// The name space in which this process's ids mean something. Contained hooks and containers have their own, in which the
/// owner of another's directory seems to have ended. `None` if it is unknown.
#[cfg(target_os = "linux")]
fn process_names() -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata("/proc/self/ns/pid").ok().map(|names| names.ino())
}

/// This system has one name space for processes.
#[cfg(not(target_os = "linux"))]
fn process_names() -> Option<u64> {
    Some(0)
}

/// Deletes the directories whose owner has ended, with the processes that work in them.
fn delete_abandoned(directory: &Path) {
    let (Ok(entries), Some(names)) = (fs::read_dir(directory), process_names()) else { return };
    let names = names.to_string();
    // The name comes first: the directory may have many entries, and most are not looked at.
    let is_abandoned = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        let owner = name.strip_prefix(PREFIX).or_else(|| name.strip_prefix(DEMO_PREFIX));
        let owner = owner.and_then(|owner| {
            let (process, rest) = owner.split_once('-')?;
            process.parse::<i32>().ok().filter(|_| rest.split('-').next() == Some(names.as_str()))
        });
        owner.is_some_and(|owner| !is_alive(owner)) && is_own_directory(entry)
    };
    let found: Vec<PathBuf> = entries.flatten().filter(is_abandoned).map(|entry| entry.path()).collect();
    if found.is_empty() {
        return;
    }
    kill_processes_of(&found);
    for path in found {
        // Another process may delete it at the same time.
        let _ = fs::remove_dir_all(path);
    }
}

/// Whether an entry is a directory of this user. Everybody can write to the directory for temporary files, so an entry
/// may be a link, or another user's.
#[cfg(unix)]
fn is_own_directory(entry: &fs::DirEntry) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid().as_raw();
    entry.metadata().is_ok_and(|found| found.is_dir() && found.uid() == user)
}

/// Owners of files are not looked up on this system.
#[cfg(not(unix))]
fn is_own_directory(entry: &fs::DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// Whether a process with this id exists.
#[cfg(unix)]
fn is_alive(process: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    Pid::from_raw(process).is_none_or(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// Processes are not looked up on this system.
#[cfg(not(unix))]
fn is_alive(_process: i32) -> bool {
    true
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Command;

    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_a_killed_process_left_is_removed() {
        let temporary = tempfile::tempdir().unwrap();
        let mut ended = Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let abandoned = name_of(PREFIX, ended.id()) + "abc";
        let demo = name_of(DEMO_PREFIX, ended.id()) + "abc";
        let own = name_of(PREFIX, std::process::id()) + "abc";
        let link = name_of(PREFIX, ended.id()) + "link";
        let elsewhere = format!("{PREFIX}{}-1-abc", ended.id());
        let others = [PREFIX.to_owned(), elsewhere, "hookbench-x".to_owned(), own, link];
        for name in others.iter().take(4).chain([&abandoned, &demo]) {
            fs::create_dir_all(temporary.path().join(name).join("project")).unwrap();
        }
        std::os::unix::fs::symlink(temporary.path().join("hookbench-x"), temporary.path().join(&others[4])).unwrap();
        let sleep = |name: &str| {
            let home = temporary.path().join(name);
            let process = Command::new("sleep").arg("60").env("HOME", home).spawn().unwrap();
            // Linux starts a program before its environment can be read.
            while fs::read(format!("/proc/{}/environ", process.id())).unwrap().is_empty() {
                std::thread::yield_now();
            }
            process
        };
        let (mut left, mut running) = (sleep(&abandoned), sleep(&others[3]));
        delete_abandoned(temporary.path());
        assert_eq!(left.wait().unwrap().signal(), Some(9));
        assert_eq!(running.try_wait().unwrap(), None);
        running.kill().unwrap();
        running.wait().unwrap();
        let mut kept: Vec<String> = fs::read_dir(temporary.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        kept.sort();
        let mut wanted = others.to_vec();
        wanted.sort();
        assert_eq!(kept, wanted);
    }

    #[test]
    fn the_name_has_the_owner() {
        let made = create_owned_directory().unwrap();
        let name = made.path().file_name().unwrap().to_str().unwrap().to_owned();
        assert!(name.starts_with(&name_of(PREFIX, std::process::id())), "{name}");
    }
}
