//! `hookbench doctor` with agents that print their version and agents that do not.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::{Duration, Instant};

use hookbench::core::dialects::{self, Agent};
use serde_json::{Value, json};

use crate::agent_words;
use crate::sandbox::{ProgramOutput, Sandbox};

/// Installs this script as the agent's program.
fn install(sandbox: &Sandbox, dialect: &Agent, script: &str) {
    sandbox.script(&format!("../bin/{}", dialect.install().command), &format!("#!/bin/sh\n{script}\n"));
}

/// Returns the document's entry for the agent's program.
#[track_caller]
fn program(done: &ProgramOutput, dialect: &Agent) -> Value {
    let document = done.json();
    let agents = document["agents"].as_array().unwrap();
    agents.iter().find(|agent| agent["agent"] == dialect.id().as_str()).unwrap()["program"].clone()
}

fn newest(dialect: &Agent) -> String {
    dialects::default_version(dialect).to_string()
}

#[test]
fn nothing_is_installed() {
    let sandbox = Sandbox::new();
    let done = sandbox.run("doctor --format json").assert_status(0);
    assert_eq!(done.json()["schema"], "doctor/1");
    for dialect in dialects::ALL {
        assert_eq!(program(&done, dialect), Value::Null);
        let text = sandbox.run("doctor").assert_status(0);
        let says = format!("not installed: {} is not on PATH", dialect.install().command);
        assert!(text.stdout.contains(&says), "{text}");
    }
}

#[test]
fn versions_that_programs_print() {
    for dialect in dialects::ALL {
        let newest = newest(dialect);
        for (script, said, ended, known, note) in [
            (format!("echo '{newest} (an agent)'"), Some(newest.as_str()), "exit 0", json!(true), None),
            (format!("echo an-agent v{newest}"), Some(newest.as_str()), "exit 0", json!(true), None),
            ("echo 999.0.1".to_owned(), Some("999.0.1"), "exit 0", json!(false), None),
            ("echo hello; echo there".to_owned(), None, "exit 0", Value::Null, Some("it printed \"hello\"")),
            ("no-such-program".to_owned(), None, "exit 127", Value::Null, Some("failed with exit 127")),
            (
                format!("echo {newest}; echo no node >&2; exit 3"),
                None,
                "exit 3",
                Value::Null,
                Some("--version failed with exit 3"),
            ),
            ("kill -9 $$".to_owned(), None, "signal 9", Value::Null, Some("it printed nothing")),
            // A program that asks a question gets no answer.
            ("read answer; echo \"0.0.0$answer\"".to_owned(), Some("0.0.0"), "exit 0", json!(false), None),
        ] {
            let sandbox = Sandbox::new();
            install(&sandbox, dialect, &script);
            let done = sandbox.run("doctor --format json").assert_status(0);
            let program = program(&done, dialect);
            assert_eq!(program["version_said"], json!(said), "{script}");
            assert_eq!(program["version_in_files"], Value::Null, "{script}");
            assert_eq!(program["ended"], ended, "{script}");
            assert_eq!(program["known"], known, "{script}");
            let notes = program["notes"].to_string().replace("\\\"", "\"");
            assert!(note.map_or(notes == "[]", |note| notes.contains(note)), "{script}: {notes}");
        }
    }
}

#[test]
fn version_in_files_and_printed_version_may_differ() {
    for dialect in dialects::ALL {
        let hint = dialect.install();
        let newest = newest(dialect);
        let sandbox = Sandbox::new();
        let manifest = json!({"name": hint.package, "version": newest});
        sandbox.file("../lib/pkg/package.json", manifest.to_string());
        sandbox.script("../lib/pkg/bin/cli", "#!/bin/sh\necho 999.0.1\n");
        let bin = sandbox.project.parent().unwrap().join("bin");
        symlink("../lib/pkg/bin/cli", bin.join(hint.command)).unwrap();
        let done = sandbox.run("doctor --format json").assert_status(0);
        let program = program(&done, dialect);
        assert_eq!(program["version_in_files"], json!(newest));
        assert_eq!(program["known"], true, "what other commands go by is what the files say");
        assert_eq!(
            program["notes"],
            json!([format!("the version is {newest} in its files, but the program reports 999.0.1")])
        );
        assert!(program["real_path"].as_str().unwrap().ends_with("/lib/pkg/bin/cli"), "{program}");
        let text = sandbox.run("doctor").assert_status(0);
        for part in [&*newest, "links to <root>/lib/pkg/bin/cli", "from --version: 999.0.1", "in its files"] {
            assert!(text.stdout.contains(part), "{part}:\n{text}");
        }
        let basis = text.stdout.lines().filter(|line| line.trim().starts_with("tested on "));
        assert_eq!(basis.filter(|line| line.ends_with("; not calibrated on this machine")).count(), 1, "{text}");
    }
}

/// Waits until the process has ended or is a zombie.
fn wait_for_the_end_of(pid: &str) {
    let until = Instant::now() + Duration::from_secs(20);
    let alive = || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with(['Z', 'X']))
    };
    while alive() {
        assert!(Instant::now() < until, "{pid} lives on");
        std::thread::yield_now();
    }
}

#[test]
fn a_program_that_hangs_is_ended_with_all_that_it_started() {
    let sandbox = Sandbox::new();
    let [first, ..] = dialects::ALL else { panic!("there are agents") };
    for dialect in dialects::ALL {
        let ends =
            if dialect.id() == first.id() { "trap '' TERM; sleep 600 & wait; sleep 600" } else { "echo 999.0.1" };
        let command = dialect.install().command;
        install(&sandbox, dialect, &format!("sleep 600 >/dev/null 2>&1 &\necho $$ $! > $HOME/{command}\n{ends}"));
    }
    let done = sandbox.run("doctor --format json").assert_status(0);
    for dialect in dialects::ALL {
        let program = program(&done, dialect);
        if dialect.id() == first.id() {
            assert_eq!(program["ended"], "timed out");
            assert_eq!(program["notes"], json!(["--version did not exit within 5 s and was stopped"]));
        } else {
            assert_eq!(program["version_said"], "999.0.1");
        }
        let pids = fs::read_to_string(sandbox.home.join(dialect.install().command)).unwrap();
        assert_eq!(pids.split_whitespace().count(), 2);
        pids.split_whitespace().for_each(wait_for_the_end_of);
    }
}

#[test]
fn only_doctor_executes_agents() {
    let sandbox = Sandbox::new();
    for dialect in dialects::ALL {
        install(&sandbox, dialect, "echo ran > $HOME/ran; echo 1.2.3");
    }
    for line in ["list", "plan PreToolUse", "events", "tools", "why h1"] {
        sandbox.run(line);
        assert!(!sandbox.home.join("ran").exists(), "{line}");
    }
    sandbox.run("doctor").assert_status(0);
    assert!(sandbox.home.join("ran").exists(), "it would have left a trace");
}

#[test]
fn own_files_and_their_permissions() {
    let sandbox = Sandbox::new();
    let files = || sandbox.run("doctor --format json").assert_status(0).json()["files"].clone();
    for file in files().as_array().unwrap() {
        assert_eq!((&file["exists"], &file["mode"], &file["note"]), (&json!(false), &Value::Null, &Value::Null));
    }
    sandbox.file("../home/state/hookbench/consent.json", "{}");
    sandbox.file("../home/config/hookbench/config.toml", "them = 1\n");
    for (directory, consent, config, notes) in [
        (0o700, 0o600, 0o644, [None, None, None]),
        (0o755, 0o640, 0o664, [Some("read"), Some("read"), Some("change")]),
        (0o700, 0o606, 0o600, [None, Some("change"), None]),
    ] {
        let paths = ["home/state/hookbench", "home/state/hookbench/consent.json", "home/config/hookbench/config.toml"];
        let modes = [directory, consent, config];
        let root = sandbox.project.parent().unwrap();
        for (path, mode) in paths.iter().zip(modes) {
            fs::set_permissions(root.join(path), fs::Permissions::from_mode(mode)).unwrap();
        }
        let all = files();
        for (index, file) in all.as_array().unwrap().iter().enumerate() {
            assert_eq!(file["path"], root.join(paths[index]).to_str().unwrap());
            assert_eq!(file["mode"], format!("{:04o}", modes[index]));
            assert_eq!(file["note"], json!(notes[index].map(|does| format!("other users can {does} it"))));
        }
        assert_eq!(all.as_array().unwrap().len(), 3);
    }
    let text = sandbox.run("doctor").assert_status(0);
    assert!(text.stdout.contains("unknown setting \"them\"; did you mean \"theme\"?"), "{text}");
}

#[test]
fn the_terminal() {
    let sandbox = Sandbox::new();
    for (set, colours, utf8, clipboard) in [
        (&[][..], "none: ", true, "the terminal, OSC 52"),
        (&[("TERM", "xterm"), ("TMUX", "x")][..], "the terminal's own sixteen", true, "tmux and the terminal, OSC 52"),
        (
            &[("TERM", "xterm-256color"), ("COLORFGBG", "0;15"), ("LANG", "C")],
            "256, for a light background",
            false,
            "the terminal, OSC 52",
        ),
        (&[("TERM", "xterm"), ("NO_COLOR", "1")], "none: ", true, "the terminal, OSC 52"),
    ] {
        let mut command = sandbox.command(&["doctor".to_owned(), "--format".to_owned(), "json".to_owned()]);
        let done = command.envs(set.iter().copied()).output().unwrap();
        let document: Value = serde_json::from_slice(&done.stdout).unwrap();
        let terminal = &document["terminal"];
        assert!(terminal["colours"].as_str().unwrap().starts_with(colours), "{set:?} {terminal}");
        assert_eq!((&terminal["utf8"], &terminal["clipboard"]), (&json!(utf8), &json!(clipboard)), "{set:?}");
        assert_eq!((&terminal["is_terminal"], &terminal["size"]), (&json!(false), &Value::Null));
    }
}

/// A process that a program leaves behind is killed, even if it ignores signals.
#[test]
fn processes_that_outlive_the_version_are_killed() {
    for dialect in dialects::ALL {
        let sandbox = Sandbox::new();
        let stays = "sh -c 'trap \"\" TERM; echo $$ > $HOME/pid; exec sleep 600' >/dev/null 2>&1 &";
        install(&sandbox, dialect, &format!("{stays}\nwhile [ ! -s $HOME/pid ]; do :; done\necho {}", newest(dialect)));
        let done = sandbox.run("doctor --format json").assert_status(0);
        assert_eq!(program(&done, dialect)["known"], true);
        wait_for_the_end_of(fs::read_to_string(sandbox.home.join("pid")).unwrap().trim());
    }
}

/// Returns the document's list of the agent's entries.
#[track_caller]
fn entries(sandbox: &Sandbox, dialect: &Agent) -> Vec<Value> {
    let document = sandbox.run("doctor --format json").assert_status(0).json();
    let agents = document["agents"].as_array().unwrap();
    agents.iter().find(|agent| agent["agent"] == dialect.id().as_str()).unwrap()["entries"].as_array().unwrap().clone()
}

#[test]
fn entries_and_their_problems() {
    for dialect in dialects::ALL {
        let agent = dialect.id();
        let sandbox = Sandbox::for_agent(agent.as_str());
        let bin = sandbox.project.parent().unwrap().join("bin/hookbench");
        symlink(env!("CARGO_BIN_EXE_hookbench"), &bin).unwrap();
        assert_eq!(entries(&sandbox, dialect), Vec::<Value>::new());
        let none = sandbox.run("doctor").assert_status(0);
        assert!(none.stdout.contains(&format!("no forwarding hooks; `hookbench install --agent {agent}`")), "{none}");
        sandbox.run(&format!("install --agent {agent} --events @stop,@tool --yes")).assert_status(0);
        let waits = agent_words::words_of(agent.as_str()).review.map(|_| "untrusted");
        for entry in entries(&sandbox, dialect) {
            assert_eq!((entry["layer"].as_str(), entry["problem"]["kind"].as_str()), (Some("user"), waits), "{entry}");
            let seconds = if entry["event"] == agent_words::words_of(agent.as_str()).tool { 300 } else { 120 };
            assert_eq!(entry["timeout_ms"], json!(f64::from(seconds * 1000)));
        }
        fs::remove_file(&bin).unwrap();
        for entry in entries(&sandbox, dialect) {
            assert_eq!(entry["problem"]["kind"], "program", "{entry}");
        }
        let text = sandbox.run("doctor").assert_status(0);
        assert!(text.stdout.contains("all 2 entries: hookbench is not found on PATH"), "{text}");
    }
}

#[test]
fn an_agent_whose_timeout_is_too_short() {
    for dialect in dialects::ALL {
        let agent = dialect.id();
        let sandbox = Sandbox::for_agent(agent.as_str());
        symlink(env!("CARGO_BIN_EXE_hookbench"), sandbox.project.parent().unwrap().join("bin/hookbench")).unwrap();
        let timeout = 10 * agent_words::words_of(agent.as_str()).second;
        let handler = json!({"type": "command", "command": "hookbench forward", "timeout": timeout});
        sandbox.settings(&json!({"hooks": {"@tool": [{"hooks": [handler]}]}}).to_string());
        let found = entries(&sandbox, dialect);
        let says =
            "the agent stops waiting after 10 s, but an answer may take 290 s: run hookbench install to write 300 s";
        assert_eq!(found[0]["problem"], json!({"kind": "timeout", "says": says}), "{agent}");
        // With a shorter hold time, the short timeout is not a problem.
        sandbox.file("../home/config/hookbench/config.toml", "[forward]\nhold_ms = 4000\nstdin_ms = 1000\n");
        assert_eq!(entries(&sandbox, dialect)[0]["problem"], Value::Null, "{agent}");
    }
}

#[test]
fn server_states() {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixListener;
    let sandbox = Sandbox::new();
    let directory = sandbox.home.join("run");
    let socket = directory.join("hookbench.sock");
    let server = || sandbox.run("doctor --format json").assert_status(0).json()["server"].clone();
    sandbox.file("../home/.local/state/hookbench/socket", format!("{}\n", socket.display()));
    fs::create_dir(&directory).unwrap();
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)).unwrap();
    let state = |now: &Value| (now["socket"].as_str().unwrap().to_owned(), now["state"].as_str().unwrap().to_owned());
    let path = socket.to_str().unwrap().to_owned();
    assert_eq!(state(&server()), (path.clone(), "none".to_owned()));
    let listener = UnixListener::bind(&socket).unwrap();
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 4096];
        let length = stream.read(&mut asked).unwrap();
        assert!(asked[..length].starts_with(b"GET /v1/health HTTP/1.1\r\n"));
        let body = r#"{"name":"hookbench","version":"9.9.9","pid":42}"#;
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    });
    let now = server();
    serving.join().unwrap();
    assert_eq!((&now["state"], &now["health"]["pid"]), (&json!("running"), &json!(42)), "{now}");
    assert_eq!(now["says"], "running: version 9.9.9, process 42");
    // The listener has ended, but its socket still exists.
    assert_eq!(state(&server()), (path.clone(), "stale".to_owned()));
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(state(&server()), (path, "not_ours".to_owned()));
}
