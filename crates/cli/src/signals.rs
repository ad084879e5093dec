//! Stop signals, for commands that run something.

use tokio::sync::mpsc;
#[cfg(unix)]
use tokio::time::{Duration, Instant, timeout_at};

#[cfg(unix)]
use hookbench_app::ending_signals;

/// A signal to the process group arrives twice, because the process that waits for hookbench passes it on.
#[cfg(unix)]
const TOGETHER: Duration = Duration::from_millis(50);

/// Returns a channel that receives every stop signal from now on. Commands keep one receiver for their whole run: a
/// new one for each wait would miss signals between two waits.
#[cfg(unix)]
pub fn stop_signals() -> mpsc::UnboundedReceiver<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (sender, receiver) = mpsc::unbounded_channel();
    for kind in [SignalKind::interrupt(), SignalKind::quit()].into_iter().chain(ending_signals()) {
        // If a signal cannot be handled, it keeps its default action.
        let Ok(mut signals) = signal(kind) else { continue };
        let sender = sender.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() && sender.send(()).is_ok() {
                let until = Instant::now() + TOGETHER;
                while timeout_at(until, signals.recv()).await.is_ok() {}
            }
        });
    }
    receiver
}

#[cfg(not(unix))]
pub fn stop_signals() -> mpsc::UnboundedReceiver<()> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).is_ok() {} });
    receiver
}
