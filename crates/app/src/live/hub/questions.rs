//! Answers queries over the socket, and accepts decisions from there.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::documents::{
    ErrorDoc, HealthDoc, HeldDoc, HeldOneDoc, ObservationDoc, ObservationsDoc, SessionDoc, SessionsDoc, as_json,
};
use super::run::Hub;
use super::token::Admitted;
use crate::live::{HeldFact, LiveFact};
use crate::recordings::now_ms;
use hookbench_core::filter::Filter;
use hookbench_core::live::desk::{Choice, WhyNot};
use hookbench_core::live::{Answer, Refusal, SUPPORTED};
use hookbench_core::recorded::time_text;
use hookbench_core::text::harmless_json;
use hookbench_system::server::{Line, Question, Reply, Since};
use hookbench_system::store::{Mode, Store, StoreFault};

/// The delay of the response to a wrong token.
const WRONG_TOKEN: Duration = Duration::from_millis(500);

impl Hub {
    /// Answers a query. Data in the store is read outside the hub.
    pub fn question(&self, question: Question, line: Line) {
        match question {
            Question::Health => line.say(json(200, &self.health_doc())),
            Question::Held(None) => line.say(json(200, &HeldDoc { held: self.all_held() })),
            Question::Held(Some(id)) => line.say(match self.held_one(&id) {
                Some(held) => json(200, &held),
                None => refused(&Refusal::NoSuchPath),
            }),
            Question::Events(since) => {
                let given = if since == Since::Now { self.as_it_stands() } else { Vec::new() };
                line.say(Reply::Stream(self.facts.stream(since, &given)));
            }
            Question::Sessions => self.read(line, |store| {
                let rows = store.sessions(&Filter::everything(), now_ms())?;
                let sessions = rows.into_iter().map(SessionDoc::of).collect();
                Ok(json(200, &SessionsDoc { sessions }))
            }),
            Question::Observation(id) => self.read(line, move |store| {
                let found = store.captured_one(&id)?;
                Ok(found.map_or_else(|| refused(&Refusal::NoSuchPath), |found| json(200, &ObservationDoc::of(found))))
            }),
            Question::Observations { since, session, event, limit } => self.read(line, move |store| {
                let since = since.unwrap_or(0);
                let found = store.captured(since, session.as_deref(), event.as_deref(), limit)?;
                let next = found.last().map_or(since, |last| last.seq);
                let observations = found.into_iter().map(ObservationDoc::of).collect();
                Ok(json(200, &ObservationsDoc { observations, next }))
            }),
        }
    }

    /// Reads the store on its own thread.
    fn read(&self, line: Line, read: impl FnOnce(&Store) -> Result<Reply, StoreFault> + Send + 'static) {
        let file: PathBuf = self.store.clone();
        tokio::task::spawn_blocking(move || {
            let reply = Store::open(&file, Mode::Read).and_then(|store| read(&store));
            line.say(reply.unwrap_or_else(|fault| error(500, "store", &fault.to_string())));
        });
    }

    fn health_doc(&self) -> HealthDoc {
        let counters = self.desk.counters();
        HealthDoc {
            name: "hookbench",
            version: env!("CARGO_PKG_VERSION"),
            pid: std::process::id(),
            uid: rustix::process::geteuid().as_raw(),
            started_at: time_text(self.began_at),
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

    fn all_held(&self) -> Vec<HeldFact> {
        self.desk.held().filter_map(|held| self.held(held)).collect()
    }

    fn held_one(&self, id: &str) -> Option<HeldOneDoc> {
        let seq = self.by_id.get(id)?;
        let held = self.desk.held().find(|held| held.arrival.seq == *seq)?;
        Some(HeldOneDoc { held: self.held(held)?, payload: as_json(held.arrival.payload.as_bytes()) })
    }

    /// The facts that a late listener needs first.
    fn as_it_stands(&self) -> Vec<LiveFact> {
        let mut facts = vec![super::serving(&self.claim), LiveFact::Paused { paused: self.desk.is_paused() }];
        facts.extend([self.breakpoints(), self.counted()]);
        if let Some(says) = self.trouble.clone() {
            facts.push(LiveFact::StoreTrouble { errors: self.writer.queue.errors(), says });
        }
        facts.extend(self.all_held().into_iter().map(LiveFact::Held));
        facts
    }

    /// Sends a payload to the frontend: of a pending event, a recently answered one, or one in the store.
    pub fn payload(&self, id: String) {
        let open = self.by_id.get(&id).and_then(|seq| self.open.get(seq)).map(|open| &open.hook);
        let recent = || self.recent.iter().rev().find(|(other, _)| *other == id).map(|(_, hook)| hook);
        if let Some(hook) = open.or_else(recent) {
            let payload = Some(hook.payload.as_ref().to_owned());
            return self.facts.whisper(LiveFact::Payload { id, payload });
        }
        let (file, whisper) = (self.store.clone(), self.facts.whisperer());
        tokio::task::spawn_blocking(move || {
            let found = Store::open(&file, Mode::Read).and_then(|store| store.captured_one(&id));
            let bytes = found.ok().flatten().and_then(|found| found.payload);
            let payload = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let _ = whisper.send(LiveFact::Payload { id, payload });
        });
    }

    /// Handles a decision that arrives over the socket.
    pub fn decide_remotely(&mut self, id: &str, body: &[u8], said: Option<&str>, line: Line) {
        let admitted = self.token.as_mut().map_or(Admitted::Off, |token| token.admits(said));
        match admitted {
            Admitted::Yes => {}
            Admitted::No => {
                tokio::spawn(async move {
                    tokio::time::sleep(WRONG_TOKEN).await;
                    line.say(error(401, "unauthorized", "this is not the token that was shown"));
                });
                return;
            }
            Admitted::Off => {
                let says = "deciding over the socket is off: start hookbench serve with --remote-decide";
                return line.say(error(403, "forbidden", says));
            }
        }
        let Some(seq) = self.by_id.get(id).copied() else { return line.say(refused(&Refusal::NoSuchPath)) };
        let answer = match Answer::parse(body) {
            Ok(answer) => answer,
            Err(why) => return line.say(error(400, "bad_answer", &why.0)),
        };
        match self.desk.decide(self.now(), seq, Choice { decision: answer.decision }) {
            Ok(steps) => {
                self.steps(steps);
                line.say(Reply::json(200, "{}".to_owned()));
            }
            Err(why @ WhyNot::NotHeld(_)) => line.say(error(409, "not_held", &why.to_string())),
            Err(why) => line.say(error(400, "bad_answer", &why.to_string())),
        }
    }
}

fn json(status: u16, document: &impl Serialize) -> Reply {
    Reply::json(status, harmless_json(&serde_json::to_string(document).unwrap_or_default()).into_owned())
}

fn refused(refusal: &Refusal) -> Reply {
    Reply::json(refusal.status(), refusal.body())
}

fn error(status: u16, code: &str, message: &str) -> Reply {
    json(status, &ErrorDoc { error: code, message })
}
