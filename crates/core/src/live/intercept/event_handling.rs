//! Handling of a new event: first breakpoints, then handlers. Otherwise the agent continues as without a hook.

use super::admission::{FinalDecision, or_observe, possible_decisions};
use super::breakpoint::{Breakpoint, BreakpointAction, can_be_held};
use super::pending_event::{EventInHandler, PendingEvent, WaitTimes, delivers_at};
use super::step::{AnswerRecord, InterceptStep, PersistedState, SuppressedDecision, SuppressionReason};
use super::{ANSWER_MARGIN_MS, Cooldown, IncomingEvent, Interceptor, MAX_HELD};
use crate::live::handlers::{HandlerWork, Handoff, HandoffTrigger, HandoffWork, ModelFailure};
use crate::live::{DeadlineOverrides, Decision, DecisionSource, deadlines_of, is_blocking};

/// The state of an event while it is being handled.
struct EventProgress {
    record: AnswerRecord,
    /// The source of the answer if nothing else decides.
    fallback_source: DecisionSource,
    /// Work to do after the answer.
    work_after: Option<HandlerWork>,
    /// Steps that store data.
    store_steps: Vec<InterceptStep>,
}

/// The result of the breakpoints.
enum BreakpointResult {
    Decided(FinalDecision),
    Held(Box<Breakpoint>),
    Continue,
}

impl Interceptor {
    /// Handles a new event.
    pub fn handle_event(&mut self, now: u64, wall_ms: i64, arrival: IncomingEvent) -> Vec<InterceptStep> {
        self.counters.arrived += 1;
        let mut course = EventProgress {
            record: AnswerRecord::default(),
            fallback_source: DecisionSource::Default,
            work_after: None,
            store_steps: Vec::new(),
        };
        if self.closed {
            return vec![FinalDecision::observe(DecisionSource::Shutdown).step(arrival, course.record)];
        }
        self.plan_follow_up(wall_ms, &arrival, &mut course);
        let until = answer_deadline(now, &arrival);
        let mut steps = match self.apply_breakpoints(now, until, &arrival, &mut course) {
            BreakpointResult::Decided(last) => self.answer_steps(arrival, course, last),
            BreakpointResult::Held(by) => self.hold(now, until, arrival, course, *by),
            BreakpointResult::Continue => self.run_handlers(now, wall_ms, until, arrival, course),
        };
        self.counters.passed_full +=
            u64::from(steps.iter().any(|s| matches!(s, InterceptStep::Answer { record, .. } if record.passed_full)));
        steps.shrink_to_fit();
        steps
    }

    /// Plans the work to do after the answer, if any.
    fn plan_follow_up(&mut self, wall_ms: i64, arrival: &IncomingEvent, course: &mut EventProgress) {
        if !self.settings.handlers.handoff {
            return;
        }
        match arrival.event.as_str() {
            "stop" => {
                let cooldown = self.settings.cooldown_stop_ms;
                let who = Cooldown {
                    provider: arrival.provider.clone(),
                    provider_ref: arrival.provider_ref.clone(),
                    event: arrival.event.clone(),
                    last_received_ms: arrival.received_ms,
                };
                let gate = self.cooldowns.check(cooldown, wall_ms, who);
                course.record.clock_skew = gate.clock_skew;
                match gate.accepted {
                    Some(accepted) => {
                        course.store_steps.push(InterceptStep::Store(PersistedState::Cooldown(accepted)));
                        course.work_after = Some(handoff_work(arrival, HandoffTrigger::Stop));
                    }
                    None => {
                        course.record.cooldown = true;
                        course.fallback_source = DecisionSource::Cooldown;
                    }
                }
            }
            "session_end" => course.work_after = Some(handoff_work(arrival, HandoffTrigger::SessionEnd)),
            _ => {}
        }
    }

    /// Applies the first breakpoint that matches.
    fn apply_breakpoints(
        &self,
        now: u64,
        until: u64,
        arrival: &IncomingEvent,
        course: &mut EventProgress,
    ) -> BreakpointResult {
        let found = self.settings.breakpoints.iter().find(|point| point.enabled && point.matches(arrival));
        let Some(point) = found.filter(|_| !self.paused) else { return BreakpointResult::Continue };
        let suppressed = |decision, why| Some(SuppressedDecision { decision, reason: why });
        match &point.action {
            BreakpointAction::Hold if !can_be_held(&arrival.event) || until <= now => {
                course.record.suppressed = suppressed(None, SuppressionReason::NeverHeld);
                BreakpointResult::Continue
            }
            BreakpointAction::Hold if self.held.len() >= MAX_HELD => {
                course.record.passed_full = true;
                BreakpointResult::Continue
            }
            BreakpointAction::Hold => BreakpointResult::Held(Box::new(point.clone())),
            BreakpointAction::Fixed(decision) if !is_blocking(&arrival.event) => {
                if *decision != Decision::Observe {
                    course.record.suppressed = suppressed(Some(decision.kind()), SuppressionReason::AnsweredAtOnce);
                }
                BreakpointResult::Continue
            }
            BreakpointAction::Fixed(decision) => {
                let (decision, suppressed) = or_observe(arrival, decision.clone(), self.settings.allow_raw);
                course.record.suppressed = suppressed;
                let source = DecisionSource::Rule(point.name.clone());
                if decision == Decision::Observe {
                    course.fallback_source = source;
                    return BreakpointResult::Continue;
                }
                BreakpointResult::Decided(FinalDecision { decision, source })
            }
        }
    }

    fn hold(
        &mut self,
        now: u64,
        until: u64,
        arrival: IncomingEvent,
        course: EventProgress,
        by: Breakpoint,
    ) -> Vec<InterceptStep> {
        let seq = arrival.seq;
        let wait = WaitTimes::new(now, until);
        let held = PendingEvent {
            choices: possible_decisions(&arrival, self.settings.allow_raw),
            arrival,
            since: now,
            until,
            breakpoint: by.name,
            on_timeout: by.on_timeout,
            next_reminder: wait.remind_at,
            record: course.record,
            work_after: course.work_after,
        };
        self.held.insert(seq, held);
        let mut steps = vec![InterceptStep::Processing { seq }, InterceptStep::Held { seq }];
        steps.extend(course.store_steps);
        steps
    }

    /// Runs a handler for an event that no breakpoint has decided.
    fn run_handlers(
        &mut self,
        now: u64,
        wall_ms: i64,
        until: u64,
        arrival: IncomingEvent,
        course: EventProgress,
    ) -> Vec<InterceptStep> {
        let on = self.settings.handlers;
        let source = arrival.normal.matcher_value.as_deref();
        let work = match arrival.event.as_str() {
            "session_start" if on.overview && matches!(source, Some("startup" | "resume")) => {
                Some(HandlerWork::Overview { project: arrival.project_path.clone() })
            }
            "pre_compact" if on.handoff => Some(handoff_work(&arrival, HandoffTrigger::PreCompact)),
            _ => None,
        };
        if let Some(work) = work.filter(|_| now < until) {
            let seq = arrival.seq;
            let EventProgress { record, fallback_source: otherwise, store_steps: mut keep, .. } = course;
            self.working.insert(
                seq,
                EventInHandler { arrival, wait: WaitTimes::new(now, until), record, fallback_source: otherwise },
            );
            keep.splice(..0, [InterceptStep::Processing { seq }, InterceptStep::Handle { seq, work }]);
            return keep;
        }
        if on.handoff
            && delivers_at(&arrival)
            && let Some(handoff) = self.pending.take(&arrival, wall_ms)
        {
            return self.deliver(wall_ms, arrival, course, handoff);
        }
        let otherwise = course.fallback_source.clone();
        self.answer_steps(arrival, course, FinalDecision::observe(otherwise))
    }

    /// Answers with the handoff if the client accepts it. Otherwise the handoff waits for the next occasion.
    fn deliver(
        &mut self,
        wall_ms: i64,
        arrival: IncomingEvent,
        mut course: EventProgress,
        handoff: Handoff,
    ) -> Vec<InterceptStep> {
        let (decision, suppressed) = or_observe(&arrival, Decision::Replace { content: handoff.yaml.clone() }, false);
        if let Some(suppressed) = suppressed {
            course.record.suppressed = Some(suppressed);
            self.pending.add(handoff);
        } else {
            course.store_steps.push(InterceptStep::Store(PersistedState::delivered(&handoff, wall_ms)));
        }
        self.answer_steps(
            arrival,
            course,
            FinalDecision { decision, source: DecisionSource::Handler("handoff".to_owned()) },
        )
    }

    /// Returns the answer and the steps after it.
    fn answer_steps(
        &self,
        arrival: IncomingEvent,
        mut course: EventProgress,
        last: FinalDecision,
    ) -> Vec<InterceptStep> {
        let seq = arrival.seq;
        let failed = self.settings.handlers.stop_failure && arrival.event == "stop_failure";
        let failure = failed.then(|| ModelFailure::of(&arrival.payload));
        course.record.failure = failure.as_ref().map(|failure| failure.class);
        let failure = failure.map(|failure| InterceptStep::ModelFailed { seq, failure });
        let after = course.work_after.map(|work| InterceptStep::Handle { seq, work });
        let answer = last.step(arrival, course.record);
        std::iter::once(answer).chain(course.store_steps).chain(failure).chain(after).collect()
    }
}

/// Returns the instant until which an answer is useful: the client's limit, at most the default one, minus a
/// margin.
fn answer_deadline(now: u64, arrival: &IncomingEvent) -> u64 {
    let ours = deadlines_of(&arrival.event, &DeadlineOverrides::default()).hold;
    let hold = arrival.budget.map_or(ours, |budget| budget.hold.min(ours));
    let ms = u64::try_from(hold.as_millis()).unwrap_or(u64::MAX);
    now.saturating_add(ms.saturating_sub(ANSWER_MARGIN_MS))
}

fn handoff_work(arrival: &IncomingEvent, trigger: HandoffTrigger) -> HandlerWork {
    HandlerWork::Handoff(HandoffWork {
        provider: arrival.provider.clone(),
        provider_ref: arrival.provider_ref.clone(),
        project: arrival.project_path.clone(),
        transcript: arrival.normal.transcript_path.clone(),
        last_message: arrival.normal.last_message.clone(),
        trigger,
    })
}
