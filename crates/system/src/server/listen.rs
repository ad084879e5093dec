//! Accepts connections, checks their user, and limits their number. Accepting a connection never waits for another
//! one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;

use super::claim::own_uid;
use super::connection;
use super::{Hook, Look, MAX_OPEN, MAX_STREAMS, MAX_WAITING, Request};
use hookbench_core::live::Refusal;
use hookbench_core::live::normal::Normal;

/// How long a request waits for a free place before it is refused. Shorter than the timeout of any client.
const PATIENCE: Duration = Duration::from_millis(100);
/// The number of requests that may wait for a place; others are refused at once.
const MAX_PATIENT: usize = 256;
/// The pause after an error of the listener, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// The state that all connections share.
pub(super) struct Shared {
    pub requests: mpsc::Sender<Request>,
    pub gate: Gate,
    /// Places for clients that wait for a decision, and for clients of event streams.
    pub waiting: Arc<Semaphore>,
    pub streams: Arc<Semaphore>,
    look: Look,
    connections: AtomicU64,
    arrivals: AtomicU64,
}

impl Shared {
    /// Describes an incoming event, and gives it its number.
    pub fn arrived(&self, mut hook: Box<Hook>) -> Box<Hook> {
        hook.about = (self.look)(&hook);
        hook.seq = self.arrivals.fetch_add(1, Ordering::Relaxed);
        hook.normal = Normal::read(&hook.provider, &hook.event, hook.seq, &hook.payload);
        hook
    }
}

/// Accepts connections until `end` is set and the last answers are written.
pub async fn serve(
    listener: UnixListener,
    look: Look,
    requests: mpsc::Sender<Request>,
    mut end: watch::Receiver<bool>,
) {
    let shared = Arc::new(Shared {
        requests,
        gate: Gate::new(MAX_OPEN, MAX_PATIENT, PATIENCE),
        waiting: Arc::new(Semaphore::new(MAX_WAITING)),
        streams: Arc::new(Semaphore::new(MAX_STREAMS)),
        look,
        connections: AtomicU64::new(1),
        arrivals: AtomicU64::new(1),
    });
    let uid = own_uid();
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            taken = listener.accept() => match taken {
                Ok((stream, _)) if is_ours(&stream, uid) => {
                    let connection = shared.connections.fetch_add(1, Ordering::Relaxed);
                    open.spawn(connection::serve(stream, connection, Arc::clone(&shared)));
                }
                // Connections of other users get no answer.
                Ok(_) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            Some(_) = open.join_next() => {}
            () = told(&mut end) => break,
        }
    }
    // Connections in the system's queue are no longer accepted; open ones get an answer from the hub.
    drop(listener);
    drop(shared);
    while open.join_next().await.is_some() {}
}

async fn told(end: &mut watch::Receiver<bool>) {
    // A dropped sender also means the end.
    let _ = end.wait_for(|end| *end).await;
}

/// Whether the client is the same user. Root is not an exception.
fn is_ours(stream: &UnixStream, uid: u32) -> bool {
    stream.peer_cred().is_ok_and(|peer| of_the_same(peer.uid(), uid))
}

fn of_the_same(peer: u32, uid: u32) -> bool {
    peer == uid
}

/// A limit for the number of open requests.
pub(super) struct Gate {
    open: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
    patience: Duration,
}

impl Gate {
    fn new(most: usize, most_waiting: usize, patience: Duration) -> Gate {
        Gate { open: Arc::new(Semaphore::new(most)), waiting: AtomicUsize::new(0), most_waiting, patience }
    }

    /// Acquires a place, which is held until the permit is dropped.
    ///
    /// # Errors
    /// Returns an error if no place becomes free in time.
    pub async fn enter(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        if let Ok(place) = Arc::clone(&self.open).try_acquire_owned() {
            return Ok(place);
        }
        let _waiting = Waiting::begin(&self.waiting, self.most_waiting).ok_or(Refusal::Busy)?;
        match tokio::time::timeout(self.patience, Arc::clone(&self.open).acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(Refusal::Busy),
        }
    }
}

struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize, most: usize) -> Option<Waiting<'a>> {
        let before = count.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(count);
        (before < most).then_some(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_user_s_process_is_not_spoken_to() {
        for (peer, uid, ours) in [(7, 7, true), (0, 7, false), (7, 0, false)] {
            assert_eq!(of_the_same(peer, uid), ours, "{peer} {uid}");
        }
    }

    #[tokio::test]
    async fn what_is_too_much_is_refused() {
        let gate = Gate::new(1, 0, PATIENCE);
        let first = gate.enter().await.unwrap();
        assert_eq!(gate.enter().await.unwrap_err(), Refusal::Busy);
        drop(first);
        drop(gate.enter().await.unwrap());

        let gate = Gate::new(1, 1, Duration::from_secs(60));
        let first = gate.enter().await.unwrap();
        // One waits and gets the place; the next would have to wait behind it.
        let (second, third) = tokio::join!(gate.enter(), async {
            let third = gate.enter().await.map(drop);
            drop(first);
            third
        });
        assert!(second.is_ok());
        assert_eq!(third, Err(Refusal::Busy));
        drop(second);

        // Waiting ends with a timeout.
        let gate = Gate::new(1, 1, Duration::from_millis(1));
        let _first = gate.enter().await.unwrap();
        assert_eq!(gate.enter().await.unwrap_err(), Refusal::Busy);
    }
}
