//! Handlers at work: projects and transcripts as they lie on a disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookbench::app::live::handlers::run;
use hookbench::core::live::handlers::{Done, SessionWork, Trigger, Work};
use serde_json::Value;

fn work(provider: &str, project: &str, transcript: Option<String>) -> Work {
    Work::Handoff(SessionWork {
        provider: provider.to_owned(),
        provider_ref: "s1".to_owned(),
        project: project.to_owned(),
        transcript,
        last_message: None,
        trigger: Trigger::PreCompact,
    })
}

#[test]
fn a_handoff_of_every_kind_of_transcript() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    for (agent, file) in [
        ("claude", "claude-transcript/made.jsonl"),
        ("codex", "codex-rollout/made.jsonl"),
        ("gemini", "gemini-transcript/made.jsonl"),
        ("gemini", "gemini-session/made.json"),
        ("qwen", "qwen-transcript/made.jsonl"),
    ] {
        let path = folder.join(file).display().to_string();
        let Done::Handoff(made) = run(&work(agent, "/home/u/p", Some(path))) else { panic!("{file}") };
        assert_eq!((made.provider.as_str(), made.trigger), (agent, Trigger::PreCompact));
        let summary: Value = serde_json::from_str(&made.json).unwrap();
        assert_eq!(summary["partial"], false, "{file}");
        let name = file.replace(['/', '.'], "-");
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, snapshot_path => "handoffs" }, {
            insta::assert_snapshot!(name, made.yaml);
        });
    }
}

#[test]
fn a_handoff_without_its_transcript_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        fs::write(dir.path().join(name), text).unwrap();
        Some(dir.path().join(name).display().to_string())
    };
    for transcript in [
        None,
        Some("/nowhere/t.jsonl".to_owned()),
        Some("relative.jsonl".to_owned()),
        Some(dir.path().display().to_string()),
        Some("/dev/zero".to_owned()),
        file("odd.txt", "no transcript"),
        file("empty.jsonl", ""),
    ] {
        let mut asked = work("claude", "/p", transcript.clone());
        if let Work::Handoff(asked) = &mut asked {
            asked.last_message = Some("bye".to_owned());
        }
        let Done::Handoff(made) = run(&asked) else { panic!("{transcript:?}") };
        let want = "# What this session had come to; put together by hookbench from its transcript.\n\
                    partial: true # the transcript is missing, or was not read to its end\n\
                    last_message: \"bye\"\n\
                    counts: {prompts: 0, tool_calls: 0, failed_calls: 0}\n";
        assert_eq!(made.yaml, want, "{transcript:?}");
    }
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=u", "-c", "user.email=u@example.com"]).args(args);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    command.env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z").env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
    let done = command.output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn overview(folder: &Path) -> String {
    match run(&Work::Overview { project: folder.display().to_string() }) {
        Done::Overview(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_overview_of_a_repository_follows_it() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for (file, text) in [
        ("src/main.rs", "fn main() {}\n"),
        ("src/deep/er/x.rs", ""),
        ("tests/a.rs", ""),
        ("Cargo.toml", "[package]\nname = \"shop\"\n"),
        ("web/package.json", "{\"scripts\": {\"dev\": \"x\", \"test\": \"y\"}}"),
        (".gitignore", "out\n*.log\n"),
        ("out/big.rs", ""),
        ("x.log", ""),
    ] {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), text).unwrap();
    }
    let bare = "Overview of this project, made by hookbench.\n\n7 files:\nCargo.toml\nout/ (1)\n  big.rs\nsrc/ (2)\n  deep/ (1)\n  main.rs\ntests/ (1)\n  a.rs\nweb/ (1)\n  package.json\nx.log";
    assert_eq!(overview(root), bare);
    git(root, &["init", "-q", "-b", "main"]);
    let files = "6 files:\n.gitignore\nCargo.toml\nsrc/ (2)\n  deep/ (1)\n  main.rs\ntests/ (1)\n  a.rs\nweb/ (1)\n  package.json\n";
    let rest = "files by language: Rust 3\nCargo.toml: package shop\nweb/package.json: dev, test\ntests in: tests/";
    let text = |git: &str| format!("Overview of this project, made by hookbench.\n{git}\n\n{files}\n{rest}");
    assert_eq!(overview(root), text("git: branch main, no commit yet, 5 untracked"));
    git(root, &["add", "."]);
    assert_eq!(overview(root), text("git: branch main, no commit yet, 6 staged"));
    git(root, &["commit", "-q", "-m", "first"]);
    let clean = overview(root);
    let (first, _) = clean.split_once(", clean\n").unwrap();
    let head = first.rsplit(' ').next().unwrap();
    assert_eq!((head.len(), clean.clone()), (12, text(&format!("git: branch main, at {head}, clean"))));
    fs::write(root.join("src/main.rs"), "fn main() { }\n").unwrap();
    assert_eq!(overview(root), text(&format!("git: branch main, at {head}, 1 changed")));
    git(root, &["checkout", "-q", "src/main.rs"]);
    assert_eq!(overview(root), clean);
    // A folder inside it is a project of its own.
    assert!(overview(&root.join("src")).contains("\n2 files:\ndeep/ (1)\n"), "{}", overview(&root.join("src")));
}

#[test]
fn what_is_no_folder_has_no_overview() {
    for project in ["/nowhere/at/all", "relative", ""] {
        let done = run(&Work::Overview { project: project.to_owned() });
        assert_eq!(done, Done::Failed("there is no such folder".to_owned()), "{project}");
    }
}
