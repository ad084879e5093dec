//! Fires payloads at one hook, all in one copy of the project.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::process_changes::SpelledPayload;
use crate::disk::copy_size::CopyStop;
use crate::disk::scratch::create_owned_directory;
use crate::environment::hook_environment::with_environment_of;
use crate::firing::containment::ContainedPlace;
use crate::stress::{LONGEST_RUN, StressRequest, VariantResult, seconds};
use hookbench_core::decide::{HookRun, Outcome, Verdict};
use hookbench_core::firing::{Firing, FiringStep};
use hookbench_core::names::RuleId;
use hookbench_core::output::Vote;
use hookbench_core::plan::{Plan, PlanEntry, Reason, RungName, Selection};
use hookbench_core::run::{Exit, Launch, ProcessSpec, RunReport, RunRequest};
use hookbench_system::runner::{RunEvent, Runner};

/// The rule for hooks that are not stressed.
const NOT_STRESSED: RuleId = RuleId::new("plan.not-stressed");

/// The name of another directory.
const OTHER_DIRECTORY: &str = "elsewhere";

/// Runs one hook.
pub(super) struct HookRunner {
    request: StressRequest,
    contained: Option<ContainedPlace>,
    /// A directory for the files of conditions.
    scratch: TempDir,
    /// No run starts after this moment.
    until: Instant,
}

/// The result of one firing.
pub(super) struct HookFiring {
    pub outcome: Outcome,
    /// `None` if the hook was not started.
    pub run: Option<HookRun>,
    /// The hook's entry in the plan.
    pub entry: Option<PlanEntry>,
    /// Whether the event comes too late to refuse anything.
    pub is_late: bool,
    /// The time limit that the agent gives the hook.
    pub agent_limit: Option<Duration>,
}

impl HookFiring {
    /// The result for the event. A hook refuses an event that comes too late if the agent gets its objection.
    pub fn result(&self) -> VariantResult {
        let objects = |run: &HookRun| matches!(run.output.vote, Vote::Deny | Vote::Block);
        if self.is_late && self.run.as_ref().is_some_and(objects) {
            return VariantResult::Refused;
        }
        VariantResult::of(self.outcome.verdict, self.outcome.blocked)
    }

    /// Whether the agent does not do what the event announces, or asks first, or gets an objection.
    pub fn refuses(&self) -> bool {
        self.result() == VariantResult::Refused
    }

    /// Whether the hook fails, so that the agent goes on.
    pub fn fails(&self) -> bool {
        self.result() == VariantResult::FailedOpen && self.time_limit().is_none()
    }

    /// The time limit that the run reached. `None` if it ended before.
    pub fn time_limit(&self) -> Option<Duration> {
        match self.run.as_ref().map(|run| &run.report.exit) {
            Some(Exit::TimedOut { after }) => Some(*after),
            _ => None,
        }
    }

    /// The reason for the verdict in one sentence.
    pub fn explanation(&self) -> String {
        let Some(run) = &self.run else {
            let skipped = self.entry.as_ref().map(|entry| entry.why.message.clone());
            return skipped.unwrap_or_else(|| self.outcome.agent_does.clone());
        };
        let exit = run.report.exit.describe();
        match (&self.outcome.reason, telling_line(&run.report.stderr.text())) {
            (Some(reason), _) if self.refuses() => reason.clone(),
            (_, Some(line)) => format!("{exit}: {line}"),
            (_, None) => exit,
        }
    }
}

impl HookRunner {
    /// Creates the copy of the project.
    pub async fn create(request: StressRequest) -> Result<HookRunner, String> {
        let scratch = create_owned_directory();
        let scratch = scratch.map_err(|why| format!("cannot create a directory for the test: {why}"))?;
        let contained = if request.contain {
            let (place, files) = (Arc::clone(&request.place), request.files.clone());
            let shown = scratch.path().to_owned();
            let stop = CopyStop::new();
            let _stopping = stop.on_drop();
            let create = move || ContainedPlace::create(&place, &files, Some(&shown), &stop);
            let created = tokio::task::spawn_blocking(create);
            Some(created.await.map_err(|why| why.to_string())??)
        } else {
            None
        };
        let until = Instant::now() + request.longest_test;
        Ok(HookRunner { request, contained, scratch, until })
    }

    pub fn request(&self) -> &StressRequest {
        &self.request
    }

    /// The spelling of the hook's payloads.
    pub fn spelling(&self) -> SpelledPayload {
        SpelledPayload { dialect: self.request.dialect, event: self.request.definition.event.clone() }
    }

    /// The moment after which no run starts.
    pub fn until(&self) -> Instant {
        self.until
    }

    /// Whether the time limit of the test has passed.
    pub fn is_out_of_time(&self) -> bool {
        Instant::now() >= self.until
    }

    pub fn scratch(&self) -> &std::path::Path {
        self.scratch.path()
    }

    /// A directory that is not the project's, as after `cd` in the agent: below the copy of the project, where the hook can
    /// write.
    pub fn other_directory(&self) -> Result<String, String> {
        let own = || (self.scratch.path(), self.scratch.path());
        let contained = self.contained.as_ref();
        let (made, seen) =
            contained.map_or_else(own, |contained| (contained.copy(), Path::new(&contained.containment.project)));
        std::fs::create_dir_all(made.join(OTHER_DIRECTORY)).map_err(|why| why.to_string())?;
        Ok(seen.join(OTHER_DIRECTORY).to_string_lossy().into_owned())
    }

    pub fn contained(&self) -> Option<&ContainedPlace> {
        self.contained.as_ref()
    }

    pub fn containment_summary(&self) -> Option<String> {
        self.contained.as_ref().map(|contained| contained.containment.summary())
    }

    /// Fires a payload at the hook alone. `change` changes its process.
    pub async fn fire(&self, body: &Value, change: &(dyn Fn(&mut ProcessSpec) + Sync)) -> HookFiring {
        self.fire_in(None, body, change).await
    }

    /// The same in another directory than the agent's.
    pub async fn fire_in(
        &self,
        directory: Option<&str>,
        body: &Value,
        change: &(dyn Fn(&mut ProcessSpec) + Sync),
    ) -> HookFiring {
        let request = &self.request;
        let scene = request.scene(body);
        let mut plan = request.dialect.plan(&scene);
        self.keep_only_hook(&mut plan);
        let entry = plan.entry(&request.definition.id).cloned();
        let (mut firing, mut steps) = Firing::start_planned(request.dialect, scene, plan);
        let (events, mut incoming) = mpsc::channel(64);
        // Dropping the runner ends the process.
        let runner = Runner::new(events, 1.0);
        let (mut last, mut outcome) = (None, None);
        loop {
            let mut unanswered = Vec::new();
            for step in steps {
                match step {
                    FiringStep::Launch(run) => {
                        unanswered.extend(self.start(*run, directory, &runner, change));
                    }
                    FiringStep::Kill(run) => runner.kill(run),
                    FiringStep::Read(run) => last = Some(*run),
                    FiringStep::Pause | FiringStep::Decided(_) => {}
                    FiringStep::Settled(settled) => outcome = Some(*settled),
                }
            }
            if let Some(outcome) = outcome {
                let is_late = request.event.blockable_action.is_none();
                let agent_limit = request.definition.timeout;
                return HookFiring { outcome, run: last, entry, is_late, agent_limit };
            }
            steps = match unanswered.pop() {
                Some(report) => firing.report(report),
                None => match incoming.recv().await {
                    Some(RunEvent::Ended(report)) => firing.report(*report),
                    Some(RunEvent::Started { .. } | RunEvent::Grew { .. }) => Vec::new(),
                    None => firing.cancel("the runner has ended"),
                },
            };
        }
    }

    /// Starts a run. Returns the report of a run that cannot be started.
    fn start(
        &self,
        mut run: RunRequest,
        directory: Option<&str>,
        runner: &Runner,
        change: &dyn Fn(&mut ProcessSpec),
    ) -> Option<RunReport> {
        if let Launch::ByHand(_) = run.launch {
            return Some(RunReport::new(run.run, Exit::Unanswered, "", ""));
        }
        if matches!(run.launch, Launch::Refused(_) | Launch::Canned { .. }) {
            return None;
        }
        let id = run.run;
        run.launch = with_environment_of(run.launch, &self.request.place, self.contained.is_some());
        if let (Launch::Process(spec), Some(directory)) = (&mut run.launch, directory) {
            directory.clone_into(&mut spec.cwd);
        }
        let inside = match &self.contained {
            Some(contained) => contained.rewrite(&run),
            None => Ok(run),
        };
        match inside {
            Ok(mut run) => {
                if let Launch::Process(spec) = &mut run.launch {
                    spec.timeout = Some(spec.timeout.map_or(LONGEST_RUN, |own| own.min(LONGEST_RUN)));
                    change(spec);
                }
                runner.start(run);
                None
            }
            Err(why) => Some(RunReport::new(id, Exit::FailedToStart { error: why.to_owned() }, "", "")),
        }
    }

    /// Excludes every other hook from a plan.
    fn keep_only_hook(&self, plan: &mut Plan) {
        let own = &self.request.definition.id;
        let ahead = plan.entries.iter().take(plan.ahead_count).any(|entry| entry.hook == *own);
        plan.ahead_count = usize::from(ahead);
        for entry in plan.entries.iter_mut().filter(|entry| entry.hook != *own) {
            if matches!(entry.selection, Selection::Fires { .. } | Selection::Unknown) {
                entry.selection = Selection::Skipped;
                entry.why = Reason::new(NOT_STRESSED, "another hook is stressed");
                entry.failed_rung = Some(RungName::LayerActive);
            }
        }
    }
}

/// The line of an error output that says what happened: the first one, or the last one of a traceback in Python.
fn telling_line(stderr: &str) -> Option<String> {
    let mut lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let line = if first.starts_with("Traceback ") { lines.next_back().unwrap_or(first) } else { first };
    Some(line.trim_start_matches("hookbench isolate: ").to_owned())
}

/// The time limit that a run reached, in words.
pub(super) fn limit_of(fired: &HookFiring) -> String {
    seconds(fired.time_limit().unwrap_or(LONGEST_RUN))
}

/// Whether a run reached its time limit.
pub(super) fn timed_out(fired: &HookFiring) -> bool {
    fired.run.as_ref().is_some_and(|run| matches!(run.report.exit, Exit::TimedOut { .. }))
}

/// The duration of a run.
pub(super) fn duration(fired: &HookFiring) -> Duration {
    fired.run.as_ref().map_or(Duration::ZERO, |run| run.report.timing.duration())
}

/// Whether two firings have the same verdict.
pub(super) fn same_verdict(one: &HookFiring, other: Verdict) -> bool {
    one.outcome.verdict == other
}
