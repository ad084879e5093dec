//! Handles changed files: which of them count, and when a change is complete.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Session;
use crate::job::Job;

impl Session {
    /// Handles changed files. Reloads the settings if they may be affected, and fires the affected events once
    /// everything is loaded.
    pub(in crate::session) fn files_changed(&mut self, paths: Vec<PathBuf>, calm: bool, at: Duration) -> Vec<Job> {
        let quiet = paths.is_empty();
        let mut news = Vec::new();
        let moved = paths.iter().any(|path| self.is_of_checkout(path));
        for path in paths {
            if self.is_listed(&path) {
                self.watch.unread = true;
            }
            if self.watch.beside.folders.contains(&path) {
                news.extend(self.came_and_went());
            } else if !self.is_of_checkout(&path) {
                news.push(path);
            }
        }
        news.sort();
        news.dedup();
        let (news, mut jobs) = self.without_own(news, at);
        self.watch.unread |= news.iter().any(|path| !self.watch.beside.files.contains(path));
        self.watch.changed.extend(news);
        self.look_at_checkout(moved);
        // Settings that were loaded during the change may be outdated.
        let between = jobs.is_empty() && quiet && self.watch.changed.is_empty();
        if calm && (std::mem::take(&mut self.watch.unread) || between) {
            jobs.extend(self.reload());
        } else if calm && self.watch.loading == 0 && !self.watch.changed.is_empty() {
            // Only files of hooks have changed, so the settings are up to date.
            jobs.extend(self.complete());
        }
        jobs
    }

    /// Reloads the settings of every agent. Only one reload is active at a time, because an older result could
    /// arrive last.
    pub(in crate::session) fn reload(&mut self) -> Vec<Job> {
        if self.watch.loading > 0 {
            self.watch.again = true;
            return Vec::new();
        }
        self.watch.loading = self.agents.len();
        self.agents.iter().map(|a| Job::Load { agent: a.dialect.id(), version: a.version.clone() }).collect()
    }

    /// Handles the end of loading one agent's settings.
    pub(in crate::session) fn reloaded(&mut self) -> Vec<Job> {
        self.watch.loading = self.watch.loading.saturating_sub(1);
        if self.watch.loading > 0 {
            return Vec::new();
        }
        if std::mem::take(&mut self.watch.again) {
            return self.reload();
        }
        self.complete()
    }

    /// Fires the affected events when everything is loaded.
    fn complete(&mut self) -> Vec<Job> {
        if !self.options.watch.enabled {
            return self.look_for_problems();
        }
        // A checkout may be reported after the files that it changed.
        self.look_at_checkout(false);
        let changed = std::mem::take(&mut self.watch.changed);
        let mut jobs = self.fire_affected(&changed);
        jobs.extend(self.watch_again());
        jobs.extend(self.look_for_problems());
        jobs
    }

    /// Reloads everything at the user's request.
    pub(in crate::session) fn look_again(&mut self) -> Vec<Job> {
        self.watch.list = None;
        self.reload()
    }

    /// Handles the loss of file watching.
    pub(in crate::session) fn watch_lost(&mut self, why: String) {
        let armed = if self.watch.armed { "; auto-fire sees saves late or not at all" } else { "" };
        self.messages.push(format!("watch lost: {why}{armed}; the command redraw looks again"));
        self.watch.lost = Some(why);
    }

    /// Handles the return of file watching.
    pub(in crate::session) fn watch_found(&mut self) {
        if self.watch.lost.take().is_some() {
            self.messages.push("files are watched again".to_owned());
        }
    }

    /// Returns whether an agent has listed this folder.
    fn is_listed(&self, path: &Path) -> bool {
        let folder =
            |name: &str| self.agents.iter().filter_map(|a| a.loaded.as_ref()).any(|l| l.looked.folders.contains(name));
        path.to_str().is_some_and(folder)
    }
}
