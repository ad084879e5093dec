//! Paths that lead to endless files: the program neither waits nor fills memory, and reports the path as invalid.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use pretty_assertions::assert_eq;

use crate::project;
use crate::sandbox::Sandbox;

const KINDS: [&str; 4] = ["zero", "fifo", "kmsg", "large"];

/// A project with such paths.
fn project_with_endless_files() -> Sandbox {
    let sandbox = project("claude");
    symlink("/dev/zero", sandbox.project.join("zero")).unwrap();
    symlink("/proc/kmsg", sandbox.project.join("kmsg")).unwrap();
    assert!(Command::new("mkfifo").arg(sandbox.project.join("fifo")).status().unwrap().success());
    fs::File::create(sandbox.project.join("large")).unwrap().set_len((64 << 20) + 1).unwrap();
    sandbox
}

#[test]
fn endless_files_as_arguments() {
    let sandbox = project_with_endless_files();
    for kind in KINDS {
        for line in [
            "test @",
            "report merge @",
            "lint --baseline @",
            "tui --script @",
            "fire @tool --payload @ --yes",
            "import @",
        ] {
            // A large file of lines is streamed, so it can be imported.
            if kind == "large" && line == "import @" {
                continue;
            }
            let done = sandbox.run(&line.replace("@tool", "PreToolUse").replace('@', kind));
            assert_eq!(done.status, 5, "{line} {kind}:\n{done}");
            assert!(done.stderr.contains(kind), "{line} {kind}:\n{done}");
        }
        let suite = format!("agent: claude\ncases:\n  - name: one\n    event: PreToolUse\n    from: {kind}\n");
        sandbox.file("x.hooks.test.yaml", suite);
        let done = sandbox.run("test").assert_status(5);
        assert!(done.stderr.contains("x.hooks.test.yaml:5:"), "{done}");
    }
}

#[test]
fn endless_files_as_settings() {
    for kind in KINDS {
        let sandbox = project_with_endless_files();
        let at = |path: &str| {
            let path = sandbox.home.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(sandbox.project.join(kind), path).unwrap();
        };
        at("config/hookbench/config.toml");
        at("state/hookbench/consent.json");
        at(".claude/settings.json");
        symlink(kind, sandbox.project.join(".claude/settings.local.json")).unwrap_or_default();
        sandbox.run("config --check").assert_status(5);
        for line in ["list --agent all", "lint", "plan PreToolUse --tool Bash", "doctor", "fire PreToolUse --tool Bash"]
        {
            let done = sandbox.run(line);
            assert!([0, 1, 4].contains(&done.status), "{line} {kind}:\n{done}");
        }
        let done = sandbox.run_with("tui --script - --dump --agent claude", b"until guard.sh\n").assert_status(0);
        assert!(done.stdout.contains("guard.sh"), "{kind}:\n{done}");
    }
}

#[test]
fn endless_suites() {
    let sandbox = project("claude");
    let case = |n: usize| format!("  - name: c{n}\n    event: Stop\n");
    let cases = |count: usize| (0..count).map(case).collect::<String>();
    let event = "{\"hook_event_name\":\"Stop\",\"session_id\":\"s\",\"cwd\":\"/\"}\n";
    for (name, text, says) in [
        (
            "agents",
            format!("agent: [{}]\ncases:\n{}", vec!["claude"; 100_000].join(", "), cases(1)),
            ":1:8: at most 16 agents",
        ),
        ("cases", format!("agent: claude\ncases:\n{}", cases(5_001)), ":10003:5: a suite has at most 5000 cases"),
        (
            "firings",
            format!("agent: [claude, claude, claude, claude]\ncases:\n{}", cases(2_501)),
            ":5003:5: a suite fires at most 10000 events",
        ),
        (
            "from",
            "agent: claude\ncases:\n  - name: x\n    from: events.jsonl\n".to_owned(),
            "events.jsonl:5001:1: the file has more than 5000 events",
        ),
    ] {
        sandbox.file("events.jsonl", event.repeat(5_001));
        sandbox.file("hooks.test.yaml", text);
        let done = sandbox.run("test").assert_status(5);
        assert!(done.stderr.contains(says), "{name}:\n{done}");
    }
}

/// Consent counts only if the file can have been written by its owner only.
#[test]
fn consent_of_other_users_is_ignored() {
    let sandbox = project("claude");
    let directory = sandbox.home.join("state/hookbench");
    let given = || {
        crate::consent::answer_at_a_terminal(&sandbox, "fire @tool --agent claude", "y");
        sandbox.run("fire @tool --agent claude").assert_status(0);
    };
    let mode = |path: &std::path::Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let refused = |says: &str| {
        let asked = sandbox.run("fire @tool --agent claude").assert_status(4);
        assert_eq!(format!("{asked}").matches("saved consent is ignored").count(), 1, "{asked}");
        asked.assert_stderr(&["saved consent is ignored", says]);
        // Where nothing would run, it does not matter.
        for line in ["list", "lint", "plan @tool --agent claude", "why guard.sh --agent claude"] {
            let page = format!("{}", sandbox.run(line));
            assert!(!page.contains("saved consent"), "{line}: {page}");
        }
    };
    given();
    let file = directory.join("consent.json");
    for (path, open, closed) in [
        (file.clone(), 0o666, 0o600),
        (file.clone(), 0o620, 0o600),
        (directory.clone(), 0o777, 0o700),
        (directory.clone(), 0o1777, 0o700),
        (sandbox.home.join("state"), 0o777, 0o755),
        (sandbox.home.clone(), 0o777, 0o755),
    ] {
        mode(&path, open);
        refused("other users can change");
        mode(&path, closed);
        sandbox.run("fire @tool --agent claude").assert_status(0);
    }
    // In a sticky directory other users cannot replace our files.
    mode(&sandbox.home, 0o1777);
    sandbox.run("fire @tool --agent claude").assert_status(0);
    mode(&sandbox.home, 0o755);
    let elsewhere = sandbox.home.join("elsewhere.json");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    refused("is a link");
    fs::remove_file(&file).unwrap();
    fs::rename(&elsewhere, &file).unwrap();
    // Only root can change a file's owner.
    if std::os::unix::fs::chown(&file, Some(12_345), None).is_ok() {
        refused("belongs to another user");
    }
}

/// The agent starts without the variables of a `.env` file that it cannot read, so its hooks lack them.
#[test]
fn an_environment_file_that_cannot_be_read_is_reported() {
    for (agent, file) in [("qwen", ".env"), ("gemini", ".env"), ("codex", "../home/.codex/.env")] {
        let sandbox = Sandbox::for_agent(agent);
        // A directory cannot be read, whoever the user is.
        std::fs::create_dir_all(sandbox.project.join(file)).unwrap();
        let page = sandbox.run(&format!("lint --agent {agent} --as-trusted"));
        let name = file.replace("../home", "~");
        assert!(page.stdout.contains(&format!("warning[HW101]: {name} cannot be read")), "{agent}:\n{page}");
        assert!(page.stdout.contains("start without its variables"), "{agent}:\n{page}");
    }
}
