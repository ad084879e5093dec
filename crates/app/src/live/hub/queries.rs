//! Answers queries over the socket, and accepts decisions from there.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::facts::{
    ErrorDoc, HealthDoc, HeldDoc, HeldOneDoc, LiveSessionDoc, LiveSessionsDoc, ObservationDoc, ObservationsDoc, as_json,
};
use super::run::Hub;
use super::token::TokenCheck;
use crate::live::{LiveFact, PendingEventFact};
use crate::recordings::store::now_ms;
use hookbench_core::filter::Filter;
use hookbench_core::live::intercept::{DecisionError, UserDecision};
use hookbench_core::live::{LiveAnswer, RequestRefusal, SUPPORTED};
use hookbench_core::recorded::format_time;
use hookbench_core::text::escape_json_for_terminal;
use hookbench_system::owner_only::user_id;
use hookbench_system::server::{ReplyChannel, ServerQuery, ServerReply, StreamStart};
use hookbench_system::store::{OpenMode, Store, StoreError};

/// The delay of the response to a wrong token.
const WRONG_TOKEN: Duration = Duration::from_millis(500);

impl Hub {
    /// Answers a query. Data in the store is read outside the hub.
    pub fn answer_query(&self, question: ServerQuery, line: ReplyChannel) {
        match question {
            ServerQuery::Health => line.send(json(200, &self.health_doc())),
            ServerQuery::Pending(None) => line.send(json(200, &HeldDoc { held: self.pending_facts() })),
            ServerQuery::Pending(Some(id)) => line.send(match self.pending_doc(&id) {
                Some(held) => json(200, &held),
                None => refusal_reply(&RequestRefusal::NoSuchPath),
            }),
            ServerQuery::Events(since) => {
                let given = if since == StreamStart::Now { self.initial_facts() } else { Vec::new() };
                line.send(ServerReply::Stream(self.facts.stream(since, &given)));
            }
            ServerQuery::Sessions => self.read(line, |store| {
                let rows = store.sessions(&Filter::everything(), now_ms())?;
                let sessions = rows.into_iter().map(LiveSessionDoc::of).collect();
                Ok(json(200, &LiveSessionsDoc { sessions }))
            }),
            ServerQuery::Observation(id) => self.read(line, move |store| {
                let found = store.captured_event(&id)?;
                Ok(found.map_or_else(
                    || refusal_reply(&RequestRefusal::NoSuchPath),
                    |found| json(200, &ObservationDoc::of(found)),
                ))
            }),
            ServerQuery::Observations { since, session, event, limit } => self.read(line, move |store| {
                let since = since.unwrap_or(0);
                let found = store.captured_events(since, session.as_deref(), event.as_deref(), limit)?;
                let next = found.last().map_or(since, |last| last.seq);
                let observations = found.into_iter().map(ObservationDoc::of).collect();
                Ok(json(200, &ObservationsDoc { observations, next }))
            }),
        }
    }

    /// Reads the store on its own thread.
    fn read(&self, line: ReplyChannel, read: impl FnOnce(&Store) -> Result<ServerReply, StoreError> + Send + 'static) {
        let file: PathBuf = self.store.clone();
        tokio::task::spawn_blocking(move || {
            let reply = Store::open(&file, OpenMode::Read).and_then(|store| read(&store));
            line.send(reply.unwrap_or_else(|fault| error(500, "store", &fault.to_string())));
        });
    }

    fn health_doc(&self) -> HealthDoc {
        let counters = self.desk.counters();
        HealthDoc {
            name: "hookbench",
            version: env!("CARGO_PKG_VERSION"),
            pid: std::process::id(),
            uid: user_id(),
            started_at: format_time(self.began_at),
            schema_versions: SUPPORTED.collect(),
            mode: self.mode,
            held: self.desk.held().count(),
            events: counters.arrived,
            store_errors: self.writer.queue.errors(),
            passed_full: counters.passed_full,
            abandoned: counters.abandoned,
            paused: self.desk.is_paused(),
        }
    }

    fn pending_facts(&self) -> Vec<PendingEventFact> {
        self.desk.held().filter_map(|held| self.pending_fact(held)).collect()
    }

    fn pending_doc(&self, id: &str) -> Option<HeldOneDoc> {
        let seq = self.by_id.get(id)?;
        let held = self.desk.held().find(|held| held.arrival.seq == *seq)?;
        Some(HeldOneDoc { held: self.pending_fact(held)?, payload: as_json(held.arrival.payload.as_bytes()) })
    }

    /// The facts that a late listener needs first.
    fn initial_facts(&self) -> Vec<LiveFact> {
        let mut facts = vec![super::serving_fact(&self.claim), LiveFact::Paused { paused: self.desk.is_paused() }];
        facts.extend([self.breakpoints_fact(), self.counters_fact()]);
        if let Some(says) = self.store_trouble.clone() {
            facts.push(LiveFact::StoreTrouble { errors: self.writer.queue.errors(), says });
        }
        facts.extend(self.pending_facts().into_iter().map(LiveFact::Held));
        facts
    }

    /// Sends a payload to the frontend: of a pending event, a recently answered one, or one in the store.
    pub fn payload(&self, id: String) {
        let open = self.by_id.get(&id).and_then(|seq| self.unanswered.get(seq)).map(|open| &open.hook);
        let recent = || self.recent.iter().rev().find(|(other, _)| *other == id).map(|(_, hook)| hook);
        if let Some(hook) = open.or_else(recent) {
            let payload = Some(hook.payload.as_ref().to_owned());
            return self.facts.send_private(LiveFact::Payload { id, payload });
        }
        let (file, whisper) = (self.store.clone(), self.facts.private_sender());
        tokio::task::spawn_blocking(move || {
            let found = Store::open(&file, OpenMode::Read).and_then(|store| store.captured_event(&id));
            let bytes = found.ok().flatten().and_then(|found| found.payload);
            let payload = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let _ = whisper.send(LiveFact::Payload { id, payload });
        });
    }

    /// Handles a decision that arrives over the socket.
    pub fn decide_remotely(&mut self, id: &str, body: &[u8], said: Option<&str>, line: ReplyChannel) {
        let admitted = self.token.as_mut().map_or(TokenCheck::Off, |token| token.check(said));
        match admitted {
            TokenCheck::Yes => {}
            TokenCheck::No => {
                tokio::spawn(async move {
                    tokio::time::sleep(WRONG_TOKEN).await;
                    line.send(error(401, "unauthorized", "the token is wrong"));
                });
                return;
            }
            TokenCheck::Off => {
                let says = "remote decisions are off: start hookbench serve with --remote-decide";
                return line.send(error(403, "forbidden", says));
            }
        }
        let Some(seq) = self.by_id.get(id).copied() else {
            return line.send(refusal_reply(&RequestRefusal::NoSuchPath));
        };
        let answer = match LiveAnswer::parse(body) {
            Ok(answer) => answer,
            Err(why) => return line.send(error(400, "bad_answer", &why.0)),
        };
        match self.desk.decide(self.now(), seq, UserDecision { decision: answer.decision }) {
            Ok(steps) => {
                self.steps(steps);
                line.send(ServerReply::json(200, "{}".to_owned()));
            }
            Err(why @ DecisionError::NotHeld(_)) => line.send(error(409, "not_held", &why.to_string())),
            Err(why) => line.send(error(400, "bad_answer", &why.to_string())),
        }
    }
}

fn json(status: u16, document: &impl Serialize) -> ServerReply {
    ServerReply::json(
        status,
        escape_json_for_terminal(&serde_json::to_string(document).unwrap_or_default()).into_owned(),
    )
}

fn refusal_reply(refusal: &RequestRefusal) -> ServerReply {
    ServerReply::json(refusal.status(), refusal.body())
}

fn error(status: u16, code: &str, message: &str) -> ServerReply {
    json(status, &ErrorDoc { error: code, message })
}
