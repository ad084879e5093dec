//! Accepts connections, checks their user, and limits their number. Accepting a connection never waits for another
//! one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;

use super::{HookRequest, MAX_OPEN, MAX_STREAMS, MAX_WAITING, ServerRequest, SummarizeEvent, connection};
use crate::local_socket::LocalListener;
use hookbench_core::live::RequestRefusal;
use hookbench_core::live::normalized_event::NormalizedEvent;

/// How long a request waits for a free place before it is refused. Shorter than the timeout of any client.
const QUEUE_TIMEOUT: Duration = Duration::from_millis(100);
/// The number of requests that may wait for a place; others are refused at once.
const MAX_QUEUED: usize = 256;
/// The pause after an error of the listener, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// The state that all connections share.
pub(super) struct ServerState {
    pub requests: mpsc::Sender<ServerRequest>,
    pub gate: RequestGate,
    /// Places for clients that wait for a decision, and for clients of event streams.
    pub waiting: Arc<Semaphore>,
    pub streams: Arc<Semaphore>,
    summarize: SummarizeEvent,
    connections: AtomicU64,
    arrivals: AtomicU64,
}

impl ServerState {
    /// Describes an incoming event, and gives it its number.
    pub fn summarize_event(&self, mut hook: Box<HookRequest>) -> Box<HookRequest> {
        hook.summary = (self.summarize)(&hook);
        hook.seq = self.arrivals.fetch_add(1, Ordering::Relaxed);
        hook.normal = NormalizedEvent::read(&hook.provider, &hook.event, hook.seq, &hook.payload);
        hook
    }
}

/// Accepts connections until `end` is set and the last answers are written.
pub async fn serve(
    mut listener: LocalListener,
    look: SummarizeEvent,
    requests: mpsc::Sender<ServerRequest>,
    mut end: watch::Receiver<bool>,
) {
    let shared = Arc::new(ServerState {
        requests,
        gate: RequestGate::new(MAX_OPEN, MAX_QUEUED, QUEUE_TIMEOUT),
        waiting: Arc::new(Semaphore::new(MAX_WAITING)),
        streams: Arc::new(Semaphore::new(MAX_STREAMS)),
        summarize: look,
        connections: AtomicU64::new(1),
        arrivals: AtomicU64::new(1),
    });
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            taken = listener.accept() => match taken {
                Ok(Some(stream)) => {
                    let connection = shared.connections.fetch_add(1, Ordering::Relaxed);
                    open.spawn(connection::serve(stream, connection, Arc::clone(&shared)));
                }
                // Connections of other users get no answer.
                Ok(None) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            Some(_) = open.join_next() => {}
            () = wait_for_end(&mut end) => break,
        }
    }
    // Connections in the system's queue are no longer accepted; open ones get an answer from the hub.
    drop(listener);
    drop(shared);
    while open.join_next().await.is_some() {}
}

async fn wait_for_end(end: &mut watch::Receiver<bool>) {
    // A dropped sender also means the end.
    let _ = end.wait_for(|end| *end).await;
}

/// A limit for the number of open requests.
pub(super) struct RequestGate {
    open: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
    patience: Duration,
}

impl RequestGate {
    fn new(most: usize, most_waiting: usize, patience: Duration) -> RequestGate {
        RequestGate { open: Arc::new(Semaphore::new(most)), waiting: AtomicUsize::new(0), most_waiting, patience }
    }

    /// Acquires a place, which is held until the permit is dropped.
    ///
    /// # Errors
    /// Returns an error if no place becomes free in time.
    pub async fn enter(&self) -> Result<OwnedSemaphorePermit, RequestRefusal> {
        if let Ok(place) = Arc::clone(&self.open).try_acquire_owned() {
            return Ok(place);
        }
        let _waiting = WaitingCount::begin(&self.waiting, self.most_waiting).ok_or(RequestRefusal::Busy)?;
        match tokio::time::timeout(self.patience, Arc::clone(&self.open).acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(RequestRefusal::Busy),
        }
    }
}

struct WaitingCount<'a>(&'a AtomicUsize);

impl<'a> WaitingCount<'a> {
    fn begin(count: &'a AtomicUsize, most: usize) -> Option<WaitingCount<'a>> {
        let before = count.fetch_add(1, Ordering::Relaxed);
        let waiting = WaitingCount(count);
        (before < most).then_some(waiting)
    }
}

impl Drop for WaitingCount<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_too_much_is_refused() {
        let gate = RequestGate::new(1, 0, QUEUE_TIMEOUT);
        let first = gate.enter().await.unwrap();
        assert_eq!(gate.enter().await.unwrap_err(), RequestRefusal::Busy);
        drop(first);
        drop(gate.enter().await.unwrap());

        let gate = RequestGate::new(1, 1, Duration::from_secs(60));
        let first = gate.enter().await.unwrap();
        // One waits and gets the place; the next would have to wait behind it.
        let (second, third) = tokio::join!(gate.enter(), async {
            let third = gate.enter().await.map(drop);
            drop(first);
            third
        });
        assert!(second.is_ok());
        assert_eq!(third, Err(RequestRefusal::Busy));
        drop(second);

        // Waiting ends with a timeout.
        let gate = RequestGate::new(1, 1, Duration::from_millis(1));
        let _first = gate.enter().await.unwrap();
        assert_eq!(gate.enter().await.unwrap_err(), RequestRefusal::Busy);
    }
}
