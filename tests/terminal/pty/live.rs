//! The workbench with a running agent: real programs, a real socket, a real store.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::terminal::{Terminal, restored};

/// A private home folder and project, with a breakpoint in the settings.
struct Place {
    _folder: tempfile::TempDir,
    root: PathBuf,
    socket: String,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::Builder::new().prefix("hb").tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["project", "config/hookbench", "run"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        std::fs::set_permissions(root.join("run"), std::fs::Permissions::from_mode(0o700)).unwrap();
        let config = "[[breakpoint]]\nname = \"shell\"\nevent = \"pre_tool_use\"\ntool = \"Bash\"\n";
        std::fs::write(root.join("config/hookbench/config.toml"), config).unwrap();
        let socket = root.join("run/hookbench.sock").to_str().unwrap().to_owned();
        Place { _folder: folder, root, socket }
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
    fn workbench(&self, sign: &str) -> Terminal {
        let env = self.env();
        let env: Vec<(&str, &str)> = env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut terminal = Terminal::open(&[&self.path("project"), "--home", &self.path("")], &env, (120, 40));
        terminal.until("1 Bench").press("C").until(sign);
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
    let place = Place::new();
    let mut terminal = place.workbench("REC 0");
    let hook = place.hook("rm -rf build");
    terminal.until(" HELD ").until("rm -rf build").press("i").until("1 of 1 held").until("tool_use_id");
    terminal.press("jjj").until("> deny").press("e").until("Why?").press("not here\r").until("not here").press("\r");
    let answer = told(hook);
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(answer["hookSpecificOutput"]["permissionDecisionReason"], "not here");
    // The store has it once, with its answer.
    terminal.until("nothing is held").press("3").until("deny by user").until("1 events");
    // Another input, checked before it is sent.
    let hook = place.hook("git push --force");
    terminal.until(" HELD ").press("i").until("git push --force").press("jjjjj").until("> modify");
    // The payload arrives after the event; until then there is nothing to change.
    terminal
        .until("tool_use_id")
        .press("e")
        .until("The new input")
        .press("\u{15}{\"command\": \"git push\"}\r")
        .until("differ")
        .press("\r");
    terminal.until("Go on with this input?").press("\r");
    assert_eq!(told(hook)["hookSpecificOutput"]["updatedInput"], serde_json::json!({ "command": "git push" }));
    // One key releases all events.
    let hooks = [place.hook("first"), place.hook("second")];
    terminal.until("of 2 held").press("O");
    for hook in hooks {
        assert_eq!(told(hook), serde_json::json!({}));
    }
    terminal.until("nothing is held").press("qqq");
    let (status, raw) = terminal.end();
    assert_eq!(status, 0);
    assert!(restored(raw.as_bytes()));
    assert!(!Path::new(&place.socket).exists(), "nobody serves any more");
    assert_eq!(told(place.hook("alone")), serde_json::json!({}));
}

/// Quitting releases held events.
#[test]
fn quitting_lets_what_is_held_go_on() {
    let place = Place::new();
    let mut terminal = place.workbench("REC 0");
    let hook = place.hook("rm -rf build");
    terminal.until(" HELD ").press("q");
    assert_eq!(told(hook), serde_json::json!({}));
    assert_eq!(terminal.end().0, 0);
    let mut terminal = place.workbench("REC 0");
    let hook = place.hook("rm -rf build");
    terminal.until(" HELD ");
    terminal.signal(rustix::process::Signal::TERM);
    assert_eq!(told(hook), serde_json::json!({}));
    assert_eq!(terminal.end().0, 130);
}

/// A second workbench shows the events of the first, and says which one decides.
#[test]
fn a_second_workbench_looks_on() {
    let place = Place::new();
    let mut first = place.workbench("REC 0");
    let mut second = place.workbench("REC @");
    let hook = place.hook("rm -rf build");
    first.until(" HELD ");
    second.until(" HELD ").press("i").until("rm -rf build").until("serves, and decides").press("q").until("1 Bench");
    first.press("O");
    assert_eq!(told(hook), serde_json::json!({}));
    second.until_not(" HELD ");
    first.press("q");
    assert_eq!(first.end().0, 0);
    second.until("which served, has ended").press("q");
    assert_eq!(second.end().0, 0);
}
