//! The guided tour of the demo: each step ends when its action is done.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests fail by panicking")]

use std::sync::Arc;

use hookbench::app::live::{AnsweredFact, LiveFact, LiveJob, StorageState};
use hookbench::app::replay::ReplaySummary;
use hookbench::app::{EventStoreResponse, Fact, Job, ReplayOrder, ReplayResult, ReplaySelection};
use hookbench::tui::{Focus, LoopRequest, Theme, Tour};

use crate::screen::{self, MEDIUM, TestScreen, WIDE, sample_files};

const SMALL: (u16, u16) = (60, 20);

fn demo(size: (u16, u16)) -> TestScreen {
    let theme = Theme { colour: true, unicode: true };
    let mut screen = TestScreen::with(size, "claude", sample_files(), theme, true).with_lint("");
    screen.model.demo = true;
    screen.model.tour = Some(Tour::begin());
    screen
}

/// The number of servers that were requested since the last call.
fn requested_servers(screen: &mut TestScreen) -> usize {
    let jobs =
        screen.asks.drain(..).filter_map(|ask| if let LoopRequest::Jobs(jobs) = ask { Some(jobs) } else { None });
    jobs.flatten().filter(|job| matches!(job, Job::Live(LiveJob::Start { .. }))).count()
}

/// Reports the answer to the demo's event.
fn answered(screen: &mut TestScreen) {
    let id = "0190-1".to_owned();
    screen.fact(Fact::Live(Box::new(LiveFact::Answered(AnsweredFact {
        id,
        decision: "deny".to_owned(),
        source: "user".to_owned(),
        reason: None,
        held_ms: Some(1_000),
        suppressed: None,
        stored: StorageState::Yes,
    }))));
}

fn assert_shows(screen: &TestScreen, words: &str) {
    assert!(screen.text().contains(words), "{words} is not here:\n{}", screen.text());
}

/// Reports the runs of the event on the bench as the sample's hooks end.
fn run(screen: &mut TestScreen) {
    screen.report(|hook| if hook.contains("guard") { (2, "", "refusing: rm -rf\n") } else { (0, "", "") });
}

fn replayed(screen: &mut TestScreen) {
    let order = ReplayOrder::planned(ReplaySelection::Matching(String::new()));
    let result =
        ReplayResult { order, events: Vec::new(), summary: ReplaySummary::default(), stopped_of: None, trouble: None };
    screen.fact(Fact::EventList(EventStoreResponse::Replayed(Arc::new(result))));
}

#[test]
fn each_step_ends_when_it_is_done() {
    for size in [WIDE, MEDIUM, SMALL] {
        let mut screen = demo(size);
        let mut frames = screen.text();
        assert_shows(&screen, "1/6  This is an event. Press f to run its hooks.");
        screen.keys("j k");
        assert_shows(&screen, "1/6");
        screen.keys("f");
        run(&mut screen);
        assert_shows(&screen, "2/6  Read the verdict above. Press w to see why.");
        screen.keys("w");
        assert_shows(&screen, "3/6  One hook never runs. Press x for its fix, then Y.");
        frames.push_str(&screen.text());
        screen.keys("x Y");
        assert_shows(&screen, "4/6  Press 3 for a recorded day of work.");
        screen.keys("3");
        assert_shows(&screen, "4/6  A recorded day. Press r, then Enter to replay it.");
        replayed(&mut screen);
        assert_shows(&screen, "5/6  R runs the hooks. Press 4 for the problems.");
        frames.push_str(&screen.text());
        screen.keys("4");
        assert_shows(&screen, "6/6  An event waits for you. Press i to answer.");
        assert_eq!(requested_servers(&mut screen), 1);
        screen.keys("i");
        assert_shows(&screen, "6/6  Press d, then Enter to deny it.");
        assert_eq!(requested_servers(&mut screen), 0, "the event is requested once");
        answered(&mut screen);
        assert_shows(&screen, "The tour has ended. ? lists the keys of a page.");
        assert!(screen.model.tour.unwrap().is_over());
        screen.keys("1");
        assert!(!screen.text().contains("/6  "), "{}", screen.text());
        screen::picture_at("tour", size, frames);
    }
}

#[test]
fn esc_ends_the_tour_and_does_not_finish_it() {
    let mut screen = demo(MEDIUM);
    screen.keys("?");
    assert_shows(&screen, "1/6");
    // The first Esc closes the help.
    screen.keys("Esc");
    assert_shows(&screen, "1/6");
    screen.keys("Esc");
    assert_shows(&screen, "the tour has ended");
    assert!(screen.model.tour.is_none());
    screen.keys("f");
    run(&mut screen);
    assert!(!screen.text().contains("2/6"), "{}", screen.text());
}

/// Esc closes one layer: an open report or a typed filter is above the tour.
#[test]
fn esc_closes_only_the_topmost_layer() {
    let mut screen = demo(MEDIUM);
    screen.keys("3");
    replayed(&mut screen);
    assert!(screen.model.events.report.is_some());
    assert!(!screen.text().contains("end tour"), "{}", screen.text());
    screen.keys("Esc");
    assert!(screen.model.events.report.is_none() && !screen.model.tour.unwrap().is_over(), "{}", screen.text());
    assert_shows(&screen, "Esc end tour");
    screen.keys("1 z Esc");
    assert!(!screen.model.zoomed && !screen.model.tour.unwrap().is_over(), "{}", screen.text());
    // Another pane is left first.
    for pane in ["Tab", "Tab Tab"] {
        screen.keys(pane);
        assert!(screen.model.focus != Focus::Hooks && !screen.text().contains("end tour"), "{}", screen.text());
        screen.keys("Esc");
        assert!(screen.model.focus == Focus::Hooks && !screen.model.tour.unwrap().is_over(), "{}", screen.text());
    }
    screen.keys("Esc");
    assert!(screen.model.tour.is_none());
}

/// The tour starts again with a command.
#[test]
fn a_command_starts_the_tour_again() {
    let mut screen = demo(MEDIUM);
    screen.model.demo = true;
    screen.keys("Esc");
    assert_shows(&screen, "the tour has ended; :tour starts it again");
    screen.keys("3 :").type_text("tour").keys("Enter");
    assert_shows(&screen, "1/6  This is an event.");
    screen.model.demo = false;
    screen.keys("Esc :").type_text("tour").keys("Enter");
    assert_shows(&screen, "the tour needs the sample project: run hookbench demo, then :tour");
    assert!(screen.model.tour.is_none());
}

#[test]
fn a_tiny_screen_has_no_tour() {
    let screen = demo((40, 12));
    assert!(!screen.text().contains("1/6"), "{}", screen.text());
}
