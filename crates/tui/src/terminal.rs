//! Entering and leaving the screen. It is left on every way out: the end, an error, a panic, a signal.

use std::io::{Write as _, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

/// The terminal that is drawn on.
pub type Screen = Terminal<CrosstermBackend<Out>>;

/// Stdout as long as the terminal is taken. Whatever a frame wants to write after that, on its way out of a panic on
/// another thread, goes nowhere.
pub struct Out;

impl std::io::Write for Out {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // Under the lock that leaving takes too.
        let mut out = stdout().lock();
        if TAKEN.load(Ordering::SeqCst) { out.write(bytes) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let mut out = stdout().lock();
        if TAKEN.load(Ordering::SeqCst) { out.flush() } else { Ok(()) }
    }
}

/// Takes the mouse: clicks, the wheel, movements while a button is held, and who has the focus; not every movement. Or
/// gives it back.
///
/// # Errors
/// When the terminal is gone.
pub fn mouse(on: bool) -> std::io::Result<()> {
    let mut out = stdout();
    let end = if on { 'h' } else { 'l' };
    write!(out, "\u{1b}[?1000{end}\u{1b}[?1002{end}\u{1b}[?1006{end}\u{1b}[?1004{end}")?;
    out.flush()
}

/// The terminal is taken: there is something to give back.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes the terminal.
///
/// # Errors
/// When it cannot be switched to raw mode.
pub fn enter(with_mouse: bool) -> std::io::Result<Screen> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    dress(with_mouse).inspect_err(|_| leave())
}

/// Takes the terminal again after the program was stopped without knowing of it. A shell may have had it meanwhile, with
/// modes of its own.
///
/// # Errors
/// When the terminal is gone.
pub fn again(with_mouse: bool) -> std::io::Result<Screen> {
    if is_cooked() {
        disable_raw_mode()?;
        enable_raw_mode()?;
    }
    dress(with_mouse)
}

fn dress(with_mouse: bool) -> std::io::Result<Screen> {
    execute!(stdout(), EnterAlternateScreen, Clear(ClearType::All), EnableBracketedPaste)?;
    if with_mouse {
        mouse(true)?;
    }
    Terminal::new(CrosstermBackend::new(Out))
}

/// Clears the screen, so that the next frame is drawn whole. Asks the terminal nothing: after a hand-over it may not
/// answer.
///
/// # Errors
/// When the terminal is gone.
pub fn renew() -> std::io::Result<Screen> {
    execute!(stdout(), Clear(ClearType::All))?;
    Terminal::new(CrosstermBackend::new(Out))
}

/// Gives the terminal back, if it was taken. Nothing here may fail loudly: this is also the way out of a panic.
pub fn leave() {
    let mut out = stdout().lock();
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = mouse(false);
    let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    // In the background the modes are the shell's, and whoever sets them is stopped.
    if ours() {
        let _ = disable_raw_mode();
    }
    let _ = out.flush();
}

/// Runs something that is given the terminal, and puts its modes back to what they were: not every editor does. Nor may
/// it stay non-blocking, or a long frame would be an error.
#[cfg(unix)]
pub fn lend<T>(visit: impl FnOnce() -> T) -> T {
    use rustix::fs::{fcntl_getfl, fcntl_setfl};
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let terminal = std::io::stdin();
    let (modes, flags) = (tcgetattr(&terminal), fcntl_getfl(&terminal));
    let result = visit();
    // Where that fails the terminal is gone, which is seen soon enough.
    if let Ok(modes) = modes {
        let _ = tcsetattr(&terminal, OptionalActions::Now, &modes);
    }
    if let Ok(flags) = flags {
        let _ = fcntl_setfl(&terminal, flags);
    }
    result
}

/// Runs something that is given the terminal.
#[cfg(not(unix))]
pub fn lend<T>(visit: impl FnOnce() -> T) -> T {
    visit()
}

/// Tells of keys that wait to be read. Crossterm forgets to read them when they come together with a change of the size, or
/// behind more than it reads at once, and is not told again before the next key; setting the modes to what they are makes the system tell again.
#[cfg(unix)]
pub fn remind() {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let terminal = std::io::stdin();
    let _ = tcgetattr(&terminal).and_then(|modes| tcsetattr(&terminal, OptionalActions::Now, &modes));
}

/// Nothing is forgotten here.
#[cfg(not(unix))]
pub fn remind() {}

/// Whether keys are handed out by the line, as a shell has it.
#[cfg(unix)]
fn is_cooked() -> bool {
    use rustix::termios::{LocalModes, tcgetattr};
    tcgetattr(std::io::stdin()).is_ok_and(|modes| modes.local_modes.contains(LocalModes::ICANON))
}

/// Nobody else sets the modes here.
#[cfg(not(unix))]
fn is_cooked() -> bool {
    false
}

/// Whether the terminal may be drawn on and read: a program in the background leaves it alone. A terminal without job
/// control belongs to everybody.
#[cfg(unix)]
pub fn ours() -> bool {
    rustix::termios::tcgetpgrp(std::io::stdin()).map_or(true, |group| group == rustix::process::getpgrp())
}

/// There is no job control here.
#[cfg(not(unix))]
pub fn ours() -> bool {
    true
}

/// Calls `told`, on a thread of its own, when nobody is at the other end of the terminal any more. Reading tells that
/// too, but not in every case: crossterm goes on reading at the end, for ever. And the signal goes to the shell alone.
#[cfg(unix)]
pub fn watch_hang_up(told: impl FnOnce() + Send + 'static) {
    use rustix::event::{PollFd, PollFlags, poll};
    std::thread::spawn(move || {
        let stdin = std::io::stdin();
        loop {
            // Asks for nothing; the end is told all the same.
            let mut end = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut end, None) {
                Ok(_) if end[0].revents().contains(PollFlags::HUP) => return told(),
                Err(rustix::io::Errno::INTR) => {}
                // Not to be known on this system.
                Ok(_) | Err(_) => return,
            }
        }
    });
}

/// The window's end ends the program here.
#[cfg(not(unix))]
pub fn watch_hang_up(_told: impl FnOnce() + Send + 'static) {}

/// Throws away what was typed and not read yet.
#[cfg(unix)]
pub fn forget_keys() {
    // There is nothing to be done where it fails.
    let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// Nothing is thrown away here.
#[cfg(not(unix))]
pub fn forget_keys() {}

/// Stops this program as Ctrl+Z does, until it is continued.
#[cfg(unix)]
pub fn suspend() {
    // The signal goes to the whole foreground group, as the terminal itself would send it.
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
}

/// There is no job control here.
#[cfg(not(unix))]
pub fn suspend() {}

/// Stops this program as the system stops one that would draw from the background.
#[cfg(unix)]
pub fn stop() {
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TTOU);
}
