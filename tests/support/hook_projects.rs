//! Projects with many hooks, for benches.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

/// A guard in plain shell, as people write them: it reads the event with jq, compares, searches, and refuses with status 2.
fn shell_guard(number: usize) -> String {
    let mut lines: Vec<String> = [
        "#!/usr/bin/env bash",
        "# Refuses what this project never wants to run.",
        "set -uo pipefail",
        "input=$(cat)",
        r#"tool=$(printf '%s' "$input" | jq -r '.tool_name // empty')"#,
        r#"command=$(printf '%s' "$input" | jq -r '.tool_input.command // empty')"#,
        r#"file=$(printf '%s' "$input" | jq -r '.tool_input.file_path // empty')"#,
        r#"refuse() { printf '%s\n' "$1" >&2; exit 2; }"#,
        r#"note() { printf '%s %s\n' "$(date +%s)" "$1" >> "${TMPDIR:-/tmp}/guard.log"; }"#,
        r#"[ "$tool" = Bash ] || [ "$tool" = Write ] || exit 0"#,
    ]
    .map(str::to_owned)
    .to_vec();
    for check in 0..16 {
        let word = format!("word{number}x{check}");
        lines.extend([
            format!("check_{check}() {{"),
            "  local text=$1".to_owned(),
            "  case \"$text\" in".to_owned(),
            format!("    *'{word} --force'*) refuse \"{word} --force is not wanted: $text\" ;;"),
            format!("    {word}*) note \"$text\" ;;"),
            "  esac".to_owned(),
            format!("  if printf '%s' \"$text\" | grep -Eq '(^|;)[[:space:]]*{word}[0-9]+'; then"),
            format!("    refuse \"{word} with a number is not wanted\""),
            "  fi".to_owned(),
        ]);
        lines.push("}".to_owned());
    }
    lines.extend((0..16).map(|check| format!("check_{check} \"${}\"", ["command", "file"][check % 2])));
    lines.push("exit 0".to_owned());
    lines.join("\n") + "\n"
}

/// Fifty hooks that run twenty scripts of some 190 lines.
pub fn fifty(project: &Path) {
    std::fs::create_dir_all(project.join(".claude/hooks")).unwrap();
    for number in 0..20 {
        std::fs::write(project.join(format!(".claude/hooks/guard{number}.sh")), shell_guard(number)).unwrap();
    }
    let events = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"];
    let mut hooks: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for number in 0..50 {
        let event = events[number / 10];
        let matcher = ["Bash", "Write|Edit", "Read", "mcp__.*", "Bash|Write"][number % 5];
        let script = format!("bash \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard{}.sh", number % 20);
        let mut group = json!({"hooks": [{"type": "command", "command": script, "timeout": 10 + number}]});
        if event.ends_with("ToolUse") {
            group["matcher"] = json!(matcher);
        }
        hooks.entry(event).or_default().push(group);
    }
    write_settings(project, &json!({"hooks": hooks}));
}

pub fn write_settings(project: &Path, settings: &Value) {
    std::fs::create_dir_all(project.join(".claude")).unwrap();
    let text = serde_json::to_string_pretty(settings).unwrap();
    std::fs::write(project.join(".claude/settings.json"), text).unwrap();
}

/// A thousand hooks in one file, a mistake in every tenth, and a hundred scripts.
pub fn many(project: &Path) {
    let script =
        |n: usize| format!("#!/bin/sh\n# hook {n}\ninput=$(cat)\ncase \"$input\" in *rm*) exit 2;; esac\nexit 0\n");
    std::fs::create_dir_all(project.join("hooks")).unwrap();
    for n in 0..100 {
        std::fs::write(project.join(format!("hooks/h{n}.sh")), script(n)).unwrap();
    }
    let group = |n: usize| -> Value {
        let matcher = if n.is_multiple_of(10) { "bash" } else { "Bash|Edit" };
        let command = format!("sh \"$CLAUDE_PROJECT_DIR\"/hooks/h{}.sh # {n}", n % 100);
        json!({"matcher": matcher, "hooks": [{"type": "command", "command": command, "timeout": 30}]})
    };
    let groups: Vec<Value> = (0..1000).map(group).collect();
    std::fs::create_dir_all(project.join(".claude")).unwrap();
    let settings = serde_json::to_string_pretty(&json!({"hooks": {"PreToolUse": groups}})).unwrap();
    std::fs::write(project.join(".claude/settings.json"), settings).unwrap();
}
