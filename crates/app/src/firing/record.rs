//! The record of one firing: its plan, its runs while they progress, its outcome.

use std::sync::Arc;
use std::time::Duration;

use super::containment::Containment;
use hookbench_core::config::{EnvironmentSource, LoadedConfig};
use hookbench_core::decide::{HookRun, Outcome};
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::dialects::{SessionMemory, Version, VersionBasis};
use hookbench_core::hook::{DefinitionId, HookDefinition, HookInput};
use hookbench_core::install::is_forward;
use hookbench_core::names::{AgentId, RuleId};
use hookbench_core::output::Vote;
use hookbench_core::plan::{Plan, PlanEntry, Reason, RungName, Schedule, Selection};
use hookbench_core::recorded::RecordedEnvironment;
use hookbench_core::run::{HookVariable, Launch, RunId, Stream, VariableSource};
use hookbench_core::verification::Verification;

/// The number of a firing in its session, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiringId(pub u64);

/// One firing. Each firing gets a new record; earlier records never change.
#[derive(Debug, Clone)]
pub struct FiringRecord {
    pub id: FiringId,
    pub agent: AgentId,
    /// The agent version whose rules were applied.
    pub version: Version,
    /// The requested version, and how well its behaviour is known.
    pub basis: VersionBasis,
    pub input: HookInput,
    /// Payload keys that were filled in from the template.
    pub filled: Vec<String>,
    pub loaded: Arc<LoadedConfig>,
    pub plan: Plan,
    /// Runs in the order in which they started.
    pub runs: Vec<RunRecord>,
    /// Runs in the order in which they ended.
    pub ended: Vec<RunId>,
    /// The agent's decision, set once everything that the agent waits for has ended.
    pub outcome: Option<Outcome>,
    pub settled: bool,
    /// Cancelled by the user rather than by the agent.
    pub cancelled: bool,
    /// Cancelled because a save fired the same event again.
    pub superseded: bool,
    /// The run whose result was assumed, if this firing was decided again by "what if" instead of run.
    pub assumed_run: Option<RunId>,
    /// Started by a file save rather than by the user.
    pub auto_fired: bool,
    /// The source of the hooks' environment.
    pub env_source: EnvironmentSource,
    /// Their PATH, unless the agent sets another one.
    pub search_path: Option<String>,
    /// The containment, or `None` if the firing ran in the real project as the agent would run it.
    pub containment: Option<Box<Containment>>,
    /// The state carried over from earlier events of the session.
    pub memory: SessionMemory,
    /// The comparison with the installed agent, or the reason for its absence. `None` if it was not asked for.
    pub verification: Option<Box<Result<Verification, String>>>,
    pub diagnostics: Vec<Diagnostic>,
}

impl FiringRecord {
    /// The reason of the outcome without the command that an agent writes in front of it: the deciding hook is named
    /// beside it.
    pub fn reason(&self) -> Option<&str> {
        let outcome = self.outcome.as_ref()?;
        let reason = outcome.reason.as_deref()?;
        let command = outcome.decided_by.first().and_then(|id| self.loaded.definition(id)).map(|d| d.handler.text());
        let frame = command.map(|command| format!("[{command}]: ")).unwrap_or_default();
        Some(reason.strip_prefix(&frame).unwrap_or(reason))
    }

    /// The number of hooks that run. Those that start at the same time count before they have started.
    pub fn run_count(&self) -> usize {
        let starts_all = self.plan.schedule == Schedule::Parallel && !self.cancelled;
        if starts_all { self.plan.firing().count() } else { self.runs.len() }
    }

    /// Returns the record of a run.
    pub fn run(&self, run: RunId) -> Option<&RunRecord> {
        self.index_of(run).and_then(|at| self.runs.get(at))
    }

    /// Returns the record of a run mutably.
    pub fn run_mut(&mut self, run: RunId) -> Option<&mut RunRecord> {
        self.index_of(run).and_then(|at| self.runs.get_mut(at))
    }

    /// Runs are numbered in their starting order, so the index is usually the run's number.
    fn index_of(&self, run: RunId) -> Option<usize> {
        let is = |record: &RunRecord| record.run == run;
        let numbered = run.0 as usize;
        if self.runs.get(numbered).is_some_and(is) { Some(numbered) } else { self.runs.iter().position(is) }
    }

    /// Approximate size in memory of its inputs and output, in bytes.
    pub fn bytes(&self) -> usize {
        let live = |s: &StreamBuffer| s.head.len() + s.tail.len();
        let kept = |r: &RunRecord| {
            let report = r.ended().map_or(0, |e| {
                let of = |c: &hookbench_core::run::CapturedStream| c.head.len() + c.tail.len();
                of(&e.report.stdout) + of(&e.report.stderr)
            });
            // The stdin text, and the same payload twice as a JSON object: in the run and in its interpreted
            // output.
            let given = match &r.launch {
                Launch::Process(spec) => spec.stdin.len(),
                Launch::Http(spec) => spec.body.len(),
                Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => 0,
            };
            live(&r.stdout) + live(&r.stderr) + report + 4 * given
        };
        self.runs.iter().map(kept).sum()
    }

    /// The environment of the hooks, with the PATH that the first of them got.
    pub fn environment(&self) -> RecordedEnvironment {
        let own = self.runs.iter().find_map(RunRecord::own_path);
        RecordedEnvironment {
            source: self.env_source.word().to_owned(),
            path: own.map(|path| path.value.clone()).or_else(|| self.search_path.clone()),
            path_from: own.map(|path| path.source.describe()),
        }
    }

    /// The time from the start to the end of the last run that has ended.
    pub fn duration(&self) -> Duration {
        self.runs.iter().filter_map(|r| r.ended()).map(|r| r.report.timing.ended).max().unwrap_or_default()
    }

    /// Returns "cancelled" or "superseded" if the firing did not finish.
    pub fn cancel_reason(&self) -> Option<&'static str> {
        self.cancelled.then_some(if self.superseded { "superseded" } else { "cancelled" })
    }

    /// The runs that the agent waits for and that gave no usable answer.
    pub fn failed(&self) -> impl Iterator<Item = &RunRecord> {
        self.runs.iter().filter(|r| r.awaited && r.ended().is_some_and(|e| e.output.failure.is_some()))
    }

    /// The first run that gave no usable answer.
    pub fn first_failed(&self) -> Option<&RunRecord> {
        self.failed().next()
    }

    /// Describes the assumed result.
    pub fn assumed_end(&self) -> Option<String> {
        let ended = self.run(self.assumed_run?)?.ended()?;
        Some(ended.report.exit.describe())
    }

    /// The hooks whose answer is that of this hook, with the hook itself: each asks, or each stops the event.
    pub fn same_answer(&self, hook: &str) -> impl Iterator<Item = &DefinitionId> {
        let vote = |run: &RunRecord| run.ended().map(|run| run.output.vote).filter(|vote| *vote != Vote::None);
        let answer = self.last_run_of(hook).and_then(vote);
        self.runs.iter().filter(move |run| answer.is_some() && vote(run) == answer).map(|run| &run.hook)
    }

    /// The last run of a definition.
    pub fn last_run_of(&self, hook: &str) -> Option<&RunRecord> {
        self.runs.iter().rev().find(|r| r.hook == hook)
    }
}

/// One run of a firing.
#[derive(Debug, Clone)]
pub struct RunRecord {
    pub run: RunId,
    pub hook: DefinitionId,
    pub launch: Launch,
    pub awaited: bool,
    pub pid: Option<u32>,
    pub state: RunState,
    pub stdout: StreamBuffer,
    pub stderr: StreamBuffer,
    /// [`script_digest`](hookbench_core::lint::script_digest) of the script that the command resolves to, set once the run
    /// has ended.
    pub script: Option<String>,
    /// Why the command could not start, as it was known when it was started. `None` if it should have worked. A
    /// change of files after the run does not change it.
    pub expected_failure: Option<String>,
    /// Variables that the command or its script names and that the agent does not set, so that they came from the
    /// environment of the firing.
    pub inherited: Vec<String>,
}

impl RunRecord {
    /// The PATH that a file or the agent sets for this run.
    pub fn own_path(&self) -> Option<&HookVariable> {
        let Launch::Process(spec) = &self.launch else { return None };
        spec.env.effective().into_iter().find(|one| one.name == "PATH" && one.source != VariableSource::User)
    }

    /// The agent's interpretation of the run, once it has ended.
    pub fn ended(&self) -> Option<&HookRun> {
        match &self.state {
            RunState::Ended(run) => Some(run),
            RunState::Requested | RunState::Running { .. } => None,
        }
    }

    /// The bytes displayed for a stream, while it grows and afterwards.
    pub fn stream(&self, stream: Stream) -> &StreamBuffer {
        if stream == Stream::Stderr { &self.stderr } else { &self.stdout }
    }
}

/// The progress of a run.
#[derive(Debug, Clone)]
pub enum RunState {
    Requested,
    Running { at: Duration },
    Ended(Box<HookRun>),
}

/// The displayed part of a stream while it grows: its beginning, a gap, and its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamBuffer {
    pub head: Vec<u8>,
    /// The number of bytes dropped between `head` and `tail`.
    pub gap: u64,
    pub tail: Vec<u8>,
}

impl StreamBuffer {
    const HEAD: usize = 256 << 10;
    const TAIL: usize = 1 << 20;

    /// Appends output; `skipped` bytes were lost before it.
    pub fn append(&mut self, bytes: &[u8], skipped: u64) {
        let mut rest = bytes;
        if skipped == 0 && self.gap == 0 && self.tail.is_empty() {
            let room = Self::HEAD.saturating_sub(self.head.len()).min(rest.len());
            let (now, later) = rest.split_at(room);
            self.head.extend_from_slice(now);
            rest = later;
        }
        if skipped > 0 {
            // Bytes before a gap cannot be joined to the bytes after it.
            self.gap += skipped + self.tail.len() as u64;
            self.tail.clear();
        }
        self.tail.extend_from_slice(rest);
        // Dropping in large steps keeps the copying small.
        if self.tail.len() > 2 * Self::TAIL {
            let drop = self.tail.len() - Self::TAIL;
            self.gap += drop as u64;
            self.tail.drain(..drop);
        }
    }

    /// The number of bytes received, kept or not.
    pub fn total(&self) -> u64 {
        self.head.len() as u64 + self.gap + self.tail.len() as u64
    }
}

/// One line of the event stream of `--format jsonl`.
#[derive(Debug, Clone)]
pub struct StreamEntry {
    pub firing: FiringId,
    pub at: Duration,
    pub kind: StreamEntryKind,
}

/// The kind of a stream entry.
#[derive(Debug, Clone)]
pub enum StreamEntryKind {
    Planned,
    Started { run: RunId },
    Output { run: RunId, stream: Stream, bytes: Vec<u8>, skipped: u64 },
    Ended { run: RunId },
    Settled,
}

/// The rule id of a hook that is left out of a firing.
pub const LEFT_OUT: RuleId = RuleId::new("plan.left-out");

/// Leaves a hook out of a firing.
pub(crate) fn leave_out(entry: &mut PlanEntry, why: &str) {
    entry.selection = Selection::Skipped;
    entry.why = Reason::new(LEFT_OUT, why);
    entry.failed_rung = Some(RungName::LayerActive);
}

/// Leaves hookbench's own hooks out of a firing: they would record a test as an event of the agent.
pub(crate) fn leave_out_forwarding(plan: &mut Plan, loaded: &LoadedConfig) {
    let fires = plan.entries.iter_mut().filter(|entry| matches!(entry.selection, Selection::Fires { .. }));
    for entry in fires.filter(|entry| loaded.definition(&entry.hook).is_some_and(is_forwarding)) {
        leave_out(entry, "hookbench's own hook; it would record this test as an event of the agent");
    }
}

/// Returns whether a hook forwards events to hookbench.
pub fn is_forwarding(definition: &HookDefinition) -> bool {
    is_forward(&definition.handler.text(), "")
}

#[cfg(test)]
mod tests {
    use super::StreamBuffer;

    #[test]
    fn a_stream_keeps_both_ends_and_counts_all() {
        let mut stream = StreamBuffer::default();
        for _ in 0..100 {
            stream.append(&[b'x'; 64 << 10], 0);
        }
        assert_eq!(stream.total(), 100 * (64 << 10));
        assert_eq!(stream.head.len(), StreamBuffer::HEAD);
        assert!(stream.tail.len() <= 2 * StreamBuffer::TAIL);
        stream.append(b"end", 1000);
        assert_eq!(stream.total(), 100 * (64 << 10) + 1003);
        assert_eq!(stream.tail, b"end");
    }
}
