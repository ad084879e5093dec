//! A shell checks that its terminal's modes are restored after every kind of exit.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::programs::{kept_by, write_program};
use crate::terminal::{TestTerminal, is_restored};

/// A shell with `check NAME`, which prints `same-NAME` if `stty -g` prints the same as at the start.
pub fn shell(env: &[(&str, &str)]) -> TestTerminal {
    let all: Vec<_> = [("PS1", "> "), ("HOOKBENCH", env!("CARGO_BIN_EXE_hookbench"))]
        .into_iter()
        .chain(env.iter().copied())
        .collect();
    let mut shell = TestTerminal::start("bash", &["--norc", "--noprofile", "-i"], &all, (120, 40));
    // The shell's own bracketed paste would look like ours.
    shell.press("bind 'set enable-bracketed-paste off'\r");
    shell.press("BEFORE=$(stty -g); check() { [ $BEFORE = $(stty -g) ] && echo same-$1 || echo other-$1; }\r");
    shell
}

/// Starts the workbench in a way that its process id is known.
fn start_known(shell: &mut TestTerminal, name: &str) -> Pid {
    let file = shell.state.path().join(name);
    let to = file.display();
    shell.press(&format!("clear; sh -c 'echo $$ > {to}; exec $HOOKBENCH demo'; check {name}-$?\r")).wait_for("READY");
    Pid::from_raw(std::fs::read_to_string(&file).unwrap().trim().parse().unwrap()).unwrap()
}

fn leave(mut shell: TestTerminal) {
    shell.press("exit\r");
    let (_, raw) = shell.wait_for_end();
    assert!(is_restored(raw.as_bytes()));
}

/// Memory that cannot be allocated aborts the program, without a panic; or the system kills it.
#[test]
fn an_end_without_warning_restores_the_terminal() {
    let mut shell = shell(&[]);
    let pid = start_known(&mut shell, "ABRT");
    kill_process(pid, Signal::ABORT).unwrap();
    shell.wait_for("hookbench: aborted").wait_for("same-ABRT-134");
    let pid = start_known(&mut shell, "KILL");
    kill_process(kept_by(pid.as_raw_nonzero().get().cast_unsigned()), Signal::KILL).unwrap();
    shell.wait_for("hookbench: killed").wait_for("same-KILL-137");
    leave(shell);
}

#[test]
fn the_terminal_s_modes_are_what_they_were() {
    let mut shell = shell(&[]);
    shell.press("$HOOKBENCH demo; check quit-$?\r").wait_for("READY").press("q").wait_for("same-quit-0");
    for (name, signal) in [("TERM", Signal::TERM), ("HUP", Signal::HUP), ("INT", Signal::INT), ("QUIT", Signal::QUIT)] {
        let pid = start_known(&mut shell, name);
        kill_process(pid, signal).unwrap();
        shell.wait_for(&format!("same-{name}-130"));
        assert!(is_restored(&shell.raw()), "{name}");
    }
    // Its process group is orphaned: the system refuses to change the modes instead of stopping it.
    shell.press("clear; ( { $HOOKBENCH demo < /dev/tty; echo ended-$?; } & )\r");
    shell.wait_for("cannot use the terminal").wait_for("ended-70").press("check refused\r").wait_for("same-refused");
    leave(shell);
}

#[test]
fn stopped_and_continued_wherever_it_is() {
    let mut shell = shell(&[]);
    shell.press("until_stopped() { while [ -z \"$(jobs -s)\" ]; do :; done; }\r");
    // Stopped by Ctrl+Z; continued twice in the background, it stops again without drawing.
    shell.press("clear; $HOOKBENCH demo\r").wait_for("READY").press("\u{1a}").wait_for("Stopped");
    shell.press("check stopped\r").wait_for("same-stopped");
    for name in ["behind", "again"] {
        shell.press(&format!("clear; bg; until_stopped; check {name}\r")).wait_for(&format!("same-{name}"));
        assert!(is_restored(&shell.raw()), "nothing was drawn from the background");
    }
    shell.press("clear; fg; check continued-$?\r").wait_for("READY").press("q").wait_for("same-continued-0");
    // Stopped by a signal, and continued in both ways.
    let pid = start_known(&mut shell, "frozen");
    kill_process_group(pid, Signal::STOP).unwrap();
    shell.wait_for("Stopped").press("clear; check frozen; bg; until_stopped; check thawing\r").wait_for("same-frozen");
    shell.wait_for("same-thawing");
    assert!(!shell.contents().contains("READY"), "nothing was drawn from the background");
    shell.press("clear; fg; check thawed-$?\r").wait_for("READY").press("q").wait_for("same-thawed-0");
    // It accepts keys as before.
    let pid = start_known(&mut shell, "alone");
    kill_process_group(pid, Signal::STOP).unwrap();
    shell.wait_for("Stopped").press("clear; check halted\r").wait_for("same-halted").wait_for_gone("READY");
    shell.press("clear; fg; check alone-$?\r").wait_for("READY").press("?").wait_for("Esc close");
    shell.press("\u{1b}").wait_for_gone("Esc close").press("q").wait_for("same-alone-0");
    // Terminated while stopped, it ends and leaves the terminal to the shell.
    shell.press("clear; $HOOKBENCH demo\r").wait_for("READY").press("\u{1a}").wait_for("Stopped");
    shell.press("clear; kill %1; wait -f %1; check killed-$?\r").wait_for("same-killed-130");
    // Started in the background, it waits.
    shell.press("clear; $HOOKBENCH demo & until_stopped; check waits\r").wait_for("same-waits");
    shell.press("clear; fg; check came-$?\r").wait_for("READY").press("q").wait_for("same-came-0");
    leave(shell);
}

#[test]
fn an_editor_may_leave_the_terminal_as_it_likes() {
    let directory = tempfile::tempdir().unwrap();
    let editor = directory.path().join("editor");
    let script = "#!/bin/sh\nstty raw -echo -isig\nprintf '\\033[?1000h\\033[?25l\\033[?1049h'\n\
                  python3 -c 'import os; os.set_blocking(0, False)'\n";
    write_program(&editor, (script).as_ref());
    let mut shell = shell(&[("EDITOR", editor.to_str().unwrap()), ("VISUAL", "")]);
    let blocks = "python3 -c 'import os; print(\"blocks-\" + str(os.get_blocking(0)))'";
    shell
        .press(&format!("$HOOKBENCH demo; check edited-$?; {blocks}\r"))
        .wait_for("READY")
        .press("e")
        .wait_for("no change");
    shell.press("q").wait_for("same-edited-0").wait_for("blocks-True");
    leave(shell);
}
