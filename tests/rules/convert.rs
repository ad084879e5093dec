//! Conversion of hooks between agents, without files: matchers, time limits, command lines, and that every loss is
//! named.
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hookbench::core::config::{LoadedConfig, MemoryFiles, Place};
use hookbench::core::convert::{Conversion, ConversionCheck, ConversionPair, check, convert, unread_keys};
use hookbench::core::dialects::{self, Agent, default_version, find_event};
use hookbench::core::hook::{HookDefinition, Layer};
use hookbench::core::port::{AgentVersion, project_directory};
use proptest::prelude::*;
use serde_json::{Value, json};

fn place() -> Place {
    Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() }
}

fn side(agent: &str) -> AgentVersion {
    let dialect = dialects::by_id(agent).unwrap();
    AgentVersion { dialect, version: default_version(dialect) }
}

fn path(agent: &str) -> String {
    let dialect = dialects::by_id(agent).unwrap();
    (dialect.settings_format().layer_file)(&place(), Layer::Project).unwrap()
}

fn load(agent: &str, files: &MemoryFiles) -> Arc<LoadedConfig> {
    let side = side(agent);
    side.dialect.load(&place().as_trusted(), files, &side.version)
}

/// Converts, and stores the result in the files.
fn convert_and_store(from: &str, to: &str, files: &mut MemoryFiles) -> (Conversion, ConversionCheck) {
    let (from, to) = (side(from), side(to));
    let project_directory = project_directory(to.dialect.settings_format(), files, &place().project);
    let pair = ConversionPair { from: &from, to: &to, adapts: false, project_directory };
    let loaded = load(from.dialect.id().as_str(), files);
    let conversion = convert(&pair, &loaded, Layer::Project, &place(), files).unwrap();
    let check = check(&pair, &loaded, &conversion, &place(), files);
    for file in &conversion.files {
        files.put(file.path.clone(), &file.after);
    }
    (conversion, check)
}

/// Returns the converted matchers of one definition. Empty if the definition is dropped.
fn matchers(from: &str, to: &str, event: &str, matcher: &str) -> Vec<String> {
    let mut files = MemoryFiles::default();
    let settings = json!({"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": "x"}]}]}});
    files.put(path(from), settings.to_string());
    let (conversion, check) = convert_and_store(from, to, &mut files);
    let unsaid: Vec<_> = check.differences.iter().filter(|d| d.announced_by.is_none()).collect();
    assert!(unsaid.is_empty(), "{from} {matcher} to {to}: {unsaid:?}");
    let item = &conversion.items[0];
    assert!(!item.written.is_empty() || conversion.has_losses(), "{from} {matcher} to {to}: dropped without a word");
    item.written.iter().map(|w| w.matcher.clone().unwrap_or_else(|| "(all)".to_owned())).collect()
}

#[test]
fn matchers_by_matched_tools() {
    let mut wrong: Vec<String> = Vec::new();
    for (from, to, event, matcher, want) in [
        ("claude", "gemini", "PreToolUse", "Bash|Edit", vec!["^(run_shell_command|replace)$"]),
        ("claude", "gemini", "PreToolUse", " Bash , Edit ", vec!["^(run_shell_command|replace)$"]),
        ("claude", "gemini", "PreToolUse", "", vec![""]),
        ("claude", "gemini", "PreToolUse", "*", vec!["*"]),
        ("claude", "gemini", "PreToolUse", ".*", vec![".*"]),
        ("claude", "gemini", "PreToolUse", "Task", vec!["^invoke_agent$"]),
        ("claude", "gemini", "PreToolUse", "NotebookEdit", vec![]),
        ("claude", "gemini", "PreToolUse", "Read|NotebookEdit", vec!["^read_file$"]),
        ("claude", "gemini", "PreToolUse", "mcp__github__.*", vec!["mcp_github_.*"]),
        ("claude", "gemini", "PreToolUse", "mcp__github__create_issue", vec!["mcp_github_create_issue"]),
        ("claude", "gemini", "PreToolUse", "Edit|mcp__.*", vec!["^(replace|mcp_.*)$"]),
        ("claude", "gemini", "PreToolUse", "^(?!Bash$)", vec!["^(?!run_shell_command$)"]),
        ("claude", "gemini", "PreToolUse", "(", vec![]),
        ("claude", "gemini", "PreToolUse", "^(?=(a+)+)(\\w+\\s?)+", vec![]),
        ("claude", "gemini", "SessionStart", "startup|resume", vec!["startup", "resume"]),
        ("claude", "gemini", "SessionStart", "startup", vec!["startup"]),
        ("claude", "gemini", "SessionStart", "fork", vec![]),
        ("claude", "gemini", "SessionStart", ".*", vec!["(all)"]),
        ("claude", "gemini", "SessionEnd", "prompt_input_exit", vec!["exit"]),
        ("claude", "gemini", "SessionEnd", "other", vec!["other"]),
        ("claude", "gemini", "SessionEnd", "resume", vec![]),
        ("claude", "codex", "SessionEnd", "clear|other", vec!["clear|other"]),
        ("claude", "gemini", "Notification", "permission_prompt", vec!["(all)"]),
        ("claude", "gemini", "Notification", "idle_prompt", vec![]),
        ("gemini", "claude", "Notification", "", vec!["permission_prompt"]),
        ("gemini", "qwen", "Notification", "ignored", vec!["permission_prompt"]),
        ("claude", "qwen", "InstructionsLoaded", "session_start", vec![]),
        ("claude", "qwen", "InstructionsLoaded", "*", vec!["*"]),
        ("claude", "qwen", "PreToolUse", "Bash|Edit", vec!["Bash|Edit"]),
        ("claude", "qwen", "PreToolUse", "^Bash$", vec!["^run_shell_command$"]),
        ("claude", "qwen", "PreToolUse", "Bash,Edit", vec!["^(run_shell_command|edit)$"]),
        ("claude", "qwen", "Notification", "elicitation_dialog", vec![]),
        ("claude", "codex", "PreToolUse", "Edit|Write", vec!["Edit|Write"]),
        ("claude", "codex", "PreToolUse", "Edit, Write", vec!["apply_patch"]),
        ("claude", "codex", "PreToolUse", "Read", vec![]),
        ("claude", "codex", "SubagentStart", "mine", vec!["mine"]),
        ("gemini", "claude", "BeforeTool", "run_shell_command|replace", vec!["Bash|Edit"]),
        ("gemini", "claude", "BeforeTool", "^replace$", vec!["Edit"]),
        ("gemini", "claude", "BeforeTool", "Edit", vec![]),
        ("gemini", "claude", "BeforeTool", "mcp_github_.*", vec!["mcp__github__.*"]),
        ("gemini", "claude", "BeforeTool", "mcp__github__.*", vec![]),
        ("gemini", "claude", "SessionStart", "startup|resume", vec![]),
        ("gemini", "codex", "BeforeTool", "replace|write_file", vec!["apply_patch"]),
        ("qwen", "claude", "PreToolUse", "run_shell", vec!["Bash"]),
        ("qwen", "claude", "PreToolUse", "Shell|WriteFile", vec!["Bash|Write"]),
        ("qwen", "claude", "PreToolUse", "^Bash$", vec![]),
        ("codex", "claude", "PreToolUse", "apply_patch", vec!["Edit|Write"]),
        ("codex", "gemini", "PreToolUse", "Bash|Edit", vec!["^(run_shell_command|replace|write_file)$"]),
    ] {
        let got = matchers(from, to, event, matcher);
        if got != want {
            wrong.push(format!("{from} {event} {matcher:?} to {to}: {got:?}, not {want:?}"));
        }
    }
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
}

/// Returns the converted `timeout`, and true if the handler has a loss.
fn timeout(from: &str, to: &str, event: &str, given: Option<Value>) -> (Option<Value>, bool) {
    let mut handler = json!({"type": "command", "command": "x"});
    if let Some(given) = given {
        handler["timeout"] = given;
    }
    let mut files = MemoryFiles::default();
    files.put(path(from), json!({"hooks": {event: [{"hooks": [handler]}]}}).to_string());
    let (conversion, _) = convert_and_store(from, to, &mut files);
    (conversion.items[0].written[0].handler.get("timeout").cloned(), conversion.has_losses())
}

#[test]
fn time_limits_by_effect() {
    for (from, to, event, given, want, loses) in [
        ("claude", "gemini", "PreToolUse", Some(json!(30)), Some(json!(30_000)), false),
        ("claude", "gemini", "PreToolUse", Some(json!(0.5)), Some(json!(500)), false),
        ("claude", "gemini", "PreToolUse", None, Some(json!(600_000)), false),
        ("claude", "gemini", "UserPromptSubmit", None, Some(json!(30_000)), false),
        ("claude", "codex", "PreToolUse", None, None, false),
        ("claude", "codex", "PreToolUse", Some(json!(1.5)), Some(json!(2)), true),
        ("claude", "codex", "SessionEnd", Some(json!(30)), Some(json!(3)), true),
        ("claude", "qwen", "PreToolUse", None, None, true),
        ("claude", "qwen", "PreToolUse", Some(json!(300)), Some(json!(60)), true),
        ("claude", "qwen", "SessionStart", Some(json!(2000)), Some(json!(2_000_000)), false),
        ("gemini", "claude", "BeforeTool", Some(json!(30)), Some(json!(0.03)), false),
        ("gemini", "claude", "BeforeTool", None, Some(json!(60)), false),
        ("gemini", "qwen", "BeforeTool", None, None, false),
        ("qwen", "gemini", "PreToolUse", Some(json!(45_000)), Some(json!(45_000)), false),
        ("qwen", "claude", "PreToolUse", Some(json!("20")), Some(json!(20)), false),
        ("codex", "gemini", "SessionEnd", None, Some(json!(1000)), false),
    ] {
        assert_eq!(timeout(from, to, event, given.clone()), (want, loses), "{from} {event} {given:?} to {to}");
    }
}

/// Returns the converted command line.
fn command_line_of(from: &str, to: &str, handler: &Value) -> Option<String> {
    let event = if from == "gemini" { "BeforeTool" } else { "PreToolUse" };
    let mut files = MemoryFiles::default();
    files.put(path(from), json!({"hooks": {event: [{"hooks": [handler]}]}}).to_string());
    let (conversion, _) = convert_and_store(from, to, &mut files);
    Some(conversion.items[0].written.first()?.handler.get("command")?.as_str()?.to_owned())
}

#[test]
fn command_lines() {
    let plain = |command: &str| json!({"type": "command", "command": command});
    for (from, to, handler, want) in [
        ("claude", "gemini", plain("sh \"$CLAUDE_PROJECT_DIR\"/a.sh"), Some("sh \"${GEMINI_PROJECT_DIR}\"/a.sh")),
        ("claude", "gemini", plain("sh $CLAUDE_PROJECT_DIR/a.sh"), Some("sh $GEMINI_PROJECT_DIR/a.sh")),
        ("claude", "gemini", plain("sh ${CLAUDE_PROJECT_DIR:-.}/a.sh"), Some("sh ${GEMINI_PROJECT_DIR:-.}/a.sh")),
        ("claude", "gemini", plain("echo '$CLAUDE_PROJECT_DIR'"), Some("echo '$CLAUDE_PROJECT_DIR'")),
        ("claude", "qwen", plain("sh \"$CLAUDE_PROJECT_DIR\"/a.sh"), Some("sh \"$QWEN_PROJECT_DIR\"/a.sh")),
        (
            "claude",
            "codex",
            plain("sh ${CLAUDE_PROJECT_DIR}/a.sh $HOME"),
            Some("sh $(git rev-parse --show-toplevel 2>/dev/null || pwd)/a.sh $HOME"),
        ),
        ("codex", "claude", plain("sh \"$PWD\"/a.sh"), Some("sh \"$CLAUDE_PROJECT_DIR\"/a.sh")),
        ("gemini", "claude", plain("sh ${GEMINI_CWD}/a.sh"), Some("sh ${CLAUDE_PROJECT_DIR}/a.sh")),
        (
            "claude",
            "codex",
            json!({"type": "command", "command": "python3", "args": ["${CLAUDE_PROJECT_DIR}/a b.py", "it's", "$X"]}),
            Some("python3 \"$(git rev-parse --show-toplevel 2>/dev/null || pwd)/a b.py\" 'it'\\''s' '$X'"),
        ),
        (
            "gemini",
            "codex",
            json!({"type": "command", "command": "sh a.sh", "env": {"A": "b c", "D": "e"}}),
            Some("export A='b c' D=e; sh a.sh"),
        ),
        (
            "qwen",
            "claude",
            json!({"type": "command", "command": "x", "shell": "powershell", "env": {"A": "it's"}}),
            Some("${env:A} = 'it''s'; x"),
        ),
        ("claude", "gemini", json!({"type": "command", "command": "x", "if": "Bash(git *)"}), None),
        ("claude", "qwen", json!({"type": "command", "command": "x", "if": ""}), Some("x")),
        ("qwen", "gemini", json!({"type": "command", "command": "x", "shell": "powershell"}), None),
    ] {
        assert_eq!(command_line_of(from, to, &handler).as_deref(), want, "{from} {handler} to {to}");
    }
}

/// The losses of a definition, by code.
#[test]
fn losses_by_code() {
    let handler = |kind: &str, key: &str, value: &str| json!({"type": kind, key: value});
    let plain = handler("command", "command", "x");
    let with = |key: &str, value: Value| {
        let mut handler = plain.clone();
        handler[key] = value;
        handler
    };
    for (from, to, event, matcher, handler, want) in [
        ("claude", "gemini", "PreToolUse", "^(?=(a+)+)(\\w+\\s?)+", plain.clone(), "matcher.too-expensive"),
        ("claude", "codex", "PreToolUse", "^(?!Bash)", plain.clone(), "matcher.narrower"),
        ("claude", "codex", "PreToolUse", "Write", plain.clone(), "matcher.wider"),
        ("claude", "qwen", "PreToolUse", "*", handler("http", "url", "http://10.1.2.3/x"), "handler.refused"),
        ("claude", "qwen", "PreToolUse", "*", handler("agent", "prompt", "x"), "handler.kind"),
        ("claude", "qwen", "PreToolUse", "*", with("onFailure", json!("block")), "handler.on-failure"),
        ("claude", "gemini", "PreToolUse", "*", with("asyncRewake", json!(true)), "handler.async"),
        ("claude", "gemini", "PreToolUse", "*", with("command", json!("echo '$HOME'")), "command.expanded"),
        ("claude", "gemini", "PreToolUse", "*", with("command", json!("cat $CLAUDE_ENV_FILE")), "command.variable"),
        ("gemini", "claude", "BeforeModel", "", plain.clone(), "event.no-equal"),
        ("gemini", "claude", "BeforeTool", "mcp_a_b_c", plain.clone(), "matcher.server"),
        ("qwen", "claude", "Stop", "", with("name", json!("n")), "handler.words"),
        ("codex", "gemini", "PreToolUse", "*", with("commandWindows", json!("y")), "handler.key"),
        ("claude", "qwen", "Nope", "", plain.clone(), "source.refused"),
    ] {
        let mut files = MemoryFiles::default();
        let settings = json!({"hooks": {event: [{"matcher": matcher, "hooks": [handler]}]}});
        files.put(path(from), settings.to_string());
        let (conversion, _) = convert_and_store(from, to, &mut files);
        // Time limits have their own table.
        let loss = conversion.items[0].notes.iter().filter(|note| note.loss && note.code.as_str() != "timeout.default");
        let codes: Vec<_> = loss.map(|note| note.code.as_str()).collect();
        assert_eq!(codes, [want], "{from} {event} {matcher} to {to}");
    }
}

/// Differences in exit 2 follow from both agents' rules, and a key that is part of a listed key is not listed
/// separately.
#[test]
fn what_exit_status_2_and_answers_come_to() {
    for (from, to, event, codes, both) in [
        ("claude", "codex", "PermissionRequest", vec!["exit-2.blocks"], false),
        ("codex", "claude", "PermissionRequest", vec!["exit-2.no-effect"], false),
        ("qwen", "codex", "PermissionRequest", vec!["exit-2.blocks"], false),
        ("codex", "qwen", "PermissionRequest", vec!["exit-2.no-effect"], false),
        ("claude", "qwen", "PermissionRequest", vec![], false),
        ("claude", "codex", "PreCompact", vec!["exit-2.no-effect"], false),
        ("claude", "gemini", "PreCompact", vec!["exit-2.no-effect"], false),
        ("claude", "qwen", "PreCompact", vec!["exit-2.no-effect"], false),
        ("claude", "codex", "PreToolUse", vec![], true),
        ("claude", "gemini", "PreToolUse", vec![], true),
    ] {
        let mut files = MemoryFiles::default();
        let settings = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": "x"}]}]}});
        files.put(path(from), settings.to_string());
        let (conversion, _) = convert_and_store(from, to, &mut files);
        let said: Vec<_> = conversion.notes.iter().map(|note| note.code.as_str()).collect();
        assert_eq!(said, codes, "{from} {event} to {to}: {:?}", conversion.notes);
        let loses = conversion.notes.iter().any(|note| note.loss);
        assert_eq!(loses, codes.contains(&"exit-2.no-effect"), "{from} {event} to {to}");
        let (from, to) = (side(from), side(to));
        let unread = unread_keys(
            &ConversionPair { from: &from, to: &to, adapts: false, project_directory: String::new() },
            &conversion,
        );
        assert!(unread.iter().all(|one| one.exit_2 == both), "{event}: {unread:?}");
        // Codex reads no input of a decision.
        let parts = ["/hookSpecificOutput/decision", "/hookSpecificOutput/decision/behavior"];
        let keys: Vec<_> =
            unread.iter().flat_map(|one| &one.keys).filter(|key| parts.contains(&key.as_str())).collect();
        assert!(keys.is_empty(), "{event}: {keys:?}");
    }
}

/// TOML, in which another agent's definitions may be written, keeps its lines.
#[test]
fn definitions_in_toml() {
    let mut files = MemoryFiles::default();
    let text = "[projects.'/p']\ntrust_level = 'trusted'\n";
    files.put("/h/.codex/config.toml", text);
    let hooks = "[[hooks.PreToolUse]]\nmatcher = 'Bash'\n[[hooks.PreToolUse.hooks]]\ntype = 'command'\ncommand = 'x'\ntimeout = 5\n";
    files.put("/p/.codex/config.toml", hooks);
    let (conversion, check) = convert_and_store("codex", "claude", &mut files);
    assert!(!conversion.has_losses() && check.differences.is_empty(), "{conversion:?} {check:?}");
    assert_eq!((conversion.items[0].file.as_str(), conversion.items[0].line), (".codex/config.toml", 3));
    let written: Value = serde_json::from_str(&conversion.files[0].after).unwrap();
    let handler = json!({"type": "command", "command": "x", "timeout": 5});
    assert_eq!(written, json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}}));
}

/// A hook in the other file of the same layer is already there, so it is not added.
#[test]
fn hooks_in_toml_are_not_written_again() {
    let mut files = MemoryFiles::default();
    files.put("/h/.codex/config.toml", "[projects.'/p']\ntrust_level = 'trusted'\n");
    let hooks = "[[hooks.PreToolUse]]\nmatcher = 'Bash'\n[[hooks.PreToolUse.hooks]]\ntype = 'command'\ncommand = 'x'\n";
    files.put("/p/.codex/config.toml", hooks);
    let handler = json!({"type": "command", "command": "x"});
    files.put(path("claude"), json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}}).to_string());
    let (conversion, check) = convert_and_store("claude", "codex", &mut files);
    assert!(conversion.changed_files().next().is_none() && !conversion.has_losses(), "{conversion:?}");
    assert_eq!(check.differences, []);
}

/// C-37, C-42: tools and time limits of the older format in each agent, and back.
#[test]
fn the_older_format_there_and_back() {
    let both = |first: &str, second: &str| json!([first, second]);
    for (to, matcher, want, back) in [
        ("claude", both("Write", "Edit"), "Write|Edit", Some("Write|Edit")),
        ("claude", json!("replace"), "Edit", Some("Edit")),
        ("claude", json!("Write|Bash"), "Write|Bash", Some("Write|Bash")),
        ("claude", json!("*"), "*", Some("*")),
        // Both formats are in one file, so this conversion has no way back.
        ("qwen", both("Write", "Edit"), "Write|Edit", None),
        ("qwen", both("Ls", "Read"), "^(list_directory|read_file)$", None),
        ("gemini", both("Write", "Edit"), "^(write_file|replace)$", Some("Write|Edit")),
        ("gemini", json!("replace"), "^replace$", Some("Edit")),
        ("gemini", both("Ls", "Read"), "^(list_directory|read_file)$", Some("Ls|Read")),
        ("gemini", json!("*"), "*", Some("*")),
        ("codex", both("Write", "Edit"), "Write|Edit", Some("Write|Edit")),
        ("codex", json!("*"), "*", Some("*")),
    ] {
        // One agent has whole seconds only.
        let seconds: &[f64] = if to == "codex" { &[30.0, 2000.0] } else { &[0.5, 30.0, 2000.0] };
        for seconds in seconds {
            let mut files = MemoryFiles::default();
            let older = path("qwen-legacy");
            let hook = json!({"event": "PreToolUse", "matcher": matcher, "command": "./x.sh", "timeout": seconds});
            files.put("/p/x.sh", "#!/bin/sh\n");
            files.put(older.clone(), json!({"hooks": {"claudeHooks": [hook]}}).to_string());
            let (there, _) = convert_and_store("qwen-legacy", to, &mut files);
            assert_eq!(there.items[0].written[0].matcher.as_deref(), Some(want), "{to} {matcher} {seconds}");
            let Some(back) = back else { continue };
            files.put(older, "{}");
            convert_and_store(to, "qwen-legacy", &mut files);
            let loaded = load("qwen-legacy", &files);
            let got: Vec<_> = loaded.definitions.iter().map(|d| (d.matcher_text(), d.timeout)).collect();
            let limit = Duration::from_secs_f64(*seconds);
            assert_eq!(got, [(back.to_owned(), Some(limit))], "{to} {matcher} {seconds}");
        }
    }
}

/// The effect of a definition, independent of its spelling.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct HookEffect {
    event: String,
    command: String,
    milliseconds: u128,
    /// The known subjects that match.
    passes: BTreeSet<String>,
}

fn effect_of(dialect: &Agent, definition: &HookDefinition) -> HookEffect {
    let version = default_version(dialect);
    let event = find_event(dialect, &version, &definition.event).unwrap();
    let mut names: Vec<String> = event.subjects.iter().map(|s| (*s).to_owned()).collect();
    if event.subject == Some("tool_name") {
        let tools = &hookbench::core::catalogue::catalogue().agent(dialect.id().as_str()).unwrap().tools;
        names.extend(tools.iter().map(|tool| tool.id.to_owned()));
        names.extend(["mcp__github__list", "mcp__other__edit"].map(str::to_owned));
    }
    let passes = |name: &String| {
        let subject = dialect.subject(event, &json!({event.subject.unwrap_or(""): name}), &version);
        dialect.matches(event, definition.matcher.as_ref(), &subject, &version) == Some(true)
    };
    HookEffect {
        event: definition.event.clone(),
        // Both spellings of the variable are the same.
        command: definition
            .handler
            .text()
            .replace("${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR")
            // The same directory, as an agent without such a variable finds it.
            .replace("$(git rev-parse --show-toplevel 2>/dev/null || pwd)", "$CLAUDE_PROJECT_DIR"),
        milliseconds: definition.timeout.unwrap().as_millis(),
        passes: names.into_iter().filter(passes).collect(),
    }
}

const TOOL_MATCHERS: [&str; 14] = [
    "",
    "*",
    "Bash",
    "Bash|Edit",
    "Write, Edit",
    "Read|Grep|Glob",
    "NotebookEdit|Bash",
    "mcp__github__.*",
    "mcp__.*",
    "^Bash$",
    "Edit.*",
    "^(?!Bash).*",
    "WebFetch|WebSearch",
    ".*",
];
const SOURCES: [&str; 5] = ["", "startup", "startup|resume", "compact|startup", "^clear$"];

fn generated() -> impl Strategy<Value = Value> {
    let event = prop::sample::select(vec![
        "PreToolUse",
        "PostToolUse",
        "SessionStart",
        "Stop",
        "UserPromptSubmit",
        "PreCompact",
    ]);
    let tools = prop::sample::select(TOOL_MATCHERS.to_vec());
    let sources = prop::sample::select(SOURCES.to_vec());
    let command = prop::sample::select(vec!["sh a.sh", "sh \"$CLAUDE_PROJECT_DIR\"/b.sh", "c"]);
    let seconds = prop::option::of(1_u32..60);
    let one = (event, tools, sources, command, seconds).prop_map(|(event, tool, source, command, seconds)| {
        let matcher = match event {
            "PreToolUse" | "PostToolUse" => tool,
            "SessionStart" => source,
            _ => "",
        };
        let mut handler = json!({"type": "command", "command": command});
        if let Some(seconds) = seconds {
            handler["timeout"] = json!(seconds);
        }
        (event, json!({"matcher": matcher, "hooks": [handler]}))
    });
    prop::collection::vec(one, 1..4).prop_map(|all| {
        let mut hooks = json!({});
        for (event, group) in all {
            let list = hooks.as_object_mut().unwrap().entry(event).or_insert_with(|| json!([]));
            list.as_array_mut().unwrap().push(group);
        }
        json!({"hooks": hooks})
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    /// Converts there and back: a definition without a named loss does the same as before.
    #[test]
    fn every_loss_is_named(settings in generated(), to in prop::sample::select(vec!["qwen", "gemini", "codex"])) {
        let mut files = MemoryFiles::default();
        files.put(path("claude"), settings.to_string());
        let claude = side("claude").dialect;
        let before = load("claude", &files);
        let (there, check_there) = convert_and_store("claude", to, &mut files);
        files.files.remove(&path("claude"));
        let (back, check_back) = convert_and_store(to, "claude", &mut files);
        for check in [&check_there, &check_back] {
            let unsaid: Vec<_> = check.differences.iter().filter(|d| d.announced_by.is_none()).collect();
            prop_assert!(unsaid.is_empty(), "{unsaid:?}");
        }
        let after: Vec<HookEffect> = load("claude", &files).definitions.iter().map(|d| effect_of(claude, d)).collect();
        for item in there.items.iter().filter(|item| !item.notes.iter().any(|note| note.loss)) {
            // A longer default is noted, but it does not count as a loss.
            let shorter = item.notes.iter().any(|note| note.code.as_str() == "timeout.default");
            let want = effect_of(claude, before.definition(&item.hook).unwrap());
            let lost_on_the_way_back = back.items.iter().any(|b| {
                b.notes.iter().any(|note| note.loss) && item.written.iter().any(|w| w.event == b.event)
            });
            let same: BTreeSet<String> = after
                .iter()
                .filter(|got| (&got.event, &got.command) == (&want.event, &want.command))
                .filter(|got| shorter || got.milliseconds == want.milliseconds)
                .flat_map(|got| got.passes.clone())
                .collect();
            // Several definitions together may match what one matched before.
            prop_assert!(lost_on_the_way_back || want.passes.is_subset(&same), "{want:?}\n{after:?}\n{there:?}");
        }
        let (again, _) = convert_and_store(to, "claude", &mut files);
        prop_assert!(again.changed_files().next().is_none(), "twice is once: {:?}", again.files);
    }
}
