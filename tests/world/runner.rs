//! Real processes that misbehave. No test sleeps to wait for something, and none asserts a duration.
#![allow(clippy::disallowed_methods, reason = "a test of what touches the world")]

use crate::fake_hooks;
mod http;
use crate::programs;
mod watch;
mod watch_loop;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fake_hooks::{RunnerHarness, exec, sh, text, wait_until_gone, within};
use hookbench::core::run::{Exit, FinishCondition, HookVariable, Launch, ProcessSpec, RunReport, Stream};
use hookbench::runner::RunEvent;
use pretty_assertions::assert_eq;

fn failed(report: &RunReport) -> &str {
    match &report.exit {
        Exit::FailedToStart { error } => error,
        other => panic!("it started: {other:?}"),
    }
}

fn says(report: &RunReport) -> Vec<&str> {
    report.leftovers.iter().map(|leftover| leftover.message.as_str()).collect()
}

fn script(directory: &Path, name: &str, text: &str, mode: u32) -> String {
    let path = directory.join(name);
    programs::write_program(&path, text.as_bytes());
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
    path.to_str().expect("a UTF-8 path").to_owned()
}

// ---- ends

#[tokio::test(flavor = "multi_thread")]
async fn exit_codes_and_both_streams() {
    let mut bench = RunnerHarness::new();
    let report = bench.run(sh("echo out; echo err >&2; exit 3")).await;
    assert_eq!(report.exit, Exit::Code(3));
    assert_eq!((text(&report.stdout), text(&report.stderr)), ("out\n", "err\n"));
    assert_eq!(says(&report), Vec::<&str>::new());
    assert!(report.timing.ended >= report.timing.started);
}

/// More runs than can be under way: the others wait, and those that are stopped before their turn are not started.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_stopped_before_its_turn_is_not_started() {
    const RUNS: usize = 520;
    let directory = tempfile::tempdir().unwrap();
    let mut bench = RunnerHarness::new();
    for n in 0..RUNS {
        bench.start(Launch::Process(within(directory.path(), sh(&format!("touch {n}; exec sleep 3600")))));
    }
    // The first one runs.
    while !matches!(bench.event().await, RunEvent::Started { .. }) {}
    bench.runner().kill_all();
    for _ in 0..RUNS {
        assert_eq!(bench.next_report().await.exit, Exit::Cancelled);
    }
    assert!(!directory.path().join((RUNS - 1).to_string()).exists(), "the last one was started");
}

/// Hooks that run in parallel: none is mistaken for a leftover of another.
#[tokio::test(flavor = "multi_thread")]
async fn siblings_are_not_leftovers() {
    let mut bench = RunnerHarness::new();
    for round in 0..100 {
        for command in ["echo one", "echo two", "sleep 0.01"] {
            bench.start(Launch::Process(sh(command)));
        }
        for _ in 0..3 {
            let report = bench.next_report().await;
            assert_eq!(says(&report), Vec::<&str>::new(), "round {round}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn death_by_signal() {
    let report = RunnerHarness::new().run(sh("echo last; kill -SEGV $$")).await;
    assert_eq!((report.exit.clone(), text(&report.stdout)), (Exit::Signal(11), "last\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_come_in_order_and_add_up() {
    let mut bench = RunnerHarness::new();
    let run = bench.start(Launch::Process(sh("echo one; echo two")));
    assert!(matches!(bench.event().await, RunEvent::Started { pid: Some(_), .. }));
    let report = bench.next_report().await;
    assert_eq!(bench.output_of(run, Stream::Stdout), report.stdout.head);
    assert_eq!(text(&report.stdout), "one\ntwo\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_ends_what_ignores_sigterm() {
    let spec = ProcessSpec {
        timeout: Some(Duration::from_secs(30)),
        ..sh("trap '' TERM; echo early; while :; do sleep 0.05; done")
    };
    let report = RunnerHarness::scaled(0.01).run(spec).await;
    assert_eq!(report.exit, Exit::TimedOut { after: Duration::from_secs(30) }, "unscaled");
    assert!(says(&report)[0].contains("ignored SIGTERM and was killed"), "{:?}", says(&report));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_named_directory_is_looked_for() {
    let directory = tempfile::tempdir().unwrap();
    for (script, names_directory, want) in [
        ("mkdir wt; echo log; echo wt; echo", true, Some(true)),
        ("echo nowhere", true, Some(false)),
        ("touch file; echo file", true, Some(false)),
        (":", true, Some(false)),
        ("echo nowhere", false, None),
    ] {
        let spec = ProcessSpec { names_directory, ..within(directory.path(), sh(script)) };
        assert_eq!(RunnerHarness::new().run(spec).await.named_directory, want, "{script}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_trap_prints_is_kept() {
    let mut bench = RunnerHarness::new();
    let run =
        bench.start(Launch::Process(sh("trap 'echo bye; exit 2' TERM; echo ready; while :; do sleep 0.01; done")));
    bench.lines(run, 1).await;
    bench.runner().kill(run);
    let report = bench.next_report().await;
    assert_eq!((report.exit.clone(), text(&report.stdout)), (Exit::Cancelled, "ready\nbye\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_group_dies() {
    let mut bench = RunnerHarness::new();
    let run = bench.start(Launch::Process(sh("sleep 300 & echo $!; sh -c 'trap \"\" TERM; echo $$; sleep 300'; wait")));
    let pids = bench.lines(run, 2).await;
    bench.runner().kill_all();
    assert_eq!(bench.next_report().await.exit, Exit::Cancelled);
    for pid in pids {
        wait_until_gone(&pid).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ended_as_soon_as_it_is_started() {
    let mut bench = RunnerHarness::new();
    for _ in 0..20 {
        let run = bench.start(Launch::Process(sh("sleep 300 & wait")));
        bench.runner().kill(run);
        assert_eq!(bench.next_report().await.exit, Exit::Cancelled);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_runner_ends_everything() {
    let mut bench = RunnerHarness::new();
    let run = bench.start(Launch::Process(sh("sleep 300 & echo $!; wait")));
    let pids = bench.lines(run, 1).await;
    bench.runner = None;
    assert_eq!(bench.next_report().await.exit, Exit::Cancelled);
    wait_until_gone(&pids[0]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_that_leaves_ends_nothing_by_itself() {
    let directory = tempfile::tempdir().unwrap();
    let mut bench = RunnerHarness::new();
    let run =
        bench.start(Launch::Process(within(directory.path(), sh("mkfifo go; echo $$; cat go; echo done > done"))));
    let pid = bench.lines(run, 1).await.remove(0);
    let runner = bench.runner.take();
    drop(bench);
    fs::write(directory.path().join("go"), "go").unwrap();
    wait_until_gone(&pid).await;
    assert_eq!(fs::read_to_string(directory.path().join("done")).unwrap(), "done\n");
    drop(runner);
}

/// Runs in a separate process, because it ends every process group.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started by kill_every_group"]
async fn kill_every_group_child() {
    let mut bench = RunnerHarness::new();
    let run = bench.start(Launch::Process(sh("sleep 300 & echo $!; wait")));
    let pid = bench.lines(run, 1).await.remove(0);
    hookbench::runner::kill_every_group();
    assert_eq!(bench.next_report().await.exit, Exit::Signal(9));
    wait_until_gone(&pid).await;
}

#[test]
fn kill_every_group() {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", "runner::kill_every_group_child", "--ignored"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

// ---- stdin

#[tokio::test(flavor = "multi_thread")]
async fn stdin_goes_in_while_output_comes_out() {
    let stdin: Vec<u8> = (0..3_000_000_u32).map(|n| n.to_le_bytes()[0]).collect();
    let spec = ProcessSpec { stdin: Arc::from(stdin.as_slice()), keep: 8 << 20, ..exec("/bin/cat", &[]) };
    let report = RunnerHarness::new().run(spec).await;
    assert!(report.stdout.head == stdin, "it comes back as it went in");
    assert_eq!((report.exit, report.stdin_read), (Exit::Code(0), 3_000_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn stdin_that_nobody_reads() {
    let stdin = Arc::from(vec![b'x'; 1 << 20]);
    for (shell, taken) in [("exit 0", 0), ("exec 0<&-; echo closed", 0), ("dd bs=10 count=1 2>/dev/null >&2", 10)] {
        let report = RunnerHarness::new().run(ProcessSpec { stdin: Arc::clone(&stdin), ..sh(shell) }).await;
        assert_eq!((report.exit, report.stdin_read), (Exit::Code(0), taken), "{shell}");
    }
}

// ---- output

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_counted_and_cut() {
    const TOTAL: u64 = 200_000_000;
    let mut bench = RunnerHarness::new();
    let run = bench.start(Launch::Process(exec("head", &["-c", &TOTAL.to_string(), "/dev/zero"])));
    let report = bench.next_report().await;
    assert_eq!(report.exit, Exit::Code(0));
    assert_eq!((report.stdout.head.len(), report.stdout.tail.len()), (1 << 20, 256 << 10));
    assert_eq!(report.stdout.total, TOTAL);
    assert_eq!(bench.output_of(run, Stream::Stdout).len() as u64 + bench.skipped, TOTAL);
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_no_text() {
    let report = RunnerHarness::new().run(sh(r"printf '\377\000\033[2J\r\n'")).await;
    assert_eq!(report.stdout.head, b"\xff\0\x1b[2J\r\n");
    assert!(!report.stdout.is_utf8());
}

// ---- leftovers

/// Ends only when its child has the expected name: between fork and exec the child is still a shell.
macro_rules! leaves {
    ($start:literal) => {
        concat!($start, " p=$!; [ -e /proc/$p/cmdline ] && until tr '\\0' ' ' </proc/$p/cmdline | grep -q '^sleep'; do :; done; echo $p")
    };
}
const LEAVES_A_SLEEPER: &str = leaves!("sleep 300 &");
const LEAVES_A_SILENT_SLEEPER: &str = leaves!("sleep 300 >/dev/null 2>&1 &");

#[tokio::test(flavor = "multi_thread")]
async fn at_exit_a_grandchild_is_not_waited_for() {
    let mut bench = RunnerHarness::new();
    let report = bench.run(sh(LEAVES_A_SLEEPER)).await;
    assert_eq!(report.exit, Exit::Code(0));
    let pid = text(&report.stdout).trim();
    let expected =
        format!("pid {pid} `sleep 300` outlived the hook; hookbench ends it; it held stdout and stderr open");
    assert_eq!(says(&report), [expected]);
    wait_until_gone(pid).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn at_exit_a_silent_grandchild_is_found_too() {
    let report = RunnerHarness::new().run(sh(LEAVES_A_SILENT_SLEEPER)).await;
    let pid = text(&report.stdout).trim();
    assert_eq!(says(&report), [format!("pid {pid} `sleep 300` outlived the hook; hookbench ends it")]);
    wait_until_gone(pid).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn at_eof_a_grandchild_is_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let mut bench = RunnerHarness::new();
    let spec = within(directory.path(), sh("mkfifo go; { read line < go; echo late; } & echo early"));
    let run = bench.start(Launch::Process(ProcessSpec { finish: FinishCondition::AtEof, ..spec }));
    bench.lines(run, 1).await;
    fs::write(directory.path().join("go"), "go\n").unwrap();
    let report = bench.next_report().await;
    assert_eq!((report.exit.clone(), text(&report.stdout)), (Exit::Code(0), "early\nlate\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn at_eof_a_grandchild_can_run_into_the_deadline() {
    let mut bench = RunnerHarness::new();
    let after = Duration::from_secs(1);
    let spec = ProcessSpec { finish: FinishCondition::AtEof, timeout: Some(after), ..sh(LEAVES_A_SLEEPER) };
    let report = bench.run(spec).await;
    assert_eq!(report.exit, Exit::TimedOut { after });
    let pid = text(&report.stdout).trim();
    let expected =
        format!("pid {pid} `sleep 300` outlived the hook; hookbench ends it; it held stdout and stderr open");
    assert_eq!(says(&report), [expected]);
    wait_until_gone(pid).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_left_the_group_is_named_and_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let shell = "mkfifo up; setsid sh -c 'echo up > up; exec sleep 300' & cat up >/dev/null; echo $!";
    let report = RunnerHarness::new().run(within(directory.path(), sh(shell))).await;
    let pid = text(&report.stdout).trim();
    assert_eq!(says(&report).len(), 1, "{:?}", says(&report));
    assert!(says(&report)[0].starts_with(&format!("pid {pid} `")), "{:?}", says(&report));
    assert!(
        says(&report)[0]
            .ends_with("left the hook's process group and is still running; it held stdout and stderr open")
    );
    assert!(fs::exists(format!("/proc/{pid}")).unwrap());
    let pid_number = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
    rustix::process::kill_process(pid_number, rustix::process::Signal::KILL).unwrap();
}

// ---- failures to start

#[tokio::test(flavor = "multi_thread")]
async fn why_it_did_not_start() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let cases = [
        (exec("no-such-program", &[]), "no-such-program: not found".to_owned()),
        (exec("/no/such/program", &[]), "/no/such/program: not found".to_owned()),
        (
            exec(&script(here, "quiet", "#!/bin/sh\n", 0o644), &[]),
            format!("{}/quiet: permission denied", here.display()),
        ),
        (
            exec(&script(here, "odd", "#!/no/such/shell -x\n", 0o755), &[]),
            format!("{}/odd: bad interpreter: /no/such/shell: no such file or directory", here.display()),
        ),
        (exec("/tmp", &[]), "/tmp: is a directory".to_owned()),
        (within(Path::new("/no/such"), sh("true")), "working directory /no/such: no such file or directory".to_owned()),
        (within(Path::new("/etc/passwd"), sh("true")), "working directory /etc/passwd: not a directory".to_owned()),
    ];
    let mut bench = RunnerHarness::new();
    for (spec, expected) in cases {
        assert_eq!(failed(&bench.run(spec).await), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_still_being_written_is_tried_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = script(directory.path(), "busy", "#!/bin/sh\necho ran\n", 0o755);
    let writer = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let mut bench = RunnerHarness::new();
    assert!(failed(&bench.run(exec(&path, &[])).await).contains("busy"));
    drop(writer);
    assert_eq!(text(&bench.run(exec(&path, &[])).await.stdout), "ran\n");
}

// ---- environment

#[tokio::test(flavor = "multi_thread")]
async fn the_environment_is_inherited_and_changed() {
    let mut spec = sh(
        "echo \"$HOOKBENCH_A,${CARGO_MANIFEST_DIR-gone},$PATH\"; test -e \"$SCRATCH\" && echo $SCRATCH && cat $SCRATCH",
    );
    spec.env.remove = vec!["CARGO_MANIFEST_DIR".to_owned(), "HOOKBENCH_A".to_owned()];
    spec.env.set = ["1", "2"].map(|value| HookVariable::of_agent("HOOKBENCH_A", value)).to_vec();
    spec.env.scratch_files = vec!["SCRATCH".to_owned()];
    let report = RunnerHarness::new().run(spec).await;
    let lines: Vec<&str> = text(&report.stdout).lines().collect();
    assert_eq!(lines[0], format!("2,gone,{}", std::env::var("PATH").unwrap()));
    assert_eq!(lines.len(), 2, "the file is there and empty");
    assert!(!fs::exists(lines[1]).unwrap(), "and gone with the run");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_is_looked_up_on_the_path_that_it_is_given() {
    let directory = tempfile::tempdir().unwrap();
    script(directory.path(), "my-hook", "#!/bin/sh\npwd\n", 0o755);
    let mut spec = within(directory.path(), exec("my-hook", &[]));
    spec.env.set = vec![HookVariable::of_agent("PATH", format!("{}:/usr/bin:/bin", directory.path().display()))];
    let report = RunnerHarness::new().run(spec).await;
    let here = directory.path().canonicalize().unwrap();
    assert_eq!(text(&report.stdout).trim(), here.to_str().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut bench = RunnerHarness::new();
    // None of them ends before all of them have started.
    for _ in 0..50 {
        let shell = "> here.$$; until set -- here.*; [ $# -ge 50 ]; do sleep 0.1; done; echo $#";
        bench.start(Launch::Process(within(directory.path(), sh(shell))));
    }
    for _ in 0..50 {
        let report = bench.next_report().await;
        assert_eq!((report.exit.clone(), text(&report.stdout)), (Exit::Code(0), "50\n"));
    }
}
