//! A firing as a state machine: it returns which runs to start, receives their reports, and ends with an outcome.
//!
//! It never blocks and does not use a clock. The driver (a runner, a replayer, a test) executes the steps.

mod race;

use std::collections::VecDeque;

use crate::decide::{ANSWER_CUT, FiringRuns, HookRun, Outcome, Verdict};
use crate::dialects::{Agent, NextStep, Scene};
use crate::hook::{DefinitionId, HookDefinition, HookInput};
use crate::plan::{Plan, Schedule};
use crate::run::{Exit, Launch, RunId, RunReport, RunRequest};
use crate::trace::TraceStep;

/// A request or an announcement of the state machine.
#[derive(Debug, Clone, PartialEq)]
pub enum FiringStep {
    /// Start this run and report when it has ended.
    Launch(Box<RunRequest>),
    /// More hooks can start: call [`Firing::proceed`] soon. Only a firing that starts in parts asks for it.
    Pause,
    /// Kill this run. It must still be reported.
    Kill(RunId),
    /// A run has ended; this is the agent's reading of its output.
    Read(Box<HookRun>),
    /// Every run that the agent waits for has ended. Detached runs may still be running.
    Decided(Box<Outcome>),
    /// All runs have ended.
    Settled(Box<Outcome>),
}

/// The firing of one event.
pub struct Firing {
    dialect: &'static Agent,
    scene: Scene,
    plan: Plan,
    /// Definitions that are not started yet, in order.
    waiting: VecDeque<DefinitionId>,
    /// The most hooks that start in one step, and whether the others wait for the next step.
    part: usize,
    paused: bool,
    started: Vec<StartedRun>,
    /// The number of started runs without a report, and how many of these the agent waits for.
    unreported: usize,
    awaited: usize,
    finished: Vec<HookRun>,
    /// The input of the next hook in a chain.
    input: HookInput,
    /// Whether the hooks that run before all others have been started and have ended.
    leading_hooks_done: bool,
    expired: bool,
    aborted: Option<String>,
    decided: bool,
    settled: bool,
}

struct StartedRun {
    request: RunRequest,
    input: HookInput,
    live: bool,
}

impl Firing {
    /// Plans the event and starts the hooks that can start at once.
    pub fn start(dialect: &'static Agent, scene: Scene) -> (Firing, Vec<FiringStep>) {
        let plan = dialect.plan(&scene);
        Firing::start_planned(dialect, scene, plan)
    }

    /// Starts a firing with a plan that already exists and that the user may have changed.
    pub fn start_planned(dialect: &'static Agent, scene: Scene, plan: Plan) -> (Firing, Vec<FiringStep>) {
        Firing::start_in_parts(dialect, scene, plan, usize::MAX)
    }

    /// Like [`Firing::start_planned`], but starts at most `part` hooks in one step, because thousands take seconds.
    pub fn start_in_parts(dialect: &'static Agent, scene: Scene, plan: Plan, part: usize) -> (Firing, Vec<FiringStep>) {
        let waiting = plan.firing().map(|entry| entry.hook.clone()).collect();
        let input = scene.input.clone();
        let mut firing = Firing {
            dialect,
            scene,
            plan,
            waiting,
            part,
            paused: false,
            started: Vec::new(),
            unreported: 0,
            awaited: 0,
            finished: Vec::new(),
            input,
            leading_hooks_done: false,
            expired: false,
            aborted: None,
            decided: false,
            settled: false,
        };
        let mut steps = Vec::new();
        firing.advance(&mut steps);
        (firing, steps)
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the scene that the plan is based on.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Returns the runs that have ended, in the order in which they ended.
    pub fn finished(&self) -> &[HookRun] {
        &self.finished
    }

    /// Reports the end of a run. A report of an unknown or already reported run is ignored.
    pub fn report(&mut self, report: RunReport) -> Vec<FiringStep> {
        let mut steps = Vec::new();
        self.record_report(report, &mut steps);
        self.advance(&mut steps);
        steps
    }

    /// Starts the next hooks after a [`FiringStep::Pause`].
    pub fn proceed(&mut self) -> Vec<FiringStep> {
        let mut steps = Vec::new();
        if std::mem::take(&mut self.paused) {
            self.advance(&mut steps);
        }
        steps
    }

    /// Ends the firing because the agent's total time limit is reached: runs that have not ended no longer count.
    pub fn expire(&mut self) -> Vec<FiringStep> {
        self.expired = true;
        self.stop()
    }

    /// Cancels the firing for this reason: kills the running hooks and starts no more.
    pub fn cancel(&mut self, why: &str) -> Vec<FiringStep> {
        self.aborted.get_or_insert_with(|| why.to_owned());
        self.stop()
    }

    fn stop(&mut self) -> Vec<FiringStep> {
        self.waiting.clear();
        let mut steps: Vec<FiringStep> =
            self.started.iter().filter(|s| s.live).map(|s| FiringStep::Kill(s.request.run)).collect();
        self.advance(&mut steps);
        steps
    }

    fn record_report(&mut self, report: RunReport, steps: &mut Vec<FiringStep>) {
        // Runs are numbered in the order in which they start.
        let started = self.started.get_mut(report.run.0 as usize);
        let Some(started) = started.filter(|s| s.request.run == report.run && s.live) else { return };
        started.live = false;
        self.unreported -= 1;
        self.awaited -= usize::from(started.request.awaited);
        let request = started.request.clone();
        let input = started.input.clone();
        let scene = self.scene.with_input(input.clone());
        let Some(definition) = self.scene.loaded.definition(&request.hook) else { return };
        let output = self.dialect.interpret_run(definition, &report, &scene);
        let run = HookRun {
            run: request.run,
            hook: request.hook,
            awaited: request.awaited,
            launch: request.launch,
            input,
            report,
            output,
        };
        if self.plan.schedule == Schedule::Sequential && run.awaited {
            match self.dialect.after_run(&run, &scene) {
                NextStep::SameInput => {}
                NextStep::NewInput(body) => self.input.body = body,
                NextStep::Abort(why) => {
                    self.aborted.get_or_insert(why);
                    self.waiting.clear();
                }
            }
        }
        self.finished.push(run.clone());
        steps.push(FiringStep::Read(Box::new(run)));
    }

    /// Starts the hooks that can start now, and decides once no awaited run is outstanding.
    fn advance(&mut self, steps: &mut Vec<FiringStep>) {
        let enough = self.started.len().saturating_add(self.part);
        while !self.waiting.is_empty() {
            if self.paused {
                return;
            }
            let busy = self.awaited > 0;
            if self.plan.schedule == Schedule::Sequential && busy {
                return;
            }
            if !self.leading_hooks_done && self.started.len() >= self.plan.ahead_count {
                if busy {
                    return;
                }
                self.finish_leading_hooks();
                continue;
            }
            if self.started.len() >= enough {
                self.paused = true;
                steps.push(FiringStep::Pause);
                return;
            }
            let Some(hook) = self.waiting.pop_front() else { break };
            self.launch(&hook, steps);
        }
        let decides = !self.decided && self.awaited == 0;
        let settles = (self.decided || decides) && !self.settled && self.unreported == 0;
        if !decides && !settles {
            return;
        }
        let outcome = Box::new(self.outcome());
        if decides {
            self.decided = true;
            steps.push(FiringStep::Decided(outcome.clone()));
        }
        if settles {
            self.settled = true;
            steps.push(FiringStep::Settled(outcome));
        }
    }

    /// Applies the output of the hooks that run first, before the others start.
    fn finish_leading_hooks(&mut self) {
        self.leading_hooks_done = true;
        if self.plan.ahead_count == 0 {
            return;
        }
        let runs = FiringRuns { finished: &self.finished, expired: self.expired, aborted: self.aborted.as_deref() };
        match self.dialect.after_ahead_runs(&self.plan, runs, &self.scene) {
            NextStep::SameInput => {}
            NextStep::NewInput(body) => self.input.body = body,
            NextStep::Abort(why) => {
                self.aborted.get_or_insert(why);
                self.waiting.clear();
            }
        }
    }

    fn launch(&mut self, hook: &str, steps: &mut Vec<FiringStep>) {
        let Some(definition) = self.scene.loaded.definition(hook) else { return };
        let scene = self.scene.with_input(self.input.clone());
        let launch = self.dialect.launch(definition, &scene);
        let run = RunId(u32::try_from(self.started.len()).unwrap_or(u32::MAX));
        let awaited = !definition.detached;
        let request = RunRequest { run, hook: hook.to_owned(), launch: launch.clone(), awaited };
        self.started.push(StartedRun { request: request.clone(), input: self.input.clone(), live: true });
        self.unreported += 1;
        self.awaited += usize::from(awaited);
        steps.push(FiringStep::Launch(Box::new(request)));
        // A launch that starts nothing outside is reported immediately.
        let report = match launch {
            Launch::Refused(error) => RunReport::new(run, Exit::FailedToStart { error }, "", ""),
            Launch::Canned { stdout } => RunReport::new(run, Exit::Code(0), stdout, ""),
            Launch::Process(_) | Launch::Http(_) | Launch::ByHand(_) => return,
        };
        self.record_report(report, steps);
    }

    fn outcome(&self) -> Outcome {
        let decide = |finished: &[HookRun]| {
            let runs = FiringRuns { finished, expired: self.expired, aborted: self.aborted.as_deref() };
            self.dialect.decide(&self.plan, runs, &self.scene)
        };
        if self.plan.schedule == Schedule::Sequential {
            return self.without_cut_answers(decide(&self.finished));
        }
        let label =
            |hook: &str| self.scene.loaded.definition(hook).map_or_else(|| hook.to_owned(), HookDefinition::label);
        self.without_cut_answers(race::decide_with_races(&self.finished, self.plan.ahead_count, &decide, &label))
    }

    /// An answer that is longer than hookbench keeps is unknown, and with it what the agent does, unless it refuses anyway.
    fn without_cut_answers(&self, mut outcome: Outcome) -> Outcome {
        let certain = matches!(outcome.verdict, Verdict::Deny | Verdict::FailedClosed);
        for run in self.finished.iter().filter(|run| run.awaited && !certain && run.is_cut_short()) {
            outcome.verdict = Verdict::Unknown;
            let says = format!(
                "{} printed {} bytes, of which hookbench keeps the first {}: the agent reads the rest too, so its answer is unknown",
                self.scene.loaded.definition(&run.hook).map_or_else(|| run.hook.clone(), HookDefinition::label),
                run.report.stdout.total,
                run.report.stdout.head.len()
            );
            let step = TraceStep::new(ANSWER_CUT, says).with_stdout(run.run, "");
            outcome.trace.insert(0, step);
            "it is unknown what the agent does: an answer is longer than hookbench keeps"
                .clone_into(&mut outcome.agent_does);
        }
        outcome
    }
}
