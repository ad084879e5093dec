//! Unexpected ends: the terminal disappears, the output pipe closes, stdin ends.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use portable_pty::{PtySize, native_pty_system};
use rustix::process::Signal;

use crate::terminal::{EndlessHook, TestTerminal, command, crash_reports, wait_until};

/// Starts a program in a terminal, fires if a hook is given, and closes the terminal.
fn without_its_terminal(program: &str, args: &[&str], env: &[(&str, &str)], endless: Option<&EndlessHook>) -> u32 {
    let state = tempfile::tempdir().unwrap();
    let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
    let pty = native_pty_system().openpty(size).unwrap();
    let mut child = pty.slave.spawn_command(command(program, args, env, state.path())).unwrap();
    drop(pty.slave);
    let mut reader = pty.master.try_clone_reader().unwrap();
    let mut keys = pty.master.take_writer().unwrap();
    let mut screen = vt100::Parser::default();
    let mut until = |text: &str| {
        let mut buffer = [0; 4096];
        while !screen.screen().contents().contains(text) {
            let count = reader.read(&mut buffer).unwrap();
            screen.process(&buffer[..count]);
        }
    };
    until("READY");
    if endless.is_some() {
        keys.write_all(b"f").unwrap();
        until("Y run");
        keys.write_all(b"Y").unwrap();
        until("it-is-up");
    }
    drop((reader, keys, pty.master));
    let mut status = None;
    wait_until("the program ends", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    assert_eq!(crash_reports(state.path()), Vec::<std::path::PathBuf>::new());
    if let Some(endless) = endless {
        endless.wait_until_all_gone();
    }
    status.unwrap().exit_code()
}

#[test]
fn the_terminal_goes_away() {
    let endless = EndlessHook::new();
    let program = env!("CARGO_BIN_EXE_hookbench");
    let home = tempfile::tempdir().unwrap();
    let args = [endless.path(), "--home", home.path().to_str().unwrap()];
    assert_eq!(without_its_terminal(program, &args, &[], Some(&endless)), 130);
    // Only the first program of a terminal gets a signal. This one ignores it and does not pass it on.
    let script = "trap '' HUP; $HOOKBENCH \"$@\"; exit $?";
    let args = [&["-c", script, "sh"], args.as_slice()].concat();
    for endless in [Some(&endless), None] {
        assert_eq!(without_its_terminal("sh", &args, &[("HOOKBENCH", program)], endless), 130);
    }
}

/// A pipe without a reader.
fn unread() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[test]
fn a_closed_output_pipe() {
    let home = tempfile::tempdir().unwrap();
    let script = home.path().join("script");
    std::fs::write(&script, "until READY\ndump\ndump\n").unwrap();
    let sentences = "fire\nyes\nhelp\nquit\n";
    let tui = format!("tui --demo --script {} --size 80x24 --dump", script.display());
    for (line, typed, status) in [
        ("list", "", 0),
        ("list --format json", "", 0),
        ("events", "", 0),
        ("schema", "", 0),
        ("config", "", 0),
        ("config --check", "", 0),
        ("--help", "", 0),
        ("--version", "", 0),
        ("plan PreToolUse", "", 0),
        ("fire PreToolUse --yes", "", 0),
        ("fire PreToolUse --yes --format json", "", 0),
        ("fire PreToolUse --yes --format jsonl", "", 0),
        ("fire PreToolUse --expect deny", "", 1),
        ("no-such-word --at-all", "", 2),
        ("why no-such-hook", "", 2),
        ("demo --plain", sentences, 0),
        (tui.as_str(), "", 0),
    ] {
        for deaf in [false, true] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_hookbench"));
            command.args(line.split(' ')).env("HOME", home.path()).current_dir(home.path());
            command.env("XDG_STATE_HOME", home.path().join("state")).env_remove("XDG_CONFIG_HOME");
            command.stdin(Stdio::piped()).stdout(unread()).stderr(if deaf { unread() } else { Stdio::piped() });
            let mut child = command.spawn().unwrap();
            // The program may have exited without reading.
            let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(status), "{line}, deaf: {deaf}");
            let says = String::from_utf8_lossy(&output.stderr);
            assert!(says.is_empty() || status == 2, "{line}: {says}");
        }
    }
    assert_eq!(crash_reports(&home.path().join("state")), Vec::<std::path::PathBuf>::new());
}

#[test]
fn plain_mode_ends_with_its_hooks() {
    let endless = EndlessHook::new();
    for signal in [Signal::TERM, Signal::HUP, Signal::QUIT, Signal::USR1] {
        let args = [endless.path(), "--plain"];
        let mut terminal = TestTerminal::open(&args, &[], (120, 40));
        terminal.wait_for("Ready: ").press("fire\r").wait_for("Say yes or no").press("yes\r").wait_for("Running.");
        wait_until("the hook has started", || endless.started());
        terminal.signal(signal);
        assert_eq!(terminal.wait_for_end().0, 130, "{signal:?}");
        endless.wait_until_all_gone();
    }
}

#[test]
fn end_of_stdin() {
    let state = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookbench"));
    command.args(["demo", "--plain"]).env("XDG_STATE_HOME", state.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"fire\nyes\n").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    // Running hooks are awaited.
    assert!(String::from_utf8_lossy(&output.stdout).contains("Deny: "));
    assert!(output.stderr.is_empty());
}
