//! Handles changed files: which of them count, and when a change is complete.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Session;
use super::change_rhythm::ChangeKind;
use super::state::PINS;
use crate::session::SessionEffect;
use crate::session::agent::AgentState;
use crate::session::job::Job;
use hookbench_core::hook::HookInput;
use hookbench_core::plan::Selection;

impl Session {
    /// Handles changed files. Reloads the settings if they may be affected, and fires the affected events once
    /// everything is loaded.
    pub(in crate::session) fn files_changed(&mut self, paths: Vec<PathBuf>, calm: bool, at: Duration) -> Vec<Job> {
        self.effects.push(SessionEffect::SettingsLoaded);
        let quiet = paths.is_empty();
        let mut news = Vec::new();
        let moved = paths.iter().any(|path| self.is_checkout_file(path));
        for path in paths {
            if self.is_listed(&path) {
                self.auto_fire.settings_changed = true;
            }
            if self.auto_fire.sources.directories.contains(&path) {
                news.extend(self.update_sources());
            } else if !self.is_checkout_file(&path) {
                news.push(path);
            }
        }
        news.sort();
        news.dedup();
        let (news, mut jobs) = self.remove_own_changes(news, at);
        self.auto_fire.settings_changed |= news.iter().any(|path| !self.auto_fire.sources.files.contains(path));
        self.auto_fire.changed.extend(news);
        self.check_checkout(moved);
        // Settings that were loaded during the change may be outdated.
        let between = jobs.is_empty() && quiet && self.auto_fire.changed.is_empty();
        if calm && (std::mem::take(&mut self.auto_fire.settings_changed) || between) {
            jobs.extend(self.reload());
        } else if calm && self.auto_fire.loading == 0 && !self.auto_fire.changed.is_empty() {
            // Only files of hooks have changed, so the settings are up to date.
            jobs.extend(self.changes_loaded());
        }
        jobs
    }

    /// Reloads the settings of every agent. Only one reload is active at a time, because an older result could
    /// arrive last.
    pub(in crate::session) fn reload(&mut self) -> Vec<Job> {
        if self.auto_fire.loading > 0 {
            self.auto_fire.reload_again = true;
            return Vec::new();
        }
        self.auto_fire.loading = self.agents.len();
        self.agents.iter().map(|a| Job::Load { agent: a.dialect.id(), version: a.version.clone() }).collect()
    }

    /// Loads the settings of one more agent, besides a reload that may be active.
    pub(in crate::session) fn load_more(&mut self, agent: &AgentState) -> Job {
        self.auto_fire.loading += 1;
        Job::Load { agent: agent.dialect.id(), version: agent.version.clone() }
    }

    /// Handles the end of loading one agent's settings.
    pub(in crate::session) fn agent_loaded(&mut self) -> Vec<Job> {
        self.auto_fire.loading = self.auto_fire.loading.saturating_sub(1);
        if self.auto_fire.loading > 0 {
            return Vec::new();
        }
        if std::mem::take(&mut self.auto_fire.reload_again) {
            return self.reload();
        }
        self.changes_loaded()
    }

    /// Fires the affected events when everything is loaded.
    fn changes_loaded(&mut self) -> Vec<Job> {
        if !self.options.watch.enabled {
            let mut jobs = self.fire_edited();
            jobs.extend(self.request_lint());
            return jobs;
        }
        // A checkout may be reported after the files that it changed.
        self.check_checkout(false);
        let changed = std::mem::take(&mut self.auto_fire.changed);
        let mut jobs = self.fire_affected(&changed);
        jobs.extend(self.fire_edited());
        jobs.extend(self.update_watch_list());
        jobs.extend(self.request_lint());
        jobs
    }

    /// Reloads everything at the user's request.
    pub(in crate::session) fn reload_all(&mut self) -> Vec<Job> {
        self.auto_fire.list = None;
        self.reload()
    }

    /// Handles the loss of file watching.
    pub(in crate::session) fn watch_lost(&mut self, why: String) {
        let armed = if self.auto_fire.armed { "; auto-fire may miss saves" } else { "" };
        self.say(format!("watch lost: {why}{armed}; the command redraw checks the files again"));
        self.auto_fire.lost = Some(why);
    }

    /// Handles the return of file watching.
    pub(in crate::session) fn watch_found(&mut self) {
        if self.auto_fire.lost.take().is_some() {
            self.say("file watching works again".to_owned());
        }
    }

    /// Returns whether an agent has listed this directory.
    fn is_listed(&self, path: &Path) -> bool {
        let directory = |name: &str| {
            self.agents.iter().filter_map(|a| a.loaded.as_ref()).any(|l| l.lookups.directories.contains(name))
        };
        path.to_str().is_some_and(directory)
    }
}

/// A writer that hashes its text.
struct HashWriter(DefaultHasher);

impl std::fmt::Write for HashWriter {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

impl Session {
    /// A fingerprint of all settings that affect an event's verdict. It depends on their meaning, not on their
    /// text: the order of keys, line numbers and unrelated settings do not change it. The contents of scripts are
    /// not included, because their changes are reported separately.
    pub(super) fn fingerprint(&self, id: &str, input: &HookInput) -> u64 {
        let mut print = HashWriter(DefaultHasher::new());
        let known = self.agent(id).and_then(|a| Some((a, a.loaded.as_ref()?, self.scene_of(a, input)?)));
        if let Some((agent, loaded, scene)) = known {
            let plan = agent.dialect.plan(&scene);
            // Hashing cannot fail.
            let _ = write!(print, "{:?}{:?}{:?}", plan.schedule, plan.budget, plan.lost.map(|l| l.why));
            let _ = write!(
                print,
                "{:?}{:?}{:?}",
                loaded.refusal.as_ref().map(|r| &r.message),
                loaded.hooks_off,
                loaded.agent_settings
            );
            for switch in &loaded.switches {
                let _ = write!(print, "{}={}", switch.name, switch.value);
            }
            for entry in plan.entries.iter().filter(|e| e.selection != Selection::Skipped) {
                let Some(d) = loaded.definition(&entry.hook) else { continue };
                let launch = agent.dialect.launch(d, &scene);
                let _ = write!(print, "{:?}{}{}{:?}", entry.selection, d.raw, d.group, d.detached);
                let _ = write!(print, "{:?}{launch:?}", d.provenance.layer);
            }
        }
        print.0.finish()
    }

    /// Updates the fingerprints of all pins. Returns the pins whose fingerprint or hooks have changed.
    pub(super) fn affected_pins(&mut self, changed: &[PathBuf]) -> Vec<usize> {
        let prints: Vec<u64> =
            self.auto_fire.pins.iter().map(|p| self.fingerprint(p.agent.as_str(), &p.input)).collect();
        let mut affected = Vec::new();
        for (index, print) in prints.into_iter().enumerate() {
            let Some(pin) = self.auto_fire.pins.get_mut(index) else { continue };
            let differs = std::mem::replace(&mut pin.fingerprint, print) != print;
            let (agent, input) = (pin.agent, pin.input.clone());
            if differs || self.is_touched(agent.as_str(), &input, changed) {
                affected.push(index);
            }
        }
        affected
    }

    /// The same for the event on the bench.
    pub(super) fn bench_affected(&mut self, changed: &[PathBuf]) -> bool {
        let Some(input) = self.bench.payload.input.clone() else { return false };
        let agent = self.bench.payload.agent;
        let print = self.fingerprint(agent.as_str(), &input);
        let before = self.auto_fire.bench.replace((agent.as_str(), input.clone(), print));
        let differs = before.is_some_and(|(a, i, p)| a == agent && i == input && p != print);
        differs || self.is_touched(agent.as_str(), &input, changed)
    }

    fn is_touched(&self, id: &str, input: &HookInput, changed: &[PathBuf]) -> bool {
        self.touched_hook(id, input, changed).is_some()
    }

    /// The first firing hook to which one of these files belongs, as file and script. A change of a script itself
    /// is preferred over a change in its directory.
    pub(super) fn touched_hook(&self, id: &str, input: &HookInput, changed: &[PathBuf]) -> Option<(String, String)> {
        let agent = self.agent(id).filter(|_| !changed.is_empty())?;
        let (loaded, scene) = (agent.loaded.as_ref()?, self.scene_of(agent, input)?);
        let plan = agent.dialect.plan(&scene);
        let mut beside = None;
        for entry in plan.entries.iter().filter(|e| e.selection != Selection::Skipped) {
            let definition = loaded.definition(&entry.hook);
            let script = definition.and_then(|d| self.resolve_launch(&agent.dialect.launch(d, &scene), d)?.script);
            let Some(script) = script else { continue };
            for file in changed.iter().filter(|file| self.belongs(file, &script)) {
                let found = (file.to_string_lossy().into_owned(), script.clone());
                if found.0 == found.1 {
                    return Some(found);
                }
                beside.get_or_insert(found);
            }
        }
        beside
    }
}

impl Session {
    /// Removes the changes that hooks made themselves.
    pub(super) fn remove_own_changes(&mut self, changed: Vec<PathBuf>, at: Duration) -> (Vec<PathBuf>, Vec<Job>) {
        let running = !self.machines.is_empty() || self.auto_fire.echoes > 0;
        let answers = running || self.has_escaped_process();
        let (mut kept, mut jobs) = (Vec::new(), Vec::new());
        for path in changed {
            let of_hook = self.auto_fire.sources.files.contains(&path);
            if running && of_hook && !self.auto_fire.sources.scripts.contains(&path) {
                self.report_own_change(
                    &path,
                    "changed while a hook ran, so hookbench assumes that the hook changed it",
                );
                continue;
            }
            let beat = if self.auto_fire.armed {
                self.auto_fire.rhythms.files.entry(path.clone()).or_default().classify(at, answers)
            } else {
                ChangeKind::Counts
            };
            match beat {
                ChangeKind::Counts => kept.push(path),
                // The plan follows the settings in any case.
                ChangeKind::Suspect { .. } | ChangeKind::Own if !of_hook => {
                    self.auto_fire.by_hooks = true;
                    self.auto_fire.settings_changed = true;
                }
                ChangeKind::Suspect { wait } => jobs.push(Job::WaitForFile { path, after: wait }),
                ChangeKind::Own => {
                    self.report_own_change(
                        &path,
                        "changes after every run, so hookbench assumes that a hook changes it",
                    );
                }
            }
        }
        (kept, jobs)
    }

    /// Handles the end of the pause after which a suspect file is tried again.
    pub(in crate::session) fn retry_suspect(&mut self, path: PathBuf, at: Duration) -> Vec<Job> {
        let again = self.auto_fire.rhythms.files.get_mut(&path).is_some_and(|rhythm| rhythm.try_again(at));
        if again { self.fire_affected(&[path]) } else { Vec::new() }
    }

    /// Returns whether a process that a hook started has left its group and may still write files.
    fn has_escaped_process(&self) -> bool {
        let last = self
            .history
            .rows()
            .rev()
            .take(PINS)
            .filter_map(|run| run.record())
            .flat_map(|f| &f.runs)
            .filter_map(|r| r.ended());
        last.flat_map(|run| &run.report.leftovers).any(|left| left.left_group)
    }

    fn report_own_change(&mut self, path: &Path, why: &str) {
        if self.auto_fire.armed && self.auto_fire.rhythms.reported.insert(path.to_owned()) {
            let name = self.place.display_path(&path.to_string_lossy());
            self.say(format!("{name} {why}; fire to run the event"));
        }
    }
}
