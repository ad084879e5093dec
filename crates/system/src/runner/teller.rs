//! Tells the listener what happens to one run, output a frame at a time.
//!
//! One small task per run, and the only sender of that run's events: so `Started` comes first and `Ended` last without
//! anybody having to arrange it, and a listener that is slow holds up this task and nothing else.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::RunEvent;
use super::control::Clock;
use super::tap::Tap;
use hookbench_core::run::{Exit, RunId, RunReport};

/// Between two frames: the screen draws no faster.
const FRAME: Duration = Duration::from_millis(16);

/// What the supervisor of a run has to say.
pub(super) enum News {
    Started { pid: Option<u32>, at: Duration },
    Ended(Box<RunReport>),
}

/// Runs until the end is told or nobody listens any more.
pub(super) async fn tell(
    run: RunId,
    tap: Arc<Tap>,
    mut news: mpsc::UnboundedReceiver<News>,
    events: mpsc::Sender<RunEvent>,
    clock: Clock,
) {
    // The next frame may begin now; after it, `FRAME` later. Nothing wakes while nothing is printed.
    let mut frame = Instant::now();
    let mut waiting = false;
    let ended = loop {
        tokio::select! {
            biased;
            news = news.recv() => match news {
                Some(News::Started { pid, at }) => {
                    if events.send(RunEvent::Started { run, pid, at }).await.is_err() {
                        return;
                    }
                }
                Some(News::Ended(report)) => break report,
                // The supervisor is gone without a word; whoever waits for this run must not wait forever.
                None => break Box::new(RunReport::of(run, Exit::Cancelled, "", "")),
            },
            () = sleep_until(frame), if waiting => {
                if !flush(run, &tap, &events, clock).await {
                    return;
                }
                frame = Instant::now() + FRAME;
                waiting = false;
            }
            () = tap.dirty(), if !waiting => waiting = true,
        }
    };
    if flush(run, &tap, &events, clock).await {
        // A listener that left is no failure.
        let _ = events.send(RunEvent::Ended(ended)).await;
    }
}

/// False: nobody listens.
async fn flush(run: RunId, tap: &Tap, events: &mpsc::Sender<RunEvent>, clock: Clock) -> bool {
    let fresh: Vec<_> = tap.fresh().collect();
    for news in fresh {
        let grew =
            RunEvent::Grew { run, stream: news.stream, bytes: news.bytes, skipped: news.skipped, at: clock.now() };
        if events.send(grew).await.is_err() {
            return false;
        }
    }
    true
}
