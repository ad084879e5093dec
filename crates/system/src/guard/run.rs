//! Reads a payload, checks it, records the findings, and prints the answer.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;

use super::args::GuardArgs;
use super::files::GuardEnvironment;
use crate::owner_only::{create_directory, open_options};
use crate::state_log;
use hookbench_core::dialects::{self, Agent};
use hookbench_core::guard::{
    GuardAnswer, GuardEvent, GuardFinding, GuardHit, GuardMode, GuardName, GuardReport, GuardSettings,
    ModeratorEvidence, RulesVerdict, Surroundings, check_event, hit_key, moderated_report, moderator_evidence,
    readable, recorded_payload, unreadable_response,
};
use hookbench_core::live::{HookResponse, MAX_PAYLOAD};
use hookbench_core::model_client::guard_model;
use hookbench_core::moderator::ModeratorRuling;
use hookbench_core::text::parse_value;

/// The name of the file with the recorded findings, in the state directory.
pub const HITS_FILE: &str = "guards.ndjson";

/// An event to which no rule of a guard objects, for a moderator.
pub struct ModeratorRequest<'a> {
    pub guard: GuardName,
    pub dialect: &'static Agent,
    /// The event's name as the agent sends it.
    pub event: &'a str,
    pub session: &'a str,
    pub project: &'a str,
    pub home: Option<&'a Path>,
    /// The text of the user's settings, which name a model for this guard.
    pub settings: &'a str,
    pub evidence: &'a ModeratorEvidence,
    /// The time limit of this hook, if the command line names it.
    pub limit: Option<Duration>,
    pub started: Instant,
}

/// Asks a model about an event. `None` if it is not asked.
pub type Moderator = fn(&ModeratorRequest<'_>) -> Option<ModeratorRuling>;

/// Runs `hookbench guard NAME` and returns the exit status. `args` are the arguments after `guard`. Where the settings
/// name a model for the guard, `moderator` asks it about an event to which no rule objects.
pub fn run(args: impl Iterator<Item = OsString>, moderator: Moderator) -> u8 {
    let started = Instant::now();
    let args = match GuardArgs::parse(args) {
        Ok(args) => args,
        Err(says) => {
            let _ = writeln!(std::io::stderr(), "hookbench guard: {says}\nhookbench guard --help shows how to call it");
            print(&HookResponse::observe());
            return 1;
        }
    };
    // A panic must not print anything on stderr, which some agents show.
    panic::set_hook(Box::new(|_| {}));
    let environment = GuardEnvironment::read();
    let settings = panic::catch_unwind(|| environment.settings()).unwrap_or_default();
    let settings = settings.with_options(args.guard, args.mode, args.all_rules);
    print(&answer(&args, &settings, || check(&args, &settings, &environment, (moderator, started))));
    0
}

/// Returns the answer of a check. If the check panics, a critical guard that may refuse refuses, and any other passes.
fn answer(args: &GuardArgs, settings: &GuardSettings, check: impl FnOnce() -> HookResponse) -> HookResponse {
    let refuses = settings.guard_mode(args.guard) == GuardMode::Deny;
    let agent = args.agent.unwrap_or(dialects::DEFAULT);
    panic::catch_unwind(AssertUnwindSafe(check))
        .unwrap_or_else(|_| unreadable_response(args.guard, refuses, "internal error of hookbench", agent))
}

/// Prints an answer. If the agent no longer reads, there is nothing to do.
fn print(response: &HookResponse) {
    let mut out = std::io::stdout();
    let _ = out.write_all(response.stdout.as_bytes()).and_then(|()| out.flush());
}

fn check(
    args: &GuardArgs,
    settings: &GuardSettings,
    environment: &GuardEnvironment,
    moderator: (Moderator, Instant),
) -> HookResponse {
    let agent = args.agent.unwrap_or(dialects::DEFAULT);
    let refuses = settings.guard_mode(args.guard) == GuardMode::Deny;
    let mut payload = Vec::new();
    let mut stdin = std::io::stdin().lock();
    let limit = MAX_PAYLOAD as u64;
    if stdin.by_ref().take(limit + 1).read_to_end(&mut payload).is_err() {
        return unreadable_response(args.guard, false, "", agent);
    }
    if payload.len() > MAX_PAYLOAD {
        // An agent whose write fails considers the hook broken.
        let _ = std::io::copy(&mut stdin, &mut std::io::sink());
        return unreadable_response(args.guard, refuses, "the payload is larger than 10 MiB", agent);
    }
    // Replacing what is not UTF-8 takes ten times as long as finding that all is.
    let text =
        String::from_utf8(payload).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let Some(body) = read_payload(&text) else {
        let refuses = refuses && settings.options(args.guard).deny_unreadable;
        return unreadable_response(args.guard, refuses, "the payload is not a JSON object", agent);
    };
    let body = readable(body, args.agent);
    let Some(event) = GuardEvent::read(&body, args.agent, environment.project.as_deref()) else {
        return HookResponse::observe();
    };
    let state = environment.state_directory();
    let counter = state.as_deref().zip(event.session).map(|(state, session)| BlockCounter::new(state, session));
    let counter = counter.filter(|_| args.guard == GuardName::Response);
    let blocks = counter.as_ref().map_or(0, BlockCounter::read);
    let around = environment.surroundings(&event.project);
    let Some(report) = check_event(args.guard, &event, blocks, settings, &around) else {
        return HookResponse::observe();
    };
    let report = moderated(args, &event, blocks, settings, environment, (&around, moderator), report);
    if let Some(counter) = counter {
        match report.answer {
            GuardAnswer::Deny(_) => counter.write(blocks + 1),
            _ if blocks > 0 => counter.write(0),
            _ => {}
        }
    }
    if let Some(state) = state {
        let lines = hits(args.guard, &event, &report, settings);
        if !lines.is_empty() {
            // A guard answers even if its findings cannot be recorded.
            let _ = state_log::append(&state, HITS_FILE, &lines);
        }
    }
    report.response
}

/// Reads a payload. Agents accept halves of surrogate pairs and any depth, so a payload with these must not pass
/// unchecked; the slower reader accepts them, too.
fn read_payload(text: &str) -> Option<Value> {
    let value = serde_json::from_str::<Value>(text).ok().or_else(|| parse_value(text).ok());
    value.filter(Value::is_object)
}

/// Lets a moderator judge an event to which no rule objects, if the settings name one for this guard.
fn moderated(
    args: &GuardArgs,
    event: &GuardEvent<'_>,
    blocks: u32,
    settings: &GuardSettings,
    environment: &GuardEnvironment,
    (around, (moderator, started)): (&dyn Surroundings, (Moderator, Instant)),
    report: GuardReport,
) -> GuardReport {
    if report.verdict != RulesVerdict::Passed || settings.guard_mode(args.guard) == GuardMode::Off {
        return report;
    }
    let text = environment.settings_text();
    if guard_model(&text, args.guard.word()).is_none() {
        return report;
    }
    let Some(evidence) = moderator_evidence(args.guard, event, blocks, settings, around) else { return report };
    let request = ModeratorRequest {
        guard: args.guard,
        dialect: event.dialect,
        event: event.text(&["hook_event_name", "event"]).unwrap_or_default(),
        session: event.session.unwrap_or_default(),
        project: &event.project,
        home: environment.home(),
        settings: &text,
        evidence: &evidence,
        limit: args.limit,
        started,
    };
    let ruled =
        moderator(&request).and_then(|ruling| moderated_report(args.guard, event, settings, ruling, &evidence.subject));
    match ruled {
        Some(ruled) => GuardReport { allowed: report.allowed, ..ruled },
        None => report,
    }
}

/// Returns the lines that record the findings.
fn hits(guard: GuardName, event: &GuardEvent<'_>, report: &GuardReport, settings: &GuardSettings) -> String {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let found_none = report.verdict == RulesVerdict::Passed && report.allowed.is_empty();
    let payload = if found_none { None } else { recorded_payload(event.body) };
    // A warning that the agent does not show is only a record.
    let unseen = matches!(report.answer, GuardAnswer::Warn(_)) && !event.shows_messages();
    let answer = if unseen { "pass" } else { report.answer.word() };
    let hit = |finding: &GuardFinding| {
        let hit = GuardHit {
            at: format!("{:.3}", Timestamp::now()),
            guard: guard.word().to_owned(),
            mode: settings.finding_mode(guard, finding.rule).word().to_owned(),
            answer: answer.to_owned(),
            agent: event.dialect.id().to_string(),
            event: event.event.clone(),
            tool: text(event.tool_name),
            session: text(event.session),
            project: event.project.clone(),
            payload: payload.clone(),
            ..GuardHit::default()
        };
        hit.with_finding(finding, &hit_key(event))
    };
    let mut lines = String::new();
    let mut add = |hit: &GuardHit| {
        lines += &serde_json::to_string(hit).unwrap_or_default();
        lines.push('\n');
    };
    if let RulesVerdict::Objected(findings) = &report.verdict {
        for finding in findings {
            add(&hit(finding));
        }
    }
    for (finding, allowance) in &report.allowed {
        add(&GuardHit { allowed: Some(allowance.reason.clone()), answer: "pass".to_owned(), ..hit(finding) });
    }
    lines
}

/// The counter of one session.
pub struct BlockCounter(PathBuf);

impl BlockCounter {
    /// The counter of a session, whose id is a valid file name.
    pub fn new(state: &Path, session: &str) -> BlockCounter {
        BlockCounter(state.join("guard-blocks").join(session))
    }

    /// Reads the number.
    pub fn read(&self) -> u32 {
        let bytes = crate::disk::read_beginning(&self.0, 16).unwrap_or_default();
        std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    /// Writes the number; zero removes it. Errors are ignored, because the agent waits for an answer.
    pub fn write(&self, number: u32) {
        if number == 0 {
            let _ = std::fs::remove_file(&self.0);
            return;
        }
        if let Some(directory) = self.0.parent() {
            let _ = create_directory(directory);
        }
        let file = open_options().write(true).create(true).truncate(true).open(&self.0);
        let _ = file.and_then(|mut file| file.write_all(number.to_string().as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mistake of hookbench itself.
    #[test]
    #[allow(clippy::panic, reason = "provokes the mistake")]
    fn a_panic_is_an_answer() {
        for (line, want) in [
            (
                "malicious --mode deny",
                "malicious: denied [IN-SIZE]\\nIN-SIZE internal error of hookbench\\nDo instead: ",
            ),
            ("quality --mode deny", "quality: denied [IN-SIZE]\\nIN-SIZE internal error of hookbench\\nDo instead: "),
            ("malicious --mode warn", "{}"),
            ("malicious", "{}"),
            ("response --mode deny", "{}"),
        ] {
            let args = GuardArgs::parse(line.split(' ').map(OsString::from)).unwrap();
            let settings = GuardSettings::default().with_options(args.guard, args.mode, false);
            let response = answer(&args, &settings, || panic!("a mistake"));
            assert_eq!(response.exit_code, 0, "{line}");
            assert!(response.stdout.contains(want), "{line}: {}", response.stdout);
            assert_eq!(want == "{}", response.stdout.trim() == "{}", "{line}");
        }
    }
}
