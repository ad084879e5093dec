//! The restoring of the terminal when the process aborts, for example because memory cannot be allocated: then no
//! panic hook runs, and no destructor.

#[cfg(unix)]
pub use unix::restore_on_abort;

#[cfg(not(unix))]
pub fn restore_on_abort() {}

#[cfg(unix)]
mod unix {
    use std::io::{stdin, stdout};
    use std::sync::OnceLock;

    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
    use signal_hook::consts::SIGABRT;

    use crate::terminal::is_entered;

    /// Turns off what [`crate::terminal::enter`] turns on, and says what happened.
    const RESTORE: &[u8] =
        b"\x1b[?1000l\x1b[?1002l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?2026l\x1b[?1049l\x1b[?25h\r\n\
        hookbench was aborted; its memory did not suffice, or a library of the system ended it\r\n";

    /// The modes of the terminal before it was entered.
    static MODES: OnceLock<Termios> = OnceLock::new();

    /// Remembers the modes of the terminal, and restores them if the process aborts from now on.
    pub fn restore_on_abort() {
        let Ok(modes) = tcgetattr(stdin()) else { return };
        if MODES.set(modes).is_ok() {
            register();
        }
    }

    /// Registers the handler. It allocates nothing, takes no lock, and ends the process as it would end without it.
    #[allow(unsafe_code, reason = "a handler may only call what is safe in a signal")]
    fn register() {
        let restore = || {
            if is_entered() {
                let _ = rustix::io::write(stdout(), RESTORE);
                if let Some(modes) = MODES.get() {
                    let _ = tcsetattr(stdin(), OptionalActions::Now, modes);
                }
            }
            let _ = signal_hook::low_level::emulate_default_handler(SIGABRT);
        };
        // SAFETY: `restore` reads two atomic values and makes system calls. Without the handler the program works as
        // well, except that an abort does not restore the terminal.
        let _ = unsafe { signal_hook::low_level::register(SIGABRT, restore) };
    }
}
