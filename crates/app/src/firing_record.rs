//! What is kept of one firing: its plan, its runs as they live, its outcome.

use std::sync::Arc;
use std::time::Duration;

use crate::contain::Containment;
use hookbench_core::config::Loaded;
use hookbench_core::decide::{HookRun, Outcome};
use hookbench_core::diagnostic::Diagnostic;
use hookbench_core::dialects::{Basis, Memory, Version};
use hookbench_core::hook::{DefinitionId, HookInput};
use hookbench_core::plan::Plan;
use hookbench_core::run::{Launch, RunId, Stream};

/// Counts the firings of a session, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FiringId(pub u64);

/// One firing. A firing is always a new record; nothing that was recorded changes.
#[derive(Debug, Clone)]
pub struct FiringRecord {
    pub id: FiringId,
    pub agent: &'static str,
    /// The version whose rules were followed.
    pub version: Version,
    /// The version that was meant, and what is known of it.
    pub basis: Basis,
    pub input: HookInput,
    /// Keys of the payload that were taken from the template.
    pub filled: Vec<String>,
    pub loaded: Arc<Loaded>,
    pub plan: Plan,
    /// In the order of starting.
    pub runs: Vec<RunRecord>,
    /// Runs in the order in which they ended.
    pub ended: Vec<RunId>,
    /// What the agent does, as soon as everything that it waits for has ended.
    pub outcome: Option<Outcome>,
    pub settled: bool,
    /// Broken off, and not by the agent.
    pub cancelled: bool,
    /// Broken off because a save fired the same event again.
    pub superseded: bool,
    /// The run whose end was supposed: this was decided, not run.
    pub supposed: Option<RunId>,
    /// Started because a file was saved, not by the user.
    pub auto: bool,
    /// How it was kept apart; none: it ran where the agent would run it, as the agent would.
    pub contained: Option<Box<Containment>>,
    /// What was known from earlier events of the session.
    pub memory: Memory,
    pub diagnostics: Vec<Diagnostic>,
}

impl FiringRecord {
    /// The record of a run.
    pub fn run(&self, run: RunId) -> Option<&RunRecord> {
        self.place_of(run).and_then(|at| self.runs.get(at))
    }

    /// The same, to be changed.
    pub fn run_mut(&mut self, run: RunId) -> Option<&mut RunRecord> {
        self.place_of(run).and_then(|at| self.runs.get_mut(at))
    }

    /// Runs are numbered in the order of their start: as a rule it is known where to look.
    fn place_of(&self, run: RunId) -> Option<usize> {
        let is = |record: &RunRecord| record.run == run;
        let numbered = run.0 as usize;
        if self.runs.get(numbered).is_some_and(is) { Some(numbered) } else { self.runs.iter().position(is) }
    }

    /// Bytes of inputs and output that it holds in memory, near enough.
    pub fn bytes(&self) -> usize {
        let live = |s: &LiveStream| s.head.len() + s.tail.len();
        let kept = |r: &RunRecord| {
            let report = r.ended().map_or(0, |e| {
                let of = |c: &hookbench_core::run::Captured| c.head.len() + c.tail.len();
                of(&e.report.stdout) + of(&e.report.stderr)
            });
            // The text that it was given, and the same twice as an object: of the run and of what was read of it.
            let given = match &r.launch {
                Launch::Process(spec) => spec.stdin.len(),
                Launch::Http(spec) => spec.body.len(),
                Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => 0,
            };
            live(&r.stdout) + live(&r.stderr) + report + 4 * given
        };
        self.runs.iter().map(kept).sum()
    }

    /// From its start to the end of its last run so far.
    pub fn duration(&self) -> Duration {
        self.runs.iter().filter_map(|r| r.ended()).map(|r| r.report.timing.ended).max().unwrap_or_default()
    }

    /// That it did not come to its end, and why, in a word.
    pub fn broken_off(&self) -> Option<&'static str> {
        self.cancelled.then_some(if self.superseded { "superseded" } else { "cancelled" })
    }

    /// The runs that the agent waits for and that gave no usable answer.
    pub fn failed(&self) -> impl Iterator<Item = &RunRecord> {
        self.runs.iter().filter(|r| r.awaited && r.ended().is_some_and(|e| e.output.failure.is_some()))
    }

    /// The first of them.
    pub fn first_failed(&self) -> Option<&RunRecord> {
        self.failed().next()
    }

    /// How the run ended whose end was supposed.
    pub fn supposed_end(&self) -> Option<String> {
        let ended = self.run(self.supposed?)?.ended()?;
        Some(ended.report.exit.words())
    }

    /// The last run of a definition.
    pub fn run_of(&self, hook: &str) -> Option<&RunRecord> {
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
    pub stdout: LiveStream,
    pub stderr: LiveStream,
    /// [`digest`](hookbench_core::recorded::digest) of the script that it came to, once it has ended.
    pub script: Option<String>,
}

impl RunRecord {
    /// What the agent makes of it, once it has ended.
    pub fn ended(&self) -> Option<&HookRun> {
        match &self.state {
            RunState::Ended(run) => Some(run),
            RunState::Asked | RunState::Running { .. } => None,
        }
    }

    /// The bytes shown for a stream, live or ended.
    pub fn live(&self, stream: Stream) -> &LiveStream {
        if stream == Stream::Stderr { &self.stderr } else { &self.stdout }
    }
}

/// How far a run is.
#[derive(Debug, Clone)]
pub enum RunState {
    Asked,
    Running { at: Duration },
    Ended(Box<HookRun>),
}

/// What is shown of a stream while it grows: a beginning, a gap, an end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LiveStream {
    pub head: Vec<u8>,
    /// Bytes that are not kept between `head` and `tail`.
    pub gap: u64,
    pub tail: Vec<u8>,
}

impl LiveStream {
    const HEAD: usize = 256 << 10;
    const TAIL: usize = 1 << 20;

    /// Takes what has come.
    pub fn grow(&mut self, bytes: &[u8], skipped: u64) {
        let mut rest = bytes;
        if skipped == 0 && self.gap == 0 && self.tail.is_empty() {
            let room = Self::HEAD.saturating_sub(self.head.len()).min(rest.len());
            let (now, later) = rest.split_at(room);
            self.head.extend_from_slice(now);
            rest = later;
        }
        if skipped > 0 {
            // Nothing before a gap can be joined to what follows it.
            self.gap += skipped + self.tail.len() as u64;
            self.tail.clear();
        }
        self.tail.extend_from_slice(rest);
        // Dropping in big steps keeps the copying small.
        if self.tail.len() > 2 * Self::TAIL {
            let drop = self.tail.len() - Self::TAIL;
            self.gap += drop as u64;
            self.tail.drain(..drop);
        }
    }

    /// Everything that came, kept or not.
    pub fn total(&self) -> u64 {
        self.head.len() as u64 + self.gap + self.tail.len() as u64
    }
}

/// One line of the stream of what happens, for `--format jsonl`.
#[derive(Debug, Clone)]
pub struct Entry {
    pub firing: FiringId,
    pub at: Duration,
    pub kind: EntryKind,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum EntryKind {
    Planned,
    Started { run: RunId },
    Grew { run: RunId, stream: Stream, bytes: Vec<u8>, skipped: u64 },
    Ended { run: RunId },
    Settled,
}

#[cfg(test)]
mod tests {
    use super::LiveStream;

    #[test]
    fn a_stream_keeps_both_ends_and_counts_all() {
        let mut stream = LiveStream::default();
        for _ in 0..100 {
            stream.grow(&[b'x'; 64 << 10], 0);
        }
        assert_eq!(stream.total(), 100 * (64 << 10));
        assert_eq!(stream.head.len(), LiveStream::HEAD);
        assert!(stream.tail.len() <= 2 * LiveStream::TAIL);
        stream.grow(b"end", 1000);
        assert_eq!(stream.total(), 100 * (64 << 10) + 1003);
        assert_eq!(stream.tail, b"end");
    }
}
