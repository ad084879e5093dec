//! Runs the rules over recorded events, to show what guards would have refused.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;

use serde_json::Value;

use super::hits::{JudgedHit, Judgement, judgements};
use super::overview::GuardOverview;
use super::settings::guard_settings;
use crate::disk::state_dir::StateDir;
use crate::firing::suite_case::{NewCase, SuiteAdditionError};
use crate::recordings::import::{ImportCounts, ImportError, ImportProgress, Sink, SinkError, import};
use crate::recordings::store::{OpenMode, StoreError, StoreErrorKind, now_ms, open_store};
use hookbench_core::config::Place;
use hookbench_core::dialects;
use hookbench_core::filter::Filter;
use hookbench_core::guard::{
    GuardEvent, GuardFile, GuardFinding, GuardHit, GuardMode, GuardName, GuardReport, GuardSettings, RulesVerdict,
    Surroundings, TranscriptEnd, check_event, hit_key, readable, recorded_payload,
};
use hookbench_core::recorded::{PayloadSource, RecordedEvent, RecordedSession, format_time, parse_event_line};
use hookbench_system::guard::MAX_TRANSCRIPT_END;

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
        let body = readable(body, agent);
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

/// The transcripts that were read, with the offsets of their lines.
#[derive(Default)]
pub struct TranscriptCache(RefCell<HashMap<String, Option<Rc<CachedTranscript>>>>);

/// A transcript in memory.
pub struct CachedTranscript {
    bytes: Vec<u8>,
    /// The end of each line.
    ends: Vec<usize>,
}

/// The number of transcripts that are kept in memory.
const MAX_KEPT: usize = 4;

impl TranscriptCache {
    fn get(&self, path: &str) -> Option<Rc<CachedTranscript>> {
        if let Some(known) = self.0.borrow().get(path) {
            return known.clone();
        }
        let read = hookbench_system::disk::read(path).ok().map(|bytes| {
            let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
            Rc::new(CachedTranscript { bytes, ends })
        });
        let mut kept = self.0.borrow_mut();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(path.to_owned(), read.clone());
        read
    }
}

impl CachedTranscript {
    /// Returns the transcript before a line, counted from 1.
    fn before(&self, line: usize) -> TranscriptEnd {
        let end = line.checked_sub(2).map_or(0, |index| self.ends.get(index).copied().unwrap_or(self.bytes.len()));
        let most = usize::try_from(MAX_TRANSCRIPT_END).unwrap_or(usize::MAX);
        let start = end.saturating_sub(most);
        TranscriptEnd { bytes: self.bytes.get(start..end).unwrap_or_default().to_vec(), whole: start == 0 }
    }

    /// Returns the first line, counted from 1, that contains a text.
    fn line_with(&self, text: &str) -> Option<usize> {
        let mut start = 0;
        for (index, end) in self.ends.iter().enumerate() {
            let line = self.bytes.get(start..*end).unwrap_or_default();
            if line.windows(text.len()).any(|window| window == text.as_bytes()) {
                return Some(index + 1);
            }
            start = *end;
        }
        None
    }
}

/// The files around one recorded event.
pub struct TrialSurroundings<'a> {
    pub cache: &'a TranscriptCache,
    /// The transcript from which the event was rebuilt, and its line.
    pub source: Option<(&'a str, u64)>,
    /// The id of the call, which marks the event in the transcript.
    pub call: Option<&'a str>,
    /// Whether the event edits a file, which must exist then.
    pub edits: bool,
    pub home: &'a str,
}

impl Surroundings for TrialSurroundings<'_> {
    fn file(&self, _path: &str) -> GuardFile {
        if self.edits { GuardFile::Unreadable } else { GuardFile::Missing }
    }

    fn transcript(&self, path: &str) -> Option<TranscriptEnd> {
        if let Some((file, line)) = self.source
            && file.rsplit_once('.').is_some_and(|(_, extension)| extension == "jsonl")
        {
            // A stop comes after its message, and a call after its own line.
            let after = usize::from(self.call.is_none());
            return Some(self.cache.get(file)?.before(usize::try_from(line).ok()? + after));
        }
        let transcript = self.cache.get(path)?;
        Some(transcript.before(transcript.line_with(self.call?)?))
    }

    fn home(&self) -> &str {
        self.home
    }

    fn temporary(&self) -> Option<&str> {
        None
    }
}

/// Keys that the bench fills in, or that belong to one session.
const OWN: [&str; 8] = [
    "hook_event_name",
    "tool_name",
    "tool_input",
    "cwd",
    "timestamp",
    "permission_mode",
    "model",
    "agent_transcript_path",
];

/// The maximum number of characters of the evidence in a case's name.
const MAX_NAME: usize = 60;

/// Returns the case of a finding: passed if the user judged it wrong, otherwise refused by its rule.
///
/// # Errors
/// Returns an error if the payload is not recorded, or is not as the guard saw it.
pub fn finding_case(found: &JudgedHit) -> Result<NewCase, SuiteAdditionError> {
    let hit = &found.hit;
    let failure = |message: &str| SuiteAdditionError(message.to_owned());
    let body = hit.payload.as_ref().and_then(Value::as_object);
    let body =
        body.ok_or_else(|| failure("the payload of this finding is not recorded, because it is large or old"))?;
    if hit.rule == "CQ-R6" {
        return Err(failure("the secret of this finding is masked, so a test would not find it"));
    }
    let agent = dialects::by_id(&hit.agent).ok_or_else(|| failure("this finding is of an unknown agent"))?;
    let text = |key: &str| body.get(key).and_then(Value::as_str).map(str::to_owned);
    let event = text("hook_event_name").ok_or_else(|| failure("the payload of this finding names no event"))?;
    let reads_transcript = matches!(hit.guard.as_str(), "response" | "todo" | "research");
    let is_chosen =
        |key: &str| !OWN.contains(&key) && !key.ends_with("_id") && (key != "transcript_path" || reads_transcript);
    let set = body.iter().filter(|(key, _)| is_chosen(key)).map(|(key, value)| (key.clone(), value.clone())).collect();
    let wrong = found.judged == Some(Judgement::Wrong);
    let line = hit.evidence.lines().next().filter(|line| !line.is_empty()).unwrap_or(&hit.what);
    let evidence: String = line.chars().take(MAX_NAME).collect();
    let expect = if wrong {
        vec![("verdict", Value::from("no_objection"))]
    } else {
        vec![("verdict", Value::from("deny")), ("reason", Value::from(format!("[{}]", hit.rule)))]
    };
    let expected = if wrong { "passes" } else { "is refused" };
    Ok(NewCase {
        name: format!("{} {evidence}: {expected}", hit.rule),
        agents: vec![agent.id()],
        event,
        tool: text("tool_name"),
        input: body.get("tool_input").cloned(),
        set,
        expect,
    })
}

/// Whether a case of this guard needs `--mode deny` in the hook's command: tests run in a scratch home directory, so
/// the user's configuration does not count there.
pub fn needs_mode_hint(guards: &[GuardOverview], guard: &str) -> bool {
    let own = guards.iter().find(|overview| GuardName::from_word(guard) == Some(overview.guard));
    own.is_none_or(|own| !own.installed.iter().any(|command| command.mode == Some(GuardMode::Deny)))
}
