//! Runs the rules over recorded events, to show what guards would have refused.

use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;

use hookbench_core::config::Place;
use hookbench_core::dialects;
use hookbench_core::filter::Filter;
use hookbench_core::guard::{
    GuardEvent, GuardFinding, GuardHit, GuardMode, GuardName, GuardReport, GuardSettings, RulesVerdict, check_event,
    hit_key, recorded_payload,
};
use hookbench_core::recorded::{PayloadSource, RecordedEvent, RecordedSession, format_time, parse_event_line};

use super::hits::{JudgedHit, judgements};
use super::settings::guard_settings;
use super::trial_files::{TranscriptCache, TrialSurroundings};
use crate::disk::state_dir::StateDir;
use crate::recordings::import::{ImportCounts, ImportError, ImportProgress, Sink, SinkError, import};
use crate::recordings::store::{OpenMode, StoreError, StoreErrorKind, now_ms, open_store};

/// The events of a trial.
pub enum TrialSource<'a> {
    /// Recorded events in the store.
    Store(&'a Filter),
    /// A file or directory that can be imported.
    Files(&'a Path),
}

/// A request for a trial.
pub struct TrialRequest<'a> {
    pub source: TrialSource<'a>,
    /// Empty: all.
    pub guards: &'a [GuardName],
    /// Whether rules that are off by default are tried, too.
    pub all_rules: bool,
}

/// The result of a trial.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GuardTrial {
    /// The number of events that a guard checked.
    pub events: u64,
    /// The number of recorded events that are damaged, so that no guard checked them.
    pub damaged: u64,
    /// The findings, in the order of the events. The event's id is that of the recorded event.
    pub hits: Vec<TrialHit>,
}

/// A finding about a recorded event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialHit {
    pub hit: JudgedHit,
    /// The id of the recorded event.
    pub event: String,
    /// The line of the transcript, if the event was rebuilt from one.
    pub source: Option<String>,
}

/// The reason why a trial failed.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Import(#[from] ImportError),
}

/// Runs the rules over recorded events. `watch` receives the progress of reading files, and may end it.
///
/// # Errors
/// Returns an error if the events cannot be read.
pub fn run_trial(
    place: &Place,
    request: &TrialRequest<'_>,
    watch: &mut dyn FnMut(&ImportProgress) -> ControlFlow<()>,
) -> Result<GuardTrial, TrialError> {
    let mut settings = guard_settings(place);
    let guards = if request.guards.is_empty() { &GuardName::ALL[..] } else { request.guards };
    for guard in guards {
        settings = settings.with_options(*guard, Some(GuardMode::Deny), request.all_rules);
    }
    let mut runner = TrialRunner {
        settings,
        guards,
        cache: TranscriptCache::default(),
        judged: judgements(&StateDir::of(place)),
        home: place.home.clone(),
        trial: GuardTrial::default(),
    };
    match request.source {
        TrialSource::Store(filter) => {
            let store = match open_store(&StateDir::of(place), OpenMode::Read) {
                // Nothing was recorded yet.
                Err(why) if matches!(why.kind, StoreErrorKind::Missing) => return Ok(runner.trial),
                opened => opened?,
            };
            store.export(filter, now_ms(), &mut |line| {
                match line.map(parse_event_line) {
                    Ok(Ok(event)) => runner.event(&event),
                    Ok(Err(_)) | Err(_) => runner.trial.damaged += 1,
                }
                ControlFlow::Continue(())
            })?;
        }
        TrialSource::Files(path) => {
            import(path, place, &mut runner, watch)?;
        }
    }
    Ok(runner.trial)
}

struct TrialRunner<'a> {
    settings: GuardSettings,
    guards: &'a [GuardName],
    cache: TranscriptCache,
    judged: std::collections::BTreeMap<String, super::hits::Judgement>,
    home: String,
    trial: GuardTrial,
}

impl Sink for TrialRunner<'_> {
    fn receive(&mut self, _session: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        for event in &events {
            self.event(event);
        }
        Ok(ImportCounts { new: events.len() as u64, known: 0 })
    }
}

impl TrialRunner<'_> {
    fn event(&mut self, recorded: &RecordedEvent) {
        let Ok(body) = serde_json::from_slice::<Value>(&recorded.payload) else { return };
        let agent = dialects::by_id(&recorded.agent);
        let Some(event) = GuardEvent::read(&body, agent, recorded.project.as_deref()) else { return };
        let around = TrialSurroundings {
            cache: &self.cache,
            // A file of payloads is not a transcript.
            source: recorded
                .source
                .as_ref()
                .filter(|_| recorded.payload_source == PayloadSource::Rebuilt)
                .map(|source| (source.file.as_str(), source.line)),
            call: event.call_id(),
            edits: event.input.is_some_and(|input| input.get("old_string").is_some()),
            home: &self.home,
        };
        let mut checked = false;
        let mut found = Vec::new();
        for guard in self.guards {
            let Some(report) = check_event(*guard, &event, 0, &self.settings, &around) else { continue };
            checked = true;
            found.extend(self.hits(*guard, recorded, &event, &report));
        }
        self.trial.events += u64::from(checked);
        self.trial.hits.extend(found);
    }

    fn hits(
        &self,
        guard: GuardName,
        recorded: &RecordedEvent,
        event: &GuardEvent<'_>,
        report: &GuardReport,
    ) -> Vec<TrialHit> {
        let hit = |finding: &GuardFinding, allowed: Option<String>| {
            let mode = self.settings.rule_mode(finding.rule).word();
            let hit = GuardHit {
                at: recorded.at.and_then(format_time).unwrap_or_default(),
                guard: guard.word().to_owned(),
                mode: mode.to_owned(),
                answer: if allowed.is_some() { "pass".to_owned() } else { mode.to_owned() },
                agent: recorded.agent.clone(),
                event: event.event.clone(),
                tool: event.tool_name.unwrap_or_default().to_owned(),
                session: recorded.session.clone(),
                project: event.project.clone(),
                payload: recorded_payload(event.body),
                allowed,
                ..GuardHit::default()
            };
            let hit = hit.with_finding(finding, &hit_key(event));
            let judged = self.judged.get(&hit.id).copied();
            let source = recorded.source.as_ref().map(|source| format!("{}:{}", source.file, source.line));
            TrialHit { hit: JudgedHit { hit, judged, times: 1 }, event: recorded.id.clone(), source }
        };
        let allowed = report.allowed.iter().map(|(finding, allowance)| hit(finding, Some(allowance.reason.clone())));
        let objected = match &report.verdict {
            RulesVerdict::Passed => &[][..],
            RulesVerdict::Objected(findings) => findings,
        };
        objected.iter().map(|finding| hit(finding, None)).chain(allowed).collect()
    }
}
