//! The loop of an author: pinned events, and firing them again when a hook's files are saved.
//!
//! Armed only by the user, and only for definitions with consent. A file that a hook writes beside itself while it runs
//! is its own and never fires it; a save in mid-run supersedes that run; what keeps changing by itself, and a change of
//! branch, disarm.

use std::path::{Path, PathBuf};

use super::firings::Start;
use super::state::Session;
use crate::app::firing_record::FiringId;
use crate::app::history::PastRun;
use crate::app::job::Job;
use crate::core::decide::Verdict;
use crate::core::hook::{HookDefinition, HookInput};

/// Pinned events at most.
pub const PINS: usize = 9;
/// Saves in mid-run, one after the other without a word from the user, after which something else is writing.
const SAVES: u32 = 3;
/// Files beside a script that are watched with it.
const SIBLINGS: usize = 64;
/// What a hook may be made of; logs and data beside it are not.
const SOURCES: [&str; 14] =
    ["sh", "bash", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "json", "toml", "yaml", "yml"];

/// An event that is fired again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Pin {
    pub agent: &'static str,
    pub input: HookInput,
    pub filled: Vec<String>,
    /// What it came to last, and before that.
    pub verdict: Option<Verdict>,
    pub before: Option<Verdict>,
    /// It would have been fired, and a command has no consent yet.
    pub waits: bool,
}

/// What the loop remembers.
#[derive(Debug, Clone, Default)]
pub struct WatchLoop {
    pub pins: Vec<Pin>,
    pub armed: bool,
    /// Files that have changed and whose reload is not complete.
    changed: Vec<PathBuf>,
    /// Agents whose settings are being read.
    pub(super) loading: usize,
    /// Pins that wait for their turn.
    queue: Vec<usize>,
    /// Firings that the loop has started.
    live: Vec<FiringId>,
    /// A run has ended a moment ago: what it wrote may still be reported.
    pub(super) echoes: usize,
    /// Files that hooks write beside themselves.
    own: Vec<PathBuf>,
    saves: u32,
}

impl Session {
    /// Pins the event on the bench, or takes the pin off.
    pub(super) fn toggle_pin(&mut self) {
        let Some(input) = self.bench.input.clone() else { return };
        let agent = self.bench.agent;
        let same = |p: &Pin| p.agent == agent && p.input == input;
        if let Some(index) = self.watch.pins.iter().position(same) {
            self.watch.pins.remove(index);
        } else if self.watch.pins.len() == PINS {
            self.messages
                .push(format!("{PINS} events are pinned, as many as there can be; take one of them off first"));
        } else {
            let verdict = self.last_of_bench().and_then(PastRun::verdict);
            let filled = self.bench.filled.clone();
            self.watch.pins.push(Pin { agent, input, filled, verdict, before: None, waits: false });
        }
    }

    /// Whether the event on the bench is pinned, and as which number.
    pub fn pinned(&self) -> Option<usize> {
        let input = self.bench.input.as_ref()?;
        self.watch.pins.iter().position(|p| p.agent == self.bench.agent && p.input == *input)
    }

    pub(super) fn files_changed(&mut self, paths: Vec<PathBuf>) -> Vec<Job> {
        let head = Path::new(&self.place.project).join(".git/HEAD");
        if self.watch.armed && paths.contains(&head) {
            self.watch.armed = false;
            self.messages.push("the branch has changed; auto-fire is off".to_owned());
        }
        self.watch.changed.extend(paths);
        self.reload()
    }

    /// Reads every agent's settings again.
    pub(super) fn reload(&mut self) -> Vec<Job> {
        self.watch.loading += self.agents.len();
        self.agents.iter().map(|a| Job::Load { agent: a.dialect.id(), version: a.version.clone() }).collect()
    }

    /// All settings have been read: what has changed may fire now.
    pub(super) fn reloaded(&mut self) -> Vec<Job> {
        self.watch.loading = self.watch.loading.saturating_sub(1);
        if self.watch.loading > 0 {
            return Vec::new();
        }
        let changed = std::mem::take(&mut self.watch.changed);
        if !self.watch.armed || changed.is_empty() {
            return Vec::new();
        }
        let changed = self.without_own(changed);
        if changed.is_empty() {
            return Vec::new();
        }
        let mut jobs = Vec::new();
        if !self.watch.live.is_empty() {
            self.watch.saves += 1;
            if self.watch.saves >= SAVES {
                self.watch.armed = false;
                self.messages.push("the hooks' files change whenever they run; auto-fire is off".to_owned());
            }
            let superseded = std::mem::take(&mut self.watch.live);
            self.watch.queue.clear();
            jobs.extend(superseded.into_iter().flat_map(|id| self.cancel_one(id)));
        }
        if self.watch.armed {
            self.watch.queue = (0..self.watch.pins.len()).filter(|i| self.concerns(*i, &changed)).collect();
            if self.watch.pins.is_empty() && self.bench_concerned(&changed) {
                jobs.extend(self.fire_bench_again());
            }
            jobs.extend(self.next_pin());
        }
        jobs
    }

    /// Takes away what hooks have written beside themselves while they ran.
    fn without_own(&mut self, changed: Vec<PathBuf>) -> Vec<PathBuf> {
        let running = self.busy() || self.watch.echoes > 0;
        let subjects = self.scripts_and_settings();
        let mut kept = Vec::new();
        for path in changed {
            let beside = !subjects.contains(&path);
            if beside && running && !self.watch.own.contains(&path) {
                self.watch.own.push(path.clone());
            }
            if !self.watch.own.contains(&path) {
                kept.push(path);
            }
        }
        kept
    }

    /// The settings files and the scripts themselves, without what lies beside them.
    fn scripts_and_settings(&self) -> Vec<PathBuf> {
        let mut all = Vec::new();
        for agent in &self.agents {
            let Some(loaded) = &agent.loaded else { continue };
            all.extend(loaded.paths().into_iter().map(PathBuf::from));
            let live = loaded.definitions.iter().filter(|d| d.refused.is_none());
            all.extend(live.filter_map(|d| self.resolve(agent, d)?.script).map(PathBuf::from));
        }
        all
    }

    /// Everything that can change what hooks do.
    pub(super) fn watched(&self) -> Vec<PathBuf> {
        let mut all = self.scripts_and_settings();
        let mut folders: Vec<PathBuf> = all.iter().filter_map(|p| Some(p.parent()?.to_owned())).collect();
        folders.sort();
        folders.dedup();
        for folder in folders {
            let Some(name) = folder.to_str() else { continue };
            // Programs of the system are no sources of ours.
            if !folder.starts_with(&self.place.project) {
                continue;
            }
            let source = |file: &String| Path::new(file).extension().is_some_and(|e| SOURCES.iter().any(|s| e == *s));
            let siblings = self.files.list(name).into_iter().filter(source).take(SIBLINGS);
            all.extend(siblings.map(|file| folder.join(file)));
        }
        all.push(Path::new(&self.place.project).join(".git/HEAD"));
        all.sort();
        all.dedup();
        all
    }

    /// Whether a change concerns a hook that fires for a pin.
    fn concerns(&self, index: usize, changed: &[PathBuf]) -> bool {
        let Some(pin) = self.watch.pins.get(index) else { return false };
        self.fires_and_touched(pin.agent, &pin.input, changed)
    }

    fn bench_concerned(&self, changed: &[PathBuf]) -> bool {
        self.bench.input.as_ref().is_some_and(|input| self.fires_and_touched(self.bench.agent, input, changed))
    }

    fn fires_and_touched(&self, id: &str, input: &HookInput, changed: &[PathBuf]) -> bool {
        let Some(agent) = self.agent(id) else { return false };
        let (Some(loaded), Some(scene)) = (&agent.loaded, self.scene_of(agent, input)) else { return false };
        let settings =
            |d: &HookDefinition| changed.iter().any(|c| c.to_str() == Some(loaded.sources.path(d.from.span.source)));
        let script = |d: &HookDefinition| {
            let script = self.resolve(agent, d).and_then(|r| r.script).map(PathBuf::from);
            script
                .is_some_and(|s| changed.iter().any(|c| *c == s || (c.parent() == s.parent() && c.parent().is_some())))
        };
        let plan = agent.dialect.plan(&scene);
        let firing: Vec<&HookDefinition> = plan.firing().filter_map(|e| loaded.definition(&e.hook)).collect();
        // A settings file that no longer brings a hook here may have brought one before.
        let lost =
            firing.is_empty() && changed.iter().any(|c| loaded.layers.iter().any(|l| c.to_str() == Some(&l.path)));
        lost || firing.into_iter().any(|d| settings(d) || script(d))
    }

    /// Fires what lies on the bench, if every command has consent.
    fn fire_bench_again(&mut self) -> Vec<Job> {
        if !self.options.yes && !self.consent_missing().is_empty() {
            self.messages.push("a command has changed and waits for consent; firing asks for it".to_owned());
            return Vec::new();
        }
        let jobs = self.start(true);
        self.watch.live.extend(self.history.newest_record().filter(|f| !f.settled).map(|f| f.id));
        jobs
    }

    /// Starts the next pin whose turn it is.
    fn next_pin(&mut self) -> Vec<Job> {
        let mut jobs = Vec::new();
        while self.watch.live.is_empty() && !self.watch.queue.is_empty() {
            let index = self.watch.queue.remove(0);
            jobs.extend(self.fire_pin(index));
        }
        jobs
    }

    fn fire_pin(&mut self, index: usize) -> Vec<Job> {
        let Some(pin) = self.watch.pins.get(index).cloned() else { return Vec::new() };
        let Some(agent) = self.agent(pin.agent) else { return Vec::new() };
        let Some(scene) = self.scene_of(agent, &pin.input) else { return Vec::new() };
        let dialect = agent.dialect;
        let plan = dialect.plan(&scene);
        let waits = !self.options.yes && !self.consent_missing_of(agent, &plan).is_empty();
        if let Some(pin) = self.watch.pins.get_mut(index) {
            pin.waits = waits;
        }
        if waits {
            return Vec::new();
        }
        let start = Start { dialect, scene, plan, filled: pin.filled, diagnostics: Vec::new(), auto: true };
        let jobs = self.start_scene(start);
        self.watch.live.extend(self.history.newest_record().filter(|f| !f.settled).map(|f| f.id));
        jobs
    }

    /// Something has settled: pins of the same event know, and the next one may start.
    pub(super) fn after_settled(&mut self, id: FiringId) -> Vec<Job> {
        let Some(record) = self.firing(id) else { return Vec::new() };
        let verdict = record.outcome.as_ref().map(|o| o.verdict).filter(|_| !record.cancelled);
        let (agent, input) = (record.agent, record.input.clone());
        if verdict.is_some() {
            for pin in self.watch.pins.iter_mut().filter(|p| p.agent == agent && p.input == input) {
                pin.before = pin.verdict;
                pin.verdict = verdict;
                pin.waits = false;
            }
        }
        self.watch.live.retain(|live| *live != id);
        self.watch.echoes += 1;
        let mut jobs = vec![Job::Echo];
        jobs.extend(self.next_pin());
        jobs
    }

    /// The user has said something: what happens next is by their wish.
    pub(super) fn user_is_here(&mut self) {
        self.watch.saves = 0;
    }
}
