//! Read-only commands start no program: none of this machine, and none that a repository configures for git.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::sandbox::Sandbox;

/// Names of programs that might be started.
const NAMES: [&str; 34] = [
    "git", "sh", "bash", "zsh", "dash", "env", "cat", "less", "more", "ssh", "curl", "wget", "gh", "jq", "sed", "awk",
    "grep", "uname", "which", "python", "python3", "node", "npm", "npx", "deno", "bun", "ruby", "perl", "unshare",
    "xdg-open", "vi", "nano", "xclip", "wl-copy",
];

/// Read-only commands; `@old` is a commit. None may exit with a usage error.
const LOOKS: [&str; 38] = [
    "list --agent all",
    "list --agent all --format json",
    "plan @tool --tool @shell",
    "plan @tool --tool @shell --agent all",
    "why guard.sh @tool --tool @shell",
    "lint",
    "lint --format json",
    "lint --fix",
    "lint --format sarif",
    "match Bash --agent all",
    "match --hook h1",
    "events",
    "events --agent all",
    "tools",
    "explain HW101",
    "schema firing",
    "config",
    "config --check",
    "import .",
    "import events.jsonl",
    "import --agent claude",
    "convert --from claude --to gemini",
    "convert --from claude --to codex --format json",
    "install --agent claude --dry-run",
    "install --agent claude --scope project --dry-run",
    "uninstall --agent claude --dry-run",
    "db stat",
    "db list",
    "db filters",
    "undo --list",
    "replay events.jsonl",
    "replay events.jsonl --baseline recorded",
    "replay events.jsonl --baseline git:HEAD",
    "replay events.jsonl --baseline git:HEAD~1 --format json",
    "replay events.jsonl --baseline git:main@{1}",
    "test --yes nowhere.yaml",
    "test",
    "fire @tool --tool @shell",
];

/// A script that shows every page of the workbench.
const SCREEN: &str = "until PreToolUse\ndump bench\nkey 2\ndump\nkey 3\ndump\nkey r\ndump\nkey Esc\nkey 4\ndump\nkey 5\ndump\nkey 6\ndump\n\
                      key 7\ndump\nkey 1\ndump\n";

fn git(directory: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(["-c", "user.name=u", "-c", "user.email=u@x", "-c", "commit.gpgsign=false"]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").args(args);
    let done = command.output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

struct HostileRepository {
    sandbox: Sandbox,
    directory: PathBuf,
    bin: PathBuf,
}

impl HostileRepository {
    /// Creates a repository that configures a program wherever git allows one, with a nested repository.
    fn set() -> HostileRepository {
        let sandbox = Sandbox::for_agent("claude");
        let directory = sandbox.home.parent().unwrap().join("trap");
        let bin = directory.join("bin");
        fs::create_dir_all(&bin).unwrap();
        let trap = HostileRepository { sandbox, directory, bin };
        for name in NAMES.into_iter().chain(["monitor", "filter", "textconv", "transport", "pager", "other"]) {
            trap.program(name);
        }
        let hook = |command: &str| json!({"hooks": [{"type": "command", "command": command}]});
        let settings = json!({"hooks": {"PreToolUse": [hook("sh hooks/guard.sh"), hook("touch PWNED; git status")]}});
        trap.sandbox.settings(&settings.to_string()).file("hooks/guard.sh", "exit 0\n");
        trap.sandbox.file(".gitattributes", "* filter=trap diff=trap\n").file("gone.txt", "missing later\n");
        let event = json!({
            "session_id": "s", "cwd": trap.sandbox.project, "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": "ls"}
        });
        trap.sandbox.file("events.jsonl", format!("{event}\n"));
        let suite = "agent: claude\ncases:\n  - name: one\n    event: PreToolUse\n    tool: Bash\n";
        trap.sandbox.file("hooks.test.yaml", suite);
        let project = trap.sandbox.project.clone();
        git(&project, &["init", "-q", "-b", "main"]);
        git(&project, &["commit", "-q", "--allow-empty", "-m", "zero"]);
        git(&project, &["add", "-A"]);
        git(&project, &["commit", "-q", "-m", "one"]);
        trap.sandbox.file("hooks/guard.sh", "exit 2\n");
        git(&project, &["commit", "-qam", "two"]);
        // An object that git would request from the remote.
        let object = Command::new("git").arg("-C").arg(&project).args(["rev-parse", "HEAD:gone.txt"]).output().unwrap();
        let object = String::from_utf8(object.stdout).unwrap();
        let (first, rest) = object.trim().split_at(2);
        fs::remove_file(project.join(".git/objects").join(first).join(rest)).unwrap();
        let text = fs::read_to_string(project.join(".git/config")).unwrap();
        fs::write(project.join(".git/config"), format!("{text}{}", trap.config())).unwrap();
        // A nested repository that uses its directory as its working tree.
        let inner = project.join("inner");
        for part in ["objects", "refs/heads", "hooks"] {
            fs::create_dir_all(inner.join(part)).unwrap();
        }
        fs::write(inner.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let core = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n";
        fs::write(inner.join("config"), format!("{core}{}", trap.config())).unwrap();
        fs::create_dir_all(inner.join(".claude")).unwrap();
        fs::copy(project.join(".claude/settings.json"), inner.join(".claude/settings.json")).unwrap();
        let text = fs::read_to_string(project.join("events.jsonl")).unwrap();
        fs::write(inner.join("events.jsonl"), text.replace("/project\"", "/project/inner\"")).unwrap();
        trap
    }

    fn config(&self) -> String {
        let at = |name: &str| self.bin.join(name).display().to_string();
        format!(
            "[core]\n\tfsmonitor = {}\n\tsshCommand = {}\n\tpager = {}\n\teditor = {}\n\thooksPath = {}\n\taskPass = {}\n\
             [filter \"trap\"]\n\tclean = {}\n\tsmudge = {}\n\tprocess = {}\n\trequired = true\n[diff \"trap\"]\n\ttextconv = {}\n\
             \tcommand = {}\n[diff]\n\texternal = {}\n[alias]\n\tstatus = !{}\n\tls-files = !{}\n[extensions]\n\tpartialClone = origin\n\
             [remote \"origin\"]\n\turl = ssh://nowhere/x\n\tpromisor = true\n\tpartialclonefilter = blob:none\n\tuploadpack = {}\n\
             [credential]\n\thelper = {}\n[gpg]\n\tprogram = {}\n",
            at("monitor"),
            at("transport"),
            at("pager"),
            at("other"),
            self.bin.display(),
            at("other"),
            at("filter"),
            at("filter"),
            at("filter"),
            at("textconv"),
            at("other"),
            at("other"),
            at("other"),
            at("other"),
            at("transport"),
            at("other"),
            at("other"),
        )
    }

    /// Writes a program that records its start.
    fn program(&self, name: &str) {
        let path = self.bin.join(name);
        let trace = self.directory.join("trace");
        fs::write(&path, format!("#!/bin/sh\necho \"$0 $*\" >>{}\n", trace.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Returns the recorded starts.
    fn traces(&self) -> String {
        fs::read_to_string(self.directory.join("trace")).unwrap_or_default()
    }

    #[track_caller]
    fn assert_starts_nothing(&self, path: &str, line: &str, stdin: &str, directory: &Path) {
        let env =
            [("PATH".to_owned(), path.to_owned()), ("EDITOR".to_owned(), self.bin.join("vi").display().to_string())];
        let line = format!("{line}{}", if directory == self.sandbox.project { "" } else { " --project inner" });
        let done = self.sandbox.run_in_with(&env, &line, stdin.as_bytes());
        assert_eq!(self.traces(), "", "hookbench {line} started something:\n{done}");
        assert!(!self.sandbox.project.join("PWNED").exists(), "hookbench {line}");
        assert!([0, 1, 4].contains(&done.status) || line.contains("nowhere"), "{line}: {}\n{done}", done.status);
    }
}

#[test]
fn read_only_commands_start_nothing() {
    let trap = HostileRepository::set();
    let real = format!("{}:/usr/local/bin:/usr/bin:/bin", "/opt/nowhere");
    let traced = trap.bin.display().to_string();
    for path in [&traced, &real] {
        for line in LOOKS {
            trap.assert_starts_nothing(path, line, "", &trap.sandbox.project);
        }
        let screen = "tui --script - --dump --size 120x40 --agent claude";
        trap.assert_starts_nothing(path, screen, SCREEN, &trap.sandbox.project);
        for line in ["list", "lint", "plan @tool --tool @shell", "replay events.jsonl", "replay inner/events.jsonl"] {
            trap.assert_starts_nothing(path, line, "", &trap.sandbox.project.join("inner"));
        }
    }
    // Apart from asking the agents for their versions, `doctor` starts nothing either.
    trap.assert_starts_nothing(&traced, "doctor", "", &trap.sandbox.project);
    // Shows that the trap works: git itself triggers it.
    let spring = Command::new("git").arg("-C").arg(&trap.sandbox.project).arg("status").output();
    assert!(spring.is_ok() && trap.traces().contains("monitor"), "{}", trap.traces());
}
