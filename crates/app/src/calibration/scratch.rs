//! The scratch directories of a probe, and the files in them.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::headless_session::AgentProgram;
use crate::disk::files::DiskFiles;
use crate::disk::scratch::create_owned_directory;
use crate::firing::containment::common_directories;
use hookbench_core::calibration::{NotedRun, Probe, ProbeDirectories, probe_files, read_hook_log};
use hookbench_core::config::Place;
use hookbench_system::disk::canonical;
use hookbench_system::isolation::{Bind, IsolationSpec};

/// The directory below the scratch directory in which the agent may write.
const PLACE: &str = "place";

/// The scratch directories of a probe, deleted with it.
pub(super) struct ProbeScratch {
    pub base: PathBuf,
    pub directories: ProbeDirectories,
    /// The part of the machine that the agent sees. `None` if it is not isolated.
    pub isolation: Option<IsolationSpec>,
    _root: TempDir,
}

impl ProbeScratch {
    pub(super) fn create(program: &AgentProgram) -> Result<ProbeScratch, String> {
        ProbeScratch::try_create(program).map_err(|why| format!("cannot create a scratch directory: {why}"))
    }

    fn try_create(program: &AgentProgram) -> std::io::Result<ProbeScratch> {
        let root = create_owned_directory()?;
        // Agents get their working directory resolved by the system.
        let base = canonical(root.path())?;
        let directory = |name: &str| -> std::io::Result<String> {
            let path = base.join(PLACE).join(name);
            fs::create_dir_all(&path)?;
            Ok(path.to_string_lossy().into_owned())
        };
        let directories = ProbeDirectories {
            project: directory("project")?,
            home: directory("home")?,
            hooks: directory("hooks")?,
            log: directory("log")?,
        };
        directory("tmp")?;
        fs::create_dir_all(base.join("root"))?;
        let isolation = program.isolated.then(|| {
            isolation_spec(&base, &directories, program.cache.as_ref().map(|cache| cache.directory.as_path()))
        });
        Ok(ProbeScratch { base, directories, isolation, _root: root })
    }

    /// The directory of the agent's temporary files.
    pub(super) fn temporary(&self) -> PathBuf {
        self.base.join(PLACE).join("tmp")
    }

    /// Takes what the hooks have noted since the last time.
    pub(super) fn take_log(&self) -> Vec<NotedRun> {
        let directory = Path::new(&self.directories.log);
        let runs = read_hook_log(|name| hookbench_system::disk::read_text(directory.join(name)).ok());
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            // A file that stays is read again, and shows as a difference.
            let _ = fs::remove_file(entry.path());
        }
        runs
    }

    /// Writes the files of a probe.
    pub(super) fn lay(&self, program: &AgentProgram, probe: &Probe) -> Result<(), String> {
        let laid = lay(program, probe, &self.directories);
        laid.map_err(|why| format!("cannot write the files of the probe: {why}"))
    }
}

/// The machine as the agent of a probe sees it: read-only, but for the directories of the probe.
fn isolation_spec(base: &Path, at: &ProbeDirectories, cache: Option<&Path>) -> IsolationSpec {
    let place = base.join(PLACE);
    let bind = |path: &Path, writable| Bind { source: path.to_owned(), target: path.to_owned(), writable };
    let cache = cache.map(|path| bind(path, false));
    IsolationSpec {
        root: Some(base.join("root")),
        binds: std::iter::once(bind(&place, true)).chain(cache).collect(),
        discarded: common_directories(),
        directory: PathBuf::from(&at.project),
        link: Some(base.join("model")),
        ..IsolationSpec::default()
    }
}

/// A TOML text with the tables of another one that it lacks.
fn with_tables(own: &str, added: &str) -> String {
    let header = |table: &str| table.lines().next().unwrap_or_default().to_owned();
    let lacks = |table: &&str| !own.lines().any(|line| line == header(table));
    let tables: Vec<&str> = added.split("\n\n").filter(lacks).collect();
    format!("{own}\n{}\n", tables.join("\n\n"))
}

/// Writes the files of a probe.
fn lay(program: &AgentProgram, probe: &Probe, at: &ProbeDirectories) -> std::io::Result<()> {
    let write = |path: &Path, text: &str| {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, text)
    };
    // What git needs to see a repository.
    let git = Path::new(&at.project).join(".git");
    write(&git.join("HEAD"), "ref: refs/heads/main\n")?;
    fs::create_dir_all(git.join("objects"))?;
    fs::create_dir_all(git.join("refs"))?;
    for file in probe_files(probe, program.dialect, at) {
        let path = Path::new(&file.path);
        write(path, &file.text)?;
        #[cfg(unix)]
        if file.executable {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
        }
    }
    if probe.untrusted {
        return Ok(());
    }
    let trusted = Place { project: at.project.clone(), home: at.home.clone(), home_given: true, ..Place::default() };
    for (path, text) in program.dialect.trust_files(&trusted, &DiskFiles) {
        let own = hookbench_system::disk::read_text(&path).unwrap_or_default();
        write(
            Path::new(&path),
            &if Path::new(&path).extension().is_some_and(|extension| extension == "toml") {
                with_tables(&own, &text)
            } else {
                text
            },
        )?;
    }
    Ok(())
}
