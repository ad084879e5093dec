//! `w`: the agent's own log below the ladder.

use std::path::PathBuf;
use std::sync::Arc;

use hookbench::app::{DebugLogFile, Fact};
use hookbench::core::debug_log::DebugLog;
use hookbench::core::dialects;
use hookbench::tui::Theme;

use crate::screen::{COLOUR, MEDIUM, TestScreen, WIDE, sample_files};
use crate::screen_states::{ScreenState, hold_states};

const STATES: [ScreenState; 2] = [
    ("log-agrees", |size, theme| with_log(size, theme, &["guard.sh", "protect.py", "policy.py"])),
    ("log-contradicts", |size, theme| with_log(size, theme, &["protect.py", "policy.py"])),
];

/// A screen with the log of a session in which these hooks ran for Bash.
fn with_log(size: (u16, u16), theme: Theme, hooks: &[&str]) -> TestScreen {
    let mut screen = TestScreen::with(size, "claude", sample_files(), theme, false);
    screen.keys("w");
    let at = "2026-11-24T11:15:50.360Z";
    let count = hooks.len();
    let mut text = format!(
        "{at} [VERBOSE] Getting matching hook commands for PreToolUse with query: Bash\n\
         {at} [VERBOSE] Found 4 hook matchers in settings\n\
         {at} [VERBOSE] Matched {count} unique hooks for query \"Bash\" ({count} before deduplication)\n"
    );
    for (hook, status) in hooks.iter().zip([2, 0, 0]) {
        let command = format!("\"$CLAUDE_PROJECT_DIR\"/hooks/{hook}");
        text.push_str(&format!(
            "{at} [DEBUG] Hooks: PreToolUse:Bash [{command}] finished with status {status} (63ms)\n"
        ));
    }
    screen.fact(Fact::DebugLogs { agent: dialects::by_id("claude").unwrap().id(), logs: logs(&text) });
    screen
}

fn logs(text: &str) -> Arc<Vec<DebugLogFile>> {
    let log = DebugLog::read(dialects::by_id("claude").unwrap(), text);
    let file = PathBuf::from("/home/dev/.claude/debug/58094a86-3a7d-4d99-afdd-6b58b5c8f5fc.txt");
    Arc::new(vec![DebugLogFile { file, log, changed_since: Vec::new() }])
}

#[test]
fn the_agent_s_own_log_is_below_the_ladder() {
    hold_states("", &STATES);
}

#[test]
fn w_reads_the_logs_again() {
    let says = "CONTRADICTS the agent's log";
    for size in [MEDIUM, WIDE] {
        let mut screen = with_log(size, COLOUR, &["protect.py"]);
        assert!(screen.text().contains(says), "{}", screen.text());
        screen.fact(Fact::DebugLogs { agent: dialects::by_id("claude").unwrap().id(), logs: Arc::default() });
        assert!(!screen.text().contains(says), "{}", screen.text());
    }
}
