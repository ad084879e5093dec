//! The keys: the footer of each layer, keys without a meaning, the help, the palette's arguments, the target of the fix.

use std::collections::BTreeSet;

use hookbench::tui::{Page, Theme};

use crate::screen;
use screen::{MEDIUM, PROJECT, TestScreen, WIDE, picture, sample_files};

fn footer(screen: &TestScreen) -> String {
    screen.text().lines().last().unwrap_or_default().to_owned()
}

/// The keys that open a layer over the bench, and the footer of the layer.
const LAYERS: [(&str, &str); 10] = [
    ("t", "↑↓ move   Enter select   type to filter   Esc close"),
    ("a", "↑↓ move   Enter select   type to filter   Esc close"),
    (":", "↑↓ move   Enter run   Tab complete   type to filter   Esc close"),
    ("s", "Enter set   Esc cancel   Ctrl+U clear"),
    ("f", "Y run   n cancel   Enter read scripts"),
    ("y", "letter copy   Esc close"),
    ("?", "Tab all keys   ↑↓ scroll   Esc close"),
    ("? Tab", "↑↓ scroll   type to search   Tab this page   Esc close"),
    ("x", "Y write it   n cancel"),
    ("2 e", "Enter apply   Esc cancel   Ctrl+U clear"),
];

#[test]
fn the_footer_belongs_to_the_topmost_layer() {
    for (keys, wanted) in LAYERS {
        let mut screen = TestScreen::new(MEDIUM, "claude", sample_files()).with_lint("");
        screen.keys(keys);
        assert_eq!(footer(&screen).trim(), wanted, "{keys}:\n{}", screen.text());
        screen.keys("Esc");
        assert!(footer(&screen).contains("? help"), "{keys}: {}", screen.text());
    }
}

/// A key without a meaning says so, and the layer keeps its keys.
#[test]
fn a_key_without_a_meaning_says_so() {
    for (keys, key, wanted) in [
        ("f", "y", "y does nothing here"),
        ("y", "w", "w does nothing here"),
        ("t", "BackTab", "Shift+Tab does nothing here"),
        ("s", "Up", "Up does nothing here"),
        ("?", "z", "z does nothing here"),
    ] {
        let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
        screen.keys(keys);
        let open = screen.model.popups.len();
        let before = footer(&screen);
        screen.keys(key);
        // The keys stay where they are.
        assert!(screen.text().contains(wanted), "{keys} {key}: {}", screen.text());
        let keys_left = footer(&screen).replace(wanted, "");
        assert_eq!(keys_left.trim(), before.trim(), "{keys} {key}");
        assert_eq!(screen.model.popups.len(), open);
        assert!(screen.started.is_empty());
    }
    // A question that is not shown in full is not answered yet.
    let mut screen = TestScreen::new((60, 12), "claude", sample_files());
    screen.keys("f Y");
    assert!(screen.text().contains("read the rest first"), "{}", screen.text());
    assert!(screen.started.is_empty());
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys("Z");
    assert!(screen.text().contains("Z does nothing here; ? lists the keys"), "{}", screen.text());
}

/// Esc goes back to the bench from every page, and q quits from every page.
#[test]
fn esc_goes_back_and_q_quits_on_every_page() {
    for page in ["1", "2", "3", "4", "5", "6", "i"] {
        let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
        screen.keys(page).keys("Esc");
        assert_eq!(screen.model.page, Page::Bench, "{page}");
        screen.keys(page).keys("q");
        assert!(screen.asks.contains(&hookbench::tui::LoopRequest::Quit), "{page}");
    }
}

/// q closes what Esc and Ctrl+C close, but where a text is typed it is a letter.
#[test]
fn q_closes_what_esc_closes() {
    for keys in ["f", "y", "?", "x"] {
        for closes in ["q", "Esc", "C-c"] {
            let mut screen = TestScreen::new(MEDIUM, "claude", sample_files()).with_lint("");
            screen.keys(keys);
            let open = screen.model.popups.len();
            screen.keys(closes);
            assert_eq!(screen.model.popups.len(), open.saturating_sub(1), "{keys} {closes}:\n{}", screen.text());
            assert!(screen.started.is_empty(), "{keys} {closes}");
            assert!(!screen.asks.contains(&hookbench::tui::LoopRequest::Quit), "{keys} {closes}");
        }
    }
    for keys in ["t", "a", ":", "s", "? Tab"] {
        let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
        screen.keys(keys);
        let open = screen.model.popups.len();
        screen.keys("q");
        assert_eq!(screen.model.popups.len(), open, "{keys}");
    }
}

/// The question before hooks run says how often and where they run.
#[test]
fn the_question_says_what_the_commands_are_run_for() {
    for (keys, wanted) in [
        ("f", "Run these 3 commands?"),
        ("T", "Run this command many times, with variants of the event?"),
        ("V", "Run these commands here? (The agent is not installed.)"),
    ] {
        let mut screen = TestScreen::new(MEDIUM, "claude", sample_files()).with_lint("");
        screen.keys(keys);
        assert!(screen.text().contains(wanted), "{keys}:\n{}", screen.text());
    }
    let theme = Theme { colour: true, unicode: true };
    let mut screen = TestScreen::installed(MEDIUM, "claude", sample_files(), theme, "2.1.332").with_lint("");
    screen.keys("V");
    let text = screen.text();
    assert!(text.contains("Run these commands here and in the installed agent?"), "{text}");
}

/// A command of another page leads to its page first; its key does not.
#[test]
fn the_palette_leads_to_the_page_of_a_command() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files()).with_lint("");
    screen.keys("r");
    assert_eq!(screen.model.page, Page::Bench);
    screen.keys(":").type_text("replay").keys("Enter");
    assert_eq!(screen.model.page, Page::Events, "{}", screen.text());
}

/// q leaves what is opened on a page before it quits.
#[test]
fn q_goes_back_from_what_is_opened_on_a_page() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files()).with_lint("");
    screen.keys("4 Enter q");
    assert_eq!((screen.model.page, screen.model.problems.open), (Page::Problems, None));
    assert!(!screen.asks.contains(&hookbench::tui::LoopRequest::Quit));
    screen.keys("q");
    assert!(screen.asks.contains(&hookbench::tui::LoopRequest::Quit));
}

/// Keys that are planned for other commands.
#[test]
fn planned_keys_are_free() {
    let screen = TestScreen::new(MEDIUM, "claude", sample_files());
    let bound: BTreeSet<&String> = screen.model.config.keys.rows().flat_map(|(_, keys)| keys).collect();
    for key in [",", "Y"] {
        assert!(!bound.contains(&key.to_owned()), "{key}");
    }
}

#[test]
fn the_help_of_a_page_fits_on_a_small_screen() {
    for (page, title) in [
        ("1", "Bench"),
        ("2", "Match"),
        ("3", "Events"),
        ("4", "Problems"),
        ("5", "Compare"),
        ("6", "Files"),
        ("i", "Intercept"),
    ] {
        let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
        screen.keys(page).keys("?");
        let text = screen.text();
        for part in [&format!("{title} keys"), "Move", "Everywhere", "quit, cancel run"] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
        picture(format!("help-{}-80x24", title.to_lowercase()), text);
        let mut tall = TestScreen::new((60, 50), "claude", sample_files());
        tall.keys(page).keys("?");
        let text = tall.text();
        let popup = text.lines().skip_while(|line| !line.contains(&format!("{title} keys"))).skip(1);
        let popup = popup.take_while(|line| !line.starts_with('╰'));
        let rows = popup.filter(|line| !line.trim_matches(['│', ' ']).is_empty()).count();
        // Four titles, at most 20 rows of keys, and at most 12 signs.
        assert!((10..=36).contains(&rows), "{title}: {rows}\n{text}");
    }
}

#[test]
fn the_palette_completes_arguments() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys(": agent Space");
    picture("palette-agent-120x40", screen.text());
    screen.keys("qw Enter");
    assert_eq!(screen.model.session.bench().payload.agent, "qwen");
    screen.keys(": agent Space nobody Enter");
    assert!(screen.text().contains("agent accepts claude, qwen, gemini, codex"), "{}", screen.text());
    // An agent that is not used here takes no room elsewhere, and can still be chosen.
    screen.keys("Esc : agent Space droid Enter");
    assert_eq!(screen.model.session.bench().payload.agent, "droid");
    screen.keys(": agent Space qwen Enter : events Space SubagentSt Tab");
    assert!(screen.text().contains(": events SubagentSt"), "{}", screen.text());
    screen.keys("Enter");
    assert!(screen.model.session.bench().payload.event.unwrap().name.starts_with("SubagentSt"));
    screen.keys(": theme Space nord Enter");
    assert!(screen.text().contains("theme accepts auto, dark, light"), "{}", screen.text());
    screen.keys("Esc : theme Space light Enter");
    assert!(matches!(screen.model.shades, hookbench::tui::Shades::Palette(palette) if palette.name == "light"));
    screen.keys(": impo Tab ses.jsonl Enter");
    assert_eq!(screen.model.page, Page::Events);
    assert!(screen.text().contains("ses.jsonl"), "{}", screen.text());
    screen.keys("Esc : match Space mcp__.* Enter");
    assert_eq!(screen.model.page, Page::Match);
    assert!(screen.text().contains(" mcp__.*  PreToolUse "), "{}", screen.text());
    screen.keys(": recorded Space ~z Enter");
    assert!(screen.text().contains("recorded accepts a filter, such as ~t Bash & rm"), "{}", screen.text());
    screen.keys("Esc : recorded Space ~t Space Bash Enter");
    assert_eq!(screen.model.page, Page::Events);
    assert_eq!(screen.model.session.event_list().filter, "~t Bash");
}

/// The fix acts on the finding beside which its key is shown, and its label names it.
#[test]
fn the_fix_names_its_target() {
    let hook = r#"{"matcher": "bash", "hooks": [{"type": "command", "command": "true"}]}"#;
    for (settings, label, gone) in [
        (
            format!("{{\"disableAllHooks\": true, \"hooks\": {{\"PreToolUse\": [{hook}]}}}}"),
            "x delete disableAllHooks",
            "disableAllHooks",
        ),
        (format!("{{\"hooks\": {{\"preToolUse\": [{hook}]}}}}"), "x rename preToolUse", "preToolUse"),
        (format!("{{\"hooks\": {{\"PreToolUse\": [{hook},]}}}}"), "x remove comma", ",]"),
        (format!("{{\"hooks\": {{\"PreToolUse\": [{hook}]}}}}"), "x fix settings.json:1", "\"bash\""),
    ] {
        let mut files = sample_files();
        let path = format!("{PROJECT}/.claude/settings.json");
        files.put(path.clone(), &settings);
        let mut screen = TestScreen::new(WIDE, "claude", files).with_lint("");
        assert!(screen.text().contains(label), "{label}:\n{}", screen.text());
        screen.keys("x");
        assert!(screen.text().contains("Y write it"), "{label}:\n{}", screen.text());
        screen.keys("Y");
        let after = String::from_utf8(screen.model.session.files().read(&path).unwrap()).unwrap();
        assert!(!after.contains(gone), "{label}: {after}");
    }
}

/// With few hooks, a page moves the text beside them: the list has no further page.
#[test]
fn a_page_down_shows_the_end_of_the_ladder() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys("w");
    let selected = screen.model.selected;
    assert!(screen.text().contains(" 1 file found ") && !screen.text().contains("10 started"), "{}", screen.text());
    screen.keys("PgDn PgDn");
    assert!(screen.text().contains("10 started"), "{}", screen.text());
    assert_eq!(screen.model.selected, selected);
}
