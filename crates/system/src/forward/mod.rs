//! `hookbench forward`: the hook that an agent runs. It sends one event to the server, waits for the decision, and
//! returns it to the agent. After any error, the agent gets one JSON object and exit status 0, in time.
//!
//! The main thread reads, connects and writes (`exchange`). Another thread watches absolute deadlines
//! (`watchdog`) and exits the process when one expires. There is no async runtime, no store and no terminal,
//! because an agent waits for this process.

mod args;
mod environment;
mod exchange;
mod log;
mod outcome;
mod watchdog;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::panic::{self, AssertUnwindSafe};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use args::ForwardArgs;
use environment::ForwardEnvironment;
use exchange::ForwardContext;
use hookbench_core::live::{DeadlineOverrides, deadlines_of, live_form, wire_event};
use outcome::{ForwardNote, ForwardOutcome};
use watchdog::Watchdog;

const HELP: &str = "Sends one event of a running agent to hookbench, and returns its decision.

Usage: hookbench forward --agent AGENT [--event EVENT] [--socket PATH] < payload

Agents run this command as a hook. On any error it exits with 0 and prints {}, so that the agent continues as if
there were no hook; if hookbench ends while it holds the event, it prints the answer that the screen announced. Errors are logged in ~/.local/state/hookbench/forward.log, and on stderr with HOOKBENCH_DEBUG=1.
";

/// Runs `hookbench forward` and returns the exit status. `args` are the arguments after `forward`.
pub fn run(args: impl Iterator<Item = OsString>) -> u8 {
    let started = Instant::now();
    let asked = ForwardArgs::parse(args);
    if asked.help && std::io::stdin().is_terminal() {
        let _ = std::io::stdout().write_all(HELP.as_bytes());
        return 0;
    }
    let here = ForwardEnvironment::read();
    let last = FinalResponse { agent: asked.agent.clone(), here: here.clone(), started };
    let late = last.clone();
    let deadline = started + first_deadline(&asked, &DeadlineOverrides::default());
    let give_up = move |ended: ForwardOutcome| std::process::exit(late.respond(&ended).into());
    let ended = match Watchdog::start(started, deadline, give_up) {
        Ok(watchdog) => {
            let passed = catch_panics(|| forward_with_watchdog(asked, &here, &watchdog, started));
            let ended = passed.unwrap_or_else(|note| ForwardOutcome {
                response: watchdog.fallback(),
                ..ForwardOutcome::pass(vec![note])
            });
            watchdog.stop();
            ended
        }
        // Without the watchdog, nothing that may block is safe.
        Err(why) => ForwardOutcome::pass(vec![ForwardNote::new("thread", why.to_string())]),
    };
    last.respond(&ended)
}

fn forward_with_watchdog(
    asked: ForwardArgs,
    here: &ForwardEnvironment,
    watchdog: &Watchdog,
    started: Instant,
) -> ForwardOutcome {
    let (settings, mut notes) = here.settings();
    notes.extend(asked.notes.iter().cloned());
    watchdog.settings_read(started + first_deadline(&asked, &settings.deadlines), &notes);
    let socket = here.socket(&asked);
    let ended = exchange::forward_event(&ForwardContext { args: asked, settings, started }, &socket, watchdog);
    notes.extend(ended.notes);
    ForwardOutcome { notes, ..ended }
}

/// The deadline for the payload. The event's name may be known only from the payload.
fn first_deadline(asked: &ForwardArgs, changes: &DeadlineOverrides) -> Duration {
    let form = asked.agent.as_deref().and_then(live_form);
    let event = asked.event.as_deref().map(|said| wire_event(form, said));
    deadlines_of(event.as_deref().unwrap_or("pre_tool_use"), changes).stdin
}

/// The context for the final response, which either thread may write.
#[derive(Clone)]
struct FinalResponse {
    agent: Option<String>,
    here: ForwardEnvironment,
    started: Instant,
}

impl FinalResponse {
    /// Writes the response to the agent and the log, and returns the exit status.
    fn respond(&self, ended: &ForwardOutcome) -> u8 {
        let mut out = std::io::stdout();
        // If the agent no longer reads, there is nothing to do.
        let _ = out.write_all(ended.response.stdout.as_bytes()).and_then(|()| out.flush());
        let _ = std::io::stderr().write_all(ended.response.stderr.as_bytes());
        log::write(&self.here, self.agent.as_deref(), ended, self.started.elapsed());
        if let (Some(agent), Some(directory)) = (&self.agent, self.here.state_directory()) {
            environment::store_if_changed(&directory, agent);
        }
        ended.response.exit_code
    }
}

/// The message of the first panic.
static PANIC: OnceLock<String> = OnceLock::new();

/// Runs `work`. A panic becomes a note like any other error, and prints nothing on stderr.
fn catch_panics(work: impl FnOnce() -> ForwardOutcome) -> Result<ForwardOutcome, ForwardNote> {
    panic::set_hook(Box::new(|info| {
        let _ = PANIC.set(info.to_string());
    }));
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| panicked())
}

fn panicked() -> ForwardNote {
    ForwardNote::new("panic", PANIC.get().cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_noted() {
        let note = catch_panics(|| panic!("on purpose")).unwrap_err();
        assert_eq!((note.problem, note.detail.contains("on purpose")), ("panic", true));
    }
}
