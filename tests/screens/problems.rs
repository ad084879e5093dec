//! The problems page: findings for all agents at every size, with keys, the mouse, saved files and fixes.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;

use crate::screen_states::{ScreenState, hold_states};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use hookbench::core::config::MemoryFiles;
use hookbench::tui::{LoopRequest, Msg, Page, Theme};
use screen::{COLOUR, MEDIUM, PROJECT, TINY, TestScreen, WIDE, picture};

/// Only these rules, so that new rules do not change the snapshots.
const LEVELS: &str = "HW = \"off\"\nHW301 = \"error\"\n";

const SETTINGS: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {"matcher": "bash", "hooks": [{"type": "command", "command": "sh hooks/audit.sh"}]},
      {"matcher": "Edit|write", "hooks": [{"type": "command", "command": "sh hooks/guard.sh"}]}
    ],
    "PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh hooks/audit.sh"}]}]
  }
}
"#;

fn files(settings: &str) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    files.put(format!("{PROJECT}/.claude/settings.json"), settings);
    for name in ["audit.sh", "guard.sh"] {
        files.put(format!("{PROJECT}/hooks/{name}"), "#!/bin/sh\nexit 0\n");
    }
    files.put("/bin/sh", "#!");
    files
}

fn problems(size: (u16, u16), theme: Theme, settings: &str) -> TestScreen {
    let mut screen = TestScreen::with(size, "claude", files(settings), theme, false).with_lint(LEVELS);
    screen.keys("4");
    assert_eq!(screen.model.page, Page::Problems);
    screen
}

const STATES: [ScreenState; 8] = [
    ("problems-list", |size, theme| problems(size, theme, SETTINGS)),
    ("problems-open", |size, theme| keys(problems(size, theme, SETTINGS), "j Enter")),
    ("problems-explained", |size, theme| keys(problems(size, theme, SETTINGS), "K")),
    ("problems-fix", |size, theme| keys(problems(size, theme, SETTINGS), "x")),
    ("problems-filter", |size, theme| keys(problems(size, theme, SETTINGS), "/ audit")),
    ("problems-allow", |size, theme| keys(problems(size, theme, SETTINGS), "A tested Enter")),
    ("problems-fine", |size, theme| problems(size, theme, &SETTINGS.replace("bash", "Bash").replace("write", "Write"))),
    ("problems-none", |size, theme| problems(size, theme, "{}\n")),
];

fn keys(mut screen: TestScreen, keys: &str) -> TestScreen {
    screen.keys(keys);
    screen
}

#[test]
fn states() {
    hold_states("", &STATES);
}

#[test]
fn a_fix_is_shown_then_written_and_taken_back() {
    let mut screen = problems(WIDE, COLOUR, SETTINGS);
    assert!(screen.text().contains("4 Problems 2"), "{}", screen.text());
    screen.keys("x");
    let shown = screen.text();
    assert!(shown.contains("-      {\"matcher\": \"bash\"") && shown.contains("Y write it"), "{shown}");
    screen.keys("n");
    assert!(screen.text().contains("4 Problems 2"), "nothing was written");
    screen.keys("x Y");
    let text = screen.text();
    assert!(text.contains("4 Problems 1") && !text.contains("\"bash\" differs"), "{text}");
    screen.keys("u n");
    assert!(screen.text().contains("4 Problems 1"), "nothing was undone");
    screen.keys("u Y");
    assert!(screen.text().contains("4 Problems 2"), "{}", screen.text());
}

#[test]
fn what_is_allowed_is_gone() {
    let mut screen = problems(WIDE, COLOUR, SETTINGS);
    screen.keys("A Enter");
    assert!(screen.text().contains("a reason is needed"), "{}", screen.text());
    screen.type_text("it is a test").keys("Enter Y");
    let text = screen.text();
    assert!(text.contains("4 Problems 1") && text.contains("1 allowed with a reason"), "{text}");
}

/// Keys open the editor at line and column, the ladder of the hook, or copy the command line.
#[test]
fn keys_lead_to_the_place() {
    let mut screen = problems(WIDE, COLOUR, SETTINGS);
    screen.keys("j E");
    let path = format!("{PROJECT}/.claude/settings.json");
    let opened = LoopRequest::OpenFile { path: path.clone(), line: 5, column: 19 };
    assert!(screen.asks.contains(&opened), "{:?}", screen.asks.last());
    screen.keys("c");
    let line = format!("hookbench lint {path} --select HW301 --agent claude");
    assert_eq!(screen.asks.last(), Some(&LoopRequest::Copy(line)));
    screen.keys("w");
    let text = screen.text();
    assert!(screen.model.page == Page::Bench && text.contains("guard.sh") && text.contains("matcher"), "{text}");
    screen.keys("4 Esc");
    assert_eq!(screen.model.page, Page::Bench);
}

#[test]
fn a_save_is_seen_and_the_cursor_stays() {
    let mut screen = problems(WIDE, COLOUR, SETTINGS);
    screen.keys("j");
    screen.save(".claude/settings.json", &SETTINGS.replace("\"bash\"", "\"Bash\""));
    let text = screen.text();
    assert!(text.contains("4 Problems 1") && screen.selects("error    HW301"), "{text}");
    screen.save(".claude/settings.json", &SETTINGS.replace("\"bash\"", "\"Bash\"").replace("|write", "|Write"));
    assert!(screen.text().contains("no problems found"), "{}", screen.text());
}

#[test]
fn a_click_selects() {
    let mut screen = problems(WIDE, COLOUR, SETTINGS);
    let row = screen.text().lines().position(|line| line.contains("\"write\"")).unwrap();
    let kind = MouseEventKind::Down(MouseButton::Left);
    let row = u16::try_from(row).unwrap();
    screen.send(Msg::Mouse(MouseEvent { kind, column: 30, row, modifiers: KeyModifiers::NONE }));
    assert_eq!(screen.model.problems.selected, 1);
}

/// On the bench, a hook that never runs shows its fix.
/// A hook that will run, but whose answer is lost: the band and the ladder say so before anything runs.
#[test]
fn an_answer_that_does_nothing_is_named_before_the_first_run() {
    let levels = "HW = \"off\"\nHW603 = \"error\"\nHW404 = \"warning\"\n";
    let mut files = files(&SETTINGS.replace("bash", "Bash"));
    files.put(format!("{PROJECT}/hooks/audit.sh"), "#!/bin/sh\necho '{\"additionalContext\": \"x\"}'\n");
    let mut screen = TestScreen::with(WIDE, "claude", files, COLOUR, false).with_lint(levels);
    let band = screen.text();
    let told = "`additionalContext` at the top of the answer does nothing on PreToolUse";
    let row = band.lines().find(|line| line.contains(told)).unwrap_or_else(|| panic!("{band}"));
    assert!(row.contains("error") && row.contains("explain"), "{row}");
    screen.keys("w Tab z");
    let ladder = screen.text();
    let step = ladder.lines().position(|line| line.contains("10 started          -   not run yet"));
    let step = step.unwrap_or_else(|| panic!("{ladder}"));
    let next = ladder.lines().nth(step + 1).unwrap_or_default();
    assert!(next.contains("error HW603 at hooks/audit.sh:2: "), "{ladder}");
}

#[test]
fn the_bench_offers_the_fix() {
    let mut screen = problems(WIDE, COLOUR, SETTINGS);
    screen.keys("1");
    let text = screen.text();
    let never = text.lines().find(|line| line.starts_with(" ▌ never ")).unwrap_or_default();
    assert!(never.contains("x fix"), "{text}");
    screen.keys("x");
    assert!(screen.text().contains("+      {\"matcher\": \"Bash\""), "{}", screen.text());
}

/// Small screens show the list or the expanded finding.
#[test]
fn small_screens_show_one_thing() {
    for size in [MEDIUM, TINY] {
        let mut screen = problems(size, COLOUR, SETTINGS);
        assert!(screen.text().contains("HW301"), "{}", screen.text());
        screen.keys("Enter");
        assert!(screen.text().contains("^^^"), "{}", screen.text());
        screen.keys("Esc Esc");
        assert_eq!(screen.model.page, Page::Bench);
    }
}

/// A hook that refuses with exit 1: the cause stands beside the verdict, the fix is one key away, and a run whose
/// script has changed says that it is stale.
#[test]
fn exit_1_leads_to_its_line_and_its_fix() {
    let settings = SETTINGS.replace("\"bash\"", "\"Bash\"").replace("audit.sh", "guard.sh").replace("|write", "");
    let mut files = files(&settings);
    files.put(format!("{PROJECT}/hooks/guard.sh"), "#!/bin/sh\ncat >/dev/null\nexit 1\n");
    let levels = "HW = \"off\"\nHW601 = \"error\"\n";
    let mut screen = TestScreen::with(WIDE, "claude", files, COLOUR, true).with_lint(levels);
    assert!(!screen.text().contains("Problems 1"), "{}", screen.text());
    screen.keys("f");
    screen.report(|_| (1, "", "no\n"));
    let text = screen.text();
    assert!(text.contains("exit 1 does not block PreToolUse; use exit 2"), "{text}");
    assert!(text.contains("x fix guard.sh:3") && text.contains("4 Problems 1"), "{text}");
    picture("exit-1-120x40", &text);
    screen.keys("w");
    assert!(screen.text().contains("11 decided          NO  exit 1 does not block"), "{}", screen.text());
    screen.keys("x");
    let text = screen.text();
    assert!(text.contains("- exit 1") || text.contains("-exit 1"), "{text}");
    screen.keys("Y");
    let text = screen.text();
    assert!(text.contains("STALE") && text.contains("guard.sh has changed since"), "{text}");
    let failed = text.lines().position(|line| line.contains("▌ failed")).unwrap();
    let styles = screen.styles();
    let row = styles.lines().nth(failed).unwrap().trim();
    assert!(!row.contains('m'), "the rows of a stale run are quiet:\n{styles}");
    assert!(!text.contains("Problems 1"), "{text}");
    picture("exit-1-stale-120x40", &text);
    screen.keys("f");
    screen.report(|_| (2, "", "no\n"));
    assert!(screen.text().contains("DENY"), "{}", screen.text());
}

/// A run is explained by what was known when it started.
#[test]
fn a_run_keeps_its_reason() {
    let settings = SETTINGS.replace("\"bash\"", "\"Bash\"").replace("sh hooks/audit.sh", "./late.sh");
    let mut screen = TestScreen::with(WIDE, "claude", files(&settings), COLOUR, true);
    screen.keys("f");
    screen.report(|_| (127, "", ""));
    let text = screen.text();
    assert!(text.contains("late.sh does not exist (exit 127)"), "{text}");
    screen.put("late.sh", "exit 0\n");
    screen.load();
    let text = screen.text();
    assert!(text.contains("late.sh does not exist (exit 127)") && !text.contains("run bit"), "{text}");
}

/// A firing becomes a test: `S` shows the case, `Y` writes it.
#[test]
fn a_firing_is_kept_as_a_test() {
    let mut screen = TestScreen::with(WIDE, "claude", files(&SETTINGS.replace("\"bash\"", "\"Bash\"")), COLOUR, true);
    screen.keys("S");
    assert!(screen.text().contains("nothing to keep yet; f fires the event"), "{}", screen.text());
    screen.keys("f");
    screen.report(|_| (2, "", "not on my watch\n"));
    screen.keys("S");
    picture("keep-as-test-120x40", screen.text());
    screen.keys("Y");
    let suite = screen.read("hooks.test.yaml").unwrap();
    assert!(suite.contains("verdict: deny") && suite.contains("not on my watch"), "{suite}");
}

/// `E` opens the script where it decided, `,` and `E` the settings entry.
#[test]
fn the_editor_opens_the_line_that_decided() {
    let mut files = files(&SETTINGS.replace("\"bash\"", "\"Bash\"").replace("|write", ""));
    files.put(format!("{PROJECT}/hooks/audit.sh"), "#!/bin/sh\ncat >/dev/null\necho 'refused here' >&2\nexit 2\n");
    let mut screen = TestScreen::with(WIDE, "claude", files, COLOUR, true);
    let opened = |screen: &TestScreen| match screen.asks.last() {
        Some(LoopRequest::OpenFile { path, line, .. }) => format!("{path}:{line}"),
        other => format!("{other:?}"),
    };
    screen.keys("E");
    assert_eq!(opened(&screen), format!("{PROJECT}/hooks/audit.sh:1"));
    screen.keys("f");
    screen.report(|_| (2, "", "refused here\n"));
    screen.keys("E");
    assert_eq!(opened(&screen), format!("{PROJECT}/hooks/audit.sh:3"));
    screen.keys(",");
    assert!(screen.text().contains("E open settings   Esc cancel"), "{}", screen.text());
    screen.keys("E");
    assert_eq!(opened(&screen), format!("{PROJECT}/.claude/settings.json:4"));
    screen.keys(", k");
    assert!(screen.text().contains(", k does nothing here"), "{}", screen.text());
}

/// A remark is neither a problem nor a proof that all is fine: the hook of an untrusted project does not run.
#[test]
fn remarks_are_not_called_fine() {
    let levels = "HW = \"off\"\nHW301 = \"info\"\n";
    let mut screen = TestScreen::with(WIDE, "claude", files(SETTINGS), COLOUR, false).with_lint(levels);
    screen.keys("4");
    let text = screen.text();
    assert!(text.contains("REMARKS  2 remarks in 3 hooks (") && !text.contains("FINE"), "{text}");
}
