//! Screens as users see them, driven by keys. Snapshots are text; styles have a second snapshot where they matter.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent};
use hookbench::app::{ChosenEnvironment, Fact};
use hookbench::core::config::{EnvironmentSource, MemoryFiles};
use hookbench::core::run::{Exit, RunReport, Stream};
use hookbench::tui::{LoopRequest, Msg, Shades, Theme, update};
use ratatui::style::{Color, Modifier};
use screen::{MEDIUM, PROJECT, SMALL, TINY, TestScreen, WIDE, picture, picture_at, sample_files};
use serde_json::json;

fn guard(label: &str) -> (i32, &'static str, &'static str) {
    if label == "guard.sh" { (2, "", "refusing: rm -rf outside a scratch directory: build\n") } else { (0, "", "") }
}

// Values that depend on the clock: the time and the progress bar of a run.
#[test]
fn the_first_screen_names_the_matcher_mistake() {
    for size in [WIDE, MEDIUM, (70, 20), TINY] {
        let screen = TestScreen::new(size, "claude", sample_files());
        let text = screen.text();
        assert!(text.contains("\"bash\" is not \"Bash\" (case)"), "{size:?}:\n{text}");
        assert!(text.contains("READY"));
        picture_at("open", size, text);
    }
    picture("open-80x24-styles", TestScreen::new(MEDIUM, "claude", sample_files()).styles());
}

#[test]
fn fire_consent_verdict_in_two_keys() {
    for size in [WIDE, MEDIUM, (70, 20), TINY] {
        let mut screen = TestScreen::new(size, "claude", sample_files());
        screen.keys("f");
        assert!(screen.started.is_empty(), "nothing runs before consent");
        if size == MEDIUM {
            picture("consent-80x24", screen.text());
        }
        screen.keys("Y");
        if size == TINY {
            assert!(screen.started.is_empty(), "who has not seen all commands cannot agree to them");
            screen.keys("G Y");
        }
        assert_eq!(screen.started.len(), 3);
        screen.report(guard);
        let text = screen.text();
        assert!(text.lines().any(|l| l.contains("▌  DENY ") || l.starts_with("  DENY ")), "{text}");
        picture_at("deny", size, text);
        if size == MEDIUM {
            picture("deny-80x24-styles", screen.styles());
        }
    }
}

#[test]
fn the_same_under_the_other_agent() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("a Down Enter");
    screen.keys("f Y");
    screen.report(guard);
    let text = screen.text();
    assert!(text.contains("Qwen Code") && text.contains("DENY"), "{text}");
    picture("qwen-deny-120x40", text);
}

/// An agent that runs no project hooks until the user trusts the directory.
#[test]
fn an_agent_that_wants_trust() {
    let hook = |file: &str| format!("{{\"type\": \"command\", \"command\": \"hooks/{file}\"}}");
    let hooks = [hook("guard.sh"), hook("policy.py")].join(", ");
    let settings = format!(
        "{{\"hooks\": {{\"BeforeTool\": [\n  {{\"hooks\": [{hooks}]}},\n  {{\"matcher\": \"Bash\", \"hooks\": [{}]}}\n]}}}}",
        hook("audit.py")
    );
    let mut files = sample_files();
    files.put(format!("{PROJECT}/.gemini/settings.json"), settings);
    let untrusted = TestScreen::new(WIDE, "gemini", files.clone()).text();
    assert!(untrusted.contains("NO HOOK RUNS") && untrusted.contains("not trusted"), "{untrusted}");
    assert!(!untrusted.contains("matches none of"), "its matcher is not what stops it:\n{untrusted}");
    files.put("/home/dev/.gemini/trustedFolders.json", format!("{{\"{PROJECT}\": \"TRUST_FOLDER\"}}"));
    let mut screen = TestScreen::new(WIDE, "gemini", files);
    screen.keys("f Y");
    screen.report(guard);
    let text = screen.text();
    assert!(text.contains("Gemini CLI") && text.contains("DENY"), "{text}");
    picture("gemini-deny-120x40", text);
}

/// The headline names it, so no row repeats it.
#[test]
fn a_cause_that_stops_all_hooks_is_named_once() {
    let mut files = sample_files();
    let settings = r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "hooks/guard.sh"}]}]}}"#;
    files.put(format!("{PROJECT}/.gemini/settings.json"), settings);
    files.put("/home/dev/.gemini/settings.json", "{");
    files.put("/home/dev/.gemini/trustedFolders.json", format!("{{\"{PROJECT}\": \"TRUST_FOLDER\"}}"));
    let text = TestScreen::new(WIDE, "gemini", files).text();
    assert!(text.contains("CANNOT START") && text.contains("0 of 1 run"), "{text}");
    assert!(!text.contains("▌ never"), "{text}");
}

#[test]
fn consent_can_be_refused_and_is_asked_once() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys("f n");
    assert!(screen.started.is_empty() && screen.text().contains("READY"));
    screen.keys("f Y");
    screen.report(guard);
    screen.keys("f");
    assert_eq!(screen.started.len(), 3, "no second question");
}

/// Whoever presses a key sees that something happens.
#[test]
fn many_hooks_are_announced_before_they_are_prepared() {
    let hooks: Vec<_> =
        (0..500).map(|n| serde_json::json!({"type": "command", "command": format!("echo {n}")})).collect();
    let mut files = MemoryFiles::default();
    let settings = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": hooks}]}});
    files.put(format!("{PROJECT}/.claude/settings.json"), settings.to_string());
    let mut screen = TestScreen::new(MEDIUM, "claude", files);
    let asks = update(&mut screen.model, Msg::Key(KeyEvent::from(KeyCode::Char('f'))), MEDIUM);
    assert_eq!(asks, [LoopRequest::FireOnceDrawn]);
    let text = screen.text();
    assert!(text.contains("preparing 500 hooks") && !text.contains("echo 499"), "{text}");
    screen.send(Msg::Fire);
    let text = screen.text();
    assert!(text.contains("500 commands") && !text.contains("preparing"), "{text}");
    assert!(screen.started.is_empty(), "nothing runs before consent");
}

/// A variable is part of what runs, so it is shown to its end, and `Y` counts only there.
#[test]
fn a_long_variable_is_seen_before_it_counts() {
    let long = format!("{} ; touch EVIL", "x".repeat(3000));
    let settings = serde_json::json!({
        "env": {"A": long, "LOG": "1 true #", "B": "c\u{430}t\u{2800}"},
        "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh -c \"$A\""}]}]},
    });
    for size in [WIDE, MEDIUM, (60, 20)] {
        let mut files = MemoryFiles::default();
        files.put("/home/dev/shop/.claude/settings.json", settings.to_string());
        let mut screen = TestScreen::new(size, "claude", files);
        screen.keys("f Y");
        assert!(screen.started.is_empty(), "Y does not count yet:\n{}", screen.text());
        assert!(!screen.text().contains("touch EVIL"), "{}", screen.text());
        screen.keys("G");
        let text = screen.text();
        for shown in ["touch EVIL", "with LOG='1 true #'", "c<U+0430>t<U+2800>", "looks like another one"] {
            assert!(text.contains(shown), "{shown}:\n{text}");
        }
        screen.keys("Y");
        assert_eq!(screen.started.len(), 1, "{}", screen.text());
    }
}

#[test]
fn output_appears_while_the_hook_runs() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys("f Y");
    let (firing, request) = screen.started.first().cloned().unwrap();
    screen.begin(firing, request.run);
    let grew = |text: &str| Fact::Output {
        firing,
        run: request.run,
        stream: Stream::Stdout,
        bytes: text.into(),
        skipped: 0,
        at: Duration::ZERO,
    };
    screen.fact(grew("first line\n\u{1b}[2Jsecond line\nhalf a"));
    let text = screen.text();
    assert!(text.contains("RUNNING") && text.contains("first line") && text.contains("^[[2Jsecond line"), "{text}");
    picture("running-80x24", text);
    // Quitting asks first.
    screen.keys("q");
    assert!(screen.text().contains("Hooks are running"));
    screen.keys("n C-c");
    assert!(
        screen.asks.iter().any(|a| matches!(a, LoopRequest::Jobs(jobs) if jobs.len() == 3)),
        "all three are killed"
    );
    for (firing, request) in std::mem::take(&mut screen.started) {
        screen.fact(Fact::Ended { firing, report: Box::new(RunReport::new(request.run, Exit::Cancelled, "", "")) });
    }
    assert!(!screen.model.session.busy());
    // What you cancel has not failed.
    let text = screen.text();
    assert!(text.contains("cancelled guard.sh and 2 more") && text.contains("3 of 3 cancelled"), "{text}");
}

#[test]
fn every_tab_of_a_hook() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("f Y");
    screen.report(guard);
    for name in ["tab-decision-120x40", "tab-process-120x40", "tab-why-120x40", "tab-stdin-120x40", "tab-stdout-120x40"]
    {
        screen.keys("]");
        picture(name, screen.text());
    }
}

#[test]
fn a_broken_file_keeps_its_last_hooks_and_says_where_it_broke() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.save(".claude/settings.json", "{\n  \"hooks\": {\n    \"PreToolUse\": [],\n  }\n}\n");
    let text = screen.text();
    assert!(text.contains(".claude/settings.json:3:21") && text.contains("guard.sh"), "{text}");
    picture("broken-120x40", text);
    screen.save(".claude/settings.json", "{}");
    assert!(!screen.text().contains("guard.sh"));
}

#[test]
fn a_file_that_is_not_read_has_a_ladder_too() {
    let mut files = sample_files();
    files.put(format!("{PROJECT}/.claude/hooks.json"), "{\"hooks\": {}}");
    let mut screen = TestScreen::new(MEDIUM, "claude", files);
    screen.keys("G");
    let text = screen.text();
    assert!(text.contains(".claude/hooks.json is not read") && text.contains("1 file found       NO"), "{text}");
    picture("not-loaded-80x24", text);
}

#[test]
fn without_any_hooks_the_screen_says_where_they_would_be() {
    for size in [WIDE, MEDIUM, TINY] {
        let screen = TestScreen::new(size, "claude", MemoryFiles::default());
        let text = screen.text();
        assert!(text.contains("NO HOOKS"), "{text}");
        picture_at("empty", size, text);
    }
}

#[test]
fn templates_fields_and_payloads() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys("t");
    picture("templates-80x24", screen.text());
    screen.keys("SessionStart Enter");
    assert_eq!(screen.model.session.bench().payload.event.unwrap().name, "SessionStart");
    screen.keys("s");
    screen.keys("source=resume Enter");
    assert_eq!(screen.model.session.bench().body().unwrap()["source"], "resume");
    screen.send(Msg::Edited("{\n  \"hook_event_name\": \"Stop\",\n}".to_owned()));
    let text = screen.text();
    assert!(text.contains("payload:2:28") && text.contains("remove the comma"), "{text}");
    picture("refused-80x24", text);
    screen.asks.clear();
    screen.keys("e");
    assert!(
        matches!(screen.asks.as_slice(), [LoopRequest::EditPayload(text)] if text.contains("\"Stop\",")),
        "nothing was lost"
    );
    screen.send(Msg::Edited("{\"hook_event_name\": \"Stop\"}".to_owned()));
    assert_eq!(screen.model.session.bench().payload.event.unwrap().name, "Stop");
}

#[test]
fn two_hundred_hooks_scroll() {
    let hook = |n: usize| format!("{{\"type\": \"command\", \"command\": \"{PROJECT}/hooks/h{n}.sh\"}}");
    let hooks: Vec<String> = (1..=200).map(hook).collect();
    let settings = format!("{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{}]}}]}}}}", hooks.join(","));
    let mut files = MemoryFiles::default();
    files.put(format!("{PROJECT}/.claude/settings.json"), settings);
    let mut screen = TestScreen::new(MEDIUM, "claude", files);
    assert!(screen.text().contains("200 hooks will run"));
    screen.keys("G");
    let text = screen.text();
    assert!(text.contains("h200.sh") && text.contains("h199.sh"), "{text}");
    picture("many-80x24", text);
}

#[test]
fn help_lists_every_key() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("?");
    picture("help-120x40", screen.text());
    screen.keys("Tab suspend");
    assert!(screen.text().contains("Ctrl+Z"));
}

#[test]
fn bare_terminals_are_served() {
    let theme = Theme { colour: false, unicode: false };
    let mut screen = TestScreen::with(MEDIUM, "claude", sample_files(), theme, true);
    screen.keys("f");
    screen.report(guard);
    assert!(screen.text().is_ascii(), "{}", screen.text());
    picture("ascii-80x24", screen.text());
    picture("ascii-80x24-styles", screen.styles());
}

/// Without colour the page behind a popup is dim, and the popup is not.
#[test]
fn without_colour_a_page_is_dim_behind_a_popup() {
    for unicode in [true, false] {
        for keys in ["?", ":", "t"] {
            let mut screen = TestScreen::with(WIDE, "claude", sample_files(), Theme { colour: false, unicode }, true);
            let dim = |screen: &mut TestScreen| -> Vec<bool> {
                let page = screen.draw();
                page.content
                    .iter()
                    .filter(|cell| cell.symbol() != " ")
                    .map(|c| c.modifier.contains(Modifier::DIM))
                    .collect()
            };
            let header = |screen: &mut TestScreen| dim(screen).into_iter().take(30).collect::<Vec<_>>();
            assert!(!header(&mut screen).iter().all(|dim| *dim), "{keys}");
            screen.keys(keys);
            assert!(header(&mut screen).iter().all(|dim| *dim), "{keys}\n{}", screen.text());
            assert!(dim(&mut screen).iter().any(|dim| !dim), "{keys}");
        }
    }
}

#[test]
fn light_and_dark_change_nothing_but_shades() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys("f Y");
    screen.report(guard);
    let (text, own) = (screen.text(), screen.draw());
    let named = |c: Color| !matches!(c, Color::Reset | Color::Indexed(_));
    assert!(own.content.iter().any(|cell| named(cell.fg)));
    for shades in [Shades::OnLight, Shades::OnDark] {
        screen.model.shades = shades;
        assert_eq!(screen.text(), text);
        for (cell, before) in screen.draw().content.iter().zip(&own.content) {
            assert!(
                !named(cell.fg) && (cell.modifier | Modifier::DIM) == (before.modifier | Modifier::DIM),
                "{before:?} {cell:?}"
            );
        }
    }
}

#[test]
fn no_size_breaks_the_screen() {
    for width in [0, 1, 3, 20, 59, 60, 79, 80, 109, 110, 200] {
        for height in [0, 1, 2, 5, 14, 15, 24, 60] {
            let mut screen = TestScreen::new((width, height), "claude", sample_files());
            let _ = screen.text();
            screen.keys("f");
            let _ = screen.text();
            screen.keys("G Y");
            screen.report(guard);
            let text = screen.text();
            assert!(width < 20 || height < 5 || text.contains("DENY"), "{width}x{height}:\n{text}");
            screen.keys("t");
            let _ = screen.text();
        }
    }
}

/// The hooks that `install` writes are one row a file, below the hooks of the user; a firing leaves them out.
#[test]
fn the_hooks_that_record_events_are_one_row() {
    let own = |event: &str| {
        format!(r#""{event}": [{{"hooks": [{{"type": "command", "command": "hookbench forward --agent claude"}}]}}]"#)
    };
    let mut files = MemoryFiles::default();
    for program in ["/bin/sh", "/bin/hookbench"] {
        files.put(program, "#!");
    }
    let guard = r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}, {"type": "command", "command": "hookbench forward --agent claude"}]}"#;
    files.put(
        format!("{PROJECT}/.claude/settings.json"),
        format!(r#"{{"hooks": {{"PreToolUse": [{guard}], {}, {}}}}}"#, own("Stop"), own("SessionStart")),
    );
    for size in [WIDE, MEDIUM, SMALL] {
        let mut screen = TestScreen::new(size, "claude", files.clone());
        let text = screen.text();
        assert!(text.contains("1 of 1 run") && text.contains("1 hook will run"), "{size:?}:\n{text}");
        assert!(text.contains("+ hookbench records 3 events here"), "{size:?}:\n{text}");
        assert!(!text.contains("forward") && !text.contains("on other events"), "{size:?}:\n{text}");
        screen.keys("5");
        let compared = screen.text();
        assert!(compared.contains("1 hook will run") && !compared.contains("forward"), "{size:?}:\n{compared}");
        screen.keys("1");
        screen.keys("j Enter");
        assert!(screen.text().contains("- hookbench records 3 events here"), "{size:?}:\n{}", screen.text());
        screen.keys("j");
        assert!(screen.selects("hookbench"), "{size:?}:\n{}", screen.text());
        screen.keys("k Enter f");
        let asked = screen.text();
        assert!(asked.contains("exit 2") && !asked.contains("forward"), "{size:?}:\n{asked}");
        screen.keys("G Y");
        assert_eq!(screen.started.len(), 1, "{size:?}");
        screen.report(|_| (2, "", "no"));
        let text = screen.text();
        assert!(text.contains("DENY") && text.contains("hookbench records 3 events here"), "{size:?}:\n{text}");
    }
}

/// A run belongs to the environment in which it ran.
#[test]
fn a_run_of_another_environment_is_not_shown_as_one_of_this() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("f G Y");
    screen.report(|label| if label == "guard.sh" { (2, "", "no") } else { (0, "", "") });
    assert!(screen.text().contains("DENY"), "{}", screen.text());
    let place = std::sync::Arc::clone(screen.model.session.place());
    let mut login = (*place).clone();
    login.env_source = EnvironmentSource::Login;
    let chosen = ChosenEnvironment::of(&login).unwrap();
    screen.fact(Fact::EnvironmentRead(Box::new(chosen)));
    screen.load();
    let text = screen.text();
    assert!(text.contains("STALE") && text.contains("it ran with your shell's PATH and variables"), "{text}");
    screen.keys("f G Y");
    screen.report(|_| (0, "", ""));
    let text = screen.text();
    assert!(!text.contains("STALE"), "{text}");
    screen.keys("H");
    assert!(screen.text().contains("login env"), "{}", screen.text());
}

/// What a script includes belongs to it.
#[test]
fn a_changed_included_file_makes_the_verdict_stale() {
    let hook = json!({"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}).to_string();
    let mut files = sample_files();
    files.put(format!("{PROJECT}/.claude/settings.json"), &settings);
    files.put(format!("{PROJECT}/guard.sh"), "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\n");
    files.put(format!("{PROJECT}/lib.sh"), "exit 0\n");
    let mut screen = TestScreen::new(WIDE, "claude", files);
    screen.keys("f G Y");
    screen.report(|_| (0, "", ""));
    assert!(!screen.text().contains("STALE"), "{}", screen.text());
    screen.save("lib.sh", "exit 2\n");
    let text = screen.text();
    assert!(text.contains("STALE") && text.contains("guard.sh has changed since"), "{text}");
}

/// A script that lost its right to run makes the verdict old, and so does one that got it.
#[test]
fn a_hook_that_can_no_longer_be_started_makes_its_verdict_stale() {
    let hook = json!({"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/guard.sh"});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}).to_string();
    let (runs, plain) = ("#!/bin/sh\nexit 2\n", "exit 2\n");
    for (then, now, said) in
        [(runs, plain, "guard.sh can no longer be started"), (plain, runs, "guard.sh could not be started; now it can")]
    {
        let mut files = sample_files();
        files.put(format!("{PROJECT}/.claude/settings.json"), &settings);
        files.put(format!("{PROJECT}/guard.sh"), then);
        let mut screen = TestScreen::new(WIDE, "claude", files);
        screen.keys("f G Y");
        screen.report(|_| (2, "", "no"));
        assert!(!screen.text().contains("STALE"), "{}", screen.text());
        screen.save("guard.sh", now);
        let text = screen.text();
        assert!(text.contains("STALE") && text.contains(said), "{text}");
    }
}
