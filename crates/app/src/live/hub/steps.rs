//! Carries out the steps of the interceptor: answers clients, sends records to the writer and facts to frontends.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use tokio::sync::oneshot;

use super::run::{Hub, UnansweredEvent, trigger_word};
use crate::live::stored_event::{EventRecord, StoreRecord, Ticket};
use crate::live::{AnsweredFact, ArrivedFact, LiveFact, PendingEventFact, handlers};
use crate::recordings::store::now_ms;
use hookbench_core::live::handlers::HandlerWork;
use hookbench_core::live::intercept::{
    self, IncomingEvent, InterceptStep, PendingEvent, PersistedState, TimeoutAction,
};
use hookbench_core::live::{Decision, LiveAnswer, header};
use hookbench_system::server::{HookRequest, ReplyChannel, ServerReply};
use hookbench_system::store::{CaptureAnswer, StoredCooldown, StoredHandoff};

/// The number of answered events whose payloads are kept, and the maximum of their bytes.
const RECENT: usize = 256;
const RECENT_BYTES: usize = 8 * 1024 * 1024;

impl Hub {
    /// Handles a new event.
    pub fn arrive(&mut self, hook: HookRequest, line: ReplyChannel) {
        let seq = hook.seq;
        // An id that a pending event has already is replaced.
        let id = hook.request_id.clone().filter(|id| !self.by_id.contains_key(id));
        let id = id.unwrap_or_else(|| new_id(now_ms()));
        let hook = Arc::new(hook);
        self.facts.publish(LiveFact::Arrived(arrived_fact(&id, &hook)));
        self.by_id.insert(id.clone(), seq);
        self.by_connection.insert(line.connection, seq);
        let arrival = incoming_event(&id, &hook);
        self.unanswered.insert(seq, UnansweredEvent { id, hook, line, ticket: Ticket::default(), recorded: false });
        let steps = self.desk.handle_event(self.now(), now_ms(), arrival);
        self.steps(steps);
        // If the event is not answered at once, its arrival is stored before anything else happens.
        if let Some(open) = self.unanswered.get_mut(&seq).filter(|open| !open.recorded) {
            open.recorded = true;
            self.writer.queue.push(event_record(open, None));
        }
    }

    /// Carries out steps in their order.
    pub fn steps(&mut self, steps: Vec<InterceptStep>) {
        let (mut written, mut announced) = (None, None);
        for step in steps {
            match step {
                InterceptStep::Processing { seq } => {
                    if let Some(open) = self.unanswered.get(&seq) {
                        let held = self.desk.held().find(|held| held.arrival.seq == seq);
                        let answer = held.map(PendingEvent::announced).filter(|word| *word != TimeoutAction::Pass);
                        let headers = answer.map(|word| (header::ANNOUNCED, word.word())).into_iter().collect();
                        let (says, sent) = oneshot::channel();
                        open.line.send(ServerReply::Processing { headers, written: Some(says) });
                        announced = Some(sent);
                    }
                }
                InterceptStep::Held { seq } => self.publish_when_announced(seq, announced.take()),
                InterceptStep::Answer { seq, answer, record } => written = self.answer(seq, &answer, &record),
                InterceptStep::Abandoned { seq, held_ms } => self.abandoned(seq, held_ms),
                InterceptStep::Handle { seq, work } => self.handle(seq, work, written.take()),
                InterceptStep::Store(kept) => self.writer.queue.push(to_store_record(kept)),
                InterceptStep::ModelFailed { seq, failure } => {
                    // The event may have been answered a moment ago.
                    let open = self.unanswered.get(&seq).map(|open| &open.id);
                    let recent = || self.recent.iter().rev().find(|(_, hook)| hook.seq == seq).map(|(id, _)| id);
                    let id = open.or_else(recent).cloned().unwrap_or_default();
                    let handler = "stop_failure".to_owned();
                    self.facts.publish(LiveFact::Advice { id, handler, says: failure.message });
                }
            }
        }
    }

    /// Says that an event is held after the process that asks for it knows its announced answer: only then does it get
    /// that answer however this process ends.
    fn publish_when_announced(&self, seq: u64, announced: Option<oneshot::Receiver<()>>) {
        let holds = self.announced.clone();
        tokio::spawn(async move {
            if let Some(announced) = announced {
                let _ = announced.await;
            }
            let _ = holds.send(seq);
        });
    }

    /// Publishes that an event is held, if it still is.
    pub fn publish_held(&mut self, seq: u64) {
        let held = self.desk.held().find(|held| held.arrival.seq == seq);
        if let Some(fact) = held.and_then(|held| self.pending_fact(held)) {
            self.facts.publish(LiveFact::Held(fact));
        }
    }

    fn answer(
        &mut self,
        seq: u64,
        answer: &LiveAnswer,
        record: &intercept::AnswerRecord,
    ) -> Option<oneshot::Receiver<()>> {
        let open = self.close(seq)?;
        let body = answer.to_json();
        let stored = open.ticket.state();
        let source = answer.source.as_ref().map(ToString::to_string);
        let decision = answer.decision.kind().word();
        let capture = CaptureAnswer {
            id: open.id.clone(),
            decision: Some(decision.to_owned()),
            source: source.clone(),
            decision_json: Some(body.clone()),
            answered_ms: now_ms(),
            held_ms: record.held_ms.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX)),
            cooldown: record.cooldown,
            suppressed: record.suppressed.as_ref().map(ToString::to_string),
            flags: flags(record),
        };
        let stored = if open.recorded {
            self.writer.queue.push(StoreRecord::Answer(capture));
            stored
        } else {
            self.writer.queue.push(event_record(&open, Some(capture)));
            open.ticket.state()
        };
        let headers = vec![(header::STORED, stored.word().to_owned())];
        let (says, written) = oneshot::channel();
        open.line.send(ServerReply::Answer { status: 200, headers, body: body.into_bytes(), written: Some(says) });
        self.facts.publish(LiveFact::Answered(AnsweredFact {
            id: open.id.clone(),
            decision: decision.to_owned(),
            source: source.unwrap_or_default(),
            reason: reason(&answer.decision),
            held_ms: record.held_ms,
            suppressed: record.suppressed.as_ref().map(ToString::to_string),
            stored,
        }));
        self.remember_payload(open);
        Some(written)
    }

    fn abandoned(&mut self, seq: u64, held_ms: u64) {
        let Some(open) = self.close(seq) else { return };
        let capture = CaptureAnswer {
            id: open.id.clone(),
            answered_ms: now_ms(),
            held_ms: Some(i64::try_from(held_ms).unwrap_or(i64::MAX)),
            flags: Some("abandoned".to_owned()),
            ..CaptureAnswer::default()
        };
        self.writer.queue.push(StoreRecord::Answer(capture));
        self.facts.publish(LiveFact::Abandoned { id: open.id.clone() });
        self.remember_payload(open);
    }

    /// Runs a handler on its own thread, after the preceding answer was written.
    fn handle(&self, seq: u64, work: HandlerWork, written: Option<oneshot::Receiver<()>>) {
        let (handled, handlers) = (self.handled.clone(), Arc::clone(&self.handlers));
        tokio::spawn(async move {
            if let Some(written) = written {
                let _ = written.await;
            }
            let Ok(_place) = handlers.acquire_owned().await else { return };
            if let Ok(done) = tokio::task::spawn_blocking(move || handlers::run(&work)).await {
                let _ = handled.send((seq, done));
            }
        });
    }

    /// Removes an event from the unanswered ones.
    pub fn close(&mut self, seq: u64) -> Option<UnansweredEvent> {
        let open = self.unanswered.remove(&seq)?;
        self.by_id.remove(&open.id);
        self.by_connection.remove(&open.line.connection);
        Some(open)
    }

    fn remember_payload(&mut self, open: UnansweredEvent) {
        self.recent_bytes += open.hook.payload.len();
        self.recent.push_back((open.id, open.hook));
        while self.recent.len() > RECENT || self.recent_bytes > RECENT_BYTES {
            let Some((_, gone)) = self.recent.pop_front() else { break };
            self.recent_bytes -= gone.payload.len();
        }
    }

    /// The fact about a pending event.
    pub fn pending_fact(&self, held: &PendingEvent) -> Option<PendingEventFact> {
        let open = self.unanswered.get(&held.arrival.seq)?;
        Some(PendingEventFact {
            arrived: arrived_fact(&open.id, &open.hook),
            breakpoint: held.breakpoint.clone(),
            since: self.wall(held.since),
            until: self.wall(held.until),
            on_timeout: held.announced().word().to_owned(),
            choices: held.choices.iter().map(|kind| kind.word().to_owned()).collect(),
        })
    }
}

fn incoming_event(id: &str, hook: &HookRequest) -> IncomingEvent {
    IncomingEvent {
        seq: hook.seq,
        id: id.to_owned(),
        provider: hook.provider.clone(),
        event: hook.event.clone(),
        provider_ref: hook.provider_ref.clone(),
        project_path: hook.project_path.clone(),
        received_at: hook.received_at.clone(),
        received_ms: hook.received_ms,
        payload: Arc::clone(&hook.payload),
        normal: hook.normal.clone(),
        accept: hook.accept.clone(),
        budget: hook.budget,
    }
}

fn arrived_fact(id: &str, hook: &HookRequest) -> ArrivedFact {
    ArrivedFact {
        id: id.to_owned(),
        seq: hook.seq,
        at: hook.received_ms,
        agent: hook.provider.clone(),
        event: hook.summary.event_name.clone(),
        wire: hook.event.clone(),
        session: hook.provider_ref.clone(),
        project: hook.project_path.clone(),
        subject: hook.summary.subject.clone(),
        what: hook.summary.highlight.clone(),
        agent_id: hook.normal.agent_id.clone(),
        bytes: hook.oversize.unwrap_or(hook.payload.len() as u64),
    }
}

fn event_record(open: &UnansweredEvent, answer: Option<CaptureAnswer>) -> StoreRecord {
    StoreRecord::Event(Box::new(EventRecord {
        id: open.id.clone(),
        hook: Arc::clone(&open.hook),
        answer,
        payload_dropped: false,
        recovered: false,
        masked: false,
        ticket: open.ticket.clone(),
    }))
}

fn flags(record: &intercept::AnswerRecord) -> Option<String> {
    let all = [(record.clock_skew, "clockSkew"), (record.passed_full, "passedFull")];
    let mut said: Vec<String> = all.into_iter().filter(|(is, _)| *is).map(|(_, word)| word.to_owned()).collect();
    said.extend(record.failure.map(|class| format!("failure={}", class.word())));
    Some(said.join(" ")).filter(|said| !said.is_empty())
}

fn reason(decision: &Decision) -> Option<String> {
    match decision {
        Decision::Allow { reason }
        | Decision::Deny { reason }
        | Decision::Ask { reason }
        | Decision::Halt { reason }
        | Decision::Modify { reason, .. } => reason.clone(),
        Decision::Observe | Decision::Replace { .. } | Decision::Raw { .. } => None,
    }
}

fn to_store_record(kept: PersistedState) -> StoreRecord {
    match kept {
        PersistedState::Cooldown(cooldown) => StoreRecord::Cooldown(StoredCooldown {
            provider: cooldown.provider,
            provider_ref: cooldown.provider_ref,
            event: cooldown.event,
            last_received_ms: cooldown.last_received_ms,
        }),
        PersistedState::Handoff(handoff) => StoreRecord::Handoff(StoredHandoff {
            provider: handoff.provider,
            provider_ref: handoff.provider_ref,
            project_key: handoff.project,
            created_ms: handoff.created_ms,
            trigger: trigger_word(handoff.trigger).to_owned(),
            json: handoff.json,
            yaml: handoff.yaml,
        }),
        PersistedState::Delivered { provider, provider_ref, created_ms, at_ms } => {
            StoreRecord::Delivered { provider, provider_ref, created_ms, at_ms }
        }
    }
}

/// Creates a UUID of version 7, for events without an id.
fn new_id(now_ms: i64) -> String {
    let time = u64::try_from(now_ms).unwrap_or(0) & ((1 << 48) - 1);
    // The standard library has no random numbers; the keys of these two hashes are random.
    let (a, b) = (RandomState::new().hash_one(now_ms), RandomState::new().hash_one(7));
    let (variant, node) = (0x8000 | (a >> 48 & 0x3fff), b & ((1 << 48) - 1));
    format!("{:08x}-{:04x}-7{:03x}-{variant:04x}-{node:012x}", time >> 16, time & 0xffff, a & 0xfff)
}
