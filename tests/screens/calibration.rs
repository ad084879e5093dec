//! The calibration of an agent: its popup, its progress, what differs, and the Files page.

use std::sync::Arc;

use hookbench::app::{
    CalibrationEnd, CalibrationFindings, CalibrationUpdate, DifferentProbe, Fact, ObservedDifference, SilentProbe,
    TaskUpdate,
};
use hookbench::core::calibration::{FactKind, NewFact, news_sentence};
use hookbench::core::dialects::{BrokenRule, Calibration};
use hookbench::tui::{LoopRequest, Theme};
use serde_json::json;

use crate::screen::{COLOUR, MEDIUM, TestScreen, WIDE, sample_files};
use crate::screen_states::{ScreenState, hold_states};

const STATES: [ScreenState; 6] = [
    ("calibration-running", |size, theme| {
        let mut screen = started(size, theme);
        send(&mut screen, [true, true, false, true, true]);
        screen
    }),
    ("calibration-agrees", |size, theme| ended(size, theme, CalibrationFindings::default())),
    ("calibration-differs", |size, theme| ended(size, theme, findings())),
    ("calibration-with-news", |size, theme| ended(size, theme, with_news())),
    ("calibration-fails", |size, theme| {
        let mut screen = started(size, theme);
        let why = "the agent neither ran a hook nor asked its model; it printed: Please run /login";
        update(&mut screen, CalibrationUpdate::Failed(why.to_owned()));
        screen
    }),
    ("calibration-on-files", |size, theme| {
        let mut screen = ended(size, theme, findings());
        screen.keys("Esc 6");
        screen
    }),
];

/// A screen on which the calibration of the agent on the bench has started.
fn started(size: (u16, u16), theme: Theme) -> TestScreen {
    let mut screen = TestScreen::with(size, "claude", sample_files(), theme, false);
    screen.keys(": c a l i b r a t e Enter");
    update(&mut screen, CalibrationUpdate::Began { probes: 131 });
    screen
}

fn update(screen: &mut TestScreen, update: CalibrationUpdate) {
    screen.fact(Fact::Task { number: 1, update: TaskUpdate::Calibration(update) });
}

fn send(screen: &mut TestScreen, agree: impl IntoIterator<Item = bool>) {
    agree.into_iter().for_each(|agrees| update(screen, CalibrationUpdate::Probe { differs: !agrees }));
}

fn ended(size: (u16, u16), theme: Theme, findings: CalibrationFindings) -> TestScreen {
    let mut screen = started(size, theme);
    let different = findings.different.len() + findings.failed.len();
    let agreed = 131 - u32::try_from(different).unwrap();
    let broken =
        findings.different.iter().map(|probe| BrokenRule { rule: probe.rules[0].clone(), probe: probe.id.clone() });
    let calibration = Calibration {
        version: "2.1.330".to_owned(),
        on: "2026-11-24".to_owned(),
        probes: 131,
        agreed,
        broken_rules: broken.collect(),
        news: u32::try_from(findings.news.len()).unwrap(),
    };
    let end = CalibrationEnd {
        message: format!("Claude Code 2.1.330: {agreed} of 131 probes as predicted"),
        calibration: Some((Arc::new(calibration), Arc::new(findings))),
    };
    update(&mut screen, CalibrationUpdate::Ended(end));
    screen
}

fn findings() -> CalibrationFindings {
    let difference = |event: &str, aspect: &str, predicted: &str, seen: &str| ObservedDifference {
        event: event.to_owned(),
        aspect: aspect.to_owned(),
        predicted: predicted.to_owned(),
        seen: seen.to_owned(),
    };
    let probe = DifferentProbe {
        id: "pre-tool.exit-1".to_owned(),
        says: "A hook of PreToolUse exits with 1 and writes to stderr.".to_owned(),
        rules: vec!["exit.other".to_owned(), "decide.none".to_owned()],
        differences: vec![
            difference("PreToolUse", "the tool", "the tool runs", "the tool does not run"),
            difference(
                "PreToolUse",
                "the model is told",
                "nothing of what the hooks say",
                "RSN1: a reason of one hook that is long enough to need several rows in each of the two columns",
            ),
        ],
        settings: json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": ["one"] }] } }),
    };
    let failed = SilentProbe {
        id: "stop.loop".to_owned(),
        why: "the agent did not end within 60 s; it printed: waiting".to_owned(),
    };
    CalibrationFindings { different: vec![probe], failed: vec![failed], ..CalibrationFindings::default() }
}

/// The findings about a program that has more than hookbench knows.
fn with_news() -> CalibrationFindings {
    let fact = |kind, name: &str| NewFact { kind, name: name.to_owned(), event: None, detail: None };
    let key = NewFact { event: Some("PreToolUse".to_owned()), ..fact(FactKind::PayloadKey, "brand") };
    let news = vec![fact(FactKind::Event, "TaskFailure"), key, fact(FactKind::Tool, "Measure")];
    let coverage = format!("138 rules hold; {}", news_sentence(&news).unwrap());
    CalibrationFindings { news, coverage, ..CalibrationFindings::default() }
}

#[test]
fn every_state_of_a_calibration_on_every_terminal() {
    hold_states("", &STATES);
}

#[test]
fn a_calibration_is_stopped_and_its_late_results_are_ignored() {
    let mut screen = started(WIDE, COLOUR);
    send(&mut screen, [true, false]);
    assert!(screen.text().contains("2 of 131 probes, 1 differs"), "{}", screen.text());
    screen.keys("Esc");
    let stopped = "stopped after 2 of 131 probes; nothing is kept";
    assert!(screen.text().contains(stopped), "{}", screen.text());
    send(&mut screen, [true]);
    assert!(screen.text().contains(stopped), "{}", screen.text());
    screen.keys("1");
    assert!(screen.text().contains("the first sessions start"), "{}", screen.text());
}

#[test]
fn it_goes_on_in_the_background_and_ctrl_c_stops_it() {
    let mut screen = started(MEDIUM, COLOUR);
    screen.keys("b 6");
    send(&mut screen, [true]);
    assert!(!screen.text().contains("1 of 131 probes"), "{}", screen.text());
    screen.keys(": c a l i b r a t e Enter");
    assert!(screen.text().contains("1 of 131 probes"), "{}", screen.text());
    screen.keys("b").control('c');
    assert!(screen.text().contains("stopped after 1 of 131 probes"), "{}", screen.text());
}

#[test]
fn the_files_page_opens_it_and_copies_the_command_line() {
    let mut screen = TestScreen::installed(WIDE, "claude", sample_files(), COLOUR, "2.1.330");
    screen.keys("6 Enter");
    let text = screen.text();
    assert!(text.contains("Calibration of Claude Code") && text.contains("It needs no key"), "{text}");
    screen.keys("c c");
    let line = "hookbench calibrate --agent claude";
    let copied = |ask: &LoopRequest| matches!(ask, LoopRequest::Copy(text) if text == line);
    assert!(screen.asks.iter().any(copied), "{:?}", screen.asks);
}

/// An agent that is not on PATH cannot be calibrated, so the page says what to do instead.
#[test]
fn the_files_page_offers_no_calibration_of_a_missing_agent() {
    for size in [WIDE, MEDIUM, (60, 20)] {
        let mut screen = TestScreen::with(size, "claude", sample_files(), COLOUR, false);
        screen.keys("6");
        if size.0 == 60 {
            screen.keys("Enter");
        }
        let text = screen.text();
        assert!(text.contains("is not on PATH, so") && !text.contains("Enter calibration"), "{text}");
        screen.keys("Enter");
        assert!(!screen.text().contains("Calibration of"), "{}", screen.text());
    }
}
