//! Several events really run side by side, up to a limit, and stopped together.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use tokio::task::JoinSet;

use super::compare::Replayed;
use super::run::Ready;
use crate::app::recordings::now_ms;
use crate::core::recorded::RecordedEvent;

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

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    AllRan,
    /// Somebody has stopped it.
    Stopped,
    /// Whoever took what came of them wanted no more.
    Refused,
}

/// What came of one: its place among all, how it compares, and its new row.
pub type Came = (usize, Replayed, Option<RecordedEvent>);

/// Runs events with their hooks, begun in their order, `at_once` of them at most. What comes of each goes to `take` when it
/// is over. When `stop` is over, or no more is wanted, every process that they have started is ended.
///
/// Must be called inside a tokio runtime.
pub async fn run_all(
    ready: Vec<Ready>,
    at_once: usize,
    wait: Wait,
    stop: impl Future<Output = ()>,
    take: &mut dyn FnMut(Came) -> ControlFlow<()>,
) -> Ended {
    let mut stop = std::pin::pin!(stop);
    let mut waiting: VecDeque<(usize, Ready)> = ready.into_iter().enumerate().collect();
    let mut tasks: JoinSet<(Lane, Came)> = JoinSet::new();
    let mut running: HashSet<Lane> = HashSet::new();
    let ended = loop {
        while tasks.len() < at_once.max(1) {
            let free = |(_, one): &(usize, Ready)| wait == Wait::Never || !running.contains(&lane(&one.event));
            let Some((index, one)) = waiting.iter().position(free).and_then(|at| waiting.remove(at)) else { break };
            let lane = lane(&one.event);
            if wait == Wait::OfOneSession {
                running.insert(lane.clone());
            }
            tasks.spawn(async move {
                let (replayed, row) = one.real(now_ms()).await;
                (lane, (index, replayed, row))
            });
        }
        tokio::select! {
            next = tasks.join_next() => match next {
                None => break Ended::AllRan,
                Some(Ok((lane, came))) => {
                    running.remove(&lane);
                    if take(came).is_break() {
                        break Ended::Refused;
                    }
                }
                Some(Err(why)) if why.is_panic() => std::panic::resume_unwind(why.into_panic()),
                // None is ended but by us.
                Some(Err(_)) => break Ended::Stopped,
            },
            () = &mut stop => break Ended::Stopped,
        }
    };
    tasks.shutdown().await;
    ended
}

/// Agent and session.
type Lane = (String, String);

fn lane(event: &RecordedEvent) -> Lane {
    (event.agent.clone(), event.session.clone())
}
