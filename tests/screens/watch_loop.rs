//! The edit loop of a hook author: pins, auto-fire, earlier runs, comparisons, what-if. Driven by keys and saved
//! files.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hookbench::app::{Command, Fact, FiringId, Job, SessionSettings, WatchOptions};
use hookbench::core::decide::Verdict;
use hookbench::core::run::{Exit, RunReport};
use hookbench::tui::{LoopRequest, Msg, Theme};
use screen::{MEDIUM, PROJECT, TestScreen, WIDE, picture, sample_files};

fn quiet(_: &str) -> (i32, &'static str, &'static str) {
    (0, "", "")
}

fn guard(label: &str) -> (i32, &'static str, &'static str) {
    if label == "guard.sh" { (2, "", "refusing\n") } else { (0, "", "") }
}

/// Saves a file as an editor does, with the watcher's report, and loads everything again.
fn save(screen: &mut TestScreen, name: &str, text: &str) {
    screen.put(name, text);
    // The intervals differ, as with a human user.
    let at = Duration::from_secs(NOW.fetch_add(1, Ordering::Relaxed).pow(2));
    report_changes(screen, &[name], at);
}

static NOW: AtomicU64 = AtomicU64::new(1);

/// Reports changed files as the watcher does, and loads everything again if requested.
fn report_changes(screen: &mut TestScreen, names: &[&str], at: Duration) {
    let paths = names.iter().map(|name| PathBuf::from(format!("{PROJECT}/{name}"))).collect();
    screen.asks.clear();
    screen.fact(Fact::FilesChanged { paths, calm: true, at });
    let loads = |ask: &LoopRequest| matches!(ask, LoopRequest::Jobs(jobs) if jobs.iter().any(|j| matches!(j, Job::Load { .. })));
    if screen.asks.iter().any(loads) {
        screen.load();
    }
}

/// Two pinned events, each fired once without output, and auto-fire armed.
fn armed(size: (u16, u16)) -> TestScreen {
    let mut screen = TestScreen::new(size, "claude", sample_files());
    screen.keys("f Y");
    screen.report(quiet);
    screen.keys("p s C-u ls Enter p f");
    screen.report(quiet);
    screen.keys("W");
    echo_all(&mut screen);
    screen
}

fn echo_all(screen: &mut TestScreen) {
    for _ in 0..8 {
        screen.fact(Fact::WatcherFlushed);
    }
}

const SCRIPT: &str = "hooks/guard.sh";

/// The toast has room for the last message only; the others are in the list.
#[test]
fn every_message_is_kept() {
    let mut screen = armed(MEDIUM);
    let settings = &sample_files().files[&format!("{PROJECT}/.claude/settings.json")];
    let changed = String::from_utf8_lossy(settings).replace("guard.sh", "other.sh");
    screen.model.messages.clear();
    screen.model.toast = None;
    save(&mut screen, ".claude/settings.json", &changed);
    let messages = [
        "the settings have changed: firing pin 1, 2",
        "pinned event 1 waits for your consent; f asks",
        "pinned event 2 waits for your consent; f asks",
    ];
    assert_eq!(screen.model.messages, messages);
}

#[test]
fn a_save_fires_all_pinned_events_one_after_the_other() {
    let mut screen = armed(WIDE);
    save(&mut screen, SCRIPT, "#!/bin/sh\nexit 2\n");
    assert_eq!(screen.started.len(), 3, "the first pin's three hooks");
    screen.report(guard);
    assert_eq!(screen.started.len(), 3, "then the second's");
    screen.report(quiet);
    assert!(screen.started.is_empty());
    let text = screen.text();
    assert!(text.contains("1 rm -rf build  no objection → DENY  2 ls  NO OBJECTION"), "{text}");
    picture("loop-120x40", text);
}

/// The row of a verdict that a save has changed is a block for a moment, unless `motion = false`.
#[test]
fn a_changed_verdict_flashes() {
    for motion in [true, false] {
        let mut screen = armed(WIDE);
        screen.model.config.motion = motion;
        screen.keys("f");
        screen.report(quiet);
        let verdict = |screen: &TestScreen| screen.styles().lines().nth(4).unwrap().trim_end().to_owned();
        let calm = verdict(&screen);
        assert!(calm.contains('b'), "{calm}");
        screen.keys("f");
        screen.report(guard);
        assert!(screen.text().contains("was NO OBJECTION"), "{}", screen.text());
        let block = verdict(&screen).trim_start().chars().all(|style| style == 'R');
        assert_eq!(block, motion, "{}", verdict(&screen));
        screen.model.now += Duration::from_millis(150);
        assert!(verdict(&screen).contains('b'), "{}", verdict(&screen));
    }
}

#[test]
fn nothing_fires_unless_armed_or_unless_it_is_concerned() {
    let mut screen = armed(MEDIUM);
    save(&mut screen, "README.md", "text");
    assert!(screen.started.is_empty(), "no hook is made of it");
    picture("armed-80x24", screen.text());
    screen.keys("W");
    save(&mut screen, SCRIPT, "#!/bin/sh\n");
    assert!(screen.started.is_empty(), "not armed");
}

#[test]
fn a_save_in_mid_run_supersedes_it() {
    let mut screen = armed(MEDIUM);
    save(&mut screen, SCRIPT, "#!/bin/sh\n# 1\n");
    let first: Vec<_> = std::mem::take(&mut screen.started);
    save(&mut screen, SCRIPT, "#!/bin/sh\n# 2\n");
    assert_eq!(screen.started.len(), 3, "started anew");
    for (firing, request) in first {
        screen.fact(Fact::Ended { firing, report: Box::new(RunReport::new(request.run, Exit::Cancelled, "", "")) });
    }
    screen.report(guard);
    screen.report(quiet);
    assert!(screen.text().contains("DENY"));
    assert!(!screen.model.session.busy());
}

#[test]
fn what_a_hook_writes_beside_itself_fires_nothing() {
    let mut screen = armed(MEDIUM);
    save(&mut screen, "hooks/state.json", "");
    screen.report(quiet);
    screen.report(quiet);
    echo_all(&mut screen);
    save(&mut screen, SCRIPT, "#!/bin/sh\n# 1\n");
    // A running hook writes a file in its directory.
    save(&mut screen, "hooks/state.json", "{}");
    assert_eq!(screen.started.len(), 3, "the run goes on and no other starts");
    screen.report(quiet);
    screen.report(quiet);
    echo_all(&mut screen);
    save(&mut screen, "hooks/state.json", "{\"n\": 2}");
    assert_eq!(screen.started.len(), 3, "now its author has saved it");
}

#[test]
fn scripts_that_change_whenever_they_run_disarm() {
    let mut screen = armed(MEDIUM);
    for n in 0..=20 {
        assert!(screen.model.session.auto_fire().armed, "{n}");
        save(&mut screen, SCRIPT, &format!("#!/bin/sh\n# {n}\n"));
    }
    assert!(!screen.model.session.auto_fire().armed);
    assert!(!screen.text().contains("ARMED"));
}

#[test]
fn another_branch_disarms() {
    let mut screen = armed(MEDIUM);
    screen.save(".git/HEAD", "ref: refs/heads/main\n");
    save(&mut screen, ".git/HEAD", "ref: refs/heads/other\n");
    assert!(!screen.model.session.auto_fire().armed && screen.started.is_empty());
    assert!(screen.text().contains("the branch has changed"));
}

#[test]
fn a_lost_watch_is_said_as_long_as_it_lasts() {
    for (size, theme) in
        [(WIDE, Theme { colour: true, unicode: true }), (MEDIUM, Theme { colour: false, unicode: false })]
    {
        let mut screen = TestScreen::with(size, "claude", sample_files(), theme, false);
        screen.keys("W");
        screen.fact(Fact::WatchLost("the system limit is reached: raise fs.inotify.max_user_watches".to_owned()));
        let text = screen.text();
        let header = text.lines().next().unwrap().to_owned();
        let signs = if size == WIDE { "watch lost  auto-fire ARMED" } else { "watch lost  ARMED  Claude" };
        assert!(header.contains(signs) && header.contains("Compare"), "{header}");
        assert!(text.contains("watch lost: the system limit is reached: raise fs.inotify.max_user_watches"), "{text}");
        screen.keys("Down W W");
        assert!(screen.text().contains("but may miss saves"), "{}", screen.text());
        screen.fact(Fact::WatchRestored);
        let text = screen.text();
        assert!(!text.contains("watch lost") && text.contains("file watching works again"), "{text}");
    }
}

#[test]
fn a_superseded_run_is_called_that_and_is_no_verdict() {
    let mut screen = armed(MEDIUM);
    save(&mut screen, SCRIPT, "#!/bin/sh\n# 1\n");
    let first: Vec<_> = std::mem::take(&mut screen.started);
    save(&mut screen, SCRIPT, "#!/bin/sh\n# 2\n");
    for (firing, request) in first {
        screen.fact(Fact::Ended { firing, report: Box::new(RunReport::new(request.run, Exit::Cancelled, "", "")) });
    }
    screen.report(guard);
    screen.report(guard);
    screen.keys("H");
    let text = screen.text();
    assert_eq!(text.matches("SUPERSEDED").count(), 1, "{text}");
    assert!(!text.to_lowercase().contains("unknown"), "{text}");
    let pins = &screen.model.session.auto_fire().pins;
    assert!(pins.iter().all(|p| p.before == Some(Verdict::NoObjection) && p.verdict == Some(Verdict::Deny)));
}

#[test]
fn pins_that_wait_say_so_at_any_width() {
    for (size, unicode) in [(WIDE, true), (MEDIUM, true), (MEDIUM, false)] {
        let mut screen = TestScreen::with(size, "claude", sample_files(), Theme { colour: unicode, unicode }, false);
        screen.keys("p W");
        save(&mut screen, SCRIPT, "#!/bin/sh\n# 1\n");
        let text = screen.text();
        assert!(screen.started.is_empty() && text.contains("waits for your consent; f asks"), "{text}");
        screen.keys("f");
        assert!(screen.text().contains("guard.sh") && screen.model.session.bench().consent.is_some(), "f asks");
        screen.keys("Y");
        screen.report(guard);
        let text = screen.text();
        assert!(!text.contains("waits") && text.contains("DENY"), "{text}");
    }
}

#[test]
fn watching_can_be_off() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    let watch = WatchOptions { enabled: false, ..WatchOptions::default() };
    let settings = SessionSettings { watch, ..SessionSettings::default() };
    screen.model.session.apply(Command::Configure(Box::new(settings)));
    screen.keys("W");
    assert!(
        !screen.model.session.auto_fire().armed && screen.text().contains("saves do not fire"),
        "{}",
        screen.text()
    );
}

#[test]
fn a_changed_command_waits_for_consent() {
    let mut screen = armed(MEDIUM);
    let settings = String::from_utf8(std::fs::read("sample-hooks/shop/.claude/settings.json").unwrap()).unwrap();
    save(&mut screen, ".claude/settings.json", &settings.replace("hooks/guard.sh", "hooks/slow.sh"));
    assert!(screen.started.is_empty());
    assert!(screen.text().contains("waits for your consent; f asks"), "{}", screen.text());
}

#[test]
fn earlier_runs_come_back_and_are_compared() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("f Y");
    screen.report(quiet);
    screen.keys("d");
    assert!(screen.text().contains("no earlier run"));
    screen.keys("f");
    screen.report(guard);
    assert!(screen.text().contains("was NO OBJECTION"));
    screen.keys("d");
    let text = screen.text();
    assert!(
        text.contains("- verdict   NO OBJECTION") && text.contains("+ verdict   DENY") && text.contains("+   refusing"),
        "{text}"
    );
    picture("diff-120x40", text);
    screen.keys("Esc H");
    picture("runs-120x40", screen.text());
    screen.keys("Down Enter");
    assert_eq!(screen.model.shown_firing, Some(FiringId(1)));
    assert!(screen.text().contains("NO OBJECTION"));
    screen.keys("f");
    screen.report(guard);
    assert_eq!(screen.model.session.history().len(), 3, "a run is always a new row");
}

#[test]
fn what_if_decides_anew_and_runs_nothing() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("o");
    assert!(screen.text().contains("fire the event first"));
    screen.keys("f Y");
    screen.report(quiet);
    screen.keys("o Enter");
    assert!(screen.started.is_empty());
    let text = screen.text();
    assert!(text.contains("DENY     assumed: exit 2   The command does not run"), "{text}");
    picture("what-if-120x40", text);
    screen.keys("o x Enter");
    assert!(screen.text().contains("begin with an exit status"));
    screen.keys("Esc");
    // The what-if result has only the typed values.
    screen.keys("o 0 Enter");
    let text = screen.text();
    assert!(text.contains("NO OBJECTION  assumed: exit 0") && text.contains("run 3"), "{text}");
    assert!(screen.model.selected_run().unwrap().ended().unwrap().report.stdout.head.is_empty());
    screen.keys("o 0 Space yes Enter");
    let text = screen.text();
    assert!(text.contains("  assumed: exit 0") && text.contains("run 4") && text.contains(" yes "), "{text}");
    assert_eq!(screen.model.current_tab(), hookbench::tui::Tab::Stdout, "what was supposed is what it printed");
}

#[test]
fn an_event_that_comes_back_brings_its_verdict() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("f Y");
    screen.report(guard);
    screen.keys("p Tab Tab Enter C-u ls Enter f");
    screen.report(quiet);
    // An edited payload is compared with the run before, and the difference is shown.
    assert!(!screen.text().contains("before:"), "{}", screen.text());
    screen.keys("d");
    let text = screen.text();
    assert!(
        text.contains("- payload   tool_input.command = \"rm -rf build\"")
            && text.contains("+ payload   tool_input.command = \"ls\""),
        "{text}"
    );
    picture("diff-payload-120x40", text);
    // A changed verdict has its own colour, in both directions.
    picture("diff-payload-120x40-styles", screen.styles());
    screen.keys("Esc p Esc {");
    let verdict = |screen: &TestScreen| screen.text().lines().nth(4).unwrap().to_owned();
    assert!(verdict(&screen).contains("DENY") && verdict(&screen).contains("run 1"), "{}", screen.text());
    screen.keys("}");
    assert!(verdict(&screen).contains("NO OBJECTION") && verdict(&screen).contains("run 2"), "{}", screen.text());
    // Changed hooks of other events do not affect this event.
    let settings = String::from_utf8(std::fs::read("sample-hooks/shop/.claude/settings.json").unwrap()).unwrap();
    let other = settings.replace("\"matcher\": \"Edit|Write\"", "\"matcher\": \"Edit|Wrote\"");
    assert_ne!(settings, other);
    screen.save(".claude/settings.json", &other);
    assert!(verdict(&screen).contains("NO OBJECTION") && !screen.text().contains("changed since"), "{}", screen.text());
    screen.keys("g j j j j Enter");
    assert!(screen.text().contains("Edit|Wrote"), "and the list says what is so now: {}", screen.text());
    screen.keys("Enter");
    // A changed hook of this event does: the earlier result was for other settings.
    screen.save(".claude/settings.json", &settings.replace("\"matcher\": \"Bash\"", "\"matcher\": \"Bash|Edit\""));
    assert!(verdict(&screen).contains("READY"), "{}", screen.text());
    screen.keys("{");
    assert!(verdict(&screen).contains("DENY") && verdict(&screen).contains("settings have changed since"));
}

#[test]
fn the_selection_stays_on_its_hook() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("j j");
    assert!(screen.selects("policy.py"), "{}", screen.text());
    let settings = String::from_utf8(std::fs::read("sample-hooks/shop/.claude/settings.json").unwrap()).unwrap();
    let more = r#""PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]},"#;
    screen.save(".claude/settings.json", &settings.replacen("\"PreToolUse\": [", more, 1));
    assert!(screen.selects("policy.py"), "{}", screen.text());
    screen.save(".claude/settings.json", &settings);
    assert!(screen.selects("policy.py"), "{}", screen.text());
    // Each event has its own fold state.
    screen.keys("G t Stop Enter");
    assert_eq!(screen.model.selected, 0, "{}", screen.text());
    screen.keys("f Y");
    screen.report(quiet);
    screen.keys("d");
    assert!(screen.text().contains("no earlier run"), "{}", screen.text());
    screen.keys("f");
    screen.report(quiet);
    screen.keys("d");
    assert!(screen.text().contains("nothing changed"), "{}", screen.text());
}

#[test]
fn a_hook_can_be_left_out_of_one_run() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("Space");
    assert!(screen.text().contains("excluded by you"), "{}", screen.text());
    screen.keys("f Y");
    assert_eq!(screen.started.len(), 2);
    screen.report(quiet);
    // The hook's own consent was never requested.
    screen.keys("f Y");
    assert_eq!(screen.started.len(), 3, "it was for one run only");
}

#[test]
fn pins_are_called_by_what_tells_them_apart() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("p");
    assert!(screen.text().contains("pinned as 1; W fires it on save"), "{}", screen.text());
    let payload = r#"{"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": "/home/dev/shop/src/cart/total.ts"}}"#;
    screen.send(Msg::Paste(payload.to_owned()));
    let text = screen.text();
    assert!(text.lines().nth(2).unwrap().trim_end().ends_with("pasted"), "{text}");
    assert!(text.contains("filled in: "), "{text}");
    screen.keys("p j");
    let text = screen.text();
    let strip = text.lines().find(|l| l.contains("Pinned")).unwrap();
    assert!(
        strip.contains("1 PreToolUse rm -rf build") && strip.contains("2 PostToolUse …src/cart/total.ts"),
        "{strip}"
    );
    screen.keys("{");
    assert!(screen.text().lines().nth(2).unwrap().trim_end().ends_with("pinned"), "{}", screen.text());
    screen.keys("Tab Tab Enter x Enter");
    assert!(screen.text().lines().nth(2).unwrap().trim_end().ends_with("edited"), "{}", screen.text());
    screen.keys("U p");
    assert!(screen.text().contains("unpinned"), "{}", screen.text());
}

#[test]
fn keys_that_were_filled_in_are_marked() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.send(Msg::Paste(
        r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#.to_owned(),
    ));
    let text = screen.text();
    let row = text.lines().find(|l| l.contains("tool_use_id") && !l.contains("filled in:")).unwrap();
    assert!(row.trim_end_matches(['│', ' ']).ends_with("filled in"), "{text}");
    let row = text.lines().find(|l| l.contains("tool_name ")).unwrap();
    assert!(!row.contains("filled in"), "{text}");
}

#[test]
fn a_save_says_what_it_fires() {
    let mut screen = armed(WIDE);
    save(&mut screen, SCRIPT, "#!/bin/sh\n# 1\n");
    assert!(screen.text().contains("guard.sh was saved: firing pin 1, 2"), "{}", screen.text());
    let mut screen = armed(WIDE);
    save(&mut screen, "hooks/state.json", "{}");
    assert!(
        screen.text().contains("state.json, which is next to guard.sh, was saved: firing pin 1, 2"),
        "{}",
        screen.text()
    );
}
