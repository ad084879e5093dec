//! The workbench with a running agent: real programs, a real socket, a real store.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::terminal::{TestTerminal, is_restored};

/// A private home directory and project, with a breakpoint in the settings.
struct LiveProject {
    _directory: tempfile::TempDir,
    root: PathBuf,
    socket: String,
}

impl LiveProject {
    fn new() -> LiveProject {
        LiveProject::with("")
    }

    /// With these further settings of the breakpoint.
    fn with(more: &str) -> LiveProject {
        let directory = tempfile::Builder::new().prefix("hb").tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for name in ["project", "config/hookbench", "run"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        std::fs::set_permissions(root.join("run"), std::fs::Permissions::from_mode(0o700)).unwrap();
        let config = format!("[[breakpoint]]\nname = \"shell\"\nevent = \"pre_tool_use\"\ntool = \"Bash\"\n{more}\n");
        std::fs::write(root.join("config/hookbench/config.toml"), config).unwrap();
        let socket = root.join("run/hookbench.sock").to_str().unwrap().to_owned();
        LiveProject { _directory: directory, root, socket }
    }

    fn path(&self, name: &str) -> String {
        self.root.join(name).to_str().unwrap().to_owned()
    }

    fn env(&self) -> [(String, String); 4] {
        [
            ("HOME".to_owned(), self.path("")),
            ("XDG_STATE_HOME".to_owned(), self.path("state")),
            ("XDG_CONFIG_HOME".to_owned(), self.path("config")),
            ("HOOKBENCH_SOCKET".to_owned(), self.socket.clone()),
        ]
    }

    /// Starts the workbench and waits until it receives events.
    fn workbench(&self, sign: &str) -> TestTerminal {
        let env = self.env();
        let env: Vec<(&str, &str)> = env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut terminal = TestTerminal::open(&[&self.path("project"), "--home", &self.path("")], &env, (120, 40));
        terminal.wait_for("1 Bench").press("C").wait_for(sign);
        terminal
    }

    /// Starts the hook as an agent does.
    fn hook(&self, command: &str) -> Child {
        let payload = serde_json::json!({
            "session_id": "s1", "cwd": self.path("project"), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": command }, "tool_use_id": "t1", "permission_mode": "default",
        });
        let mut hook = Command::new(env!("CARGO_BIN_EXE_hookbench"))
            .args(["forward", "--agent", "claude"])
            .envs(self.env())
            .current_dir(Path::new(&self.path("project")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        hook.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        hook
    }
}

/// Returns the answer to the agent. The hook never prints more than this, and never fails.
fn told(hook: Child) -> serde_json::Value {
    let output = hook.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn an_agent_waits_and_is_answered_from_the_screen() {
    let place = LiveProject::new();
    let mut terminal = place.workbench("REC 0");
    let hook = place.hook("rm -rf build");
    terminal.wait_for(" HELD ").wait_for("rm -rf build").press("i").wait_for("1 of 1 held").wait_for("tool_use_id");
    terminal
        .wait_for_gone("keys pause")
        .wait_for("❯ deny")
        .press("d")
        .wait_for("why? (may be empty)")
        .press("not here\r");
    let answer = told(hook);
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(answer["hookSpecificOutput"]["permissionDecisionReason"], "not here");
    // The store has it once, with its answer.
    terminal.wait_for("nothing is held").wait_for_gone("keys pause");
    terminal.press("3").wait_for("deny by user").wait_for("1 event ");
    // Another input, checked before it is sent.
    let hook = place.hook("git push --force");
    terminal.wait_for(" HELD ").press("i").wait_for("1 of 1 held").wait_for_gone("keys pause");
    // The payload arrives after the event; until then there is nothing to change.
    terminal
        .wait_for("tool_use_id")
        .press("m")
        .wait_for("New input")
        .press("\u{15}{\"command\": \"git push\"}\r")
        .wait_for("differ")
        .press("\r");
    terminal.wait_for("Continue with this input?").press("Y");
    assert_eq!(told(hook)["hookSpecificOutput"]["updatedInput"], serde_json::json!({ "command": "git push" }));
    // Two keys release all events.
    let hooks = [place.hook("first"), place.hook("second")];
    terminal.wait_for("of 2 held").wait_for_gone("keys pause").press("C").wait_for("release all").press("\r");
    for hook in hooks {
        assert_eq!(told(hook), serde_json::json!({}));
    }
    terminal.wait_for("nothing is held").wait_for_gone("keys pause").press("qqq");
    let (status, raw) = terminal.wait_for_end();
    assert_eq!(status, 0);
    assert!(is_restored(raw.as_bytes()));
    assert!(!Path::new(&place.socket).exists(), "nobody serves any more");
    assert_eq!(told(place.hook("alone")), serde_json::json!({}));
}

/// The demo holds an event of its own. Its answer arrives, agents find no server, and nothing is left behind.
#[test]
fn the_demos_own_event_is_held_and_answered() {
    let place = LiveProject::new();
    let temporary = place.path("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let mut env = place.env().to_vec();
    env.push(("TMPDIR".to_owned(), temporary.clone()));
    let env: Vec<(&str, &str)> = env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    for (letter, sent, received) in [("d", "not here\r", "\"permissionDecision\":\"deny\""), ("o", "Y", "exit 0  {}")] {
        let mut terminal = TestTerminal::open(&["demo"], &env, (120, 40));
        terminal.wait_for("READY").press("i").wait_for("breakpoint demo, no agent").wait_for_gone("keys pause");
        assert_eq!(told(place.hook("an agent's")), serde_json::json!({}), "agents reach no demo");
        terminal.press(letter);
        terminal.wait_for(if letter == "d" { "why? (may be empty)" } else { "let it continue" }).press(sent);
        terminal.wait_for("an agent would receive exit 0").wait_for(received).wait_for_gone("keys pause");
        terminal.wait_for("1 received, 1 held, 1 answered").press("\u{1b}").wait_for_gone("would receive").press("q");
        assert_eq!(terminal.wait_for_end().0, 0);
    }
    // An end without an answer is the announced one, and no process outlives it.
    let mut terminal = TestTerminal::open(&["demo"], &env, (120, 40));
    terminal.wait_for("READY").press("i").wait_for("1 of 1 held").wait_for_gone("keys pause").press("q");
    terminal.wait_for("quitting answers deny: it is blocked").press("Y");
    assert_eq!(terminal.wait_for_end().0, 0);
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "the scratch directory is deleted");
    assert!(!Path::new(&place.path("state/hookbench/hookbench.db")).exists(), "the user's store is not touched");
}

/// However the workbench ends, a held event gets the answer that the screen announces.
#[test]
fn every_end_keeps_the_promise_of_the_screen() {
    let place = LiveProject::with("on_timeout = \"deny\"");
    let denied = |hook: Child| {
        let answer = told(hook);
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer}");
    };
    for keys in ["q", "\u{3}"] {
        let mut terminal = place.workbench("REC 0");
        let hook = place.hook("rm -rf build");
        terminal.wait_for(" HELD ").wait_for("then deny").press(keys);
        terminal.wait_for("held: PreToolUse  Bash  rm -rf build").wait_for("quitting answers deny: it is blocked");
        terminal.press("Y");
        denied(hook);
        assert_eq!(terminal.wait_for_end().0, 0);
    }
    let ends: [fn(&TestTerminal); 4] = [
        |all| all.signal(Signal::TERM),
        |all| all.signal(Signal::HUP),
        |all| all.signal(Signal::KILL),
        |all| all.kill(),
    ];
    for end in ends {
        let mut terminal = place.workbench("REC 0");
        let hook = place.hook("rm -rf build");
        terminal.wait_for(" HELD ");
        end(&terminal);
        denied(hook);
        terminal.wait_for_end();
    }
}

/// A second workbench shows the events of the first, and says which one decides.
#[test]
fn a_second_workbench_looks_on() {
    let place = LiveProject::new();
    let mut first = place.workbench("REC 0");
    let mut second = place.workbench("REC @");
    let hook = place.hook("rm -rf build");
    first.wait_for(" HELD ");
    second
        .wait_for(" HELD ")
        .press("i")
        .wait_for("rm -rf build")
        .wait_for("can decide")
        .wait_for_gone("keys pause")
        .press("\u{1b}")
        .wait_for("1 Bench");
    first.press("C").wait_for("release all").press("\r");
    assert_eq!(told(hook), serde_json::json!({}));
    second.wait_for_gone(" HELD ");
    first.wait_for_gone(" HELD ").press("q");
    assert_eq!(first.wait_for_end().0, 0);
    second.wait_for("has ended").press("q");
    assert_eq!(second.wait_for_end().0, 0);
}
