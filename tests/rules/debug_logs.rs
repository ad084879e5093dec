//! Debug logs of the real programs, as hookbench reads them, and what they say about one hook.

use hookbench::core::config::{MemoryFiles, Place};
use hookbench::core::debug_log::{AccountState, DebugLog, LogFiring, LogHook, hook_account, recognise_debug_log};
use hookbench::core::dialects::{self, default_version};
use hookbench::core::hook::HookDefinition;
use serde_json::{Value, json};

const LOGS: &[(&str, &[&str])] = &[
    ("claude", &["verbose", "plain", "settings", "handlers", "deny"]),
    ("qwen", &["mixed", "settings", "handlers"]),
    ("gemini", &["mixed", "settings", "handlers"]),
    ("codex", &["mixed", "trace"]),
    ("droid", &["mixed"]),
    ("codebuddy", &["mixed"]),
    ("hermes", &["mixed", "settings"]),
    ("cline", &["mixed"]),
];

fn text(agent: &str, file: &str) -> String {
    let path = format!("{}/tests/debug-logs/{agent}/{file}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn log(agent: &str, text: &str) -> DebugLog {
    DebugLog::read(dialects::by_id(agent).unwrap(), text)
}

fn words(log: &DebugLog) -> String {
    let number = |number: Option<u64>| number.map_or("?".to_owned(), |number| number.to_string());
    let mut out = format!("loaded {}\n", number(log.loaded));
    for ignored in &log.ignored {
        out.push_str(&format!("ignored {}\n", ignored.chars().take(100).collect::<String>()));
    }
    for firing in &log.firings {
        let LogFiring { line, event, subject, found, matched, .. } = firing;
        let subject = subject.as_deref().unwrap_or("?");
        out.push_str(&format!("{line} {event} {subject}: {} found, {} matched\n", number(*found), number(*matched)));
        for run in &firing.runs {
            let hook = match &run.hook {
                LogHook::Text(text) => text.clone(),
                LogHook::Position(at) => format!("#{at}"),
            };
            let end = run.end.as_ref().map_or("no end".to_owned(), |end| format!("{end:?}"));
            out.push_str(&format!("  {hook}: {end}, {} ms\n", number(run.took_ms)));
        }
    }
    out
}

#[test]
fn logs_of_the_real_programs() {
    let mut out = String::new();
    for (agent, files) in LOGS {
        for file in *files {
            let text = text(agent, file);
            let found = recognise_debug_log(text.as_bytes()).map(|dialect| dialect.id().to_string());
            assert_eq!(found.as_deref(), Some(*agent), "{file}");
            out.push_str(&format!("== {agent} {file}\n{}", words(&log(agent, &text))));
        }
    }
    insta::assert_snapshot!(out);
}

#[test]
fn other_files_are_no_debug_logs() {
    for text in [
        "",
        "# notes\n",
        "{\"type\":\"user\"}\n",
        "2026-11-24T11:14:08.239Z [DEBUG] some other program\n",
        "2026-11-24T11:14:08.239Z  INFO hyper::client: connected\n",
        "[2026-11-24T11:14:08.239Z] [DEBUG] some other program\n",
        "[DEBUG] hooks: some other program\n",
        "2026-11-30 08:37:24,739 WARNING agent.shell_hooks: something else\n",
        "{\"msg\": \"hook command\"}\n",
        "Hooks: PreToolUse:Bash [x] finished with status 2 (63ms)\n",
    ] {
        assert!(recognise_debug_log(text.as_bytes()).is_none(), "{text}");
    }
}

#[test]
fn broken_lines_of_a_log_are_left_out() {
    let at = "2026-11-24T11:14:08.239Z [DEBUG]";
    for line in [
        "Hooks: PreToolUse:Bash [x] finished with status two (63ms)",
        "Hooks: PreToolUse:Bash finished with status 2",
        "Hooks: checkForNewResponses returning 0 responses, 0 hooks still pending",
        "Found many hook matchers in settings",
        "Matched 99999999999999999999999 unique hooks for query \"Bash\" (1 before deduplication)",
        "Getting matching hook commands for ",
        "Hooks: HTTP hook POST to http://127.0.0.1/without-an-event",
    ] {
        assert_eq!(log("claude", &format!("{at} {line}\n")).firings, [], "{line}");
    }
}

/// Hooks of `PreToolUse` with these commands.
fn hooks(commands: &[String]) -> Vec<HookDefinition> {
    let handlers: Vec<Value> =
        commands.iter().map(|command| json!({ "type": "command", "command": command })).collect();
    let settings = json!({ "hooks": { "PreToolUse": [{ "hooks": handlers }] } });
    let dialect = dialects::by_id("claude").unwrap();
    let place = Place { project: "/work/shop".to_owned(), home: "/home/user".to_owned(), ..Place::default() };
    let mut files = MemoryFiles::default();
    files.put("/work/shop/.claude/settings.json", settings.to_string());
    dialect.load(&place, &files, &default_version(dialect)).definitions.clone()
}

#[test]
fn a_hook_in_a_log() {
    let path = |name: &str| format!("/work/shop/hooks/{name}.sh");
    let names = ["guard", "edit", "fail", "slow", "missing"];
    let all = hooks(&names.map(path));
    let mut out = String::new();
    for (agent, file) in [
        ("claude", "verbose"),
        ("claude", "plain"),
        ("claude", "settings"),
        ("qwen", "mixed"),
        ("codex", "mixed"),
        ("droid", "mixed"),
        ("codebuddy", "mixed"),
    ] {
        for (definition, predicted) in all.iter().zip([Some(true), Some(true), Some(false), None, Some(true)]) {
            let log = log(agent, &text(agent, file));
            let account = hook_account(&log, definition, &all, &|_| predicted);
            let contradicts =
                account.contradiction.as_ref().map(|found| format!("\n  {}", found.words(&definition.label())));
            out.push_str(&format!(
                "{agent} {file} {}: {}; {}{}\n",
                definition.label(),
                account.counts().unwrap_or_else(|| "no counts".to_owned()),
                account.words(),
                contradicts.unwrap_or_default(),
            ));
        }
    }
    insta::assert_snapshot!(out);
}

#[test]
fn a_log_that_cannot_tell_hooks_apart_contradicts_nothing() {
    let log = log("claude", &text("claude", "verbose"));
    let guard = "/work/shop/hooks/guard.sh";
    let twice = hooks(&[guard.to_owned(), guard.to_owned()]);
    assert_eq!(hook_account(&log, &twice[0], &twice, &|_| Some(false)).contradiction, None);
    let unknown_names = hooks(&["other.sh".to_owned()]);
    let account = hook_account(&log, &unknown_names[0], &unknown_names, &|_| Some(true));
    assert_eq!((account.state, account.contradiction), (AccountState::Unknown, None));
}
