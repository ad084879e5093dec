//! Signals that ask the program to end, and the one that tells that it was stopped and goes on.

/// What a signal means here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code, reason = "the same words as where there are signals"))]
pub enum Signal {
    /// Ctrl+C, where it is not a key.
    Interrupt,
    End,
    /// The program was stopped, and is not any more.
    GoOn,
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

    /// How long a program that is continued in the background listens before it stops again.
    const LISTEN: Duration = Duration::from_millis(50);

    /// Every signal that matters, from now on.
    pub struct Signals {
        /// Those that end the program, whatever they were sent for.
        ending: Vec<Heard>,
        interrupt: Heard,
        quit: Heard,
        go_on: Heard,
    }

    impl Signals {
        /// Begins to listen.
        ///
        /// # Errors
        /// When the system does not let us.
        pub fn new() -> std::io::Result<Signals> {
            Ok(Signals {
                ending: ending_signals().into_iter().filter_map(|kind| signal(kind).ok()).collect(),
                interrupt: signal(SignalKind::interrupt())?,
                quit: signal(SignalKind::quit())?,
                go_on: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            })
        }

        /// Forgets the signals that keys send to everybody at the terminal.
        ///
        /// # Errors
        /// When the system does not let us.
        pub fn forget_keys(&mut self) -> std::io::Result<()> {
            let Signals { interrupt, quit, go_on, .. } = Signals::new()?;
            (self.interrupt, self.quit, self.go_on) = (interrupt, quit, go_on);
            Ok(())
        }

        /// The next one.
        pub async fn next(&mut self) -> Signal {
            let ending = &mut self.ending;
            tokio::select! {
                biased;
                () = poll_fn(|context| any(ending, context)) => Signal::End,
                _ = self.interrupt.recv() => Signal::Interrupt,
                _ = self.quit.recv() => Signal::End,
                _ = self.go_on.recv() => Signal::GoOn,
            }
        }

        /// Waits until the terminal is ours. In the background the program stops again, as often as it is continued
        /// there. False: it was asked to end.
        pub async fn until_ours(&mut self) -> bool {
            while !terminal::ours() {
                // What asks to end may come with what continues, and after it.
                while let Ok(signal) = tokio::time::timeout(LISTEN, self.next()).await {
                    if signal != Signal::GoOn {
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

    /// Whether one of them has come. All that have not wake the task when they do.
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

    /// Ctrl+C is all there is.
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
                // It cannot be listened to.
                Err(_) => std::future::pending().await,
            }
        }

        pub async fn until_ours(&mut self) -> bool {
            true
        }
    }
}
