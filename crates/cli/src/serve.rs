//! `serve`: receives events without a screen and prints a line for each, until it is stopped.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::Args;

use super::error::CliError;
use super::formats::LinesFormat;
use super::print;
use super::run::runtime;
use super::signals::stop_signals;
use hookbench_app::live::{
    AnsweredFact, ArrivedFact, FactFeed, LiveCommand, LiveFact, LiveHandle, LiveSettings, ServeError, ServerPaths,
    StorageSettings, Token,
};
use hookbench_app::{ExitStatus, STORE_FILE, StateDir, config_file, write_stderr};
use hookbench_core::live::intercept::{self, InterceptSettings};
use hookbench_core::recorded::format_time;
use hookbench_core::text::{escape_for_terminal, escape_json_for_terminal};

/// The text below the options in the help of `serve`.
pub const SERVE_HELP: &str = "\
Events come from the hooks that `hookbench install` writes. hookbench stores, prints and answers each of them. Breakpoints and \
handlers are read from config.toml; without them, no event is held or changed. A user has one server: if another one runs, \
this one prints its process id and exits with 1. Ctrl-C stops the server, and held events continue.

With --remote-decide, programs that know a token can answer held events (POST /v1/held/ID). The token is shown once, on the \
terminal only. Agents run as the same user, so the token does not stop a program that can read your terminal or end the \
server.

Exit status: 0 stopped; 1 another server runs; 2 wrong usage; 5 the socket cannot be created, or events could not be stored.";

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Path of the socket [default: HOOKBENCH_SOCKET, or a path below XDG_RUNTIME_DIR]
    #[arg(long, value_name = "PATH")]
    pub socket: Option<PathBuf>,
    /// Let programs answer held events; they need the token that is shown once on the terminal
    #[arg(long)]
    pub remote_decide: bool,
    /// Let breakpoints and handlers answer with any bytes and exit status, to test how an agent treats a broken hook
    #[arg(long)]
    pub allow_raw: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = LinesFormat::Text)]
    pub format: LinesFormat,
}

/// Serves until a stop signal arrives.
pub fn serve(args: &ServeArgs) -> Result<ExitStatus, CliError> {
    let runtime = runtime(2)?;
    let status = runtime.block_on(run(args));
    // Does not wait for threads that still read the store.
    runtime.shutdown_background();
    status
}

async fn run(args: &ServeArgs) -> Result<ExitStatus, CliError> {
    // Registered before the socket is created, so that a signal cannot leave it behind.
    let mut stops = stop_signals();
    let (token, shown) = if args.remote_decide { token()? } else { (None, String::new()) };
    let desk = desk_settings(args.allow_raw);
    let settings = LiveSettings {
        whereabouts: ServerPaths::resolve(args.socket.as_deref()),
        store: StateDir::for_process().file(STORE_FILE),
        storage: StorageSettings { mask_secrets: desk.redact, ..StorageSettings::default() },
        desk,
        token,
        mode: "serve",
    };
    let mut live = match LiveHandle::start(settings).await {
        Ok(live) => live,
        Err(held @ ServeError::Held { .. }) => {
            write_stderr(held);
            return Ok(ExitStatus::NotAsExpected);
        }
        Err(why) => return Err(CliError::BadInput(why.to_string())),
    };
    write_to_terminal(&shown);
    let Some(mut feed) = live.feed() else { return Ok(ExitStatus::Internal) };
    let mut lines = FactPrinter::new(args.format);
    loop {
        tokio::select! {
            fact = feed.next() => match fact {
                Some(fact) => lines.print(&fact),
                None => break,
            },
            Some(()) = stops.recv() => break,
        }
    }
    live.ask(LiveCommand::Shutdown);
    print_until_ended(&mut feed, &mut lines, &mut stops).await;
    match live.end().await.message() {
        Some(says) => {
            write_stderr(says);
            Ok(ExitStatus::BadFile)
        }
        None => Ok(ExitStatus::Ok),
    }
}

/// Prints the facts that arrive while the server shuts down. A second stop signal ends the wait.
async fn print_until_ended(
    feed: &mut FactFeed,
    lines: &mut FactPrinter,
    stops: &mut tokio::sync::mpsc::UnboundedReceiver<()>,
) {
    loop {
        tokio::select! {
            fact = feed.next() => match fact {
                Some(LiveFact::Ended) | None => return,
                Some(fact) => lines.print(&fact),
            },
            Some(()) = stops.recv() => return,
        }
    }
}

/// Reads the breakpoints and handlers from the user's settings. Invalid parts are reported and ignored.
fn desk_settings(allow_raw: bool) -> InterceptSettings {
    let var = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let path = config_file(&var);
    let text = path.as_ref().and_then(|path| hookbench_system::disk::read_text(path).ok()).unwrap_or_default();
    let (settings, wrong) = intercept::read_intercept_settings(&text);
    for wrong in wrong {
        let line = wrong.span.map(|span| text.get(..span.start).unwrap_or_default().matches('\n').count() + 1);
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        let file = path.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
        write_stderr(format_args!("{file}{line}: {}", wrong.message));
    }
    InterceptSettings { allow_raw, ..settings }
}

/// Creates the token for decisions over the socket, and the line that shows it to the user.
fn token() -> Result<(Option<Token>, String), CliError> {
    let (token, text) =
        Token::generate().map_err(|why| CliError::Internal(format!("no random numbers are available: {why}")))?;
    let shown = format!("token for answers over the socket: Authorization: Bearer {text}\n");
    if std::fs::OpenOptions::new().write(true).open("/dev/tty").is_err() {
        let says = "--remote-decide shows its token on the terminal only, and this process has no terminal";
        return Err(CliError::Usage(says.to_owned()));
    }
    Ok((Some(token), shown))
}

/// Writes to the terminal itself: stdout may be redirected to a file that other users can read.
fn write_to_terminal(shown: &str) {
    if shown.is_empty() {
        return;
    }
    if let Ok(mut terminal) = std::fs::OpenOptions::new().write(true).open("/dev/tty") {
        let _ = terminal.write_all(shown.as_bytes());
    }
}

/// Prints facts as lines.
struct FactPrinter {
    format: LinesFormat,
    /// Events without an answer so far, by id: time, agent, event, subject.
    unanswered: std::collections::HashMap<String, String>,
    /// The number of events, as last printed, that were not held because all places were taken.
    passed_full: u64,
}

impl FactPrinter {
    fn new(format: LinesFormat) -> FactPrinter {
        FactPrinter { format, unanswered: std::collections::HashMap::new(), passed_full: 0 }
    }

    fn print(&mut self, fact: &LiveFact) {
        match self.format {
            LinesFormat::Jsonl => {
                let json = serde_json::to_string(fact).unwrap_or_default();
                print::write_stdout(&format!("{}\n", escape_json_for_terminal(&json)));
            }
            LinesFormat::Text => {
                if let Some(line) = self.line(fact) {
                    print::write_stdout(&format!("{}\n", escape_for_terminal(&line)));
                }
            }
        }
    }

    fn line(&mut self, fact: &LiveFact) -> Option<String> {
        Some(match fact {
            LiveFact::Serving { socket, pid } => {
                let stop = if std::io::stdin().is_terminal() { "; Ctrl-C stops it" } else { "" };
                format!("listening on {socket} (process {pid}){stop}")
            }
            LiveFact::Arrived(arrived) => {
                self.unanswered.insert(arrived.id.clone(), event_text(arrived));
                return None;
            }
            LiveFact::Held(held) => {
                let seconds = (held.until - held.since) / 1_000;
                format!(
                    "{}  held by {} for up to {seconds} s; {}",
                    event_text(&held.arrived),
                    held.breakpoint,
                    held.arrived.id
                )
            }
            LiveFact::Answered(answered) => {
                let about = self.unanswered.remove(&answered.id).unwrap_or_else(|| answered.id.clone());
                format!("{about}  {}", answer_text(answered))
            }
            LiveFact::Abandoned { id } => {
                let about = self.unanswered.remove(id).unwrap_or_else(|| id.clone());
                format!("{about}  the agent did not wait for the answer")
            }
            LiveFact::Advice { says, .. } => format!("note: {says}"),
            LiveFact::StoreTrouble { says, .. } => format!("events cannot be stored: {says}"),
            LiveFact::StoreWell { .. } => "events are stored again".to_owned(),
            LiveFact::Counted { passed_full, .. } => {
                if *passed_full <= self.passed_full {
                    return None;
                }
                self.passed_full = *passed_full;
                format!("too many held events: {passed_full} events were not held so far")
            }
            LiveFact::Missed { count } => {
                // Answers may be among the missed facts.
                self.unanswered.clear();
                format!("{count} lines were skipped, because events arrive too fast")
            }
            LiveFact::NotServing { says } | LiveFact::Refused { says, .. } => says.clone(),
            LiveFact::Attached { .. }
            | LiveFact::Paused { .. }
            | LiveFact::Breakpoints { .. }
            | LiveFact::Payload { .. }
            | LiveFact::Ended => return None,
        })
    }
}

/// `12:00:01.250  agent Event tool  what`.
fn event_text(arrived: &ArrivedFact) -> String {
    let time = format_time(arrived.at).and_then(|text| text.get(11..23).map(str::to_owned)).unwrap_or_default();
    let subject = arrived.subject.as_deref().map(|subject| format!(" {subject}")).unwrap_or_default();
    let what = arrived.what.as_deref().map(|what| format!("  {what}")).unwrap_or_default();
    format!("{time}  {} {}{subject}{what}", arrived.agent, arrived.event)
}

fn answer_text(answered: &AnsweredFact) -> String {
    let by = if answered.source == "default" { String::new() } else { format!(" by {}", answered.source) };
    let held = answered.held_ms.map(|ms| format!(" after {ms} ms")).unwrap_or_default();
    let suppressed = answered.suppressed.as_deref().map(|why| format!("; not answered: {why}")).unwrap_or_default();
    let reason = answered.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("{}{by}{held}{suppressed}{reason}", answered.decision)
}
