//! `hookbench portable`: where hooks and answers refuse, and what would.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// The effect of a hook or an answer in an agent.
fn effect_in<'d>(agents: &'d Value, agent: &str) -> &'d Value {
    let one = agents.as_array().unwrap().iter().find(|there| there["agent"] == agent);
    &one.unwrap_or_else(|| panic!("{agent} is missing: {agents}"))["effect"]
}

fn agents_with<'d>(agents: &'d Value, effect: &str) -> Vec<&'d str> {
    let of = agents.as_array().unwrap().iter().filter(|there| there["effect"] == effect);
    of.map(|there| there["agent"].as_str().unwrap()).collect()
}

#[test]
fn each_agent_judges_an_answer_by_its_own_rules() {
    let sandbox = Sandbox::new();
    let judged = |line: &str| {
        let done = sandbox.run(&format!("portable --format json {line}")).assert_status(1);
        done.json()["answers"][0]["agents"].clone()
    };
    for (line, refuses, passes) in [
        ("--status 2", &["claude", "copilot", "droid"][..], &["qwen", "gemini", "codex"][..]),
        ("--status 1 --stderr no", &["copilot"], &["claude", "qwen", "gemini", "codex", "droid"]),
        (
            r#"--stdout '{"decision":"block","reason":"no"}'"#,
            &["claude", "qwen", "gemini", "codex"],
            &["copilot", "droid"],
        ),
        (r#"--stdout '{"decision":"deny","reason":"no"}'"#, &["qwen", "gemini"], &["claude", "codex", "droid"]),
        (r#"--stdout '{"continue":false}'"#, &["qwen", "gemini", "droid"], &["claude", "codex", "copilot"]),
        ("--status 2 --stderr no --event stop", &["claude", "codex", "droid"], &["copilot"]),
    ] {
        let agents = judged(line);
        for agent in refuses {
            assert_eq!(effect_in(&agents, agent), "refuses", "{agent} after {line:?}");
        }
        for agent in passes {
            assert_eq!(effect_in(&agents, agent), "lets_pass", "{agent} after {line:?}");
        }
    }
    // What nobody observed is not assumed.
    let agents = judged(r#"--event UserPromptSubmit --stdout '{"decision":"block","reason":"no"}'"#);
    assert_eq!(effect_in(&agents, "droid"), "unknown");
}

#[test]
fn the_named_cure_refuses_where_the_answer_does_not() {
    let sandbox = Sandbox::new();
    let judged =
        |line: &str| sandbox.run(&format!("portable --format json {line}")).json()["answers"][0]["agents"].clone();
    let agents = judged(r#"--stdout '{"cancel": true}'"#);
    let mut cures = 0;
    for there in agents.as_array().unwrap() {
        let Some(cure) = there["cure"].as_str() else { continue };
        let agent = there["agent"].as_str().unwrap();
        let line = match cure.strip_prefix("print ").and_then(|rest| rest.strip_suffix(" and exit with 0")) {
            Some(printed) => format!("--stdout '{printed}'"),
            None => {
                assert_eq!(cure, "write the reason to stderr and exit with 2");
                "--status 2 --stderr no".to_owned()
            }
        };
        assert_eq!(effect_in(&judged(&line), agent), "refuses", "{agent}: {cure}");
        cures += 1;
    }
    assert!(cures >= 6, "only {cures} agents have a cure");
}

#[test]
fn a_hook_is_followed_into_every_agent() {
    let sandbox = Sandbox::new();
    sandbox.script("hooks/guard.sh", "#!/bin/sh\ngrep -q rm && { echo 'no rm' >&2; exit 2; }\nexit 0\n");
    let nested = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}"#;
    sandbox.script("hooks/policy.sh", &format!("#!/bin/sh\ngrep -q rm || exit 0\necho '{nested}'\n"));
    sandbox.script("hooks/note.sh", "#!/bin/sh\ncat >/dev/null\necho seen\n");
    let hook = |script: &str| json!({"type": "command", "command": format!("sh hooks/{script}")});
    let settings = json!({"hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [hook("guard.sh"), hook("policy.sh"), hook("note.sh")]}],
        "PostToolBatch": [{"hooks": [hook("guard.sh")]}],
    }});
    sandbox.settings(&settings.to_string());
    let doc = sandbox.run("portable --format json").assert_status(0).json();
    let hooks = doc["hooks"].as_array().unwrap();
    let of = |name: &str, event: &str| hooks.iter().find(|one| one["name"] == name && one["event"] == event).unwrap();

    let guard = of("guard.sh", "PreToolUse");
    let refusal = json!([{"status": 2, "stdout": "", "stderr": "no rm\n", "place": "hooks/guard.sh:2"}]);
    assert_eq!(guard["refusals"], refusal);
    for agent in ["claude", "qwen", "gemini", "codex", "droid"] {
        assert_eq!(effect_in(&guard["agents"], agent), "refuses", "{agent}");
    }
    let policy = of("policy.sh", "PreToolUse");
    assert_eq!(effect_in(&policy["agents"], "claude"), "refuses");
    assert_eq!(effect_in(&policy["agents"], "gemini"), "lets_pass");
    // A hook without a refusal is not said to refuse.
    let note = of("note.sh", "PreToolUse");
    assert_eq!((&note["refusals"], effect_in(&note["agents"], "claude")), (&json!([]), &json!("runs")));
    let late = of("guard.sh", "PostToolBatch");
    assert!(agents_with(&late["agents"], "never_runs").contains(&"gemini"), "{late}");

    let text = sandbox.run("portable policy.sh").assert_status(1).raw;
    assert!(text.contains("hooks/policy.sh:3") && text.contains("lets pass"), "{text}");
    // The conversion names the same loss.
    let converted = sandbox.run("convert --from claude --to gemini").assert_status(1).raw;
    assert!(converted.contains("hooks/policy.sh:3: its refusal has no effect"), "{converted}");
    let adapted = sandbox.run("convert --from claude --to gemini --adapt").raw;
    assert!(!adapted.contains("its refusal has no effect"), "{adapted}");
}

/// A script may answer each agent in its own words, or look for names that only one agent has.
#[test]
fn a_script_is_read_as_the_other_agent_would_start_it() {
    let sandbox = Sandbox::new();
    let both = "import json, sys\nevent = json.load(sys.stdin)\nif 'rm' in event['tool_input']['command']:\n    \
                if event['hook_event_name'] == 'BeforeTool':\n        print(json.dumps({'decision': 'deny', 'reason': \
                'no'}))\n    else:\n        print('no', file=sys.stderr)\n        sys.exit(2)\n";
    sandbox.script("hooks/both.py", both);
    let named = "import json, sys\nevent = json.load(sys.stdin)\nif event['tool_name'] == 'Bash':\n    \
                 print('no', file=sys.stderr)\n    sys.exit(2)\n";
    sandbox.script("hooks/named.py", named);
    let hook = |script: &str| json!({"type": "command", "command": format!("python3 hooks/{script}")});
    let path = "import json, sys\nevent = json.load(sys.stdin)\nif event['tool_input']['file_path'] == '.env':\n    \
                print('no', file=sys.stderr)\n    sys.exit(2)\n";
    sandbox.script("hooks/path.py", path);
    let hooks = [hook("both.py"), hook("named.py")];
    sandbox.settings(
        &json!({"hooks": {"PreToolUse": [
            {"matcher": "Bash", "hooks": hooks},
            {"matcher": "Edit|Write", "hooks": [hook("path.py")]},
        ]}})
        .to_string(),
    );
    let doc = sandbox.run("portable --format json").assert_status(0).json();
    let agents = |index: usize| &doc["hooks"][index]["agents"];
    assert_eq!(doc["hooks"][0]["refusals"][0]["status"], 2);
    assert_eq!(effect_in(agents(0), "gemini"), "refuses");
    assert_eq!(effect_in(agents(1), "claude"), "refuses");
    assert_eq!(effect_in(agents(1), "gemini"), "unknown");
    let gemini = agents(1).as_array().unwrap().iter().find(|there| there["agent"] == "gemini").unwrap();
    let loss = gemini["losses"][0].as_str().unwrap();
    assert!(loss.starts_with("hooks/named.py:3: ") && loss.contains("Bash"), "{loss}");
    // Files are changed by a tool there whose input has no path.
    assert_eq!([effect_in(agents(2), "qwen"), effect_in(agents(2), "codex")], ["refuses", "unknown"]);
}

#[test]
fn an_unknown_hook_and_mixed_modes_are_errors() {
    let sandbox = Sandbox::new();
    sandbox
        .run("portable nothing.sh")
        .assert_status(2)
        .assert_stderr(&["no hook has the id, name or place \"nothing.sh\""]);
    sandbox.run("portable h1 --answers").assert_status(2);
    sandbox.run("portable h1 --status 2").assert_status(2);
    sandbox.run("portable --event stop").assert_status(2).assert_stderr(&["--answers"]);
    sandbox
        .run("portable --status 2 --event Nothing")
        .assert_status(2)
        .assert_stderr(&["no agent has an event Nothing"]);
}
