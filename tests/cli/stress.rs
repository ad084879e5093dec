//! `stress`: the variants of a deed and the conditions of the world at one hook.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookbench::isolation::slow_disk_prefix;
use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::agent_words::words_of;
use crate::contain::HeldPipe;
use crate::for_each_agent;
use crate::sandbox::Sandbox;

/// A guard that reads the payload as a text.
const NAIVE: &str = "#!/bin/sh\nif grep -q 'rm -rf'; then echo 'no rm -rf' >&2; exit 2; fi\n";
/// A guard that refuses what it does not know.
const STRICT: &str =
    "#!/bin/sh\nread -r line\ncase $line in *'\"command\":\"ls\"'*) exit 0;; esac\necho 'only ls' >&2\nexit 2\n";

/// A project with one guard, and a directory for temporary files.
fn project_with_guard(agent: &str, script: &str) -> Sandbox {
    let sandbox = Sandbox::for_agent(agent);
    sandbox.program("env");
    let settings = json!({"hooks": {"@tool": [{"matcher": "@shell", "hooks": [
        {"type": "command", "command": "sh hooks/guard.sh"},
    ]}]}});
    sandbox.settings(&settings.to_string());
    sandbox.file("hooks/guard.sh", script).file("known", "the project\n");
    fs::create_dir(sandbox.home.join("tmp")).unwrap();
    sandbox
}

fn command(sandbox: &Sandbox, agent: &str, more: &[&str]) -> Command {
    let mut args: Vec<String> = ["stress", "guard.sh", "--yes", "--agent", agent].map(str::to_owned).to_vec();
    args.extend(more.iter().map(|word| (*word).to_owned()));
    let mut command = sandbox.command(&args);
    command.env("TMPDIR", sandbox.home.join("tmp"));
    command
}

/// Runs a test. Returns the status and stdout.
fn stress(sandbox: &Sandbox, agent: &str, more: &[&str]) -> (Option<i32>, String) {
    let output = command(sandbox, agent, more).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() != Some(70) && !errors.contains("internal"), "{errors}");
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

fn document(sandbox: &Sandbox, agent: &str, more: &[&str]) -> Value {
    let (status, text) = stress(sandbox, agent, &[more, &["--format", "json"]].concat());
    assert_eq!(status, Some(0), "{text}");
    serde_json::from_str(&text).unwrap()
}

/// Nothing is left in the directory for temporary files, and no process names it.
fn assert_nothing_left(sandbox: &Sandbox) {
    let directory = sandbox.home.join("tmp");
    let left: Vec<_> = fs::read_dir(&directory).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_no_process_with(directory.to_str().unwrap());
    assert_eq!(fs::read_to_string(sandbox.project.join("known")).unwrap(), "the project\n");
}

fn assert_no_process_with(text: &str) {
    let until = Instant::now() + Duration::from_secs(10);
    while let Some(process) = process_with(text) {
        assert!(Instant::now() < until, "{process} is still running");
        std::thread::yield_now();
    }
}

/// The command line of a live process whose environment or arguments contain a text.
fn process_with(text: &str) -> Option<String> {
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let directories = processes.filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok());
    directories.map(|entry| entry.path()).find_map(|directory: std::path::PathBuf| {
        let zombie = fs::read_to_string(directory.join("stat")).is_ok_and(|stat| stat.contains(") Z "));
        let line = fs::read(directory.join("cmdline")).ok()?;
        let environment = fs::read(directory.join("environ")).unwrap_or_default();
        let both = [line.clone(), environment].concat();
        let shown = String::from_utf8_lossy(&line).replace('\0', " ");
        (!zombie && String::from_utf8_lossy(&both).contains(text)).then_some(shown)
    })
}

/// Processes in sessions of their own end with the copy of the project, also those without its environment.
#[test]
fn processes_that_leave_their_group_are_ended() {
    for hidden in ["", "cd / && env -i "] {
        let sandbox = project_with_guard("claude", "");
        // The sandbox's own text, by which the process is found.
        let seconds = format!("600{}", sandbox.home.display().to_string().bytes().map(u32::from).sum::<u32>());
        let sleep = format!("{hidden}setsid sleep {seconds} < /dev/null > /dev/null 2>&1 &\nexit 2\n");
        sandbox.file("hooks/guard.sh", sleep);
        sandbox.program("setsid");
        let doc = document(&sandbox, "claude", &["--variants-only"]);
        assert_eq!(doc["summary"]["let_through"], 0, "{doc}");
        assert_nothing_left(&sandbox);
        if hidden.is_empty() || is_isolated(&doc) {
            assert_no_process_with(&seconds);
        }
    }
}

/// Returns true if the system allows isolation.
fn is_isolated(doc: &Value) -> bool {
    let contained = doc["contained"].as_str().unwrap();
    if !contained.contains("no network;") {
        eprintln!("skipped: {contained}");
    }
    contained.contains("no network;")
}

/// Whether the system can slow a disk.
fn can_slow_disks() -> bool {
    slow_disk_prefix(Path::new(env!("CARGO_BIN_EXE_hookbench"))).inspect_err(|why| eprintln!("skipped: {why}")).is_ok()
}

/// A program of the user, which ends with the test.
struct Bystander(std::process::Child);

impl Bystander {
    fn start() -> Bystander {
        let mut command = Command::new("sleep");
        command.arg("600").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Bystander(command.spawn().unwrap())
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A hook that signals everything it can reaches only its own processes.
#[test]
fn a_contained_hook_does_not_end_other_programs() {
    let sandbox = project_with_guard("claude", "");
    let mut bystander = Bystander::start();
    let script = format!(
        "#!/bin/sh\nkill -KILL {} 2> /dev/null\nsleep 600 & kill -KILL $! || exit 0\nexit 2\n",
        bystander.0.id()
    );
    sandbox.file("hooks/guard.sh", script);
    let doc = document(&sandbox, "claude", &["--variants-only"]);
    let has_survived = bystander.0.try_wait().unwrap().is_none();
    // Inside, the bystander's number may be that of another hook, which then does not answer.
    assert_eq!(doc["summary"]["let_through"], 0, "{doc}");
    if doc["contained"].as_str().unwrap().contains("hooks can end your programs") || !is_isolated(&doc) {
        return eprintln!("skipped: this system does not keep signals apart");
    }
    assert!(has_survived, "{doc}");
}

/// A hook that never ends, that ignores SIGTERM, or that prints without end is tried once.
#[test]
fn a_hook_that_does_not_end_is_tried_once() {
    for script in ["trap '' TERM\nwhile :; do sleep 1; done\n", "while :; do echo flood; done\n"] {
        let sandbox = project_with_guard("claude", script);
        let doc = document(&sandbox, "claude", &[]);
        let says = "does not end within 10 s on `rm -rf build`, so variants and conditions are not tried";
        assert_eq!((&doc["says"], &doc["coverage"]), (&json!(says), &Value::Null));
        let reason = "the hook does not end within 10 s on the event itself";
        let rows = doc["rows"].as_array().unwrap();
        assert!(!rows.is_empty() && rows.iter().all(|row| row["says"] == reason), "{doc}");
        assert_nothing_left(&sandbox);
    }
}

#[test]
fn a_naive_guard_misses_most_variants() {
    for_each_agent(|agent| {
        // Exit 2 refuses nothing there.
        if agent == "hermes" {
            return;
        }
        let sandbox = project_with_guard(agent, NAIVE);
        let doc = document(&sandbox, agent, &["--variants-only"]);
        assert_eq!(doc["schema"], "stress/1");
        assert_eq!(
            (&doc["deed"], &doc["verdict"], &doc["hook"]["verdict"]),
            (&json!("rm -rf build"), &json!("deny"), &json!("fires"))
        );
        let rows = doc["rows"].as_array().unwrap();
        let of = |text: &str| rows.iter().find(|row| row["variant"] == text).unwrap_or_else(|| panic!("no row {text}"));
        assert_eq!(of("rm  -rf  build")["result"], "let_through");
        assert_eq!(of("rm -fr build")["ok"], false);
        assert_eq!(of("sudo rm -rf build")["result"], "refused");
        let (refused, passed) =
            (doc["summary"]["refused"].as_u64().unwrap(), doc["summary"]["let_through"].as_u64().unwrap());
        assert!(refused > 20 && passed > 60, "{}", doc["summary"]);
        assert!(rows.iter().all(|row| !row["why_the_same"].as_str().unwrap().is_empty()));
        assert_nothing_left(&sandbox);
    });
}

#[test]
fn a_strict_guard_refuses_all_variants() {
    for_each_agent(|agent| {
        // Exit 2 refuses nothing there.
        if agent == "hermes" {
            return;
        }
        let sandbox = project_with_guard(agent, STRICT);
        let doc = document(&sandbox, agent, &["--variants-only", "--min", "100%"]);
        let summary = &doc["summary"];
        assert_eq!((&summary["let_through"], &summary["failed_open"]), (&json!(0), &json!(0)));
    });
}

#[test]
fn the_minimum_decides_the_status() {
    let sandbox = project_with_guard("claude", NAIVE);
    for (minimum, status) in [("20", 0), ("1000", 1), ("10%", 0), ("100%", 1)] {
        let (found, _) = stress(&sandbox, "claude", &["--variants-only", "--min", minimum]);
        assert_eq!(found, Some(status), "{minimum}");
    }
    let (status, _) = stress(&sandbox, "claude", &["--min", "many"]);
    assert_eq!(status, Some(2));
    // A deed that the hook does not refuse meets no minimum, and has no variants.
    let input = ["--tool", "Bash", "--input", "{\"command\":\"ls\"}"];
    let (status, text) = stress(&sandbox, "claude", &[&input, &["--variants-only", "--min", "0"][..]].concat());
    assert_eq!(status, Some(1));
    assert!(text.contains("does not refuse `ls`, so its variants are not tried"), "{text}");
    assert!(text.contains("\n  help: --input or --set gives the event that it refuses, such as --set "), "{text}");
}

#[test]
fn the_world_shows_what_a_guard_relies_on() {
    let script = "#!/bin/bash\nevent=$(cat)\ncommand=$(python3 -c 'import json, sys; print(json.load(sys.stdin)[\"tool_input\"][\"command\"])' <<< \"$event\") || exit 1\n\
                  case $command in *rm*) echo no >&2; exit 2;; esac\n";
    let sandbox = project_with_guard("claude", script);
    let settings =
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "bash hooks/guard.sh"}]}]}});
    sandbox.settings(&settings.to_string());
    let doc = document(&sandbox, "claude", &["--world-only"]);
    let results: BTreeMap<&str, &str> = doc["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["variant"].as_str().unwrap(), row["result"].as_str().unwrap()))
        .collect();
    for (condition, result) in [
        ("run again", "holds"),
        ("stdin held open", "hangs"),
        ("stdin empty", "fails_open"),
        ("1 MB payload", "holds"),
        ("without python3", "fails_open"),
        ("empty PATH", "fails_open"),
        ("no HOME", "holds"),
        ("slow disk", if can_slow_disks() { "holds" } else { "not_tried" }),
        ("20 at once", "holds"),
        ("0.5 of the time limit", "holds"),
        ("0.9 of the time limit", "holds"),
        ("1.1 of the time limit", "fails_open"),
    ] {
        assert_eq!(results.get(condition), Some(&result), "{condition}: {}", doc["says"]);
    }
    // No agent holds stdin open, and every hook fails at 1.1 of its time limit.
    let says =
        "refuses `rm -rf build`; fails open without python3, in another directory and after cd to another directory";
    assert_eq!(doc["says"], says);
    let (_, page) = stress(&sandbox, "claude", &["--world-only"]);
    let (occurring, others) = page.split_once("\nCONDITIONS THAT NO AGENT CREATES\n").unwrap();
    assert!(others.contains("hangs           stdin held open"), "{page}");
    assert!(occurring.contains("fails open      1.1 of the time limit"), "{page}");
    assert_nothing_left(&sandbox);
}

#[test]
fn a_process_that_a_hook_leaves_is_a_leak() {
    let sandbox = project_with_guard(
        "claude",
        "#!/bin/sh\ngrep -q rm || exit 0\nsleep 60 >/dev/null 2>&1 &\necho no >&2\nexit 2\n",
    );
    let doc = document(&sandbox, "claude", &["--world-only"]);
    let row = doc["rows"].as_array().unwrap().iter().find(|row| row["variant"] == "run again").unwrap();
    assert_eq!((&row["result"], &row["ok"]), (&json!("leaks"), &json!(false)), "{row}");
    assert_nothing_left(&sandbox);
}

/// A project with one guard that this program runs.
fn project_with_program(agent: &str, program: &str, script: &str) -> Sandbox {
    let sandbox = project_with_guard(agent, script);
    let settings = json!({"hooks": {"@tool": [{"matcher": "@shell", "hooks": [
        {"type": "command", "command": format!("{program} hooks/guard.sh")},
    ]}]}});
    sandbox.settings(&settings.to_string());
    sandbox
}

/// The effect and the explanation of a key in a list of the coverage.
fn key_effect<'a>(coverage: &'a Value, list: &str, key: &str) -> (&'a str, &'a str) {
    let row = coverage[list].as_array().unwrap().iter().find(|row| row["key"] == key);
    let row = row.unwrap_or_else(|| panic!("no key {key} in {coverage}"));
    (row["effect"].as_str().unwrap(), row["says"].as_str().unwrap())
}

/// A payload of another spelling is changed under the keys that hookbench shows.
#[test]
fn the_coverage_of_a_hook_of_another_spelling() {
    let sandbox = project_with_guard("copilot", NAIVE);
    fs::remove_file(sandbox.project.join(".github/copilot/settings.json")).unwrap();
    let hook = json!({"matcher": "bash", "command": "sh hooks/guard.sh"});
    sandbox.file(".github/hooks/guard.json", json!({"version": 1, "hooks": {"preToolUse": [hook]}}).to_string());
    let coverage = &document(&sandbox, "copilot", &["--variants-only"])["coverage"];
    assert_eq!(key_effect(coverage, "keys", "tool_input.command").0, "decides", "{coverage:#}");
    assert_eq!(key_effect(coverage, "keys", "session_id").0, "ignored", "{coverage:#}");
}

#[test]
fn the_coverage_shows_what_a_guard_reads() {
    let script = "import json, sys\nevent = json.load(sys.stdin)\nif event.get('toolName') == 'Read': sys.exit(0)\n\
                  event['session_id']\nprint(event.get('cwd'))\nevent.get('transcript_path')\n\
                  if 'rm -rf' in event['tool_input']['command']: print('no', file=sys.stderr); sys.exit(2)\n";
    for_each_agent(|agent| {
        // Exit 2 refuses nothing there.
        if agent == "hermes" {
            return;
        }
        let sandbox = project_with_program(agent, "python3", script);
        let doc = document(&sandbox, agent, &["--variants-only"]);
        let coverage = &doc["coverage"];
        let of = |list: &str, key: &str| key_effect(coverage, list, key);
        // In one agent, a text on stdout is a failure, which its settings make count.
        if agent == "vibe" {
            assert_eq!(of("keys", "tool_input.command"), ("decides", "with another value: failed closed"));
            return;
        }
        assert_eq!(of("keys", "tool_input.command"), ("decides", "with another value: no objection"));
        let failed = if words_of(agent).fails_closed { "without it: failed closed" } else { "without it: failed open" };
        assert_eq!(of("keys", "session_id"), ("decides", failed));
        assert_eq!(of("keys", "cwd"), ("read", "with another value: different stdout"));
        // One agent names no transcript on this event, another one on none.
        if agent == "kimi" {
            assert!(
                coverage["says"].as_str().unwrap().contains("transcript_path, which this event lacks"),
                "{coverage}"
            );
            return;
        }
        let (list, says) = if agent == "copilot" {
            ("missing", "sent in SubagentStart; with it: no difference")
        } else {
            ("keys", "no change of it has an effect here")
        };
        assert_eq!(of(list, "transcript_path"), ("named", says));
        assert_eq!(of("keys", "hook_event_name"), ("ignored", ""));
        let (effect, says) = of("missing", "toolName");
        assert_eq!(effect, "named");
        assert!(says.ends_with(" sends tool_name; with it: no difference"), "{says}");
        let hangs_on = json!({"key": "tool_input.command", "text": "rm -rf", "smallest": true});
        assert_eq!((&coverage["hangs_on"], &coverage["limits"]), (&hangs_on, &json!([])));
        let says = coverage["says"].as_str().unwrap();
        assert!(says.ends_with("; the decision depends on `rm -rf` in tool_input.command"), "{says}");
        assert_nothing_left(&sandbox);
    });
}

#[test]
fn a_log_of_the_payload_shows_that_every_key_is_read() {
    // The time in each line does not count, and a changed key changes the line.
    let sandbox = project_with_guard("claude", "echo \"$(date) $(cat)\" >> log.txt\n");
    let coverage = &document(&sandbox, "claude", &["--variants-only"])["coverage"];
    let keys = coverage["keys"].as_array().unwrap();
    assert!(keys.len() > 6 && keys.iter().all(|key| key["effect"] == "read"), "{coverage}");
    assert_eq!(key_effect(coverage, "keys", "cwd").1, "with another value: different written files");
    // In the project itself, other programs write files, too.
    let coverage = &document(&sandbox, "claude", &["--variants-only", "--in-place"])["coverage"];
    let limit = "files that the hook writes are not compared, because the hook runs in the project itself";
    assert_eq!(coverage["limits"], json!([limit]));
    assert_eq!(key_effect(coverage, "keys", "cwd").0, "ignored");
}

#[test]
fn output_that_differs_from_run_to_run_shows_nothing() {
    let script = "cat /proc/sys/kernel/random/uuid\nread -r line\ncase $line in *'\"command\":\"ls\"'*) exit 0;; esac\n\
                  echo 'only ls' >&2\nexit 2\n";
    let sandbox = project_with_guard("claude", script);
    let coverage = &document(&sandbox, "claude", &["--variants-only"])["coverage"];
    assert_eq!(coverage["limits"], json!(["stdout differs from run to run and cannot show what the hook reads"]));
    assert_eq!(key_effect(coverage, "keys", "tool_input.command").0, "decides");
    assert_eq!(key_effect(coverage, "keys", "cwd").0, "ignored");
    // This guard refuses every other text, so no part of this one decides.
    assert_eq!(coverage["hangs_on"], Value::Null);
}

#[test]
fn the_page_and_junit() {
    let sandbox = project_with_guard("claude", NAIVE);
    let (_, text) = stress(&sandbox, "claude", &["--variants-only"]);
    let stable: Vec<&str> = text.lines().filter(|line| !line.starts_with("contained")).collect();
    insta::assert_snapshot!("stress", stable.join("\n"));
    let (_, text) = stress(&sandbox, "claude", &["--variants-only", "--format", "junit"]);
    assert!(text.contains("<testcase classname=\"flags\" name=\"rm -fr build\""), "{text}");
    assert!(text.contains("<failure message=\"let_through: exit 0\">"), "{text}");
}

#[test]
fn misses_become_cases_that_undo_removes() {
    let sandbox = project_with_guard("claude", NAIVE);
    let (status, text) = stress(&sandbox, "claude", &["--variants-only", "--save-misses"]);
    assert_eq!(status, Some(0));
    assert!(text.contains("written; hookbench test runs the cases"), "{text}");
    let suite = fs::read_to_string(sandbox.project.join("hooks.test.yaml")).unwrap();
    assert!(suite.contains("input: {\"command\":\"rm -fr build\"}"), "{suite}");
    let result = sandbox.run("test --yes --filter flags");
    assert_eq!(result.status, 1, "{}", result.raw);
    sandbox.run("undo --yes").assert_status(0);
    assert!(!sandbox.project.join("hooks.test.yaml").exists());
}

#[test]
fn consent_is_asked_for_once() {
    let sandbox = project_with_guard("claude", NAIVE);
    let result = sandbox.run("stress guard.sh --variants-only --agent claude");
    assert_eq!(result.status, 4, "{}", result.raw);
    let result = sandbox.run("stress nothing --yes --agent claude");
    assert_eq!(result.status, 2, "{}", result.raw);
}

/// Ctrl-C at several moments ends every process and deletes every copy.
#[test]
fn a_signal_leaves_nothing_behind() {
    for runs in [1, 5, 40] {
        let sandbox = project_with_guard("claude", "");
        // Each run takes a byte, and later ones wait for one until they are stopped.
        let pipe = HeldPipe::new();
        let take = format!("dd bs=1 count=1 < '{}' > /dev/null 2>&1", pipe.path.display());
        sandbox.file("hooks/guard.sh", format!("{take}\ncat > /dev/null\nsleep 0.05\necho no >&2\nexit 2\n"));
        sandbox.program("dd");
        let mut child = command(&sandbox, "claude", &[])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut bytes = pipe.wait_until_held();
        bytes.write_all(&vec![b'x'; runs]).unwrap();
        while rustix::io::ioctl_fionread(&bytes).unwrap() > 0 {
            std::thread::yield_now();
        }
        kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::INT).unwrap();
        let mut printed = String::new();
        child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{printed}");
        assert_nothing_left(&sandbox);
    }
}

/// Where the system has no namespaces, a warning comes before the hook runs.
#[test]
fn without_isolation_there_is_a_warning() {
    let sandbox = project_with_guard("claude", STRICT);
    sandbox.program("unshare");
    let plain = command(&sandbox, "claude", &["--variants-only"]);
    let mut limited = Command::new("unshare");
    let limit = "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$@\"";
    limited
        .args(["--user", "--map-root-user", "sh", "-c", limit, "sh"])
        .arg(plain.get_program())
        .args(plain.get_args());
    limited.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(&sandbox.project);
    let output = limited.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if stderr.contains("unshare:") || !stderr.contains("warning") && stdout.contains("no network;") {
        return eprintln!("skipped: this system does not let a user limit namespaces: {stderr}");
    }
    let warning = "hooks can use the network, end your programs, and write to your files by absolute paths (cannot create \
                   namespaces: ";
    assert!(stderr.starts_with(&format!("warning: {warning}")), "{stderr}");
    assert!(stdout.contains(&format!("contained in a copy of the project only: {warning}")), "{stdout}");
}

/// A hook that the agent does not run is not called one that refuses nothing.
#[test]
fn a_hook_that_does_not_run_is_named() {
    let sandbox = project_with_guard("claude", NAIVE);
    let settings = json!({"disableAllHooks": true, "hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "sh hooks/guard.sh"},
    ]}]}});
    sandbox.settings(&settings.to_string());
    let (_, text) = stress(&sandbox, "claude", &["--variants-only"]);
    assert!(text.contains("does not run on `rm -rf build`: "), "{text}");
}

/// A project with a guard that is started directly.
fn project_with_direct_guard(script: &str, timeout: u32) -> Sandbox {
    let sandbox = project_with_guard("claude", "");
    let hook = json!({"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/hooks/guard.sh", "timeout": timeout});
    sandbox.settings(&json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}).to_string());
    sandbox.script("hooks/guard.sh", script);
    sandbox
}

#[test]
fn a_program_is_left_out_whatever_starts_the_script() {
    for (script, want) in [
        ("#!/bin/sh\nif jq | grep -q 'rm -rf'; then exit 2; fi\n", "fails_open"),
        ("#!/bin/sh\ncommand -v jq > /dev/null 2>&1 || exit 0\nexit 2\n", "fails_open"),
        ("#!/bin/sh\ncommand -v jq > /dev/null 2>&1 || exit 2\nexit 2\n", "holds"),
    ] {
        let sandbox = project_with_direct_guard(script, 60);
        sandbox.script("../bin/jq", "#!/bin/sh\ncat\n");
        let doc = document(&sandbox, "claude", &["--world-only", "--in-place"]);
        let row = doc["rows"].as_array().unwrap().iter().find(|row| row["variant"] == "without jq");
        assert_eq!(row.map(|row| &row["result"]), Some(&json!(want)), "{script}");
    }
}

#[test]
fn a_condition_that_is_not_tried_is_named() {
    let sandbox = project_with_direct_guard("#!/bin/sh\ncommand -v jq > /dev/null || exit 2\nexit 2\n", 60);
    let doc = document(&sandbox, "claude", &["--world-only", "--in-place"]);
    let row = doc["rows"].as_array().unwrap().iter().find(|row| row["variant"] == "without jq").unwrap();
    assert_eq!(
        (&row["result"], &row["says"]),
        (&json!("not_tried"), &json!("jq is not on PATH, so every run is without it"))
    );
    let says = doc["says"].as_str().unwrap();
    assert!(says.contains("not tried: ") && says.contains("without jq") && !says.contains("under all"), "{says}");
}

#[test]
fn a_hook_that_reaches_its_own_time_limit_is_told_with_it() {
    let sandbox = project_with_direct_guard("#!/bin/sh\nsleep 60\n", 1);
    let doc = document(&sandbox, "claude", &["--world-only", "--in-place"]);
    assert_eq!(doc["says"], "does not end within 1 s on `rm -rf build`, so variants and conditions are not tried");
}

#[test]
fn a_hook_that_answers_after_the_tool_objects() {
    let sandbox = project_with_direct_guard(NAIVE, 60);
    let hook = json!({"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/hooks/guard.sh"});
    sandbox.settings(&json!({"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}).to_string());
    let doc = document(
        &sandbox,
        "claude",
        &["--world-only", "--in-place", "--tool", "Bash", "--input", "{\"command\":\"rm -rf build\"}"],
    );
    let says = doc["says"].as_str().unwrap();
    assert!(says.starts_with("objects to `rm -rf build`; the event comes too late to refuse it"), "{says}");
}

/// What only the copy does, or what a hook does on any event, is said of the whole test.
#[test]
fn what_makes_a_test_worthless_is_said_first() {
    let one = ["--world-only", "--tool", "Bash", "--set", "tool_input.command=rm -rf build"];
    for (script, want) in [
        (
            "#!/bin/sh\n[ -f \"$HOME/rules\" ] || exit 0\necho no >&2\nexit 2\n",
            "refuses `rm -rf build` with your home directory, but not in the copy, where that is empty",
        ),
        (
            "#!/bin/sh\necho 'no such module' >&2\nexit 1\n",
            "fails on `rm -rf build` (exit 1: no such module), so variants and conditions are not tried",
        ),
        (
            "#!/bin/sh\n[ -e seen ] && exit 0\n: > seen\necho 'think first' >&2\nexit 2\n",
            "refuses `rm -rf build` only the first time, so variants and conditions are not tried",
        ),
    ] {
        let sandbox = project_with_direct_guard(script, 60);
        fs::write(sandbox.home.join("rules"), "").unwrap();
        let doc = document(&sandbox, "claude", &one);
        let says = doc["says"].as_str().unwrap();
        assert!(says.starts_with(want), "{says}: {doc}");
        let is_tried = |row: &&Value| row["result"] != "not_tried";
        assert!(script.contains("HOME") || !doc["rows"].as_array().unwrap().iter().any(|row| is_tried(&row)), "{doc}");
    }
}

/// As in the agent, a hook can write in the directory that the event names after `cd`.
#[test]
fn another_directory_is_one_in_which_the_hook_can_write() {
    let script = r#"#!/bin/sh
read -r line
cwd=${line#*\"cwd\":\"}
echo x >> "${cwd%%\"*}/log" || exit 1
echo no >&2
exit 2
"#;
    let sandbox = project_with_direct_guard(script, 60);
    let doc = document(&sandbox, "claude", &["--world-only"]);
    let results: Vec<&Value> = doc["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| ["another directory", "another cwd in the event"].contains(&row["variant"].as_str().unwrap()))
        .map(|row| &row["result"])
        .collect();
    assert_eq!(results, [&json!("holds"), &json!("holds")], "{doc}");
}
