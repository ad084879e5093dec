//! Handlers with real projects and transcripts on disk.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use hookbench::app::live::handlers::{HandlerResources, OverviewCache, run, run_with};
use hookbench::core::live::handlers::{HandlerResult, HandlerWork, HandoffTrigger, HandoffWork, SummaryBuilder, yaml};
use hookbench::core::recorded::RecordedEvent;
use proptest::prelude::*;
use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::{Value, json};

fn work(provider: &str, project: &str, transcript: Option<String>) -> HandlerWork {
    HandlerWork::Handoff(HandoffWork {
        provider: provider.to_owned(),
        provider_ref: "s1".to_owned(),
        project: project.to_owned(),
        transcript,
        last_message: None,
        trigger: HandoffTrigger::PreCompact,
    })
}

#[test]
fn a_handoff_of_every_kind_of_transcript() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    for (agent, file) in [
        ("claude", "claude-transcript/made.jsonl"),
        ("codex", "codex-rollout/made.jsonl"),
        ("gemini", "gemini-transcript/made.jsonl"),
        ("gemini", "gemini-session/made.json"),
        ("qwen", "qwen-transcript/made.jsonl"),
    ] {
        let path = directory.join(file).display().to_string();
        let HandlerResult::Handoff(made) = run(&work(agent, "/home/u/p", Some(path))) else { panic!("{file}") };
        assert_eq!((made.provider.as_str(), made.trigger), (agent, HandoffTrigger::PreCompact));
        let summary: Value = serde_json::from_str(&made.json).unwrap();
        assert_eq!(summary["partial"], false, "{file}");
        let name = file.replace(['/', '.'], "-");
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, snapshot_path => "handoffs" }, {
            insta::assert_snapshot!(name, made.yaml);
        });
    }
}

/// A session with everything that a handoff reports, as raw payloads.
fn session() -> String {
    let prompt = |text: &str| json!({"hook_event_name": "UserPromptSubmit", "prompt": text});
    let tool = |name: &str, input: Value, response: Value| json!({"hook_event_name": "PostToolUse", "tool_name": name, "tool_input": input, "tool_response": response});
    let failed = |name: &str, input: Value| json!({"hook_event_name": "PostToolUseFailure", "tool_name": name, "tool_input": input, "error": "no"});
    let run = |command: &str| tool("Bash", json!({"command": command}), json!({"stdout": "x", "stderr": ""}));
    let write = |path: &str| tool("Write", json!({"file_path": path, "content": "x"}), json!({}));
    let inside = |mut event: Value| {
        event["agent_id"] = json!("a1");
        event
    };
    let todos = |first: &str| {
        json!({"todos": [{"content": "one", "status": first}, {"content": "two", "status": "pending"},
                         {"content": "three", "status": "in_progress"}]})
    };
    let all = [
        prompt("dropped, because it is the fifth from the end"),
        prompt("first"),
        prompt("second"),
        prompt("/compact keep it short"),
        prompt("third<system-reminder>not said by anybody</system-reminder>"),
        inside(prompt("of a sub-agent")),
        write("/p/src/a.rs"),
        inside(write("/p/src/b.rs")),
        tool("Edit", json!({"file_path": "/p/src/a.rs", "old_string": "x", "new_string": "y"}), json!({})),
        failed("Edit", json!({"file_path": "/p/src/never.rs", "old_string": "x", "new_string": "y"})),
        tool("Read", json!({"file_path": "/p/src/a.rs"}), json!({})),
        tool("Read", json!({"file_path": "/etc/hosts"}), json!({})),
        tool("Read", json!({"file_path": "/etc/hosts"}), json!({})),
        tool("Grep", json!({"pattern": "x", "path": "/p/secret"}), json!({})),
        run("ls -la"),
        run("cargo build"),
        failed("Bash", json!({"command": "cargo test"})),
        run("cd src && cat a.rs"),
        run("git \u{1b}[31mcommit"),
        run("cargo build"),
        run("cargo test"),
        tool("TodoWrite", todos("pending"), json!({})),
        tool("TodoWrite", todos("completed"), json!({})),
        prompt("the last one"),
        json!({"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "I think \"so\".\n"}),
    ];
    let with = |mut event: Value| {
        event["session_id"] = json!("s1");
        event["cwd"] = json!("/p");
        event["transcript_path"] = json!("/home/u/.claude/projects/-p/s1.jsonl");
        event.to_string() + "\n"
    };
    all.into_iter().map(with).collect()
}

#[test]
fn a_handoff_tells_what_counts_and_leaves_out_the_noise() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s1.jsonl");
    fs::write(&path, session()).unwrap();
    let HandlerResult::Handoff(made) = run(&work("claude", "/p", Some(path.display().to_string()))) else { panic!() };
    let want = r#"# Summary of this session, which hookbench created from its transcript.
goal: "the last one"
earlier_prompts:
  - "third"
  - "second"
  - "first"
files_changed:
  - {path: "src/a.rs", times: 2}
  - {path: "src/b.rs", times: 1}
files_read:
  - "/etc/hosts"
commands:
  - {command: "git [31mcommit", outcome: ok}
  - {command: "cargo build", outcome: ok, times: 2}
  - {command: "cargo test", outcome: ok, times: 2}
last_test: {command: "cargo test", outcome: ok, times: 2}
todos:
  - {status: "in_progress", text: "three"}
  - {status: "pending", text: "two"}
  - {status: "completed", text: "one"}
last_message: "I think \"so\"."
counts: {prompts: 5, tool_calls: 17, failed_calls: 2}
"#;
    assert_eq!(made.yaml, want);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,60}",
        prop::collection::vec(any::<char>(), 0..40).prop_map(|all| all.into_iter().collect()),
        (1..4_000_usize, prop_oneof![Just("\""), Just("ü"), Just("\\"), Just("\n"), Just("x "), Just("\u{1F600}")])
            .prop_map(|(times, part)| part.repeat(times)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// For any session, the handoff is valid YAML of at most 8 000 characters with the same content.
    #[test]
    fn a_handoff_is_short_and_can_be_read(
        prompts in prop::collection::vec(text(), 1..6),
        files in prop::collection::vec(text(), 0..120),
        commands in prop::collection::vec(text(), 0..80),
        last in text(),
    ) {
        let mut gathering = SummaryBuilder::new("/p");
        let mut take = |event: &str, payload: Value| gathering.add(&RecordedEvent::new("claude", "s1", event, payload.to_string().into_bytes()));
        for prompt in &prompts {
            take("UserPromptSubmit", json!({"prompt": prompt}));
        }
        for path in &files {
            take("PostToolUse", json!({"tool_name": "Write", "tool_input": {"file_path": path}}));
        }
        for command in &commands {
            take("PostToolUse", json!({"tool_name": "Bash", "tool_input": {"command": command}}));
        }
        let summary = gathering.finish(Some(&last), false);
        let yaml = yaml(&summary);
        prop_assert!(yaml.chars().count() <= 8_000, "{} characters", yaml.chars().count());
        let read = Yaml::load_from_str(&yaml).map_err(|why| TestCaseError::fail(format!("{why}\n{yaml}")))?;
        let said = |key: &str| read[0].as_mapping_get(key).and_then(|value| value.as_str()).map(str::to_owned);
        prop_assert_eq!(said("goal"), summary.goal);
        prop_assert_eq!(said("last_message"), summary.last_message);
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
        if let HandlerWork::Handoff(asked) = &mut asked {
            asked.last_message = Some("bye".to_owned());
        }
        let HandlerResult::Handoff(made) = run(&asked) else { panic!("{transcript:?}") };
        let want = "# Summary of this session, which hookbench created from its transcript.\npartial: true # the transcript is missing, or was not read to its end\nlast_message: \"bye\"\ncounts: {prompts: 0, tool_calls: 0, failed_calls: 0}\n";
        assert_eq!(made.yaml, want, "{transcript:?}");
    }
}

fn git(directory: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(["-c", "user.name=u", "-c", "user.email=u@example.com"]).args(args);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    command.env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z").env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
    let done = command.output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn overview(directory: &Path) -> String {
    match run(&HandlerWork::Overview { project: directory.display().to_string() }) {
        HandlerResult::Overview(text) => text,
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
    let bare = "Overview of this project, created by hookbench.\n\n7 files:\nCargo.toml\nout/ (1)\n  big.rs\nsrc/ (2)\n  deep/ (1)\n  main.rs\ntests/ (1)\n  a.rs\nweb/ (1)\n  package.json\nx.log";
    assert_eq!(overview(root), bare);
    git(root, &["init", "-q", "-b", "main"]);
    let files = "6 files:\n.gitignore\nCargo.toml\nsrc/ (2)\n  deep/ (1)\n  main.rs\ntests/ (1)\n  a.rs\nweb/ (1)\n  package.json\n";
    let rest = "files by language: Rust 3\nCargo.toml: package shop\nweb/package.json: dev, test\ntests in: tests/";
    let text = |git: &str| format!("Overview of this project, created by hookbench.\n{git}\n\n{files}\n{rest}");
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
    // A subdirectory can be its own project.
    assert!(overview(&root.join("src")).contains("\n2 files:\ndeep/ (1)\n"), "{}", overview(&root.join("src")));
}

/// A repository with two files, one of them a manifest, all committed.
fn small() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (file, text) in [("src/main.rs", "fn main() {}\n"), ("Cargo.toml", "[package]\nname = \"shop\"\n")] {
        fs::create_dir_all(dir.path().join(file).parent().unwrap()).unwrap();
        fs::write(dir.path().join(file), text).unwrap();
    }
    git(dir.path(), &["init", "-q", "-b", "main"]);
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-q", "-m", "first"]);
    dir
}

/// Creates an overview with a clock that jumps by three seconds after this many reads.
fn overview_until(directory: &Path, known: &OverviewCache, looks: usize) -> String {
    let (begin, looked) = (Instant::now(), Cell::new(0));
    let clock = || {
        looked.set(looked.get() + 1);
        begin + Duration::from_secs(if looked.get() > looks { 3 } else { 0 })
    };
    match run_with(
        &HandlerWork::Overview { project: directory.display().to_string() },
        HandlerResources { clock: &clock, overviews: known },
    ) {
        HandlerResult::Overview(text) => text,
        other => panic!("{other:?}"),
    }
}

/// S-60: after two seconds, the overview has the facts known so far.
#[test]
fn an_overview_says_what_it_knows_when_its_time_is_over() {
    let dir = small();
    let directory = "Overview of this project, created by hookbench.\n\n";
    let late = "The overview is incomplete: the time limit was reached.";
    let whole = overview_until(dir.path(), &OverviewCache::default(), usize::MAX);
    assert!(whole.contains("Cargo.toml: package shop") && !whole.contains(late), "{whole}");
    let tree = "2 files:\nCargo.toml\nsrc/ (1)\n  …\n\n";
    for (looks, want) in [
        // The repository was not read: only the top directory.
        (1, format!("{directory}{tree}{late}")),
        // The files are known, but not the contents of manifests.
        (2, format!("{}\n{late}", whole.replace("Cargo.toml: package shop", "").trim_end())),
    ] {
        // A partial overview is not cached.
        let known = OverviewCache::default();
        assert_eq!(overview_until(dir.path(), &known, looks), want, "{looks}");
        assert_eq!(overview_until(dir.path(), &known, usize::MAX), whole, "{looks}");
    }
    // A directory without a repository has a time limit too.
    let bare = tempfile::tempdir().unwrap();
    fs::create_dir_all(bare.path().join("a/b")).unwrap();
    let looked = |looks| overview_until(bare.path(), &OverviewCache::default(), looks);
    assert_eq!(looked(usize::MAX), format!("{directory}1 files:\na/ (1)\n  b/ (1)"));
    assert_eq!(looked(1), format!("{directory}1 files:\na/ (1)\n  …\n\n{late}"));
}

/// S-60: the overview is reused while HEAD, the index and the list of changes are the same, without reading anything
/// else.
#[test]
fn an_overview_is_made_anew_when_the_repository_has_moved() {
    let dir = small();
    let known = OverviewCache::default();
    let at = |file: &str, text: &str| fs::write(dir.path().join(file), text).unwrap();
    let now = || overview_until(dir.path(), &known, usize::MAX);
    let first = now();
    // There is only time to check whether it has changed.
    assert_eq!(overview_until(dir.path(), &known, 2), first);
    at("Cargo.toml", "[package]\nname = \"other\"\n");
    let changed = now();
    assert!(changed.contains("1 changed") && changed.contains("package other"), "{changed}");
    // Counts as unchanged: the content of changed files is not compared.
    at("Cargo.toml", "[package]\nname = \"third\"\n");
    assert_eq!(now(), changed);
    git(dir.path(), &["add", "."]);
    assert!(now().contains("package third"), "{}", now());
    git(dir.path(), &["commit", "-q", "-m", "second"]);
    let second = now();
    assert!(second.contains(", clean") && second.contains("package third") && second != first, "{second}");
    git(dir.path(), &["checkout", "-q", "HEAD~1"]);
    let back = now();
    assert!(back.contains("no branch") && back.contains("package shop"), "{back}");
}

/// If reading a transcript takes too long, the handoff has the part read so far.
#[test]
fn a_handoff_whose_time_is_over_is_partial() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s1.jsonl");
    fs::write(&path, session()).unwrap();
    let (begin, looked) = (Instant::now(), Cell::new(false));
    let clock = || begin + Duration::from_secs(if looked.replace(true) { 11 } else { 0 });
    let asked = work("claude", "/p", Some(path.display().to_string()));
    let HandlerResult::Handoff(made) =
        run_with(&asked, HandlerResources { clock: &clock, overviews: &OverviewCache::default() })
    else {
        panic!()
    };
    assert!(made.yaml.contains("partial: true"), "{}", made.yaml);
}

#[test]
fn what_is_no_directory_has_no_overview() {
    for project in ["/nowhere/at/all", "relative", ""] {
        let done = run(&HandlerWork::Overview { project: project.to_owned() });
        assert_eq!(done, HandlerResult::Failed("the directory does not exist".to_owned()), "{project}");
    }
}
