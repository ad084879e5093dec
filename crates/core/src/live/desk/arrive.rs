//! Handling of a new event: first breakpoints, then handlers. Otherwise the agent continues as without a hook.

use super::breakpoint::{Action, Breakpoint, can_be_held};
use super::held::{Held, Wait, Working};
use super::pending::at_session;
use super::step::{Kept, Record, Step, Suppressed, WhySuppressed};
use super::verdict::{Final, or_observe, possible};
use super::{Arrival, Cooldown, Desk, MARGIN_MS, MAX_HELD};
use crate::live::handlers::{Failure, Handoff, SessionWork, Trigger, Work};
use crate::live::{Changes, Decision, Source, deadlines_of, is_blocking};

/// The state of an event while it is being handled.
struct Course {
    record: Record,
    /// The source of the answer if nothing else decides.
    otherwise: Source,
    /// Work to do after the answer.
    after: Option<Work>,
    /// Steps that store data.
    keep: Vec<Step>,
}

/// The result of the breakpoints.
enum Stopped {
    Decided(Final),
    Held(Breakpoint),
    No,
}

impl Desk {
    /// Handles a new event.
    pub fn arrive(&mut self, now: u64, wall_ms: i64, arrival: Arrival) -> Vec<Step> {
        self.counters.arrived += 1;
        let mut course =
            Course { record: Record::default(), otherwise: Source::Default, after: None, keep: Vec::new() };
        if self.closed {
            return vec![Final::observe(Source::Shutdown).step(arrival, course.record)];
        }
        self.plan_after(wall_ms, &arrival, &mut course);
        let until = until(now, &arrival);
        let mut steps = match self.stopped(now, until, &arrival, &mut course) {
            Stopped::Decided(last) => self.answered(arrival, course, last),
            Stopped::Held(by) => self.hold(now, until, arrival, course, by),
            Stopped::No => self.handle(now, wall_ms, until, arrival, course),
        };
        self.counters.passed_full +=
            u64::from(steps.iter().any(|s| matches!(s, Step::Answer { record, .. } if record.passed_full)));
        steps.shrink_to_fit();
        steps
    }

    /// Plans the work to do after the answer, if any.
    fn plan_after(&mut self, wall_ms: i64, arrival: &Arrival, course: &mut Course) {
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
                let gate = self.cooldowns.gate(cooldown, wall_ms, who);
                course.record.clock_skew = gate.clock_skew;
                match gate.accepted {
                    Some(accepted) => {
                        course.keep.push(Step::Keep(Kept::Cooldown(accepted)));
                        course.after = Some(handoff(arrival, Trigger::Stop));
                    }
                    None => {
                        course.record.cooldown = true;
                        course.otherwise = Source::Cooldown;
                    }
                }
            }
            "session_end" => course.after = Some(handoff(arrival, Trigger::SessionEnd)),
            _ => {}
        }
    }

    /// Applies the first breakpoint that matches.
    fn stopped(&self, now: u64, until: u64, arrival: &Arrival, course: &mut Course) -> Stopped {
        let found = self.settings.breakpoints.iter().find(|point| point.enabled && point.matches(arrival));
        let Some(point) = found.filter(|_| !self.paused) else { return Stopped::No };
        let suppressed = |decision, why| Some(Suppressed { decision, why });
        match &point.action {
            Action::Hold if !can_be_held(&arrival.event) || until <= now => {
                course.record.suppressed = suppressed(None, WhySuppressed::NeverHeld);
                Stopped::No
            }
            Action::Hold if self.held.len() >= MAX_HELD => {
                course.record.passed_full = true;
                Stopped::No
            }
            Action::Hold => Stopped::Held(point.clone()),
            Action::Fixed(decision) if !is_blocking(&arrival.event) => {
                if *decision != Decision::Observe {
                    course.record.suppressed = suppressed(Some(decision.kind()), WhySuppressed::AnsweredAtOnce);
                }
                Stopped::No
            }
            Action::Fixed(decision) => {
                let (decision, suppressed) = or_observe(arrival, decision.clone(), self.settings.allow_raw);
                course.record.suppressed = suppressed;
                let source = Source::Rule(point.name.clone());
                if decision == Decision::Observe {
                    course.otherwise = source;
                    return Stopped::No;
                }
                Stopped::Decided(Final { decision, source })
            }
        }
    }

    fn hold(&mut self, now: u64, until: u64, arrival: Arrival, course: Course, by: Breakpoint) -> Vec<Step> {
        let seq = arrival.seq;
        let wait = Wait::new(now, until);
        let held = Held {
            choices: possible(&arrival, self.settings.allow_raw),
            arrival,
            since: now,
            until,
            breakpoint: by.name,
            on_timeout: by.on_timeout,
            remind_at: wait.remind_at,
            record: course.record,
            after: course.after,
        };
        self.held.insert(seq, held);
        let mut steps = vec![Step::Processing { seq }, Step::Held { seq }];
        steps.extend(course.keep);
        steps
    }

    /// Runs a handler for an event that no breakpoint has decided.
    fn handle(&mut self, now: u64, wall_ms: i64, until: u64, arrival: Arrival, course: Course) -> Vec<Step> {
        let on = self.settings.handlers;
        let source = arrival.normal.matcher_value.as_deref();
        let work = match arrival.event.as_str() {
            "session_start" if on.overview && matches!(source, Some("startup" | "resume")) => {
                Some(Work::Overview { project: arrival.project_path.clone() })
            }
            "pre_compact" if on.handoff => Some(handoff(&arrival, Trigger::PreCompact)),
            _ => None,
        };
        if let Some(work) = work.filter(|_| now < until) {
            let seq = arrival.seq;
            let Course { record, otherwise, mut keep, .. } = course;
            self.working.insert(seq, Working { arrival, wait: Wait::new(now, until), record, otherwise });
            keep.splice(..0, [Step::Processing { seq }, Step::Handle { seq, work }]);
            return keep;
        }
        if on.handoff
            && at_session(&arrival)
            && let Some(handoff) = self.pending.take(&arrival, wall_ms)
        {
            return self.deliver(wall_ms, arrival, course, handoff);
        }
        let otherwise = course.otherwise.clone();
        self.answered(arrival, course, Final::observe(otherwise))
    }

    /// Answers with the handoff if the client accepts it. Otherwise the handoff waits for the next occasion.
    fn deliver(&mut self, wall_ms: i64, arrival: Arrival, mut course: Course, handoff: Handoff) -> Vec<Step> {
        let (decision, suppressed) = or_observe(&arrival, Decision::Replace { content: handoff.yaml.clone() }, false);
        if let Some(suppressed) = suppressed {
            course.record.suppressed = Some(suppressed);
            self.pending.add(handoff);
        } else {
            course.keep.push(Step::Keep(Kept::delivered(&handoff, wall_ms)));
        }
        self.answered(arrival, course, Final { decision, source: Source::Handler("handoff".to_owned()) })
    }

    /// Returns the answer and the steps after it.
    fn answered(&self, arrival: Arrival, mut course: Course, last: Final) -> Vec<Step> {
        let seq = arrival.seq;
        let failed = self.settings.handlers.stop_failure && arrival.event == "stop_failure";
        let failure = failed.then(|| Failure::of(&arrival.payload));
        course.record.failure = failure.as_ref().map(|failure| failure.class);
        let failure = failure.map(|failure| Step::Failed { seq, failure });
        let after = course.after.map(|work| Step::Handle { seq, work });
        let answer = last.step(arrival, course.record);
        std::iter::once(answer).chain(course.keep).chain(failure).chain(after).collect()
    }
}

/// Returns the instant until which an answer is useful: the client's limit, at most the default one, minus a
/// margin.
fn until(now: u64, arrival: &Arrival) -> u64 {
    let ours = deadlines_of(&arrival.event, &Changes::default()).hold;
    let hold = arrival.budget.map_or(ours, |budget| budget.hold.min(ours));
    let ms = u64::try_from(hold.as_millis()).unwrap_or(u64::MAX);
    now.saturating_add(ms.saturating_sub(MARGIN_MS))
}

fn handoff(arrival: &Arrival, trigger: Trigger) -> Work {
    Work::Handoff(SessionWork {
        provider: arrival.provider.clone(),
        provider_ref: arrival.provider_ref.clone(),
        project: arrival.project_path.clone(),
        transcript: arrival.normal.transcript_path.clone(),
        last_message: arrival.normal.last_message.clone(),
        trigger,
    })
}
