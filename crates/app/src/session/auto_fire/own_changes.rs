//! Prevents firing loops by hooks that write their own files; see `change_rhythm`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Session;
use super::change_rhythm::ChangeKind;
use super::state::PINS;
use crate::session::job::Job;

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
