//! Findings about everything that is loaded, kept up to date behind the screen.

use std::sync::Arc;

use super::state::{Session, SessionOptions};
use crate::consent::Consent;
use crate::fact::Fact;
use crate::job::Job;
use crate::lint::{Allows, Choice, FileChange, Levels, Report, Settle, lint_session, settle};
use hookbench_core::config::{Files, Loaded, Place};
use hookbench_core::dialects::Version;

/// What was found, and whether that is being looked at.
#[derive(Debug, Default)]
pub struct Problems {
    /// None: nothing was looked at yet.
    pub report: Option<Arc<Report>>,
    /// How bad codes are to this user.
    pub levels: Levels,
    looking: bool,
    /// Something has changed since.
    again: bool,
}

/// What one agent has loaded, by its id.
pub type LoadedBy = (&'static str, Version, Arc<Loaded>);

impl Session {
    /// Has everything looked at, once everything is read; one look at a time.
    pub(super) fn look_for_problems(&mut self) -> Vec<Job> {
        if !self.options.lint || self.agents.iter().any(|agent| agent.loaded.is_none()) {
            return Vec::new();
        }
        if self.problems.looking {
            self.problems.again = true;
            return Vec::new();
        }
        self.problems.looking = true;
        let of = self.agents.iter().filter_map(|a| Some((a.dialect.id(), a.version.clone(), a.loaded.clone()?)));
        vec![Job::Lint { agents: of.collect(), levels: self.problems.levels.clone() }]
    }

    /// What was found.
    pub(super) fn take_problems(&mut self, report: Arc<Report>) -> Vec<Job> {
        self.problems.looking = false;
        if self.problems.report.as_ref() != Some(&report) {
            self.problems.report = Some(report);
        }
        if std::mem::take(&mut self.problems.again) { self.look_for_problems() } else { Vec::new() }
    }
}

/// Looks for problems: what [`Job::Lint`] comes to, over any files.
pub fn find_problems(place: &Place, files: Box<dyn Files + Send + Sync>, agents: &[LoadedBy], levels: Levels) -> Fact {
    let first = agents.first().map(|(id, ..)| *id).unwrap_or_default();
    let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
    let mut session = Session::new(options, place.clone(), files, first, &[], Consent::default());
    for (id, version, loaded) in agents {
        if let Some(agent) = session.agents.iter_mut().find(|a| a.dialect.id() == *id) {
            (agent.version, agent.loaded) = (version.clone(), Some(Arc::clone(loaded)));
        }
    }
    let allows = Allows::read(&session.place, session.files());
    let choice = Choice { levels, ..Choice::default() };
    let how = Settle { choice: &choice, allows: &allows, baseline: None, whole: true };
    let times = crate::recordings::recorded_times(&crate::state_dir::StateDir::of(&session.place));
    Fact::Linted(Arc::new(settle(lint_session(&session, None, &[], &times), &how)))
}

/// The files that change, by their names.
pub(crate) fn names(files: &[FileChange]) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.file.as_str()).collect();
    names.join(", ")
}
