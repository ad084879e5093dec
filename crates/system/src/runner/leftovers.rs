//! Processes that outlived a hook, found through `/proc` if it exists, otherwise described in general terms.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use hookbench_core::run::{Leftover, Stream};

use super::{group, platform};

/// The length limit for a displayed command line.
const COMMAND: usize = 160;
/// The number of times that processes are looked for to be killed.
const PASSES: usize = 50;
/// The longest time in which all children are ended.
#[cfg(target_os = "linux")]
const END_LIMIT: Duration = Duration::from_secs(2);

/// A pipe that another process held open when reading stopped.
pub(super) struct HeldPipe {
    pub stream: Stream,
    /// The name in `/proc`: `pipe:[4711]`.
    pub name: String,
}

/// The state of the processes that remain in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftoverState {
    /// They were still running when the result was collected.
    Outlived,
    /// They were still running after the grace period.
    Stubborn,
}

impl LeftoverState {
    fn describe(self) -> &'static str {
        match self {
            LeftoverState::Outlived => "outlived the hook; hookbench ends it",
            LeftoverState::Stubborn => "ignored SIGTERM and was killed",
        }
    }
}

/// The remaining processes of a group, and other processes that hold one of its pipes. `fate` describes those in
/// the group.
pub(super) fn list(group: u32, alive: bool, held: &[HeldPipe], fate: LeftoverState) -> Vec<Leftover> {
    let stubborn = fate == LeftoverState::Stubborn;
    let fate = fate.describe();
    let mut leftovers = Vec::new();
    let detached = detached_processes(group);
    for process in processes() {
        if let Some(origin) = detached.get(&process.pid) {
            let message = format!("pid {} `{}` {origin} and is still running", process.pid, process.command());
            let held = if held.is_empty() { Vec::new() } else { process.held_streams(held) };
            let message =
                if held.is_empty() { message } else { format!("{message}; it held {} open", held.join(" and ")) };
            leftovers.push(Leftover { message, left_group: true, ignored_sigterm: false });
            continue;
        }
        let ours = alive && process.group == group && !process.has_ended;
        // hookbench's own children lead the groups of other hooks; while they start, they may still hold these
        // pipes.
        let stranger = process.group != group && process.parent != std::process::id();
        let holds: Vec<&str> =
            if ours || (stranger && !held.is_empty()) { process.held_streams(held) } else { Vec::new() };
        if !ours && holds.is_empty() {
            continue;
        }
        let mut says = format!("pid {} `{}`", process.pid, process.command());
        if ours {
            let _ = write!(says, " {fate}");
        } else {
            says += " left the hook's process group and is still running";
        }
        if !holds.is_empty() {
            let _ = write!(says, "; it held {} open", holds.join(" and "));
        }
        leftovers.push(Leftover { message: says, left_group: !ours, ignored_sigterm: stubborn && ours });
    }
    if leftovers.is_empty() && alive {
        leftovers.push(Leftover {
            message: format!("a process of the hook's group {fate}"),
            left_group: false,
            ignored_sigterm: stubborn,
        });
    }
    leftovers
}

/// Whether hooks have left processes that lost their parent, so that [`list`] may find some.
pub(super) fn any_orphan(group: u32) -> bool {
    !detached_processes(group).is_empty()
}

/// The processes that hooks have detached: those in sessions of their own, or in other groups of the hook's session, that
/// have lost their parent. With a clause that says where they came from. A process is reported with the first hook that
/// ends after its start.
fn detached_processes(group: u32) -> BTreeMap<u32, &'static str> {
    static REPORTED: Mutex<BTreeMap<u32, u32>> = Mutex::new(BTreeMap::new());
    let own_session = ProcessInfo::read(std::process::id()).map(|own| own.session);
    let children = unknown_children().into_iter().filter_map(ProcessInfo::read);
    let orphans: Vec<ProcessInfo> =
        children.filter(|child| Some(child.session) != own_session && child.group != group).collect();
    if orphans.is_empty() {
        return BTreeMap::new();
    }
    let hooks = group::all_groups();
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    let (ended, orphans): (Vec<_>, Vec<_>) = orphans.into_iter().partition(|orphan| orphan.has_ended);
    for orphan in ended {
        if reported.remove(&orphan.pid).is_some() {
            platform::reap_process(orphan.pid);
        }
    }
    let mut found = BTreeMap::new();
    for orphan in orphans.iter().filter(|orphan| orphan.session == group || !hooks.contains(&orphan.session)) {
        if *reported.entry(orphan.pid).or_insert(group) != group {
            continue;
        }
        let is_sure = orphan.session == group || hooks.iter().all(|hook| *hook == group);
        let left = "left the hook's process group";
        found.insert(
            orphan.pid,
            if is_sure { left } else { "left the process group of this hook, or of one beside it," },
        );
    }
    found
}

/// Removes ended processes that have lost their parent and become children of this process. Those that something here waits
/// for lead a session, or belong to that of hookbench.
pub fn reap_orphans() {
    let own_session = ProcessInfo::read(std::process::id()).map(|own| own.session);
    let is_orphan = |child: &ProcessInfo| Some(child.session) != own_session && child.session != child.pid;
    let children = unknown_children().into_iter().filter_map(ProcessInfo::read);
    for child in children.filter(|child| child.has_ended && is_orphan(child)) {
        platform::reap_process(child.pid);
    }
}

/// The children of this process that lead no group of a hook, among them processes that have lost their parent.
fn unknown_children() -> Vec<u32> {
    let hooks = group::known_groups();
    children().into_iter().filter(|pid| !hooks.contains(pid)).collect()
}

/// Ends all children of this process, and what becomes its child when they end.
#[cfg(target_os = "linux")]
pub(super) fn end_all_children() {
    let until = Instant::now() + END_LIMIT;
    // A process that the kernel holds does not end.
    while let found = children()
        && !found.is_empty()
        && Instant::now() < until
    {
        for child in &found {
            platform::kill_process(*child);
        }
        std::thread::sleep(Duration::from_millis(1));
        found.into_iter().for_each(platform::reap_process);
    }
}

fn children() -> Vec<u32> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.map(|thread| fs::read_to_string(thread.path().join("children")).unwrap_or_default());
    let children =
        |list: String| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>();
    lists.flat_map(children).collect()
}

/// Pipes that a process held open which [`list`] did not find. `None` if nothing was held, or if only a child of
/// hookbench holds them that has not started its program yet.
pub(super) fn unknown_holder(group: u32, held: &[HeldPipe]) -> Option<Leftover> {
    let starts = |process: &ProcessInfo| process.parent == std::process::id() && process.group != group;
    if held.is_empty() || processes().any(|process| starts(&process) && !process.held_streams(held).is_empty()) {
        return None;
    }
    let streams: Vec<&str> = held.iter().map(|held| name(held.stream)).collect();
    let says = format!("an unknown process still held {} open", streams.join(" and "));
    Some(Leftover { message: says, left_group: true, ignored_sigterm: false })
}

/// Whether an existing group has a process that has not ended. Without `/proc`, assumes so.
pub(super) fn any_alive(group: u32) -> bool {
    !Path::new("/proc/self/stat").exists() || processes().any(|process| process.group == group && !process.has_ended)
}

/// Kills each process that works in one of these directories or has one in its environment: what contained hooks started
/// in process groups of their own.
pub fn kill_processes_of(directories: &[PathBuf]) {
    // A process may start another one meanwhile, even one that the list has passed by.
    let mut empty = 0;
    for _ in 0..PASSES {
        let is_of = |process: &ProcessInfo| !process.has_ended && process.is_of(directories);
        let found: Vec<u32> = processes().filter(is_of).map(|one| one.pid).collect();
        empty = if found.is_empty() { empty + 1 } else { 0 };
        if empty == 2 {
            return;
        }
        found.into_iter().for_each(platform::kill_process);
    }
}

struct ProcessInfo {
    pid: u32,
    parent: u32,
    group: u32,
    session: u32,
    /// Whether it has ended and waits to be reaped.
    has_ended: bool,
}

impl ProcessInfo {
    fn read(pid: u32) -> Option<ProcessInfo> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The second field is the program's name in parentheses, which may itself contain parentheses.
        let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        Some(ProcessInfo { pid, parent, group, session, has_ended: matches!(state, "Z" | "X") })
    }

    fn is_of(&self, directories: &[PathBuf]) -> bool {
        let file = |name: &str| PathBuf::from(format!("/proc/{}/{name}", self.pid));
        let environment = fs::read(file("environ")).unwrap_or_default();
        let working = fs::read_link(file("cwd")).unwrap_or_default();
        let names = |directory: &PathBuf| {
            let path = directory.as_os_str().as_encoded_bytes();
            !path.is_empty() && environment.windows(path.len()).any(|part| part == path)
        };
        directories.iter().any(|directory| working.starts_with(directory) || names(directory))
    }

    fn command(&self) -> String {
        let of = |file: &str| {
            let bytes = fs::read(format!("/proc/{}/{file}", self.pid)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).replace(char::is_control, " ").trim().to_owned()
        };
        let line = of("cmdline");
        let line = if line.is_empty() { of("comm") } else { line };
        if line.chars().nth(COMMAND).is_some() { line.chars().take(COMMAND).chain(['…']).collect() } else { line }
    }

    fn held_streams(&self, held: &[HeldPipe]) -> Vec<&'static str> {
        let Ok(open) = fs::read_dir(format!("/proc/{}/fd", self.pid)) else { return Vec::new() };
        let targets: Vec<_> = open.filter_map(|fd| fs::read_link(fd.ok()?.path()).ok()).collect();
        held.iter()
            .filter(|held| targets.iter().any(|target| target.as_os_str() == held.name.as_str()))
            .map(|held| name(held.stream))
            .collect()
    }
}

fn processes() -> impl Iterator<Item = ProcessInfo> {
    let entries = fs::read_dir("/proc").into_iter().flatten();
    entries.filter_map(|entry| {
        let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
        (pid != std::process::id()).then(|| ProcessInfo::read(pid)).flatten()
    })
}

fn name(stream: Stream) -> &'static str {
    match stream {
        Stream::Stdin => "stdin",
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
    }
}
