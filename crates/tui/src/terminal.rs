//! Entering and leaving the terminal. It is restored on every exit: the normal end, an error, a panic, a signal; if a
//! signal leaves no time for that, by the process that waits for hookbench ([`InitialModes`]).

use std::io::{Write as _, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
#[cfg(unix)]
use rustix::process::Signal;
use tokio::sync::Notify;

use crate::bounded_backend::BoundedBackend;
use hookbench_app::{ExitStatus, kill_every_group};

/// The terminal that frames are drawn to.
pub type AppTerminal = Terminal<BoundedBackend<ScreenOutput>>;

/// Writes to stdout while the terminal is entered. Later output, for example of a frame interrupted by a panic on
/// another thread, is discarded.
pub struct ScreenOutput;

impl std::io::Write for ScreenOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // Under the same lock as [`leave`].
        let mut out = stdout().lock();
        if ENTERED.load(Ordering::SeqCst) { out.write(bytes) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let mut out = stdout().lock();
        if ENTERED.load(Ordering::SeqCst) { out.flush() } else { Ok(()) }
    }
}

/// Turns mouse capture on or off: clicks, the wheel, movement while a button is held, and focus changes, but not
/// every movement.
pub fn mouse(on: bool) -> std::io::Result<()> {
    let mut out = stdout();
    let end = if on { 'h' } else { 'l' };
    write!(out, "\u{1b}[?1000{end}\u{1b}[?1002{end}\u{1b}[?1006{end}\u{1b}[?1004{end}")?;
    out.flush()
}

/// Turns off what [`enter`] turns on.
#[cfg(unix)]
const RESTORE: &[u8] = b"\x1b[?1000l\x1b[?1002l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?2026l\x1b[?1049l\x1b[?25h\r\n";

/// Whether the terminal is entered and has to be restored.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// Enters the terminal.
///
/// # Errors
/// Returns an error if raw mode cannot be enabled.
pub fn enter(with_mouse: bool) -> std::io::Result<AppTerminal> {
    enable_raw_mode()?;
    ENTERED.store(true, Ordering::SeqCst);
    set_up(with_mouse).inspect_err(|_| leave())
}

/// Enters the terminal again after the process was stopped from outside. A shell may have changed its modes
/// meanwhile.
pub fn re_enter(with_mouse: bool) -> std::io::Result<AppTerminal> {
    if is_cooked() {
        disable_raw_mode()?;
        enable_raw_mode()?;
    }
    set_up(with_mouse)
}

fn set_up(with_mouse: bool) -> std::io::Result<AppTerminal> {
    execute!(stdout(), EnterAlternateScreen, Clear(ClearType::All), EnableBracketedPaste)?;
    if with_mouse {
        mouse(true)?;
    }
    Terminal::new(BoundedBackend::new(ScreenOutput))
}

/// Clears the screen, so that the next frame is drawn completely. Does not query the terminal, which may not
/// answer at this point.
pub fn clear() -> std::io::Result<AppTerminal> {
    execute!(stdout(), Clear(ClearType::All))?;
    Terminal::new(BoundedBackend::new(ScreenOutput))
}

/// Restores the terminal if it was entered. Errors are ignored, because a panic also takes this path.
pub fn leave() {
    let mut out = stdout().lock();
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = mouse(false);
    let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    // In the background the modes belong to the shell, and a process that sets them is stopped.
    if ours() {
        let _ = disable_raw_mode();
    }
    let _ = out.flush();
}

/// The modes of the terminal before hookbench has changed any.
#[cfg(unix)]
pub struct InitialModes(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl InitialModes {
    /// Reads them.
    pub fn read() -> InitialModes {
        InitialModes(rustix::termios::tcgetattr(std::io::stdin()).ok())
    }

    /// Restores the terminal for a program that could not, because a signal has ended it at once, and says so.
    pub fn restore(&self, signal: i32) {
        use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
        let shape = |modes: &rustix::termios::Termios| {
            (modes.input_modes, modes.output_modes, modes.control_modes, modes.local_modes)
        };
        if let Some(initial) = self.0.as_ref().filter(|_| ours())
            && tcgetattr(std::io::stdin()).is_ok_and(|modes| shape(&modes) != shape(initial))
        {
            let _ = rustix::io::write(stdout(), RESTORE);
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, initial);
        }
        let what = match Signal::from_named_raw(signal) {
            Some(Signal::ABORT) => "aborted: its memory did not suffice, or a library of the system ended it",
            Some(Signal::KILL) => "killed: a program ended it, or the memory of the system did not suffice",
            _ => "ended by a signal",
        };
        hookbench_app::write_stderr(format!("{what}; what its hooks had started was ended"));
    }
}

/// Runs `visit`, which uses the terminal, and restores the modes afterwards; some editors do not. The non-blocking
/// flag is restored too, because drawing a large frame would otherwise fail.
#[cfg(unix)]
pub fn lend<T>(visit: impl FnOnce() -> T) -> T {
    use rustix::fs::{fcntl_getfl, fcntl_setfl};
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let terminal = std::io::stdin();
    let (modes, flags) = (tcgetattr(&terminal), fcntl_getfl(&terminal));
    let result = visit();
    // If this fails, the terminal is gone, which the loop notices soon.
    if let Ok(modes) = modes {
        let _ = tcsetattr(&terminal, OptionalActions::Now, &modes);
    }
    if let Ok(flags) = flags {
        let _ = fcntl_setfl(&terminal, flags);
    }
    result
}

/// Runs `visit`, which uses the terminal.
#[cfg(not(unix))]
pub fn lend<T>(visit: impl FnOnce() -> T) -> T {
    visit()
}

/// Makes the system report waiting keys again. Crossterm does not read keys that arrive together with a change of
/// size, or beyond the number it reads at once, and is not notified again before the next key; setting the
/// unchanged modes triggers a notification.
#[cfg(unix)]
pub fn remind() {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let terminal = std::io::stdin();
    let _ = tcgetattr(&terminal).and_then(|modes| tcsetattr(&terminal, OptionalActions::Now, &modes));
}

/// Not needed on this system.
#[cfg(not(unix))]
pub fn remind() {}

/// Whether the terminal is in line mode, as a shell sets it.
#[cfg(unix)]
fn is_cooked() -> bool {
    use rustix::termios::{LocalModes, tcgetattr};
    tcgetattr(std::io::stdin()).is_ok_and(|modes| modes.local_modes.contains(LocalModes::ICANON))
}

/// On this system no other process sets the modes.
#[cfg(not(unix))]
fn is_cooked() -> bool {
    false
}

/// Whether the program is in the foreground and may use the terminal. Always true for a terminal without job
/// control.
#[cfg(unix)]
pub fn ours() -> bool {
    rustix::termios::tcgetpgrp(std::io::stdin())
        .map_or(true, |group| Some(group) == hookbench_system::runner::own_group())
}

/// This system has no job control.
#[cfg(not(unix))]
pub fn ours() -> bool {
    true
}

/// Calls `told` on its own thread when the terminal is disconnected. Reading does not always report it: crossterm
/// can keep reading at the end of input forever, and the signal is sent only to the shell.
#[cfg(unix)]
pub fn watch_hang_up(told: impl FnOnce() + Send + 'static) {
    use rustix::event::{PollFd, PollFlags, poll};
    std::thread::spawn(move || {
        let stdin = std::io::stdin();
        loop {
            // No events are requested; a hang-up is always reported.
            let mut end = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut end, None) {
                Ok(_) if end[0].revents().contains(PollFlags::HUP) => return told(),
                Err(rustix::io::Errno::INTR) => {}
                // This system does not report a hang-up.
                Ok(_) | Err(_) => return,
            }
        }
    });
}

/// Ends the program when its terminal is gone. The loop is asked first; if it does not react because it keeps
/// reading, hooks are killed and the process exits.
pub fn leave_a_dead_terminal(gone: &Notify) {
    gone.notify_one();
    std::thread::sleep(std::time::Duration::from_secs(1));
    kill_every_group();
    std::process::exit(i32::from(ExitStatus::Interrupted.code()));
}

/// On this system closing the window ends the program.
#[cfg(not(unix))]
pub fn watch_hang_up(_told: impl FnOnce() + Send + 'static) {}

/// Discards keys that were typed but not read yet.
#[cfg(unix)]
pub fn forget_keys() {
    // A failure cannot be handled.
    let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// Not supported on this system.
#[cfg(not(unix))]
pub fn forget_keys() {}

/// Stops this program as Ctrl+Z does, until it is continued.
#[cfg(unix)]
pub fn suspend() {
    // The signal goes to the whole foreground group, as if sent by the terminal.
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
}

/// This system has no job control.
#[cfg(not(unix))]
pub fn suspend() {}

/// Stops this program as the system stops a background process that writes to the terminal.
#[cfg(unix)]
pub fn stop() {
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TTOU);
}
