//! The pictures of the README are what the program shows today. `assets/pictures/make` draws them anew.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    clippy::cast_precision_loss,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

#[path = "support/screen.rs"]
mod screen;
#[path = "support/svg.rs"]
mod svg;
#[path = "support/words.rs"]
mod words;

use hookbench::app::Fact;
use hookbench::core::config::MemoryFiles;
use hookbench::core::dialects;
use screen::{Screen, sample};

const SIZE: (u16, u16) = (112, 36);

fn hold(name: &str, screen: &Screen) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures");
    for (paper, paint) in [("dark", svg::DARK), ("light", svg::LIGHT)] {
        let file = folder.join(format!("{name}-{paper}.svg"));
        let picture = svg::svg(&screen.draw(), &paint);
        if std::env::var_os("HOOKBENCH_DRAW").is_some() {
            std::fs::write(&file, &picture).unwrap();
        }
        let there = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(there == picture, "{} is not what the program shows: run assets/pictures/make", file.display());
    }
}

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
    let mut screen = Screen::new(SIZE, "claude", sample());
    screen.keys("f y");
    screen.report(guard);
    hold("deny", &screen);
    screen.keys("j j j w");
    hold("why", &screen);
}

/// A guard that says no without saying why, in four agents; who reads its matcher differently is seen too.
#[test]
fn the_comparison_s_picture_is_fresh() {
    let mut files = MemoryFiles::default();
    for dialect in dialects::ALL {
        let words = words::of(dialect.id());
        let settings = words.say(
            r#"{"hooks": {"@tool": [
                {"matcher": "@shell", "hooks": [{"type": "command", "command": "sh hooks/guard.sh"}]},
                {"matcher": "bash", "hooks": [{"type": "command", "command": "sh hooks/audit.sh"}]},
                {"matcher": ".*Bash|run_.*", "hooks": [{"type": "command", "command": "sh hooks/log.sh"}]}
            ]}}"#,
        );
        files.put(format!("{}/{}", screen::PROJECT, words.settings), settings.as_str());
        for (path, text) in words.reviewing(screen::PROJECT, "/home/dev", &settings) {
            files.put(path, text);
        }
    }
    let mut screen = Screen::new(SIZE, "claude", files);
    screen.keys("5 f G y");
    screen.report(|label| if label == "guard.sh" { (2, "", "") } else { quiet(label) });
    screen.keys("j");
    hold("compare", &screen);
}

/// The deny case and the allow case, pinned; the script was just saved.
#[test]
fn the_loop_s_picture_is_fresh() {
    let mut screen = Screen::new(SIZE, "claude", sample());
    screen.keys("f y");
    screen.report(quiet);
    screen.keys("p t").type_text("git push");
    screen.keys("Enter p f");
    screen.report(quiet);
    screen.keys("{ W");
    for _ in 0..8 {
        screen.fact(Fact::Echoed);
    }
    let script = std::fs::read_to_string("sample-hooks/shop/hooks/guard.sh").unwrap();
    screen.put(GUARD, &format!("{script}# saved\n"));
    let paths = vec![format!("{}/{GUARD}", screen::PROJECT).into()];
    screen.fact(Fact::FilesChanged { paths, calm: true, at: std::time::Duration::from_secs(1) });
    screen.load();
    screen.report(guard);
    screen.report(quiet);
    hold("loop", &screen);
}
