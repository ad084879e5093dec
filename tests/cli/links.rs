//! Links that lead out of a repository: nothing is written through them unless requested.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::project;
use crate::sandbox::Sandbox;

/// A project whose settings directory is a link into the home directory, with a file for each command to write to.
struct LinkedProject {
    sandbox: Sandbox,
    /// The user's own settings.
    own: PathBuf,
}

fn linked(directory: &str, file: &str, text: &str) -> LinkedProject {
    let sandbox = project("claude");
    let real = sandbox.home.join("elsewhere");
    fs::create_dir_all(&real).unwrap();
    let own = real.join(file);
    fs::write(&own, text).unwrap();
    let at = sandbox.project.join(directory);
    if at.exists() {
        for entry in fs::read_dir(&at).unwrap().flatten() {
            if !real.join(entry.file_name()).exists() {
                fs::copy(entry.path(), real.join(entry.file_name())).unwrap();
            }
        }
        fs::remove_dir_all(&at).unwrap();
    }
    symlink(&real, &at).unwrap();
    LinkedProject { sandbox, own }
}

/// Commands that write, their target files, and the flags for writing.
#[test]
fn nothing_is_written_through_a_link_that_leads_out() {
    let hook = |command: &str, matcher: &str| {
        json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}})
            .to_string()
    };
    let suite =
        "agent: claude\ncases:\n  - name: one\n    event: PreToolUse\n    tool: Bash\n    expect: { verdict: allow }\n";
    for (directory, file, text, shows, writes) in [
        (".gemini", "settings.json", "{}", "convert --from claude --to gemini", " --yes"),
        (".claude", "settings.json", "{}", "install --agent claude --scope project --dry-run", " --yes"),
        (".claude", "settings.json", &hook("sh hooks/guard.sh", "Bash"), "match Write --hook h1", " --yes"),
        (".claude", "settings.json", &hook("true", "bash"), "lint --fix --proposed", " --yes"),
        ("suites", "hooks.test.yaml", suite, "test suites/hooks.test.yaml --yes --update --dry-run", ""),
    ] {
        let LinkedProject { sandbox, own } = linked(directory, file, text);
        let write = format!("{}{writes}", shows.replace(" --dry-run", ""));
        let real = own.display().to_string();
        let dry = sandbox.run(shows);
        assert!(dry.raw.contains(&real), "{shows} shows where it would write:\n{dry}");
        let done = sandbox.run(&write);
        let told = done.to_string();
        assert!(told.contains("is a link out of the project") && told.contains("<home>/elsewhere"), "{write}:\n{done}");
        assert_eq!(fs::read_to_string(&own).unwrap(), *text, "{write}");
        let asked = sandbox.run(&format!("{write} --follow-links"));
        let now = fs::read_to_string(&own).unwrap();
        assert!(now != *text, "{write} --follow-links:\n{asked}");
        sandbox.run("undo --yes").assert_status(0);
        assert_eq!(fs::read_to_string(&own).unwrap(), *text, "undo of {write}");
    }
}

#[test]
fn undo_does_not_follow_a_link_that_came_later() {
    let sandbox = project("claude");
    sandbox.run("install --agent claude --scope project --yes").assert_status(0);
    let written = fs::read_to_string(sandbox.project.join(".claude/settings.json")).unwrap();
    let real = sandbox.home.join("elsewhere");
    fs::rename(sandbox.project.join(".claude"), &real).unwrap();
    symlink(&real, sandbox.project.join(".claude")).unwrap();
    sandbox.run("undo --yes").assert_status(5).assert_stderr(&["has changed since"]);
    assert_eq!(fs::read_to_string(real.join("settings.json")).unwrap(), written);
}

#[test]
fn a_baseline_is_not_written_through_a_link() {
    let sandbox = project("claude");
    let own = sandbox.home.join("own");
    fs::write(&own, "mine").unwrap();
    symlink(&own, sandbox.project.join("known.json")).unwrap();
    sandbox.run("lint --write-baseline known.json").assert_status(5).assert_stderr(&["this is a link to"]);
    assert_eq!(fs::read_to_string(&own).unwrap(), "mine");
}
