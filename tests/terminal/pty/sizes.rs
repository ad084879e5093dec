//! Terminals without a size, tiny ones, ones that change constantly; and one that cannot draw.

use crate::terminal::{TestTerminal, is_restored, wait_until};

#[test]
fn a_screen_without_a_cell_is_a_screen() {
    for start in [(0, 0), (20, 5), (1, 1), (0, 24), (80, 0)] {
        let mut terminal = TestTerminal::open(&["demo"], &[], start);
        // At a normal size, the screen shows that it is running.
        terminal.resize((120, 40));
        terminal.wait_for("READY").press("q");
        let (status, raw) = terminal.wait_for_end();
        assert_eq!(status, 0, "{start:?}");
        assert!(is_restored(raw.as_bytes()), "{start:?}");
    }
}

#[test]
fn the_keys_that_end_the_program_work_at_every_size() {
    for start in [(1, 1), (2, 3), (3, 2), (80, 1)] {
        for key in ["q", "\u{3}"] {
            let mut terminal = TestTerminal::open(&["demo"], &[], start);
            wait_until("the screen is entered", || String::from_utf8_lossy(&terminal.raw()).contains("\u{1b}[?1049h"));
            terminal.press(key);
            let (status, raw) = terminal.wait_for_end();
            assert_eq!(status, 0, "{start:?} {key:?}");
            assert!(is_restored(raw.as_bytes()), "{start:?} {key:?}");
        }
    }
}

/// The last row of the drawn area of a terminal that claims 65535 × 65535 cells. Memory is not enough for all of them.
const LAST_ROW: &str = "\u{1b}[125;";

#[test]
fn a_terminal_of_any_size_is_drawn_in_part() {
    for start in [(65535, 65535), (120, 40)] {
        let mut terminal = TestTerminal::open(&["demo"], &[], start);
        if start == (120, 40) {
            terminal.wait_for("READY").resize((65535, 65535));
        }
        wait_until("the drawn area is full", || String::from_utf8_lossy(&terminal.raw()).contains(LAST_ROW));
        terminal.resize((120, 40));
        terminal.wait_for("READY").press("q");
        let (status, raw) = terminal.wait_for_end();
        assert_eq!(status, 0, "{start:?}");
        assert!(is_restored(raw.as_bytes()), "{start:?}");
    }
}

#[test]
fn twenty_columns_show_the_verdict() {
    let mut terminal = TestTerminal::open(&["demo"], &[], (20, 5));
    // A yes is accepted only after the last row of the question was shown.
    terminal
        .wait_for("READY")
        .press("f")
        .wait_for("Run these 3")
        .press(&"j".repeat(20))
        .press("Y")
        .wait_for("DENY")
        .press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
}

#[test]
fn what_depends_on_the_size_follows_it() {
    let mut terminal = TestTerminal::open(&["demo"], &[], (20, 40));
    terminal.wait_for("READY").press("j").wait_for("❯○ protect").press("k").wait_for("❯○ guard").resize((120, 40));
    // No key is pressed, and the sentence is wrapped for the new size.
    terminal.wait_for("guard.sh runs: \"Bash\" is exactly \"Bash\"").press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
}

#[test]
fn a_storm_of_sizes_ends_in_the_last_one() {
    let mut terminal = TestTerminal::open(&["demo"], &[], (80, 24));
    terminal.wait_for("READY");
    for n in 0..400_u32 {
        let part = |of: u32, most: u32| u16::try_from(n.wrapping_mul(2_654_435_761).rotate_left(of) % most).unwrap();
        terminal.resize((part(3, 300), part(11, 100)));
        if n % 50 == 0 {
            terminal.press("jjkk");
        }
    }
    // Keys that arrive together with a resize are not lost.
    for n in 0..20 {
        terminal.resize((40, 12));
        terminal.resize((120, 40 + n % 2));
        terminal.press("?").wait_for("Esc close").press("\u{1b}").wait_for_gone("Esc close");
    }
    terminal.wait_for("q quit").press("f").wait_for("Y run").press("Y");
    terminal.wait_for("DENY").press("q");
    let (status, raw) = terminal.wait_for_end();
    assert_eq!(status, 0);
    assert!(is_restored(raw.as_bytes()));
}

#[test]
fn a_terminal_that_cannot_draw_is_spoken_to() {
    let mut terminal = TestTerminal::open(&["demo"], &[("TERM", "dumb")], (120, 40));
    terminal.wait_for("Ready: ").press("quit\r");
    let (status, raw) = terminal.wait_for_end();
    assert_eq!(status, 0);
    assert!(!raw.contains('\u{1b}'), "no control sequence: {raw:?}");
}

/// A question on the command line that is longer than the terminal is high is answered after its end was shown.
#[test]
fn a_long_question_is_shown_to_its_end() {
    let project = tempfile::tempdir().unwrap();
    std::fs::create_dir(project.path().join(".claude")).unwrap();
    let hooks: Vec<String> =
        (0..12).map(|n| format!(r#"{{"type": "command", "command": "echo {n} > ran-{n}"}}"#)).collect();
    let settings = format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{}]}}]}}}}"#, hooks.join(", "));
    std::fs::write(project.path().join(".claude/settings.json"), settings).unwrap();
    let directory = project.path().to_str().unwrap();
    let args = ["fire", "PreToolUse", "--tool", "Bash", "--agent", "claude", "--project", directory];
    for (answer, ran) in [("n", false), ("y", true)] {
        let mut terminal = TestTerminal::open(&args, &[], (200, 12));
        // A yes before the end is no answer.
        terminal
            .wait_for("page 1 of 3")
            .press("y\r")
            .wait_for("page 2 of 3")
            .press("y\r")
            .wait_for("Run these commands?");
        assert!(!project.path().join("ran-0").exists());
        terminal.press(&format!("{answer}\r"));
        let (status, raw) = terminal.wait_for_end();
        assert_eq!((status == 0, project.path().join("ran-11").exists()), (ran, ran), "{raw}");
    }
    let mut terminal = TestTerminal::open(&args, &[], (200, 12));
    terminal.wait_for("page 1 of 3").press("n\r");
    assert_ne!(terminal.wait_for_end().0, 0);
}
