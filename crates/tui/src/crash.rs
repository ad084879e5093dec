//! The handling of an internal error: hooks are killed, the terminal is restored, two lines are printed, and a
//! report is written to the state directory. A report never contains a payload, a hook's output, a command line or
//! a value of the environment, except `TERM` and `COLORTERM`.
//!
//! On the main thread a panic unwinds to [`guarded`], which finishes the program. On any other thread the screen's
//! loop is notified and ends as usual; without a loop the thread finishes the program itself. After a second panic
//! on the same thread Rust aborts the process, so the panic hook finishes the program first. Only one thread ever
//! finishes.

use std::backtrace::Backtrace;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::Notify;

use crate::terminal;
use hookbench_app::{ExitStatus, Installation, Session, StateDir, kill_every_group, write_stderr};
use hookbench_system::own_directories::home_directory;

/// Maximum number of commands listed in a report.
const KEPT_COMMANDS: usize = 50;
/// Number of reports that are kept.
const REPORTS: usize = 5;
/// Prefix of a report's file name.
const PREFIX: &str = "crash-";
/// Maximum lines of a backtrace.
const FRAMES: usize = 200;

/// The context for a report. It is stored outside the model because a panic can happen on any thread and destroy
/// the model. It holds only hookbench's own names.
struct CrashContext {
    commands: VecDeque<&'static str>,
    size: Option<(u16, u16)>,
    agents: Vec<String>,
}

impl CrashContext {
    fn note(&mut self, name: &'static str) {
        if self.commands.len() == KEPT_COMMANDS {
            self.commands.pop_front();
        }
        self.commands.push_back(name);
    }
}

/// The first panic.
struct PanicRecord {
    message: String,
    place: String,
    thread: String,
    backtrace: Backtrace,
}

static RECORDER: Mutex<CrashContext> =
    Mutex::new(CrashContext { commands: VecDeque::new(), size: None, agents: Vec::new() });
static PANIC: Mutex<Option<PanicRecord>> = Mutex::new(None);
/// Whether a panic has happened, even if its report is already being written.
static PANICKED: AtomicBool = AtomicBool::new(false);
/// The thread that finishes the program.
static FINISHER: OnceLock<ThreadId> = OnceLock::new();
/// Whether a loop listens to `PANIC_NOTICE`.
static LISTENING: AtomicBool = AtomicBool::new(false);
static PANIC_NOTICE: Notify = Notify::const_new();

thread_local! {
    static PANICKED_BEFORE: Cell<bool> = const { Cell::new(false) };
}

/// Records the name of a command.
pub fn note(name: &'static str) {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner).note(name);
}

/// Records the size of the screen.
pub fn note_size(size: (u16, u16)) {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner).size = Some(size);
}

/// Records the agents and their versions.
pub fn note_agents(session: &Session) {
    let agents = session.agents().iter().map(|agent| {
        let installed = match &agent.installed {
            Installation::Missing => "none".to_owned(),
            Installation::UnknownVersion => "version unknown".to_owned(),
            Installation::Version(version) => short(&version.to_string()),
        };
        format!("{} {} (installed: {installed})", agent.dialect.id(), short(&agent.version.to_string()))
    });
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner).agents = agents.collect();
}

/// Runs the program. A panic on any thread ends it with the status of an internal error.
pub fn guarded(program: impl FnOnce() -> ExitStatus) -> ExitStatus {
    let main = thread::current().id();
    std::panic::set_hook(Box::new(move |info| on_panic(info, main)));
    let ended = catch_unwind(AssertUnwindSafe(program));
    match ended {
        Ok(status) if !PANICKED.load(Ordering::SeqCst) => status,
        _ => finish_alone(),
    }
}

/// Listens to panics on other threads until it is dropped.
pub struct PanicListener;

impl PanicListener {
    /// Starts listening.
    pub fn new() -> PanicListener {
        LISTENING.store(true, Ordering::SeqCst);
        PanicListener
    }

    /// Waits for a panic on another thread.
    pub async fn notified(&self) {
        PANIC_NOTICE.notified().await;
    }
}

impl Drop for PanicListener {
    fn drop(&mut self) {
        LISTENING.store(false, Ordering::SeqCst);
    }
}

fn on_panic(info: &PanicHookInfo<'_>, main: ThreadId) {
    // If the thread-local value is already destroyed, this is taken as the first panic.
    let again = PANICKED_BEFORE.try_with(|before| before.replace(true)).unwrap_or(false);
    {
        // The lock is held until the panic is stored, so that another finishing thread waits for it.
        let mut broken = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        if !PANICKED.swap(true, Ordering::SeqCst) {
            *broken = Some(PanicRecord::of(info));
        }
    }
    kill_every_group();
    if again {
        finish_alone();
    }
    if thread::current().id() == main {
        return;
    }
    if LISTENING.load(Ordering::SeqCst) {
        PANIC_NOTICE.notify_one();
    } else {
        finish_alone();
    }
}

/// Ends the program. If another thread is already finishing it, waits for the end.
fn finish_alone() -> ! {
    let own = thread::current().id();
    if FINISHER.set(own).is_ok() {
        finish();
    } else if FINISHER.get() != Some(&own) {
        loop {
            thread::park();
        }
    }
    std::process::exit(i32::from(ExitStatus::Internal.code()))
}

fn finish() {
    terminal::leave();
    kill_every_group();
    let broken = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(broken) = broken else { return };
    let state = StateDir::for_process();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let name = format!("{PREFIX}{now:012}-{}.txt", std::process::id());
    let help = match state.write(&name, &report(&broken, now)) {
        Ok(()) => {
            state.keep_last(PREFIX, REPORTS);
            format!(
                "{} describes the error without any payload; please attach it to your report",
                state.file(&name).display()
            )
        }
        Err(why) => format!("the report could not be written ({why}); please report the place above"),
    };
    write_stderr(format!(
        "internal error at {} ({}); hooks that ran were ended\n  help: {help}",
        broken.place, broken.message
    ));
}

impl PanicRecord {
    fn of(info: &PanicHookInfo<'_>) -> PanicRecord {
        let payload = info.payload();
        let message = match (payload.downcast_ref::<&'static str>(), payload.downcast_ref::<String>()) {
            // A message written in the source code.
            (Some(text), _) => (*text).to_owned(),
            (None, Some(text)) => redacted(text),
            (None, None) => "no message".to_owned(),
        };
        let place = info.location().map_or_else(
            || "an unknown place".to_owned(),
            |at| format!("{}:{}:{}", without_home(at.file()), at.line(), at.column()),
        );
        let thread = thread::current().name().unwrap_or("without a name").to_owned();
        PanicRecord { message, place, thread, backtrace: Backtrace::force_capture() }
    }
}

fn report(broken: &PanicRecord, now: u64) -> String {
    let var = |name: &str| std::env::var(name).map_or_else(|_| "not set".to_owned(), |value| short(&value));
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    // The panicking thread may hold the lock.
    let (size, agents, verbs) = match RECORDER.try_lock() {
        Ok(recorder) => {
            let size = recorder.size.map_or_else(|| "no screen".to_owned(), |(w, h)| format!("{w}x{h}"));
            (size, recorder.agents.join(", "), recorder.commands.iter().copied().collect::<Vec<_>>().join(" "))
        }
        Err(_) => ("not known".to_owned(), String::new(), String::new()),
    };
    let backtrace = without_home(&broken.backtrace.to_string());
    let frames: Vec<&str> = backtrace.lines().take(FRAMES).collect();
    format!(
        "hookbench ended because of an internal error. This report contains no payload, no output and no command line.\n\n\
         message    {}\nplace      {}\nthread     {}\nversion    {} {build}, {} {}\nat         {now} (seconds since 1970)\n\
         terminal   {size}, TERM {}, COLORTERM {}\nagents     {agents}\nlast verbs {verbs}\n\n{}\n",
        broken.message,
        broken.place,
        broken.thread,
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        var("TERM"),
        var("COLORTERM"),
        frames.join("\n"),
    )
}

/// Limits an external word to the characters and length of versions and terminal names.
fn short(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_alphanumeric() || "._+-".contains(*c)).take(40).collect()
}

/// Removes the home directory of the user who built or runs the program from paths.
fn without_home(text: &str) -> String {
    match home_directory().map(|home| home.to_string_lossy().into_owned()) {
        Some(home) if home.len() > 1 => text.replace(&home, "~"),
        _ => text.to_owned(),
    }
}

/// Words that the standard library and our dependencies use in panic messages.
const WORDS: &[&str] = &[
    "a",
    "already",
    "an",
    "and",
    "area",
    "at",
    "attempt",
    "beyond",
    "bigger",
    "borrowed",
    "boundary",
    "bounds",
    "buffer",
    "but",
    "byte",
    "bytes",
    "called",
    "capacity",
    "char",
    "could",
    "destination",
    "different",
    "end",
    "ends",
    "error",
    "err",
    "exceeds",
    "expected",
    "failed",
    "for",
    "found",
    "from",
    "greater",
    "have",
    "in",
    "index",
    "insertion",
    "inside",
    "into",
    "is",
    "it",
    "larger",
    "len",
    "length",
    "lengths",
    "mid",
    "must",
    "mutably",
    "none",
    "not",
    "of",
    "on",
    "option",
    "out",
    "outside",
    "overflow",
    "overflowed",
    "panicked",
    "range",
    "removal",
    "result",
    "should",
    "size",
    "slice",
    "source",
    "split",
    "start",
    "starts",
    "str",
    "string",
    "than",
    "that",
    "the",
    "thread",
    "to",
    "unwrap",
    "usize",
    "value",
    "was",
    "when",
    "with",
    "zero",
];

/// Removes user data from a message that was formatted at run time; some messages print the whole text that they
/// could not slice. Removes the text between the first and the last quotation mark; of the rest, only the words in
/// [`WORDS`] and numbers of a few digits remain.
fn redacted(message: &str) -> String {
    let quotes = ['"', '\'', '`'];
    let (before, cut, after) = match (message.find(quotes), message.rfind(quotes)) {
        (Some(first), Some(last)) => (&message[..first], "…", &message[last + 1..]),
        _ => (message, "", ""),
    };
    let mut out: Vec<&str> = Vec::new();
    for word in [before, cut, after].into_iter().flat_map(str::split_whitespace) {
        let bare = word.trim_matches(|c: char| c.is_ascii_punctuation());
        let number = !bare.is_empty() && bare.len() <= 6 && bare.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let known = number || WORDS.contains(&bare.to_ascii_lowercase().as_str());
        let word = if known { word } else { "…" };
        if word != "…" || out.last() != Some(&"…") {
            out.push(word);
        }
    }
    out.truncate(40);
    out.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_what_is_nobody_s() {
        for (message, kept) in [
            (
                "index out of bounds: the len is 3 but the index is 5",
                "index out of bounds: the len is 3 but the index is 5",
            ),
            (
                "end byte index 3 is not a char boundary; it is inside 'ö' (bytes 2..4 of string) of `my `own` text`[...]",
                "end byte index 3 is not a char boundary; it is inside …",
            ),
            ("start byte index 9 is out of bounds of `rm -rf \"x\"`", "start byte index 9 is out of bounds of …"),
            ("called `Result::unwrap()` on an `Err` value: \"secret\"", "called …"),
            ("no such key hunter2 in the payload", "… in the …"),
            ("value 12345678 is 1.2", "value … is 1.2"),
            ("two\nlines of key=hunter2", "… of …"),
            ("", ""),
        ] {
            assert_eq!(redacted(message), kept, "{message}");
        }
    }

    #[test]
    fn only_the_last_names_are_kept() {
        let mut recorder = CrashContext { commands: VecDeque::new(), size: None, agents: Vec::new() };
        for name in std::iter::repeat_n("early", KEPT_COMMANDS).chain(std::iter::repeat_n("late", KEPT_COMMANDS - 1)) {
            recorder.note(name);
        }
        assert_eq!(recorder.commands.len(), KEPT_COMMANDS);
        assert_eq!((recorder.commands[0], recorder.commands[1]), ("early", "late"));
    }
}
