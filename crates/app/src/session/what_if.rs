//! Alternative results: decides a firing again as a new record, without running anything.

use std::sync::Arc;

use super::state::Session;
use crate::firing::record::{FiringId, FiringRecord, LEFT_OUT, StreamBuffer, leave_out};
use crate::session::bench::PayloadOrigin;
use crate::session::job::Job;
use hookbench_core::dialects::Scene;
use hookbench_core::firing::Firing;
use hookbench_core::plan::{Reason, Selection};
use hookbench_core::run::{Exit, RunId, RunReport};

impl Session {
    /// Decides a finished firing again as if the hook's question had been answered with this text.
    /// `by` is the name of the model that answered, if the user did not.
    pub(super) fn answer(&mut self, id: FiringId, run: RunId, text: &str, by: Option<String>) -> Vec<Job> {
        self.decide_again(id, &RunReport::new(run, Exit::Answered { by }, text, ""))
    }

    /// Decides a finished firing again as if a hook had exited with this code and printed this text.
    pub(super) fn what_if(&mut self, id: FiringId, run: RunId, code: i32, stdout: &str) -> Vec<Job> {
        self.decide_again(id, &RunReport::new(run, Exit::Code(code), stdout, ""))
    }

    fn decide_again(&mut self, id: FiringId, other: &RunReport) -> Vec<Job> {
        let Some(old) = self.firing(id).filter(|f| f.settled).cloned() else { return Vec::new() };
        let Some(agent) = self.agent(old.agent.as_str()) else { return Vec::new() };
        let dialect = agent.dialect;
        let scene = Scene {
            input: old.input.clone(),
            loaded: Arc::clone(&old.loaded),
            place: Arc::clone(&self.place),
            version: old.version.clone(),
            headless: self.options.headless,
            memory: old.memory.clone(),
        };
        let reports: Vec<RunReport> = old
            .ended
            .iter()
            .filter_map(|r| old.run(*r)?.ended())
            .map(|r| {
                let (timing, stdin_read) = (r.report.timing, r.report.stdin_read);
                let supposed = r.report.run == other.run;
                if supposed { RunReport { timing, stdin_read, ..other.clone() } } else { r.report.clone() }
            })
            .collect();
        let new = self.new_id();
        let record = FiringRecord {
            id: new,
            runs: Vec::new(),
            ended: Vec::new(),
            outcome: None,
            settled: false,
            cancelled: false,
            superseded: false,
            assumed_run: Some(other.run),
            auto_fired: false,
            verification: None,
            ..old.clone()
        };
        let mut printed = StreamBuffer::default();
        printed.append(&other.stdout.head, 0);
        let streams = |run: RunId| match old.runs.iter().find(|r| r.run == run) {
            Some(real) if run != other.run => (real.stdout.clone(), real.stderr.clone()),
            _ => (printed.clone(), StreamBuffer::default()),
        };
        self.add_record(record);
        let (mut machine, mut steps) = Firing::start_planned(dialect, scene, old.plan.clone());
        for report in reports {
            steps.extend(machine.report(report));
        }
        // All reports were applied, so nothing is left to start.
        self.machines.push((new, machine));
        self.carry_out(new, steps);
        self.machines.retain(|(live, _)| *live != new);
        for run in self.history.record_mut(new).into_iter().flat_map(|record| &mut record.runs) {
            (run.stdout, run.stderr) = streams(run.run);
        }
        self.history.outcome_changed(new);
        Vec::new()
    }

    /// Excludes a hook from the plan on the bench, or includes it again, until the plan is computed anew.
    pub(super) fn toggle_hook(&mut self, hook: &str) {
        let left_out = |why: &Reason| why.rule == LEFT_OUT;
        let Some(plan) = &mut self.bench.plan else { return };
        let Some(entry) = plan.entries.iter_mut().find(|e| e.hook == hook) else { return };
        match entry.selection {
            Selection::Fires { .. } => {
                leave_out(entry, "excluded by you, for this run only");
            }
            Selection::Skipped if left_out(&entry.why) => self.replan(),
            _ => self.say("it would not run anyway; its ladder shows why".to_owned()),
        }
    }

    /// Puts the event of a record on the bench again.
    pub(super) fn put_past_event(&mut self, id: FiringId) {
        let Some(run) = self.history.get(id) else { return };
        let Some(input) = run.event.input() else { return };
        let (agent, filled) = (run.event.agent, run.filled().to_vec());
        self.put_earlier_input(agent, input, filled, PayloadOrigin::Run(id));
    }
}
