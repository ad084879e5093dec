//! A second thread that looks at the clock and at nothing else, up to absolute deadlines. The main thread may hang
//! anywhere; when a deadline has passed, this one speaks in its place and leaves the process.
//!
//! The main thread does the work, and not the other way round: it need not wait until a thread has been started and
//! woken, which an agent would wait for too.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::Ended;
use super::log::Note;
use hookbench_core::live::Deadlines;

/// Held by the main thread: tells what it does, and takes the right to speak.
pub struct Watchdog(Arc<Shared>);

struct Shared {
    watch: Mutex<Watch>,
    changed: Condvar,
}

impl Shared {
    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is watched.
struct Watch {
    started: Instant,
    deadline: Instant,
    stage: Stage,
    /// The event on the wire, and its deadlines, as soon as it is known.
    event: Option<(String, Deadlines)>,
    /// What was strange before there was anything to wait for.
    notes: Vec<Note>,
    /// Somebody speaks already: the main thread, because it is ready, or this one, because it was too late.
    taken: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Stdin,
    Ack,
    Hold,
}

impl Stage {
    fn note(self) -> Note {
        match self {
            Stage::Stdin => Note::new("stdin", "the payload did not end in time"),
            Stage::Ack => Note::new("ack", "the server did not answer in time"),
            Stage::Hold => Note::new("hold", "no decision came in time"),
        }
    }
}

impl Watchdog {
    /// Starts watching until `deadline`. What has to be said when one has passed is given to `give_up`, which does not
    /// come back; it may be called as long as [`Watchdog::call_off`] was not.
    pub fn start(
        started: Instant,
        deadline: Instant,
        give_up: impl FnOnce(Ended) + Send + 'static,
    ) -> std::io::Result<Watchdog> {
        let (stage, event, notes, taken) = (Stage::Stdin, None, Vec::new(), false);
        let watch = Mutex::new(Watch { started, deadline, stage, event, notes, taken });
        let shared = Arc::new(Shared { watch, changed: Condvar::new() });
        let seen = Arc::clone(&shared);
        // The handle is dropped: nobody waits for it.
        std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            if let Some(ended) = watch_until_too_late(&seen) {
                give_up(ended);
            }
        })?;
        Ok(Watchdog(shared))
    }

    /// What the user has settled is known: the payload has to have come by `deadline`.
    pub fn settled(&self, deadline: Instant, notes: &[Note]) {
        let mut watch = self.0.watch();
        watch.notes = notes.to_vec();
        self.until(watch, deadline);
    }

    /// The payload came at `at`; from now on the server is waited for.
    pub fn read(&self, event: &str, at: Instant, deadlines: Deadlines) {
        let mut watch = self.0.watch();
        let deadline = (at + deadlines.ack).min(watch.started + deadlines.limit);
        watch.stage = Stage::Ack;
        watch.event = Some((event.to_owned(), deadlines));
        self.until(watch, deadline);
    }

    /// The server has said that the answer will take its time. Once: who says it again does not get more.
    pub fn held(&self) {
        let mut watch = self.0.watch();
        let hold = watch.event.as_ref().map(|(_, deadlines)| deadlines.hold).filter(|hold| !hold.is_zero());
        if let Some(hold) = hold.filter(|_| watch.stage == Stage::Ack) {
            watch.stage = Stage::Hold;
            let deadline = watch.started + hold;
            self.until(watch, deadline);
        }
    }

    fn until(&self, mut watch: MutexGuard<'_, Watch>, deadline: Instant) {
        // It looks again by itself when the time is over that it knows of.
        let sooner = deadline < watch.deadline;
        watch.deadline = deadline;
        drop(watch);
        if sooner {
            self.0.changed.notify_one();
        }
    }

    /// The main thread is ready and speaks. Comes back only to who may: after the last deadline, this process says
    /// nothing more but what the other thread says.
    pub fn call_off(self) {
        let mut watch = self.0.watch();
        let late = std::mem::replace(&mut watch.taken, true);
        drop(watch);
        if late {
            loop {
                std::thread::park();
            }
        }
    }
}

/// What has to be said, when a deadline has passed; nothing when the main thread was ready before.
fn watch_until_too_late(shared: &Shared) -> Option<Ended> {
    let mut watch = shared.watch();
    loop {
        if watch.taken {
            return None;
        }
        let left = watch.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        watch = shared.changed.wait_timeout(watch, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    watch.taken = true;
    let mut notes = std::mem::take(&mut watch.notes);
    notes.push(watch.stage.note());
    Some(Ended { event: watch.event.take().map(|(name, _)| name), ..Ended::pass(notes) })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    use super::*;

    const NEVER: Duration = Duration::from_secs(3_600);

    /// With a first deadline `within` that time, and what is said when it has passed.
    fn started(within: Duration) -> (Watchdog, Receiver<Ended>, Instant) {
        let (tell, told) = channel();
        let now = Instant::now();
        let watchdog = Watchdog::start(now, now + within, move |ended| {
            let _ = tell.send(ended);
        });
        (watchdog.unwrap(), told, now)
    }

    fn of(ack: Duration, hold: Duration) -> Deadlines {
        Deadlines { stdin: NEVER, ack, limit: NEVER, hold }
    }

    fn problems(told: &Receiver<Ended>) -> Vec<(&'static str, Option<String>)> {
        let ended = told.recv_timeout(Duration::from_secs(30)).unwrap();
        ended.notes.iter().map(|note| (note.problem, ended.event.clone())).collect()
    }

    #[test]
    fn each_stage_ends_with_its_own_words() {
        let event = || Some("stop".to_owned());
        let (_watchdog, told, _) = started(Duration::ZERO);
        assert_eq!(problems(&told), [("stdin", None)]);

        let (watchdog, told, now) = started(NEVER);
        watchdog.settled(now + NEVER, &[Note::new("settings", "")]);
        watchdog.read("stop", now, of(Duration::ZERO, NEVER));
        assert_eq!(problems(&told), [("settings", event()), ("ack", event())]);

        let (watchdog, told, now) = started(NEVER);
        watchdog.read("stop", now, of(NEVER, Duration::from_nanos(1)));
        watchdog.held();
        assert_eq!(problems(&told), [("hold", event())]);
    }

    #[test]
    fn who_may_not_hold_gets_no_time_for_it() {
        let (watchdog, told, now) = started(NEVER);
        watchdog.read("stop", now, of(Duration::from_millis(50), Duration::ZERO));
        watchdog.held();
        assert_eq!(problems(&told), [("ack", Some("stop".to_owned()))]);
    }

    #[test]
    fn who_is_ready_speaks_alone() {
        let (watchdog, told, _) = started(Duration::from_millis(20));
        watchdog.call_off();
        // The thread is gone without a word: its end of the channel with it.
        assert!(told.recv_timeout(Duration::from_secs(30)).is_err());
    }
}
