//! Text from outside in every script, with every trick, everywhere on the screen: it never affects the layout.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;

use hookbench::core::config::MemoryFiles;
use hookbench::tui::{Focus, Msg, Theme};
use screen::{PROJECT, TestScreen};
use unicode_width::UnicodeWidthStr as _;

/// Wide, joined, coloured and combining characters, and sequences that attack terminals and readers.
const FOREIGN: &str = "日本語 ﾊﾟ 👩‍👩‍👧‍👦 🇩🇪 ❤️ 1️⃣ e\u{301}\u{302} لا \u{1b}[2J\u{1b}]0;title\u{7}\t\r\u{9b}31m \u{202e}evil\u{2066} z\u{200b}\u{feff}\u{2060}\u{ad}\u{e0041} \u{2028} ก็ क्षि 한\u{1100}\u{1161} end";

/// A settings file in which every text is foreign.
fn settings() -> String {
    let text = |what: &str| serde_json::to_string(&format!("{what}{FOREIGN}")).unwrap();
    let hook = |matcher: &str, command: &str| {
        let (command, says) = (text(command), text("status"));
        format!(
            "{{\"matcher\": {matcher}, \"hooks\": [{{\"type\": \"command\", \"command\": {command}, \"statusMessage\": {says}}}]}}"
        )
    };
    let hooks = [
        hook("\"*\"", "./hooks/"),
        hook("\"*\"", "echo "),
        hook(&text("Bash|"), "python3 "),
        hook(&text(""), ""),
        hook(&text("("), "x "),
    ];
    format!(
        "{{\"hooks\": {{\"PreToolUse\": [{}], \"Stop\": [{}], {}: []}}}}",
        hooks.join(", "),
        hook("\"\"", "y/"),
        text("Event")
    )
}

fn payload() -> String {
    let value = serde_json::json!({
        "hook_event_name": "PreToolUse",
        "tool_name": format!("mcp__{FOREIGN}"),
        "tool_input": { "command": FOREIGN, FOREIGN: FOREIGN, "lines": format!("{FOREIGN}\n{FOREIGN}") },
        "cwd": format!("/{FOREIGN}"),
    });
    serde_json::to_string(&value).unwrap()
}

/// Asserts that every cell is harmless and no row is wider than the screen.
#[track_caller]
fn is_harmless(screen: &TestScreen, after: &str) {
    let buffer = screen.draw();
    let (columns, rows) = screen.size;
    for y in 0..rows {
        let mut x = 0;
        while x < columns {
            let symbol = buffer[(x, y)].symbol();
            let bad = |c: char| {
                c.is_control()
                    || matches!(
                        c,
                        '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                    )
                    || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
            };
            assert!(
                !symbol.contains(bad),
                "{symbol:?} at {x},{y} after {after} at {columns}x{rows}\n{}",
                screen.text()
            );
            let wide = u16::try_from(symbol.width().max(1)).unwrap();
            assert!(x + wide <= columns, "{symbol:?} at {x},{y} sticks out after {after} at {columns}x{rows}");
            for beside in x + 1..x + wide {
                assert_eq!(buffer[(beside, y)].symbol(), " ", "{symbol:?} at {x},{y} covers something after {after}");
            }
            x += wide;
        }
    }
}

#[test]
fn foreign_text_is_harmless_everywhere() {
    for size in [(120, 40), (80, 24), (61, 17), (40, 12), (21, 7)] {
        for unicode in [true, false] {
            let mut files = MemoryFiles::default();
            files.put(format!("{PROJECT}/.claude/settings.json"), settings());
            files.put("/bin/sh", "#!");
            let mut screen = TestScreen::with(size, "claude", files, Theme { colour: true, unicode }, false);
            is_harmless(&screen, "opening");
            screen.send(Msg::Paste(payload()));
            is_harmless(&screen, "the payload");
            let shown = screen.text();
            assert!(size.0 < 80 || shown.contains("日") && shown.contains("mcp__"), "the text is there:\n{shown}");
            let press = |screen: &mut TestScreen, keys: &str| {
                for key in keys.split(' ') {
                    screen.keys(key);
                    is_harmless(screen, &format!("{key} of {keys}"));
                }
            };
            press(&mut screen, "j j w ] ] ] ] ] ] g Enter j j j Esc Tab Tab j j j j j j j j Enter Esc s Esc Esc Tab");
            // A foreign key, in the title of the value prompt.
            screen.model.focus = Focus::Event;
            press(&mut screen, "/ ﾊ Enter s Esc n s Esc n Enter Esc Esc Esc Esc");
            press(&mut screen, "f j j j j j j j j j j j G Y");
            screen.report(|_| (2, FOREIGN, FOREIGN));
            press(&mut screen, "g w ] ] ] ] ] ] v v v j ] ] ] / z Enter Esc p f");
            screen.report(|_| (0, "{\"decision\": \"block\", \"reason\": \"\u{202e}日本\u{1b}[2J👩‍👩‍👧‍👦\", \"systemMessage\": \"\u{200b}x\"}", ""));
            press(
                &mut screen,
                "] ] H j Esc d j Esc o Esc y Esc t x Esc a Esc : x Esc : messages Enter Esc C-p Esc ? j Esc",
            );
            press(&mut screen, "G Enter G Enter w ] ] z z { }");
            // An unreadable file is quoted.
            screen.save(".claude/settings.json", &format!("{{ {FOREIGN}"));
            is_harmless(&screen, "a broken file");
            press(&mut screen, "G w e M U");
            screen.send(Msg::Message(FOREIGN.to_owned()));
            is_harmless(&screen, "a message");
        }
    }
}
