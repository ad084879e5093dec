//! The directory into which the program of an agent unpacks itself at its first start. All sessions of hookbench share it,
//! because this takes longer than a session.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::disk::owned_directory::create_owned_directory;
use crate::disk::state_dir::{StateDir, owner_only_directory};
use crate::environment::agent_process::AgentProcess;
use hookbench_core::dialects::{Agent, Version};
use hookbench_system::isolation::{Bind, IsolationSpec};

/// The directory of all agents, below the state directory.
const DIRECTORY: &str = "unpacked-agents";

/// The directory for one version of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentCache {
    /// The variable that names it to the program.
    pub variable: &'static str,
    pub directory: PathBuf,
}

impl AgentCache {
    /// Creates the directory for this version, and deletes those of other versions. `None` if the program does not unpack
    /// itself, or if the directory cannot be created.
    pub(crate) fn prepare(dialect: &Agent, version: Option<&Version>) -> Option<AgentCache> {
        let variable = dialect.headless_format().cache_variable?;
        let state = StateDir::for_process();
        let all = state.is_known().then(|| state.file(DIRECTORY))?;
        let beginning = format!("{}-", dialect.id());
        let name = format!("{beginning}{}", version.map_or_else(|| "unknown".to_owned(), ToString::to_string));
        owner_only_directory(state.root()).and_then(|()| owner_only_directory(&all)).ok()?;
        for entry in fs::read_dir(&all).into_iter().flatten().flatten() {
            let other = entry.file_name().to_string_lossy().into_owned();
            if other.starts_with(&beginning) && other != name {
                // What stays takes space and does no harm.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let directory = all.join(name);
        owner_only_directory(&directory).ok()?;
        Some(AgentCache { variable, directory })
    }

    /// Lets the program unpack itself, if it has not yet. It prints its version, with no network and no hooks, so sessions need
    /// to write to the directory only if this fails.
    pub(crate) async fn fill(&self, program: &Path, isolated: bool, limit: Duration) {
        let empty = fs::read_dir(&self.directory).map_or(true, |mut entries| entries.next().is_none());
        if !empty {
            return;
        }
        let Ok(scratch) = create_owned_directory() else { return };
        // Isolation names the directories as the system resolves them.
        let Ok(base) = fs::canonicalize(scratch.path()) else { return };
        let (place, root) = (base.join("place"), base.join("root"));
        if fs::create_dir(&place).and_then(|()| fs::create_dir(&root)).is_err() {
            return;
        }
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut env: BTreeMap<String, String> =
            std::env::var("PATH").ok().map(|path| ("PATH".to_owned(), path)).into_iter().collect();
        env.extend(["HOME", "TMPDIR"].map(|name| (name.to_owned(), text(&place))));
        env.insert(self.variable.to_owned(), text(&self.directory));
        let agent = AgentProcess {
            program: text(program),
            args: vec!["--version".to_owned()],
            directory: text(&place),
            env,
            stdin: String::new(),
            limit,
            timeout_scale: 1.0,
        };
        let writable = |path: &Path| Bind { source: path.to_owned(), target: path.to_owned(), writable: true };
        let spec = IsolationSpec {
            root: Some(root),
            binds: vec![writable(&place), writable(&self.directory)],
            directory: place.clone(),
            ..IsolationSpec::default()
        };
        // A program that fails here fails in its first session too, which is reported.
        if isolated {
            let _ = agent.run_isolated(&spec, &base.join("spec")).await;
        } else {
            agent.run().await;
        }
    }
}
