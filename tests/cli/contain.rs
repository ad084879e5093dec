//! `--contain`: hooks are isolated from the project, the home directory, the environment and the network.

use std::fs;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use pretty_assertions::assert_eq;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FallocateFlags, fallocate};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use serde_json::{Value, json};

use crate::programs::kept_by;
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

/// An open directory outside would be a way out of the copy.
#[test]
fn open_files_of_hookbench_are_closed_for_hooks() {
    let sandbox = project_with_script("if [ -e /proc/self/fd/9 ]; then echo open; else echo closed; fi\n");
    for more in [" --contain", ""] {
        let inner = command(&sandbox, &format!("fire PreToolUse --tool Bash --yes --format json{more}"));
        let mut outer = Command::new("/bin/sh");
        outer.args(["-c", "exec 9</; exec \"$@\"", "sh"]).arg(inner.get_program()).args(inner.get_args());
        outer.env_clear().envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = outer.current_dir(&sandbox.project).output().unwrap();
        let doc: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(doc["runs"][0]["stdout"], "closed\n", "{more}: {doc:#}");
    }
}

/// A process that left the hook's group is named even if the rest of the hook had to be killed.
#[test]
fn a_detached_process_of_a_killed_hook_is_named() {
    let sandbox = project_with_script(
        "trap '' TERM\nsetsid sleep 3600 >/dev/null 2>&1 & echo $!\nwhile :; do sleep 1; done >/dev/null 2>&1\n",
    );
    sandbox.program("setsid");
    let doc = fire(&sandbox, " --timeout-scale 0.001");
    let run = &doc["runs"][0];
    let pid: i32 = run["stdout"].as_str().unwrap().trim().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    let said = format!("pid {pid} `sleep 3600` left the hook's process group and is still running");
    assert!(run["leftovers"].as_array().unwrap().iter().any(|one| *one == said), "{doc:#}");
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
    lines.push(format!("(echo x > /proc/$PPID/root{}) 2>/dev/null && echo through\nexit 0\n", home.display()));
    sandbox.file("hooks/it.sh", lines.join("\n"));
    let doc = fire(&sandbox, " --contain");
    if doc["contained"]["other_files"] != "read-only" {
        assert!(!can_isolate(), "{:#}", doc["contained"]);
        return eprintln!("skipped: {}", doc["contained"]["other_files"]);
    }
    // The copy in the place of the project accepts a file, and so does the common directory.
    assert_eq!(doc["runs"][0]["stdout"], "written\nwritten\nx\n", "{doc:#}");
    assert_eq!(fs::read_to_string(&known).unwrap(), "the project\n");
    assert!(sandbox.project.join("hooks/it.sh").exists() && !home.exists() && !shared.exists());
}

/// Whether this system lets a user isolate programs. Asked of another program, so that a test is not skipped because
/// hookbench itself fails.
fn can_isolate() -> bool {
    let words = ["--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "true"];
    Command::new("unshare").args(words).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// A directory outside those whose contents hooks may change in memory.
fn directory_outside_of_tmp() -> tempfile::TempDir {
    let places = [Some(env!("CARGO_TARGET_TMPDIR").into()), std::env::var_os("HOME"), Some("/opt".into())];
    let made = places.into_iter().flatten().find_map(|place| tempfile::tempdir_in(place).ok());
    made.expect("one of the directories can be written to")
}

/// A pipe that a contained hook can open, but only to read: outside of the directories whose pipes it does not see.
pub struct HeldPipe {
    _directory: tempfile::TempDir,
    pub path: PathBuf,
}

impl HeldPipe {
    pub fn new() -> HeldPipe {
        let directory = directory_outside_of_tmp();
        let path = directory.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        HeldPipe { _directory: directory, path }
    }

    /// Waits until a process has opened it to read.
    pub fn wait_until_held(&self) -> fs::File {
        fs::File::options().write(true).open(&self.path).unwrap()
    }
}

/// Waits until no process holds the pipe any more.
pub fn wait_until_left(pipe: &fs::File) {
    let mut end = [PollFd::new(pipe, PollFlags::empty())];
    while !end[0].revents().contains(PollFlags::ERR) {
        poll(&mut end, None).unwrap();
    }
}

/// A hook that is contained reaches no program of the user: neither by its sockets and pipes nor by its number.
#[test]
fn the_users_programs_are_out_of_reach() {
    let elsewhere = directory_outside_of_tmp();
    let sandbox = project_with_script("exec python3 \"$CLAUDE_PROJECT_DIR/hooks/reach.py\"\n");
    let _sockets = [&sandbox.home, &elsewhere.path().to_owned()].map(|place| {
        (UnixListener::bind(place.join("stream")).unwrap(), UnixDatagram::bind(place.join("datagram")).unwrap())
    });
    let _readers = [&sandbox.home, &sandbox.project, &elsewhere.path().to_owned()].map(|place| {
        let pipe = place.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        fs::File::options().read(true).write(true).open(&pipe).unwrap()
    });
    let abstract_name = format!("hookbench-test-{}", std::process::id());
    let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_name).unwrap()).unwrap();
    let mut other = Command::new("sleep").arg("3600").spawn().unwrap();
    let script = r#"
import os, resource, socket
other = OTHER
def reached(name, act):
    try:
        act()
        print(name)
    except OSError:
        pass
for place in ["HOME", "ELSEWHERE"]:
    os.chdir(place)
    reached("stream", lambda: socket.socket(socket.AF_UNIX).connect("stream"))
    reached("datagram", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).connect("datagram"))
    reached("pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].connect("datagram"))
for place in ["HOME", "PROJECT", "ELSEWHERE"]:
    reached("pipe in " + place, lambda: os.open(place + "/pipe", os.O_WRONLY | os.O_NONBLOCK))
reached("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\0ABSTRACT"))
reached("signal", lambda: os.kill(other, 0))
reached("limit", lambda: resource.prlimit(other, resource.RLIMIT_CORE, resource.prlimit(other, resource.RLIMIT_CORE)))
reached("priority", lambda: os.setpriority(os.PRIO_PROCESS, other, os.getpriority(os.PRIO_PROCESS, other)))
reached("affinity", lambda: os.sched_setaffinity(other, os.sched_getaffinity(other)))
reached("scheduler", lambda: os.sched_setscheduler(other, 0, os.sched_param(0)))
reached("environment", lambda: open(f"/proc/{other}/environ").read())
"#;
    let script = script
        .replace("OTHER", &other.id().to_string())
        .replace("HOME", &sandbox.home.display().to_string())
        .replace("\"PROJECT", &format!("\"{}", sandbox.project.display()))
        .replace("ELSEWHERE", &elsewhere.path().display().to_string())
        .replace("ABSTRACT", &abstract_name);
    sandbox.file("hooks/reach.py", script);
    let free = fire(&sandbox, "");
    let said = free["runs"][0]["stdout"].as_str().unwrap();
    for name in ["stream", "datagram", "pair", "abstract", "signal", "limit", "priority", "affinity"] {
        assert!(said.lines().any(|line| line == name), "{name}: {free:#}");
    }
    assert_eq!(said.matches("pipe in /").count(), 3, "{free:#}");
    let doc = fire(&sandbox, " --contain");
    other.kill().unwrap();
    other.wait().unwrap();
    if doc["contained"]["other_files"] != "read-only" || doc["contained"].get("gaps").is_some() {
        assert!(!can_isolate(), "{:#}", doc["contained"]);
        return eprintln!("skipped: {:#}", doc["contained"]);
    }
    assert_eq!((&doc["runs"][0]["stdout"], &doc["runs"][0]["stderr"]), (&json!(""), &json!("")), "{doc:#}");
}

/// A contained hook ends as it would end elsewhere: with its status, by its signal, or because it does not exist.
#[test]
fn a_contained_hook_ends_as_elsewhere() {
    for script in
        ["exit 7\n", "kill -TERM $$\n", "kill -KILL $$\n", "trap 'exit 3' USR1; kill -USR1 $$; exit 4\n", "missing\n"]
    {
        let sandbox = project_with_script(script);
        let hook = json!({"type": "command", "command": "exec sh \"$CLAUDE_PROJECT_DIR\"/hooks/it.sh"});
        sandbox.settings(&json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string());
        assert_eq!(fire(&sandbox, " --contain")["runs"][0]["exit"], fire(&sandbox, "")["runs"][0]["exit"], "{script}");
    }
}

/// What a contained hook leaves in the background ends with the firing, also in a session of its own.
#[test]
fn nothing_contained_outlives_its_firing() {
    let sandbox = project_with_script("");
    sandbox.program("setsid");
    let pipe = HeldPipe::new();
    let detached = format!("exec 3< '{}'; : > started; exec sleep 3600", pipe.path.display());
    let wait = "until [ -e started ]; do sleep 0.01; done";
    sandbox.file("hooks/it.sh", format!("setsid sh -c \"{detached}\" >/dev/null 2>&1 &\n{wait}\nexit 5\n"));
    let held = std::thread::spawn(move || pipe.wait_until_held());
    let doc = fire(&sandbox, " --contain");
    assert_eq!(doc["runs"][0]["exit"]["code"], 5, "{doc:#}");
    let held = held.join().unwrap();
    if doc["contained"]["other_files"] != "read-only" {
        assert!(!can_isolate(), "{:#}", doc["contained"]);
        return eprintln!("skipped: {}", doc["contained"]["other_files"]);
    }
    wait_until_left(&held);
}

/// A sparse file takes no more room in the copy.
#[test]
fn holes_are_not_copied() {
    let sandbox = project_with_script("cd \"$CLAUDE_PROJECT_DIR\"; stat -c '%s %b' hole; tail -c 3 hole\n");
    sandbox.program("stat").program("tail");
    let mut hole = fs::File::create(sandbox.project.join("hole")).unwrap();
    hole.set_len(8 << 30).unwrap();
    hole.seek(SeekFrom::End(0)).unwrap();
    hole.write_all(b"end").unwrap();
    let doc = fire(&sandbox, " --contain");
    let said = doc["runs"][0]["stdout"].as_str().unwrap();
    let (sizes, end) = said.split_once('\n').unwrap();
    let (length, blocks) = sizes.split_once(' ').unwrap();
    assert_eq!((length, end), (((8_u64 << 30) + 3).to_string().as_str(), "end"), "{doc:#}");
    assert!(blocks.parse::<u64>().unwrap() < 1000, "{said}");
}

/// Gives a project a file that takes more room than hookbench copies unasked. False if the disk has no such room.
fn fill(sandbox: &Sandbox, path: &str) -> bool {
    let file = sandbox.project.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let file = fs::File::create(file).unwrap();
    match fallocate(&file, FallocateFlags::empty(), 0, LARGE) {
        Ok(()) => true,
        Err(why) => {
            eprintln!("skipped: no room for a large file: {why}");
            false
        }
    }
}

/// More bytes than hookbench copies unasked.
const LARGE: u64 = (1 << 30) + (64 << 20);

#[test]
fn a_large_copy_needs_an_answer() {
    let sandbox = project_with_script("echo ran > \"$HOME/../ran\"\n");
    if !fill(&sandbox, "target/large") {
        return;
    }
    sandbox.file(
        "hooks.test.yaml",
        "agent: claude\nisolate: copy\ncases: [{ name: x, event: PreToolUse, tool: Bash, expect: { verdict: deny } }]\n",
    );
    sandbox.file(
        "homes/large.test.yaml",
        "agent: claude\nhome: own\ncases: [{ name: x, event: PreToolUse, tool: Bash, expect: { verdict: deny } }]\n",
    );
    fs::create_dir(sandbox.project.join("homes/own")).unwrap();
    fs::hard_link(sandbox.project.join("target/large"), sandbox.project.join("homes/own/large")).unwrap();
    for (line, directory, largest) in [
        ("fire PreToolUse --tool Bash --contain", "", "target 1.0 GB"),
        ("test hooks.test.yaml", "", "target 1.0 GB"),
        ("test homes/large.test.yaml", "the copy of homes/own", "large 1.0 GB"),
    ] {
        let output = command(&sandbox, line).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{line}: {said}");
        for part in [&format!("{directory} has "), largest, "hookbench copies at most 1.0 GB", "add --yes"] {
            assert!(said.contains(part), "{line}: {part}: {said}");
        }
        assert_eq!(remaining_files(&sandbox), Vec::<String>::new(), "{line}");
    }
}

/// A signal during the copy stops it, and leaves nothing of it.
#[test]
fn a_signal_stops_the_copy() {
    /// The copy takes three of these, and is stopped in the first.
    const FILE: usize = 256 << 20;
    for line in ["fire PreToolUse --tool Bash --yes --contain", "test --yes", "stress it.sh --yes"] {
        let sandbox = project_with_script("exit 0\n");
        sandbox.file(
            "hooks.test.yaml",
            "agent: claude\nisolate: copy\ncases: [{ name: x, event: PreToolUse, tool: Bash, expect: { verdict: deny } }]\n",
        );
        sandbox.file("large-0", vec![b'x'; FILE]);
        for number in 1..3 {
            fs::hard_link(sandbox.project.join("large-0"), sandbox.project.join(format!("large-{number}"))).unwrap();
        }
        let mut child = command(&sandbox, line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let written = |pid: u32| {
            let counts = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
            let line = counts.lines().find_map(|line| line.strip_prefix("wchar: "));
            line.map_or(0, |count| count.parse::<u64>().unwrap())
        };
        let copies = kept_by(child.id()).as_raw_nonzero().get().cast_unsigned();
        while written(copies) < 16 << 20 && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        // The counts of an ended process can be read until it is waited for, and contain those of its child.
        let pid = WaitId::Pid(Pid::from_child(&child));
        waitid(pid, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
        let count = written(child.id());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{line}");
        assert!(count < 3 * FILE as u64, "{line}: everything was copied");
        assert_eq!(remaining_files(&sandbox), Vec::<String>::new(), "{line}");
    }
}

/// The home directory of a suite is a part of the suite, whoever wrote it.
#[test]
fn a_suite_has_its_home_below_itself() {
    let sandbox = project_with_script("exit 2\n");
    std::os::unix::fs::symlink("/usr", sandbox.project.join("link")).unwrap();
    fs::create_dir(sandbox.project.join("own")).unwrap();
    for home in ["/usr", "..", "../..", ".", "link", "own/../.."] {
        sandbox.file(
            "hooks.test.yaml",
            format!("agent: claude\nhome: {home}\ncases: [{{ name: x, event: PreToolUse, tool: Bash }}]\n"),
        );
        let refused = sandbox.run("test --yes").assert_status(5);
        let wanted = format!("hooks.test.yaml:2:7: home {home:?} is not below the directory of the suite");
        assert!(refused.raw_stderr.contains(&wanted), "{home}: {}", refused.raw_stderr);
    }
    sandbox.file(
        "hooks.test.yaml",
        "agent: claude\nhome: own\ntrusted: true\ncases: [{ name: x, event: PreToolUse, tool: Bash }]\n",
    );
    sandbox.run("test --yes").assert_status(0);
}

/// A case that works on a copy does not change the project, even by its absolute path.
#[test]
fn a_copy_is_shown_in_the_place_of_the_project() {
    let sandbox = project_with_script("");
    let project = sandbox.project.display().to_string();
    sandbox.file("hooks/it.sh", format!("echo changed > '{project}/known'; cat known '{project}/known' >&2\nexit 2\n"));
    let suite = "agent: claude\nisolate: copy\ncases:\n  - { name: x, event: PreToolUse, tool: Bash, expect: { verdict: deny, \
                 stderr: \"changed\\nchanged\" } }\n";
    sandbox.file("hooks.test.yaml", suite);
    let done = sandbox.run("test --yes");
    if done.raw.contains("cannot show it the copy there") {
        assert_eq!(done.status, 1, "{done}");
        assert!(done.raw.contains("known changed in the project itself"), "{done}");
        assert!(!can_isolate());
        return eprintln!("skipped: this system shows no copy in the place of a project");
    }
    assert_eq!(done.status, 0, "{done}");
    assert_eq!(fs::read_to_string(sandbox.project.join("known")).unwrap(), "the project\n");
}

/// What a hook writes into the project itself under another name of a file is seen, also if it sets the time back.
#[test]
fn a_write_through_a_hard_link_is_seen() {
    let outside = tempfile::tempdir().unwrap();
    let other = outside.path().join("other").display().to_string();
    let sandbox = project_with_script("");
    sandbox.program("stat");
    fs::hard_link(sandbox.project.join("known"), &other).unwrap();
    let write =
        format!("time=$(stat -c %y '{other}'); echo changed\\ text > '{other}'; touch -d \"$time\" '{other}'\n");
    sandbox.file(
        "hooks.test.yaml",
        "agent: claude\nisolate: copy\ncases: [{ name: x, event: PreToolUse, tool: Bash, expect: { verdict: deny } }]\n",
    );
    for (script, status) in [("exit 2\n".to_owned(), 0), (write + "exit 2\n", 1)] {
        sandbox.file("hooks/it.sh", &script);
        let done = sandbox.run("test --yes").assert_status(status);
        assert_eq!(done.raw.contains("known changed in the project itself"), status == 1, "{done}");
    }
    assert_eq!(fs::read_to_string(sandbox.project.join("known")).unwrap(), "changed text\n");
}

/// Processes that a hook has detached go on, as they would under the agent, and the report says so. Those that stay in its
/// group end.
#[test]
fn detached_processes_are_named() {
    let sandbox = project_with_script(
        "setsid sleep 3600 >/dev/null 2>&1 & echo $!\n(setsid sleep 3600 >/dev/null 2>&1 & echo $!)\n\
         sleep 3600 >/dev/null 2>&1 & echo $!\n",
    );
    sandbox.program("setsid");
    let doc = fire(&sandbox, "");
    let run = &doc["runs"][0];
    let pids: Vec<&str> = run["stdout"].as_str().unwrap().lines().collect();
    let mut said: Vec<&str> = run["leftovers"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    said.sort_unstable();
    let mut wanted = [
        format!("pid {} `sleep 3600` left the hook's process group and is still running", pids[0]),
        format!("pid {} `sleep 3600` left the hook's process group and is still running", pids[1]),
        format!("pid {} `sleep 3600` outlived the hook; hookbench ends it", pids[2]),
    ];
    wanted.sort();
    let runs = |pid: &str| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    let still: Vec<bool> = pids.iter().map(|pid| runs(pid)).collect();
    for pid in pids.iter().take(2) {
        let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
    }
    assert_eq!((said, still), (wanted.iter().map(String::as_str).collect(), vec![true, true, false]), "{doc:#}");
}

/// A SIGKILL of one of hookbench's processes ends the hooks with everything that they have started, in sessions of their
/// own and without a variable of hookbench, too; one of all its processes ends what has stayed in the hook's session.
#[test]
fn a_killed_hookbench_leaves_no_hook() {
    let sandbox = project_with_script("");
    sandbox.program("setsid").program("env");
    let pipe = HeldPipe::new();
    let kill = |process: Pid| kill_process(process, Signal::KILL).unwrap();
    let stays = "(exec 3< PIPE; sleep 3600)\n";
    let leaves = "(env -i setsid sh -c 'exec 3< PIPE; exec sleep 3600' &)\nexec sleep 3600\n";
    let rows = [
        (stays, "", "first"),
        (stays, "", "second"),
        (stays, "", "both"),
        (stays, " --contain", "first"),
        (stays, " --contain", "second"),
        (leaves, "", "first"),
        (leaves, "", "second"),
    ];
    for (script, contained, killed) in rows {
        // The processes of the hook hold the pipe open until they end.
        sandbox.file("hooks/it.sh", script.replace("PIPE", &pipe.path.display().to_string()));
        let mut child = command(&sandbox, &format!("fire PreToolUse --tool Bash --yes{contained}"))
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let held = pipe.wait_until_held();
        match killed {
            "first" => kill(Pid::from_child(&child)),
            "second" => kill(kept_by(child.id())),
            _ => kill_process_group(Pid::from_child(&child), Signal::KILL).unwrap(),
        }
        child.wait().unwrap();
        wait_until_left(&held);
    }
}

/// A signal to the process group is one signal: the hooks get the time that they have to end.
#[test]
fn a_signal_to_the_group_stops_hooks_in_order() {
    let sandbox = project_with_script("trap 'echo in order; exit' TERM\necho > up\nwhile :; do sleep 0.01; done\n");
    let pipe = sandbox.project.join("up");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = command(&sandbox, "fire PreToolUse --tool Bash --yes --format json")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    fs::read(&pipe).unwrap();
    kill_process_group(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let doc: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &doc["runs"][0]["stdout"]), (Some(130), &json!("in order\n")));
}

/// A file system that is mounted over the settings is seen by whoever watches them.
#[test]
fn a_mount_over_the_settings_is_noticed() {
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--map-root-user", "--mount"]);
    let tried = unshare.args(["mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !tried.is_ok_and(|output| output.status.success()) {
        return eprintln!("skipped: this system lets no user mount a file system");
    }
    let sandbox = project_with_script("exit 2\n");
    sandbox.file(
        "hooks.test.yaml",
        "agent: claude\ncases: [{ name: x, event: PreToolUse, tool: Bash, expect: { verdict: deny } }]\n",
    );
    let inner = command(&sandbox, "test --watch --yes");
    let script = "\"$@\" & read line; mount -t tmpfs none \"$PROJECT/.claude\"; wait";
    let mut child = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"])
        .arg(inner.get_program())
        .args(inner.get_args())
        .env("PROJECT", &sandbox.project)
        .env("HOME", &sandbox.home)
        .current_dir(&sandbox.project)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("waiting for a saved file")));
    child.stdin.take().unwrap().write_all(b"now\n").unwrap();
    let next = lines.find(|line| line.contains("passed"));
    assert_eq!(next.as_deref(), Some("0 passed, 1 failed"));
    kill_process_group(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
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
        let pipe = HeldPipe::new();
        sandbox.file("hooks/it.sh", format!("exec 3< '{}'\nexec sleep 3600\n", pipe.path.display()));
        let mut child = command(&sandbox, "fire PreToolUse --tool Bash --yes --contain")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let held = pipe.wait_until_held();
        assert!(!remaining_files(&sandbox).is_empty());
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal:?}");
        assert_eq!(remaining_files(&sandbox), Vec::<String>::new(), "{signal:?}");
        wait_until_left(&held);
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
