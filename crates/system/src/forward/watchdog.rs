//! A second thread that only watches absolute deadlines. The main thread may block anywhere; when a deadline
//! expires, this thread writes the response and exits the process.
//!
//! The work is done by the main thread, because starting and waking another thread would take time for which the
//! agent waits.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::outcome::{ForwardNote, ForwardOutcome};
use hookbench_core::live::{Deadlines, HookResponse};

/// The main thread's handle: reports progress, and acquires the right to respond.
pub struct Watchdog(Arc<WatchdogShared>);

struct WatchdogShared {
    watch: Mutex<WatchdogState>,
    changed: Condvar,
}

impl WatchdogShared {
    fn watch(&self) -> MutexGuard<'_, WatchdogState> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state shared with the watchdog thread.
struct WatchdogState {
    started: Instant,
    deadline: Instant,
    stage: WatchdogStage,
    /// The event's wire name and its deadlines, once it is known.
    event: Option<(String, Deadlines)>,
    /// Irregularities found before the exchange.
    notes: Vec<ForwardNote>,
    /// The response that the server announced for the case that the user does not decide. `None`: the event passes.
    announced: Option<HookResponse>,
    /// Whether a thread is already responding: the main thread when it is done, or the watchdog when it is too
    /// late.
    responding: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WatchdogStage {
    Stdin,
    Ack,
    Hold,
}

impl WatchdogStage {
    fn note(self) -> ForwardNote {
        match self {
            WatchdogStage::Stdin => ForwardNote::new("stdin", "the end of the payload did not arrive in time"),
            WatchdogStage::Ack => ForwardNote::new("ack", "the server did not answer in time"),
            WatchdogStage::Hold => ForwardNote::new("hold", "no decision arrived in time"),
        }
    }
}

impl Watchdog {
    /// Starts to watch until `deadline`. If a deadline expires, `give_up` receives the result and must not return.
    /// This can happen until [`Watchdog::stop`] is called.
    pub fn start(
        started: Instant,
        deadline: Instant,
        give_up: impl FnOnce(ForwardOutcome) + Send + 'static,
    ) -> std::io::Result<Watchdog> {
        let watch = Mutex::new(WatchdogState {
            started,
            deadline,
            stage: WatchdogStage::Stdin,
            event: None,
            notes: Vec::new(),
            announced: None,
            responding: false,
        });
        let shared = Arc::new(WatchdogShared { watch, changed: Condvar::new() });
        let seen = Arc::clone(&shared);
        // The handle is dropped, because the thread is never joined.
        std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            if let Some(ended) = wait_for_deadline(&seen) {
                give_up(ended);
            }
        })?;
        Ok(Watchdog(shared))
    }

    /// The user's settings are known: sets the deadline for the payload.
    pub fn settings_read(&self, deadline: Instant, notes: &[ForwardNote]) {
        let mut watch = self.0.watch();
        watch.notes = notes.to_vec();
        self.until(watch, deadline);
    }

    /// The payload arrived at `at`: sets the deadline for the server's answer.
    pub fn payload_read(&self, event: &str, at: Instant, deadlines: Deadlines) {
        let mut watch = self.0.watch();
        let deadline = (at + deadlines.ack).min(watch.started + deadlines.limit);
        watch.stage = WatchdogStage::Ack;
        watch.event = Some((event.to_owned(), deadlines));
        self.until(watch, deadline);
    }

    /// The server announced that the answer will take longer, and the response without a decision. Only the first
    /// announcement extends the deadline.
    pub fn server_holds(&self, announced: Option<HookResponse>) {
        let mut watch = self.0.watch();
        watch.announced = announced;
        let hold = watch.event.as_ref().map(|(_, deadlines)| deadlines.hold).filter(|hold| !hold.is_zero());
        if let Some(hold) = hold.filter(|_| watch.stage == WatchdogStage::Ack) {
            watch.stage = WatchdogStage::Hold;
            let deadline = watch.started + hold;
            self.until(watch, deadline);
        }
    }

    /// The response of an exchange that has failed: the announced one, otherwise the event passes.
    pub fn fallback(&self) -> HookResponse {
        self.0.watch().announced.clone().unwrap_or_else(HookResponse::observe)
    }

    fn until(&self, mut watch: MutexGuard<'_, WatchdogState>, deadline: Instant) {
        // The thread wakes up on its own at the deadline that it knows, so only an earlier one needs a
        // notification.
        let sooner = deadline < watch.deadline;
        watch.deadline = deadline;
        drop(watch);
        if sooner {
            self.0.changed.notify_one();
        }
    }

    /// Stops the watchdog before the main thread responds. If a deadline has already expired, this call does not
    /// return, because the other thread responds.
    pub fn stop(self) {
        let mut watch = self.0.watch();
        let late = std::mem::replace(&mut watch.responding, true);
        drop(watch);
        if late {
            loop {
                std::thread::park();
            }
        }
    }
}

/// Waits until a deadline expires, and returns the result to report. `None` if the main thread was done first.
fn wait_for_deadline(shared: &WatchdogShared) -> Option<ForwardOutcome> {
    let mut watch = shared.watch();
    loop {
        if watch.responding {
            return None;
        }
        let left = watch.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        watch = shared.changed.wait_timeout(watch, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    watch.responding = true;
    let mut notes = std::mem::take(&mut watch.notes);
    notes.push(watch.stage.note());
    let response = watch.announced.take().unwrap_or_else(HookResponse::observe);
    Some(ForwardOutcome { response, notes, event: watch.event.take().map(|(name, _)| name) })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    use super::*;

    const NEVER: Duration = Duration::from_secs(3_600);

    /// Starts a watchdog with a first deadline after `within`, and a channel for the result.
    fn started(within: Duration) -> (Watchdog, Receiver<ForwardOutcome>, Instant) {
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

    fn problems(told: &Receiver<ForwardOutcome>) -> Vec<(&'static str, Option<String>)> {
        let ended = told.recv_timeout(Duration::from_secs(30)).unwrap();
        ended.notes.iter().map(|note| (note.problem, ended.event.clone())).collect()
    }

    #[test]
    fn each_stage_ends_with_its_own_words() {
        let event = || Some("stop".to_owned());
        let (_watchdog, told, _) = started(Duration::ZERO);
        assert_eq!(problems(&told), [("stdin", None)]);

        let (watchdog, told, now) = started(NEVER);
        watchdog.settings_read(now + NEVER, &[ForwardNote::new("settings", "")]);
        watchdog.payload_read("stop", now, of(Duration::ZERO, NEVER));
        assert_eq!(problems(&told), [("settings", event()), ("ack", event())]);

        let (watchdog, told, now) = started(NEVER);
        watchdog.payload_read("stop", now, of(NEVER, Duration::from_nanos(1)));
        watchdog.server_holds(None);
        assert_eq!(problems(&told), [("hold", event())]);
    }

    #[test]
    fn an_announced_response_is_given_when_the_time_is_over() {
        let deny = HookResponse { stdout: "deny".to_owned(), ..HookResponse::observe() };
        let (watchdog, told, now) = started(NEVER);
        watchdog.payload_read("stop", now, of(NEVER, Duration::from_nanos(1)));
        assert_eq!(watchdog.fallback(), HookResponse::observe());
        watchdog.server_holds(Some(deny.clone()));
        assert_eq!(told.recv_timeout(Duration::from_secs(30)).unwrap().response, deny);
    }

    #[test]
    fn who_may_not_hold_gets_no_time_for_it() {
        let (watchdog, told, now) = started(NEVER);
        watchdog.payload_read("stop", now, of(Duration::from_millis(50), Duration::ZERO));
        watchdog.server_holds(None);
        assert_eq!(problems(&told), [("ack", Some("stop".to_owned()))]);
    }

    #[test]
    fn who_is_ready_speaks_alone() {
        let (watchdog, told, _) = started(Duration::from_millis(20));
        watchdog.stop();
        // The thread has ended without a result, which also closes its end of the channel.
        assert!(told.recv_timeout(Duration::from_secs(30)).is_err());
    }
}
