//! Taking connections: who may speak, and how many at once. Taking one never waits for another.

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

/// How long a request may wait for one of the open ones to end before it is refused. Shorter than any client waits.
const PATIENCE: Duration = Duration::from_millis(100);
/// How many may wait so; the rest is refused at once.
const MAX_PATIENT: usize = 256;
/// After trouble with the listener itself, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// What all connections share.
pub(super) struct Shared {
    pub requests: mpsc::Sender<Request>,
    pub gate: Gate,
    /// Places for those that wait for somebody, and for those that listen.
    pub waiting: Arc<Semaphore>,
    pub streams: Arc<Semaphore>,
    look: Look,
    connections: AtomicU64,
    arrivals: AtomicU64,
}

impl Shared {
    /// Looks at an event that has come, and gives it its number.
    pub fn arrived(&self, mut hook: Box<Hook>) -> Box<Hook> {
        hook.about = (self.look)(&hook);
        hook.seq = self.arrivals.fetch_add(1, Ordering::Relaxed);
        hook.normal = Normal::read(&hook.provider, &hook.event, hook.seq, &hook.payload);
        hook
    }
}

/// Takes connections until `end` says so, and the last answers are written.
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
                // Another user's: not even an answer.
                Ok(_) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            Some(_) = open.join_next() => {}
            () = told(&mut end) => break,
        }
    }
    // What lies in the queue of the system is no longer taken; whoever is there gets an answer from the hub.
    drop(listener);
    drop(shared);
    while open.join_next().await.is_some() {}
}

async fn told(end: &mut watch::Receiver<bool>) {
    // Whoever would say so has gone: that says it, too.
    let _ = end.wait_for(|end| *end).await;
}

/// Root is nothing special: who asks has to be who is asked.
fn is_ours(stream: &UnixStream, uid: u32) -> bool {
    stream.peer_cred().is_ok_and(|peer| of_the_same(peer.uid(), uid))
}

fn of_the_same(peer: u32, uid: u32) -> bool {
    peer == uid
}

/// How many requests are open at once.
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

    /// A place among the open ones, for as long as it is kept.
    ///
    /// # Errors
    /// When there is none, and none comes free soon.
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
        // One waits and gets the place, the next would have to wait behind it.
        let (second, third) = tokio::join!(gate.enter(), async {
            let third = gate.enter().await.map(drop);
            drop(first);
            third
        });
        assert!(second.is_ok());
        assert_eq!(third, Err(Refusal::Busy));
        drop(second);

        // And nobody waits for ever.
        let gate = Gate::new(1, 1, Duration::from_millis(1));
        let _first = gate.enter().await.unwrap();
        assert_eq!(gate.enter().await.unwrap_err(), Refusal::Busy);
    }
}
