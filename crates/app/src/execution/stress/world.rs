//! Runs a hook under the conditions of the world, and judges it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::task::JoinSet;

use super::hook_runner::{HookFiring, HookRunner, duration, limit_of, same_verdict, timed_out};
use super::process_changes as changes;
use crate::stress::{LONGEST_RUN, WorldCondition, WorldResult, WorldRow, is_on_path, seconds};
use hookbench_core::decide::Verdict;
use hookbench_core::run::{Launch, ProcessSpec};
use hookbench_system::isolation::slow_disk_prefix;

/// How long stdin stays open after the payload, in seconds.
const HELD_OPEN: u32 = 3;

/// The runs that are compared to find out whether the hook always behaves alike.
const RUNS: usize = 3;
const AT_THE_SAME_TIME: usize = 20;

/// The largest number of programs whose absence is tried.
const MOST_PROGRAMS: usize = 6;

/// The reason why a condition is not tried.
struct NotTried(String);

/// Runs the hook under one condition.
pub(super) async fn try_condition(
    runner: &Arc<HookRunner>,
    condition: WorldCondition,
    body: &Value,
    usual: &HookFiring,
    text: Option<&String>,
) -> WorldRow {
    let is_process = matches!(usual.run.as_ref().map(|run| &run.launch), Some(Launch::Process(_)));
    let tried = if !is_process {
        Err(NotTried("the hook starts no process for this event".to_owned()))
    } else if timed_out(usual) {
        Err(NotTried(format!("the hook does not end within {} on the event itself", limit_of(usual))))
    } else if usual.fails() {
        Err(NotTried(format!("the hook fails on the event itself: {}", usual.explanation())))
    } else if runner.is_out_of_time() {
        Err(out_of_time(runner))
    } else {
        run_under(runner, &condition, body, usual, text).await
    };
    match tried {
        Ok((verdict, result, explanation)) => WorldRow { condition, verdict: Some(verdict), result, explanation },
        Err(NotTried(why)) => WorldRow { condition, verdict: None, result: WorldResult::NotTried, explanation: why },
    }
}

/// The row of a condition for a hook that refuses only the first time.
pub(super) fn not_comparable(condition: WorldCondition) -> WorldRow {
    let explanation = "the hook remembers that it has refused the event".to_owned();
    WorldRow { condition, verdict: None, result: WorldResult::NotTried, explanation }
}

fn out_of_time(runner: &HookRunner) -> NotTried {
    NotTried(format!("the test ends after {} s", runner.request().longest_test.as_secs()))
}

type Judged = (Verdict, WorldResult, String);

async fn run_under(
    runner: &Arc<HookRunner>,
    condition: &WorldCondition,
    body: &Value,
    usual: &HookFiring,
    text: Option<&String>,
) -> Result<Judged, NotTried> {
    match condition {
        WorldCondition::Repeated => {
            let mut fired = Vec::new();
            for _ in 0..RUNS {
                fired.push(runner.fire(body, &|_| {}).await);
                if fired.last().is_some_and(timed_out) {
                    break;
                }
            }
            Ok(judge_several(&fired, usual))
        }
        WorldCondition::TwentyAtOnce => {
            let mut tasks = JoinSet::new();
            for _ in 0..AT_THE_SAME_TIME {
                let (runner, body) = (Arc::clone(runner), body.clone());
                tasks.spawn(async move { runner.fire(&body, &|_| {}).await });
            }
            let mut fired = Vec::new();
            while let Some(done) = tasks.join_next().await {
                match done {
                    Ok(one) => fired.push(one),
                    Err(why) if why.is_panic() => std::panic::resume_unwind(why.into_panic()),
                    Err(_) => break,
                }
            }
            Ok(judge_several(&fired, usual))
        }
        WorldCondition::StdinHeldOpen => {
            let bash = program("bash")?;
            let text = format!("exec \"$@\" < <(cat 2>/dev/null; exec sleep {HELD_OPEN} 2>/dev/null)");
            let fired = runner.fire(body, &|spec| changes::wrap(spec, &bash, &text)).await;
            let waited = duration(&fired) >= Duration::from_secs(HELD_OPEN.into());
            if waited && duration(usual) < Duration::from_secs(HELD_OPEN.into()) / 2 {
                let says = "it waits until stdin is closed; every agent closes it".to_owned();
                return Ok((fired.outcome.verdict, WorldResult::Hangs, says));
            }
            Ok(judge(&fired, usual, false))
        }
        WorldCondition::SigtermIgnored => {
            let bash = program("bash")?;
            let limit = time_limit(usual);
            let text = "exec \"$@\" < <(cat 2>/dev/null; exec sleep 60 2>/dev/null)";
            let change = |spec: &mut ProcessSpec| {
                changes::wrap(spec, &bash, text);
                spec.timeout = Some(limit);
            };
            let fired = runner.fire(body, &change).await;
            if !timed_out(&fired) {
                return Err(NotTried("the hook ends before a time limit".to_owned()));
            }
            let leftovers = fired.run.iter().flat_map(|run| &run.report.leftovers);
            if leftovers.into_iter().any(|left| left.ignored_sigterm) {
                let says = "it ignores SIGTERM; only SIGKILL ends it".to_owned();
                return Ok((fired.outcome.verdict, WorldResult::Leaks, says));
            }
            Ok((fired.outcome.verdict, WorldResult::Holds, "SIGTERM ends it".to_owned()))
        }
        WorldCondition::TimeLimit(percent) => {
            let fired = fire_near_time_limit(runner, body, usual, *percent).await?;
            Ok(judge_verdict(&fired, usual))
        }
        WorldCondition::ChildKeepsStdout => {
            let sh = program("sh")?;
            let text = format!("sleep {HELD_OPEN} 2>/dev/null & exec \"$@\"");
            let fired = runner.fire(body, &|spec| changes::wrap(spec, &sh, &text)).await;
            let (verdict, result, mut says) = judge(&fired, usual, false);
            if fired.run.as_ref().is_some_and(|run| run.report.lingered >= Duration::from_secs(1)) {
                says = format!("the agent waits until stdout is closed; {says}");
            }
            Ok((verdict, result, says))
        }
        WorldCondition::NoTerminal => {
            if has_terminal() {
                return Err(NotTried("the hook would leave the group of processes that hookbench can stop".to_owned()));
            }
            Ok((usual.outcome.verdict, WorldResult::Holds, "all runs are without a terminal here".to_owned()))
        }
        WorldCondition::SlowDisk => {
            let tried = tokio::task::spawn_blocking(|| slow_disk_prefix(&std::env::current_exe()?)).await;
            let slow = tried.map_err(io::Error::other).flatten();
            let slow = slow.map_err(|why| NotTried(why.to_string()))?;
            let fired = runner.fire(body, &|spec| changes::start_with(spec, &slow)).await;
            Ok(judge(&fired, usual, true))
        }
        WorldCondition::OtherDirectory => {
            let directory = runner.other_directory().map_err(NotTried)?;
            let fired = runner.fire_in(Some(&directory), body, &|_| {}).await;
            Ok(judge(&fired, usual, true))
        }
        WorldCondition::OtherEventDirectory => {
            let dialect = runner.request().dialect;
            if !dialect.settings_format().event_directory_moves {
                return Err(NotTried(format!("every event of {} names the directory of the session", dialect.name())));
            }
            let directory = runner.other_directory().map_err(NotTried)?;
            let mut body = body.clone();
            body["cwd"] = Value::from(directory);
            let fired = runner.fire(&body, &|_| {}).await;
            Ok(judge(&fired, usual, true))
        }
        _ => {
            let change = simple_change(runner, condition, text)?;
            let fired = runner.fire(body, &*change).await;
            let judged = judge(&fired, usual, true);
            if *condition == WorldCondition::NoHome && runner.contained().is_some() && fails_to_write(&judged) {
                let why = "without HOME the hook takes the home directory of the user, which it cannot change here";
                return Err(NotTried(why.to_owned()));
            }
            Ok(judged)
        }
    }
}

/// Whether a run failed because the file system of the copy is read-only.
fn fails_to_write((_, result, explanation): &Judged) -> bool {
    *result == WorldResult::FailsOpen && explanation.to_lowercase().contains("read-only file system")
}

type SpecChange = Box<dyn Fn(&mut ProcessSpec) + Send + Sync>;

/// The change of the process for conditions that need one run.
fn simple_change(
    runner: &HookRunner,
    condition: &WorldCondition,
    text: Option<&String>,
) -> Result<SpecChange, NotTried> {
    let text = text.cloned();
    let (scratch, payload) = (runner.scratch(), runner.spelling());
    let fail = |why: String| NotTried(why);
    Ok(match condition.clone() {
        WorldCondition::StdinClosed => {
            let sh = program("sh")?;
            Box::new(move |spec| changes::wrap(spec, &sh, "exec \"$@\" <&-"))
        }
        WorldCondition::StdinEmpty => Box::new(|spec| changes::set_stdin(spec, Vec::new())),
        WorldCondition::LargePayload(size) => {
            Box::new(move |spec| changes::enlarge_payload(spec, &payload, text.as_ref(), size * 1_000_000))
        }
        WorldCondition::Payload(change) => {
            Box::new(move |spec| changes::change_payload(spec, &payload, &change, text.as_ref()))
        }
        WorldCondition::NoHome => Box::new(|spec| changes::remove_variable(spec, "HOME")),
        WorldCondition::EmptyPath => {
            let directory = directory_in(scratch, "empty").map_err(fail)?;
            Box::new(move |spec| changes::set_variable(spec, "PATH", directory.clone()))
        }
        WorldCondition::WithoutProgram(name) => {
            let programs = &runner.request().programs;
            if programs.iter().position(|program| *program == name).is_some_and(|at| at >= MOST_PROGRAMS) {
                return Err(fail(format!("hookbench tries the absence of {MOST_PROGRAMS} programs")));
            }
            let path = runner.request().place.env.get("PATH").cloned().unwrap_or_default();
            if !is_on_path(&path, &name) {
                return Err(fail(format!("{name} is not on PATH, so every run is without it")));
            }
            let directory = changes::path_without(&name, &path, scratch).map_err(fail)?;
            let directory = directory.to_string_lossy().into_owned();
            Box::new(move |spec| changes::set_variable(spec, "PATH", directory.clone()))
        }
        WorldCondition::OddProjectPath => {
            let contained = runner.contained().ok_or_else(|| fail("it needs a copy of the project".to_owned()))?;
            let from = contained.containment.project.clone();
            let link = scratch.join("my \"pro ject'");
            changes::link(Path::new(&from), &link).map_err(fail)?;
            let to = link.to_string_lossy().into_owned();
            Box::new(move |spec| changes::move_project(spec, &from, &to))
        }
        other => return Err(fail(format!("{} is not a change of one run", other.name()))),
    })
}

/// Creates a directory among the temporary files.
fn directory_in(scratch: &Path, name: &str) -> Result<String, String> {
    let directory = scratch.join(name);
    std::fs::create_dir_all(&directory).map_err(|why| why.to_string())?;
    Ok(directory.to_string_lossy().into_owned())
}

/// Fires the event so that the hook takes this percentage of its time limit. On a busy machine, the hook may take
/// longer than planned; then the run shows another condition, and it is repeated with a longer limit.
async fn fire_near_time_limit(
    runner: &HookRunner,
    body: &Value,
    usual: &HookFiring,
    percent: u32,
) -> Result<HookFiring, NotTried> {
    let sh = program("sh")?;
    let mut limit = time_limit(usual);
    loop {
        let total = limit.as_secs_f64() * f64::from(percent) / 100.0;
        let own = if percent < 100 { duration(usual).as_secs_f64() } else { 0.0 };
        let text = format!("sleep {:.3}; exec \"$@\"", (total - own).max(0.0));
        let change = |spec: &mut ProcessSpec| {
            changes::wrap(spec, &sh, &text);
            spec.timeout = Some(limit);
        };
        let fired = runner.fire(body, &change).await;
        if timed_out(&fired) == (percent > 100) {
            return Ok(fired);
        }
        if runner.is_out_of_time() {
            return Err(out_of_time(runner));
        }
        if limit == LONGEST_RUN {
            return Err(NotTried("the machine is too busy to keep to a part of the time limit".to_owned()));
        }
        limit = (limit * 2).min(LONGEST_RUN);
    }
}

/// The time limit for conditions that reach it: long enough for the hook's usual work.
fn time_limit(usual: &HookFiring) -> Duration {
    (duration(usual) * 4).clamp(Duration::from_secs(1), LONGEST_RUN)
}

/// Judges one run. Processes that it left are its own if `owns_leftovers`.
fn judge(fired: &HookFiring, usual: &HookFiring, owns_leftovers: bool) -> Judged {
    if timed_out(fired) {
        let waits = fired.agent_limit.filter(|limit| Some(*limit) > fired.time_limit());
        let waits = waits.map(|limit| format!("; the agent waits {}", seconds(limit))).unwrap_or_default();
        let says = format!("it did not end within {}{waits}", limit_of(fired));
        return (fired.outcome.verdict, WorldResult::Hangs, says);
    }
    let left = fired.run.iter().flat_map(|run| &run.report.leftovers).next();
    if let Some(left) = left.filter(|_| owns_leftovers) {
        return (fired.outcome.verdict, WorldResult::Leaks, left.message.clone());
    }
    judge_verdict(fired, usual)
}

/// Judges what the agent does.
fn judge_verdict(fired: &HookFiring, usual: &HookFiring) -> Judged {
    let (verdict, says) = (fired.outcome.verdict, fired.explanation());
    let result = match (usual.refuses(), fired.refuses()) {
        (true, true) if verdict == Verdict::FailedClosed => WorldResult::FailsClosed,
        (false, true) => WorldResult::FailsClosed,
        (true, false) => WorldResult::FailsOpen,
        (false, false) if verdict == Verdict::FailedOpen && usual.outcome.verdict != verdict => WorldResult::FailsOpen,
        (true, true) | (false, false) => WorldResult::Holds,
    };
    (verdict, result, says)
}

/// Judges several runs of the same event.
fn judge_several(fired: &[HookFiring], usual: &HookFiring) -> Judged {
    let verdicts: BTreeSet<&str> = fired.iter().map(|one| one.outcome.verdict.word()).collect();
    let odd = fired.iter().find(|one| !same_verdict(one, usual.outcome.verdict));
    if let Some(odd) = odd {
        let words: Vec<&str> = verdicts.into_iter().collect();
        return (odd.outcome.verdict, WorldResult::Differs, format!("the verdicts are {}", words.join(" and ")));
    }
    let judged = fired.iter().map(|one| judge(one, usual, true));
    let worst = judged.max_by_key(|(_, result, _)| result.is_ok() == Some(false));
    worst.unwrap_or((usual.outcome.verdict, WorldResult::Holds, usual.explanation()))
}

/// The absolute path of a program of the system.
fn program(name: &str) -> Result<String, NotTried> {
    let directories = ["/bin", "/usr/bin", "/usr/local/bin"];
    let found = directories.iter().map(|directory| PathBuf::from(directory).join(name)).find(|path| path.is_file());
    found
        .map(|path| path.to_string_lossy().into_owned())
        .ok_or_else(|| NotTried(format!("it needs {name}, which is not installed")))
}

/// Whether this program has a terminal that its children could open.
fn has_terminal() -> bool {
    std::fs::OpenOptions::new().read(true).open("/dev/tty").is_ok()
}
