//! Syntax checks of scripts by their own interpreters. An interpreter reads the script without running it, but it
//! is still a started process, so this happens only on request.

use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;
use tokio::sync::mpsc;

use crate::analysis::lint::{Finding, InterpretedScript, LintResult};
use crate::environment::hook_environment;
use hookbench_core::diagnostic::Code;
use hookbench_core::run::{Exit, Launch, ProcessSpec, RunId, RunReport, RunRequest};
use hookbench_core::text::Position;
use hookbench_system::runner::{RunEvent, Runner};

/// The time limit for an interpreter to read a script.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The number of output bytes to keep.
const OUTPUT_LIMIT: usize = 8192;

/// Compiles a file without writing a `.pyc` and without importing modules from its directory.
const PYTHON_CHECK: &str = "import sys; p = sys.argv[1]; compile(open(p, 'rb').read(), p, 'exec')";

static LINE_NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)(?:\bline |:)([0-9]+)(?:\D|$)").ok());

/// Runs the interpreter of every script that has a supported one, and adds the errors as findings.
pub async fn check_syntax(linted: &mut LintResult) {
    let asked: Vec<(InterpretedScript, ProcessSpec)> =
        linted.scripts.iter().filter_map(|script| Some((script.clone(), syntax_check_spec(script)?))).collect();
    let (sender, mut events) = mpsc::channel(64);
    let runner = Runner::new(sender, 1.0);
    let mut waiting = asked.len();
    for (run, (_, spec)) in (0..).zip(&asked) {
        let launch = Launch::Process(spec.clone());
        runner.start(RunRequest { run: RunId(run), hook: "syntax".to_owned(), launch, awaited: true });
    }
    let mut found = Vec::new();
    while waiting > 0 {
        let Some(event) = events.recv().await else { break };
        if let RunEvent::Ended(report) = event {
            waiting -= 1;
            if let Some((script, _)) = asked.get(report.run.0 as usize) {
                found.extend(finding(script, &report));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    // Skip an error that the static checks have already reported for this file.
    found.retain(|new| !linted.findings.iter().any(|old| old.code == new.code && old.path == new.path));
    linted.findings.extend(found);
}

fn syntax_check_spec(script: &InterpretedScript) -> Option<ProcessSpec> {
    let text = |args: &[&str]| args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>();
    let path = script.path.as_str();
    let (program, args) = match script.interpreter.as_str() {
        by @ ("sh" | "dash" | "bash" | "zsh" | "ksh") => (by, text(&["-n", path])),
        "python" => ("python3", text(&["-I", "-c", PYTHON_CHECK, path])),
        "node" if std::path::Path::new(path).extension().is_none_or(|e| e != "ts") => {
            ("node", text(&["--check", path]))
        }
        _ => return None,
    };
    Some(hook_environment::helper_process(program.to_owned(), args, TIME_LIMIT, OUTPUT_LIMIT))
}

/// Converts an interpreter's error into a finding. Returns `None` if the interpreter is missing, failed to run, or
/// reported no error.
fn finding(script: &InterpretedScript, report: &RunReport) -> Option<Finding> {
    if !matches!(report.exit, Exit::Code(code) if code != 0) {
        return None;
    }
    let said = report.stderr.text();
    let line =
        LINE_NUMBER.as_ref()?.captures(said.get(said.find(&script.path).map_or(0, |at| at + script.path.len())..)?);
    let line: u32 = line.and_then(|found| found.get(1)?.as_str().parse().ok()).unwrap_or(1);
    let why = said.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Node.js"));
    let why =
        why.clone().rfind(|line| line.contains("Error") || line.contains("rror:")).or_else(|| said.lines().next());
    let why = why.unwrap_or("").replace(&script.path, &script.file);
    let start = Position { line, column: 1 };
    let says = format!("{} cannot parse this script: {}", script.interpreter, why.trim());
    Some(Finding {
        note: Some("reported by the interpreter, which parsed the script but did not run it".to_owned()),
        file: Some(script.file.clone()),
        path: Some(script.path.clone()),
        place: Some((start, start)),
        line: script.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or("").to_owned(),
        ..Finding::new(Some(script.agent), Code::HW417, says)
    })
}
