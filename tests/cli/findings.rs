//! Options for findings: selection, levels, allowed findings with reasons, baselines and fixes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::outputs;
use crate::sandbox::{ProgramOutput, Sandbox};

/// Settings with two hooks whose matchers are in the wrong case.
const FAULTY: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {"matcher": "bash", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/hooks/ok.sh"}]},
      {"matcher": "write", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/hooks/ok.sh # twice"}]}
    ]
  }
}
"#;

fn faulty() -> Sandbox {
    let sandbox = Sandbox::for_agent("claude");
    sandbox.settings(FAULTY).script("hooks/ok.sh", "#!/bin/sh\nexit 0\n");
    sandbox
}

fn read(sandbox: &Sandbox, file: &str) -> String {
    fs::read_to_string(sandbox.project.join(file)).unwrap()
}

fn config(sandbox: &Sandbox, text: &str) {
    let directory = sandbox.home.join("config/hookbench");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("config.toml"), text).unwrap();
}

/// Code and line of every finding.
fn codes(done: &ProgramOutput) -> Vec<(String, u64)> {
    let doc = done.json();
    let of = |d: &Value| (d["code"].as_str().unwrap().to_owned(), d["line"].as_u64().unwrap_or(0));
    doc["diagnostics"].as_array().unwrap().iter().map(of).collect()
}

fn pairs(of: &[(&str, u64)]) -> Vec<(String, u64)> {
    of.iter().map(|(code, line)| ((*code).to_owned(), *line)).collect()
}

#[test]
fn codes_are_chosen() {
    let sandbox = faulty();
    let both: &[(&str, u64)] = &[("HW301", 4), ("HW301", 5)];
    for (options, want, status) in [
        ("", both, 1),
        ("--select HW301", both, 1),
        ("--select hw3,HW301", both, 1),
        ("--ignore HW3", &[], 0),
        ("--select HW3 --ignore HW301", &[], 0),
    ] {
        let done = sandbox.run(&format!("lint {options} --format json")).assert_status(status);
        assert_eq!(codes(&done), pairs(want), "{options}");
    }
    sandbox
        .run("lint --select HX1")
        .assert_status(2)
        .assert_stderr(&["no code starts with \"HX1\"; hookbench explain lists the codes"]);
    sandbox.run("lint --select HW3O1").assert_status(2).assert_stderr(&["did you mean HW301?"]);
    sandbox
        .run("lint --fix --format sarif")
        .assert_status(2)
        .assert_stderr(&["--fix supports --format text and json only"]);
    sandbox.run("lint --yes").assert_status(2).assert_stderr(&["--fix"]);
}

#[test]
fn severity_levels_of_the_user() {
    let sandbox = faulty();
    let severities = |options: &str| -> Vec<String> {
        let doc = sandbox.run(&format!("lint {options} --format json")).json();
        let all = doc["diagnostics"].as_array().unwrap();
        all.iter().map(|d| d["severity"].as_str().unwrap().to_owned()).collect()
    };
    for (text, options, want) in [
        ("[lint]\nHW301 = \"warning\"\n", "", vec!["warning", "warning"]),
        ("[lint]\nHW301 = \"off\"\n", "", vec![]),
        ("[lint]\nHW301 = \"off\"\n", "--select HW3", vec![]),
        ("[lint]\nHW301 = \"off\"\n", "--select HW301", vec!["error", "error"]),
        ("[lint]\nHW = \"off\"\nHW301 = \"info\"\n", "", vec!["info", "info"]),
    ] {
        config(&sandbox, text);
        assert_eq!(severities(options), want, "{text} {options}");
    }
    config(&sandbox, "[lint]\nHW301 = \"warning\"\n");
    sandbox.run("lint").assert_status(0);
    config(&sandbox, "[lint]\nHW301 = \"fatal\"\nHX = \"off\"\n");
    let done = sandbox.run("lint --format json").assert_status(1);
    let done = done
        .assert_stderr(&["config.toml:2:9: lint.HW301 must be one of", "config.toml:3:1: no code starts with \"HX\""]);
    assert_eq!(codes(&done), pairs(&[("HW301", 4), ("HW301", 5)]), "what is wrong is named, and the rest holds");
}

/// A finding that is allowed with a reason is hidden. An allowance without a reason, or for an absent finding, is
/// reported.
#[test]
fn findings_are_allowed_with_a_reason() {
    let sandbox = faulty();
    let entry = |rest: &str| format!("[[allow]]\ncode = \"HW301\"\nfile = \".claude/settings.json\"\n{rest}");
    let both: &[(&str, u64)] = &[("HW301", 4), ("HW301", 5)];
    for (text, want, allowed) in [
        (entry("reason = \"a test\"\n"), &[][..], 2),
        (entry("matcher = \"bash\"\nreason = \"a test\"\n"), &[("HW301", 5)], 1),
        (entry("hook = \"ok.sh\"\nreason = \"a test\"\n"), &[], 2),
        (entry("hook = \"other.sh\"\nreason = \"a test\"\n"), &[("HW301", 4), ("HW301", 5), ("allow/unused", 1)], 0),
        (entry("reason = \" \"\n"), &[("HW301", 4), ("HW301", 5), ("allow/no-reason", 1)], 0),
        (entry("why = \"a test\"\n"), &[("HW301", 4), ("HW301", 5), ("allow/broken", 4)], 0),
        ("[[allow]]\ncode = \"HW3\"\n".to_owned(), &[("HW301", 4), ("HW301", 5), ("allow/broken", 2)], 0),
        ("[[allow\n".to_owned(), &[("HW301", 4), ("HW301", 5), ("allow/broken", 1)], 0),
        ("allows = 1\n".to_owned(), &[("HW301", 4), ("HW301", 5), ("allow/broken", 1)], 0),
        (String::new(), both, 0),
    ] {
        sandbox.file(".hookbench.toml", &text);
        let done = sandbox.run("lint --format json");
        assert_eq!(codes(&done), pairs(want), "{text}");
        assert_eq!(done.json()["allowed"].as_array().map_or(0, Vec::len), allowed, "{text}");
    }
    sandbox.file(".hookbench.toml", entry("reason = \"a test\"\n"));
    let done = sandbox.run("lint").assert_status(0);
    assert!(done.stdout.contains("2 allowed with a reason"), "{done}");
    let doc = sandbox.run("lint --format json").json();
    assert_eq!(doc["allowed"][0]["reason"], "a test");
    // If only one agent is checked, an unused allowance cannot be detected.
    sandbox.file(".hookbench.toml", entry("hook = \"other.sh\"\nreason = \"a test\"\n"));
    assert_eq!(codes(&sandbox.run("lint --agent claude --format json")), pairs(both));
}

/// A comment in a script allows a finding on its line, on the next line, or in the whole file.
#[test]
fn comments_in_scripts_allow_findings() {
    let sandbox = Sandbox::for_agent("claude");
    let hook = json!({"type": "command", "command": "sh hooks/policy.sh"});
    sandbox.settings(&json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}).to_string());
    let unused = |script: &str| {
        sandbox.script("hooks/policy.sh", script);
        codes(&sandbox.run("lint --format json"))
            .into_iter()
            .filter(|(code, _)| code.starts_with("allow/"))
            .collect::<Vec<_>>()
    };
    let none: Vec<(String, u64)> = Vec::new();
    assert_eq!(unused("#!/bin/sh\n# hookbench: allow HW301 because it is a test\n:\n"), pairs(&[("allow/unused", 2)]));
    assert_eq!(unused("#!/bin/sh\n: # hookbench: allow HW301\n"), pairs(&[("allow/no-reason", 2)]));
    assert_eq!(unused("#!/bin/sh\n: # hookbench: allow HX because x\n"), pairs(&[("allow/broken", 2)]));
    assert_eq!(unused("#!/bin/sh\n: # hookbench: allow because x\n"), pairs(&[("allow/broken", 2)]));
    assert_eq!(unused("#!/bin/sh\necho 'hookbench: allow HW301'\n"), none, "no comment");
    // In settings files with comments, the comment is placed beside the matcher.
    let gemini = Sandbox::for_agent("gemini");
    gemini.file(
        ".gemini/settings.json",
        "{\"hooks\": {\"BeforeTool\": [\n  // hookbench: allow HW301 because it is a test\n  {\"matcher\": \"^Run_shell_command$\", \"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}\n]}}\n",
    );
    let done = gemini.run("lint --format json");
    assert!(!codes(&done).iter().any(|(code, _)| code.starts_with("allow/") || code == "HW301"), "{done}");
    assert_eq!(done.json()["allowed"][0]["code"], "HW301", "{done}");
}

/// A baseline recognises a finding when its line moves, as many times as it was recorded.
#[test]
fn a_baseline_outlives_moved_lines() {
    let sandbox = faulty();
    let done = sandbox.run("lint --write-baseline known.json").assert_status(0);
    assert_eq!(done.stdout.trim(), "2 findings written to known.json; `hookbench lint --baseline` ignores them");
    let done = sandbox.run("lint --baseline known.json --format json").assert_status(0);
    assert_eq!((codes(&done), &done.json()["baseline"]), (Vec::new(), &json!({"known": 2, "gone": 0})));
    sandbox.settings(&format!("\n\n{}", FAULTY.replace("      {\"matcher\": \"bash\"", "  {\"matcher\": \"bash\"")));
    sandbox.run("lint --baseline known.json").assert_status(0);
    // One new finding, and one that was fixed.
    sandbox.settings(&FAULTY.replace("\"bash\"", "\"edit\"").replace("\"write\"", "\"Write\""));
    let done = sandbox.run("lint --baseline known.json --format json").assert_status(1);
    assert_eq!((codes(&done), &done.json()["baseline"]), (pairs(&[("HW301", 4)]), &json!({"known": 0, "gone": 2})));
    let done = sandbox.run("lint --baseline known.json").assert_status(1);
    assert!(done.stdout.contains("2 of the baseline fixed"), "{done}");
    sandbox.file("other.json", "{}");
    sandbox
        .run("lint --baseline other.json")
        .assert_status(5)
        .assert_stderr(&["other.json: this is not a baseline of findings"]);
    sandbox.run("lint --baseline none.json").assert_status(5).assert_stderr(&["none.json: "]);
}

#[test]
fn files_that_are_named() {
    let sandbox = faulty();
    sandbox.file("README.md", "# x\n");
    sandbox
        .run("lint README.md")
        .assert_status(2)
        .assert_stderr(&["README.md: no agent reads this file in this project, and it has no hooks"]);
    sandbox.file("plugin/hooks/hooks.json", "{\"hooks\": {\"Stop\": []}}\n");
    sandbox.run("lint plugin/hooks/hooks.json").assert_status(2).assert_stderr(&["after its installation"]);
    // Beside a file that is checked, it is only a remark.
    let both = sandbox.run("lint README.md .claude/settings.json");
    both.assert_status(1).assert_stderr(&["README.md: no agent reads this file in this project, and it has no hooks"]);
    sandbox.run("lint hooks").assert_status(5).assert_stderr(&["hooks: this is a directory"]);
    let quiet = sandbox.run("lint hooks/ok.sh --format json").assert_status(0);
    assert_eq!((codes(&quiet), quiet.stderr.as_str()), (Vec::new(), ""), "a script of a hook is looked at");
    let done = sandbox.run("lint .claude/settings.json --format json").assert_status(1);
    assert_eq!(codes(&done), pairs(&[("HW301", 4), ("HW301", 5)]));
}

/// A fix is shown first, written on request, and reverted exactly; comments, order and line endings stay.
#[test]
fn a_fix_changes_nothing_else() {
    let front = "---\nname: reviewer\ndescription: reviews # kept\nhooks:\n  PreToolUse:\n    # kept\n    - matcher: \"bash\"   # kept\n      hooks:\n        - type: command\n          command: \"true\"\n---\n\nbody \"bash\"\n";
    let toml = "# kept\nmodel = \"m\"\n\n[[hooks.PreToolUse]]\nmatcher = \"^bash$\" # kept\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = 'true'\n";
    let json = "{\r\n  // kept\r\n  \"hooks\": {\"BeforeTool\": [ /* kept */\r\n\t{\"matcher\": \"^Run_shell_command$\",\t\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}\r\n  ]}\r\n}\r\n";
    for (agent, file, before, wrong, right) in [
        ("claude", ".claude/settings.json", FAULTY, "\"bash\"", "\"Bash\""),
        ("claude", ".claude/skills/reviewer/SKILL.md", front, "\"bash\"   #", "\"Bash\"   #"),
        ("gemini", ".gemini/settings.json", json, "\"^Run_shell_command$\"", "\"^run_shell_command$\""),
        ("codex", ".codex/config.toml", toml, "\"^bash$\"", "\"^Bash$\""),
    ] {
        let sandbox = Sandbox::for_agent(agent);
        if agent == "codex" {
            sandbox.mark_reviewed(before);
        }
        sandbox.file(file, before);
        let path = sandbox.project.join(file);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let shows = sandbox.run("lint --fix --select HW301");
        assert_eq!(read(&sandbox, file), before, "{file}: shown only\n{shows}");
        assert!(shows.stdout.contains("add --yes to write the files"), "{file}\n{shows}");
        let done = sandbox.run("lint --fix --yes --select HW301").assert_status(0);
        let want = before.replace(wrong, right).replace("\"write\"", "\"Write\"");
        assert_eq!(read(&sandbox, file), want, "{file}\n{done}");
        assert!(codes(&sandbox.run("lint --select HW301 --format json")).is_empty(), "{file}");
        sandbox.run("undo --yes").assert_status(0);
        assert_eq!(read(&sandbox, file), before, "{file}");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640, "{file}");
    }
}

/// Several files form one step, in the list and on undo. If one file was changed meanwhile, none is reverted.
#[test]
fn several_files_are_one_step() {
    let sandbox = faulty();
    let user = sandbox.home.join(".claude/settings.json");
    fs::create_dir_all(user.parent().unwrap()).unwrap();
    fs::write(&user, FAULTY).unwrap();
    let done = sandbox.run("lint --fix --yes --format json").assert_status(0);
    let fixes = &done.json()["fixes"];
    assert_eq!(
        json!([fixes["written"], fixes["count"], fixes["files"].as_array().unwrap().len()]),
        json!([true, 4, 2])
    );
    let list = sandbox.run("undo --list").assert_status(0);
    assert!(
        list.stdout.contains("<project>/.claude/settings.json") && list.stdout.contains("<home>/.claude"),
        "{list}"
    );
    let doc = sandbox.run("undo --list --format json").assert_status(0).json();
    assert_eq!((doc["steps"].as_array().unwrap().len(), doc["steps"][0]["files"].as_array().unwrap().len()), (1, 2));
    let written = fs::read_to_string(&user).unwrap();
    fs::write(&user, "{}").unwrap();
    sandbox.run("undo --yes").assert_status(5).assert_stderr(&["has changed since"]);
    assert_ne!(read(&sandbox, ".claude/settings.json"), FAULTY, "all or none");
    fs::write(&user, written).unwrap();
    sandbox.run("undo --yes").assert_status(0);
    assert_eq!([fs::read_to_string(&user).unwrap(), read(&sandbox, ".claude/settings.json")], [FAULTY, FAULTY]);
    assert_eq!(sandbox.run("undo --list").assert_status(0).stdout.trim(), "nothing to undo");
}

/// If one file cannot be written, the other is not written either.
#[test]
fn fixes_are_written_all_or_none() {
    let sandbox = faulty();
    let directory = sandbox.home.join(".claude");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("settings.json"), FAULTY).unwrap();
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(directory.join("probe"), "").is_ok() {
        // Root can write everywhere, so the failure cannot be tested.
        return;
    }
    sandbox.run("lint --fix --yes").assert_status(5).assert_stderr(&["cannot be written"]);
    assert_eq!(read(&sandbox, ".claude/settings.json"), FAULTY);
    sandbox.run("undo --yes").assert_status(2);
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn output_of_fixes() {
    let sandbox = faulty();
    let all = ["--fix", "--fix --yes", "--format junit", "--format sarif --select HW301"];
    let done = all.map(|line| sandbox.run(&format!("lint {line}")));
    insta::assert_snapshot!("fix", outputs(&done));
}

/// Findings with one cause are counted one by one, also if they are on one line.
#[test]
fn findings_on_one_line_are_counted() {
    let hook = |name: &str| format!(r#"{{"type": "command", "command": "hooks/{name}.sh"}}"#);
    let hooks = ["a", "b", "c", "d", "e"].map(hook);
    for (separator, also) in [(", ", ":1:110, :1:156, :1:202 and 1 more"), (",\n", ":2, :3, :4 and 1 more")] {
        let sandbox = Sandbox::for_agent("claude");
        sandbox.settings(&format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{}]}}]}}}}"#, hooks.join(separator)));
        for name in ["a", "b", "c", "d", "e"] {
            sandbox.script(&format!("hooks/{name}.sh"), "#!/bin/sh\nexit 0\n");
        }
        let short = sandbox.run("lint --select HW404 --format short");
        assert!(short.stdout.contains("(and 4 more)"), "{short}");
        let text = sandbox.run("lint --select HW404");
        assert!(text.stdout.contains(also), "{also}: {text}");
    }
}

#[test]
fn codes_are_explained() {
    let sandbox = Sandbox::new();
    let done = sandbox.run("explain HW301").assert_status(0);
    for title in ["Why it matters", "Good", "Tested against", "Evidence"] {
        assert!(done.stdout.contains(&format!("\n{title}\n")), "{title}\n{done}");
    }
    assert!(!done.stdout.contains('`'), "{done}");
    assert_eq!(sandbox.run("explain hw301").assert_status(0).stdout, done.stdout);
    let listed = sandbox.run("explain HW3").assert_status(0);
    assert!(listed.stdout.starts_with("HW301 ") && listed.stdout.lines().all(|l| l.starts_with("HW3")), "{listed}");
    let all = sandbox.run("explain").assert_status(0);
    assert!(all.stdout.lines().all(|line| line.starts_with("HW")), "{all}");
    sandbox
        .run("explain HW3O1")
        .assert_status(2)
        .assert_stderr(&["no code starts with \"HW3O1\"; did you mean HW301?"]);
    sandbox.run("explain nonsense").assert_status(2).assert_stderr(&["no code starts with \"nonsense\""]);
    sandbox.run("explain allow/unused").assert_status(2).assert_stderr(&["allow/unused has no page"]);
    let doc = sandbox.run("explain HW301 --format json").assert_status(0).json();
    assert_eq!(
        json!([doc["schema"], doc["pages"][0]["code"], doc["pages"][0]["fix"]]),
        json!(["explain/1", "HW301", "safe"])
    );
    assert!(doc["pages"][0]["sections"]["why_it_bites"].as_str().is_some_and(|text| !text.is_empty()));
}
