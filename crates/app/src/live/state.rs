//! The state of the live path in a session: the connection, pending events and recent events. It changes by facts
//! and requests, and has no clock.

use std::collections::VecDeque;
use std::path::PathBuf;

use super::status::{
    LiveAdvice, LiveConnection, LiveCounts, LiveEvent, LiveEventState, PendingEventView, PendingPayload,
};
use super::{AnsweredFact, ArrivedFact, DemoEvent, LiveCommand, LiveFact, LiveJob, LiveRequest, PendingEventFact};
use hookbench_core::live::intercept::{Breakpoint, InterceptSettings};

/// The number of recent events to keep; the store has them all.
const RECENT: usize = 500;
/// The number of sessions whose advice is kept.
const ADVICE: usize = 20;

/// The state of the live path.
#[derive(Debug, Default)]
pub struct LivePath {
    pub connection: LiveConnection,
    /// In order of arrival.
    pub pending: Vec<PendingEventView>,
    /// The newest is last.
    pub recent: VecDeque<LiveEvent>,
    pub counts: LiveCounts,
    pub paused: bool,
    /// The user's settings.
    pub settings: InterceptSettings,
    /// The breakpoints of this session, beginning with those of the settings.
    pub breakpoints: Vec<Breakpoint>,
    /// The active breakpoints of the connected server: name, and whether it is enabled.
    pub server_breakpoints: Vec<(String, bool)>,
    /// The reason why events cannot be stored at present.
    pub store_trouble: Option<String>,
    /// Messages of handlers, one for each session, the newest last. Each stays until the user dismisses it.
    pub advice: Vec<LiveAdvice>,
    /// Whether the user has entered a token for the other process.
    pub has_token: bool,
    /// The scratch directory of the demo.
    pub(crate) demo: Option<PathBuf>,
    /// The demo's own event, until a server runs.
    waiting_demo_event: Option<DemoEvent>,
    /// Effects that the session passes on.
    pub(crate) messages: Vec<String>,
}

impl LivePath {
    /// Returns whether agents reach this process, or one to which it is attached.
    pub fn is_connected(&self) -> bool {
        matches!(self.connection, LiveConnection::Serving { .. } | LiveConnection::Attached { .. })
    }

    /// A pending event.
    pub fn pending_event(&self, id: &str) -> Option<&PendingEventView> {
        self.pending.iter().find(|held| held.fact.arrived.id == id)
    }

    /// A recent event.
    pub fn event(&self, id: &str) -> Option<&LiveEvent> {
        self.recent.iter().rev().find(|event| event.arrived.id == id)
    }

    /// The reason why this process cannot decide, if it cannot.
    pub fn why_not_decide(&self) -> Option<String> {
        match &self.connection {
            LiveConnection::Attached { pid, .. } if !self.has_token => Some(format!("only process {pid} can decide")),
            _ => None,
        }
    }

    /// The state before anything was requested; `demo` is the scratch directory of the demo.
    pub(crate) fn new(demo: Option<PathBuf>) -> LivePath {
        LivePath { demo, ..LivePath::default() }
    }

    /// Applies a user's request.
    pub fn apply(&mut self, wish: LiveRequest) -> Vec<LiveJob> {
        let tell = |command| vec![LiveJob::Send(command)];
        match wish {
            LiveRequest::Start if self.is_connected() || self.connection == LiveConnection::Starting => Vec::new(),
            LiveRequest::Start => {
                self.connection = LiveConnection::Starting;
                let desk = InterceptSettings { breakpoints: self.breakpoints.clone(), ..self.settings.clone() };
                vec![LiveJob::Start { desk, demo: self.demo.clone() }]
            }
            LiveRequest::Stop if self.is_connected() => {
                if matches!(self.connection, LiveConnection::Attached { .. }) {
                    // The other process continues, so there is nothing to wait for.
                    self.disconnect();
                }
                tell(LiveCommand::Shutdown)
            }
            LiveRequest::Stop => {
                self.connection = LiveConnection::Off;
                Vec::new()
            }
            LiveRequest::Decide { id, decision } => {
                if let Some(says) = self.why_not_decide() {
                    self.say(says);
                    return Vec::new();
                }
                match self.pending.iter_mut().find(|held| held.fact.arrived.id == id) {
                    Some(held) if !held.deciding => {
                        held.deciding = true;
                        tell(LiveCommand::Decide { id, decision })
                    }
                    Some(_) => Vec::new(),
                    None => {
                        self.say("this event is no longer held".to_owned());
                        Vec::new()
                    }
                }
            }
            LiveRequest::ReleaseAll if self.pending.is_empty() => {
                self.say("no event is held".to_owned());
                Vec::new()
            }
            LiveRequest::ReleaseAll => self.send_if_allowed(LiveCommand::ReleaseAll),
            LiveRequest::Pause(paused) if matches!(self.connection, LiveConnection::Serving { .. }) => {
                tell(LiveCommand::Pause(paused))
            }
            LiveRequest::Pause(_) if self.is_connected() => {
                self.say("only the server process can pause holding".to_owned());
                Vec::new()
            }
            LiveRequest::Pause(_) => {
                self.say("capture is not connected, so no event is held".to_owned());
                Vec::new()
            }
            LiveRequest::Bearer(bearer) => {
                self.has_token = true;
                tell(LiveCommand::Bearer(bearer))
            }
            LiveRequest::AddBreakpoint(_) | LiveRequest::ToggleBreakpoint(_) | LiveRequest::RemoveBreakpoint(_) => {
                self.change_breakpoints(wish)
            }
            LiveRequest::DismissAdvice => {
                self.advice.pop();
                Vec::new()
            }
            LiveRequest::ToBench(_) | LiveRequest::HoldDemoEvent => Vec::new(),
        }
    }

    /// Holds the demo's own event. Starts the server first if it does not run yet.
    pub(crate) fn hold_demo_event(&mut self, event: DemoEvent) -> Vec<LiveJob> {
        // A breakpoint of the user's settings must not answer it.
        self.breakpoints.insert(0, event.breakpoint());
        self.waiting_demo_event = Some(event);
        let mut jobs = self.send_breakpoints();
        jobs.extend(self.apply(LiveRequest::Start));
        jobs.extend(self.forward_demo_event());
        jobs
    }

    fn forward_demo_event(&mut self) -> Option<LiveJob> {
        let LiveConnection::Serving { socket, .. } = &self.connection else { return None };
        let event = self.waiting_demo_event.take()?;
        Some(LiveJob::Forward { socket: socket.clone(), event })
    }

    fn say(&mut self, message: impl Into<String>) {
        self.messages.push(message.into());
    }

    fn send_if_allowed(&mut self, command: LiveCommand) -> Vec<LiveJob> {
        match self.why_not_decide() {
            None => vec![LiveJob::Send(command)],
            Some(says) => {
                self.say(says);
                Vec::new()
            }
        }
    }

    fn change_breakpoints(&mut self, wish: LiveRequest) -> Vec<LiveJob> {
        if let LiveConnection::Attached { pid, .. } = self.connection {
            self.say(format!("only the server, process {pid}, can change breakpoints"));
            return Vec::new();
        }
        match wish {
            LiveRequest::AddBreakpoint(point) => self.breakpoints.push(*point),
            LiveRequest::ToggleBreakpoint(at) => {
                let Some(point) = self.breakpoints.get_mut(at) else { return Vec::new() };
                point.enabled = !point.enabled;
            }
            LiveRequest::RemoveBreakpoint(at) if at < self.breakpoints.len() => drop(self.breakpoints.remove(at)),
            _ => return Vec::new(),
        }
        self.send_breakpoints()
    }

    fn send_breakpoints(&self) -> Vec<LiveJob> {
        match self.connection {
            LiveConnection::Serving { .. } => {
                vec![LiveJob::Send(LiveCommand::SetBreakpoints(self.breakpoints.clone()))]
            }
            _ => Vec::new(),
        }
    }

    /// Applies a fact.
    pub fn absorb(&mut self, fact: LiveFact) -> Vec<LiveJob> {
        match fact {
            LiveFact::Serving { socket, pid } => {
                self.connect(LiveConnection::Serving { socket, pid });
                return self.forward_demo_event().into_iter().collect();
            }
            LiveFact::Attached { socket, pid } => self.connect(LiveConnection::Attached { socket, pid }),
            LiveFact::NotServing { says } => {
                self.say(says.clone());
                self.connection = LiveConnection::Refused { message: says };
            }
            LiveFact::Arrived(arrived) => {
                self.counts.arrived += 1;
                self.add_event(arrived);
            }
            LiveFact::Held(fact) => return self.add_pending(fact),
            LiveFact::Answered(answered) => self.answered(answered),
            LiveFact::Abandoned { id } => {
                self.counts.abandoned += 1;
                if let Some(held) = self.remove_pending(&id) {
                    self.say(format!("{} is no longer held: the agent stopped waiting", describe(&held)));
                }
                self.set_state(&id, LiveEventState::Abandoned);
            }
            LiveFact::Advice { id, says, .. } => self.add_advice(&id, says),
            LiveFact::Counted { passed_full, store_errors } => {
                self.counts.passed_full = passed_full;
                self.counts.store_errors = store_errors;
            }
            LiveFact::Paused { paused } => self.paused = paused,
            LiveFact::Breakpoints { breakpoints } => self.server_breakpoints = breakpoints,
            LiveFact::StoreTrouble { errors, says } => {
                self.counts.store_errors = errors;
                self.say(format!("events are not stored: {says}"));
                self.store_trouble = Some(says);
            }
            LiveFact::StoreWell { errors } => {
                self.counts.store_errors = errors;
                self.store_trouble = None;
            }
            LiveFact::Missed { count } => self.counts.missed += count,
            LiveFact::Payload { id, payload } => {
                let payload = payload.map_or(PendingPayload::Gone, |text| PendingPayload::Available(text.into()));
                if let Some(held) = self.pending.iter_mut().find(|held| held.fact.arrived.id == id) {
                    held.payload = payload;
                }
            }
            LiveFact::Refused { id, says } => {
                let meant = |held: &&mut PendingEventView| id.as_ref().is_none_or(|id| *id == held.fact.arrived.id);
                self.pending.iter_mut().filter(meant).for_each(|held| held.deciding = false);
                self.say(says);
            }
            LiveFact::Ended => {
                let was = self.disconnect();
                if let LiveConnection::Attached { pid, .. } = was {
                    self.say(format!("the server, process {pid}, has ended"));
                }
            }
        }
        Vec::new()
    }

    /// Resets the connection and returns the previous one.
    fn disconnect(&mut self) -> LiveConnection {
        self.pending.clear();
        self.server_breakpoints.clear();
        (self.paused, self.has_token, self.store_trouble) = (false, false, None);
        std::mem::take(&mut self.connection)
    }

    fn connect(&mut self, reach: LiveConnection) {
        self.connection = reach;
        self.counts = LiveCounts::default();
        self.recent.clear();
    }

    fn add_event(&mut self, arrived: ArrivedFact) {
        if self.event(&arrived.id).is_some() {
            return;
        }
        self.recent.push_back(LiveEvent { arrived, state: LiveEventState::Waiting });
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    fn set_state(&mut self, id: &str, became: LiveEventState) {
        if let Some(event) = self.recent.iter_mut().rev().find(|event| event.arrived.id == id) {
            event.state = became;
        }
    }

    fn add_pending(&mut self, fact: PendingEventFact) -> Vec<LiveJob> {
        let id = fact.arrived.id.clone();
        if self.pending_event(&id).is_some() {
            return Vec::new();
        }
        self.counts.held += 1;
        // A process that attaches late receives `Held` for events whose arrival it missed.
        self.add_event(fact.arrived.clone());
        self.set_state(&id, LiveEventState::Held);
        let at = self.pending.partition_point(|held| held.fact.arrived.seq < fact.arrived.seq);
        self.pending.insert(at, PendingEventView { fact, payload: PendingPayload::Requested, deciding: false });
        vec![LiveJob::Send(LiveCommand::Payload { id })]
    }

    /// Adds advice, and replaces earlier advice about the same session.
    fn add_advice(&mut self, id: &str, says: String) {
        let about = self.event(id).map(|event| event.arrived.clone());
        if let Some(about) = &about {
            let other = |advice: &LiveAdvice| advice.about.as_ref().is_none_or(|a| a.session != about.session);
            self.advice.retain(other);
        }
        if self.advice.len() == ADVICE {
            self.advice.remove(0);
        }
        self.advice.push(LiveAdvice { about, message: says });
    }

    fn remove_pending(&mut self, id: &str) -> Option<PendingEventView> {
        let at = self.pending.iter().position(|held| held.fact.arrived.id == id)?;
        Some(self.pending.remove(at))
    }

    fn answered(&mut self, answered: AnsweredFact) {
        self.counts.answered += 1;
        if let Some(held) = self.remove_pending(&answered.id) {
            let (what, decision) = (describe(&held), &answered.decision);
            self.say(match answered.source.as_str() {
                "user" => format!("answered {decision}: {what}"),
                "timeout" => format!("timed out; answered {decision}: {what}"),
                source => format!("answered {decision} ({source}): {what}"),
            });
        }
        let id = answered.id.clone();
        self.set_state(&id, LiveEventState::Answered(answered));
    }
}

/// A short description of an event.
fn describe(held: &PendingEventView) -> String {
    let ArrivedFact { event, what, .. } = &held.fact.arrived;
    what.as_ref().map_or_else(|| event.clone(), |what| format!("{event}  {what}"))
}
