//! Contained firings: hooks run in a copy of the project, with a scratch home directory and a reduced environment. If
//! the system allows it, they have no network and can write to no other file. Everything is deleted when the firing ends.
//!
//! The plan is the one of the real project. Isolated hooks see the copy in the place of the project, so a hook that judges
//! paths judges those of the project. Where the system does not allow that, every occurrence of the project's path in a launch
//! is replaced by the path of the copy.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use std::{fs, io};

use tempfile::TempDir;

use crate::disk::copy_size::CopyStop;
use crate::disk::copying::copy_file;
use crate::disk::scratch::{Home, ScratchDirectories, create_owned_directory};
use crate::environment::hook_environment::is_kept;
use hookbench_core::config::Place;
use hookbench_core::run::{EnvChange, HookVariable, Launch, ProcessSpec, RunRequest};
use hookbench_system::disk::canonical;
use hookbench_system::isolation::{self, Bind, IsolationSpec, SharedNamespaces};
use hookbench_system::runner::{kill_processes_of, reap_orphans};

/// Directories in which every program may write, and those with sockets of the machine's services. What hooks write
/// there is kept in memory.
const COMMON_DIRECTORIES: [&str; 3] = ["/tmp", "/var/tmp", "/run"];

/// The time that killed processes get to end before their directories are deleted, and that between two looks.
const ENDING: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(2);

/// The containment of a firing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Containment {
    /// The path at which hooks see the copy of the project: that of the project if they are isolated.
    pub project: String,
    pub home: String,
    /// Variables that hooks kept from the environment, in addition to those that the agent sets.
    pub environment: Vec<String>,
    /// `Ok` if hooks had no network and could write to no other file; otherwise the reason why they could.
    pub isolation: Result<(), String>,
    /// The abilities that isolated hooks keep because this system lacks a part of the isolation: clauses after "hooks can".
    pub gaps: Vec<&'static str>,
    /// Links that are missing in the copy, with reasons.
    pub left_out: Vec<String>,
}

impl Containment {
    /// Describes the containment in a few words.
    pub fn summary(&self) -> String {
        let mut says = match &self.isolation {
            Ok(()) => {
                "contained: a copy of the project, a scratch home directory, no network; hooks can read your other files, \
                 but not change them"
                    .to_owned()
            }
            Err(why) => format!("contained in a copy of the project only: {}", without_isolation(why)),
        };
        for gap in &self.gaps {
            says.push_str(&format!("; hooks can {gap}"));
        }
        for left in &self.left_out {
            says.push_str(&format!("; not in the copy: {left}"));
        }
        says
    }
}

/// The rights of hooks without isolation, and the reason.
fn without_isolation(why: &str) -> String {
    format!("hooks can use the network, end your programs, and write to your files by absolute paths ({why})")
}

/// The warning that hooks of this machine are contained, but not isolated or only in part. `None` if they are isolated.
pub fn isolation_warning() -> Option<String> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let tried = std::env::current_exe().and_then(|own| SharedNamespaces::attempt(&own));
        let gaps = isolation::gaps();
        match tried {
            Err(why) => Some(without_isolation(&why.to_string())),
            Ok(()) if gaps.is_empty() => None,
            Ok(()) => {
                Some(format!("contained hooks can {}: this system lacks what would keep them", gaps.join(" and ")))
            }
        }
    });
    found.clone()
}

/// The directories whose changes are kept in memory.
pub(crate) fn common_directories() -> Vec<PathBuf> {
    let is_real = |path: &PathBuf| canonical(path).is_ok_and(|real| real == *path);
    COMMON_DIRECTORIES.iter().map(PathBuf::from).filter(is_real).collect()
}

/// Creates the namespaces of hooks, in which `binds` are shown over the files of the machine.
fn isolate(read_only: Vec<PathBuf>, binds: Vec<Bind>) -> io::Result<SharedNamespaces> {
    let directory = create_owned_directory()?;
    let root = directory.path().join("root");
    fs::create_dir(&root)?;
    let spec = IsolationSpec {
        root: Some(root),
        binds,
        discarded: common_directories(),
        read_only,
        directory: "/".into(),
        ..IsolationSpec::default()
    };
    SharedNamespaces::create(&std::env::current_exe()?, &spec, &directory.path().join("spec"))
}

/// A directory that is shown in the place of another one, or where it is.
fn bind(source: &Path, target: &Path, writable: bool) -> Option<Bind> {
    Some(Bind { source: canonical(source).ok()?, target: canonical(target).ok()?, writable })
}

/// Whether a directory is below one of those in which hooks write in memory.
fn is_below_common(directory: &Path) -> bool {
    COMMON_DIRECTORIES.iter().any(|common| directory.starts_with(common))
}

/// The scratch copy of one firing. Dropping it deletes the copy.
#[derive(Debug)]
pub(crate) struct ContainedPlace {
    pub containment: Containment,
    project: String,
    env: EnvChange,
    /// `None` if the system does not allow isolation.
    namespaces: Option<SharedNamespaces>,
    made: (ScratchDirectories, TempDir),
}

impl Drop for ContainedPlace {
    fn drop(&mut self) {
        // Hooks may have started processes in other groups, which would outlive the copy. Those in namespaces end with them.
        let Some(mut namespaces) = self.namespaces.take() else { return kill_processes_of(&self.directories()) };
        let until = Instant::now() + ENDING;
        while !namespaces.end() && Instant::now() < until {
            reap_orphans();
            std::thread::sleep(LOOK);
        }
    }
}

impl ContainedPlace {
    /// Copies the project, and those of `files` that are in the home directory. Hooks see changes of the directory
    /// `shown`.
    pub(crate) fn create(
        place: &Place,
        files: &[PathBuf],
        shown: Option<&Path>,
        stop: &CopyStop,
    ) -> Result<ContainedPlace, String> {
        let scratch = ScratchDirectories::create(Path::new(&place.project), true, &Home::Scratch, stop)?;
        let home = scratch.home.clone().ok_or("the scratch home directory was not created")?;
        for file in files.iter().filter(|file| !file.starts_with(&place.project) && file.is_file()) {
            let Ok(below) = file.strip_prefix(&place.home) else { continue };
            let target = home.join(below);
            let copied = target.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| copy_file(file, &target));
            copied.map_err(|why| format!("{}: {why}", file.display()))?;
        }
        let temporary = create_owned_directory();
        let temporary = temporary.map_err(|why| format!("cannot create a directory for temporary files: {why}"))?;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let (environment, remove) = place.env.keys().cloned().partition(|name: &String| is_kept(name));
        let set =
            vec![HookVariable::of_user("HOME", text(&home)), HookVariable::of_user("TMPDIR", text(temporary.path()))];
        let read_only = canonical(&place.home).ok().filter(|path| is_below_common(path)).into_iter().collect();
        // An overlay would not show its changes.
        let shown = shown.and_then(|path| bind(path, path, false)).filter(|bind| is_below_common(&bind.target));
        // Links in the copy lead to where it is.
        let copy = scratch.project.as_path();
        let own =
            [(copy, Path::new(&place.project)), (copy, copy), (&home, &home), (temporary.path(), temporary.path())];
        let own = own.into_iter().filter_map(|(source, target)| bind(source, target, true));
        let (namespaces, isolation) = match isolate(read_only, shown.into_iter().chain(own).collect()) {
            Ok(namespaces) => (Some(namespaces), Ok(())),
            Err(why) => (None, Err(why.to_string())),
        };
        Ok(ContainedPlace {
            containment: Containment {
                project: if isolation.is_ok() { place.project.clone() } else { text(&scratch.project) },
                home: text(&home),
                environment,
                gaps: if isolation.is_ok() { isolation::gaps() } else { Vec::new() },
                isolation,
                left_out: scratch.left_out.clone(),
            },
            project: place.project.clone(),
            env: EnvChange { remove, set, scratch_files: Vec::new() },
            namespaces,
            made: (scratch, temporary),
        })
    }

    /// Rewrites a run so that it happens inside the copy.
    ///
    /// # Errors
    /// Returns the reason if the run must not be started at all.
    pub(crate) fn rewrite(&self, request: &RunRequest) -> Result<RunRequest, &'static str> {
        match &request.launch {
            Launch::Process(spec) => {
                Ok(RunRequest { launch: Launch::Process(self.rewrite_process(spec)), ..request.clone() })
            }
            Launch::Http(_) => Err("contained: requests are not sent"),
            Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => Ok(request.clone()),
        }
    }

    /// The copy of the project, as hookbench sees it.
    pub(crate) fn copy(&self) -> &Path {
        &self.made.0.project
    }

    /// The directories in which a contained hook can write, as hookbench sees them: the copy, the home directory, and that
    /// of temporary files.
    pub(crate) fn directories(&self) -> Vec<PathBuf> {
        let (scratch, temporary) = &self.made;
        vec![scratch.project.clone(), PathBuf::from(&self.containment.home), temporary.path().to_owned()]
    }

    fn rewrite_process(&self, spec: &ProcessSpec) -> ProcessSpec {
        let moved = |text: &String| replace_path(text, &self.project, &self.containment.project);
        let own = spec.env.set.iter().filter(|variable| variable.name != "HOME");
        let own = own.map(|variable| HookVariable { value: moved(&variable.value), ..variable.clone() });
        let env = EnvChange {
            remove: self.env.remove.iter().chain(&spec.env.remove).cloned().collect(),
            set: self.env.set.iter().cloned().chain(own).collect(),
            scratch_files: spec.env.scratch_files.clone(),
        };
        let mut cwd = moved(&spec.cwd);
        let mut words = self.namespaces.as_ref().map(SharedNamespaces::prefix).unwrap_or_default();
        // A directory that is in the copy only can be entered inside only.
        if self.namespaces.is_some() && !Path::new(&cwd).exists() && self.has_directory(&cwd) {
            let inside = std::mem::replace(&mut cwd, self.project.clone());
            words.extend(["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", &inside].map(str::to_owned));
        }
        words.push(moved(&spec.program));
        words.extend(spec.args.iter().map(moved));
        let program = words.remove(0);
        let stdin = match std::str::from_utf8(&spec.stdin) {
            Ok(text) => moved(&text.to_owned()).into_bytes().into(),
            Err(_) => Arc::clone(&spec.stdin),
        };
        ProcessSpec { program, args: words, cwd, env, stdin, ..spec.clone() }
    }

    /// Whether a directory of the project is in its copy.
    fn has_directory(&self, directory: &str) -> bool {
        Path::new(directory).strip_prefix(&self.project).is_ok_and(|below| self.copy().join(below).is_dir())
    }
}

/// Replaces the path of a directory in a text, where it is a whole path or the beginning of one.
pub(crate) fn replace_path(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, found) = rest.split_at(at);
        let after = found.get(from.len()..).unwrap_or("");
        let part_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let begins = !before.ends_with(|c: char| part_of_name(c) || c == '/');
        out.push_str(before);
        out.push_str(if begins && !after.starts_with(part_of_name) { to } else { from });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_path_is_moved_where_it_is_one() {
        for (text, want) in [
            ("/a/p", "/c"),
            ("sh /a/p/hooks/x.sh", "sh /c/hooks/x.sh"),
            ("{\"cwd\":\"/a/p\",\"x\":\"/a/p/y\"}", "{\"cwd\":\"/c\",\"x\":\"/c/y\"}"),
            ("/a/p2 /a/p.old /a/p-x", "/a/p2 /a/p.old /a/p-x"),
            ("/b/a/p /x/a/p", "/b/a/p /x/a/p"),
            ("/a/p:/a/p", "/c:/c"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(replace_path(text, "/a/p", "/c"), want, "{text}");
        }
    }
}
