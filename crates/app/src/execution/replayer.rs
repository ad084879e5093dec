//! Replays recorded events under a configuration: either planned, or with their hooks really run.

use hookbench_core::names::AgentId;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::plan_cache::PlanCache;
use super::replay_gaps::unknown_verdict;
use super::row_planner::OriginSetups;
use crate::environment::place::{PlaceError, make_place};
use crate::firing::approval::{Consent, ConsentItem};
use crate::firing::history::recorded_gist;
use crate::firing::input::{BuiltInput, InputRequest, read_payload};
use crate::firing::setup::{CannedReports, FiringSetup};
use crate::recordings::replay::{
    CommitFiles, EventAssessment, FiringHook, ReplayBaseline, ReplayBaselineError, ReplayOptions, ReplayedEvent,
    SessionStates, assess, assess_firing, assess_recorded, codes, compare, recorded_outcome, recorded_runs,
};
use hookbench_core::config::{LayerState, Place};
use hookbench_core::diagnostic::Code;
use hookbench_core::dialects::{self, Agent, SessionMemory, Version};
use hookbench_core::port::{self, AgentVersion};
use hookbench_core::recorded::{PayloadSource, RecordedEvent, definition_key, digest, event_id};
use hookbench_core::transcript::{TranscriptCut, event_gaps};
use hookbench_system::disk::canonical;

/// An event that is ready to be fired again.
pub struct ReadyEvent {
    pub event: RecordedEvent,
    pub stage: Arc<FiringSetup>,
    pub input: BuiltInput,
    pub before: Option<EventAssessment>,
    /// The state that earlier events of its session leave for it.
    memory: SessionMemory,
    /// The stages of the baseline, if its hooks are to run.
    baseline: Option<BaselineStages>,
    pub flags: Vec<String>,
}

/// The stages that fire an event under the baseline.
struct BaselineStages {
    run: Arc<FiringSetup>,
    /// The stage to ask the user about: hooks in a copy of a commit count as those of the project.
    consent: Arc<FiringSetup>,
}

/// The parts of [`ReadyEvent`], with remarks.
type ReadyParts = (Arc<FiringSetup>, BuiltInput, BaselineResult, SessionMemory, Vec<String>);
/// The earlier result, and the stages that can produce it again.
type BaselineResult = (Option<EventAssessment>, Option<BaselineStages>);

/// Fires recorded events. Settings are read once for each project, agent and version.
pub struct Replayer {
    pub(super) options: ReplayOptions,
    here: PathBuf,
    stages: HashMap<(PathBuf, AgentId, String, bool), Arc<FiringSetup>>,
    commit: Option<CommitFiles>,
    /// A copy of the commit, created when hooks have to run in it.
    unpacked: Option<TempDir>,
    pub(super) courses: SessionStates,
    pub(super) planned: PlanCache,
    /// The configurations of the latest row.
    pub(super) latest: Option<OriginSetups>,
}

impl Replayer {
    /// Creates a replayer.
    ///
    /// # Errors
    /// Returns an error if the project or the baseline does not exist.
    pub fn new(options: ReplayOptions) -> Result<Replayer, ReplayError> {
        let target = options.against.as_ref().unwrap_or(&options.project);
        let here = PathBuf::from(make_place(Some(target), options.home.as_deref())?.project);
        let commit = match &options.baseline {
            Some(ReplayBaseline::Git(rev)) => Some(CommitFiles::open(&here, rev)?),
            None => CommitFiles::open(&here, "HEAD").ok(),
            Some(ReplayBaseline::Dir(dir)) => {
                make_place(Some(dir), options.home.as_deref())?;
                None
            }
            Some(ReplayBaseline::Recorded) => None,
        };
        Ok(Replayer {
            options,
            here,
            stages: HashMap::new(),
            commit,
            unpacked: None,
            courses: SessionStates::default(),
            planned: PlanCache::default(),
            latest: None,
        })
    }

    /// Prepares an event.
    ///
    /// # Errors
    /// Returns the result of an event that could not be fired if its agent, payload or directory is not usable.
    pub fn prepare(&mut self, event: RecordedEvent) -> Result<ReadyEvent, Box<ReplayedEvent>> {
        self.prepare_after(event, None)
    }

    /// Prepares an event. Without a state of its session, it has the one that earlier events leave.
    pub(super) fn prepare_after(
        &mut self,
        event: RecordedEvent,
        memory: Option<SessionMemory>,
    ) -> Result<ReadyEvent, Box<ReplayedEvent>> {
        match self.parts(&event, memory) {
            Ok((stage, input, (before, then), memory, flags)) => {
                Ok(ReadyEvent { event, stage, input, before, memory, baseline: then, flags })
            }
            Err(why) => Err(Box::new(ReplayedEvent::unready(&event, &why))),
        }
    }

    fn parts(&mut self, event: &RecordedEvent, memory: Option<SessionMemory>) -> Result<ReadyParts, String> {
        let recorded_in = dialects::by_id(&event.agent).ok_or_else(|| format!("unknown agent {:?}", event.agent))?;
        let dialect = self.options.agent.unwrap_or(recorded_in);
        let mut flags = Vec::new();
        let project = self.project_of(event, &mut flags);
        let recorded_version = event.version.as_deref().and_then(Version::parse);
        let own = dialect.id() == recorded_in.id();
        let version = self.options.version.clone().or_else(|| recorded_version.clone().filter(|_| own));
        let stage = self.stage(&project, dialect, version.as_ref(), false)?;
        if !own {
            flags.extend(unread_layers(&stage));
        }
        let payload = read_payload("payload", &event.payload).map_err(|why| why.to_string())?;
        // Only a process needs a directory that exists. Recorded runs had this one.
        let recorded_cwd = payload.get("cwd").cloned().filter(|_| !self.options.run);
        for key in ["transcript_path", "agent_transcript_path"] {
            let path = payload.get(key).and_then(serde_json::Value::as_str).filter(|p| !p.is_empty());
            if let Some(path) = path.filter(|p| !Path::new(p).exists()) {
                flags.push(format!("{key} {path} no longer exists"));
            }
        }
        let author =
            if own { Arc::clone(&stage) } else { self.stage(&project, recorded_in, recorded_version.as_ref(), false)? };
        let request = InputRequest {
            agent: Some(recorded_in.id()),
            event: Some(event.event.clone()),
            payload: Some(payload),
            transcript: TranscriptCut::of(event).filter(|_| self.options.run),
            ..InputRequest::default()
        };
        let mut built = author.build(&request).map_err(|why| why.to_string())?;
        if let Some(cwd) = recorded_cwd {
            built.input.body["cwd"] = cwd;
            built.diagnostics.retain(|one| one.code != Code::PayloadCwd);
        }
        flags.extend(built.diagnostics.iter().map(|d| d.message.clone()));
        let memory = memory.unwrap_or_else(|| self.courses.memory(recorded_in, event, &built.input));
        let (before, then) = self.baseline_result(event, &project, &author, &built, &memory)?;
        // The event of one agent cannot be given to the hooks of another.
        let before = (before, then.filter(|_| own));
        let input = if own {
            built
        } else {
            let from = AgentVersion { dialect: recorded_in, version: author.version.clone() };
            let to = AgentVersion { dialect, version: stage.version.clone() };
            let moved = port::translate(&built.input, &from, &to, &stage.place);
            let moved = moved.map_err(|missing| missing.message)?;
            flags.extend(moved.notes.iter().map(|note| note.message.clone()));
            built.translated(dialect, moved)
        };
        Ok((stage, input, before, memory, flags))
    }

    /// The directory in which to fire an event: the current project if it was recorded there or below, else its
    /// own, or the current project if that no longer exists.
    pub(super) fn project_of(&self, event: &RecordedEvent, flags: &mut Vec<String>) -> PathBuf {
        let Some(project) = event.project.as_deref().filter(|_| self.options.against.is_none()) else {
            return self.here.clone();
        };
        let path = Path::new(project);
        let real = canonical(path).ok().filter(|p| p.is_dir());
        match real {
            Some(real) if real.starts_with(&self.here) => self.here.clone(),
            Some(real) => real,
            None => {
                if !path.starts_with(&self.here) {
                    flags.push(format!("{project} no longer exists; using {}", self.here.display()));
                }
                self.here.clone()
            }
        }
    }

    pub(super) fn stage(
        &mut self,
        project: &Path,
        dialect: &'static Agent,
        version: Option<&Version>,
        then: bool,
    ) -> Result<Arc<FiringSetup>, String> {
        let key = (project.to_owned(), dialect.id(), version.map(ToString::to_string).unwrap_or_default(), then);
        if let Some(stage) = self.stages.get(&key) {
            return Ok(Arc::clone(stage));
        }
        let place = make_place(Some(project), self.options.home.as_deref());
        let arguments = self.options.arguments.clone();
        let mut place =
            Place { assumes_trust: self.options.as_trusted, arguments, ..place.map_err(|why| why.to_string())? };
        self.options.environment.iter().for_each(|environment| environment.apply(&mut place));
        let stage = match self.commit.as_ref().filter(|_| then) {
            Some(commit) => FiringSetup::load_with(place, dialect, version.cloned(), commit),
            None => FiringSetup::load_with(place, dialect, version.cloned(), &crate::disk::files::DiskFiles),
        };
        let (headless, contain, timeout_scale) =
            (self.options.headless, self.options.contain, self.options.timeout_scale);
        let stage = Arc::new(FiringSetup { headless, contain, timeout_scale, ..stage });
        self.stages.insert(key, Arc::clone(&stage));
        Ok(stage)
    }

    /// The earlier result of an event, according to the baseline.
    fn baseline_result(
        &mut self,
        event: &RecordedEvent,
        project: &Path,
        now: &Arc<FiringSetup>,
        built: &BuiltInput,
        memory: &SessionMemory,
    ) -> Result<BaselineResult, String> {
        let known = recorded_result(event, now);
        if matches!(self.options.baseline, Some(ReplayBaseline::Recorded))
            || (self.options.baseline.is_none() && known.is_some())
        {
            return Ok((known, None));
        }
        let Some(stage) = self.baseline_stage(project, now)? else { return Ok((None, None)) };
        let judged = assess(&stage, memory.clone(), built.input.clone(), &event.runs);
        let consent = Arc::clone(&stage);
        let run = match &self.options.baseline {
            Some(ReplayBaseline::Dir(_)) => Some(stage),
            Some(_) if self.options.run => {
                let copy = self.copy_of(project)?;
                copy.map(|copy| self.stage(&copy, now.dialect, Some(&now.version), false)).transpose()?
            }
            _ => None,
        };
        let run = run.filter(|_| self.options.run);
        Ok((Some(judged), run.map(|run| BaselineStages { run, consent })))
    }

    /// The configuration of the baseline: that of a directory or a commit. `None` if the recorded results are the
    /// baseline, or if the default commit is not about this project.
    pub(super) fn baseline_stage(
        &mut self,
        project: &Path,
        now: &FiringSetup,
    ) -> Result<Option<Arc<FiringSetup>>, String> {
        let (place, is_commit) = match &self.options.baseline {
            Some(ReplayBaseline::Recorded) => return Ok(None),
            Some(ReplayBaseline::Dir(directory)) => (directory.clone(), false),
            // The default commit applies only to the current project.
            None if self.commit.is_none() || project != self.here => return Ok(None),
            Some(ReplayBaseline::Git(_)) if self.commit.is_none() => return Ok(None),
            None | Some(ReplayBaseline::Git(_)) => (project.to_owned(), true),
        };
        self.stage(&place, now.dialect, Some(&now.version), is_commit).map(Some)
    }
}

impl Replayer {
    /// The path of a project in a copy of the commit.
    fn copy_of(&mut self, project: &Path) -> Result<Option<PathBuf>, String> {
        let Some(commit) = &self.commit else { return Ok(None) };
        if self.unpacked.is_none() {
            self.unpacked = Some(commit.unpack().map_err(|why| why.to_string())?);
        }
        Ok(self.unpacked.as_ref().and_then(|copy| commit.path_in_copy(project, copy.path())))
    }
}

/// The reason why nothing can be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    #[error("{0}")]
    Place(#[from] PlaceError),
    #[error("{0}")]
    Baseline(#[from] ReplayBaselineError),
}

/// The name of the project of an event: its repository, or the last part of its directory. A directory tells the name of its
/// user, and differs between the users of one project.
pub(super) fn project_name(event: &RecordedEvent) -> Option<String> {
    let directory = || Some(Path::new(event.project.as_deref()?).file_name()?.to_string_lossy().into_owned());
    event.repository.clone().or_else(directory)
}

/// Remarks about settings files that the agent does not read here. A user who comes from another agent may not
/// expect this.
fn unread_layers(stage: &FiringSetup) -> impl Iterator<Item = String> {
    let layers = stage.loaded.layers.iter();
    layers.filter(|layer| matches!(layer.state, LayerState::Untrusted | LayerState::Off)).map(|layer| {
        let why = layer.message.as_deref().map(|says| format!(": {says}")).unwrap_or_default();
        format!("{} is not read{why}", layer.file)
    })
}

/// The recorded result of an event. Hooks that are still configured are in the order of the configuration. `None` if the
/// record does not tell enough.
fn recorded_result(event: &RecordedEvent, now: &FiringSetup) -> Option<EventAssessment> {
    event.verdict.as_ref()?;
    let keys: Vec<String> =
        now.loaded.definitions.iter().map(|definition| definition_key(now.dialect.id().as_str(), definition)).collect();
    assess_recorded(event, &|run| {
        let key = run.definition.as_ref();
        key.and_then(|key| keys.iter().position(|known| known == key)).unwrap_or(keys.len())
    })
}

impl ReadyEvent {
    /// Assesses the event without running hooks.
    pub fn plan(self) -> ReplayedEvent {
        let after = assess(&self.stage, self.memory.clone(), self.input.input.clone(), &self.event.runs);
        let after = self.with_gaps(after, &self.stage);
        self.replayed(Ok(after), None)
    }

    /// The commands that would run, including those of the baseline, and that the user has not approved, without
    /// duplicates.
    pub fn consent_missing(&self, consent: &Consent) -> Vec<ConsentItem> {
        let mut items = self.stage.consent_missing(self.input.clone(), consent);
        let before = self.baseline.iter().flat_map(|then| then.consent.consent_missing(self.input.clone(), consent));
        for item in before {
            if !items.iter().any(|known| known.key == item.key) {
                items.push(item);
            }
        }
        items
    }

    /// The number of hooks that would run.
    pub fn hook_count(&self) -> usize {
        assess(&self.stage, self.memory.clone(), self.input.input.clone(), &[]).fires.len()
    }

    /// Fires the event with its hooks. The second value is the new row. `at` is the time of that row, in
    /// milliseconds since 1970, which sorts it among the others of its replay; `now` is the time at which it
    /// starts.
    pub async fn run(mut self, at: i64, now: i64) -> (ReplayedEvent, Option<RecordedEvent>) {
        if let Some(then) = self.baseline.take() {
            let record = then.run.fire_after(self.memory.clone(), self.input.clone(), &CannedReports::new()).await;
            self.before = record.as_ref().map(|record| self.with_gaps(assess_firing(record), &then.run));
        }
        let Some(record) = self.stage.fire_after(self.memory.clone(), self.input.clone(), &CannedReports::new()).await
        else {
            return (self.replayed(Err("its hooks could not be determined".to_owned()), None), None);
        };
        let came = self.with_gaps(assess_firing(&record), &self.stage);
        let payload = serde_json::to_vec(&record.input.body).unwrap_or_default();
        let same_bytes = record.filled.is_empty() && self.stage.dialect.id() == self.event.agent;
        let row = RecordedEvent {
            id: event_id(
                record.agent.as_str(),
                &self.event.session,
                // Two processes may replay the same event in the same millisecond.
                &format!("replay {} {at} {now} {} {}", self.event.id, std::process::id(), digest(&payload)),
            ),
            agent: record.agent.to_string(),
            version: Some(record.basis.requested.to_string()),
            project: Some(self.stage.place.project.clone()),
            event: record.input.event.clone(),
            subject: record.input.subject.value.clone(),
            at: Some(at),
            payload_source: match self.event.payload_source {
                // A replay is not a run of the log.
                PayloadSource::Fired => PayloadSource::Synthetic,
                source if same_bytes => source,
                source => PayloadSource::Edited.max(source),
            },
            origin: Some(self.event.id.clone()),
            payload: if same_bytes { self.event.payload.clone() } else { payload },
            runs: recorded_runs(&record),
            verdict: came.outcome.as_ref().ok().map(|o| o.verdict.word().to_owned()),
            outcome: came.outcome.clone().ok().map(recorded_outcome),
            diagnostics: codes(&record),
            marked: false,
            comment: record.containment.as_ref().map(|how| how.summary()),
            source: None,
            answer: None,
            ..self.event.clone()
        };
        let id = row.id.clone();
        self.flags.extend(record.containment.as_ref().map(|how| how.summary()));
        (self.replayed(Ok(came), Some(id)), Some(row))
    }

    /// The assessment, whose verdict is unknown if it hangs on a value that the event lacks.
    fn with_gaps(&self, mut judged: EventAssessment, setup: &FiringSetup) -> EventAssessment {
        if judged.outcome.is_ok()
            && let Some(why) = unknown_verdict(setup, &self.memory, &self.input.input, &event_gaps(&self.event))
        {
            judged.outcome = Err(why);
        }
        judged
    }

    fn replayed(self, after: Result<EventAssessment, String>, event: Option<String>) -> ReplayedEvent {
        let changes = match (&self.before, &after) {
            (Some(before), Ok(after)) => compare(before, after),
            _ => Vec::new(),
        };
        let blocked = after.iter().flat_map(|after| &after.blocked).cloned();
        let flags = self.flags.into_iter().chain(blocked).collect();
        ReplayedEvent {
            project: project_name(&self.event),
            person: self.event.person.clone(),
            what: recorded_gist(&self.event),
            recorded_runs: self.event.runs.iter().map(FiringHook::recorded).collect(),
            origin: self.event.id,
            event,
            agent: Some(self.stage.dialect.id()),
            name: self.input.input.event,
            subject: self.input.input.subject.value,
            before: self.before,
            after,
            changes,
            flags,
        }
    }
}

impl ReplayedEvent {
    /// The result of an event that could not be fired.
    fn unready(event: &RecordedEvent, why: &str) -> ReplayedEvent {
        ReplayedEvent {
            origin: event.id.clone(),
            event: None,
            agent: dialects::by_id(&event.agent).map(|d| d.id()),
            name: event.event.clone(),
            subject: event.subject.clone(),
            project: project_name(event),
            person: event.person.clone(),
            what: recorded_gist(event),
            recorded_runs: event.runs.iter().map(FiringHook::recorded).collect(),
            before: None,
            after: Err(why.to_owned()),
            changes: Vec::new(),
            flags: Vec::new(),
        }
    }
}
