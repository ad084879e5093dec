//! Texts that a narrow screen must not hide, the focus without colour, and the payload as a hook gets it.

use hookbench::core::config::MemoryFiles;
use hookbench::tui::Theme;

use crate::screen::{MEDIUM, MONO, PROJECT, TestScreen, WIDE, sample_files};

const NARROW: (u16, u16) = (60, 20);

fn guard(label: &str) -> (i32, &'static str, &'static str) {
    if label == "guard.sh" { (2, "", "refusing: rm -rf outside a scratch directory: build\n") } else { (0, "", "") }
}

fn fired(size: (u16, u16), theme: Theme) -> TestScreen {
    let mut screen = TestScreen::with(size, "claude", sample_files(), theme, true);
    screen.keys("f");
    screen.report(guard);
    screen
}

/// The rows from the first one with a text to the next one with another text, as one line.
fn between(screen: &TestScreen, from: &str, to: &str) -> String {
    let rows = screen.rows();
    let rows = rows.iter().skip_while(|row| !row.contains(from)).take_while(|row| !row.contains(to));
    let words: Vec<&str> = rows.flat_map(|row| row.split_whitespace()).filter(|word| *word != "▌").collect();
    words.join(" ")
}

#[test]
fn the_reason_of_a_denial_is_complete_on_every_screen() {
    for (size, end) in [(NARROW, ""), (MEDIUM, ""), (WIDE, " the model reads it")] {
        let screen = fired(size, MONO);
        let reason = between(&screen, "▌ reason", "▌ never");
        let expected = format!("reason refusing: rm -rf outside a scratch directory: build{end}");
        assert_eq!(reason, expected, "{size:?}");
        // Other rows of the band have their place too.
        assert!(screen.text().contains("▌ never     audit.py"), "{}", screen.text());
    }
}

/// Without colour, the focused pane has a heavy border; in ASCII it has double lines.
#[test]
fn the_focused_pane_is_seen_without_colour() {
    // The border of a pane from its title on.
    let border = |screen: &TestScreen, title: &str| {
        let text = screen.text();
        let from = text.split(&format!(" {title}")).nth(1).unwrap().to_owned();
        from.split("++").next().unwrap().split(['\n', '┓', '╮']).next().unwrap().to_owned()
    };
    for (theme, heavy) in [(MONO, '━'), (Theme { unicode: false, ..MONO }, '=')] {
        for (size, titles) in
            [(WIDE, &["Hooks on", "guard.sh  stdin", "Payload"][..]), (MEDIUM, &["Hooks on", "guard.sh  stdin"])]
        {
            let mut screen = fired(size, theme);
            for focused in titles {
                for title in titles {
                    let is_heavy = border(&screen, title).contains(heavy);
                    assert_eq!(is_heavy, title == focused, "{size:?} {title}\n{}", screen.text());
                }
                screen.keys("Tab");
            }
        }
    }
    // With colour, no border is heavy.
    assert!(!fired(WIDE, Theme { colour: true, unicode: true }).text().contains('┏'));
}

/// A long patch counts the lines and the changes that are hidden, and every key that scrolls stays inside.
#[test]
fn a_long_patch_says_how_much_is_below() {
    let mut screen = fired(NARROW, MONO);
    screen.keys("S");
    let hidden = |screen: &TestScreen| {
        let rows = screen.rows();
        let row = rows.into_iter().find(|row| row.contains(" more line")).unwrap_or_default();
        row.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
    };
    let first = hidden(&screen);
    assert!(first.contains(" more lines below, ") && first.ends_with(" changes"), "{first}\n{}", screen.text());
    assert!(screen.text().contains("Y write it") && screen.text().contains("scroll"), "{}", screen.text());
    screen.keys("G");
    let end = screen.text();
    assert!(hidden(&screen).is_empty() && end.contains(" above"), "{end}");
    // One key leads back by one line, however far the last one went.
    screen.keys("k");
    assert!(hidden(&screen).starts_with("1 more line below"), "{}", screen.text());
    screen.keys("g");
    assert_eq!(hidden(&screen), first);
    // The patch can be written before its end was visible, because a key undoes it.
    screen.keys("Y");
    assert!(screen.read("hooks.test.yaml").is_some_and(|text| text.contains("denies Bash")), "{}", screen.text());
    // A short patch has nothing to scroll.
    let mut screen = fired(WIDE, MONO);
    screen.keys("S");
    assert!(!screen.text().contains("more line") && !screen.text().contains("scroll"), "{}", screen.text());
}

/// One long message can be read to its end.
#[test]
fn a_text_that_wraps_scrolls_to_its_end() {
    let mut screen = fired(NARROW, MONO);
    screen.keys(": messages Enter");
    assert!(screen.text().contains("no messages yet"), "{}", screen.text());
    screen.keys("Esc");
    screen.model.messages.push("word ".repeat(200));
    screen.keys(": messages Enter");
    assert!(screen.text().contains(" below"), "{}", screen.text());
    screen.keys("G");
    assert!(screen.text().contains(" above") && !screen.text().contains(" below"), "{}", screen.text());
    screen.keys("k");
    assert!(screen.text().contains("1 below"), "{}", screen.text());
}

/// Hooks of one event get different payloads if their names of the event are spelled differently.
#[test]
fn the_payload_is_shown_as_the_selected_hook_gets_it() {
    let mut files = MemoryFiles::default();
    let hooks = r#"{"hooks": {"preToolUse": [{"type": "command", "bash": "jq .toolArgs.command"}],
        "PreToolUse": [{"type": "command", "bash": "jq .tool_input.command"}]}}"#;
    files.put(format!("{PROJECT}/.github/copilot/settings.json"), hooks);
    files.put("/home/dev/.copilot/config.json", format!("{{\"trustedFolders\": [\"{PROJECT}\"]}}"));
    let mut screen = TestScreen::with(WIDE, "copilot", files.clone(), MONO, true);
    let payload = |screen: &TestScreen| -> Vec<String> {
        let text = screen.text();
        let rows = text.lines().skip_while(|row| !row.contains(" Payload "));
        rows.take_while(|row| !row.starts_with('╰'))
            .map(|row| row.trim_matches(['│', ' ']).split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    };
    let first = payload(&screen);
    assert!(first[0].contains("gets it on preToolUse"), "{first:?}");
    for row in ["hook_event_name \"PreToolUse\" not sent", "toolName \"bash\" tool_name", "✓ command \"rm -rf build\""]
    {
        assert!(first.iter().any(|line| line == row), "{row}: {first:#?}\n{}", screen.text());
    }
    assert!(!first.iter().any(|line| line.contains("MISSING")), "{first:#?}");
    screen.keys("j");
    let second = payload(&screen);
    for row in ["hook_event_name \"PreToolUse\"", "tool_name \"Bash\"", "✓ command \"rm -rf build\""] {
        assert!(second.iter().any(|line| line == row), "{row}: {second:#?}\n{}", screen.text());
    }
    assert!(!second[0].contains("gets it on"), "{second:?}");
    // On a narrow screen the payload has one line.
    let narrow = TestScreen::with(NARROW, "copilot", files, MONO, true);
    assert!(narrow.text().contains("payload  toolName: \"bash\"  toolArgs: {"), "{}", narrow.text());
}
