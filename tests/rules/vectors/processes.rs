//! A sample of the recorded firings through the built program, with real files and processes: everything that needs
//! them (shells, exec form, environment, signals, timeouts, large outputs, starting order), and a few of each other
//! kind.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use serde_json::Value;

use crate::vector::{ObservedResult, Vector, VectorDirectories, assert_no_differences, differences, vectors};

/// The number of parallel runs. Hooks that sleep in parallel must not be slowed by the test itself.
const WORKERS: usize = 2;

/// Held while scripts are written and while the program is started: a process that another thread starts while a
/// script is open for writing would inherit the open file, and the script could not be started ("text file busy").
static FILES: Mutex<()> = Mutex::new(());

#[test]
fn the_program_with_real_processes_answers_as_the_agent_did() {
    let all: Vec<Vector> = super::agents_with_vectors()
        .flat_map(|dialect| vectors(&format!("vectors/processes/{}.jsonl", dialect.id())))
        .collect();
    assert!(all.len() >= 100, "{} vectors", all.len());
    let queue = Mutex::new(all.iter());
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let Some(vector) = queue.lock().unwrap().next() else { return };
                    if !check(vector).is_empty() {
                        failed.lock().unwrap().push(vector);
                    }
                }
            });
        }
    });
    // Failed vectors run again, one at a time: on a busy machine a hook may miss a short timeout.
    let mut wrong: Vec<(String, Vec<String>)> =
        failed.into_inner().unwrap().into_iter().map(|vector| (vector.id.clone(), check(vector))).collect();
    wrong.retain(|(_, lines)| !lines.is_empty());
    assert_no_differences(all.len(), &wrong);
}

fn check(vector: &Vector) -> Vec<String> {
    let root = tempfile::Builder::new().prefix("hbv-").tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let below = |name: &str| root.join(name).to_str().unwrap().to_owned();
    let places = VectorDirectories { project: below("project"), home: below("home") };
    let (ran, stdin) = (below("ran"), below("stdin"));
    {
        let _writing = FILES.lock().unwrap();
        fs::create_dir(&stdin).unwrap();
        lay(&places.project, &vector.project, &places);
        lay(&places.home, &vector.home, &places);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookbench"));
    command
        .args(["fire", "--agent", &vector.agent, "--project", &places.project, "--home", &places.home])
        .args(["--yes", "--format", "json"])
        .args(vector.args.iter().map(|arg| places.text(arg)))
        .args(vector.payload.iter().flat_map(|_| ["--payload", "-"]))
        .current_dir(&places.project)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", &places.home)
        .env("LANG", "C.UTF-8")
        .env("HB_RAN", &ran)
        .env("HB_STDIN", &stdin)
        .env("XDG_STATE_HOME", below("state"))
        .env("XDG_CONFIG_HOME", format!("{}/.config", places.home))
        .envs(vector.env.iter().map(|(name, text)| (name, places.text(text))))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = {
        let _starting = FILES.lock().unwrap();
        command.spawn()
    };
    let mut child = started.unwrap();
    let payload = vector.payload.as_ref().map(|payload| places.fill(payload).to_string()).unwrap_or_default();
    let mut input = child.stdin.take().unwrap();
    // A program that exits early may not read stdin; its output shows why.
    let _ = input.write_all(payload.as_bytes());
    drop(input);
    let done = child.wait_with_output().unwrap();
    let Ok(document) = serde_json::from_slice::<Value>(&done.stdout) else {
        let said = String::from_utf8_lossy(if done.stderr.is_empty() { &done.stdout } else { &done.stderr });
        return vec![format!("no JSON on stdout ({}): {said}", done.status)];
    };
    let outcome = document.get("outcome").and_then(Value::as_object).cloned().unwrap_or_default();
    let started = fs::read_to_string(&ran).unwrap_or_default();
    let seen = ObservedResult {
        started: started.split_whitespace().map(str::to_owned).collect(),
        schedule: document.get("schedule").cloned().unwrap_or_default(),
        stdin: fs::read_dir(&stdin)
            .unwrap()
            .flatten()
            .map(|file| {
                let text = fs::read(file.path()).unwrap_or_default();
                (file.file_name().to_string_lossy().into_owned(), String::from_utf8_lossy(&text).into_owned())
            })
            .collect(),
        outcome,
    };
    let expect = places.fill(&Value::Object(vector.expect.clone()));
    differences(expect.as_object().unwrap(), &seen)
}

fn lay(root: &str, files: &std::collections::BTreeMap<String, Value>, places: &VectorDirectories) {
    fs::create_dir_all(root).unwrap();
    for (path, content) in files {
        let target = Path::new(root).join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        let text = places.content(content);
        fs::write(&target, &text).unwrap();
        if text.starts_with("#!") {
            fs::set_permissions(&target, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}
