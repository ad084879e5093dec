//! Every state of the bench at every size on every kind of terminal.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;

use std::time::Duration;

use crate::screen_states::{ScreenState, hold_states};
use hookbench::app::Fact;
use hookbench::core::config::MemoryFiles;
use hookbench::core::run::{Exit, RunReport, Stream};
use hookbench::tui::Theme;
use screen::{PROJECT, TestScreen, sample_files};

const STATES: [ScreenState; 18] = [
    ("no-configuration", |size, theme| opened(size, theme, MemoryFiles::default(), "2.1.329")),
    ("broken-file", |size, theme| {
        let mut screen = opened(size, theme, sample_files(), "2.1.329");
        screen.save(".claude/settings.json", "{\n  \"hooks\": {\n    \"PreToolUse\": [],\n  }\n}\n");
        screen
    }),
    ("consent", |size, theme| {
        let mut screen = opened(size, theme, sample_files(), "2.1.329");
        screen.keys("f");
        screen
    }),
    ("unfired", |size, theme| opened(size, theme, sample_files(), "2.1.329")),
    ("running", |size, theme| running(size, theme, Duration::from_millis(250))),
    ("running-over-5-s", |size, theme| running(size, theme, Duration::from_millis(5_250))),
    ("timed-out", |size, theme| {
        ended(size, theme, |_| Exit::TimedOut { after: Duration::from_secs(10) }, "still looking\n")
    }),
    ("not-started", |size, theme| {
        let exit = |_: &str| Exit::FailedToStart { error: "permission denied".to_owned() };
        ended(size, theme, exit, "")
    }),
    ("allow", |size, theme| voted(size, theme, "allow")),
    ("ask", |size, theme| voted(size, theme, "ask")),
    ("not-checked", |size, theme| ended(size, theme, |_| Exit::Code(1), "no such file\n")),
    ("stale", |size, theme| {
        let mut screen = voted(size, theme, "allow");
        screen.save(".claude/settings.json", &settings(&[("Bash", 1)]));
        screen
    }),
    ("none-matched", |size, theme| {
        let mut files = MemoryFiles::default();
        files.put(format!("{PROJECT}/.claude/settings.json"), settings(&[("bash", 1), ("Write|Edit", 1)]));
        let mut screen = opened(size, theme, files, "2.1.329");
        screen.keys("f");
        screen
    }),
    ("200-hooks", |size, theme| {
        let mut files = MemoryFiles::default();
        files.put(format!("{PROJECT}/.claude/settings.json"), settings(&[("Bash", 200)]));
        let mut screen = opened(size, theme, files, "2.1.329");
        screen.keys("G");
        screen
    }),
    ("agent-missing", |size, theme| TestScreen::with(size, "claude", sample_files(), theme, false)),
    ("version-out-of-range", |size, theme| {
        let mut screen = fired(size, theme, "9.0.1");
        screen.report(|_| (0, "", ""));
        screen
    }),
    ("watch-lost", |size, theme| {
        let mut screen = opened(size, theme, sample_files(), "2.1.329");
        screen.fact(Fact::WatchLost("the system limit is reached: raise fs.inotify.max_user_watches".to_owned()));
        screen
    }),
    ("auto-fire-armed", |size, theme| {
        let mut screen = fired(size, theme, "2.1.329");
        screen.report(|_| (0, "", ""));
        screen.keys("p t").type_text("git push");
        screen.keys("Enter p W");
        screen
    }),
];

fn opened(size: (u16, u16), theme: Theme, files: MemoryFiles, version: &str) -> TestScreen {
    TestScreen::installed(size, "claude", files, theme, version)
}

fn settings(matchers: &[(&str, usize)]) -> String {
    let mut number = 0;
    let mut group = |(matcher, count): &(&str, usize)| {
        let hooks: Vec<String> = (0..*count)
            .map(|_| {
                number += 1;
                format!("{{\"type\": \"command\", \"command\": \"/srv/hooks/h{number}.sh\"}}")
            })
            .collect();
        format!("{{\"matcher\": \"{matcher}\", \"hooks\": [\n{}\n]}}", hooks.join(",\n"))
    };
    let groups: Vec<String> = matchers.iter().map(&mut group).collect();
    format!("{{\"hooks\": {{\"PreToolUse\": [{}]}}}}", groups.join(","))
}

/// Fires, with consent for all commands.
fn fired(size: (u16, u16), theme: Theme, version: &str) -> TestScreen {
    let mut screen = opened(size, theme, sample_files(), version);
    screen.keys("f Y");
    if screen.started.is_empty() {
        // Consent is possible only after all commands were shown.
        screen.keys("G Y");
    }
    screen
}

/// A run whose first hook votes; the others have no opinion.
fn voted(size: (u16, u16), theme: Theme, vote: &str) -> TestScreen {
    let mut screen = fired(size, theme, "2.1.329");
    let answer = format!(
        "{{\"hookSpecificOutput\": {{\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"{vote}\", \
         \"permissionDecisionReason\": \"it is a scratch directory\"}}}}"
    );
    let answer: &'static str = answer.leak();
    screen.report(|label| if label == "guard.sh" { (0, answer, "") } else { (0, "", "") });
    screen
}

fn running(size: (u16, u16), theme: Theme, since: Duration) -> TestScreen {
    let mut screen = fired(size, theme, "2.1.329");
    for (firing, request) in screen.started.clone() {
        screen.begin(firing, request.run);
    }
    let (firing, request) = screen.started.first().cloned().unwrap();
    screen.fact(Fact::Output {
        firing,
        run: request.run,
        stream: Stream::Stdout,
        bytes: b"looking at build\n".to_vec(),
        skipped: 0,
        at: Duration::ZERO,
    });
    screen.model.started = screen.model.now.checked_sub(since);
    screen
}

fn ended(size: (u16, u16), theme: Theme, exit: impl Fn(&str) -> Exit, stderr: &str) -> TestScreen {
    let mut screen = running(size, theme, Duration::ZERO);
    for (index, (firing, request)) in std::mem::take(&mut screen.started).into_iter().enumerate() {
        let (exit, stderr) = if index == 0 { (exit(""), stderr) } else { (Exit::Code(0), "") };
        let mut report = RunReport::new(request.run, exit, if index == 0 { "looking at build\n" } else { "" }, stderr);
        report.timing.ended = Duration::from_millis(if index == 0 { 10_002 } else { 30 });
        report.stdin_read = 400;
        screen.fact(Fact::Ended { firing, report: Box::new(report) });
    }
    screen
}

#[test]
fn every_state_at_every_size_on_every_terminal() {
    hold_states("state-", &STATES);
}
