//! Runs a hook with changed payloads to find out which keys it reads.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::hook_runner::{HookFiring, HookRunner};
use super::process_changes::set_stdin;
use super::written_files::WrittenFiles;
use hookbench_core::run::{Launch, ProcessSpec};
use hookbench_core::stress::{
    DecidingText, Deed, DeedAction, EventPlace, KeyChange, KeyEffect, KeyProbe, KeyRuns, ObservedRun, PayloadCoverage,
    RunAspect, RunComparison, TextReduction, missing_keys, other_value, probed_paths, varying_limit,
};

/// The largest number of keys of the payload that are changed, each in one or two runs.
const MOST_KEYS: usize = 24;
/// The largest number of runs that look for the deciding part of a text.
const MOST_REDUCTIONS: usize = 24;
/// No run starts after this time.
const LONGEST: Duration = Duration::from_secs(60);
/// The part of the rest of the time that the keys get.
const TIME_FOR_KEYS: u32 = 2;

/// Finds out which keys of a payload a hook reads, and tells the result after each key. Returns `None` if the hook
/// starts no process for this payload.
pub(super) async fn observe_coverage(
    runner: &HookRunner,
    body: &Value,
    first: &HookFiring,
    deed: Option<&Deed>,
    tell: &mut (dyn FnMut(&PayloadCoverage) + Send),
) -> Option<PayloadCoverage> {
    if !matches!(first.run.as_ref().map(|run| &run.launch), Some(Launch::Process(_))) {
        return None;
    }
    let mut observer = Observer::create(runner, body).await;
    let mut usual = observer.compare_unchanged().await?;
    let mut keys: Vec<KeyRuns> = Vec::new();
    let paths = probed_paths(body);
    // The keys that the script reads come first, because the number of keys and the time are limited.
    let is_named = |path: &Vec<String>| runner.request().script_keys.iter().any(|key| key.reads(path));
    let (named, others): (Vec<_>, Vec<_>) = paths.iter().cloned().partition(is_named);
    let (of_tool, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|path| path.first().is_some_and(|key| key.starts_with("tool_")));
    for path in named.into_iter().chain(of_tool).chain(others) {
        let changes = if keys.len() < MOST_KEYS { observer.changes_of(&path, deed) } else { Vec::new() };
        keys.push(observer.try_changes(path, changes, &usual).await);
        tell(&PayloadCoverage::of(&usual, &keys, &[]));
    }
    keys.sort_by_key(|key| paths.iter().position(|path| *path == key.path));
    let mut missing = Vec::new();
    for key in missing_keys(&runner.request().script_keys, body, observer.event_place()) {
        let changes = vec![KeyChange::Added(key.value.clone())];
        let runs = observer.try_changes(key.path.clone(), changes, &usual).await;
        missing.push((key, runs));
    }
    if let Some(again) = observer.run(None).await {
        usual.add_unchanged(&again);
    }
    let mut coverage = PayloadCoverage::of(&usual, &keys, &missing);
    coverage.deciding_text = observer.deciding_text(&coverage, &keys, &usual, deed).await;
    coverage.limits = observer.limits;
    coverage.limits.extend(varying_limit(&usual));
    let untried = coverage.keys_with(KeyEffect::NotTried).len();
    if untried > 0 {
        let limit = format!("hookbench tries {MOST_KEYS} keys, for {} s at most", LONGEST.as_secs());
        coverage.limits.push(format!("{untried} keys are not tried: {limit}"));
    }
    Some(coverage)
}

/// Runs the hook and observes the results.
struct Observer<'a> {
    runner: &'a HookRunner,
    body: &'a Value,
    /// `None` if files are not compared.
    files: Option<WrittenFiles>,
    until: Instant,
    limits: Vec<String>,
}

impl<'a> Observer<'a> {
    async fn create(runner: &'a HookRunner, body: &'a Value) -> Observer<'a> {
        let mut limits = Vec::new();
        let directories = runner.contained().map(|contained| contained.directories());
        let files = match directories {
            Some(directories) => {
                tokio::task::spawn_blocking(move || WrittenFiles::list(directories)).await.ok().flatten()
            }
            None => None,
        };
        if files.is_none() {
            let why =
                if runner.contained().is_some() { "there are too many" } else { "the hook runs in the project itself" };
            limits.push(format!("files that the hook writes are not compared, because {why}"));
        }
        let now = Instant::now();
        let rest = runner.until().saturating_duration_since(now);
        let until = now + LONGEST.min(rest / TIME_FOR_KEYS);
        Observer { runner, body, files, until, limits }
    }

    fn event_place(&self) -> EventPlace<'a> {
        let request = self.runner.request();
        EventPlace { dialect: request.dialect, version: &request.version, place: &request.place, event: request.event }
    }

    /// Runs the hook once with a changed payload. Returns `None` if the time is over.
    async fn run(&mut self, probe: Option<&KeyProbe>) -> Option<ObservedRun> {
        if Instant::now() >= self.until {
            return None;
        }
        let payload = self.runner.spelling();
        let change = |spec: &mut ProcessSpec| {
            if let Some(probe) = probe {
                let mut body = payload.read(spec);
                probe.apply(&mut body);
                set_stdin(spec, payload.sent(&body));
            }
        };
        let fired = self.runner.fire(self.body, &change).await;
        let report = &fired.run.as_ref()?.report;
        let files = match self.files.take() {
            Some(mut files) => {
                let observed = tokio::task::spawn_blocking(move || {
                    let changes = files.changes();
                    (files, changes)
                });
                let (files, changes) = observed.await.ok()?;
                self.files = Some(files);
                Some(changes)
            }
            None => None,
        };
        Some(ObservedRun {
            verdict: fired.outcome.verdict,
            exit: report.exit.describe(),
            stdout: report.stdout.text().into_owned(),
            stderr: report.stderr.text().into_owned(),
            files,
        })
    }

    /// Runs the unchanged event three times. The first run creates the files that the others extend.
    async fn compare_unchanged(&mut self) -> Option<RunComparison> {
        self.run(None).await?;
        let mut usual = RunComparison::new(self.run(None).await?);
        usual.add_unchanged(&self.run(None).await?);
        Some(usual)
    }

    /// The changes of a key of the payload.
    fn changes_of(&self, path: &[String], deed: Option<&Deed>) -> Vec<KeyChange> {
        let Some(value) = value_at(self.body, path) else { return Vec::new() };
        let command = deed.filter(|deed| is_place_of(deed, path)).map(|deed| &deed.action);
        let other = match command {
            Some(DeedAction::Command(text)) => Value::from(if text == "ls" { "pwd" } else { "ls" }),
            _ => self.other_value(path, value),
        };
        vec![KeyChange::Replaced(other), KeyChange::Missing]
    }

    fn other_value(&self, path: &[String], value: &Value) -> Value {
        let fields = self.runner.request().event.fields;
        if matches!(path, [only] if only == "cwd")
            && let Ok(directory) = self.runner.other_directory()
        {
            return Value::from(directory);
        }
        let field = fields.iter().find(|field| path.len() == 1 && path.first().is_some_and(|key| key == field.name));
        other_value(value, field)
    }

    /// Runs the hook with each change, until one changes the decision.
    async fn try_changes(&mut self, path: Vec<String>, changes: Vec<KeyChange>, usual: &RunComparison) -> KeyRuns {
        let mut runs = Vec::new();
        for change in changes {
            let probe = KeyProbe { path: path.clone(), change };
            let Some(run) = self.run(Some(&probe)).await else { break };
            let decides = usual.differences(&run).contains(&RunAspect::Decision);
            runs.push((probe.change, run));
            if decides {
                break;
            }
        }
        let named = self.runner.request().script_keys.iter().any(|key| key.reads(&path));
        KeyRuns { path, named, runs }
    }

    /// Finds the part of a text that the decision depends on: of the deed if that decides, else of the first key that
    /// decides.
    async fn deciding_text(
        &mut self,
        coverage: &PayloadCoverage,
        keys: &[KeyRuns],
        usual: &RunComparison,
        deed: Option<&Deed>,
    ) -> Option<DecidingText> {
        let decides = |key: &&KeyRuns| {
            coverage.keys.iter().any(|row| row.effect == KeyEffect::Decides && row.key == key.path.join("."))
        };
        let of_deed = |key: &&KeyRuns| deed.is_some_and(|deed| is_place_of(deed, &key.path));
        let deciding: Vec<&KeyRuns> = keys.iter().filter(decides).collect();
        let key = deciding.iter().copied().find(of_deed).or_else(|| deciding.first().copied())?;
        let value = value_at(self.body, &key.path)?;
        let text = value.as_str()?;
        let with = |text: Value| KeyProbe { path: key.path.clone(), change: KeyChange::Replaced(text) };
        let unrelated = self.run(Some(&with(self.other_value(&key.path, value)))).await?;
        if usual.decides_alike(&unrelated) {
            // Not a part of the text decides, but that it is not another one.
            return None;
        }
        let mut reduction = TextReduction::new(text);
        for _ in 0..MOST_REDUCTIONS {
            let Some(candidate) = reduction.candidate() else { break };
            let Some(run) = self.run(Some(&with(Value::from(candidate)))).await else { break };
            reduction.report(usual.decides_alike(&run));
        }
        Some(DecidingText {
            key: key.path.join("."),
            text: reduction.remaining(),
            is_smallest: reduction.is_complete(),
        })
    }
}

/// The number of keys of a payload.
pub(super) fn count_keys(body: &Value) -> usize {
    probed_paths(body).len()
}

fn value_at<'a>(body: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(body, |value, key| match value {
        Value::Object(map) => map.get(key),
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Whether the text of the deed is at this path.
fn is_place_of(deed: &Deed, path: &[String]) -> bool {
    deed.keys.last().is_some_and(|pointer| pointer.strip_prefix('/') == Some(path.join("/").as_str()))
}
