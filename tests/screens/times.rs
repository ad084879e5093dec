//! Time on the screen: the times of hooks over recorded runs, and each recorded firing as a line of time.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::time::Duration;

use crate::recorded_screen::{COLOUR, RecordedScreen, event};
use crate::screen::{MEDIUM, PROJECT, WIDE};
use crate::screen_states::{ScreenState, hold_states};
use hookbench::core::recorded::{RecordedEvent, RecordedRun};
use hookbench::core::run::{Exit, RunId, RunReport, Timing};
use hookbench::tui::{LoopRequest, resize};

fn run(hook: &str, started: u64, ended: u64, exit: Exit) -> RecordedRun {
    let timing = Timing { started: Duration::from_millis(started), ended: Duration::from_millis(ended) };
    RecordedRun {
        hook: hook.to_owned(),
        command: None,
        definition: None,
        layer: None,
        stdin: None,
        report: RunReport { timing, ..RunReport::new(RunId(0), exit, "", "") },
        partial: false,
    }
}

/// Forty tool calls with two hooks each, one of which gets slower and times out once; then a prompt with a third hook.
fn day() -> Vec<RecordedEvent> {
    let mut all: Vec<RecordedEvent> = (1..=40)
        .map(|n| {
            let late = n == 30;
            let end = if late { Exit::TimedOut { after: Duration::from_millis(900) } } else { Exit::Code(0) };
            let slow = if late { 900 } else { 100 + 10 * u64::try_from(n).unwrap() };
            let runs = vec![run("slow.sh", 0, slow, end), run("guard.sh", 20, 60, Exit::Code(0))];
            RecordedEvent {
                runs,
                ..event(n, "claude", "PreToolUse", Some("Bash"), &format!("make {n}"), Some("allow"))
            }
        })
        .collect();
    let prompt = event(41, "claude", "UserPromptSubmit", None, "why", None);
    all.push(RecordedEvent { runs: vec![run("check.py", 0, 12, Exit::Code(1))], ..prompt });
    all
}

const STATES: [ScreenState<RecordedScreen>; 2] = [
    ("hooks", |size, theme| {
        let mut desk = RecordedScreen::with(size, theme, Some(&day()));
        desk.keys("%");
        desk
    }),
    ("late", |size, theme| {
        let mut desk = RecordedScreen::with(size, theme, Some(&day()));
        desk.keys("/").type_text("~x timed_out").keys("Enter Enter");
        desk
    }),
];

#[test]
fn every_state_at_every_size_on_every_terminal() {
    hold_states("times-", &STATES);
}

#[test]
fn nothing_breaks_at_any_size() {
    for (name, make) in STATES {
        let mut desk = make(WIDE, COLOUR);
        for size in [(120, 40), (110, 16), (80, 15), (60, 15), (59, 15), (30, 8), (20, 5), (8, 3), (1, 1)] {
            desk.screen.size = size;
            resize(&mut desk.screen.model, size);
            assert!(desk.text().lines().count() == usize::from(size.1), "{name}");
        }
    }
}

#[test]
fn a_hook_leads_to_its_runs_in_what_the_filter_selects() {
    let mut desk = RecordedScreen::with(WIDE, COLOUR, Some(&day()));
    desk.keys("%").assert_shows(&["81 runs in 3 hooks", "2 failed", "check.py", "slow.sh", "1 timed out"]);
    desk.keys("Esc /").type_text("~e PreToolUse").keys("Enter %");
    desk.assert_shows(&["80 runs in 2 hooks", "times of hooks, ~e PreToolUse"]).assert_hides("check.py");
    desk.keys("Enter").assert_shows(&["40 of 41 shown", "~e PreToolUse & ~h slow.sh", "make 40", "Esc back"]);
    // Esc goes back to the times, with the row and the filter as they were, and then to the list.
    desk.keys("Esc").assert_shows(&["80 runs in 2 hooks", "times of hooks, ~e PreToolUse", "❯slow.sh"]);
    desk.keys("j Enter").assert_shows(&["~e PreToolUse & ~h guard.sh"]);
    desk.keys("Esc").assert_shows(&["80 runs in 2 hooks", "❯guard.sh"]);
    desk.keys("Esc").assert_shows(&["/ ~e PreToolUse ", "40 of 41 shown"]);
    desk.keys("Esc").assert_shows(&["41 events"]);
    // Another filter is no way back.
    desk.keys("% Enter /").type_text(" & ~x timed_out").keys("Enter").assert_shows(&["1 of 41 shown"]);
    desk.keys("Esc").assert_shows(&["41 events"]).assert_hides("runs in");
}

#[test]
fn the_counts_of_another_filter_are_dropped() {
    let mut desk = RecordedScreen::with(MEDIUM, COLOUR, Some(&day()));
    desk.screen.keys("%");
    let old = desk.take_requests();
    desk.keys("P");
    for ask in old {
        let news = desk.store_worker.answer(ask).unwrap();
        desk.screen.fact(hookbench::app::Fact::EventList(news));
    }
    desk.assert_hides("runs in").assert_shows(&["41 events"]);
}

#[test]
fn without_runs_the_page_says_so() {
    let mut desk = RecordedScreen::with(MEDIUM, COLOUR, Some(&[event(1, "claude", "Stop", None, "", None)]));
    desk.keys("%").assert_shows(&["0 runs in 0 hooks", "no run of a hook is recorded for these events"]);
}

#[test]
fn a_firing_is_a_line_of_time() {
    let mut desk = RecordedScreen::with(MEDIUM, COLOUR, Some(&day()));
    desk.keys("/").type_text("~x timed_out").keys("Enter Enter");
    desk.assert_shows(&["time     2 hooks in parallel, 900 ms", "━!", "900 ms", "timed out", "·━ "]);
    // A transcript tells how long a hook ran, and not when it began.
    let told = RecordedRun { partial: true, ..run("a.sh", 0, 200, Exit::Code(0)) };
    let untimed = RecordedRun { partial: true, ..run("c.sh", 0, 0, Exit::Code(0)) };
    let runs = vec![told.clone(), RecordedRun { hook: "b.sh".to_owned(), ..told }, untimed];
    let one = RecordedEvent { runs, ..event(1, "claude", "PreToolUse", Some("Bash"), "ls", None) };
    let mut desk = RecordedScreen::with(MEDIUM, COLOUR, Some(&[one]));
    desk.keys("Enter").assert_shows(&["time     2 hooks: their starts are not recorded, longest 200 ms"]);
}

#[test]
fn the_times_are_copied_as_markdown() {
    let mut desk = RecordedScreen::with(MEDIUM, COLOUR, Some(&day()));
    desk.screen.model.markdown = Some(hookbench::cli::markdown);
    desk.keys("% y");
    let copied =
        desk.screen.asks.iter().find_map(|ask| if let LoopRequest::Copy(text) = ask { Some(text) } else { None });
    let text = copied.expect("something is copied");
    assert!(text.starts_with("### 3 hooks, 81 recorded runs") && text.contains("```text\nhook"), "{text}");
    assert!(text.contains("slow.sh") && text.ends_with("values that look like secrets are masked_\n"), "{text}");
    desk.keys("c");
    let mut lines =
        desk.screen.asks.iter().filter_map(|ask| if let LoopRequest::Copy(text) = ask { Some(text) } else { None });
    let want = format!("hookbench stats --filter '~p {PROJECT} & !~replay'");
    assert_eq!(lines.next_back(), Some(&want));
}
