//! Handles changed files: which of them count, and when a change is complete.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Session;
use crate::session::SessionEffect;
use crate::session::agent::AgentState;
use crate::session::job::Job;

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
