//! The events of the terminal: keys, the mouse, changes of its size.

use std::time::Instant;

use crossterm::event::{Event, EventStream};
use futures_util::StreamExt as _;

use crate::update::LoopRequest;

/// Maximum number of keys handled before a redraw.
const KEYS: usize = 64;

/// Waits for the next event, and notes in `keys_wait` when none is there yet.
pub async fn next_event(input: &mut Option<EventStream>, keys_wait: &mut bool) -> Option<std::io::Result<Event>> {
    let Some(stream) = input else { return std::future::pending().await };
    std::future::poll_fn(|context| {
        let next = stream.poll_next_unpin(context);
        *keys_wait &= next.is_ready();
        next
    })
    .await
}

/// Handles the events that are already waiting, so that a held key or pasted keys cause one redraw. Stops after a
/// request that only the loop can handle, because later keys may be meant for an editor, and when the next frame
/// is due. `take` returns whether an event counts towards the limit. Returns whether more events may be waiting.
pub async fn take_pending(
    input: &mut Option<EventStream>,
    asks: &mut Vec<LoopRequest>,
    due: Instant,
    mut take: impl FnMut(Option<Event>, &mut Vec<LoopRequest>) -> std::io::Result<bool>,
) -> std::io::Result<bool> {
    let mut counted = 1;
    while counted < KEYS && Instant::now() < due {
        if asks.iter().any(|ask| !matches!(ask, LoopRequest::Jobs(_))) {
            break;
        }
        // Polled with the loop's own waker: the stream keeps only the last waker, so another one would leave the
        // loop asleep.
        let next = std::future::poll_fn(|context| {
            let next = input.as_mut().map(|stream| stream.poll_next_unpin(context));
            std::task::Poll::Ready(next)
        });
        match next.await {
            Some(std::task::Poll::Ready(Some(event))) => counted += usize::from(take(Some(event?), asks)?),
            _ => return Ok(false),
        }
    }
    Ok(true)
}
