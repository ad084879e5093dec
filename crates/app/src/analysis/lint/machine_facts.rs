//! Facts about the machine outside a project's files: which agents run in the project, and since when.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::environment::hook_environment::seen_path;
use hookbench_core::config::{LoadedConfig, Place};
use hookbench_core::dialects::{Agent, MachineFacts, RunningAgent};

/// Clock ticks per second in `/proc`; 100 on every Linux platform.
const TICKS: i64 = 100;

/// Collects the facts for an agent. They are empty on a system without `/proc`.
pub(super) fn machine_facts(
    dialect: &Agent,
    loaded: &LoadedConfig,
    place: &Place,
    processes: &Processes<'_>,
    tracked: Option<Arc<BTreeSet<String>>>,
) -> MachineFacts {
    let seen_path = seen_path(place, dialect.id());
    let mut around = MachineFacts { tracked, seen_path, ..MachineFacts::default() };
    // An agent that rereads its settings at once cannot have missed an edit.
    if dialect.settings_format().reload_action.is_none() {
        return around;
    }
    around.running = running_agents(dialect.install().command, processes);
    if !around.running.is_empty() {
        let changed = |path: &str| {
            let time = fs::metadata(path).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            i64::try_from(time.as_millis()).ok()
        };
        around.modified_at =
            loaded.layers.iter().filter_map(|layer| Some((layer.path.clone(), changed(&layer.path)?))).collect();
    }
    around
}

/// The ids and directories in `/proc` of the processes that work in a project, found when they are first asked for.
pub(super) type Processes<'a> = LazyCell<Vec<(u32, PathBuf)>, Box<dyn FnOnce() -> Vec<(u32, PathBuf)> + 'a>>;

/// The processes whose working directory is the project's.
pub(super) fn processes_in(place: &Place) -> Processes<'_> {
    LazyCell::new(Box::new(|| {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let processes = entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())));
        let works_here =
            |path: &Path| fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == Path::new(&place.project));
        processes.filter(|(_, path)| works_here(path)).collect()
    }))
}

/// The processes with this name.
fn running_agents(command: &str, processes: &Processes<'_>) -> Vec<RunningAgent> {
    let Some(booted) = boot_time() else { return Vec::new() };
    let mut found: Vec<RunningAgent> = processes
        .iter()
        .filter(|(_, path)| is_called(path, command))
        .filter_map(|&(pid, ref path)| {
            let stat = fs::read_to_string(path.join("stat")).ok()?;
            // The second field is the program's name in parentheses, which may contain any character.
            let ticks: i64 = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().nth(19)?.parse().ok()?;
            Some(RunningAgent { pid, started_at: booted + ticks * 1000 / TICKS })
        })
        .collect();
    found.sort_by_key(|running| running.pid);
    found
}

/// Returns whether a process runs the named program, either directly or through an interpreter.
fn is_called(process: &Path, command: &str) -> bool {
    let line = fs::read(process.join("cmdline")).unwrap_or_default();
    let words = line.split(|byte| *byte == 0).take(2).map(String::from_utf8_lossy);
    let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    words.map(|word| name(&word)).any(|word| word == command)
}

/// The boot time of the machine, in milliseconds since 1970.
fn boot_time() -> Option<i64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let line = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    line.trim().parse::<i64>().ok().map(|seconds| seconds * 1000)
}
