//! The program in a real terminal: few tests, which wait for text and never sleep.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests start programs, and fail by panicking")]

use crate::programs;
use crate::terminal;

mod crash;
mod ends;
mod live;
mod modes;
mod sizes;

use portable_pty::PtySize;
use rustix::process::Signal;
use terminal::{EndlessHook, TestTerminal, is_restored};

#[test]
fn demo_fires_and_leaves_a_clean_terminal() {
    let mut terminal = TestTerminal::open(&["demo"], &[], (120, 40));
    terminal.wait_for("\"bash\" is not \"Bash\" (case)").press("f").wait_for("Y run").press("Y").wait_for("DENY");
    terminal.wait_for("refusing: rm -rf").press("q");
    let (status, raw) = terminal.wait_for_end();
    assert_eq!(status, 0);
    assert!(is_restored(raw.as_bytes()));
}

/// More keys than one frame reads at once: none is lost, and every firing is a row.
#[test]
fn keys_that_come_at_once_are_all_taken() {
    let mut terminal = TestTerminal::open(&["demo"], &[], (120, 40));
    terminal
        .wait_for("READY")
        .press("tNotification\r")
        .wait_for("NO HOOK RUNS")
        .press(&"f".repeat(300))
        .wait_for("run 300 ");
    terminal.press("H").wait_for("300 of 300").press("Gd").wait_for("run 300 against run 1").press("\r");
    terminal
        .wait_for_gone("run 300 against")
        .wait_for("300 of 300")
        .press("\u{1b}")
        .wait_for_gone("300 of 300")
        .press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
}

#[test]
fn a_signal_ends_the_hooks_and_restores_the_terminal() {
    let mut terminal = TestTerminal::open(&["demo"], &[], (100, 30));
    terminal.wait_for("READY").press("t").wait_for("Events and templates").press("PreCompact\r").wait_for("PreCompact");
    terminal.press("f").wait_for("Y run").press("Y").wait_for("slow.sh: 1 of");
    terminal.signal(rustix::process::Signal::TERM);
    let (status, raw) = terminal.wait_for_end();
    assert_eq!(status, 130);
    assert!(is_restored(raw.as_bytes()));
}

/// Every signal that ends a program by default restores the terminal and ends running hooks.
#[test]
fn every_signal_that_ends_the_program_ends_the_hooks_and_restores_the_terminal() {
    let endless = EndlessHook::new();
    let home = tempfile::tempdir().unwrap();
    let args = [endless.path(), "--home", home.path().to_str().unwrap()];
    for signal in [Signal::USR1, Signal::USR2, Signal::ALARM, Signal::VTALARM, Signal::IO] {
        let mut terminal = TestTerminal::open(&args, &[], (100, 30));
        terminal.wait_for("READY").press("f").wait_for("Y run").press("Y").wait_for("it-is-up");
        terminal.signal(signal);
        let (status, raw) = terminal.wait_for_end();
        assert_eq!(status, 130, "{signal:?}");
        assert!(is_restored(raw.as_bytes()), "{signal:?}");
        endless.wait_until_all_gone();
    }
}

/// A trial of guards over recorded events shows how far it is.
#[test]
fn a_trial_of_guards_shows_its_progress() {
    let home = tempfile::tempdir().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/claude/PreToolUse.jsonl");
    let terminal = TestTerminal::open(&["guard", "try", file, "--home", home.path().to_str().unwrap()], &[], (100, 30));
    let (status, raw) = terminal.wait_for_end();
    assert_eq!(status, 0, "{raw}");
    assert!(raw.contains("reading file 1 of 1, "), "{raw}");
}

/// Whichever of its processes a signal ends that no program can handle, the other one ends the hooks and restores the
/// terminal.
#[test]
fn hooks_do_not_outlive_a_program_that_is_killed() {
    let endless = EndlessHook::new();
    let home = tempfile::tempdir().unwrap();
    let ends: [fn(&TestTerminal); 3] =
        [|all| all.kill(), |all| all.signal(Signal::KILL), |all| all.signal(Signal::ABORT)];
    for end in ends {
        let args = [endless.path(), "--home", home.path().to_str().unwrap()];
        let mut terminal = TestTerminal::open(&args, &[], (100, 30));
        terminal.wait_for("READY").press("f").wait_for("Y run").press("Y").wait_for("it-is-up");
        end(&terminal);
        endless.wait_until_all_gone();
        assert!(is_restored(terminal.wait_for_end().1.as_bytes()));
    }
}

/// A key that was typed before the question was drawn does not answer it.
#[test]
fn keys_before_the_question_is_drawn_are_no_answer() {
    let endless = EndlessHook::new();
    let home = tempfile::tempdir().unwrap();
    let mut terminal = TestTerminal::open(&[endless.path(), "--home", home.path().to_str().unwrap()], &[], (100, 30));
    terminal.wait_for("READY").press("fYGY").wait_for("Y run").press("n").wait_for_gone("Y run");
    assert!(!endless.started());
    terminal.press("f").wait_for("Y run").press("Y").wait_for("it-is-up").press("qY");
    assert_eq!(terminal.wait_for_end().0, 0);
    endless.wait_until_all_gone();
}

/// A paste is one change and is tested once, with or without bracketed paste. The program stays responsive.
#[test]
fn a_long_paste_into_the_matcher_does_not_block() {
    let long = "Bash|".repeat(108_000);
    for (before, after) in [("\u{1b}[200~", "\u{1b}[201~"), ("", "")] {
        let mut terminal = TestTerminal::open(&["demo"], &[], (120, 40));
        terminal
            .wait_for("READY")
            .press("2")
            .wait_for("Interpretation")
            .press("e")
            .wait_for("Enter apply")
            .press(&format!("{before}{long}{after}"));
        terminal.wait_for("the rest was cut").press("\u{1b}").wait_for_gone("the rest was cut").press("qq");
        assert_eq!(terminal.wait_for_end().0, 0);
    }
}

#[test]
fn the_editor_round_trip_survives_a_mistake() {
    let directory = tempfile::tempdir().unwrap();
    let editor = directory.path().join("editor");
    // The first edit breaks the payload, the second fixes it.
    let script = format!(
        "#!/bin/sh\nif [ -e {0}/once ]; then printf '{{\"hook_event_name\": \"Stop\"}}' > \"$1\"; else touch {0}/once; printf '{{\"a\": 1,}}' > \"$1\"; fi\n",
        directory.path().display()
    );
    programs::write_program(&editor, script.as_bytes());
    let mut terminal =
        TestTerminal::open(&["demo"], &[("EDITOR", editor.to_str().unwrap()), ("VISUAL", "")], (100, 30));
    terminal.wait_for("READY").press("e").wait_for("This payload is not valid").wait_for("remove the comma").press("e");
    terminal.wait_for("todo_gate.py").press("q");
    let (status, raw) = terminal.wait_for_end();
    assert_eq!(status, 0);
    assert!(is_restored(raw.as_bytes()));
}

#[test]
fn in_the_terminal_of_an_editor_that_editor_opens_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > {}/asked\n", directory.path().display());
    programs::write_program(&directory.path().join("nvim"), script.as_bytes());
    let path = format!("{}:{}", directory.path().display(), std::env::var("PATH").unwrap());
    let env = [("NVIM", "/run/editor"), ("PATH", path.as_str()), ("EDITOR", "false"), ("VISUAL", "")];
    let mut terminal = TestTerminal::open(&["demo"], &env, (100, 30));
    terminal.wait_for("READY").press("E").wait_for("opened in nvim, whose terminal this is").press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
    let asked = std::fs::read_to_string(directory.path().join("asked")).unwrap();
    assert!(asked.starts_with("--server\n/run/editor\n--remote-expr\nexecute('tab drop ' . fnameescape('/"), "{asked}");
}

#[test]
fn a_saved_change_is_on_the_screen_at_once_at_any_size() {
    let project = tempfile::tempdir().unwrap();
    let directory = project.path().join(".claude");
    std::fs::create_dir(&directory).unwrap();
    let settings = |matcher: &str| {
        let text = format!(
            "{{\"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"{matcher}\", \"hooks\": [{{\"type\": \"command\", \"command\": \"true\"}}]}}]}}}}"
        );
        // Saves as editors do: writes another file and renames it.
        std::fs::write(directory.join("new"), text).unwrap();
        std::fs::rename(directory.join("new"), directory.join("settings.json")).unwrap();
    };
    settings("bash");
    let path = project.path().to_str().unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut terminal = TestTerminal::open(&[path, "--home", home.path().to_str().unwrap()], &[], (80, 24));
    terminal.wait_for("1 hook never runs");
    settings("Bash");
    terminal.wait_for("1 hook will run");
    for (cols, rows) in [(20, 5), (1, 1), (200, 60)] {
        terminal.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }
    std::fs::write(directory.join("settings.json"), "{ \"hooks\": ").unwrap();
    terminal.wait_for("FILE SKIPPED").press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
}

/// The driver loads the settings again as if the project were trusted, and back.
#[test]
fn a_project_is_tried_as_if_trusted() {
    let (project, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let directory = project.path().join(".codex");
    std::fs::create_dir(&directory).unwrap();
    let hooks = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    std::fs::write(directory.join("hooks.json"), hooks).unwrap();
    let (path, home) = (project.path().to_str().unwrap(), home.path().to_str().unwrap());
    let args = [path, "--home", home, "--agent", "codex"];
    let mut terminal = TestTerminal::open(&args, &[("XDG_STATE_HOME", home)], (100, 30));
    terminal.wait_for("NO HOOK RUNS").press(",t").wait_for("1 hook will run").press(",t").wait_for("NO HOOK RUNS");
    terminal.press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
}

/// A fix is written after `Y`, and undone after its patch was shown and another `Y`.
#[test]
fn an_undo_is_shown_before_it_is_written() {
    let (project, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::create_dir(project.path().join(".claude")).unwrap();
    let file = project.path().join(".claude/settings.json");
    let hooks =
        r#"{"hooks": {"PreToolUse": [{"matcher": "bash", "hooks": [{"type": "command", "command": "true"}]}]}}"#;
    std::fs::write(&file, hooks).unwrap();
    let (path, home) = (project.path().to_str().unwrap(), state.path().to_str().unwrap());
    let mut terminal = TestTerminal::open(&[path, "--home", home], &[("XDG_STATE_HOME", home)], (100, 30));
    terminal.wait_for("x fix settings.json").press("x").wait_for("write it").press("Y").wait_for("1 hook will run");
    assert!(std::fs::read_to_string(&file).unwrap().contains("Bash"));
    terminal.press("u").wait_for("Undo the last change").wait_for("+{").press("Y").wait_for("1 hook never runs");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), hooks);
    terminal.press("u").wait_for("nothing to undo").press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
}

/// Imported events are planned again when settings are saved.
#[test]
fn a_saved_change_says_what_it_comes_to_for_recorded_events() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let claude = root.join("shop/.claude");
    std::fs::create_dir_all(&claude).unwrap();
    let settings = |matcher: &str| {
        let hooks = format!(r#"[{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "true"}}]}}]"#);
        std::fs::write(claude.join("new"), format!(r#"{{"hooks": {{"PreToolUse": {hooks}}}}}"#)).unwrap();
        std::fs::rename(claude.join("new"), claude.join("settings.json")).unwrap();
    };
    settings("bash");
    let (shop, home) = (root.join("shop"), root.to_str().unwrap());
    let event = |tool: &str, n: usize| {
        format!(
            r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"{}","tool_name":"{tool}","tool_input":{{"command":"make {n}"}},"tool_use_id":"t{n}","permission_mode":"default"}}"#,
            shop.display()
        )
    };
    let lines: Vec<String> = (1..=5).map(|n| event(if n < 4 { "Bash" } else { "Read" }, n)).collect();
    std::fs::write(root.join("events.jsonl"), lines.join("\n")).unwrap();
    let (file, path) = (root.join("events.jsonl"), shop.to_str().unwrap());
    let args = ["import", file.to_str().unwrap(), "--project", path, "--home", home];
    let mut import = TestTerminal::open(&args, &[("XDG_STATE_HOME", home)], (100, 30));
    import.wait_for("5 events");
    import.wait_for_end();
    let mut terminal = TestTerminal::open(&[path, "--home", home], &[("XDG_STATE_HOME", home)], (100, 30));
    terminal.wait_for("1 hook never runs");
    settings("Bash");
    terminal.wait_for("recorded events: 3 gain a hook, 3 unknown until run").press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
}

/// The workbench restores its layout in another process. The file only has names and numbers.
#[test]
fn a_project_is_found_as_it_was_left() {
    let (project, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::create_dir(project.path().join(".claude")).unwrap();
    let hooks = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    std::fs::write(project.path().join(".claude/settings.json"), hooks).unwrap();
    let (path, home) = (project.path().to_str().unwrap(), state.path().to_str().unwrap());
    let file = state.path().join("hookbench/layout.json");
    let open = |more: &[&str]| {
        let args = [&[path, "--home", home][..], more].concat();
        TestTerminal::open(&args, &[("XDG_STATE_HOME", home)], (120, 40))
    };
    let bar = |terminal: &TestTerminal| {
        let shown = terminal.contents();
        // The second pane begins where its corner is.
        let corner = |line: &str| line.chars().collect::<Vec<_>>().windows(2).position(|two| two == ['╮', '╭']);
        shown.lines().find_map(corner).unwrap_or_else(|| panic!("no second pane:\n{shown}"))
    };
    let mut terminal = open(&[]);
    terminal.wait_for("1 hook will run");
    let first = bar(&terminal);
    terminal.press("s").wait_for("Set a field").press("\u{15}\u{15}tool_input.command=a-secret\r").wait_for("a-secret");
    terminal.press("+++w").wait_for("runs:").press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.contains("\"PreToolUse\"") && !kept.contains("a-secret"), "{kept}");
    // Another event, and a signal instead of a key.
    let mut terminal = open(&[]);
    terminal.wait_for("1 hook will run");
    assert_eq!(bar(&terminal), first + 6);
    terminal.press(":").wait_for("Commands").press("next-event\r").wait_for("NO HOOK RUNS");
    terminal.press("5").wait_for("Differences");
    terminal.signal(rustix::process::Signal::TERM);
    assert_eq!(terminal.wait_for_end().0, 130);
    let mut terminal = open(&[]);
    // Not on the page of Compare, but on the bench, which says why no hook runs.
    terminal.wait_for(" PreSkillShellCommand").wait_for("NO HOOK RUNS").press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
    // The demo neither reads nor writes the layout.
    let kept = std::fs::read_to_string(&file).unwrap();
    let mut terminal = TestTerminal::open(&["demo"], &[("XDG_STATE_HOME", home)], (120, 40));
    terminal.wait_for("READY").press("+++q");
    assert_eq!(terminal.wait_for_end().0, 0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), kept);
    let mut terminal = open(&["--reset-layout"]);
    terminal.wait_for("1 hook will run");
    assert_eq!(bar(&terminal), first);
    // The mouse drags the divider and is released elsewhere.
    let at = |button: u16, x: usize, end: char| format!("\u{1b}[<{button};{};15{end}", x + 1);
    terminal.press(&format!("{}{}{}q", at(0, first, 'M'), at(32, 60, 'M'), at(0, 60, 'm')));
    assert_eq!(terminal.wait_for_end().0, 0);
    let mut terminal = open(&[]);
    terminal.wait_for("1 hook will run");
    assert_eq!(bar(&terminal), 59);
    terminal.press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
    // An agent that was excluded from the comparison stays so.
    let mut terminal = open(&[]);
    terminal
        .wait_for("1 hook will run")
        .press("5")
        .wait_for("Differences")
        .press("a")
        .wait_for("compared; Enter exclude");
    terminal.press("\u{1b}[B\r").wait_for_gone("Agents to compare").press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
    assert!(std::fs::read_to_string(&file).unwrap().contains("\"excluded_agents\""));
    let mut terminal = open(&[]);
    terminal.wait_for("1 hook will run").press("5").wait_for("Differences").press("a").wait_for("excluded, not fired");
    terminal.press("\u{1b}").wait_for_gone("Agents to compare").press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
    // A damaged layout file is reported and ignored.
    std::fs::write(&file, "{ broken").unwrap();
    let mut terminal = open(&[]);
    terminal.wait_for("1 hook will run").wait_for("layout.json has an unknown format").press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
}

#[test]
fn copying_says_which_way_it_went() {
    let mut terminal = TestTerminal::open(&["demo"], &[("SSH_TTY", "/dev/pts/9"), ("TMUX", "")], (120, 30));
    terminal.wait_for("READY").press("c").wait_for("copied through the terminal (OSC 52): printf").press("q");
    let (_, raw) = terminal.wait_for_end();
    assert!(raw.contains("\u{1b}]52;c;"), "the terminal was asked");
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("hookbench")).unwrap();
    let copied = directory.path().join("copied");
    let config = format!("clipboard = \"command:cat > {}\"\n", copied.display());
    std::fs::write(directory.path().join("hookbench/config.toml"), config).unwrap();
    let home = [("XDG_CONFIG_HOME", directory.path().to_str().unwrap())];
    let mut terminal = TestTerminal::open(&["demo"], &home, (120, 30));
    terminal.wait_for("READY").press("yj").wait_for("copied with cat: { and").press("q");
    assert_eq!(terminal.wait_for_end().0, 0);
    assert!(std::fs::read_to_string(copied).unwrap().contains("\"tool_input\": {"));
}

#[test]
fn without_a_terminal_there_is_a_hint_and_no_screen() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_hookbench")).arg("demo").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a terminal"));
}
