//! Firings: asks for consent, then converts the steps of the state machine to jobs and records.

use std::sync::Arc;
use std::time::Duration;

use super::firing_start::{FiringStart, WaitingStart};
use super::state::Session;
use super::update::SessionEffect;
use crate::firing::approval::ConsentItem;
use crate::firing::record::{
    FiringId, FiringRecord, LEFT_OUT, RunRecord, RunState, StreamBuffer, StreamEntry, StreamEntryKind,
    leave_out_forwarding,
};
use crate::session::job::Job;
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::diagnostic::{Code, Diagnostic};
use hookbench_core::dialects::VersionBasis;
use hookbench_core::firing::{Firing, FiringStep};
use hookbench_core::run::{Exit, Launch, RunId, RunReport};

/// The most hooks that start before the next key, signal or fact.
const PART: usize = 64;

impl Session {
    pub(super) fn fire(&mut self) -> Vec<Job> {
        if self.is_refused() {
            return Vec::new();
        }
        self.start_with_consent(WaitingStart::Bench, Session::consent_missing)
    }

    /// Returns whether the payload on the bench cannot be used, and tells the user.
    pub(super) fn is_refused(&mut self) -> bool {
        let Some(reason) = self.bench.payload.refused.as_ref().map(|refused| refused.reason.clone()) else {
            return false;
        };
        self.say("the payload is not valid JSON: edit it first");
        self.effects.push(SessionEffect::PayloadRefused(reason));
        true
    }

    /// Starts something, or asks for consent to the commands that `missing` finds.
    pub(super) fn start_with_consent(
        &mut self,
        start: WaitingStart,
        missing: impl FnOnce(&Session) -> Vec<ConsentItem>,
    ) -> Vec<Job> {
        let missing = if self.options.yes { Vec::new() } else { missing(self) };
        if missing.is_empty() {
            return self.start_waiting(start);
        }
        self.effects.push(SessionEffect::ConsentNeeded(missing.clone()));
        self.bench.consent = Some(missing);
        self.waiting_start = start;
        Vec::new()
    }

    fn start_waiting(&mut self, start: WaitingStart) -> Vec<Job> {
        match start {
            WaitingStart::Bench => self.start(false),
            WaitingStart::AllAgents => self.start_everywhere(),
            WaitingStart::Stress(request) => self.run_stress(request),
            WaitingStart::Trial(trial) => self.run_trial(trial),
            WaitingStart::Verification { insists } => self.run_verification(insists),
        }
    }

    pub(super) fn give_consent(&mut self) -> Vec<Job> {
        let Some(items) = self.bench.consent.take() else { return Vec::new() };
        let kept: Vec<(String, String)> =
            items.into_iter().map(|i| (i.key, format!("{} ({})", i.command, i.source))).collect();
        for (key, says) in &kept {
            self.consent.give(key.clone(), says.clone());
        }
        let mut jobs = vec![Job::SaveConsent(kept)];
        let start = std::mem::take(&mut self.waiting_start);
        jobs.extend(self.start_waiting(start));
        jobs.extend(self.fire_waiting());
        jobs
    }

    pub(super) fn start(&mut self, auto: bool) -> Vec<Job> {
        self.bench_start(auto).map_or_else(Vec::new, |start| self.start_on_bench(start))
    }

    /// The firing of the event on the bench.
    pub(super) fn bench_start(&self, auto: bool) -> Option<FiringStart> {
        let (scene, plan, dialect) = (self.scene()?, self.bench.plan.clone()?, self.current()?.dialect);
        let (filled, mut diagnostics) = (self.bench.payload.filled.clone(), self.bench.payload.diagnostics.clone());
        diagnostics.extend(self.consecutive_stops().map(|says| Diagnostic::new(Code::SessionStops, says)));
        let transcript = self.bench.payload.transcript.clone();
        Some(FiringStart { dialect, scene, plan, filled, diagnostics, auto, transcript })
    }

    /// Starts a firing of the event on the bench.
    pub(super) fn start_on_bench(&mut self, start: FiringStart) -> Vec<Job> {
        if !start.auto {
            self.simulated.set_active(FiringId(self.next_firing));
        }
        let left_out = start.plan.entries.iter().any(|e| e.why.rule == LEFT_OUT);
        let jobs = self.start_scene(start);
        if left_out {
            // A hook is left out of one run only.
            self.replan();
        }
        jobs
    }

    pub(super) fn new_id(&mut self) -> FiringId {
        let id = FiringId(self.next_firing);
        self.next_firing += 1;
        id
    }

    /// Starts a firing, its first hooks at once.
    pub(super) fn start_scene(&mut self, start: FiringStart) -> Vec<Job> {
        let FiringStart { dialect, scene, mut plan, filled, diagnostics, auto, transcript } = start;
        leave_out_forwarding(&mut plan, &scene.loaded);
        self.opened_run = None;
        let id = self.new_id();
        let known = || VersionBasis::of(dialect, scene.version.clone()).1;
        let basis = self.agent(dialect.id().as_str()).map_or_else(known, |agent| agent.basis.clone());
        self.add_record(FiringRecord {
            id,
            agent: dialect.id(),
            version: scene.version.clone(),
            basis,
            input: scene.input.clone(),
            filled,
            loaded: Arc::clone(&scene.loaded),
            plan: plan.clone(),
            runs: Vec::new(),
            ended: Vec::new(),
            outcome: None,
            settled: false,
            cancelled: false,
            superseded: false,
            assumed_run: None,
            auto_fired: auto,
            env_source: scene.place.env_source,
            search_path: scene.place.var("PATH").map(str::to_owned),
            containment: None,
            memory: scene.memory.clone(),
            verification: None,
            diagnostics,
        });
        self.add_entry(id, Duration::ZERO, StreamEntryKind::Planned);
        let budget = plan.budget;
        let any = plan.firing().next().is_some();
        let (machine, steps) = Firing::start_in_parts(dialect, scene, plan, PART);
        self.machines.push((id, machine));
        let mut jobs = Vec::new();
        if self.contain && any {
            let files = self.settings_files().into_iter().chain(self.scripts()).collect();
            jobs.push(Job::Contain { firing: id, files });
        }
        jobs.extend(transcript.filter(|_| any).map(|cut| Job::CutTranscript { firing: id, cut }));
        jobs.extend(self.carry_out(id, steps));
        if let Some(after) = budget.filter(|_| self.busy()) {
            jobs.push(Job::Timer { firing: id, after });
        }
        jobs
    }

    pub(super) fn cancel(&mut self) -> Vec<Job> {
        let ids: Vec<FiringId> = self.machines.iter().map(|(id, _)| *id).collect();
        ids.into_iter().flat_map(|id| self.cancel_one(id)).collect()
    }

    pub(super) fn cancel_one(&mut self, id: FiringId) -> Vec<Job> {
        if let Some(record) = self.history.record_mut(id) {
            record.cancelled = true;
        }
        let superseded = self.firing(id).is_some_and(|f| f.superseded);
        let why = if superseded { "replaced by a newer run after a save" } else { "cancelled by the user" };
        self.step_firing(id, |machine| machine.cancel(why))
    }

    pub(super) fn step_firing(&mut self, id: FiringId, act: impl FnOnce(&mut Firing) -> Vec<FiringStep>) -> Vec<Job> {
        let Some((_, machine)) = self.machines.iter_mut().find(|(live, _)| *live == id) else { return Vec::new() };
        let steps = act(machine);
        self.carry_out(id, steps)
    }

    pub(super) fn carry_out(&mut self, id: FiringId, steps: Vec<FiringStep>) -> Vec<Job> {
        let mut jobs = Vec::new();
        let mut unanswered = Vec::new();
        for step in steps {
            match step {
                FiringStep::Launch(request) => {
                    let (expected_failure, inherited) = self.start_facts(id, &request.hook, &request.launch);
                    if let Some(record) = self.history.record_mut(id) {
                        record.runs.push(RunRecord {
                            run: request.run,
                            hook: request.hook.clone(),
                            launch: request.launch.clone(),
                            awaited: request.awaited,
                            pid: None,
                            state: RunState::Requested,
                            stdout: StreamBuffer::default(),
                            stderr: StreamBuffer::default(),
                            script: None,
                            expected_failure,
                            inherited,
                        });
                    }
                    match request.launch {
                        Launch::Process(_) | Launch::Http(_) => jobs.push(Job::Start { firing: id, request }),
                        // Only the agent could run it. A user may supply the answer later; the firing is then
                        // decided again.
                        Launch::ByHand(_) => unanswered.push(request.run),
                        Launch::Refused(_) | Launch::Canned { .. } => {}
                    }
                }
                FiringStep::Pause => jobs.push(Job::Proceed { firing: id }),
                FiringStep::Kill(run) => {
                    let (firing, run) = self.shared_with(id, run);
                    jobs.push(Job::Kill { firing, run });
                }
                FiringStep::Read(mut run) => {
                    let at = run.report.timing.ended;
                    let (found, script) = self.run_findings(id, &run);
                    run.output.notes.extend(found);
                    if let Some(record) = self.history.record_mut(id) {
                        record.ended.push(run.run);
                        if let Some(of) = record.run_mut(run.run) {
                            of.state = RunState::Ended(run.clone());
                            of.script = script;
                        }
                    }
                    self.add_entry(id, at, StreamEntryKind::Ended { run: run.run });
                }
                FiringStep::Decided(outcome) => self.set_outcome(id, *outcome, false),
                FiringStep::Settled(outcome) => {
                    self.remember(id, &outcome);
                    self.set_outcome(id, *outcome, true);
                    self.effects.push(SessionEffect::FiringSettled(id));
                    self.add_firing_findings(id);
                    jobs.extend(self.note_failures_to_block(id));
                    self.machines.retain(|(live, _)| *live != id);
                    self.shared_runs.retain(|shared| shared.also.0 != id);
                    let at = self.firing(id).map_or(Duration::ZERO, FiringRecord::duration);
                    self.add_entry(id, at, StreamEntryKind::Settled);
                    jobs.push(Job::TearDown { firing: id });
                    jobs.extend(self.after_settled(id));
                    // A run is logged with the result of its verification.
                    if self.awaits_verification(id) {
                        jobs.extend(self.finish_verification());
                    } else {
                        jobs.extend(self.log_run(id));
                    }
                }
            }
        }
        for run in unanswered {
            let report = RunReport::new(run, Exit::Unanswered, "", "");
            jobs.extend(self.step_firing(id, |machine| machine.report(report)));
        }
        jobs
    }

    pub(super) fn set_outcome(&mut self, id: FiringId, mut outcome: Outcome, settled: bool) {
        if let Some(record) = self.history.record_mut(id) {
            if record.cancelled {
                // The user cancelled the firing, not the agent, so the agent's reaction is unknown.
                outcome.verdict = Verdict::Unknown;
                outcome.blocked = false;
                let how = if record.superseded { "replaced by a newer run after a save" } else { "cancelled" };
                outcome.agent_does = format!("{how}, so the agent's reaction is unknown");
                // The first step states a decision that was not made; the steps below it are facts about the runs.
                if let Some(decision) = outcome.trace.first_mut() {
                    decision.message.clone_from(&outcome.agent_does);
                }
            }
            doubt_broken_rules(&mut outcome, record);
            record.outcome = Some(outcome);
            record.settled = settled;
        }
        self.history.outcome_changed(id);
    }

    pub(super) fn run_mut(&mut self, id: FiringId, run: RunId) -> Option<&mut RunRecord> {
        self.history.record_mut(id)?.run_mut(run)
    }

    pub(super) fn add_entry(&mut self, firing: FiringId, at: Duration, kind: StreamEntryKind) {
        if self.options.keep_entries {
            self.entries.push(StreamEntry { firing, at, kind });
        }
    }
}

/// Makes an outcome unknown if it rests on a rule that the installed program does not follow.
fn doubt_broken_rules(outcome: &mut Outcome, record: &FiringRecord) {
    let planned = record.plan.entries.iter().map(|entry| entry.why.rule);
    let Some(broken) = record.basis.broken_rule(outcome.rules().into_iter().chain(planned)) else { return };
    outcome.verdict = Verdict::Unknown;
    outcome.agent_does = format!(
        "unknown: a calibration showed that the installed version {} breaks a rule of this decision (probe {})",
        record.basis.requested, broken.probe
    );
}
