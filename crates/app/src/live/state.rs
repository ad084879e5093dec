//! The state of the live path in a session: the connection, pending events and recent events. It changes by facts
//! and requests, and has no clock.

use std::collections::VecDeque;

use super::known::{Became, HeldEvent, HeldPayload, LiveAdvice, LiveCounts, LiveEvent, Reach};
use super::{AnsweredFact, ArrivedFact, HeldFact, LiveCommand, LiveFact, LiveJob, LiveWish};
use hookbench_core::live::desk::{Breakpoint, DeskSettings};

/// The number of recent events to keep; the store has them all.
const RECENT: usize = 500;
/// The number of sessions whose advice is kept.
const ADVICE: usize = 20;

/// The state of the live path.
#[derive(Debug, Default)]
pub struct LivePath {
    pub reach: Reach,
    /// In order of arrival.
    pub held: Vec<HeldEvent>,
    /// The newest is last.
    pub recent: VecDeque<LiveEvent>,
    pub counts: LiveCounts,
    pub paused: bool,
    /// The user's settings.
    pub settings: DeskSettings,
    /// The breakpoints of this session, beginning with those of the settings.
    pub breakpoints: Vec<Breakpoint>,
    /// The active breakpoints of the connected server: name, and whether it is enabled.
    pub theirs: Vec<(String, bool)>,
    /// The reason why events cannot be stored at present.
    pub trouble: Option<String>,
    /// Messages of handlers, one for each session, the newest last. Each stays until the user dismisses it.
    pub advice: Vec<LiveAdvice>,
    /// Whether the user has entered a token for the other process.
    pub token: bool,
    /// Messages for the user.
    pub says: Vec<String>,
}

impl LivePath {
    /// Returns whether agents reach this process, or one to which it is attached.
    pub fn on(&self) -> bool {
        matches!(self.reach, Reach::Serving { .. } | Reach::Attached { .. })
    }

    /// A pending event.
    pub fn held(&self, id: &str) -> Option<&HeldEvent> {
        self.held.iter().find(|held| held.fact.arrived.id == id)
    }

    /// A recent event.
    pub fn event(&self, id: &str) -> Option<&LiveEvent> {
        self.recent.iter().rev().find(|event| event.arrived.id == id)
    }

    /// The reason why this process cannot decide, if it cannot.
    pub fn why_not_decide(&self) -> Option<String> {
        match &self.reach {
            Reach::Attached { pid, .. } if !self.token => Some(format!("process {pid} serves, and decides")),
            _ => None,
        }
    }

    /// Applies a user's request.
    pub fn apply(&mut self, wish: LiveWish) -> Vec<LiveJob> {
        let tell = |command| vec![LiveJob::Tell(command)];
        match wish {
            LiveWish::Start if self.on() || self.reach == Reach::Starting => Vec::new(),
            LiveWish::Start => {
                self.reach = Reach::Starting;
                let desk = DeskSettings { breakpoints: self.breakpoints.clone(), ..self.settings.clone() };
                vec![LiveJob::Start { desk }]
            }
            LiveWish::Stop if self.on() => {
                if matches!(self.reach, Reach::Attached { .. }) {
                    // The other process continues, so there is nothing to wait for.
                    self.left();
                }
                tell(LiveCommand::Shutdown)
            }
            LiveWish::Stop => {
                self.reach = Reach::Off;
                Vec::new()
            }
            LiveWish::Decide { id, decision } => {
                if let Some(says) = self.why_not_decide() {
                    self.says.push(says);
                    return Vec::new();
                }
                match self.held.iter_mut().find(|held| held.fact.arrived.id == id) {
                    Some(held) if !held.deciding => {
                        held.deciding = true;
                        tell(LiveCommand::Decide { id, decision })
                    }
                    Some(_) => Vec::new(),
                    None => {
                        self.says.push("this event is not held any more".to_owned());
                        Vec::new()
                    }
                }
            }
            LiveWish::ReleaseAll if self.held.is_empty() => {
                self.says.push("nothing is held".to_owned());
                Vec::new()
            }
            LiveWish::ReleaseAll => self.where_decided(LiveCommand::ReleaseAll),
            LiveWish::Pause(paused) if matches!(self.reach, Reach::Serving { .. }) => tell(LiveCommand::Pause(paused)),
            LiveWish::Pause(_) if self.on() => {
                self.says.push("what is held is for the process that serves to say".to_owned());
                Vec::new()
            }
            LiveWish::Pause(_) => {
                self.says.push("agents reach nobody, so nothing is held".to_owned());
                Vec::new()
            }
            LiveWish::Bearer(bearer) => {
                self.token = true;
                tell(LiveCommand::Bearer(bearer))
            }
            LiveWish::Add(_) | LiveWish::Toggle(_) | LiveWish::Remove(_) => self.change_breakpoints(wish),
            LiveWish::PutAway => {
                self.advice.pop();
                Vec::new()
            }
            LiveWish::ToBench(_) => Vec::new(),
        }
    }

    fn where_decided(&mut self, command: LiveCommand) -> Vec<LiveJob> {
        match self.why_not_decide() {
            None => vec![LiveJob::Tell(command)],
            Some(says) => {
                self.says.push(says);
                Vec::new()
            }
        }
    }

    fn change_breakpoints(&mut self, wish: LiveWish) -> Vec<LiveJob> {
        if let Reach::Attached { pid, .. } = self.reach {
            self.says.push(format!("breakpoints are those of process {pid}, which serves"));
            return Vec::new();
        }
        match wish {
            LiveWish::Add(point) => self.breakpoints.push(point),
            LiveWish::Toggle(at) => {
                let Some(point) = self.breakpoints.get_mut(at) else { return Vec::new() };
                point.enabled = !point.enabled;
            }
            LiveWish::Remove(at) if at < self.breakpoints.len() => drop(self.breakpoints.remove(at)),
            _ => return Vec::new(),
        }
        match self.reach {
            Reach::Serving { .. } => vec![LiveJob::Tell(LiveCommand::SetBreakpoints(self.breakpoints.clone()))],
            _ => Vec::new(),
        }
    }

    /// Applies a fact.
    pub fn absorb(&mut self, fact: LiveFact) -> Vec<LiveJob> {
        match fact {
            LiveFact::Serving { socket, pid } => self.reached(Reach::Serving { socket, pid }),
            LiveFact::Attached { socket, pid } => self.reached(Reach::Attached { socket, pid }),
            LiveFact::NotServing { says } => {
                self.says.push(says.clone());
                self.reach = Reach::Refused { says };
            }
            LiveFact::Arrived(arrived) => {
                self.counts.arrived += 1;
                self.came(arrived);
            }
            LiveFact::Held(fact) => return self.hold(fact),
            LiveFact::Answered(answered) => self.answered(answered),
            LiveFact::Abandoned { id } => {
                self.counts.abandoned += 1;
                if let Some(held) = self.let_go(&id) {
                    self.says.push(format!("{} was not waited for any more: the agent has gone away", words(&held)));
                }
                self.became(&id, Became::Abandoned);
            }
            LiveFact::Advice { id, says, .. } => self.advise(&id, says),
            LiveFact::Counted { passed_full, store_errors } => {
                self.counts.passed_full = passed_full;
                self.counts.store_errors = store_errors;
            }
            LiveFact::Paused { paused } => self.paused = paused,
            LiveFact::Breakpoints { breakpoints } => self.theirs = breakpoints,
            LiveFact::StoreTrouble { errors, says } => {
                self.counts.store_errors = errors;
                self.says.push(format!("events are not kept: {says}"));
                self.trouble = Some(says);
            }
            LiveFact::StoreWell { errors } => {
                self.counts.store_errors = errors;
                self.trouble = None;
            }
            LiveFact::Missed { count } => self.counts.missed += count,
            LiveFact::Payload { id, payload } => {
                let payload = payload.map_or(HeldPayload::Gone, |text| HeldPayload::Here(text.into()));
                if let Some(held) = self.held.iter_mut().find(|held| held.fact.arrived.id == id) {
                    held.payload = payload;
                }
            }
            LiveFact::Refused { id, says } => {
                let meant = |held: &&mut HeldEvent| id.as_ref().is_none_or(|id| *id == held.fact.arrived.id);
                self.held.iter_mut().filter(meant).for_each(|held| held.deciding = false);
                self.says.push(says);
            }
            LiveFact::Ended => {
                let was = self.left();
                if let Reach::Attached { pid, .. } = was {
                    self.says.push(format!("process {pid}, which served, has ended"));
                }
            }
        }
        Vec::new()
    }

    /// Resets the connection and returns the previous one.
    fn left(&mut self) -> Reach {
        self.held.clear();
        self.theirs.clear();
        (self.paused, self.token, self.trouble) = (false, false, None);
        std::mem::take(&mut self.reach)
    }

    fn reached(&mut self, reach: Reach) {
        self.reach = reach;
        self.counts = LiveCounts::default();
        self.recent.clear();
    }

    fn came(&mut self, arrived: ArrivedFact) {
        if self.event(&arrived.id).is_some() {
            return;
        }
        self.recent.push_back(LiveEvent { arrived, became: Became::Waiting });
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    fn became(&mut self, id: &str, became: Became) {
        if let Some(event) = self.recent.iter_mut().rev().find(|event| event.arrived.id == id) {
            event.became = became;
        }
    }

    fn hold(&mut self, fact: HeldFact) -> Vec<LiveJob> {
        let id = fact.arrived.id.clone();
        if self.held(&id).is_some() {
            return Vec::new();
        }
        self.counts.held += 1;
        // A process that attaches late receives `Held` for events whose arrival it missed.
        self.came(fact.arrived.clone());
        self.became(&id, Became::Held);
        let at = self.held.partition_point(|held| held.fact.arrived.seq < fact.arrived.seq);
        self.held.insert(at, HeldEvent { fact, payload: HeldPayload::Asked, deciding: false });
        vec![LiveJob::Tell(LiveCommand::Payload { id })]
    }

    /// Adds advice, and replaces earlier advice about the same session.
    fn advise(&mut self, id: &str, says: String) {
        let about = self.event(id).map(|event| event.arrived.clone());
        if let Some(about) = &about {
            let other = |advice: &LiveAdvice| advice.about.as_ref().is_none_or(|a| a.session != about.session);
            self.advice.retain(other);
        }
        if self.advice.len() == ADVICE {
            self.advice.remove(0);
        }
        self.advice.push(LiveAdvice { about, says });
    }

    fn let_go(&mut self, id: &str) -> Option<HeldEvent> {
        let at = self.held.iter().position(|held| held.fact.arrived.id == id)?;
        Some(self.held.remove(at))
    }

    fn answered(&mut self, answered: AnsweredFact) {
        self.counts.answered += 1;
        if let Some(held) = self.let_go(&answered.id) {
            let (what, decision) = (words(&held), &answered.decision);
            self.says.push(match answered.source.as_str() {
                "user" => format!("answered {decision}: {what}"),
                "timeout" => format!("nobody decided in time; answered {decision}: {what}"),
                source => format!("answered {decision} ({source}): {what}"),
            });
        }
        let id = answered.id.clone();
        self.became(&id, Became::Answered(answered));
    }
}

/// A short description of an event.
fn words(held: &HeldEvent) -> String {
    let ArrivedFact { event, what, .. } = &held.fact.arrived;
    what.as_ref().map_or_else(|| event.clone(), |what| format!("{event}  {what}"))
}
