//! Tests of the match page: how every agent interprets a matcher, the matching and nearly matching names,
//! suggestions, and edits of files. A property compares the page with plans.
#![allow(clippy::disallowed_methods, reason = "writes real files")]
#![allow(clippy::unwrap_used, dead_code, reason = "a helper that cannot go on fails the test")]

use crate::agent_words;
use hookbench::core::names::AgentId;

use std::collections::BTreeMap;
use std::sync::Arc;

use hookbench::app::{
    Consent, DiskFiles, Fact, LinkPolicy, MatcherAssessment, Session, SessionOptions, StateDir, SubjectCount,
    SubjectCounts, undo, write_matcher,
};
use hookbench::core::config::{Files, MemoryFiles, Os, Place};
use hookbench::core::diagnostic::Code;
use hookbench::core::dialects::{self, Agent, Scene, SessionMemory, default_version, find_event};
use hookbench::core::hook::HookInput;
use hookbench::core::matching::{MatchTable, RecordedSubject, suggest};
use hookbench::core::plan::Selection;
use hookbench::core::port::AgentVersion;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};

const PROJECT: &str = "/home/dev/shop";
const HOME: &str = "/home/dev";

fn side(agent: &str) -> AgentVersion {
    let dialect = dialects::by_id(agent).unwrap();
    AgentVersion { dialect, version: default_version(dialect) }
}

fn all() -> Vec<AgentVersion> {
    dialects::ALL.iter().map(|dialect| side(dialect.id().as_str())).collect()
}

fn board(agent: &str, event: &str, seen: &[RecordedSubject], typed: &[&str]) -> MatchTable {
    let own = side(agent);
    let event = find_event(own.dialect, &own.version, event).unwrap();
    let typed: Vec<String> = typed.iter().map(|name| (*name).to_owned()).collect();
    MatchTable::new(&own, event, &all(), seen, &typed)
}

/// How every agent interprets a matcher on tools, with the reason and the branches.
#[test]
fn matcher_interpretations() {
    let matchers = [
        "",
        "*",
        ".*",
        "Bash",
        "Edit|Write",
        "Edit, Write",
        "Edit | Write",
        "code-review",
        "Edit.*|bash",
        "^(Edit|Bash)$",
        "^Edit|Bash$",
        "(?!Bash).*",
        "mcp__github",
        "mcp__.*__get",
        "Bash(git *)",
        "*.ts",
        "Edit|",
        "|",
        "[",
        "a b",
    ];
    let mut out = String::new();
    for matcher in matchers {
        out.push_str(&format!("{matcher:?}\n"));
        for side in all() {
            let event = find_event(side.dialect, &side.version, agent_words::words_of(side.dialect.id().as_str()).tool)
                .unwrap();
            let reading = side.dialect.read_matcher(event, Some(&Value::from(matcher)), &side.version);
            out.push_str(&format!("  {:<7} {}: {}\n", side.dialect.id(), reading.describe(), reading.reason));
            for branch in &reading.branches {
                out.push_str(&format!("          {:?} {}\n", branch.text, branch.description));
            }
        }
    }
    insta::assert_snapshot!(out);
}

/// Matchers on events that do not concern tools.
#[test]
fn matcher_interpretations_without_tools() {
    for (agent, event, matcher, want) in [
        ("claude", "SessionStart", "startup|resume", "a list of exact names, case-sensitive"),
        ("claude", "Stop", "x", "ignored"),
        ("claude", "FileChanged", "a b", "regular expression, not anchored, case-sensitive"),
        (
            "qwen",
            "SessionStart",
            "startup|resume",
            "an exact name or a regular expression, not anchored, case-sensitive",
        ),
        ("gemini", "SessionStart", "startup|resume", "one exact text, case-sensitive"),
        ("gemini", "SessionStart", "*", "everything"),
        ("gemini", "BeforeAgent", "x", "ignored"),
        ("codex", "SessionStart", "startup|resume", "a list of exact names, case-sensitive"),
        ("codex", "Stop", "x", "ignored"),
        ("codex", "PreToolUse", "(?=x)", "not a valid regular expression"),
    ] {
        let side = side(agent);
        let event = find_event(side.dialect, &side.version, event).unwrap();
        let reading = side.dialect.read_matcher(event, Some(&Value::from(matcher)), &side.version);
        assert_eq!(reading.describe(), want, "{agent} {} {matcher}", event.name);
    }
}

/// The matching names, near misses, names found as substrings, and suggestions.
#[test]
fn suggestions_for_matchers() {
    let cases = [
        ("claude", "bash"),
        ("claude", "Bash"),
        ("claude", "Edit.*|bash"),
        ("claude", "run_shell_command|Edit"),
        ("claude", "Wriet"),
        ("claude", "mcp__github"),
        ("claude", "Bash(git *)"),
        ("claude", "^(Edit|Write)$"),
        ("claude", "*"),
        ("claude", "["),
        ("qwen", "^Bash$"),
        ("qwen", "Bash"),
        ("qwen", "edit"),
        ("gemini", "Bash|Edit"),
        ("gemini", "write_file"),
        ("gemini", "mcp__github__get"),
        ("codex", "shell"),
        ("codex", "Write"),
        ("codex", "bash"),
    ];
    let mut out = String::new();
    for (agent, matcher) in cases {
        let board = board(agent, agent_words::words_of(agent).tool, &[], &[]);
        let answer = board.test_matcher(matcher);
        let said = &answer.columns[0];
        out.push_str(&format!("{agent} {matcher:?}\n  passes {}\n", said.matching.join(" ")));
        if !said.unintended_matches().is_empty() {
            out.push_str(&format!("  also {}\n", said.unintended_matches().join(" ")));
        }
        for near in &said.near {
            out.push_str(&format!("  {} {} for {}: {}\n", near.code, near.replacement, near.written, near.message));
        }
        for suggestion in suggest(&board, matcher, &answer) {
            out.push_str(&format!("  {} {}\n", suggestion.reason.word(), suggestion.text));
        }
    }
    insta::assert_snapshot!(out);
}

/// A suggested matcher matches the listed names.
#[test]
fn suggestions_match_what_they_promise() {
    for (agent, matcher, want) in [
        ("claude", "Edit.*|bash", vec!["Bash", "Edit"]),
        ("gemini", "Bash|Edit", vec!["replace", "run_shell_command"]),
        ("qwen", "^Bash$", vec!["run_shell_command"]),
        ("codex", "bash", vec!["Bash"]),
    ] {
        let board = board(agent, agent_words::words_of(agent).tool, &[], &[]);
        let better = suggest(&board, matcher, &board.test_matcher(matcher));
        for suggestion in &better {
            let mut passes = board.test_matcher(&suggestion.text).columns[0].matching.clone();
            passes.sort();
            assert_eq!(passes, want, "{agent}: {} for {matcher}", suggestion.text);
        }
        assert!(!better.is_empty(), "{agent} {matcher}");
    }
}

/// The subjects of an event without tools, in every agent that has the event.
#[test]
fn sources_are_names_too() {
    let board = board("claude", "SessionStart", &[], &[]);
    let answer = board.test_matcher("Startup|resume");
    let near: Vec<_> = answer.columns[0].near.iter().map(|near| (near.code, near.replacement.as_str())).collect();
    assert_eq!((answer.columns[0].matching.clone(), near), (vec!["resume".to_owned()], vec![(Code::HW301, "startup")]));
    let suggested: Vec<String> =
        suggest(&board, "Startup|resume", &answer).into_iter().map(|suggestion| suggestion.text).collect();
    assert_eq!(suggested, ["startup|resume"]);
}

/// The number of recorded events that match, now and with the suggestion. Events of other agents and with other
/// names do not count.
#[test]
fn recorded_events_count() {
    let recorded = |agent: &str, event: &str, subject: &str, project: Option<&str>, events| SubjectCount {
        seen: RecordedSubject { agent: agent.into(), event: event.into(), subject: subject.into(), events },
        project: project.map(str::to_owned),
    };
    let kinds = SubjectCounts(vec![
        recorded("claude", "PreToolUse", "Bash", Some("/p"), 412),
        recorded("claude", "PreToolUse", "Edit", Some("/p/below"), 88),
        recorded("claude", "PreToolUse", "mcp__github__create", None, 12),
        recorded("claude", "PreToolUse", "Read", Some("/other"), 1000),
        recorded("claude", "PostToolUse", "Edit", Some("/p"), 5),
        recorded("codex", "PreToolUse", "Bash", Some("/p"), 7),
    ]);
    let board = board("claude", "PreToolUse", &kinds.in_project(Some("/p")), &[]);
    let asked = MatcherAssessment::of(&board, "Edit.*|bash", Some("Edit"));
    assert_eq!(asked.impact().unwrap(), "matches 88 of 512 recorded events (17 %)");
    assert_eq!(asked.comparisons(), ["was 88", "the suggestion: 500"]);
    assert_eq!(MatcherAssessment::of(&board, "mcp__.*", None).answer.fires, 12);
    assert_eq!(MatcherAssessment::of(&board, "*", None).answer.fires, 512);
}

/// The lint findings are shown too.
#[test]
fn findings_are_those_of_lint() {
    let board = board("codex", "PreToolUse", &[], &[]);
    for (matcher, want) in [("[", vec!["HW308"]), ("(?=x)", vec!["HW309"]), ("bash", vec!["HW301"]), ("Bash", vec![])] {
        let asked = MatcherAssessment::of(&board, matcher, None);
        let codes: Vec<&str> = asked.findings[0].iter().map(|found| found.code.as_str()).collect();
        assert_eq!(codes, want, "{matcher}");
    }
}

/// A scene in which one hook of the agent has this matcher on its tools.
fn scene(dialect: &'static Agent, matcher: &str) -> Scene {
    let words = agent_words::words_of(dialect.id().as_str());
    let hook = json!({"type": "command", "command": "true"});
    let settings = json!({"hooks": {words.tool: [{"matcher": matcher, "hooks": [hook]}]}}).to_string();
    let mut files = MemoryFiles::default();
    files.put(format!("{PROJECT}/{}", words.settings), &settings);
    for (path, text) in words.reviewed_files(PROJECT, HOME, &settings) {
        files.put(path, text);
    }
    let place = Place { project: PROJECT.into(), home: HOME.into(), os: Os::Linux, ..Place::default() };
    let version = default_version(dialect);
    let loaded = dialect.load(&place, &files, &version);
    assert_eq!(loaded.definitions.len(), 1, "{} {matcher:?}", dialect.id());
    let input =
        HookInput { event: words.tool.to_owned(), subject: hookbench::core::hook::Subject::default(), body: json!({}) };
    Scene { input, loaded, place: Arc::new(place), version, headless: false, memory: SessionMemory::default() }
}

/// Returns true if the plan runs the hook for a tool. `None` if this is unknown.
fn planned(dialect: &Agent, scene: &Scene, tool: &str) -> Option<bool> {
    let event = find_event(dialect, &scene.version, &scene.input.event).unwrap();
    let example = dialect.examples(event, &scene.place, &scene.version).remove(0).body;
    let mut body = example;
    body["tool_name"] = Value::from(tool);
    let subject = dialect.subject(event, &body, &scene.version);
    let plan = dialect.plan(&scene.with_input(HookInput { event: event.name.to_owned(), subject, body }));
    match plan.entries[0].selection {
        Selection::Fires { .. } => Some(true),
        Selection::Skipped => Some(false),
        Selection::Unknown => None,
    }
}

fn matcher() -> impl Strategy<Value = String> {
    const PIECES: [&str; 35] = [
        "Bash",
        "bash",
        "Edit",
        "Write",
        "run_shell_command",
        "apply_patch",
        "read_file",
        "mcp__",
        "mcp_",
        "__",
        ".*",
        ".+",
        ".",
        "^",
        "$",
        "|",
        "||",
        "(",
        ")",
        "(?:",
        "(?!",
        "*",
        "+",
        "?",
        " ",
        ",",
        "-",
        "[",
        "]",
        "\\",
        "\\w",
        "\\1",
        "{2}",
        "x",
        "",
    ];
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    /// For every agent, matcher and tool, the match page agrees with the plan, and so do the branches together.
    #[test]
    fn match_page_agrees_with_plans(matcher in matcher(), odd in "[A-Za-z_ ]{0,12}") {
        for dialect in dialects::ALL.iter().copied() {
            let words = agent_words::words_of(dialect.id().as_str());
            let scene = scene(dialect, &matcher);
            let board = board(dialect.id().as_str(), words.tool, &[], &[odd.as_str()]);
            let column = &board.columns[0];
            let reading = column.read(&matcher);
            let names = ["Bash", "Edit", "NotebookEdit", "run_shell_command", "apply_patch", "read_file", "mcp__github__create",
                "mcp_github_create", odd.as_str()];
            for name in names.into_iter().filter(|name| !name.is_empty()) {
                let says = column.matches_name(&matcher, name);
                prop_assert_eq!(says, planned(dialect, &scene, name), "{} {:?} {:?}", dialect.id(), matcher, name);
                let event = column.event;
                let subject = dialect.subject(event, &json!({"tool_name": name}), &scene.version);
                let branches: Vec<Option<bool>> = reading.branches.iter().map(|b| b.matches(&subject)).collect();
                let between = if branches.contains(&Some(true)) { Some(true) } else { (!branches.contains(&None)).then_some(false) };
                let word = reading.kind.word();
                let want = if matches!(word, "everything" | "ignored") { Some(true) } else { between };
                prop_assert_eq!(says, want, "{} {:?} {:?} read as {}", dialect.id(), matcher, name, word);
            }
        }
    }
}

/// A session over files, with everything loaded.
fn session(place: Place, files: Box<dyn Files + Send + Sync>, read: &dyn Files) -> Session {
    let mut session =
        Session::new(SessionOptions::default(), place, files, AgentId::new("claude"), &[], Consent::default());
    for dialect in dialects::ALL {
        let loaded = dialect.load(session.place(), read, &default_version(dialect));
        session.absorb(Fact::Loaded { agent: dialect.id(), loaded });
    }
    session
}

fn in_memory(files: &[(&str, &str)]) -> Session {
    let mut memory = MemoryFiles::default();
    for (path, text) in files {
        memory.put(*path, text);
    }
    let place = Place { project: PROJECT.into(), home: HOME.into(), os: Os::Linux, ..Place::default() };
    session(place, Box::new(memory.clone()), &memory)
}

/// Only the matcher changes; comments, whitespace, quotes and the rest of the file stay.
#[test]
fn another_matcher_in_a_file() {
    let json = "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\" : \"bash\", // mine\n        \"hooks\": [ {\"type\":\"command\",\"command\":\"a\"}, {\"type\":\"command\",\"command\":\"b\"} ] }\n    ]\n  }\n}\n";
    let plain = json.replace(" // mine", "");
    let toml = "# mine\n[[hooks.PreToolUse]]\nmatcher = 'bash' # why\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"a\"\n";
    let none = "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"hooks\": [ {\"type\":\"command\",\"command\":\"a\"} ]\n      }\n    ]\n  }\n}\n";
    let cases: [(&str, &str, &str, &str, String); 5] = [
        (
            "claude",
            "/home/dev/shop/.claude/settings.json",
            &plain,
            "^(Edit|\"x\\d)$",
            plain.replace("\"bash\"", "\"^(Edit|\\\"x\\\\d)$\""),
        ),
        ("qwen", "/home/dev/shop/.qwen/settings.json", json, "Bash", json.replace("\"bash\"", "\"Bash\"")),
        ("codex", "/home/dev/shop/.codex/config.toml", toml, "a\\d", toml.replace("'bash'", "'a\\d'")),
        ("codex", "/home/dev/shop/.codex/config.toml", toml, "it's", toml.replace("'bash'", "\"it's\"")),
        (
            "claude",
            "/home/dev/shop/.claude/settings.json",
            none,
            "Bash",
            none.replace("        \"hooks\"", "        \"matcher\": \"Bash\",\n        \"hooks\""),
        ),
    ];
    for (agent, path, text, matcher, want) in cases {
        let session = in_memory(&[(path, text)]);
        let change = session.change_matcher(agent, "h1", matcher).unwrap();
        assert_eq!(change.after, want, "{agent} {matcher}");
        assert_eq!(change.before, text);
        let also: &[&str] = if text.contains("\"b\"") { &["b"] } else { &[] };
        assert_eq!(change.affected_hooks, also, "{agent}");
    }
}

/// Files that do not belong to the user are not changed.
#[test]
fn files_that_are_not_changed() {
    let managed = r#"{"hooks": {"PreToolUse": [{"matcher": "bash", "hooks": [{"type": "command", "command": "a"}]}]}}"#;
    let session = in_memory(&[("/etc/claude-code/managed-settings.json", managed)]);
    let why = session.change_matcher("claude", "h1", "Bash").unwrap_err().to_string();
    assert_eq!(
        why,
        "/etc/claude-code/managed-settings.json belongs to managed; its next update would overwrite the change"
    );
    assert!(in_memory(&[]).change_matcher("claude", "h1", "Bash").is_err());
}

/// A change is written and undone exactly, and does not overwrite changes that others made meanwhile.
#[test]
fn written_and_undone() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let (project, home) = (root.join("shop"), root.join("home"));
    std::fs::create_dir_all(project.join(".claude")).unwrap();
    std::fs::create_dir_all(&home).unwrap();
    let file = project.join(".claude/settings.json");
    let text = "{ \"hooks\": { \"PreToolUse\": [ {\"matcher\": \"bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]} ] } }\r\n";
    std::fs::write(&file, text).unwrap();
    let env = BTreeMap::from([("XDG_STATE_HOME".to_owned(), home.join("state").to_str().unwrap().to_owned())]);
    let path = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let place = Place { project: path(&project), home: path(&home), env, os: Os::Linux, ..Place::default() };
    let session = session(place.clone(), Box::new(DiskFiles), &DiskFiles);
    let change = session.change_matcher("claude", "h1", "^(Edit|Bash)$").unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "nothing is written before it is wanted");
    write_matcher(&place, &change, LinkPolicy::Refuse).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text.replace("bash", "^(Edit|Bash)$"));
    let twice = write_matcher(&place, &change, LinkPolicy::Refuse).unwrap_err().to_string();
    assert!(twice.contains("has changed in the meantime; nothing was written"), "{twice}");
    undo(&StateDir::of(&place), &place.project).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    std::fs::write(&file, text.replace("\"a\"", "\"b\"")).unwrap();
    assert!(write_matcher(&place, &change, LinkPolicy::Refuse).is_err());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text.replace("\"a\"", "\"b\""));
}
