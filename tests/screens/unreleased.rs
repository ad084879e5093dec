//! The agent that was specified and never released: it is on the screen only after its whole name was typed, and always
//! with its label.

use std::sync::Arc;

use crate::screen;

use hookbench::app::Fact;
use hookbench::core::config::MemoryFiles;
use hookbench::core::dialects::{by_id, default_version};
use screen::{PROJECT, TestScreen};

fn files() -> MemoryFiles {
    let mut files = MemoryFiles::default();
    let yaml = "version: 1\nhooks:\n  - event: tool.before\n    matcher: [Bash]\n    command: hooks/guard.sh\n";
    files.put(format!("{PROJECT}/hooks.yaml"), yaml);
    files.put(format!("{PROJECT}/hooks/guard.sh"), "#!/bin/sh\nexit 0\n");
    files.put("/bin/sh", "#!");
    files
}

/// The screen after the agent was chosen and its settings were read.
fn chosen(size: (u16, u16)) -> TestScreen {
    let mut screen = TestScreen::new(size, "claude", files());
    screen.keys(":").type_text("agent qwen-legacy").keys("Enter");
    let dialect = by_id("qwen-legacy").unwrap();
    let place = Arc::clone(screen.model.session.place());
    let loaded = dialect.load(&place, &files(), &default_version(dialect));
    screen.fact(Fact::Loaded { agent: dialect.id(), loaded });
    screen
}

#[test]
fn its_label_is_always_visible() {
    for size in [(160, 50), (120, 40), (80, 24), (60, 20)] {
        let mut screen = chosen(size);
        let text = screen.text();
        let labelled = text.contains("specified, never released") || text.contains("Qwen legacy, unreleased");
        assert!(labelled && text.contains("guard.sh") && text.contains("READY"), "{size:?}\n{text}");
        for page in ["3", "4", "6", "1"] {
            screen.keys(page);
            let text = screen.text();
            let labelled = text.contains("never released") || text.contains("unreleased");
            assert!(labelled, "{size:?} page {page}\n{text}");
        }
    }
}

#[test]
fn it_is_left_out_elsewhere() {
    let mut screen = chosen((120, 40));
    screen.keys(":").type_text("agent claude").keys("Enter");
    for page in ["1", "2", "5", "6"] {
        screen.keys(page);
        let text = screen.text();
        assert!(!text.to_lowercase().contains("legacy"), "page {page}\n{text}");
    }
}
