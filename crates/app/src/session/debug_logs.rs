//! The statements of the agent's own debug logs about a hook, next to the prediction.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::agent::AgentState;
use super::bench_input::with_subject;
use super::state::Session;
use super::update::SessionEffect;
use crate::recordings::debug_logs::DebugLogFile;
use crate::session::job::Job;
use hookbench_core::debug_log::{HookAccount, hook_account};
use hookbench_core::dialects;
use hookbench_core::hook::HookDefinition;
use hookbench_core::names::AgentId;
use hookbench_core::plan::{PlanEntry, RungName, Selection};
use hookbench_core::recorded::format_time;

/// The number of ignored settings that are listed.
const MAX_IGNORED: usize = 3;

/// The newest log that says something about a hook, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogAccount {
    /// The display name of the agent.
    pub agent: &'static str,
    /// The displayed path of the file.
    pub file: String,
    /// The time of the firing or of the log, UTC.
    pub at: Option<String>,
    /// The label of the hook.
    pub hook: String,
    pub account: HookAccount,
    /// The parts of the settings that the agent ignored, in its own words.
    pub ignored: Vec<String>,
    /// Whether the settings file of the hook was changed after the log was written.
    pub settings_changed: bool,
}

impl LogAccount {
    /// The agent, the time and the file of the log.
    pub fn title(&self) -> String {
        let at = self.at.as_ref().and_then(|at| at.get(..16)).map(|at| format!(" of {}", at.replace('T', " ")));
        format!("{}'s own log{} ({})", self.agent, at.unwrap_or_default(), self.file)
    }

    /// Its statements about the hook, as sentences.
    pub fn sentences(&self) -> Vec<String> {
        let mut says: Vec<String> = self.account.counts().into_iter().collect();
        says.push(format!("{}: {}", self.hook, self.account.words()));
        says.extend(self.ignored.iter().take(MAX_IGNORED).map(|ignored| format!("ignored: {ignored}")));
        says
    }

    /// The contradiction to the prediction, as a sentence. `None` if the log agrees.
    pub fn contradiction(&self) -> Option<String> {
        let found = self.account.contradiction.as_ref()?;
        let changed = if self.settings_changed { "; its settings file was changed after the log" } else { "" };
        Some(format!("{}{changed}", found.words(&self.hook)))
    }
}

impl Session {
    /// Requests the debug logs of the agent on the bench.
    pub(super) fn read_debug_logs(&self) -> Vec<Job> {
        let Some((agent, loaded)) = self.current().and_then(|agent| Some((agent, agent.loaded.as_ref()?))) else {
            return Vec::new();
        };
        let settings = loaded.layers.iter().map(|layer| self.settings_path(&layer.file)).collect();
        vec![Job::ReadDebugLogs { agent: agent.dialect.id(), settings }]
    }

    /// The path of a settings file that is displayed like this.
    pub fn settings_path(&self, file: &str) -> PathBuf {
        PathBuf::from(self.place.absolute(&self.place.project, file))
    }

    pub(super) fn absorb_debug_logs(&mut self, agent: AgentId, logs: Arc<Vec<DebugLogFile>>) {
        self.debug_logs.retain(|(known, _)| *known != agent);
        self.debug_logs.push((agent, logs));
        self.effects.push(SessionEffect::DebugLogsRead);
    }

    /// The debug logs of an agent, newest first. Empty before they are read.
    pub fn debug_logs(&self, agent: AgentId) -> &[DebugLogFile] {
        self.debug_logs.iter().find(|(known, _)| *known == agent).map_or(&[], |(_, logs)| logs)
    }

    /// The statements of these logs about a hook: the newest log with its event, otherwise the newest one. `None` without a log.
    pub fn log_account(
        &self,
        agent: &AgentState,
        definition: &HookDefinition,
        logs: &[DebugLogFile],
    ) -> Option<LogAccount> {
        let has_event = |log: &&DebugLogFile| log.log.firings.iter().any(|firing| firing.event == definition.event);
        let log = logs.iter().find(has_event).or(logs.first())?;
        let all = agent.loaded.as_ref().map(|loaded| loaded.definitions.as_slice()).unwrap_or_default();
        // A log may have thousands of events with few subjects.
        let known: RefCell<BTreeMap<Option<String>, Option<bool>>> = RefCell::default();
        let predict = |subject: Option<&str>| {
            let key = subject.map(str::to_owned);
            *known.borrow_mut().entry(key).or_insert_with(|| self.predicts_run(agent, definition, subject))
        };
        let account = hook_account(&log.log, definition, all, &predict);
        let at = account.firing.as_ref().and_then(|firing| firing.at).or(log.log.at);
        Some(LogAccount {
            agent: agent.dialect.name(),
            file: self.place.display_path(&log.file.to_string_lossy()),
            at: at.and_then(format_time),
            hook: definition.label(),
            account,
            ignored: log.log.ignored.clone(),
            settings_changed: log.changed_since.contains(&self.settings_path(&definition.provenance.file)),
        })
    }

    /// Whether a hook runs for a subject. `None` if that depends on more than the subject.
    fn predicts_run(&self, agent: &AgentState, definition: &HookDefinition, subject: Option<&str>) -> Option<bool> {
        let event = dialects::find_event(agent.dialect, &agent.version, &definition.event)?;
        let scene = self.scene_for(agent, definition)?;
        let runs = |entry: &PlanEntry| match entry.selection {
            Selection::Fires { .. } => Some(true),
            // A condition depends on the whole payload.
            Selection::Skipped if entry.failed_rung > Some(RungName::Matcher) => None,
            Selection::Skipped => Some(false),
            Selection::Unknown => None,
        };
        match (event.subject, subject) {
            (None, _) => runs(agent.dialect.plan(&scene).entry(&definition.id)?),
            (Some(key), Some(subject)) => {
                let scene = with_subject(&scene, agent, event, key, subject);
                runs(agent.dialect.plan(&scene).entry(&definition.id)?)
            }
            (Some(_), None) => {
                let plan = agent.dialect.plan(&scene);
                let entry = plan.entry(&definition.id)?;
                if entry.failed_rung.is_some_and(|rung| rung < RungName::Matcher) {
                    return Some(false);
                }
                let subjects = self.subjects(agent, definition)?;
                let all = subjects.skipped.is_empty() && subjects.conditional.is_empty();
                (all && !subjects.fires.is_empty()).then_some(true)
            }
        }
    }
}
