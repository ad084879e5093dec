//! The single thread that starts processes. It never ends, because the system kills a process when the *thread*
//! that started it ends, and the threads of a runtime are short-lived.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

type StartTask = Box<dyn FnOnce() + Send>;

static STARTER: OnceLock<Option<Sender<StartTask>>> = OnceLock::new();

/// Starts a process on that thread, inside the caller's runtime. Dropping the future drops what is started.
pub(super) async fn on_starter<T: Send + 'static>(
    start: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let gone = || io::Error::other("the thread that starts processes has ended");
    let runtime = Handle::current();
    let (tell, told) = oneshot::channel();
    let work = Box::new(move || {
        let _inside = runtime.enter();
        let _ = tell.send(start());
    });
    let starter = STARTER.get_or_init(begin).as_ref().ok_or_else(gone)?;
    starter.send(work).map_err(|_| gone())?;
    told.await.map_err(|_| gone())?
}

fn begin() -> Option<Sender<StartTask>> {
    let (sender, works) = channel::<StartTask>();
    let run = move || works.into_iter().for_each(|work| work());
    std::thread::Builder::new().name("starter".to_owned()).spawn(run).ok()?;
    Some(sender)
}
