//! Findings for matchers, by table: agent, event, matcher, codes. Most rows are correct matchers that look like
//! mistakes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use hookbench::core::config::{MemoryFiles, Place};
use hookbench::core::diagnostic::CodeFamily;
use hookbench::core::dialects::{MachineFacts, by_id, default_version};
use hookbench::core::hook::HookDefinition;
use hookbench::core::lint::{CommandFacts, LintScope, lint};
use serde_json::json;

/// Returns the findings for one matcher, as code and replacement text.
fn findings_for(agent: &str, event: &str, matcher: &str) -> Vec<(&'static str, Option<String>)> {
    let dialect = by_id(agent).unwrap();
    let version = default_version(dialect);
    let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
    let settings = json!({"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": "true"}]}]}});
    let mut files = MemoryFiles::default();
    for (path, text) in dialect.trust_files(&place, &files) {
        files.put(path, text);
    }
    let (_, file) = dialect.settings_format().usual_settings(&place).unwrap();
    files.put(file.path, file.form.whole_file(settings["hooks"].as_object().unwrap()));
    let loaded = dialect.load(&place, &files, &version);
    let outside = |_: &HookDefinition| CommandFacts::default();
    let scope = LintScope {
        dialect,
        version: &version,
        place: &place,
        files: &files,
        loaded: &loaded,
        machine: &MachineFacts::default(),
    };
    let found = lint(scope, &outside).findings;
    let text = |d: &hookbench::core::diagnostic::Diagnostic| {
        let text = d.fix.as_ref().and_then(|fix| fix.edits.first()).map(|edit| edit.text.clone());
        text.map(|text| serde_json::from_str(&text).unwrap_or(text)).filter(|text| !text.is_empty())
    };
    found.iter().filter(|d| d.code.family() == Some(CodeFamily::Matchers)).map(|d| (d.code.as_str(), text(d))).collect()
}

const CLAUDE: &str = "claude";
const QWEN: &str = "qwen";
const GEMINI: &str = "gemini";
const CODEX: &str = "codex";
const COPILOT: &str = "copilot";

const PRE: &str = "PreToolUse";
const START: &str = "SessionStart";

/// Agent, event, matcher, and the codes with the replacement texts of their fixes.
type MatcherCase = (&'static str, &'static str, &'static str, Vec<(&'static str, &'static str)>);

#[allow(clippy::too_many_lines, reason = "a table")]
fn rows() -> Vec<MatcherCase> {
    vec![
        // Names stay in the spelling of the event.
        (COPILOT, "preToolUse", "bahs", vec![("HW302", "bash")]),
        (COPILOT, "preToolUse", "run_command", vec![("HW302", "bash")]),
        (COPILOT, "preToolUse", "vieww", vec![("HW302", "view")]),
        (COPILOT, "preToolUse", "Reed", vec![("HW302", "view")]),
        (COPILOT, "preToolUse", "str_replace_editor", vec![("HW302", "edit")]),
        (COPILOT, "preToolUse", "bash|raed", vec![("HW302", "bash|view")]),
        (COPILOT, PRE, "Bahs", vec![("HW302", "Bash")]),
        (COPILOT, PRE, "run_command", vec![("HW302", "Bash")]),
        (COPILOT, PRE, "Reed", vec![("HW302", "Read")]),
        // Correct matchers.
        (CLAUDE, PRE, "Bash", vec![]),
        (CLAUDE, PRE, "Edit|Write|MultiEdit", vec![]),
        (CLAUDE, PRE, "Edit|MultiEdit|Write|NotebookEdit", vec![]),
        (CLAUDE, PRE, "Bash|BashOutput|KillShell", vec![]),
        (CLAUDE, PRE, "Edit, Write", vec![]),
        (CLAUDE, PRE, " Edit | Write ", vec![]),
        (CLAUDE, PRE, "Edit||Write", vec![]),
        (CLAUDE, PRE, "Edit|", vec![]),
        (CLAUDE, PRE, "Task", vec![]),
        (CLAUDE, PRE, "TaskCreate|TaskUpdate|TaskList|TaskGet|TaskStop", vec![]),
        (CLAUDE, PRE, "TeamCreate", vec![]),
        (CLAUDE, PRE, "EnterPlanMode|ExitPlanMode", vec![]),
        (CLAUDE, PRE, "mcp__.*", vec![]),
        (CLAUDE, PRE, "mcp__github__.*", vec![]),
        (CLAUDE, PRE, "mcp__memory__create_entities", vec![]),
        (CLAUDE, PRE, "mcp__brave-search__brave_web_search", vec![]),
        (CLAUDE, PRE, "mcp__.*__(get|list).*", vec![]),
        (CLAUDE, PRE, "mcp__github__(get_.*|list_.*)", vec![]),
        // A word in a group is a part of a name of a server's tool.
        (CLAUDE, PRE, "mcp__notes__(read|write|search)", vec![]),
        (QWEN, PRE, "mcp__notes__(read|write|search)", vec![]),
        (CODEX, PRE, "mcp__notes__(read|write|search)", vec![]),
        (GEMINI, "BeforeTool", "mcp_notes_(read|write|search)", vec![]),
        (CLAUDE, PRE, "mcp__(notes|files)__(shell|terminal)", vec![]),
        (CLAUDE, PRE, "mcp__notes__(read|write-all)", vec![]),
        (CLAUDE, PRE, "mcp__notes__get_[a-z]+", vec![]),
        (CLAUDE, PRE, "mcp__notes__(read|write)|write", vec![("HW301", "mcp__notes__(read|write)|Write")]),
        (CLAUDE, PRE, ".*__shell", vec![]),
        (CLAUDE, PRE, "(?!mcp__notes__(read|write)).*", vec![("HW317", "^(?!mcp__notes__(read|write)).*$")]),
        (CLAUDE, PRE, "Edit|Write|mcp__filesystem__.*", vec![("HW306", "^(?:Edit|Write|mcp__filesystem__.*)$")]),
        (CLAUDE, PRE, "^(Edit|Write)$", vec![]),
        (CLAUDE, PRE, "^Edit$|^Write$", vec![]),
        (CLAUDE, PRE, "Notebook(Edit|Read)", vec![]),
        (CLAUDE, PRE, "Notebook.*", vec![]),
        (CLAUDE, PRE, ".*Edit", vec![]),
        (CLAUDE, PRE, "(Multi)?Edit|Write", vec![("HW306", "^(?:(Multi)?Edit|Write)$")]),
        (CLAUDE, PRE, "(Multi)?Edit|NotebookEdit", vec![]),
        (CLAUDE, PRE, "Task(Create|Update)", vec![]),
        (CLAUDE, PRE, "Task(Get|List)", vec![]),
        (CLAUDE, PRE, "Web.*", vec![]),
        (CLAUDE, PRE, "^(?!Bash$).*$", vec![]),
        (CLAUDE, PRE, "^(?!Bash)", vec![]),
        (CLAUDE, PRE, "*", vec![]),
        (CLAUDE, PRE, ".*", vec![]),
        (CLAUDE, PRE, "", vec![]),
        (CLAUDE, PRE, "(Read|Grep|Glob)", vec![]),
        (CLAUDE, PRE, "ReadMcpResourceTool", vec![]),
        (CLAUDE, "SubagentStop", "code-reviewer", vec![]),
        (CLAUDE, "SubagentStart", "Explore|Plan", vec![]),
        (CLAUDE, START, "startup|resume|clear|compact", vec![]),
        (CLAUDE, START, "startup", vec![]),
        (CLAUDE, "Notification", "permission_prompt|idle_prompt", vec![]),
        (CLAUDE, "PreCompact", "auto", vec![]),
        (CLAUDE, "FileChanged", ".envrc|.env", vec![]),
        (CLAUDE, "FileChanged", "package.json", vec![]),
        (CLAUDE, "PreModelSwitch", "claude-.*", vec![]),
        (CLAUDE, "InstructionsLoaded", "^session", vec![]),
        (CODEX, START, "up$", vec![]),
        (CODEX, START, "^(start|resume).*", vec![]),
        (CLAUDE, "UserPromptExpansion", "my-command", vec![]),
        (CLAUDE, "Stop", "*", vec![]),
        (CLAUDE, "Stop", "", vec![]),
        (QWEN, PRE, "run_shell_command", vec![]),
        (QWEN, PRE, "Bash", vec![]),
        (QWEN, PRE, "Bash|Edit|WriteFile", vec![]),
        (QWEN, PRE, "write_file|edit", vec![]),
        (QWEN, PRE, "^(write_file|edit)$", vec![]),
        (QWEN, PRE, "Edit | Bash", vec![]),
        (QWEN, PRE, "mcp__github", vec![]),
        (QWEN, PRE, "mcp__github__.*", vec![]),
        (QWEN, PRE, "shell", vec![]),
        (QWEN, "SubagentStop", "general-purpose", vec![]),
        (QWEN, START, "startup|resume", vec![]),
        (GEMINI, "BeforeTool", "run_shell_command", vec![]),
        (GEMINI, "BeforeTool", "write_file|replace", vec![]),
        (GEMINI, "BeforeTool", "^(write_file|replace)$", vec![]),
        (GEMINI, "BeforeTool", "(write_file|replace)", vec![]),
        (GEMINI, "BeforeTool", "write_.*", vec![]),
        (GEMINI, "BeforeTool", "mcp_.*", vec![]),
        (GEMINI, "BeforeTool", "mcp_github_.*", vec![]),
        (GEMINI, START, "startup", vec![]),
        (GEMINI, START, "*", vec![]),
        (GEMINI, "PreCompress", "auto", vec![]),
        (CODEX, PRE, "Bash", vec![]),
        (CODEX, PRE, "^Bash$", vec![]),
        (CODEX, PRE, "apply_patch|Edit|Write", vec![]),
        (CODEX, PRE, "Edit|Write|MultiEdit", vec![]),
        (CODEX, PRE, "mcp__.*", vec![]),
        (CODEX, PRE, "mcp__github__.*", vec![]),
        (CODEX, PRE, "set_goal", vec![]),
        (CODEX, PRE, "(?i)bash", vec![]),
        (CODEX, START, "startup|resume", vec![]),
        (CODEX, START, "^(startup|resume)$", vec![]),
        // Case and spelling.
        (CLAUDE, PRE, "bash", vec![("HW301", "Bash")]),
        (CLAUDE, PRE, "Bash|edit", vec![("HW301", "Bash|Edit")]),
        (CLAUDE, START, "Startup", vec![("HW301", "startup")]),
        (CLAUDE, START, "startup|Resume", vec![("HW301", "startup|resume")]),
        (CLAUDE, PRE, "Wirte", vec![("HW302", "Write")]),
        (CLAUDE, PRE, "Edit|Wirte", vec![("HW302", "Edit|Write")]),
        (CLAUDE, PRE, "NotebokEdit.*", vec![("HW302", "NotebookEdit.*")]),
        (CLAUDE, PRE, "MultiEdit", vec![("HW302", "Edit")]),
        (CLAUDE, PRE, "run_shell_command", vec![("HW302", "Bash")]),
        (CLAUDE, START, "start", vec![("HW302", "startup")]),
        (CLAUDE, START, "startup|reset", vec![("HW302", "")]),
        (GEMINI, START, "compact", vec![("HW302", "")]),
        (GEMINI, START, "STARTUP", vec![("HW301", "startup")]),
        (GEMINI, "BeforeTool", "Bash", vec![("HW302", "run_shell_command")]),
        (CODEX, PRE, "Bsh", vec![("HW302", "Bash")]),
        (CODEX, PRE, "run_command", vec![("HW302", "Bash")]),
        (CLAUDE, PRE, "LSP", vec![]),
        (CLAUDE, PRE, "Terminal", vec![("HW302", "Bash")]),
        (CLAUDE, PRE, "FileEdit|FileWrite", vec![("HW302", "Edit|FileWrite")]),
        (GEMINI, "BeforeTool", "create_file", vec![("HW302", "write_file")]),
        (CODEX, PRE, "Read", vec![("HW302", "")]),
        (CODEX, PRE, "Read|Bash", vec![]),
        (GEMINI, "BeforeTool", "NotebookEdit", vec![("HW302", "")]),
        (CLAUDE, "SubagentStop", "Code Reviewer", vec![]),
        (CLAUDE, "FileChanged", "src/app.ts", vec![("HW307", "app.ts")]),
        (CLAUDE, PRE, "/bash/i", vec![("HW319", "Bash")]),
        (CLAUDE, PRE, "*|Bash", vec![("HW308", "")]),
        (CODEX, PRE, "aply_patch", vec![("HW302", "apply_patch")]),
        // Permission rules.
        (CLAUDE, PRE, "Bash(git *)", vec![("HW303", "Bash")]),
        (CLAUDE, PRE, "Bash(*)", vec![("HW303", "Bash")]),
        (CLAUDE, PRE, "Bash(git push:*)", vec![("HW303", "Bash")]),
        (CLAUDE, PRE, "Edit(src/**)", vec![("HW303", "Edit")]),
        (CLAUDE, PRE, "Read(.env)", vec![("HW303", "Read")]),
        (CLAUDE, PRE, "Bash(git push:*)|Edit", vec![("HW303", "")]),
        (GEMINI, "BeforeTool", "run_shell_command(rm *)", vec![("HW303", "run_shell_command")]),
        (CODEX, PRE, "Bash(rm:*)", vec![("HW303", "Bash")]),
        // MCP.
        (CLAUDE, PRE, "mcp__memory", vec![("HW304", "mcp__memory__.*")]),
        (CLAUDE, PRE, "mcp__brave-search", vec![("HW304", "mcp__brave-search__.*")]),
        (CLAUDE, PRE, "mcp__", vec![("HW304", "mcp__.*")]),
        (CLAUDE, PRE, "Edit|mcp__memory", vec![("HW304", "^(Edit|mcp__memory__.*)$")]),
        (CODEX, PRE, "mcp__memory", vec![("HW304", "mcp__memory__.*")]),
        (GEMINI, "BeforeTool", "mcp__github__.*", vec![("HW305", "mcp_github_.*")]),
        (GEMINI, "BeforeTool", "mcp__.*", vec![("HW305", "mcp_.*")]),
        (GEMINI, "BeforeTool", "mcp__github__create_issue", vec![("HW305", "mcp_github_create_issue")]),
        (CLAUDE, PRE, "mcp_github_.*", vec![("HW305", "mcp__github__.*")]),
        // Not anchored.
        (CLAUDE, PRE, "Edit.*", vec![("HW306", "^Edit.*")]),
        (CLAUDE, PRE, "Edit|^Write$", vec![("HW306", "^(?:Edit|^Write$)$")]),
        (QWEN, PRE, "read", vec![("HW306", "")]),
        (GEMINI, "BeforeTool", "write", vec![("HW306", "")]),
        // Globs and files.
        (CLAUDE, PRE, "mcp__*", vec![("HW307", "mcp__.*")]),
        (CLAUDE, PRE, "mcp__memory__*", vec![("HW307", "mcp__memory__.*")]),
        (CLAUDE, PRE, "Edit*", vec![("HW307", "Edit.*")]),
        (CLAUDE, PRE, "*.ts", vec![("HW307", "")]),
        (CLAUDE, PRE, "*Edit", vec![("HW307", ".*Edit")]),
        (CLAUDE, "PostToolUse", ".*\\.py$", vec![("HW307", "")]),
        (CLAUDE, "PostToolUse", "\\.(ts|tsx)$", vec![("HW307", "")]),
        (CLAUDE, "PostToolUse", "src/.*", vec![("HW307", "")]),
        (CLAUDE, "PostToolUse", "package.json", vec![("HW307", "")]),
        (QWEN, PRE, "*.ts", vec![("HW307", "")]),
        (GEMINI, "AfterTool", "*.ts", vec![("HW307", "")]),
        (CODEX, PRE, "*.ts", vec![("HW307", "")]),
        // Invalid patterns.
        (CLAUDE, PRE, "Edit|(Write", vec![("HW308", "")]),
        (CLAUDE, PRE, "Bash|*", vec![("HW308", "")]),
        (GEMINI, "BeforeTool", "[", vec![("HW308", "")]),
        (CODEX, PRE, "(?!Bash).*", vec![("HW309", "")]),
        (CODEX, PRE, "(", vec![("HW308", "")]),
        // Events that ignore matchers, or match whole texts only.
        (CLAUDE, "Stop", "Bash", vec![("HW310", "")]),
        (QWEN, "UserPromptSubmit", "deploy", vec![("HW310", "")]),
        (GEMINI, "BeforeAgent", "x", vec![("HW310", "")]),
        (CODEX, "Stop", "x", vec![("HW310", "")]),
        (GEMINI, START, "startup|resume", vec![("HW311", "")]),
        (GEMINI, START, "^startup$", vec![("HW311", "startup")]),
        (GEMINI, "SessionEnd", "^.*$", vec![("HW311", "*")]),
        // Lists.
        (QWEN, PRE, "run_shell_command,edit", vec![("HW312", "run_shell_command|edit")]),
        (QWEN, PRE, "Bash,Edit", vec![("HW312", "Bash|Edit")]),
        (GEMINI, "BeforeTool", "write_file, replace", vec![("HW312", "write_file|replace")]),
        (CODEX, PRE, "Bash,Edit", vec![("HW312", "Bash|Edit")]),
        (CODEX, START, "startup,resume", vec![("HW312", "startup|resume")]),
        (GEMINI, "BeforeTool", "write_file | replace", vec![("HW313", "write_file|replace")]),
        (CODEX, PRE, "Bash | Edit", vec![("HW313", "Bash|Edit")]),
        (CODEX, PRE, "Write ", vec![("HW313", "Write")]),
        (CLAUDE, PRE, "Edit Write", vec![("HW320", "Edit|Write")]),
        (CLAUDE, PRE, "Edit;Write", vec![("HW320", "Edit|Write")]),
        (CLAUDE, PRE, "Edit or Write", vec![("HW320", "Edit|Write")]),
        (GEMINI, "BeforeTool", "write_file replace", vec![("HW320", "write_file|replace")]),
        (QWEN, PRE, "^write_file|", vec![("HW314", "^write_file")]),
        (QWEN, PRE, "||", vec![("HW314", "")]),
        (CLAUDE, PRE, "|", vec![("HW314", "")]),
        (CLAUDE, PRE, "^Edit$|", vec![("HW314", "^Edit$")]),
        (GEMINI, "BeforeTool", "write_file|", vec![("HW314", "write_file")]),
        // Rules of another agent.
        (QWEN, PRE, "^Bash$", vec![("HW315", "^run_shell_command$")]),
        (QWEN, PRE, "(Bash|Edit)", vec![("HW315", "(run_shell_command|Edit)")]),
        (CLAUDE, PRE, "(a+)+", vec![("HW316", "")]),
        (QWEN, PRE, "(?!write_file).*", vec![("HW317", "^(?!write_file).*$")]),
        (CLAUDE, PRE, "(?!Bash).*", vec![("HW317", "^(?!Bash).*$")]),
        (CLAUDE, PRE, "(?!Bash)", vec![("HW317", "^(?!Bash)")]),
        (CLAUDE, START, "(?!resume).*", vec![("HW317", "^(?!resume).*$")]),
        (CLAUDE, PRE, "brave-search", vec![("HW318", "mcp__brave-search__.*")]),
        // Text around the name.
        (CLAUDE, PRE, "/Bash/", vec![("HW319", "Bash")]),
        (CLAUDE, PRE, "/^(Edit|Write)$/i", vec![("HW319", "^(Edit|Write)$")]),
        (CLAUDE, PRE, "tool == \"Bash\"", vec![("HW319", "Bash")]),
        (CLAUDE, PRE, "tool == \"Edit\" || tool == \"Write\"", vec![("HW319", "Edit|Write")]),
        (GEMINI, "BeforeTool", "/write_file/", vec![("HW319", "write_file")]),
    ]
}

#[test]
fn what_is_wrong_with_matchers() {
    let mut wrong = Vec::new();
    for (agent, event, matcher, want) in rows() {
        let got = findings_for(agent, event, matcher);
        let want: Vec<(&str, Option<String>)> = want
            .iter()
            .map(|(code, fix): &(&str, &str)| (*code, (!fix.is_empty()).then(|| (*fix).to_owned())))
            .collect();
        if got != want {
            wrong.push(format!("{agent} {event} {matcher:?}\n  want {want:?}\n  got  {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
