//! Runs several events concurrently, up to a limit.

use std::collections::{HashSet, VecDeque};

use tokio::task::JoinSet;

use super::replayer::ReadyEvent;
use crate::recordings::replay::ReplayedEvent;
use crate::recordings::store::now_ms;
use hookbench_core::recorded::RecordedEvent;

/// The default number of concurrent events: enough that one slow hook does not delay the others.
pub const AT_ONCE: usize = 4;

/// The events that wait for one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitPolicy {
    /// Events of one session run one after the other, as when they were recorded, because a hook may depend on the
    /// effects of an earlier one.
    OfOneSession,
    /// No event waits.
    Never,
}

/// The result of one event: its index, the comparison, and its new row.
pub type IndexedReplay = (usize, ReplayedEvent, Option<RecordedEvent>);

/// Agent and session: the key of events that must not run concurrently.
type SessionKey = (String, String);

/// Events that run concurrently with their hooks. They start in order, and their rows sort in that order, too.
/// Dropping it kills every process that they have started.
pub struct ConcurrentReplay {
    waiting: VecDeque<(usize, ReadyEvent)>,
    tasks: JoinSet<(SessionKey, IndexedReplay)>,
    running: HashSet<SessionKey>,
    at_once: usize,
    wait: WaitPolicy,
    /// The time of the first row, in milliseconds since 1970.
    since: i64,
}

impl ConcurrentReplay {
    pub fn new(ready: Vec<ReadyEvent>, at_once: usize, wait: WaitPolicy) -> ConcurrentReplay {
        // Each event is stored as soon as it finishes, in any order. Lists sort rows by time, so each row gets its
        // own millisecond: the last one that of the replay, those before it a millisecond less each.
        let since = now_ms() - i64::try_from(ready.len()).unwrap_or_default();
        let waiting = ready.into_iter().enumerate().collect();
        ConcurrentReplay {
            waiting,
            tasks: JoinSet::new(),
            running: HashSet::new(),
            at_once: at_once.max(1),
            wait,
            since,
        }
    }

    /// Waits for the next result. Returns `None` after the last. Cancel-safe: a dropped call loses no result. Must
    /// be awaited inside a tokio runtime, on which the other events continue meanwhile.
    pub async fn next(&mut self) -> Option<IndexedReplay> {
        self.begin();
        match self.tasks.join_next().await? {
            Ok((lane, came)) => {
                self.running.remove(&lane);
                // The next events start at once, even if no further call waits for them.
                self.begin();
                Some(came)
            }
            Err(why) if why.is_panic() => std::panic::resume_unwind(why.into_panic()),
            // Tasks are cancelled only when all are stopped.
            Err(_) => None,
        }
    }

    /// Stops all running events.
    pub async fn end(&mut self) {
        self.waiting.clear();
        self.tasks.shutdown().await;
    }

    fn begin(&mut self) {
        while self.tasks.len() < self.at_once {
            let free = |(_, one): &(usize, ReadyEvent)| {
                self.wait == WaitPolicy::Never || !self.running.contains(&session_key(&one.event))
            };
            let next = self.waiting.iter().position(free);
            let Some((index, one)) = next.and_then(|at| self.waiting.remove(at)) else { break };
            let lane = session_key(&one.event);
            self.running.insert(lane.clone());
            let at = self.since + i64::try_from(index).unwrap_or_default();
            self.tasks.spawn(async move {
                let (replayed, row) = one.run(at, now_ms()).await;
                (lane, (index, replayed, row))
            });
        }
    }
}

fn session_key(event: &RecordedEvent) -> SessionKey {
    (event.agent.clone(), event.session.clone())
}
