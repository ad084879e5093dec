//! Files that an agent ignores in whole or in part: the finding names the file, the position, the agent's behaviour
//! and the fix; hooks from other files still load.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::sandbox::{ProgramOutput, Sandbox};

/// The agent's reaction to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FileReaction {
    /// The agent does not start.
    DoesNotStart,
    /// The agent ignores the file.
    IgnoresFile,
    /// The agent uses the file, or the rest of it.
    UsesFile,
}
use FileReaction::{DoesNotStart, IgnoresFile, UsesFile};

const HOOK: &str = r#"{"type": "command", "command": "true"}"#;

/// A list of hooks in TOML, with this line at its end.
fn toml(line: &str) -> String {
    format!("[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"true\"\n{line}\n")
}

/// Settings in JSON with one group.
fn group(event: &str, group: &str) -> String {
    format!("{{\"hooks\": {{\n\"{event}\": [{{{group}}}]}}}}")
}

/// Writes a file in the project, or in the home directory for `~/`.
fn write_file(sandbox: &Sandbox, path: &str, text: &[u8]) {
    let path = match path.strip_prefix("~/") {
        Some(rest) => sandbox.home.join(rest),
        None => sandbox.project.join(path),
    };
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns a plan's diagnostics for the file, and the plan as text.
fn findings_for(sandbox: &Sandbox, agent: &str, file: &str) -> (Value, Value, ProgramOutput) {
    let text = sandbox.run(&format!("plan @tool --agent {agent}")).assert_status(0);
    let json = sandbox.run(&format!("plan @tool --agent {agent} --format json")).assert_status(0).json();
    let all = json["diagnostics"].as_array().unwrap();
    let own = all.iter().filter(|d| d["file"] == file && d["code"] != "agent/refuses" && d["code"] != "HW704");
    (own.cloned().collect(), json, text)
}

/// File, content, code, line and column, part of the message, part of the help, reaction.
type BrokenFileRow = (&'static str, Vec<u8>, &'static str, (u32, u32), &'static str, &'static str, FileReaction);

fn check(agent: &str, rows: Vec<BrokenFileRow>) {
    for (file, text, code, (line, column), says, cure, fate) in rows {
        let sandbox = Sandbox::for_agent(agent);
        write_file(&sandbox, file, &text);
        let shown = String::from_utf8_lossy(&text).into_owned();
        let (own, json, page) = findings_for(&sandbox, agent, file);
        let context = format!("{file}\n{shown}\n{own:#}\n{page}");
        let finding = own.as_array().unwrap().iter().find(|d| d["code"] == code);
        let finding = finding.unwrap_or_else(|| panic!("no {code}: {context}"));
        assert_eq!((&finding["line"], &finding["column"]), (&line.into(), &column.into()), "{context}");
        assert!(finding["message"].as_str().unwrap().contains(says), "\"{says}\": {context}");
        assert!(finding["help"].as_str().unwrap_or_default().contains(cure), "\"{cure}\": {context}");
        let refuses = json["diagnostics"].as_array().unwrap().iter().any(|d| d["code"] == "agent/refuses");
        assert_eq!(refuses, fate == DoesNotStart, "{context}");
        let place = format!("{file}:{line}:{column}");
        assert_eq!(page.stdout.matches(&format!("--> {place}\n")).count(), 1, "said once: {context}");
        match fate {
            DoesNotStart => {
                assert_eq!(json["plan"], Value::Array(Vec::new()), "{context}");
                assert!(finding["message"].as_str().unwrap().contains("does not start"), "{context}");
                assert!(page.stdout.contains("The agent does not start, so no session begins"), "{context}");
                let fired = sandbox.run(&format!("fire @tool --yes --agent {agent}")).assert_status(0);
                assert!(fired.stdout.contains("The agent does not start, so no session begins"), "{fired}");
            }
            IgnoresFile => assert!(page.stdout.contains(&format!("{file} could not be read")), "{context}"),
            UsesFile => assert!(!page.stdout.contains("could not be read"), "{context}"),
        }
    }
}

#[test]
fn broken_files_of_codex() {
    let (user, json) = ("~/.codex/config.toml", "~/.codex/hooks.json");
    let hooks = |more: &str| group("PreToolUse", &format!("\"hooks\": [{HOOK}]{more}"));
    let hook = |keys: &str| group("PreToolUse", &format!("\"hooks\": [{{\"type\": \"command\", {keys}}}]"));
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    check(
        "codex",
        vec![
            (user, b"[hooks\nx = 1\n".to_vec(), "HW101", (1, 7), "unclosed table", "fix the TOML", DoesNotStart),
            (
                user,
                b"model = 'a'\nmodel = 'b'\n".to_vec(),
                "HW101",
                (2, 1),
                "duplicate key",
                "fix the TOML",
                DoesNotStart,
            ),
            (user, b"hooks = 3\n".to_vec(), "HW110", (1, 9), "`hooks` is a whole number", "[[hooks.", DoesNotStart),
            (user, b"hooks = []\n".to_vec(), "HW110", (1, 9), "`hooks` is a list", "[[hooks.", DoesNotStart),
            (user, toml("timeout = '30'").into(), "HW110", (5, 11), "`timeout` is a string", "seconds", DoesNotStart),
            (user, toml("timeout = 1.5").into(), "HW110", (5, 11), "with a point", "seconds", DoesNotStart),
            (user, toml("timeout = -1").into(), "HW110", (5, 11), "not below 0", "seconds", DoesNotStart),
            (
                user,
                b"[[hooks.Stop]]\nmatcher = 7\n".to_vec(),
                "HW110",
                (2, 11),
                "the matcher is",
                "a string",
                DoesNotStart,
            ),
            (
                user,
                b"[features]\nhooks = 'no'\n".to_vec(),
                "HW110",
                (2, 9),
                "`features.hooks`",
                "hooks = true",
                DoesNotStart,
            ),
            (
                user,
                b"[hooks.state.k]\nenabled = 'no'\n".to_vec(),
                "HW110",
                (2, 11),
                "`enabled`",
                "delete",
                DoesNotStart,
            ),
            (
                user,
                b"[projects.'/p']\ntrust_level = 'y'\n".to_vec(),
                "HW110",
                (2, 15),
                "trust level",
                "trusted",
                DoesNotStart,
            ),
            (
                ".codex/config.toml",
                b"model =\n".to_vec(),
                "HW101",
                (1, 8),
                "not valid TOML",
                "fix the TOML",
                DoesNotStart,
            ),
            (".codex/config.toml", toml("async = 1").into(), "HW110", (5, 9), "`async`", "true or false", DoesNotStart),
            (user, b"[[PreToolUse]]\n".to_vec(), "HW104", (1, 3), "outside `hooks`", "[[hooks.PreToolUse]]", UsesFile),
            (user, b"x = 1\n[Hooks]\n".to_vec(), "HW104", (2, 2), "is not `hooks`", "write `hooks`", UsesFile),
            (json, b"".to_vec(), "HW101", (1, 1), "the file is empty", "{ }", IgnoresFile),
            (json, marked("{}"), "HW101", (1, 1), "a byte-order mark", "without a byte-order mark", IgnoresFile),
            (json, b"{} // x".to_vec(), "HW101", (1, 4), "a comment", "remove the comment", IgnoresFile),
            (json, b"{\n\"hooks\": {},\n}".to_vec(), "HW101", (2, 12), "a comma", "remove the comma", IgnoresFile),
            (json, b"{\"hooks\": {}, \"hooks\": {}}".to_vec(), "HW101", (1, 15), "twice", "keep one", IgnoresFile),
            (json, b"{\"$schema\": \"x\"}".to_vec(), "HW108", (1, 2), "is not allowed here", "delete it", IgnoresFile),
            (json, b"{\"Stop\": []}".to_vec(), "HW108", (1, 2), "is not allowed here", "into \"hooks\"", IgnoresFile),
            (json, b"{\"hooks\": null}".to_vec(), "HW104", (1, 11), "`hooks` is null", "an object", IgnoresFile),
            (
                json,
                hook("\"command\": \"x\", \"timeout\": \"30\"").into(),
                "HW501",
                (2, 74),
                "a string",
                "seconds",
                IgnoresFile,
            ),
            (json, hook("\"command\": \"x\", \"timeout\": -1").into(), "HW501", (2, 74), "-1", "seconds", IgnoresFile),
            (
                json,
                hook("\"command\": \"x\", \"timeout\": 1.5").into(),
                "HW501",
                (2, 74),
                "a point",
                "seconds",
                IgnoresFile,
            ),
            (
                json,
                hook("\"timeout\": 1").into(),
                "HW105",
                (2, 27),
                "`command` of the command hook",
                "add a",
                IgnoresFile,
            ),
            (json, hooks(", \"matcher\": 7").into(), "HW102", (2, 79), "the matcher is", "a string", IgnoresFile),
            (
                json,
                hooks(", \"matcher\": \"(?!x)y\"").into(),
                "HW309",
                (2, 79),
                "does not accept the pattern",
                "look-around",
                UsesFile,
            ),
            (json, hooks(", \"matcher\": \"(\"").into(), "HW308", (2, 79), "not a valid pattern", "close", UsesFile),
            (json, hook("\"command\": \" \"").into(), "HW105", (2, 27), "blank", "add a `command`", UsesFile),
            (json, group("preToolUse", "").into(), "HW201", (2, 1), "did you mean PreToolUse", "rename", UsesFile),
            (
                json,
                group("Notification", "").into(),
                "HW201",
                (2, 1),
                "Codex has no event",
                "hookbench events",
                UsesFile,
            ),
        ],
    );
}

#[test]
fn broken_files_of_gemini() {
    let (file, user) = (".gemini/settings.json", "~/.gemini/settings.json");
    let trust = "~/.gemini/trustedFolders.json";
    let hooks = |more: &str| group("BeforeTool", &format!("\"hooks\": [{HOOK}]{more}"));
    let hook = |keys: &str| group("BeforeTool", &format!("\"hooks\": [{{\"type\": \"command\", {keys}}}]"));
    let marked = [b"\xef\xbb\xbf".as_slice(), b"{}"].concat();
    check(
        "gemini",
        vec![
            (file, b"".to_vec(), "HW101", (1, 1), "the file is empty", "{ }", DoesNotStart),
            (file, marked, "HW101", (1, 1), "a byte-order mark", "without a byte-order mark", DoesNotStart),
            (file, b"{} // x\n,".to_vec(), "HW101", (2, 1), "there is text after", "one value", DoesNotStart),
            (user, b"{\"hooks\": {},\n}".to_vec(), "HW101", (1, 13), "a comma", "remove the comma", DoesNotStart),
            (user, b"[]".to_vec(), "HW101", (1, 1), "contains a list", "{ … }", DoesNotStart),
            (trust, b"{".to_vec(), "HW101", (1, 2), "inside an object", "fix the file", DoesNotStart),
            (file, b"{\"hooks\": []}".to_vec(), "HW104", (1, 11), "removes the hooks", "an object", UsesFile),
            (
                file,
                hook("\"command\": \"x\", \"timeout\": 30").into(),
                "HW501",
                (2, 74),
                "30 milliseconds",
                "30000",
                UsesFile,
            ),
            (file, hook("\"command\": \"x\", \"timeout\": -1").into(), "HW501", (2, 74), "at once", "30000", UsesFile),
            (
                file,
                hook("\"timeout\": 1000").into(),
                "HW105",
                (2, 27),
                "missing in the command hook",
                "add a",
                UsesFile,
            ),
            (file, hooks(", \"matcher\": 7").into(), "HW102", (2, 79), "loses every hook", "a string", UsesFile),
            (file, hooks(", \"matcher\": \"[\"").into(), "HW308", (2, 79), "not a valid pattern", "close", UsesFile),
            (
                file,
                hooks(", \"sequential\": \"true\"").into(),
                "HW105",
                (2, 82),
                "only true counts",
                "quotes",
                UsesFile,
            ),
            (
                file,
                b"{\"hooks\": {\"disabled\": []}}".to_vec(),
                "HW207",
                (1, 12),
                "no longer has an effect",
                "hooksConfig",
                UsesFile,
            ),
            (file, group("PreToolUse", "").into(), "HW201", (2, 1), "did you mean BeforeTool", "rename", UsesFile),
        ],
    );
}

#[test]
fn a_directory_or_unreadable_file_instead_of_settings() {
    for (agent, file, refuses) in [
        ("claude", ".claude/settings.json", false),
        ("qwen", ".qwen/settings.json", false),
        ("gemini", ".gemini/settings.json", true),
        ("codex", ".codex/config.toml", true),
        ("codex", ".codex/hooks.json", false),
    ] {
        let sandbox = Sandbox::for_agent(agent);
        let path = sandbox.project.join(file);
        fs::create_dir_all(&path).unwrap();
        let told = |cure: &str| {
            let (own, json, page) = findings_for(&sandbox, agent, file);
            assert_eq!(own[0]["code"], "HW101", "{page}");
            assert!(own[0]["help"].as_str().unwrap().contains(cure), "{own:#}");
            assert_eq!(own[0]["message"].as_str().unwrap().contains("does not start"), refuses, "{own:#}");
            assert_eq!(json["plan"], Value::Array(Vec::new()), "{page}");
            let end = if refuses { "so no session begins" } else { "could not be read\n" };
            assert!(page.stdout.contains(end), "{page}");
            // Hooks in the unreadable file are unknown.
            let why = sandbox.run(&format!("why h1 --agent {agent}")).assert_status(2);
            assert!(why.stderr.contains(&format!("{file} cannot be read")), "{why}");
        };
        told("replace it with a file");
        fs::remove_dir(&path).unwrap();
        fs::write(&path, "{}").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        // Root can read every file, so the check is skipped for root.
        if fs::read(&path).is_err() {
            told("chmod u+r");
        }
    }
}

#[test]
fn a_hook_of_another_file_if_the_agent_does_not_start() {
    let sandbox = Sandbox::for_agent("codex");
    sandbox.settings(&group("PreToolUse", &format!("\"hooks\": [{HOOK}]")));
    sandbox.run("why h1 --agent codex").assert_status(0);
    sandbox.file(".codex/config.toml", "hooks = 1\n");
    let why = sandbox.run("why h1 --agent codex --format json").assert_status(0).json();
    let says = "Codex does not start: .codex/config.toml: `hooks` is a whole number, but must be a table";
    assert_eq!((&why["rungs"][1]["state"], &why["rungs"][1]["says"]), (&"no".into(), &says.into()), "{why:#}");
    // `list` shows the hook anyway.
    let list = sandbox.run("list --agent codex").assert_status(0);
    assert!(list.stdout.contains("h1   PreToolUse"), "{list}");
}
