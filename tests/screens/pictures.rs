//! Tests that the pictures of the README and `docs` match the program. `assets/pictures/make` creates them again.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    clippy::cast_precision_loss,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::agent_words;
use crate::screen;
use crate::svg;

use hookbench::app::Fact;
use hookbench::app::live::{ArrivedFact, LiveFact, PendingEventFact};
use hookbench::core::config::MemoryFiles;
use hookbench::core::dialects;
use hookbench::tui::{Palette, Shades};
use screen::{TestScreen, sample_files};

const SIZE: (u16, u16) = (112, 36);

/// Compares a picture with its file, in the dark and the light palette.
fn hold(name: &str, screen: &mut TestScreen) {
    hold_as(name, screen, &|screen| svg::svg(&screen.draw()));
}

fn hold_as(name: &str, screen: &mut TestScreen, render: &dyn Fn(&mut TestScreen) -> String) {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures");
    for palette in ["dark", "light"] {
        let file = directory.join(format!("{name}-{palette}.svg"));
        screen.model.shades = Shades::Palette(Palette::named(palette).unwrap());
        // A picture shows what stays.
        screen.model.now += std::time::Duration::from_secs(1);
        let picture = render(screen);
        if std::env::var_os("HOOKBENCH_DRAW").is_some() {
            std::fs::write(&file, &picture).unwrap();
        }
        let there = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(there == picture, "{} is not what the program shows: run assets/pictures/make", file.display());
    }
}

/// The key that agrees to run the hooks.
const CONSENT: &str = "Y";

const GUARD: &str = "hooks/guard.sh";

fn quiet(_: &str) -> (i32, &'static str, &'static str) {
    (0, "", "")
}

fn guard(label: &str) -> (i32, &'static str, &'static str) {
    let refuses = label == "guard.sh";
    if refuses {
        (2, "", "refusing: rm -rf outside a scratch directory: build (scratch/ is fine)\n")
    } else {
        quiet(label)
    }
}

#[test]
fn pictures_are_fresh() {
    let mut screen = TestScreen::new(SIZE, "claude", sample_files());
    screen.keys("f Y");
    screen.report(guard);
    hold("deny", &mut screen);
    screen.keys("j j j w");
    hold("why", &mut screen);
}

/// The first minute: fire, agree, the verdict, the hook that never runs, its fix.
#[test]
fn the_moving_picture_is_fresh() {
    let play = |screen: &mut TestScreen| {
        let shades = screen.model.shades;
        let mut screen = TestScreen::new(SIZE, "claude", sample_files());
        screen.model.shades = shades;
        let mut frames = Vec::new();
        let mut keep = |screen: &TestScreen, seconds: f32| frames.push((screen.draw(), seconds));
        keep(&screen, 2.5);
        screen.keys("f");
        keep(&screen, 2.5);
        screen.keys(CONSENT);
        screen.report(guard);
        keep(&screen, 4.0);
        screen.keys("j j j w");
        keep(&screen, 3.0);
        screen.keys("x");
        keep(&screen, 3.5);
        screen.keys("Esc 4");
        keep(&screen, 3.5);
        screen.keys("5");
        keep(&screen, 3.0);
        svg::moving_svg(&frames, 2)
    };
    hold_as("minute", &mut TestScreen::new(SIZE, "claude", sample_files()), &play);
}

/// A guard that denies without a reason, in four agents that interpret its matcher differently.
#[test]
fn the_comparison_s_picture_is_fresh() {
    let mut files = MemoryFiles::default();
    for dialect in dialects::ALL {
        let words = agent_words::words_of(dialect.id().as_str());
        let settings = words.in_agent_words(
            r#"{"hooks": {"@tool": [
                {"matcher": "@shell", "hooks": [{"type": "command", "command": "sh hooks/guard.sh"}]},
                {"matcher": "bash", "hooks": [{"type": "command", "command": "sh hooks/audit.sh"}]},
                {"matcher": ".*Bash|run_.*", "hooks": [{"type": "command", "command": "sh hooks/log.sh"}]}
            ]}}"#,
        );
        files.put(format!("{}/{}", screen::PROJECT, words.settings), settings.as_str());
        for (path, text) in words.reviewed_files(screen::PROJECT, "/home/dev", &settings) {
            files.put(path, text);
        }
    }
    let mut screen = TestScreen::new(SIZE, "claude", files);
    screen.keys("5 f G Y");
    screen.report(|label| if label == "guard.sh" { (2, "", "") } else { quiet(label) });
    screen.keys("j");
    hold("compare", &mut screen);
}

/// A denied and an allowed case, pinned, just after a save of the script.
#[test]
fn the_loop_s_picture_is_fresh() {
    let mut screen = TestScreen::new(SIZE, "claude", sample_files());
    screen.keys("f Y");
    screen.report(quiet);
    screen.keys("p t").type_text("git push");
    screen.keys("Enter p f");
    screen.report(quiet);
    screen.keys("{ W");
    for _ in 0..8 {
        screen.fact(Fact::WatcherFlushed);
    }
    let script = std::fs::read_to_string("sample-hooks/shop/hooks/guard.sh").unwrap();
    screen.put(GUARD, &format!("{script}# saved\n"));
    let paths = vec![format!("{}/{GUARD}", screen::PROJECT).into()];
    screen.fact(Fact::FilesChanged { paths, calm: true, at: std::time::Duration::from_secs(1) });
    screen.load();
    screen.report(guard);
    screen.report(quiet);
    hold("loop", &mut screen);
}

/// A running agent waits while a refusal is typed; a stop of another agent is next.
#[test]
fn the_picture_of_intercept_is_fresh() {
    const NOW: i64 = 1_795_185_062_000;
    let arrived = |seq: u64, event: &str, wire: &str, subject: Option<&str>, what: &str| ArrivedFact {
        id: format!("0190-{seq}"),
        seq,
        at: NOW,
        agent: "claude".to_owned(),
        event: event.to_owned(),
        wire: wire.to_owned(),
        session: "5f1c09".to_owned(),
        project: screen::PROJECT.to_owned(),
        subject: subject.map(str::to_owned),
        what: Some(what.to_owned()),
        agent_id: None,
        bytes: 260,
    };
    let mut screen = TestScreen::new(SIZE, "claude", sample_files());
    screen.model.now_ms = NOW;
    screen.keys("C");
    let mut tell = |fact| screen.fact(Fact::Live(Box::new(fact)));
    tell(LiveFact::Serving { socket: "/run/user/1000/hookbench/hookbench.sock".to_owned(), pid: 4711 });
    let choices = ["observe", "allow", "deny", "ask", "modify", "replace", "halt"];
    let held = [
        arrived(1, "PreToolUse", "pre_tool_use", Some("Bash"), "git push --force"),
        arrived(2, "Stop", "stop", None, "All tests pass."),
    ];
    for arrived in held {
        tell(LiveFact::Arrived(arrived.clone()));
        tell(LiveFact::Held(PendingEventFact {
            arrived,
            breakpoint: "pushes".to_owned(),
            since: NOW,
            until: NOW + 289_500,
            on_timeout: "deny".to_owned(),
            choices: choices.iter().map(|word| (*word).to_owned()).collect(),
        }));
    }
    let payload = serde_json::json!({
        "session_id": "5f1c09", "transcript_path": "/home/dev/.claude/projects/-home-dev-shop/5f1c09.jsonl",
        "cwd": screen::PROJECT, "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "git push --force", "description": "Push the branch"}, "tool_use_id": "toolu_01",
    });
    tell(LiveFact::Payload { id: "0190-1".to_owned(), payload: Some(payload.to_string()) });
    screen.model.now_ms = NOW + 12_000;
    screen.model.now += std::time::Duration::from_secs(1);
    screen.keys("i e").type_text("not to main; open a pull request");
    screen.keys("Enter");
    hold("intercept", &mut screen);
}
