//! The single thread that starts processes. It never ends, because the system kills a process when the *thread*
//! that started it ends, and the threads of a runtime are short-lived.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel, sync_channel};

use tokio::runtime::Handle;

type StartTask = Box<dyn FnOnce() + Send>;

static STARTER: OnceLock<Option<Sender<StartTask>>> = OnceLock::new();

/// Starts a process on that thread, inside the caller's runtime, and waits until it is started.
pub(super) fn start_on_thread<T: Send + 'static>(
    start: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let gone = || io::Error::other("the thread that starts processes has ended");
    let runtime = Handle::current();
    let (tell, told) = sync_channel(1);
    let work = Box::new(move || {
        let _inside = runtime.enter();
        // The caller is waiting.
        let _ = tell.send(start());
    });
    let starter = STARTER.get_or_init(begin).as_ref().ok_or_else(gone)?;
    starter.send(work).map_err(|_| gone())?;
    told.recv().map_err(|_| gone())?
}

fn begin() -> Option<Sender<StartTask>> {
    let (sender, works) = channel::<StartTask>();
    let run = move || works.into_iter().for_each(|work| work());
    std::thread::Builder::new().name("starter".to_owned()).spawn(run).ok()?;
    Some(sender)
}
