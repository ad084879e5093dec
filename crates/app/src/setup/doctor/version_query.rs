//! Queries installed programs for their version, in parallel. Each program runs in its own process group, which is
//! ended afterwards.

use std::time::Duration;

use tokio::sync::mpsc;

use crate::environment::hook_environment::helper_process;
use hookbench_core::dialects::Version;
use hookbench_core::run::{Exit, Launch, RunId, RunReport, RunRequest};
use hookbench_system::runner::{RunEvent, Runner};

/// The time limit for a program to print its version.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// The number of output bytes to keep.
const OUTPUT_LIMIT: usize = 4096;
/// The number of characters to quote from an output without a version.
const MAX_QUOTED: usize = 60;

/// The result of a version query.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionReply {
    pub exit: Exit,
    pub version: Option<Version>,
    /// The first line that the program printed.
    first_line: String,
}

impl VersionReply {
    fn of(report: &RunReport) -> VersionReply {
        let text = format!("{}\n{}", report.stdout.text(), report.stderr.text());
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        // The output of a failed program is not an answer.
        let answered = report.exit == Exit::Code(0);
        VersionReply {
            exit: report.exit.clone(),
            version: answered.then(|| version_in(&report.stdout.text())).flatten(),
            first_line: first.chars().take(MAX_QUOTED).collect(),
        }
    }

    /// The reason why the version is unknown, if it is.
    pub fn problem(&self) -> Option<String> {
        if self.version.is_some() {
            return None;
        }
        let printed = if self.first_line.is_empty() {
            "it printed nothing".to_owned()
        } else {
            format!("it printed \"{}\"", self.first_line)
        };
        Some(match &self.exit {
            Exit::FailedToStart { error } => format!("it does not start: {error}"),
            Exit::TimedOut { after } => format!("--version did not exit within {} s and was stopped", after.as_secs()),
            Exit::Code(0) => format!("--version printed no version: {printed}"),
            other => format!("--version failed with {}: {printed}", other.describe()),
        })
    }
}

/// Queries all programs and returns the results in the same order.
pub async fn query_versions(programs: Vec<String>) -> Vec<VersionReply> {
    let (sender, mut events) = mpsc::channel(64);
    let runner = Runner::new(sender, 1.0);
    let mut waiting = programs.len();
    let mut said: Vec<Option<VersionReply>> = vec![None; waiting];
    for (run, program) in (0..).zip(programs) {
        let launch = Launch::Process(helper_process(program, vec!["--version".to_owned()], TIME_LIMIT, OUTPUT_LIMIT));
        runner.start(RunRequest { run: RunId(run), hook: "version".to_owned(), launch, awaited: true });
    }
    while waiting > 0 {
        let Some(event) = events.recv().await else { break };
        if let RunEvent::Ended(report) = event {
            waiting -= 1;
            if let Some(place) = said.get_mut(report.run.0 as usize) {
                *place = Some(VersionReply::of(&report));
            }
        }
    }
    let lost = || VersionReply { exit: Exit::Cancelled, version: None, first_line: String::new() };
    said.into_iter().map(|one| one.unwrap_or_else(lost)).collect()
}

/// The first word that is a version.
fn version_in(text: &str) -> Option<Version> {
    let bare = |word: &'_ str| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned();
    text.split_whitespace().map(bare).filter(|word| word.contains('.')).find_map(|word| Version::parse(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_among_words() {
        for (text, want) in [
            ("2.1.329 (Some Agent)\n", Some("2.1.329")),
            ("some-cli 0.169.0", Some("0.169.0")),
            ("agent version: v1.2.3-beta.1, built today", Some("1.2.3-beta.1")),
            ("(0.61.0)", Some("0.61.0")),
            ("5 errors", None),
            ("see https://example.com/1.2", None),
            ("", None),
        ] {
            assert_eq!(version_in(text).map(|v| v.to_string()).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn why_there_is_no_version() {
        for (exit, stdout, stderr, want) in [
            (Exit::Code(0), "1.2.3", "", None),
            (Exit::Code(0), "\n  hello\nthere", "", Some("--version printed no version: it printed \"hello\"")),
            (Exit::Code(0), "", "", Some("--version printed no version: it printed nothing")),
            (Exit::Code(1), "1.2.3", "", Some("--version failed with exit 1: it printed \"1.2.3\"")),
            (Exit::Code(2), "", "no node", Some("--version failed with exit 2: it printed \"no node\"")),
            (Exit::Signal(9), "", "", Some("--version failed with signal 9: it printed nothing")),
            (
                Exit::TimedOut { after: TIME_LIMIT },
                "1.2.3",
                "",
                Some("--version did not exit within 5 s and was stopped"),
            ),
            (Exit::FailedToStart { error: "no".to_owned() }, "", "", Some("it does not start: no")),
        ] {
            let said = VersionReply::of(&RunReport::new(RunId(0), exit, stdout, stderr));
            assert_eq!(said.problem().as_deref(), want, "{stdout}{stderr}");
        }
    }
}
