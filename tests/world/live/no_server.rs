//! Missing or unusable servers, and invalid calls (S-T1 to S-T3, S-T9, S-T13, S-T32, S-T33).

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, connect, listen, socket};

use crate::live::live_sandbox::{ForwardInput, ForwardResult, LiveSandbox, STOP, serve_at};

#[test]
fn without_a_server_the_agent_goes_on_and_nothing_is_noted() {
    for agent in ["claude", "codex", "droid", "gemini", "qwen"] {
        assert_eq!(LiveSandbox::new().forward(agent, STOP), ForwardResult::passed(&[]), "{agent}");
    }
}

#[test]
fn a_socket_that_was_left_behind_is_no_server() {
    let desk = LiveSandbox::new();
    drop(UnixListener::bind(desk.socket()).unwrap());
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["refused"]));
}

#[test]
fn nobody_queues_at_a_server_that_accepts_nothing() {
    let desk = LiveSandbox::new();
    let address = SocketAddrUnix::new(desk.socket()).unwrap();
    let server = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&server, &address).unwrap();
    listen(&server, 1).unwrap();
    let mut queued = Vec::new();
    loop {
        let end = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
        ioctl_fionbio(&end, true).unwrap();
        match connect(&end, &address) {
            Ok(()) => queued.push(end),
            Err(why) => {
                assert_eq!(why, Errno::AGAIN);
                break;
            }
        }
    }
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["busy"]));
}

#[test]
fn whatever_is_asked_the_agent_is_not_blocked() {
    let desk = LiveSandbox::new();
    for (args, problems) in [
        (&[] as &[&str], &["agent"] as &[&str]),
        (&["--bogus"], &["arguments", "agent"]),
        (&["--agent"], &["arguments", "agent"]),
        (&["--agent", "nope"], &["agent"]),
        (&["--agent=nope", "--event="], &["arguments", "agent"]),
        (&["--help"], &["agent"]),
        (&["--version", "-x", "y"], &["arguments", "arguments", "arguments", "agent"]),
        (&["--agent", "claude", "--event", "PreToolUse"], &["event"]),
        (&["--agent", "claude", "--socket", "/nowhere/at/all"], &[]),
        (&["--agent", "claude", "--socket", "/dev/null"], &["owner"]),
    ] {
        let ran = desk.run(&ForwardInput { args, stdin: STOP, ..ForwardInput::default() });
        assert_eq!(ran, ForwardResult::passed(problems), "{args:?}");
    }
    desk.write_config("[forward]\nack = 5\n");
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["settings"]));
    desk.write_config("[forward");
    assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["settings"]));
}

#[test]
fn invalid_utf8_and_closed_pipes() {
    let desk = LiveSandbox::new();
    let mut command = desk.command(&ForwardInput::default());
    command.arg(OsString::from_vec(vec![b'-', b'-', 0xff])).arg(OsString::from_vec(vec![0xfe]));
    let mut child = command.spawn().unwrap();
    // The answer's reader has gone.
    drop((child.stdin.take(), child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_went_wrong_is_said_to_who_asks_for_it() {
    let desk = LiveSandbox::new();
    let env = [("HOOKBENCH_DEBUG", "1".to_owned())];
    let ran = desk.run(&ForwardInput { args: &["--agent", "nope"], env: &env, stdin: STOP, ..ForwardInput::default() });
    assert_eq!((ran.status, ran.stdout.as_str(), ran.problems.len()), (0, "{}\n", 1));
    assert!(ran.stderr.contains("unknown agent nope"), "{}", ran.stderr);
}

#[test]
fn only_a_socket_of_ones_own_is_used() {
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let desk = LiveSandbox::new();
    let listener = UnixListener::bind(desk.socket()).unwrap();
    let run = desk.root().join("run");
    for others in [0o755, 0o770, 0o701] {
        mode(&run, others);
        assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["owner"]), "{others:o}");
    }
    mode(&run, 0o700);
    let link = desk.root().join("link");
    symlink(&run, &link).unwrap();
    let through = link.join("h.sock");
    let args = ["--agent", "claude", "--socket", through.to_str().unwrap()];
    assert_eq!(
        desk.run(&ForwardInput { args: &args, stdin: STOP, ..ForwardInput::default() }),
        ForwardResult::passed(&["owner"])
    );
    // Only root can change owners.
    if chown(desk.socket(), Some(65_534), None).is_ok() {
        assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["owner"]));
        chown(desk.socket(), Some(0), None).unwrap();
        chown(&run, Some(65_534), None).unwrap();
        assert_eq!(desk.forward("claude", STOP), ForwardResult::passed(&["owner"]));
    }
    drop(listener);
}

/// The socket is taken from the argument, then the environment, then the state file of a server, then the default
/// path.
#[test]
fn the_server_is_found() {
    let desk = LiveSandbox::new();
    let root = desk.root();
    let state = desk.home().join(".local/state/hookbench");
    fs::create_dir_all(&state).unwrap();
    let mut env: Vec<(&str, String)> = Vec::new();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let socket = |directory: &str| {
        let path = root.join(directory).join("hookbench");
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        path.join("hookbench.sock")
    };
    // From the last place in that order to the first: each one takes precedence over those before.
    for place in ["runtime", "state", "variable", "argument"] {
        let path = socket(place);
        let mut args = vec!["--agent", "claude"];
        let said = text(&path);
        match place {
            "runtime" => env.push(("XDG_RUNTIME_DIR", text(&root.join("runtime")))),
            "state" => fs::write(state.join("socket"), format!("{said}\n")).unwrap(),
            "variable" => env.push(("HOOKBENCH_SOCKET", said.clone())),
            _ => args.extend(["--socket", &said]),
        }
        let answer = format!(r#"{{"decision":"deny","reason":"{place}"}}"#);
        let serving = serve_at(&path, move |stream| {
            std::io::Write::write_all(stream, &crate::live::live_sandbox::ok(&answer)).unwrap();
        });
        let ran = desk.run(&ForwardInput { args: &args, env: &env, stdin: STOP, ..ForwardInput::default() });
        serving.join().unwrap();
        assert_eq!(ran.stdout, format!("{{\"decision\":\"block\",\"reason\":\"{place}\"}}\n"));
    }
    // A relative path is ignored.
    let env = [("HOOKBENCH_SOCKET", "relative.sock".to_owned())];
    fs::write(state.join("socket"), "relative.sock\n").unwrap();
    fs::write(root.join("relative.sock"), "").unwrap();
    assert_eq!(
        desk.run(&ForwardInput { args: &["--agent", "claude"], env: &env, stdin: STOP, ..ForwardInput::default() }),
        ForwardResult::passed(&[])
    );
}

/// The agent would interpret any output as a path: nothing is printed, and the hook fails.
#[test]
fn unsafe_events_print_nothing() {
    let desk = LiveSandbox::new();
    let payload = br#"{"hook_event_name":"WorktreeCreate"}"#;
    let failed = ForwardResult { status: 1, stdout: String::new(), ..ForwardResult::passed(&["unsafe"]) };
    assert_eq!(desk.forward("claude", payload), failed);
    let args = ["--agent", "claude", "--event", "worktree_create"];
    assert_eq!(desk.run(&ForwardInput { args: &args, stdin: b"", ..ForwardInput::default() }).status, 1);
    assert_eq!(desk.forward("codex", payload), ForwardResult::passed(&[]));
}
