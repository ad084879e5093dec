//! Wishes to stop, for commands that run something.

use tokio::sync::mpsc;

#[cfg(unix)]
use hookbench_app::ending_signals;

/// Every wish to stop, from now on. Heard from the first to the last: a listener that is made anew for every wait would
/// miss what comes between two waits.
#[cfg(unix)]
pub fn stop_signals() -> mpsc::UnboundedReceiver<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (sender, receiver) = mpsc::unbounded_channel();
    for kind in [SignalKind::interrupt(), SignalKind::quit()].into_iter().chain(ending_signals()) {
        // Where a signal cannot be listened to, it does what the system makes of it.
        let Ok(mut signals) = signal(kind) else { continue };
        let sender = sender.clone();
        tokio::spawn(async move { while signals.recv().await.is_some() && sender.send(()).is_ok() {} });
    }
    receiver
}

#[cfg(not(unix))]
pub fn stop_signals() -> mpsc::UnboundedReceiver<()> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).is_ok() {} });
    receiver
}
