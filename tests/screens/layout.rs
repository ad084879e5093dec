//! Tests the screen layout: positions at each size, that they stay the same while a firing runs, and the effect of
//! keys and the mouse.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use hookbench::core::config::MemoryFiles;
use hookbench::tui::{Focus, Msg};
use screen::{MEDIUM, PROJECT, TINY, TestScreen, WIDE, picture, sample_files};

/// Every class of sizes, and both sides of every boundary between classes.
const SIZES: [(u16, u16); 13] = [
    (120, 40),
    (110, 30),
    (109, 30),
    (90, 50),
    (80, 24),
    (79, 24),
    (70, 20),
    (60, 15),
    (59, 15),
    (60, 14),
    (40, 12),
    (30, 8),
    (20, 5),
];

fn guard(label: &str) -> (i32, &'static str, &'static str) {
    if label == "guard.sh" { (2, "", "refusing: rm -rf outside a scratch directory: build\n") } else { (0, "", "") }
}

/// The frame of the layout: the corners of the panes, the event line, and the footer.
fn bones(screen: &TestScreen) -> String {
    let mut bones = String::new();
    for (y, line) in screen.text().lines().enumerate() {
        for (x, corner) in line.chars().enumerate().filter(|(_, c)| "╭╮╰╯".contains(*c)) {
            bones.push_str(&format!("{corner} {x} at {y}\n"));
        }
        // While hooks run, the footer names another key first.
        for starts in [&[" PreToolUse  Bash"][..], &[" Pinned"], &[" f fire", " Ctrl+C"]] {
            if starts.iter().any(|start| line.starts_with(start)) {
                bones.push_str(&format!("{starts:?} {y}\n"));
            }
        }
    }
    bones
}

fn matchers(matchers: &[&str]) -> MemoryFiles {
    let mut files = sample_files();
    let hook = |matcher: &str| {
        format!("{{\"matcher\": \"{matcher}\", \"hooks\": [{{\"type\": \"command\", \"command\": \"guard.sh\"}}]}}")
    };
    let hooks: Vec<String> = matchers.iter().map(|m| hook(m)).collect();
    let text = format!("{{\"hooks\": {{\"PreToolUse\": [{}]}}}}", hooks.join(", "));
    files.put(format!("{PROJECT}/.claude/settings.json"), text);
    files
}

#[test]
fn nothing_jumps() {
    for size in SIZES {
        let mut unknown = sample_files();
        unknown.put(
            format!("{PROJECT}/.claude/settings.local.json"),
            "{\"hooks\": {\"PreToolUes\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}",
        );
        let others = [
            ("two never", matchers(&["Bash", "bash", "BASH", "*"])),
            ("four never", matchers(&["Bash", "bash", "BASH", "bAsh", "BasH", "*"])),
            ("unknown event", unknown),
            ("nobody", matchers(&["bash"])),
        ];
        // The other projects differ in the band and the list, so the standard sizes and the extremes show them.
        let others = others.into_iter().filter(|_| [WIDE, MEDIUM, (60, 15), (20, 5)].contains(&size));
        for (name, files) in [("sample", sample_files())].into_iter().chain(others) {
            let mut screen = TestScreen::new(size, "claude", files);
            let ready = bones(&screen);
            assert!(ready.contains("PreToolUse"), "{size:?}\n{}", screen.text());
            screen.keys(if name == "nobody" { "f Esc" } else { "f G Y" });
            assert!(name == "nobody" || screen.text().contains("RUNNING"), "{}", screen.text());
            assert_eq!(bones(&screen), ready, "{size:?}, {name}: when it starts\n{}", screen.text());
            screen.report(guard);
            assert!(!screen.text().contains("RUNNING"));
            screen.keys("g");
            assert_eq!(bones(&screen), ready, "{size:?}, {name}: when it ends\n{}", screen.text());
            for _ in 0..3 {
                screen.keys("j");
                let text = screen.text();
                assert!(text.contains('❯'), "{size:?}, {name}: the cursor\n{text}");
                if size.1 > 8 {
                    assert_eq!(bones(&screen), ready, "{size:?}, {name}: when the selection moves\n{text}");
                }
            }
        }
    }
}

#[test]
fn the_verdict_is_never_hidden() {
    for size in SIZES {
        let mut screen = TestScreen::new(size, "claude", sample_files());
        screen.keys("f G Y");
        screen.report(guard);
        for keys in [
            "",
            "p",
            "Enter",
            "Tab",
            "z",
            "z",
            "- - - - - - - - - -",
            "+ + + + + + + + + + + +",
            "Esc Esc",
            "+ + + + + + +",
        ] {
            screen.keys(keys);
            let text = screen.text();
            assert!(text.contains("  DENY ") && text.contains(" by "), "{size:?} after {keys}:\n{text}");
        }
    }
}

/// Below 80 columns one pane is visible at a time, and the footer shows the key for the other.
#[test]
fn one_pane_at_a_time_says_the_way_back() {
    for size in [(70, 20), (60, 15), (59, 15)] {
        let mut screen = TestScreen::new(size, "claude", sample_files());
        screen.keys("f G Y");
        screen.report(guard);
        let text = screen.text();
        assert!(text.contains("Enter open") && screen.selects("guard.sh"), "{text}");
        screen.keys("Enter");
        let text = screen.text();
        let foot = text.lines().last().unwrap();
        assert!(foot.starts_with(" Esc back") && text.contains(" guard.sh  "), "{text}");
        assert!(!text.contains("policy.py "), "the list is gone:\n{text}");
        screen.keys("Esc");
        assert!(screen.selects("guard.sh") && screen.text().contains("Enter open"));
    }
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("Tab z");
    assert!(screen.text().lines().last().unwrap().starts_with(" Esc back"), "{}", screen.text());
    screen.keys("Esc");
    assert!(!screen.text().contains("Esc back") && screen.selects("guard.sh"));
}

#[test]
fn panes_grow_and_shrink_by_keys() {
    // The column in which the second pane begins, and the rows in which panes begin.
    let bar =
        |screen: &TestScreen| screen.text().lines().find_map(|l| l.chars().skip(1).position(|c| c == '╭')).unwrap() + 1;
    let rules = |screen: &TestScreen| -> Vec<usize> {
        screen.text().lines().enumerate().filter(|(_, l)| l.starts_with('╭')).map(|(y, _)| y).collect()
    };
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    let (first, above) = (bar(&screen), rules(&screen)[1]);
    screen.keys("+ + +");
    assert_eq!(bar(&screen), first + 6);
    screen.keys("Tab + -  -");
    assert_eq!(bar(&screen), first + 8, "the detail gives what the list takes");
    screen.keys("Tab + +");
    assert_eq!(rules(&screen)[1], above - 2, "the event has grown");
    picture("split-120x40", screen.text());
    screen.keys("Tab");
    for _ in 0..80 {
        screen.keys("+");
    }
    assert_eq!(bar(&screen), 78, "the detail keeps its columns");
    assert!(screen.text().contains("the pane cannot get larger or smaller"));
    // The same proportions on another screen.
    screen.size = (200, 40);
    screen.keys("l h");
    assert_eq!(bar(&screen), 130);
    screen.size = MEDIUM;
    screen.keys("l h");
    let before = rules(&screen)[1];
    screen.keys("+ +");
    assert_eq!(rules(&screen)[1], before + 2);
    screen.keys("z +");
    assert!(screen.text().contains("this pane is zoomed; z shows all"), "{}", screen.text());
    screen.keys("z : reset-layout Enter");
    assert_eq!(rules(&screen)[1], before);
    screen.size = WIDE;
    assert_eq!((bar(&screen), rules(&screen)[1]), (first, above));
    screen.size = TINY;
    screen.keys("+");
    assert!(screen.text().contains("one pane at a time"), "{}", screen.text());
}

fn mouse(screen: &mut TestScreen, at: (usize, usize), kind: MouseEventKind) {
    let (column, row) = (u16::try_from(at.0).unwrap(), u16::try_from(at.1).unwrap());
    screen.send(Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
}

const CLICK: MouseEventKind = MouseEventKind::Down(MouseButton::Left);
const DRAG: MouseEventKind = MouseEventKind::Drag(MouseButton::Left);
const UP: MouseEventKind = MouseEventKind::Up(MouseButton::Left);

/// Returns the position of a text on the screen: column and row.
fn place(screen: &TestScreen, text: &str) -> (usize, usize) {
    let shown = screen.text();
    let (row, line) =
        shown.lines().enumerate().find(|(_, l)| l.contains(text)).unwrap_or_else(|| panic!("{text}:\n{shown}"));
    (line[..line.find(text).unwrap()].chars().count(), row)
}

#[test]
fn lines_between_panes_are_dragged() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    // The two borders between the panes are the edge.
    let bar = place(&screen, "╮╭");
    mouse(&mut screen, bar, CLICK);
    mouse(&mut screen, (60, 14), DRAG);
    assert_eq!(place(&screen, "╮╭").0, 59);
    mouse(&mut screen, (5, 14), DRAG);
    assert_eq!(place(&screen, "╮╭").0, 31, "the list keeps what it needs");
    mouse(&mut screen, (60, 14), DRAG);
    mouse(&mut screen, (60, 14), UP);
    mouse(&mut screen, (70, 14), DRAG);
    assert_eq!(place(&screen, "╮╭").0, 59, "it was let go of");
    let event = place(&screen, " Payload ");
    mouse(&mut screen, (3, event.1), CLICK);
    mouse(&mut screen, (3, 20), DRAG);
    assert_eq!(place(&screen, " Payload ").1, 20);
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    let title = place(&screen, "guard.sh  stdin");
    mouse(&mut screen, (78, title.1), CLICK);
    mouse(&mut screen, (40, 17), DRAG);
    assert_eq!(place(&screen, "guard.sh  stdin").1, 17);
    mouse(&mut screen, (40, 0), DRAG);
    assert_eq!(place(&screen, "❯○ guard.sh").1, 7, "neither the band nor the list is covered\n{}", screen.text());
}

#[test]
fn rows_names_and_pins_are_clicked() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    let tool_input = place(&screen, "tool_input");
    mouse(&mut screen, tool_input, CLICK);
    assert!(
        screen.model.focus == Focus::Event && screen.text().contains("\"rm -rf build\""),
        "the first one goes there"
    );
    mouse(&mut screen, tool_input, CLICK);
    let text = screen.text();
    assert!(!text.lines().skip(20).any(|l| l.contains("\"rm -rf build\"")), "the second one folds:\n{text}");
    mouse(&mut screen, tool_input, CLICK);
    mouse(&mut screen, tool_input, MouseEventKind::ScrollDown);
    let cursor = screen.model.payload_view.tree.cursor;
    assert!(cursor > 2, "the wheel moves in the event: {cursor}");
    // The band shows names of hooks.
    let never = place(&screen, "audit.py");
    mouse(&mut screen, never, CLICK);
    assert!(screen.selects("audit.py") && screen.model.focus == Focus::Hooks, "{}", screen.text());
    screen.keys("f Y");
    screen.report(guard);
    let by = place(&screen, "by        guard.sh");
    screen.keys("G");
    mouse(&mut screen, by, CLICK);
    assert!(screen.selects("guard.sh"), "{}", screen.text());
    // Two pins; the second is on the bench, and a click selects the first.
    screen.keys("p t git Enter p");
    let now = screen.model.session.bench().payload.input.clone();
    let first = place(&screen, "1 rm -rf");
    mouse(&mut screen, first, CLICK);
    assert_eq!(screen.model.session.pinned(), Some(0));
    assert_ne!(screen.model.session.bench().payload.input, now);
    assert!(screen.started.is_empty(), "a click runs nothing");
}
