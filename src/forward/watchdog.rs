//! The main thread: waits for the working thread, up to absolute deadlines, and then without it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::args::Asked;
use super::exchange::{Step, work};
use super::here::Here;
use super::log::Note;
use super::{Ended, Terms, panicked};
use crate::core::live::{Changes, Deadlines, Settings, deadlines_of, form_of, wire_event};

/// Does what was asked for, or gives up in time.
pub fn wait(asked: Asked, here: &Here, settings: Settings, mut notes: Vec<Note>, started: Instant) -> Ended {
    notes.extend(asked.notes.iter().cloned());
    let socket = here.socket(&asked);
    let terms = Arc::new(Terms { asked, settings, started });
    let (steps, coming) = channel();
    let (uid, theirs) = (here.uid, Arc::clone(&terms));
    let worker = std::thread::Builder::new().name("exchange".to_owned());
    // The handle is dropped: nobody waits for a thread that may hang.
    let ended = match worker.spawn(move || work(&theirs, &socket, uid, &steps)) {
        Ok(_) => watch(&coming, &terms),
        Err(why) => Ended::pass(vec![Note::new("thread", why.to_string())]),
    };
    notes.extend(ended.notes);
    Ended { notes, ..ended }
}

/// Until when the payload has to have come. Which event it is may be in the payload only.
fn first_deadline(terms: &Terms) -> Duration {
    let changes: &Changes = &terms.settings.deadlines;
    let form = terms.asked.agent.as_deref().and_then(form_of);
    let event = terms.asked.event.as_deref().map(|said| wire_event(form, said));
    deadlines_of(event.as_deref().unwrap_or("pre_tool_use"), changes).stdin
}

fn watch(coming: &Receiver<Step>, terms: &Terms) -> Ended {
    let mut deadline = terms.started + first_deadline(terms);
    let mut stage = ("stdin", "the payload did not end in time");
    let mut event: Option<(String, Deadlines)> = None;
    loop {
        match coming.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Step::Read { event: name, at }) => {
                let deadlines = deadlines_of(&name, &terms.settings.deadlines);
                deadline = (at + deadlines.ack).min(terms.started + deadlines.limit);
                stage = ("ack", "the server did not answer in time");
                event = Some((name, deadlines));
            }
            Ok(Step::Held) => {
                // Once: who says it again does not get more time.
                if let Some((_, deadlines)) = event.as_ref().filter(|(_, d)| stage.0 == "ack" && !d.hold.is_zero()) {
                    deadline = terms.started + deadlines.hold;
                    stage = ("hold", "no decision came in time");
                }
            }
            Ok(Step::Done(ended)) => return ended,
            Err(why) => {
                let note = match why {
                    RecvTimeoutError::Timeout => Note::new(stage.0, stage.1),
                    RecvTimeoutError::Disconnected => panicked(),
                };
                return Ended { event: event.map(|(name, _)| name), ..Ended::pass(vec![note]) };
            }
        }
    }
}
