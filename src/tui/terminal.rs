//! Entering and leaving the screen. It is left on every way out: the end, an error, a panic, a signal.

use std::io::{Write as _, stdout};

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

/// The terminal that is drawn on.
pub type Screen = Terminal<CrosstermBackend<std::io::Stdout>>;

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

/// Takes the terminal.
///
/// # Errors
/// When it cannot be switched to raw mode.
pub fn enter(with_mouse: bool) -> std::io::Result<Screen> {
    enable_raw_mode()?;
    if let Err(why) = execute!(stdout(), EnterAlternateScreen, Clear(ClearType::All), EnableBracketedPaste) {
        leave();
        return Err(why);
    }
    if with_mouse {
        mouse(true).inspect_err(|_| leave())?;
    }
    Terminal::new(CrosstermBackend::new(stdout())).inspect_err(|_| leave())
}

/// Clears the screen, so that the next frame is drawn whole. Asks the terminal nothing: after a hand-over it may not
/// answer.
///
/// # Errors
/// When the terminal is gone.
pub fn renew() -> std::io::Result<Screen> {
    execute!(stdout(), Clear(ClearType::All))?;
    Terminal::new(CrosstermBackend::new(stdout()))
}

/// Gives the terminal back. Nothing here may fail loudly: this is also the way out of a panic.
pub fn leave() {
    let _ = mouse(false);
    let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
    let _ = stdout().flush();
}

/// Makes a panic give the terminal back first, and end every hook that runs.
pub fn guard_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        leave();
        crate::app::kill_every_group();
        before(info);
    }));
}

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
