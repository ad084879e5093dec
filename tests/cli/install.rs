//! `hookbench install` and `hookbench uninstall`: an agent's settings before, with entries, and after.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use hookbench::core::dialects::{self, Agent, default_version};
use serde_json::{Value, json};

use crate::agent_words;
use crate::sandbox::{ProgramOutput, Sandbox, write_program};

/// A sandbox in which PATH has the tested program.
fn sandbox(agent: &str) -> Sandbox {
    let sandbox = Sandbox::for_agent(agent);
    symlink(env!("CARGO_BIN_EXE_hookbench"), sandbox.project.parent().unwrap().join("bin/hookbench")).unwrap();
    sandbox
}

/// The agents with settings in JSON.
fn each(test: impl Fn(&'static Agent)) {
    dialects::released().filter(|dialect| dialect.settings_format().form().list.is_none()).for_each(test);
}

/// Entries of a list in TOML are added at its end, and their removal restores the file.
#[test]
fn toml_settings_are_restored() {
    let sandbox = sandbox("kimi");
    let file = settings(&sandbox, "user");
    let own = "[[hooks]] # mine\nevent = \"Stop\"\ncommand = \"true\"\n";
    for text in [String::new(), "a = 1".to_owned(), format!("{own}\n[t]\nb = 2 # c\n"), own.to_owned()] {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, &text).unwrap();
        sandbox.run("install --agent kimi --yes").assert_status(0);
        let once = fs::read_to_string(&file).unwrap();
        assert!(once.contains("[[hooks]]\nevent = \"PreToolUse\"\ncommand = "), "{once}");
        let listed = sandbox.run("list --agent kimi --format json").assert_status(0).json();
        assert_eq!(listed["agents"][0]["diagnostics"], json!([]), "{once}");
        let again = sandbox.run("install --agent kimi --yes").assert_status(0);
        assert!(again.stdout.contains("nothing to do"), "{again}");
        sandbox.run("uninstall --agent kimi --yes").assert_status(0);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        // Without its record, the entries are still found.
        fs::write(&file, once.replace("a = 1", "a = 2")).unwrap();
        sandbox.run("uninstall --agent kimi --yes").assert_status(0);
        let left = fs::read_to_string(&file).unwrap();
        assert_eq!(left.trim_end(), text.replace("a = 1", "a = 2").trim_end());
    }
    fs::write(&file, "hooks = []\n").unwrap();
    let refused = sandbox.run("install --agent kimi --yes").assert_status(5);
    refused.assert_stderr(&["`hooks` is a list, but must be tables: [[hooks]]", "othing was written"]);
}

fn settings(sandbox: &Sandbox, scope: &str) -> PathBuf {
    if scope == "project" {
        return sandbox.project.join(sandbox.settings_file());
    }
    // The directory of one agent has another name in the home directory.
    sandbox.home.join(sandbox.settings_file().replace(".github/copilot", ".copilot"))
}

/// Returns true if the agent can parse settings with this syntax.
fn reads(dialect: &Agent, text: &str) -> bool {
    let syntax = dialect.settings_format().syntax;
    (syntax.comments || !(text.contains("//") || text.contains("/*"))) && (syntax.bom || !text.starts_with('\u{feff}'))
}

/// Returns the handlers of every event in a file.
fn entries(text: &str) -> Vec<(String, Value)> {
    let root: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
    let mut out = Vec::new();
    for (event, groups) in root["hooks"].as_object().into_iter().flatten() {
        for handler in groups.as_array().unwrap().iter().flat_map(|group| group["hooks"].as_array().unwrap()) {
            out.push((event.clone(), handler.clone()));
        }
    }
    out
}

const FILES: [&str; 13] = [
    "",
    "\n",
    "{}",
    "{ }\n",
    "\u{feff}{\n  \"a\": 1\n}\n",
    "{ \"a\": 1 }",
    "{\"hooks\":{}}",
    "{\n    \"hooks\": { },\n    \"a\": [1,2]\n}\n",
    "{\n\t\"hooks\": {\n\t\t\"@stop\": []\n\t}\n}\n",
    "{\r\n  \"hooks\": {\r\n    \"@tool\": [\r\n      {\"matcher\": \"@shell\", \"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}\r\n    ]\r\n  }\r\n}\r\n",
    "{\"hooks\":{\"@stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"true\"}]}],\"@tool\":[]},\"z\":\"// no\"}",
    "// mine\n{\n  /* a */ \"a\": 1, // b\n  \"hooks\": {\n    // why\n    \"@stop\": [\n      { \"hooks\": [ { \"type\": \"command\", \"command\": \"true\" } ] } // c\n      // d\n    ]\n    /* e */\n  } // f\n}\n// g\n",
    "{ \"hooks\": { /* none */ } } // end",
];

/// S-T31.
#[test]
fn install_twice_and_uninstall_restores_the_file() {
    each(|dialect| {
        let agent = dialect.id();
        let sandbox = sandbox(agent.as_str());
        for scope in ["user", "project"] {
            let file = settings(&sandbox, scope);
            for text in FILES.map(|text| sandbox.in_agent_words(text)) {
                if !reads(dialect, &text) {
                    continue;
                }
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(&file, &text).unwrap();
                fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
                sandbox.run(&format!("install --agent {agent} --scope {scope} --yes")).assert_status(0);
                let once = fs::read_to_string(&file).unwrap();
                assert_ne!(once, text);
                let again = sandbox.run(&format!("install --agent {agent} --scope {scope} --yes")).assert_status(0);
                assert!(again.stdout.contains("nothing to do"), "{again}");
                assert_eq!(fs::read_to_string(&file).unwrap(), once);
                let lines = |text: &str| (text.matches("\r\n").count(), text.matches('\n').count());
                if let (crlf @ 1.., all) = lines(&text) {
                    assert!(crlf == all && lines(&once).0 == lines(&once).1, "{once:?}");
                }
                let gone = sandbox.run(&format!("uninstall --agent {agent} --scope {scope} --yes")).assert_status(0);
                assert_eq!(fs::read_to_string(&file).unwrap(), text, "{gone}");
                assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
                let nothing = sandbox.run(&format!("uninstall --agent {agent} --scope {scope} --yes")).assert_status(0);
                assert!(nothing.stdout.contains("the file has no forwarding hooks"), "{nothing}");
                // `undo` also reverts both steps.
                sandbox.run("undo --yes").assert_status(0);
                assert_eq!(fs::read_to_string(&file).unwrap(), once);
                sandbox.run("undo --yes").assert_status(0);
                assert_eq!(fs::read_to_string(&file).unwrap(), text);
            }
            fs::remove_file(&file).unwrap();
        }
    });
}

#[test]
fn uninstall_removes_a_new_file() {
    each(|dialect| {
        let agent = dialect.id();
        let sandbox = sandbox(agent.as_str());
        for scope in ["user", "project"] {
            let file = settings(&sandbox, scope);
            let directory_there = file.parent().unwrap().exists();
            let run = |line: &str| sandbox.run(&format!("{line} --agent {agent} --scope {scope}"));
            run("install --yes").assert_status(0);
            let made = fs::read_to_string(&file).unwrap();
            let gone = run("uninstall --yes").assert_status(0);
            assert!(gone.stdout.contains("removed, because install created it"), "{gone}");
            assert_eq!((file.exists(), file.parent().unwrap().exists()), (false, directory_there), "{agent} {scope}");
            sandbox.run("undo --yes").assert_status(0);
            assert_eq!(fs::read_to_string(&file).unwrap(), made);
            // If another key was added, the file stays with that key.
            fs::write(&file, made.replacen('{', "{ \"mine\": 1,", 1)).unwrap();
            run("uninstall --yes").assert_status(0);
            let left: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
            assert_eq!(left, json!({"mine": 1}));
            fs::remove_file(&file).unwrap();
        }
    });
}

/// The installed events and their time limits in the agent's unit, and that the agent accepts the entries.
#[test]
fn what_is_installed() {
    each(|dialect| {
        let agent = dialect.id();
        let sandbox = sandbox(agent.as_str());
        let done = sandbox.run(&format!("install --agent {agent} --yes --format json")).assert_status(0).json();
        let text = fs::read_to_string(settings(&sandbox, "user")).unwrap();
        let found = entries(&text);
        let live = dialect.live_format();
        let wanted: Vec<&str> = dialect.events(&default_version(dialect)).iter().map(|event| event.name).collect();
        let left = |event: &&str| live.unsafe_events.contains(event) || live.frequent.contains(event);
        let names: Vec<&str> = found.iter().map(|(event, _)| event.as_str()).collect();
        assert_eq!(names, wanted.iter().copied().filter(|e| !left(e)).collect::<Vec<_>>());
        let left_out: Vec<&str> =
            done["left_out"].as_array().unwrap().iter().map(|l| l["event"].as_str().unwrap()).collect();
        assert_eq!(left_out, wanted.iter().copied().filter(|e| left(e)).collect::<Vec<_>>());
        let words = agent_words::words_of(agent.as_str());
        for (event, handler) in &found {
            assert_eq!(
                (&handler["type"], &handler["command"]),
                (&json!("command"), &json!(format!("hookbench forward --agent {agent}")))
            );
            let second = |event: &str| {
                if event == words.tool {
                    300
                } else if event == words.prompt {
                    30
                } else if event == words.stop {
                    120
                } else if event == words.end {
                    3
                } else {
                    return None;
                }
                .into()
            };
            if let Some(seconds) = second(event) {
                let seconds: u32 = seconds;
                assert_eq!(handler["timeout"], json!(seconds * words.second), "{event}");
            }
        }
        assert_eq!((done["schema"].as_str(), done["written"].as_bool()), (Some("install/1"), Some(true)));
        let standing = done["standing"].as_array().unwrap();
        assert_eq!(standing.len(), found.len());
        for entry in standing {
            // For an agent that requires a review of hooks, the new entries are unreviewed.
            let problem = entry["problem"]["kind"].as_str();
            assert_eq!(problem, words.review.map(|_| "untrusted"), "{entry}");
        }
    });
}

#[test]
fn untrusted_entries_are_reported_with_help() {
    each(|dialect| {
        let agent = dialect.id();
        let sandbox = sandbox(agent.as_str());
        let done = sandbox.run(&format!("install --agent {agent} --yes")).assert_status(0);
        let says = done.stdout.contains("installed, not yet trusted");
        assert_eq!(says, agent_words::words_of(agent.as_str()).review.is_some(), "{done}");
        assert_eq!(done.stdout.contains("review it in"), says, "{done}");
    });
}

/// An agent in which a failing hook denies warns of the program's removal, and names the command that prevents it.
#[test]
fn the_removal_of_hookbench_is_warned_of_where_it_denies_calls() {
    each(|dialect| {
        let agent = dialect.id();
        let sandbox = sandbox(agent.as_str());
        let denies = dialect.events(&default_version(dialect)).iter().any(|event| dialect.failure_blocks(event));
        for (scope, line) in [("user", "uninstall --agent"), ("project", "--scope project before")] {
            let done = sandbox.run(&format!("install --agent {agent} --scope {scope} --yes")).assert_status(0);
            let page = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(page.contains("denies every tool call while hookbench is missing"), denies, "{done}");
            assert_eq!(page.contains(line), denies, "{done}");
        }
        let stop = agent_words::words_of(agent.as_str()).stop;
        let done = sandbox.run(&format!("install --agent {agent} --events {stop} --dry-run")).assert_status(0);
        assert!(!done.stdout.contains("while hookbench is missing"), "no hook before a tool: {done}");
    });
}

/// S-T32, and events that do not exist or cannot be installed.
#[test]
fn events_by_name() {
    let sandbox = sandbox("claude");
    for (events, status, says) in [
        ("WorktreeCreate", 2, "WorktreeCreate is never installed"),
        ("worktree_create", 2, "WorktreeCreate is never installed"),
        ("PreToolUs", 2, "has no event PreToolUs; did you mean PreToolUse?"),
        (",", 2, "--events is empty: name at least one event"),
        ("MessageDisplay,stop,Stop,pre_tool_use", 0, ""),
    ] {
        sandbox
            .run(&format!("install --agent claude --events {events} --yes"))
            .assert_status(status)
            .assert_stderr(&[says]);
    }
    let found = entries(&fs::read_to_string(settings(&sandbox, "user")).unwrap());
    let names: Vec<&str> = found.iter().map(|(event, _)| event.as_str()).collect();
    assert_eq!(names, ["MessageDisplay", "Stop", "PreToolUse"]);
    // Installs another event, and uninstalls everything at once.
    sandbox.run("install --agent claude --events session_end --yes").assert_status(0);
    assert_eq!(entries(&fs::read_to_string(settings(&sandbox, "user")).unwrap()).len(), 4);
    sandbox.run("uninstall --agent claude --yes").assert_status(0);
    assert!(!settings(&sandbox, "user").exists());
}

#[test]
fn nothing_is_written_without_a_yes() {
    each(|dialect| {
        let agent = dialect.id();
        let sandbox = sandbox(agent.as_str());
        let file = settings(&sandbox, "project");
        let shown = |done: &ProgramOutput| {
            assert!(done.stdout.contains("hookbench forward --agent"), "{done}");
            assert!(!file.exists());
        };
        let asked = sandbox.run_with(&format!("install --agent {agent} --scope project"), b"y\n").assert_status(4);
        asked.assert_stderr(&["nothing was written"]);
        shown(&sandbox.run(&format!("install --agent {agent} --scope project --dry-run")).assert_status(0));
        let json =
            sandbox.run(&format!("install --agent {agent} --scope project --format json")).assert_status(4).json();
        assert_eq!((&json["changes"], &json["written"]), (&json!(true), &json!(false)));
        sandbox.run(&format!("install --agent {agent} --yes --dry-run")).assert_status(2);
        assert!(!sandbox.home.join("state/hookbench").exists(), "nothing is remembered of what was not done");
    });
}

#[test]
fn files_that_cannot_be_changed() {
    each(|dialect| {
        let agent = dialect.id();
        let sandbox = sandbox(agent.as_str());
        let file = sandbox.settings_file();
        for (text, says) in [
            (&b"{ \"a\": 1,\n  nope }"[..], ":2:"),
            (b"[]", "the file is a list, but must be an object"),
            (b"{\"hooks\": []}", "`hooks` is a list, but must be an object"),
            (b"{\"hooks\": {\"@stop\": {}}}", "is an object, but must be a list"),
            (b"{\"a\": \"\xff\"}", "it is not UTF-8"),
        ] {
            let text = match std::str::from_utf8(text) {
                Ok(text) => sandbox.in_agent_words(text).into_bytes(),
                Err(_) => text.to_vec(),
            };
            sandbox.file(file, &text);
            let done = sandbox.run(&format!("install --agent {agent} --scope project --yes")).assert_status(5);
            done.assert_stderr(&[file, says, "othing was written"]);
            assert_eq!(fs::read(sandbox.project.join(file)).unwrap(), text);
        }
    });
}

/// Entries use the program's name if PATH leads to it, else its path, quoted for the shell.
#[test]
fn command_line_of_entries() {
    each(|dialect| {
        let agent = dialect.id();
        let sandbox = Sandbox::for_agent(agent.as_str());
        let line = format!("install --agent {agent} --events {} --yes", agent_words::words_of(agent.as_str()).stop);
        let command = || entries(&fs::read_to_string(settings(&sandbox, "user")).unwrap())[0].1["command"].clone();
        let real = fs::canonicalize(env!("CARGO_BIN_EXE_hookbench")).unwrap();
        let done = sandbox.run(&line).assert_status(0);
        assert!(done.stdout.contains("hookbench is not on PATH"), "{done}");
        assert_eq!(command(), json!(format!("{} forward --agent {agent}", real.display())));
        // Another program with that name does not count.
        sandbox.script("../bin/hookbench", "#!/bin/sh\n");
        let done = sandbox.run(&line).assert_status(0);
        assert!(done.stdout.contains("hookbench on PATH is"), "{done}");
        let bin = sandbox.project.parent().unwrap().join("bin");
        fs::remove_file(bin.join("hookbench")).unwrap();
        symlink(&real, bin.join("hookbench")).unwrap();
        let done = sandbox.run(&line).assert_status(0);
        assert!(done.stdout.contains("updated"), "{done}");
        assert_eq!(command(), json!(format!("hookbench forward --agent {agent}")));
        sandbox.run(&format!("uninstall --agent {agent} --yes")).assert_status(0);
        assert!(!settings(&sandbox, "user").exists());
        // The program under another name, in a directory with a space.
        let other = sandbox.home.join("my tools/it's");
        fs::create_dir(other.parent().unwrap()).unwrap();
        write_program(&other, &fs::read(&real).unwrap());
        let args = line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let run = |args: &[String]| {
            fs::remove_file(bin.join("hookbench")).ok();
            let mut command = std::process::Command::new(&other);
            command.args(args).current_dir(&sandbox.project).env_clear().envs(sandbox.env());
            let done = command.output().unwrap();
            assert!(done.status.success(), "{done:?}");
        };
        run(&args);
        let quoted = format!("'{}' forward --agent {agent}", other.display().to_string().replace('\'', r"'\''"));
        assert_eq!(command(), json!(quoted));
        run(&args);
        assert_eq!(entries(&fs::read_to_string(settings(&sandbox, "user")).unwrap()).len(), 1);
        run(&["uninstall".to_owned(), "--agent".to_owned(), agent.to_string(), "--yes".to_owned()]);
        assert!(!settings(&sandbox, "user").exists());
    });
}

/// Changes that others make in between stay.
#[test]
fn changes_of_others_in_between() {
    each(|dialect| {
        let agent = dialect.id();
        let sandbox = sandbox(agent.as_str());
        let file = settings(&sandbox, "project");
        let text = sandbox.in_agent_words(
            "{\n  \"a\": 1,\n  \"hooks\": {\n    \"@stop\": [\n      {\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }]\n      }\n    ]\n  }\n}\n",
        );
        sandbox.file(sandbox.settings_file(), &text);
        sandbox.run(&format!("install --agent {agent} --scope project --yes")).assert_status(0);
        let mut now = fs::read_to_string(&file).unwrap();
        let changed = |text: &str| text.replace("\"a\": 1", "\"a\": 2").replace("\"true\"", "\"false\"");
        now = changed(&now);
        fs::write(&file, &now).unwrap();
        sandbox.run(&format!("uninstall --agent {agent} --scope project --yes")).assert_status(0);
        assert_eq!(fs::read_to_string(&file).unwrap(), changed(&text));
    });
}

#[test]
fn text_output() {
    let sandbox = sandbox("codex");
    sandbox.file(".codex/hooks.json", "{\n  \"hooks\": {}\n}\n");
    let shown = sandbox.run("install --agent codex --scope project --events stop,interrupt --yes").assert_status(0);
    insta::assert_snapshot!("install", shown);
    let shown = sandbox.run("uninstall --agent codex --scope project --dry-run").assert_status(0);
    insta::assert_snapshot!("uninstall", shown);
}
