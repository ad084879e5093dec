//! Findings about the loaded configuration, updated in the background.

use std::sync::Arc;

use super::state::{Session, SessionOptions};
use crate::consent::Consent;
use crate::fact::Fact;
use crate::job::Job;
use crate::lint::{
    AllowList, FileChange, FindingsReport, LintLevels, LintSelection, ReportFilter, lint_session, make_report,
};
use hookbench_core::config::{Files, LoadedConfig, Place};
use hookbench_core::dialects::Version;

/// The latest report, and the state of linting.
#[derive(Debug, Default)]
pub struct Problems {
    /// `None` before the first run.
    pub report: Option<Arc<FindingsReport>>,
    /// The severities that the user assigns to codes.
    pub levels: LintLevels,
    running: bool,
    /// Whether something has changed since linting began.
    outdated: bool,
}

/// The loaded configuration of one agent, with its id and version.
pub type LoadedAgent = (&'static str, Version, Arc<LoadedConfig>);

impl Session {
    /// Requests a lint run when every agent is loaded. Only one run is active at a time.
    pub(super) fn request_lint(&mut self) -> Vec<Job> {
        if !self.options.lint || self.agents.iter().any(|agent| agent.loaded.is_none()) {
            return Vec::new();
        }
        if self.problems.running {
            self.problems.outdated = true;
            return Vec::new();
        }
        self.problems.running = true;
        let of = self.agents.iter().filter_map(|a| Some((a.dialect.id(), a.version.clone(), a.loaded.clone()?)));
        vec![Job::Lint { agents: of.collect(), levels: self.problems.levels.clone() }]
    }

    /// Stores a report, and requests another run if something has changed meanwhile.
    pub(super) fn set_problems(&mut self, report: Arc<FindingsReport>) -> Vec<Job> {
        self.problems.running = false;
        if self.problems.report.as_ref() != Some(&report) {
            self.problems.report = Some(report);
        }
        if std::mem::take(&mut self.problems.outdated) { self.request_lint() } else { Vec::new() }
    }
}

/// Does the work of [`Job::Lint`] over any files.
pub fn find_problems(
    place: &Place,
    files: Box<dyn Files + Send + Sync>,
    agents: &[LoadedAgent],
    levels: LintLevels,
) -> Fact {
    let first = agents.first().map(|(id, ..)| *id).unwrap_or_default();
    let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
    let mut session = Session::new(options, place.clone(), files, first, &[], Consent::default());
    for (id, version, loaded) in agents {
        if let Some(agent) = session.agents.iter_mut().find(|a| a.dialect.id() == *id) {
            (agent.version, agent.loaded) = (version.clone(), Some(Arc::clone(loaded)));
        }
    }
    let allows = AllowList::read(&session.place, session.files());
    let choice = LintSelection { levels, ..LintSelection::default() };
    let how = ReportFilter { selection: &choice, allows: &allows, baseline: None, complete: true };
    let times = crate::recordings::recorded_times(&crate::state_dir::StateDir::of(&session.place));
    Fact::Linted(Arc::new(make_report(lint_session(&session, None, &[], &times), &how)))
}

/// The names of the changed files.
pub(crate) fn file_names(files: &[FileChange]) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.file.as_str()).collect();
    names.join(", ")
}
