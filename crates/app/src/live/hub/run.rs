//! The main loop of the hub, and its shutdown.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinHandle;

use super::facts::FactBroadcast;
use super::token::Token;
use super::{TRIGGERS, serving_fact};
use crate::live::stored_event::Ticket;
use crate::live::writer::{StoreHealth, Writer};
use crate::live::{LiveCommand, LiveFact};
use crate::recordings::store::now_ms;
use hookbench_core::live::handlers::{HandlerResult, HandoffTrigger};
use hookbench_core::live::intercept::{Interceptor, UserDecision};
use hookbench_system::server::{HookRequest, ReplyChannel, RequestKind, ServerClaim, ServerRequest};

/// The time for which requests that are already being read are still accepted at shutdown.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// The time that the writer has to store the remaining records.
const FLUSH: Duration = Duration::from_secs(2);
/// The number of handlers that may work at the same time.
const HANDLERS: usize = 4;

/// The inputs of the hub, and the handles to stop the server.
pub struct HubInputs {
    pub requests: mpsc::Receiver<ServerRequest>,
    pub commands: mpsc::UnboundedReceiver<LiveCommand>,
    pub health: mpsc::UnboundedReceiver<StoreHealth>,
    pub server: JoinHandle<()>,
    pub end: watch::Sender<bool>,
}

/// The hub; see the module documentation.
pub struct Hub {
    pub desk: Interceptor,
    pub facts: FactBroadcast,
    pub writer: Writer,
    pub store: PathBuf,
    pub claim: ServerClaim,
    pub token: Option<Token>,
    pub mode: &'static str,
    began: Instant,
    /// In milliseconds since 1970.
    pub began_at: i64,
    /// The unanswered events, by number.
    pub unanswered: HashMap<u64, UnansweredEvent>,
    pub by_id: HashMap<String, u64>,
    pub by_connection: HashMap<u64, u64>,
    /// The latest answered events with their payloads, which may not be in the store yet.
    pub recent: VecDeque<(String, Arc<HookRequest>)>,
    pub recent_bytes: usize,
    pub handled: mpsc::UnboundedSender<(u64, HandlerResult)>,
    handling: Option<mpsc::UnboundedReceiver<(u64, HandlerResult)>>,
    pub handlers: Arc<Semaphore>,
    /// The numbers of held events whose processes know the announced answer.
    pub announced: mpsc::UnboundedSender<u64>,
    announcing: Option<mpsc::UnboundedReceiver<u64>>,
    /// The last reported counters: events that passed for lack of room, and store errors.
    reported_counts: (u64, u64),
    /// The reason why events cannot be stored at present.
    pub store_trouble: Option<String>,
}

/// The events that were answered as waiting and are not stored at the end.
#[derive(Debug, Default)]
pub struct UnstoredEvents {
    pub events: u64,
    /// The number of those that are not in the spool.
    pub lost: u64,
    pub why: Option<String>,
}

impl UnstoredEvents {
    /// A message for the user. `None` if every event is stored.
    pub fn message(&self) -> Option<String> {
        let (are, s) = if self.events == 1 { ("is", "") } else { ("are", "s") };
        let why = self.why.as_deref().unwrap_or("the time limit was reached");
        let left = self.events - self.lost;
        let later = if left > 0 { format!("; the next server stores {left} of them") } else { String::new() };
        (self.events > 0).then(|| format!("{} forwarded event{s} {are} not stored: {why}{later}", self.events))
    }
}

/// An event that is not answered yet.
pub struct UnansweredEvent {
    pub id: String,
    pub hook: Arc<HookRequest>,
    pub line: ReplyChannel,
    pub ticket: Ticket,
    /// Whether its record was sent to the writer without an answer.
    pub recorded: bool,
}

impl Hub {
    #[allow(clippy::too_many_arguments, reason = "it is made in one place, of what that place has made")]
    pub fn new(
        desk: Interceptor,
        facts: FactBroadcast,
        writer: Writer,
        store: PathBuf,
        claim: ServerClaim,
        token: Option<Token>,
        mode: &'static str,
        began: Instant,
        began_at: i64,
    ) -> Hub {
        let (handled, handling) = mpsc::unbounded_channel();
        let (announced, announcing) = mpsc::unbounded_channel();
        Hub {
            desk,
            facts,
            writer,
            store,
            claim,
            token,
            mode,
            began,
            began_at,
            unanswered: HashMap::new(),
            by_id: HashMap::new(),
            by_connection: HashMap::new(),
            recent: VecDeque::new(),
            recent_bytes: 0,
            handled,
            handling: Some(handling),
            handlers: Arc::new(Semaphore::new(HANDLERS)),
            announced,
            announcing: Some(announcing),
            reported_counts: (0, 0),
            store_trouble: None,
        }
    }

    /// The time in milliseconds since the hub began, from a monotonic clock.
    pub fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Converts a time of that clock to milliseconds since 1970.
    pub fn wall(&self, at: u64) -> i64 {
        let (now, wall) = (self.now(), now_ms());
        let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        wall.saturating_add(signed(at)).saturating_sub(signed(now))
    }

    /// Runs until it is told to end. Returns the events that could not be stored.
    pub async fn run(mut self, mut ways: HubInputs) -> UnstoredEvents {
        self.facts.publish(serving_fact(&self.claim));
        let (Some(mut handling), Some(mut announcing)) = (self.handling.take(), self.announcing.take()) else {
            return UnstoredEvents::default();
        };
        loop {
            let wake = self.desk.next_deadline().map(|at| self.began + Duration::from_millis(at));
            tokio::select! {
                Some(request) = ways.requests.recv() => self.request(request),
                command = ways.commands.recv() => match command {
                    Some(LiveCommand::Shutdown) | None => break,
                    Some(command) => self.command(command),
                },
                Some(health) = ways.health.recv() => self.health(health),
                Some((seq, done)) = handling.recv() => self.handled(seq, done),
                Some(seq) = announcing.recv() => self.publish_held(seq),
                () = sleep_until(wake), if wake.is_some() => {
                    let steps = self.desk.tick(self.now());
                    self.steps(steps);
                }
            }
            let counted = (self.desk.counters().passed_full, self.writer.queue.errors());
            if counted != self.reported_counts {
                self.reported_counts = counted;
                self.facts.publish(self.counters_fact());
            }
        }
        self.finish(ways).await
    }

    /// Answers all pending events, stores the remaining records and releases the socket.
    async fn finish(mut self, mut ways: HubInputs) -> UnstoredEvents {
        let _ = ways.end.send(true);
        let steps = self.desk.shutdown(self.now());
        self.steps(steps);
        let until = Instant::now() + LAST_WORDS;
        let mut server = ways.server;
        loop {
            tokio::select! {
                // Requests that were being read at shutdown.
                Some(request) = ways.requests.recv() => self.request(request),
                _ = &mut server => break,
                () = sleep_until(Some(until)) => {
                    server.abort();
                    break;
                }
            }
        }
        let Hub { mut facts, writer, claim, store_trouble: mut trouble, .. } = self;
        let (events, lost) = writer.finish(FLUSH).await;
        while let Ok(health) = ways.health.try_recv() {
            if let StoreHealth::Trouble(says) = health {
                trouble = Some(says);
            }
        }
        drop(claim);
        facts.publish(LiveFact::Ended);
        UnstoredEvents { events, lost: lost.min(events), why: trouble }
    }

    fn request(&mut self, ServerRequest { kind: asked, channel: line }: ServerRequest) {
        match asked {
            RequestKind::Hook(hook) => self.arrive(*hook, line),
            RequestKind::HungUp => {
                if let Some(seq) = self.by_connection.get(&line.connection).copied() {
                    let steps = self.desk.client_disconnected(self.now(), seq);
                    self.steps(steps);
                    // A request whose client has left is removed as well.
                    self.close(seq);
                }
            }
            RequestKind::Query(question) => self.answer_query(question, line),
            RequestKind::Decide { id, body, token } => self.decide_remotely(&id, &body, token.as_deref(), line),
        }
    }

    fn command(&mut self, command: LiveCommand) {
        match command {
            LiveCommand::Decide { id, decision } => {
                let Some(seq) = self.by_id.get(&id).copied() else {
                    let says = "this request is no longer held".to_owned();
                    return self.facts.send_private(LiveFact::Refused { id: Some(id), says });
                };
                match self.desk.decide(self.now(), seq, UserDecision { decision }) {
                    Ok(steps) => self.steps(steps),
                    Err(why) => self.facts.send_private(LiveFact::Refused { id: Some(id), says: why.to_string() }),
                }
            }
            LiveCommand::ReleaseAll => {
                let steps = self.desk.release_all(self.now());
                self.steps(steps);
            }
            LiveCommand::Pause(paused) => {
                self.desk.pause(paused);
                self.facts.publish(LiveFact::Paused { paused });
            }
            LiveCommand::SetBreakpoints(breakpoints) => {
                self.desk.set_breakpoints(breakpoints);
                let fact = self.breakpoints_fact();
                self.facts.publish(fact);
            }
            LiveCommand::Payload { id } => self.payload(id),
            // Only needed to decide at another process's server.
            LiveCommand::Bearer(_) | LiveCommand::Shutdown => {}
        }
    }

    fn health(&mut self, health: StoreHealth) {
        if let StoreHealth::Note(says) = health {
            let (id, handler) = (String::new(), "store".to_owned());
            return self.facts.publish(LiveFact::Advice { id, handler, says });
        }
        let errors = self.writer.queue.errors();
        self.reported_counts.1 = errors;
        self.store_trouble = if let StoreHealth::Trouble(says) = &health { Some(says.clone()) } else { None };
        self.facts.publish(match health {
            StoreHealth::Trouble(says) => LiveFact::StoreTrouble { errors, says },
            StoreHealth::Well | StoreHealth::Note(_) => LiveFact::StoreWell { errors },
        });
    }

    fn handled(&mut self, seq: u64, done: HandlerResult) {
        let steps = self.desk.work_done(self.now(), now_ms(), seq, done);
        self.steps(steps);
    }

    /// The counters, as a fact.
    pub fn counters_fact(&self) -> LiveFact {
        let (passed_full, store_errors) = self.reported_counts;
        LiveFact::Counted { passed_full, store_errors }
    }

    /// The breakpoints, as a fact.
    pub fn breakpoints_fact(&self) -> LiveFact {
        let all = self.desk.breakpoints().iter();
        LiveFact::Breakpoints { breakpoints: all.map(|one| (one.name.clone(), one.enabled)).collect() }
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// The trigger's name in the store.
pub fn trigger_word(trigger: HandoffTrigger) -> &'static str {
    TRIGGERS.into_iter().find(|(other, _)| *other == trigger).map_or("", |(_, word)| word)
}
