//! Sends the progress of one run to the listener, with the output in frames.
//!
//! Each run has one small task that is the only sender of the run's events. This guarantees that `Started` comes
//! first and `Ended` last, and a slow listener delays only this task.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::output_tap::OutputTap;
use super::run_event::{RunEvent, SupervisorMessage};
use super::supervisor::Clock;
use hookbench_core::run::{Exit, RunId, RunReport};

/// The time between two frames; the screen is not redrawn faster.
const FRAME: Duration = Duration::from_millis(16);

/// Runs until the end of the run is sent, or the listener is gone.
pub(super) async fn send_events(
    run: RunId,
    tap: Arc<OutputTap>,
    mut news: mpsc::UnboundedReceiver<SupervisorMessage>,
    events: mpsc::Sender<RunEvent>,
    clock: Clock,
) {
    // The first frame may begin at once, the next after `FRAME`. The task does not wake up without output.
    let mut frame = Instant::now();
    let mut waiting = false;
    let ended = loop {
        tokio::select! {
            biased;
            news = news.recv() => match news {
                Some(SupervisorMessage::Started { pid, at }) => {
                    if events.send(RunEvent::Started { run, pid, at }).await.is_err() {
                        return;
                    }
                }
                Some(SupervisorMessage::Ended(report)) => break report,
                // The supervisor is gone without a report. The listener must not wait forever.
                None => break Box::new(RunReport::new(run, Exit::Cancelled, "", "")),
            },
            () = sleep_until(frame), if waiting => {
                if !flush(run, &tap, &events, clock).await {
                    return;
                }
                frame = Instant::now() + FRAME;
                waiting = false;
            }
            () = tap.changed(), if !waiting => waiting = true,
        }
    };
    if flush(run, &tap, &events, clock).await {
        // It is not an error if the listener is gone.
        let _ = events.send(RunEvent::Ended(ended)).await;
    }
}

/// Sends the new bytes. Returns false if the listener is gone.
async fn flush(run: RunId, tap: &OutputTap, events: &mpsc::Sender<RunEvent>, clock: Clock) -> bool {
    let fresh: Vec<_> = tap.take_new().collect();
    for news in fresh {
        let grew =
            RunEvent::Grew { run, stream: news.stream, bytes: news.bytes, skipped: news.skipped, at: clock.now() };
        if events.send(grew).await.is_err() {
            return false;
        }
    }
    true
}
