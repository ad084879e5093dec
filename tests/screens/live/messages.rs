//! Messages of the live path besides events: advice, events that were not held for lack of space, and errors of the
//! store.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use hookbench::app::live::LiveFact;
use hookbench::core::live::Decision;
use hookbench::tui::Msg;
use ratatui::style::Modifier;

use crate::live::{LiveScreen, arrived, bash, held, payload_of};
use crate::screen::{MEDIUM, MONO, TINY, WIDE};
use crate::screen_states::{ScreenState, hold_states};

fn advise(live: &mut LiveScreen, seq: u64, session: &str, says: &str) {
    let mut fact = arrived(seq, "StopFailure", "stop_failure", None, "rate_limit");
    session.clone_into(&mut fact.session);
    let id = fact.id.clone();
    live.arrive(fact);
    live.tell(LiveFact::Advice { id, handler: "stop_failure".to_owned(), says: says.to_owned() });
}

const LIMIT: &str = "The model's provider received too many requests (429). Wait, or continue with another model.";

/// S-64: advice stays on every page until it is dismissed, and does not hide a waiting agent.
#[test]
fn an_advice_stays_until_it_is_put_away() {
    for size in [WIDE, MEDIUM, TINY] {
        let mut live = LiveScreen::serving(size, MONO);
        advise(&mut live, 1, "a", LIMIT);
        for page in ["1", "2", "3", "4", "5", "6", "i", "1"] {
            live.keys(page);
            live.says("NOTE");
        }
        let text = live.text();
        assert!(text.contains(" closes"), "{text}");
        live.hold(2, "rm -rf build");
        let text = live.text();
        let last = text.lines().last().unwrap();
        assert!(last.contains("HELD"), "{text}");
        // In the same session it counts as the same problem, in another session as a new one.
        advise(&mut live, 3, "a", "The model's servers are overloaded or down (529).");
        advise(&mut live, 4, "b", "The model's provider requires payment.");
        live.says("requires");
        live.says("+1");
        live.keys("Esc").says("(529)");
        assert!(!live.text().contains("(429)"), "{}", live.text());
        live.keys("Esc");
        assert!(!live.text().contains("NOTE"), "{}", live.text());
        live.says("HELD");
        assert!(!live.text().contains("more requests"), "it is put away, and not said once more below");
    }
}

#[test]
fn what_is_lost_is_counted_where_events_are_held() {
    for size in [WIDE, MEDIUM, TINY] {
        let mut live = LiveScreen::serving(size, MONO);
        live.keys("i");
        assert!(!live.text().contains("passed") && !live.text().contains("errors"), "{}", live.text());
        live.tell(LiveFact::Counted { passed_full: 37, store_errors: 0 }).says("37 passed");
        live.hold(1, "rm -rf build").says("37 passed");
        live.tell(LiveFact::Counted { passed_full: 37, store_errors: 5 }).says("37 passed");
        live.says(if size == TINY { "5 errors" } else { "5 store errors" });
        live.tell(LiveFact::Counted { passed_full: 0, store_errors: 5 });
        live.says(if size == TINY { "5 errors" } else { "5 store errors" });
        assert!(!live.text().contains("passed"), "{}", live.text());
        live.says("4:49");
    }
}

#[test]
fn what_has_no_room_is_counted_on_the_line_of_every_page() {
    let mut live = LiveScreen::serving(WIDE, MONO);
    live.hold(1, "ls").hold(2, "pwd");
    live.tell(LiveFact::Counted { passed_full: 3, store_errors: 0 });
    live.says("+1 more, 3 passed");
}

#[test]
fn advice_and_losses_are_drawn() {
    let states: [ScreenState<LiveScreen>; 2] = [
        ("live-advice", |size, theme| {
            let mut live = LiveScreen::serving(size, theme);
            advise(&mut live, 1, "b", "The model's provider requires payment.");
            advise(&mut live, 2, "a", LIMIT);
            live.hold(3, "rm -rf build");
            live
        }),
        ("live-losses", |size, theme| {
            let mut live = LiveScreen::serving(size, theme);
            live.hold(1, "rm -rf build").keys("i");
            live.tell(LiveFact::Counted { passed_full: 37, store_errors: 5 });
            live
        }),
    ];
    hold_states("", &states);
}

/// An input that the agent would reject is reported while it is typed, and after the editor.
#[test]
fn an_input_that_the_agent_would_not_take_is_not_kept() {
    let mut live = LiveScreen::serving(WIDE, MONO);
    let mut fact = bash(1, "ls");
    "codex".clone_into(&mut fact.agent);
    live.arrive(fact.clone());
    live.tell(LiveFact::Held(held(fact, &["observe", "deny", "modify"])));
    live.tell(LiveFact::Payload { id: "0190-1".to_owned(), payload: Some(payload_of("ls")) });
    live.keys("i m C-u").0.type_text(r#"{"cmd":"pwd"}"#);
    live.keys("Enter").says("needs a string under \"command\"");
    live.keys("C-u").0.type_text(r#"{"command":"pwd"}"#);
    live.keys("Enter").says("lines differ");
    live.keys("E");
    live.0.send(Msg::Edited("{\"command\": 1}".to_owned()));
    live.says("not taken: the new input of Bash needs a string");
}

fn mouse(live: &mut LiveScreen, kind: MouseEventKind, (column, row): (u16, u16)) {
    live.0.send(Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
}

/// Returns the position of a text.
fn place(live: &LiveScreen, what: &str) -> (u16, u16) {
    let text = live.text();
    let (row, line) = text
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(what))
        .unwrap_or_else(|| panic!("no {what:?} in\n{text}"));
    let before = line.split(what).next().unwrap().chars().count();
    (u16::try_from(before).unwrap(), u16::try_from(row).unwrap())
}

fn click(live: &mut LiveScreen, what: &str) {
    let at = place(live, what);
    mouse(live, MouseEventKind::Down(MouseButton::Left), at);
}

#[test]
fn a_click_selects_and_the_wheel_scrolls() {
    for size in [WIDE, MEDIUM] {
        let mut live = LiveScreen::serving(size, MONO);
        live.hold(1, "rm -rf build").hold(2, "git push");
        live.asked();
        // The line leads to the held event.
        click(&mut live, " HELD ");
        live.says("1 of 2 held");
        click(&mut live, "1 of 2 held");
        live.says("2 of 2 held");
        click(&mut live, "ask ");
        live.says("❯ ask");
        // Scrolling moves the payload, and the answer stays.
        let first = live.text();
        let at = place(&live, "hook_event_name");
        mouse(&mut live, MouseEventKind::ScrollUp, at);
        mouse(&mut live, MouseEventKind::ScrollUp, at);
        live.says("❯ ask");
        if size == MEDIUM {
            assert_ne!(live.text(), first, "it has scrolled");
        }
        let at = place(&live, "halt ");
        mouse(&mut live, MouseEventKind::ScrollDown, at);
        live.says("❯ ask");
        assert_eq!(live.told(), [], "nothing is sent by a click");
        live.keys("Enter Enter");
        assert_eq!(live.told(), [crate::live::decide(2, Decision::Ask { reason: None })]);
    }
    // An answer that this agent does not support shows the reason, and is not selected.
    let mut live = LiveScreen::serving(WIDE, MONO);
    let fact = arrived(1, "Stop", "stop", None, "done");
    live.arrive(fact.clone()).tell(LiveFact::Held(held(fact, &["observe", "deny"]))).keys("i");
    click(&mut live, "ask ");
    live.says("ask cannot be answered: Claude Code does not support ask on Stop");
}

#[test]
fn a_click_on_a_breakpoint_or_an_event_selects_it() {
    let mut live = LiveScreen::serving(WIDE, MONO);
    live.keys("i e").0.type_text("PreToolUse");
    live.keys("Enter e").0.type_text("Stop");
    live.keys("Enter");
    live.hold(1, "rm -rf build").hold(2, "git push").keys("Tab Tab");
    live.says("❯ on");
    let row = |live: &LiveScreen| live.text().lines().position(|line| line.contains("❯ on")).unwrap();
    let before = row(&live);
    click(&mut live, "Stop  ");
    assert_eq!(row(&live), before + 1);
    live.asked();
    click(&mut live, "git push");
    live.says("2 of 2 held");
    assert_eq!(live.told(), [], "nothing is switched or sent by a click");
}

/// The remaining time is visible, and is emphasised by more than colour when it is short.
#[test]
fn the_countdown_leads_the_eye() {
    for size in [WIDE, MEDIUM, TINY] {
        for page in ["i", "1"] {
            let style = |left: i64| {
                let mut live = LiveScreen::serving(size, MONO);
                live.hold(1, "rm -rf build").keys(page);
                live.0.model.now_ms = crate::live::NOW + 289_000 - left * 1_000;
                let (x, y) = place(&live, &format!("0:{left:02}"));
                live.0.draw().cell((x, y)).unwrap().modifier
            };
            let (calm, hurry) = (style(11), style(9));
            assert!(!calm.contains(Modifier::DIM) && !hurry.contains(Modifier::DIM), "{size:?} {page}");
            let turned = |modifier: Modifier| modifier.contains(Modifier::REVERSED);
            assert_ne!(turned(calm), turned(hurry), "{size:?} {page}");
        }
    }
}
