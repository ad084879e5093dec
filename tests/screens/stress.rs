//! `T`: the stress test of the selected hook, from the question to the result.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hookbench::app::{
    Fact, StressReport, StressUpdate, TaskUpdate, VariantResult, VariantRow, WorldCondition, WorldResult, WorldRow,
};
use hookbench::core::decide::Verdict;
use hookbench::core::stress::{
    DecidingText, DeedFamily, KeyCoverage, KeyEffect, MissingKey, PayloadCoverage, VariantEvidence,
};
use hookbench::tui::{LoopRequest, Msg, Theme};
use serde_json::json;

use crate::screen::{MEDIUM, TestScreen, WIDE, sample_files};
use crate::screen_states::{ScreenState, hold_states};

const STATES: [ScreenState; 4] = [
    ("stress-starting", |size, theme| asked(size, theme)),
    ("stress-running", |size, theme| {
        let mut screen = asked(size, theme);
        feed(&mut screen, variants().into_iter().take(7));
        screen
    }),
    ("stress-missed", |size, theme| {
        let mut screen = asked(size, theme);
        feed(
            &mut screen,
            variants()
                .into_iter()
                .chain([coverage()])
                .chain(conditions())
                .chain([StressUpdate::Finished { out_of_time: None }]),
        );
        screen
    }),
    ("stress-refused", |size, theme| {
        let mut screen = asked(size, theme);
        let refused = variants().into_iter().map(|update| match update {
            StressUpdate::Variant(row) => {
                StressUpdate::Variant(Box::new(VariantRow { result: VariantResult::Refused, ..*row }))
            }
            other => other,
        });
        let usual = conditions().into_iter().map(|update| match update {
            StressUpdate::World(row) => StressUpdate::World(Box::new(WorldRow { result: WorldResult::Holds, ..*row })),
            other => other,
        });
        feed(&mut screen, refused.chain(usual).chain([StressUpdate::Finished { out_of_time: None }]));
        screen
    }),
];

/// A screen on which the test has started.
fn asked(size: (u16, u16), theme: Theme) -> TestScreen {
    let mut screen = TestScreen::with(size, "claude", sample_files(), theme, false);
    screen.keys("T");
    assert!(screen.text().contains("Y run"), "{}", screen.text());
    screen.keys("Y");
    screen
}

fn feed(screen: &mut TestScreen, updates: impl IntoIterator<Item = StressUpdate>) {
    for update in updates {
        screen.fact(Fact::Task { number: 1, update: TaskUpdate::Stress(update) });
    }
}

/// The deed, and nine variants of it.
fn variants() -> Vec<StressUpdate> {
    use DeedFamily as F;
    use VariantResult as R;
    let rows = [
        (F::ShellQuoting, "\"rm\" -rf build", "quotes around a word change nothing", R::Refused),
        (F::ShellQuoting, "r\\m -rf build", "a backslash before a letter changes nothing", R::LetThrough),
        (F::ShellQuoting, "rm -rf 'build'", "quotes around a word change nothing", R::Refused),
        (F::Flags, "rm -fr build", "the order of joined letters is free", R::LetThrough),
        (F::Flags, "rm -r -f build", "joined letters can be separate options", R::Refused),
        (F::Wrappers, "env rm -rf build", "env runs the command", R::Refused),
        (F::NestedShell, "bash <<'EOF'\nrm -rf build\nEOF", "bash runs its stdin", R::FailedOpen),
        (F::Paths, "rm -rf /home/dev/shop/src/../build", "the path leads to the same directory", R::Refused),
        (F::OtherProgram, "find build -delete", "find deletes the directory and what it contains", R::LetThrough),
    ];
    let began = StressReport {
        deed: Some("rm -rf build".to_owned()),
        verdict: Some(Verdict::Deny),
        refuses: true,
        expected_variants: rows.len(),
        expected_keys: 8,
        expected_conditions: conditions().len(),
        contained: Some(
            "contained: a copy of the project, a scratch home directory, no network; hooks can read your other files, but not change them"
                .to_owned(),
        ),
        ..StressReport::default()
    };
    let variant = |(family, text, why, result): (DeedFamily, &str, &str, VariantResult)| {
        StressUpdate::Variant(Box::new(VariantRow {
            family,
            text: text.to_owned(),
            why_the_same: why.to_owned(),
            evidence: VariantEvidence::Executed,
            verdict: if result == VariantResult::Refused { Verdict::Deny } else { Verdict::NoObjection },
            result,
            explanation: if result == VariantResult::FailedOpen {
                "exit 1: guard.sh: line 7: bad text"
            } else {
                "exit 0"
            }
            .to_owned(),
            body: json!({"tool_name": "Bash", "tool_input": {"command": text}}),
        }))
    };
    std::iter::once(StressUpdate::Began(Box::new(began))).chain(rows.into_iter().map(variant)).collect()
}

/// The coverage of the payload by a guard that names a key of another agent.
fn coverage() -> StressUpdate {
    use KeyEffect as E;
    let key = |key: &str, effect, explanation: &str| KeyCoverage {
        key: key.to_owned(),
        effect,
        explanation: explanation.to_owned(),
    };
    let keys = [
        ("session_id", E::Ignored, ""),
        ("transcript_path", E::Ignored, ""),
        ("cwd", E::Read, "with another value: different stderr"),
        ("permission_mode", E::Named, "no change of it has an effect here"),
        ("hook_event_name", E::Ignored, ""),
        ("tool_name", E::Decides, "with another value: no objection"),
        ("tool_input.command", E::Decides, "with another value: no objection"),
        ("tool_input.description", E::NotTried, ""),
    ];
    let missing =
        MissingKey { coverage: key("toolName", E::Ignored, ""), origin: "Claude Code sends tool_name".to_owned() };
    StressUpdate::Coverage(Box::new(PayloadCoverage {
        keys: keys.into_iter().map(|(name, effect, explanation)| key(name, effect, explanation)).collect(),
        missing: vec![missing],
        deciding_text: Some(DecidingText {
            key: "tool_input.command".to_owned(),
            text: "rm -rf".to_owned(),
            is_smallest: true,
        }),
        limits: vec!["stdout differs from run to run and cannot show what the hook reads".to_owned()],
    }))
}

fn conditions() -> Vec<StressUpdate> {
    use WorldCondition as W;
    use WorldResult as R;
    let rows = [
        (W::Repeated, R::Holds, "exit 2"),
        (W::StdinClosed, R::FailsOpen, "exit 1: guard.sh: line 3: read error: 0: Bad file descriptor"),
        (W::StdinEmpty, R::Holds, "exit 2"),
        (W::LargePayload(10), R::FailsClosed, "exit 2: the text is too long"),
        (W::NoHome, R::Holds, "exit 2"),
        (W::WithoutProgram("jq".to_owned()), R::FailsOpen, "exit 127: jq: not found"),
        (W::SlowDisk, R::NotTried, "hookbench slows a disk only on Linux"),
    ];
    let row = |(condition, result, says): (WorldCondition, WorldResult, &str)| {
        let verdict = (result != WorldResult::NotTried).then_some(Verdict::Deny);
        StressUpdate::World(Box::new(WorldRow { condition, verdict, result, explanation: says.to_owned() }))
    };
    rows.into_iter().map(row).collect()
}

fn finished(size: (u16, u16)) -> TestScreen {
    let mut screen = asked(size, Theme { colour: true, unicode: true });
    feed(&mut screen, variants().into_iter().chain(conditions()).chain([StressUpdate::Finished { out_of_time: None }]));
    screen
}

#[test]
fn every_state_of_a_stress_test_on_every_terminal() {
    hold_states("", &STATES);
}

#[test]
fn the_popup_opens_at_once_and_fills() {
    let mut screen = asked(WIDE, Theme { colour: true, unicode: true });
    assert!(screen.text().contains("Stress test of guard.sh"), "{}", screen.text());
    feed(&mut screen, variants().into_iter().take(7));
    assert!(screen.text().contains("6 of 9 tried, 4 refused"), "{}", screen.text());
    feed(&mut screen, variants().into_iter().skip(7).chain([coverage()]));
    let progress = "9 of 9 tried, 5 refused; 8 of 8 keys tried";
    assert!(screen.text().contains(progress), "{}", screen.text());
    assert!(screen.text().contains("the decision depends on `rm -rf` in tool_input.command"), "{}", screen.text());
    screen.keys("S");
    assert!(screen.text().contains("the test still runs; T stops it"), "{}", screen.text());
}

#[test]
fn the_event_marks_the_keys_that_the_test_saw_read() {
    let mut screen = asked(WIDE, Theme { colour: true, unicode: true });
    feed(&mut screen, variants().into_iter().chain([coverage()]));
    let common = |screen: &TestScreen| {
        let text = screen.text();
        text.lines().find(|line| line.contains("common keys")).unwrap_or_default().to_owned()
    };
    // `cwd` is a common key: its folded row gets the mark when the test has ended.
    assert!(!common(&screen).contains('✓'), "{}", screen.text());
    feed(&mut screen, [StressUpdate::Finished { out_of_time: None }]);
    screen.keys("Esc");
    assert!(common(&screen).contains('✓'), "{}", screen.text());
}

#[test]
fn t_and_escape_stop_the_test_and_keep_its_rows() {
    for stop in ["T", "Esc", "C-c"] {
        let mut screen = asked(WIDE, Theme { colour: true, unicode: true });
        feed(&mut screen, variants().into_iter().take(7));
        screen.keys(stop);
        let says = "stopped after 6 of 9 variants; refuses 4 of 6 variants of `rm -rf build`";
        assert!(screen.text().contains(says), "{stop}: {}", screen.text());
        // A late step of the stopped test changes nothing.
        feed(&mut screen, [StressUpdate::Finished { out_of_time: None }]);
        assert!(screen.text().contains(says), "{stop}: {}", screen.text());
        screen.keys("Esc");
        assert!(!screen.text().contains("Stress test of"), "{stop}");
    }
}

#[test]
fn a_test_that_cannot_run_says_why() {
    let mut screen = asked(WIDE, Theme { colour: true, unicode: true });
    feed(&mut screen, [StressUpdate::Failed("the project cannot be copied: no space left on device".to_owned())]);
    assert!(screen.text().contains("the project cannot be copied: no space left on device"), "{}", screen.text());
}

#[test]
fn the_misses_are_kept_as_cases_and_taken_back() {
    let mut screen = finished(WIDE);
    let before = screen.read("hooks.test.yaml");
    screen.keys("S");
    assert!(screen.text().contains("Keep 4 misses as tests"), "{}", screen.text());
    // The name of the command that is not refused, and what it has to be.
    assert!(screen.text().contains("name: \"flags: rm -fr build\""), "{}", screen.text());
    screen.keys("n");
    assert_eq!(screen.read("hooks.test.yaml"), before);
    screen.keys("S Y");
    let suite = screen.read("hooks.test.yaml").unwrap();
    let added = suite.strip_prefix(before.as_deref().unwrap()).unwrap();
    assert_eq!(added.matches("verdict: deny").count(), 4, "{suite}");
    // The result is still there, and the same key as everywhere takes the change back.
    assert!(screen.text().contains("Stress test of guard.sh"), "{}", screen.text());
    screen.keys("u");
    assert!(screen.text().contains("Undo the last change"), "{}", screen.text());
    screen.keys("Y");
    assert_eq!(screen.read("hooks.test.yaml"), before);
}

#[test]
fn the_script_opens_in_the_editor_and_the_test_starts_again() {
    let mut screen = finished(WIDE);
    screen.keys("x");
    let opened = screen.asks.iter().rev().find_map(|ask| match ask {
        LoopRequest::OpenFile { path, .. } => Some(path.clone()),
        _ => None,
    });
    assert!(opened.is_some_and(|path| path.ends_with("guard.sh")));
    screen.keys("T");
    let first = variants().into_iter().next().unwrap();
    screen.fact(Fact::Task { number: 2, update: TaskUpdate::Stress(first) });
    assert!(screen.text().contains("0 of 9 tried, 0 refused"), "{}", screen.text());
}

#[test]
fn pages_and_arrows_lead_to_the_end_and_back() {
    let mut screen = finished(MEDIUM);
    let press = |screen: &mut TestScreen, code| screen.send(Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    let (first, last) = ("refuses 5 of 9 variants", "contained: a copy of the project");
    assert!(screen.text().contains(first) && !screen.text().contains(last), "{}", screen.text());
    for _ in 0..5 {
        press(&mut screen, KeyCode::PageDown);
    }
    assert!(screen.text().contains(last) && !screen.text().contains(first), "{}", screen.text());
    for _ in 0..5 {
        press(&mut screen, KeyCode::PageUp);
    }
    press(&mut screen, KeyCode::Down);
    assert!(!screen.text().contains(first));
    press(&mut screen, KeyCode::Up);
    assert!(screen.text().contains(first));
}
