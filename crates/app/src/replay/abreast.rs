//! Several events really run side by side, up to a limit, and stopped together.

use std::collections::{HashSet, VecDeque};

use tokio::task::JoinSet;

use super::compare::Replayed;
use super::run::Ready;
use crate::recordings::now_ms;
use hookbench_core::recorded::RecordedEvent;

/// How many run side by side where nobody has named a number: enough that one slow hook does not hold up the others.
pub const AT_ONCE: usize = 4;

/// Which events wait for one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Those of one session, as they did when it was recorded: its hooks may build on what the last one left behind.
    OfOneSession,
    /// None of them.
    Never,
}

/// What came of one: its place among all, how it compares, and its new row.
pub type Came = (usize, Replayed, Option<RecordedEvent>);

/// Agent and session.
type Lane = (String, String);

/// Events that run with their hooks, begun in their order, so many of them at once. However they end, their rows stand in
/// that order, too. Dropping it ends every process that they have started.
pub struct Abreast {
    waiting: VecDeque<(usize, Ready)>,
    tasks: JoinSet<(Lane, Came)>,
    running: HashSet<Lane>,
    at_once: usize,
    wait: Wait,
    /// The time of the first row.
    since: i64,
}

impl Abreast {
    pub fn new(ready: Vec<Ready>, at_once: usize, wait: Wait) -> Abreast {
        // Each is kept as soon as it is over, so that nothing is lost, and who is over first is chance. Rows stand in a list
        // by their time: the last one has that of the replay, and those before it a millisecond less each.
        let since = now_ms() - i64::try_from(ready.len()).unwrap_or_default();
        let waiting = ready.into_iter().enumerate().collect();
        Abreast { waiting, tasks: JoinSet::new(), running: HashSet::new(), at_once: at_once.max(1), wait, since }
    }

    /// What came of the next one that is over; none: all are. Whoever no longer waits for it loses nothing: it can be asked
    /// again. Must be awaited inside a tokio runtime, whose threads go on with those that run meanwhile.
    pub async fn next(&mut self) -> Option<Came> {
        self.begin();
        match self.tasks.join_next().await? {
            Ok((lane, came)) => {
                self.running.remove(&lane);
                // Nobody waits for the next ones to begin.
                self.begin();
                Some(came)
            }
            Err(why) if why.is_panic() => std::panic::resume_unwind(why.into_panic()),
            // They are ended with it only.
            Err(_) => None,
        }
    }

    /// Ends all that run.
    pub async fn end(&mut self) {
        self.waiting.clear();
        self.tasks.shutdown().await;
    }

    fn begin(&mut self) {
        while self.tasks.len() < self.at_once {
            let free =
                |(_, one): &(usize, Ready)| self.wait == Wait::Never || !self.running.contains(&lane(&one.event));
            let next = self.waiting.iter().position(free);
            let Some((index, one)) = next.and_then(|at| self.waiting.remove(at)) else { break };
            let lane = lane(&one.event);
            self.running.insert(lane.clone());
            let at = self.since + i64::try_from(index).unwrap_or_default();
            self.tasks.spawn(async move {
                let (replayed, row) = one.real(at, now_ms()).await;
                (lane, (index, replayed, row))
            });
        }
    }
}

fn lane(event: &RecordedEvent) -> Lane {
    (event.agent.clone(), event.session.clone())
}
