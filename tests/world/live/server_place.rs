//! The location of the server's socket, and that only one server runs (S-T13, S-T15, S-T16).

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json;

use crate::live::live_sandbox::{ForwardInput, ForwardResult, LiveSandbox, STOP};
use crate::live::serve_process::envelope;

#[test]
fn a_place_that_others_can_reach_is_refused() {
    let desk = LiveSandbox::new();
    let run = desk.root().join("run");
    for (mode, says) in
        [(0o755, "other users have access to it"), (0o770, "other users have access to it"), (0o700, "")]
    {
        fs::set_permissions(&run, Permissions::from_mode(mode)).unwrap();
        if says.is_empty() {
            desk.start_server();
            continue;
        }
        let output = desk.serve_command().output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(says) && said.contains(run.to_str().unwrap()), "{mode:o}: {said}");
        assert_eq!(output.status.code(), Some(5));
        assert!(!desk.socket().exists(), "nothing is left behind");
    }
}

#[test]
fn links_files_and_long_paths_are_refused() {
    let desk = LiveSandbox::new();
    let root = desk.root();
    symlink(root.join("run"), root.join("link")).unwrap();
    fs::write(root.join("run/file.sock"), "mine").unwrap();
    let long = root.join("run").join("x".repeat(120));
    for (socket, says) in [
        (root.join("link/h.sock"), "a link"),
        (root.join("run/file.sock"), "the file there is not a socket"),
        (long, "at most 107 are allowed"),
        (root.join("run/file.sock/h.sock"), "a link or a file"),
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hookbench"));
        command.args(["serve", "--socket"]).arg(&socket).env_clear().env("HOME", desk.home());
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(says), "{}: {said}", socket.display());
        assert_eq!(output.status.code(), Some(5), "{said}");
    }
    assert_eq!(fs::read_to_string(root.join("run/file.sock")).unwrap(), "mine");
}

#[test]
fn there_is_one_server_for_a_user() {
    let desk = LiveSandbox::new();
    let server = desk.start_server();
    let pid = format!("(process {})", server.pid());
    let output = desk.serve_command().output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("another hookbench server is running") && said.contains(&pid), "{said}");
    assert_eq!(output.status.code(), Some(1));
    // A second socket would leave clients without a clear choice.
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hookbench"));
    command.args(["serve", "--socket"]).arg(desk.root().join("run/other.sock"));
    let output = command.env_clear().env("HOME", desk.home()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(&pid), "{said}");
    assert_eq!(output.status.code(), Some(1));
    // The first server was not disturbed.
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&[]));
    assert_eq!(server.terminate(), Some(0));
    assert!(!desk.socket().exists() && !desk.home().join(".local/state/hookbench/socket").exists());
    assert_eq!(desk.start_server().terminate(), Some(0));
}

#[test]
fn clients_find_it_by_its_state_file() {
    let desk = LiveSandbox::new();
    let server = desk.start_server();
    let file = desk.home().join(".local/state/hookbench/socket");
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{}\n", desk.socket().display()));
    let modes = [file, desk.socket(), desk.root().join("run/hookbench.lock"), desk.store()]
        .map(|path| fs::metadata(path).unwrap().permissions().mode() & 0o777);
    assert_eq!(modes, [0o600; 4]);
    let ran = desk.run(&ForwardInput { args: &["--agent", "claude"], stdin: STOP, ..ForwardInput::default() });
    assert_eq!(ran, ForwardResult::passed(&[]));
    assert_eq!(server.get("/v1/health")["events"], 1);
}

#[test]
fn a_killed_server_is_replaced_and_what_it_stored_is_there() {
    let desk = LiveSandbox::new();
    let first = desk.start_server();
    let held = first.post(&envelope("stop", &json!({"n": 1})));
    assert_eq!(held.status, 200);
    first.kill();
    assert!(desk.socket().exists(), "the socket outlives it");
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["refused"]));
    // The state file that leads clients to the server is still correct and is not written again: the disk may be
    // full.
    let left = desk.home().join(".local/state/hookbench/socket");
    let of = || std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&left).unwrap());
    let before = of();
    let second = desk.start_server();
    assert_eq!(of(), before);
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&[]));
    assert_eq!(second.terminate(), Some(0));
    assert!(!left.exists());
    assert!(desk.captured().iter().any(|one| one.session == "s1" && one.event == "Stop"));
}
