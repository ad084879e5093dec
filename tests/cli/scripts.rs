//! An agent whose hooks are scripts: what is written for it, and what is not.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::sandbox::Sandbox;

/// A guard of the project, whose language is that of a shell line.
const HOOK: &str = "#!/bin/bash\nif grep -q 'rm -rf'; then echo '{\"cancel\": true, \"errorMessage\": \"no\"}'; fi\n";

/// A hook needs no right to execute, and its answer counts whatever its status is.
#[test]
fn a_file_with_the_name_of_an_event_is_a_hook() {
    let sandbox = Sandbox::for_agent("cline");
    sandbox.file(".clinerules/hooks/pretooluse", HOOK);
    for (command, verdict) in [("rm -rf build", "deny"), ("ls", "no_objection")] {
        let input = json!({ "commands": [command] });
        let line = format!("fire PreToolUse --agent cline --tool run_commands --input '{input}' --yes --format json");
        let fired = sandbox.run(&line).assert_status(0).json();
        assert_eq!(fired["outcome"]["verdict"], verdict, "{fired:#}");
    }
}

/// Each event has its own script, which is removed with the entry. A script of the user is not changed.
#[test]
fn install_writes_a_script_for_each_event() {
    let sandbox = Sandbox::for_agent("cline");
    symlink(env!("CARGO_BIN_EXE_hookbench"), sandbox.project.parent().unwrap().join("bin/hookbench")).unwrap();
    let folder = sandbox.home.join(".cline/hooks");
    sandbox.run("install --agent cline --yes").assert_status(0);
    let script = fs::read_to_string(folder.join("PreToolUse.sh")).unwrap();
    assert!(script.starts_with("#!/bin/sh\n") && script.ends_with(" forward --agent cline\n"), "{script}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 9);
    sandbox.run("install --agent cline --yes").assert_status(0);
    assert_eq!(fs::read_to_string(folder.join("PreToolUse.sh")).unwrap(), script);
    sandbox.run("uninstall --agent cline --yes").assert_status(0);
    assert!(!folder.join("PreToolUse.sh").exists());
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("PreToolUse.sh"), HOOK).unwrap();
    let refused = sandbox.run("install --agent cline --yes");
    refused.assert_status(5).assert_stderr(&["this file is a hook already, and a file is only one"]);
    assert_eq!(fs::read_to_string(folder.join("PreToolUse.sh")).unwrap(), HOOK);
}

/// Nothing can be converted to scripts; a script is converted to other agents.
#[test]
fn conversion_from_scripts_only() {
    let sandbox = Sandbox::for_agent("cline");
    sandbox.file(".clinerules/hooks/PreToolUse", HOOK);
    let hook = json!({"type": "command", "command": "true"});
    sandbox.file(".claude/settings.json", json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string());
    let refused = sandbox.run("convert --from claude --to cline");
    refused.assert_stderr(&[
        "Cline has no settings with hooks: each hook is a file",
        "the script has to read the tool's name",
    ]);
    let made = sandbox.run("convert --from cline --to claude --layer project").stdout;
    assert!(made.contains("PreToolUse"), "{made}");
}
