//! `serve`: receives events without a screen and prints a line for each, until it is stopped.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::Args;

use super::args::LinesFormat;
use super::error::CliError;
use super::print;
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
Events come from hooks that hookbench install has written; every one is stored, shown and answered. Breakpoints and handlers \
are read from config.toml; nothing is held and nothing is changed unless they say so. There is one server for a user: where \
one runs already, this one says its process and ends with 1. Ctrl-C ends it; whatever is held then goes on.

--remote-decide lets programs decide what is held (POST /v1/held/ID) who know a token. It is shown on the terminal, once, and \
nowhere else. Agents run as the same user: whoever can read the terminal or stop the server is not kept out.

Exit status: 0 told to stop, 1 another one serves, 2 wrong usage, 5 the socket cannot be where it should, or events could not be stored.

Example: hookbench serve --format jsonl";

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where agents reach it [default: below XDG_RUNTIME_DIR, or HOOKBENCH_SOCKET]
    #[arg(long, value_name = "PATH")]
    pub socket: Option<PathBuf>,
    /// Let programs decide what is held that know the token which is shown once on the terminal
    #[arg(long)]
    pub remote_decide: bool,
    /// Let breakpoints and deciders answer with any bytes and exit status: for trying how an agent takes a broken hook
    #[arg(long)]
    pub allow_raw: bool,
    #[arg(long, value_enum, default_value_t = LinesFormat::Text)]
    pub format: LinesFormat,
}

/// Serves until a stop signal arrives.
pub fn serve(args: &ServeArgs) -> Result<ExitStatus, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|why| CliError::Internal(format!("cannot start: {why}")))?;
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
    let (token, text) = Token::generate().map_err(|why| CliError::Internal(format!("no random numbers: {why}")))?;
    let shown = format!("to decide over the socket: Authorization: Bearer {text}\n");
    if std::fs::OpenOptions::new().write(true).open("/dev/tty").is_err() {
        let says = "--remote-decide shows its token on the terminal and nowhere else, and there is no terminal";
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
                let stop = if std::io::stdin().is_terminal() { "; Ctrl-C ends it" } else { "" };
                format!("serving at {socket} (process {pid}){stop}")
            }
            LiveFact::Arrived(arrived) => {
                self.unanswered.insert(arrived.id.clone(), event_text(arrived));
                return None;
            }
            LiveFact::Held(held) => {
                let seconds = (held.until - held.since) / 1_000;
                format!(
                    "{}  held by {} for {seconds} s; {}",
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
            LiveFact::StoreTrouble { says, .. } => format!("not stored for now: {says}"),
            LiveFact::StoreWell { .. } => "stored again".to_owned(),
            LiveFact::Counted { passed_full, .. } => {
                if *passed_full <= self.passed_full {
                    return None;
                }
                self.passed_full = *passed_full;
                format!("not held, because as many are held as there is room for: {passed_full} until now")
            }
            LiveFact::Missed { count } => {
                // Answers may be among the missed facts.
                self.unanswered.clear();
                format!("{count} lines were too many to show")
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
    let suppressed = answered.suppressed.as_deref().map(|why| format!("; not said: {why}")).unwrap_or_default();
    let reason = answered.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("{}{by}{held}{suppressed}{reason}", answered.decision)
}
