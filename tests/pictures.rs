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

use screen::{Screen, sample};

const SIZE: (u16, u16) = (112, 36);

fn hold(name: &str, screen: &Screen) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures").join(name);
    let picture = svg::svg(&screen.draw());
    if std::env::var_os("HOOKBENCH_DRAW").is_some() {
        std::fs::write(&file, &picture).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(there == picture, "{} is not what the program shows: run assets/pictures/make", file.display());
}

#[test]
fn pictures_are_fresh() {
    let mut screen = Screen::new(SIZE, "claude", sample());
    hold("ready.svg", &screen);
    screen.keys("f y");
    screen.report(|label| {
        if label == "guard.sh" {
            (2, "", "refusing: rm -rf outside a scratch directory: build (scratch/ is fine)\n")
        } else {
            (0, "", "")
        }
    });
    hold("deny.svg", &screen);
    screen.keys("j j j w");
    hold("why.svg", &screen);
}
