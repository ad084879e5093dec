//! The signals that end, stop or continue the program.

/// The meaning of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code, reason = "the same words as where there are signals"))]
pub enum Signal {
    /// Ctrl+C that was not read as a key.
    Interrupt,
    Terminate,
    /// The program was stopped and continues.
    Continued,
}

#[cfg(unix)]
pub use unix::Signals;

#[cfg(not(unix))]
pub use other::Signals;

#[cfg(unix)]
mod unix {
    use std::future::poll_fn;
    use std::task::{Context, Poll};
    use std::time::Duration;

    use tokio::signal::unix::{Signal as Heard, SignalKind, signal};

    use super::Signal;
    use crate::terminal;
    use hookbench_app::ending_signals;

    /// How long a program that is continued in the background listens for signals before it stops again. On a busy
    /// machine a signal that was sent together with the continuing one is read some time after it.
    const LISTEN: Duration = Duration::from_millis(300);

    /// Listeners for every relevant signal.
    pub struct Signals {
        /// The signals that end the program.
        ending: Vec<Heard>,
        interrupt: Heard,
        quit: Heard,
        go_on: Heard,
    }

    impl Signals {
        /// Starts listening.
        pub fn new() -> std::io::Result<Signals> {
            Ok(Signals {
                ending: ending_signals().into_iter().filter_map(|kind| signal(kind).ok()).collect(),
                interrupt: signal(SignalKind::interrupt())?,
                quit: signal(SignalKind::quit())?,
                go_on: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            })
        }

        /// Discards the signals that keys have sent to all processes of the terminal.
        pub fn forget_keys(&mut self) -> std::io::Result<()> {
            let Signals { interrupt, quit, go_on, .. } = Signals::new()?;
            (self.interrupt, self.quit, self.go_on) = (interrupt, quit, go_on);
            Ok(())
        }

        /// Waits for the next signal.
        pub async fn next(&mut self) -> Signal {
            let ending = &mut self.ending;
            tokio::select! {
                biased;
                () = poll_fn(|context| any(ending, context)) => Signal::Terminate,
                _ = self.interrupt.recv() => Signal::Interrupt,
                _ = self.quit.recv() => Signal::Terminate,
                _ = self.go_on.recv() => Signal::Continued,
            }
        }

        /// Waits until the program is in the foreground; while it is continued in the background, it stops again.
        /// Returns `false` if a signal asks it to end.
        pub async fn until_ours(&mut self) -> bool {
            while !terminal::ours() {
                // An ending signal can arrive with or shortly after the continuing one.
                while let Ok(signal) = tokio::time::timeout(LISTEN, self.next()).await {
                    if signal != Signal::Continued {
                        return false;
                    }
                }
                if !terminal::ours() {
                    terminal::stop();
                }
            }
            true
        }
    }

    /// Whether any of the signals has arrived; otherwise each of them will wake the task.
    fn any(all: &mut [Heard], context: &mut Context<'_>) -> Poll<()> {
        let mut come = Poll::Pending;
        for one in all {
            if one.poll_recv(context).is_ready() {
                come = Poll::Ready(());
            }
        }
        come
    }
}

#[cfg(not(unix))]
mod other {
    use super::Signal;

    /// The signals of systems other than Unix: only Ctrl+C.
    pub struct Signals;

    #[allow(clippy::unnecessary_wraps, clippy::unused_async, clippy::unused_self, reason = "the same shape as on Unix")]
    impl Signals {
        pub fn new() -> std::io::Result<Signals> {
            Ok(Signals)
        }

        pub fn forget_keys(&mut self) -> std::io::Result<()> {
            Ok(())
        }

        pub async fn next(&mut self) -> Signal {
            match tokio::signal::ctrl_c().await {
                Ok(()) => Signal::Interrupt,
                // The handler cannot be installed.
                Err(_) => std::future::pending().await,
            }
        }

        pub async fn until_ours(&mut self) -> bool {
            true
        }
    }
}
