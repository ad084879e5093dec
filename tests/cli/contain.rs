//! `--contain`: hooks are isolated from the project, the home directory, the environment and the network.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::{for_each_agent, project};

/// A project with one hook, and a directory for temporary files.
fn project_with_script(script: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    for program in ["touch", "ls", "mkfifo"] {
        sandbox.program(program);
    }
    let hook = json!({"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/hooks/it.sh"});
    sandbox.settings(&json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string());
    sandbox.file("hooks/it.sh", script).file("known", "the project\n");
    fs::create_dir(sandbox.home.join("tmp")).unwrap();
    sandbox
}

fn command(sandbox: &Sandbox, line: &str) -> Command {
    let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let mut command = sandbox.command(&args);
    command.env("TMPDIR", sandbox.home.join("tmp")).env("SECRET", "hunter2").env("LC_TIME", "C");
    command
}

fn fire(sandbox: &Sandbox, more: &str) -> Value {
    let line = format!("fire PreToolUse --tool Bash --yes --format json{more}");
    let output = command(sandbox, &line).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn remaining_files(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.home.join("tmp")).unwrap().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn writes_are_discarded() {
    let sandbox = project_with_script(
        "cat known\npwd\necho x > made; echo x > \"$HOME/made\"; echo x > \"$TMPDIR/made\"\ngrep -o '\"cwd\":\"[^\"]*' \n",
    );
    let doc = fire(&sandbox, " --contain");
    let contained = &doc["contained"];
    let copy = contained["project"].as_str().unwrap();
    let stdout = doc["runs"][0]["stdout"].as_str().unwrap();
    assert_eq!(stdout, format!("the project\n{copy}\n\"cwd\":\"{copy}\n"), "it runs in the copy, and is told so");
    assert_eq!(doc["runs"][0]["stderr"], "", "nothing was in its way");
    for made in [sandbox.project.join("made"), sandbox.home.join("made"), sandbox.home.join("tmp/made")] {
        assert!(!made.exists(), "{}", made.display());
    }
    assert_eq!(remaining_files(&sandbox), Vec::<String>::new(), "nothing stays behind");
    let faithful = fire(&sandbox, "");
    assert_eq!(faithful.get("contained"), None);
    assert!(sandbox.project.join("made").exists() && sandbox.home.join("made").exists(), "this is what it does else");
}

#[test]
fn the_environment_is_an_allow_list() {
    let sandbox = project_with_script("echo \"$SECRET|$LC_TIME|$CLAUDE_PROJECT_DIR\"\n");
    let doc = fire(&sandbox, " --contain");
    let copy = doc["contained"]["project"].as_str().unwrap();
    assert_eq!(doc["runs"][0]["stdout"], format!("|C|{copy}\n"));
    assert_eq!(doc["contained"]["environment"], json!(["LANG", "LC_TIME", "PATH", "TERM"]));
    let faithful = fire(&sandbox, "");
    assert_eq!(faithful["runs"][0]["stdout"], format!("hunter2|C|{}\n", sandbox.project.display()));
}

#[test]
fn the_network_is_disabled_if_possible() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("import socket; socket.create_connection((\"127.0.0.1\", {port}), 5); print(\"open\")");
    let sandbox = project_with_script(&format!("python3 -c '{connect}' 2>/dev/null || echo closed\n"));
    assert_eq!(fire(&sandbox, "")["runs"][0]["stdout"], "open\n");
    let doc = fire(&sandbox, " --contain");
    let network = doc["contained"]["network"].as_str().unwrap();
    let heard = if network == "none" { "closed\n" } else { "open\n" };
    assert_eq!(doc["runs"][0]["stdout"], heard, "{network}");
}

/// A hook that names files by their absolute paths cannot change them. What it writes into common directories is gone.
#[test]
fn other_files_are_read_only_if_possible() {
    let sandbox = project_with_script("");
    let name = sandbox.home.display().to_string().replace('/', "-");
    let (known, home) = (sandbox.project.join("known"), sandbox.home.join("made"));
    let shared = std::path::PathBuf::from(format!("/tmp/made{name}"));
    let paths = [&known, &home, &sandbox.home.join("tmp/made"), &shared];
    let write = |path: &&std::path::PathBuf| format!("(echo x > '{}') 2>/dev/null && echo written", path.display());
    let mut lines: Vec<String> = paths.iter().map(write).collect();
    lines.push(format!("cat '{}'\nrm -rf '{}'", shared.display(), sandbox.project.display()));
    // Its own process tells the way to the files of another process.
    lines.push(format!("(echo x > /proc/$PPID/root{}) 2>/dev/null && echo through\nexit 0\n", known.display()));
    sandbox.file("hooks/it.sh", lines.join("\n"));
    let doc = fire(&sandbox, " --contain");
    if doc["contained"]["other_files"] != "read-only" {
        return eprintln!("skipped: {}", doc["contained"]["other_files"]);
    }
    // Only the common directory accepts a new file.
    assert_eq!(doc["runs"][0]["stdout"], "written\nx\n", "{doc:#}");
    assert_eq!(fs::read_to_string(&known).unwrap(), "the project\n");
    assert!(sandbox.project.join("hooks/it.sh").exists() && !home.exists() && !shared.exists());
}

/// A hook of the user's layer is found in the home directory that it gets. HTTP hooks send no request.
#[test]
fn user_hooks_and_http_hooks() {
    let sandbox = project_with_script("exit 0\n");
    let hooks = json!([{"hooks": [
        {"type": "command", "command": "sh ~/.claude/mine.sh"}, {"type": "http", "url": "http://127.0.0.1:9/"},
    ]}]);
    fs::create_dir(sandbox.home.join(".claude")).unwrap();
    fs::write(sandbox.home.join(".claude/settings.json"), json!({"hooks": {"PreToolUse": hooks}}).to_string()).unwrap();
    fs::write(sandbox.home.join(".claude/mine.sh"), "echo mine >&2\nexit 2\n").unwrap();
    let doc = fire(&sandbox, " --contain");
    assert_eq!(doc["outcome"]["verdict"], "deny");
    let ends: Vec<&Value> = doc["runs"].as_array().unwrap().iter().map(|run| &run["exit"]).collect();
    assert!(
        ends.contains(&&json!({"kind": "failed_to_start", "error": "contained: requests are not sent"})),
        "{ends:?}"
    );
}

/// Contained hooks that only print an answer run as usual and give the same outcome.
#[test]
fn answering_hooks_give_the_same_outcome() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        for line in ["@tool", "@tool --tool @write", "@prompt", "@end", "@idle"] {
            let of = |more: &str| {
                let doc = sandbox
                    .run(&format!("fire {line} --agent {agent} --yes --format json {more}"))
                    .assert_status(0)
                    .json();
                let ends: Vec<Value> = doc["runs"].as_array().unwrap().iter().map(|r| r["exit"].clone()).collect();
                (doc["plan"].clone(), ends, doc["outcome"].clone())
            };
            assert_eq!(of("--contain"), of(""), "{agent} {line}");
        }
    });
}

#[test]
fn suites_and_replays_are_contained_too() {
    let sandbox = project_with_script("touch made\necho no >&2\nexit 2\n");
    sandbox.file(
        "hooks.test.yaml",
        "agent: claude\ncases: [{ name: x, event: PreToolUse, tool: Bash, expect: { verdict: deny } }]\n",
    );
    sandbox.run("test --yes --contain").assert_status(0);
    sandbox.file("one.json", "{\"hook_event_name\": \"PreToolUse\", \"tool_name\": \"Bash\", \"session_id\": \"s\"}");
    let doc = sandbox.run("replay one.json --run --yes --contain --format json").assert_status(0).json();
    assert_eq!(doc["events"][0]["after"]["verdict"], "deny");
    assert!(doc["events"][0]["flags"].to_string().contains("contained"), "{doc:#}");
    assert!(sandbox.run("db export").assert_status(0).raw.contains("\"comment\":\"contained"), "the row says so");
    assert!(!sandbox.project.join("made").exists());
    let text = sandbox.run("fire PreToolUse --tool Bash --yes --contain").assert_status(0);
    assert!(text.stdout.contains("contained"), "{text}");
    sandbox.run("replay one.json --contain").assert_status(2);
}

/// A signal during a run leaves no process and no directory.
#[test]
fn a_signal_leaves_nothing_behind() {
    for signal in [Signal::INT, Signal::TERM] {
        let sandbox = project_with_script("");
        // The copy of the project has no pipes, so the hook uses one outside the project.
        let pipe = sandbox.home.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        sandbox.file("hooks/it.sh", format!("echo $$ > '{}'\nexec sleep 3600\n", pipe.display()));
        let mut child = command(&sandbox, "fire PreToolUse --tool Bash --yes --contain")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut hook = String::new();
        BufReader::new(fs::File::open(&pipe).unwrap()).read_line(&mut hook).unwrap();
        assert!(!remaining_files(&sandbox).is_empty());
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal:?}");
        assert_eq!(remaining_files(&sandbox), Vec::<String>::new(), "{signal:?}");
        let stat = fs::read_to_string(format!("/proc/{}/stat", hook.trim())).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{signal:?}: the hook is still there: {stat}");
    }
}

/// With `--agent all`, each agent's firing has its own copy.
#[test]
fn every_agent_has_its_own_copy() {
    let sandbox = project_with_script("pwd\necho x > made\n");
    let line = "fire PreToolUse --tool Bash --agent all --yes --format json --contain";
    let output = command(&sandbox, line).output().unwrap();
    let doc: Value = serde_json::from_slice(&output.stdout).unwrap();
    let firings = doc["firings"].as_array().unwrap();
    assert!(firings.len() > 1, "{doc:#}");
    let mut copies = Vec::new();
    for firing in firings {
        // A firing without runs makes no copy.
        for run in firing["runs"].as_array().unwrap() {
            let copy = firing["contained"]["project"].as_str().unwrap_or_else(|| panic!("{firing:#}"));
            assert_eq!(run["stdout"], format!("{copy}\n"));
            copies.push(copy.to_owned());
        }
    }
    assert!(!copies.is_empty(), "{doc:#}");
    assert!(!sandbox.project.join("made").exists());
    assert_eq!(remaining_files(&sandbox), Vec::<String>::new(), "nothing stays behind");
}

/// `--home` takes precedence over the agents' variables, contained or not.
#[test]
fn home_flag_overrides_agent_variables() {
    let variables = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "QWEN_HOME"];
    let sandbox = project_with_script("echo \"$CLAUDE_CONFIG_DIR|$CODEX_HOME|$GEMINI_CLI_HOME|$QWEN_HOME|$HOME\"\n");
    let user = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo elsewhere"}]}]}});
    sandbox.file("elsewhere/settings.json", user.to_string()).file("named/x", "");
    let named = sandbox.project.join("named").canonicalize().unwrap();
    for (home, contain, runs) in [(" --home named", "", 1), (" --home named", " --contain", 1), ("", "", 2)] {
        let line = format!("fire PreToolUse --tool Bash --yes --format json{home}{contain}");
        let mut command = command(&sandbox, &line);
        command.envs(variables.map(|name| (name, sandbox.project.join("elsewhere"))));
        let output = command.output().unwrap();
        let doc: Value = serde_json::from_slice(&output.stdout).unwrap();
        let all = doc["runs"].as_array().unwrap();
        assert_eq!(all.len(), runs, "{line}: {doc:#}");
        if let [run] = all.as_slice() {
            let said = run["stdout"].as_str().unwrap();
            assert!(said.starts_with("||||/"), "{line}: {said}");
            assert_eq!(said == format!("||||{}\n", named.display()), contain.is_empty(), "{line}: {said}");
        }
    }
}

/// Links in the project lead into its copy, or to copies, so writes through them are discarded too.
#[test]
fn nothing_is_written_through_links() {
    let script =
        "for file in into out/own beside new deep/up; do echo changed > \"$file\"; done; cat into out/own beside";
    let sandbox = project_with_script(&format!("cd \"$CLAUDE_PROJECT_DIR\"; {script}; ls -a\n"));
    let out = sandbox.home.join("outside");
    fs::create_dir_all(&out).unwrap();
    fs::write(out.join("own"), "own\n").unwrap();
    fs::write(out.join("beside"), "beside\n").unwrap();
    fs::create_dir_all(sandbox.project.join("deep")).unwrap();
    for (at, aim) in [
        ("into", sandbox.project.join("known")),
        ("out", out.clone()),
        ("beside", out.join("beside")),
        ("new", out.join("new")),
        ("deep/up", sandbox.project.join("hooks/../known")),
    ] {
        std::os::unix::fs::symlink(aim, sandbox.project.join(at)).unwrap();
    }
    let before = all_files(&[&sandbox.project, &out]);
    let doc = fire(&sandbox, " --contain");
    let stdout = doc["runs"][0]["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("changed\nchanged\nchanged\n"), "{stdout}");
    assert_eq!(all_files(&[&sandbox.project, &out]), before);
    let left_out = doc["contained"]["left_out"].as_array().unwrap();
    assert!(left_out.len() == 1 && left_out[0].as_str().unwrap().starts_with("new (a link out of it"), "{left_out:?}");
    // A case that works on a copy reports the files that the copy lacks.
    let suite = "agent: claude\nisolate: copy\ncases:\n  - { name: one, event: PreToolUse, tool: Bash }\n";
    sandbox.file("hooks.test.yaml", suite);
    let before = all_files(&[&sandbox.project, &out]);
    let done = sandbox.run("test --yes").assert_status(0);
    assert!(done.stdout.contains("not in the copy: new"), "{done}");
    assert_eq!(all_files(&[&sandbox.project, &out]), before);
}

/// A linked worktree stores its commits in the main repository. A copy of the worktree does not.
#[test]
fn git_in_a_copy_writes_into_the_copy() {
    let commit = "git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x && git log --oneline | head -1";
    let sandbox = project_with_script(&format!("cd \"$CLAUDE_PROJECT_DIR\" && {commit}; git rev-parse --git-dir\n"));
    sandbox.program("git");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(&sandbox.project).args(["-c", "user.name=u", "-c", "user.email=u@x"]).args(args);
        assert!(command.output().unwrap().status.success(), "{args:?}");
    };
    let main = sandbox.home.join("main");
    let moved = sandbox.home.join("moved");
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    fs::rename(&sandbox.project, &main).unwrap();
    let add = Command::new("git").arg("-C").arg(&main).args(["worktree", "add", "-q"]).arg(&moved).output().unwrap();
    assert!(add.status.success());
    fs::create_dir(&sandbox.project).unwrap();
    for (doc, project) in [(&moved, "linked"), (&main, "whole")] {
        let before = all_files(&[&main, &moved]);
        let line = format!("fire PreToolUse --tool Bash --yes --format json --contain --project {}", doc.display());
        let output = command(&sandbox, &line).output().unwrap();
        let doc: Value = serde_json::from_slice(&output.stdout).unwrap();
        let (stdout, stderr) = (&doc["runs"][0]["stdout"], &doc["runs"][0]["stderr"]);
        assert!(stdout.as_str().unwrap().ends_with(" x\n.git\n"), "{project}: {stdout} {stderr}");
        assert_eq!(all_files(&[&main, &moved]), before, "{project}");
    }
}

/// Returns every file below these directories with its content.
fn all_files(directories: &[&std::path::Path]) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting: Vec<std::path::PathBuf> = directories.iter().map(|directory| directory.to_path_buf()).collect();
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                waiting.push(path);
            } else if kind.is_symlink() {
                let aim = fs::read_link(&path).unwrap().to_string_lossy().into_owned();
                found.push((path, aim.into_bytes()));
            } else {
                let bytes = fs::read(&path).unwrap();
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    found
}
