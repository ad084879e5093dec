//! Replays firings recorded from the real agents through `Firing`, without processes: files are in memory, and the
//! hooks' output comes from the vector (`tests/vectors/convert.py` adds it). A sample also runs with real processes.
#![allow(clippy::disallowed_methods, reason = "reads the vectors")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

mod adapt;
mod processes;
use crate::vector;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use hookbench::app::{FieldSetting, InputRequest, build_input, read_payload};
use hookbench::core::config::{MemoryFiles, Os, Place};
use hookbench::core::decide::{HookRun, Outcome};
use hookbench::core::dialects::{self, Scene, SessionMemory};
use hookbench::core::firing::{Firing, FiringStep};
use hookbench::core::names::RuleId;
use hookbench::core::plan::Plan;
use hookbench::core::run::{CapturedStream, Exit, Launch, RunId, RunReport, RunRequest, Timing};
use hookbench::core::text::{parse_value, stringify};
use hookbench::core::trace::{Evidence, TraceStep};
use serde_json::{Map, Value};

use vector::{ObservedResult, Vector, VectorAnswer, VectorDirectories, assert_no_differences, differences, vectors};

/// The minimum number of firings per agent, so that a lost file is noticed.
const AT_LEAST: usize = 250;

/// The released agents, without those whose observations are a table of another form.
fn agents_with_vectors() -> impl Iterator<Item = &'static dialects::Agent> {
    let tables = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    dialects::released().filter(move |dialect| !tables.join(dialect.id().as_str()).join("observed.jsonl").exists())
}

#[test]
fn every_recorded_firing_is_decided_as_the_agent_decided_it() {
    let mut total = 0;
    let mut wrong = Vec::new();
    for dialect in agents_with_vectors() {
        let all = vectors(&format!("vectors/{}", dialect.id()));
        assert!(all.len() >= AT_LEAST, "{} vectors of {}", all.len(), dialect.name());
        total += all.len();
        for vector in &all {
            let lines = match fire(vector) {
                Ok(fired) => {
                    let expect = fired.places.fill(&Value::Object(vector.expect.clone()));
                    differences(expect.as_object().unwrap(), &fired.seen)
                }
                Err(why) => vec![why],
            };
            if !lines.is_empty() {
                wrong.push((vector.id.clone(), lines));
            }
        }
    }
    assert_no_differences(total, &wrong);
}

/// Every run appears in the trace, and the trace cites no run that did not happen.
#[test]
fn every_run_is_accounted_for_in_the_trace() {
    let mut total = 0;
    let mut wrong = Vec::new();
    for vector in dialects::released().flat_map(|d| vectors(&format!("vectors/{}", d.id()))) {
        total += 1;
        let Ok(fired) = fire(&vector) else { continue };
        let cited: Vec<&Evidence> = fired.outcome.trace.iter().flat_map(evidence).collect();
        let names = |run: &HookRun| {
            cited.iter().any(|e| match e {
                Evidence::Output { run: cited, .. } | Evidence::Exit { run: cited } => *cited == run.run,
                Evidence::Order { before, after } => *before == run.run || *after == run.run,
                Evidence::Hook { hook } => *hook == run.hook,
                Evidence::Source { .. } | Evidence::Basis { .. } => false,
            })
        };
        let mut lines: Vec<String> = fired
            .runs
            .iter()
            .filter(|run| !names(run))
            .map(|run| format!("{} ran ({}) and is nowhere in the trace", run.hook, run.report.exit.describe()))
            .collect();
        for cited in &cited {
            let (Evidence::Output { run, .. } | Evidence::Exit { run }) = cited else { continue };
            if !fired.runs.iter().any(|r| r.run == *run) {
                lines.push(format!("the trace cites run {}, which there was not", run.0));
            }
        }
        if fired.outcome.trace.is_empty() {
            lines.push("no reason is given at all".to_owned());
        }
        if !lines.is_empty() {
            wrong.push((vector.id.clone(), lines));
        }
    }
    assert_no_differences(total, &wrong);
}

/// Each agent lists the rules that its plans and traces cite, each once.
#[test]
fn every_cited_rule_is_listed() {
    for dialect in agents_with_vectors() {
        let listed: BTreeSet<RuleId> = dialect.rules().into_iter().collect();
        assert_eq!(listed.len(), dialect.rules().len(), "a rule of {} is listed twice", dialect.name());
        let fired = vectors(&format!("vectors/{}", dialect.id()));
        let cited: BTreeSet<RuleId> =
            fired.iter().filter_map(|vector| fire(vector).ok()).flat_map(|fired| rules(&fired)).collect();
        let unlisted: Vec<&RuleId> = cited.difference(&listed).collect();
        assert!(unlisted.is_empty(), "{} does not list {unlisted:?}", dialect.name());
        assert!(cited.len() * 3 > listed.len(), "only {} of {} rules are cited", cited.len(), listed.len());
    }
}

/// Returns the rules that a firing cites.
fn rules(fired: &VectorResult) -> Vec<RuleId> {
    fn of_step(step: &TraceStep) -> Vec<RuleId> {
        std::iter::once(step.rule).chain(step.children.iter().flat_map(of_step)).collect()
    }
    let planned = fired.plan.entries.iter().map(|entry| entry.why.rule);
    let lost = fired.plan.lost.iter().map(|loss| loss.why.rule);
    planned.chain(lost).chain(fired.outcome.trace.iter().flat_map(of_step)).collect()
}

/// A hook that the trace calls irrelevant does not affect the outcome: without its output the outcome is the same.
#[test]
fn irrelevant_hooks_do_not_affect_the_outcome() {
    let (mut total, mut silenced) = (0, 0);
    let mut wrong = Vec::new();
    for vector in dialects::released().flat_map(|d| vectors(&format!("vectors/{}", d.id()))) {
        total += 1;
        let Ok(fired) = fire(&vector) else { continue };
        let idle: Vec<&String> = fired.outcome.trace.iter().flat_map(irrelevant).collect();
        for run in fired.runs.iter().filter(|run| idle.contains(&&run.hook) && said_something(run)) {
            silenced += 1;
            let Ok(quieter) = fire_without(&vector, Some(run.run)) else { continue };
            // Merged intermediate values are not part of the outcome.
            let done = [&fired, &quieter].map(|f| {
                let mut outcome = f.seen.outcome.clone();
                outcome.remove("merged");
                (f.outcome.decided_by.clone(), outcome)
            });
            if done[0] != done[1] {
                let lines = done.map(|(by, outcome)| format!("{by:?} {}", Value::Object(outcome)));
                wrong.push((format!("{} without {}", vector.id, run.hook), lines.to_vec()));
            }
        }
    }
    assert!(silenced > 50, "only {silenced} runs were silenced");
    assert_no_differences(total, &wrong);
}

/// Starting hooks one at a time, as a firing of thousands of hooks does, changes nothing.
#[test]
fn a_firing_that_starts_in_parts_ends_like_one_that_starts_at_once() {
    let (mut total, mut paused) = (0, 0);
    let mut wrong = Vec::new();
    for vector in dialects::released().flat_map(|d| vectors(&format!("vectors/{}", d.id()))) {
        let Ok(at_once) = fire(&vector) else { continue };
        if at_once.runs.len() < 2 {
            continue;
        }
        total += 1;
        let parts = fire_in_parts(&vector, None, 1).unwrap();
        paused += usize::from(parts.pauses > 0);
        let lines = [&at_once, &parts].map(|f| format!("{:?} {:?} {:?}", f.seen, f.runs, f.outcome));
        if lines[0] != lines[1] {
            wrong.push((vector.id.clone(), lines.to_vec()));
        }
    }
    assert!(paused > 100, "only {paused} firings paused");
    assert_no_differences(total, &wrong);
}

/// Returns the hooks that a step of the trace calls irrelevant.
fn irrelevant(step: &TraceStep) -> Vec<&String> {
    let own = step.evidence.iter().filter(|_| step.rule.as_str().ends_with(".irrelevant")).filter_map(|e| match e {
        Evidence::Hook { hook } => Some(hook),
        _ => None,
    });
    own.chain(step.children.iter().flat_map(irrelevant)).collect()
}

fn said_something(run: &HookRun) -> bool {
    run.report.exit != Exit::Code(0) || run.report.stdout.total + run.report.stderr.total > 0
}

fn evidence(step: &TraceStep) -> Vec<&Evidence> {
    step.evidence.iter().chain(step.children.iter().flat_map(evidence)).collect()
}

/// The results of a vector.
struct VectorResult {
    seen: ObservedResult,
    places: VectorDirectories,
    runs: Vec<HookRun>,
    plan: Plan,
    outcome: Outcome,
    pauses: usize,
}

/// A run that was started and has not ended.
struct PendingRun {
    run: RunId,
    ends: u64,
    report: RunReport,
}

/// A simulated clock and environment for the machine.
struct SimulatedWorld<'a> {
    vector: &'a Vector,
    places: &'a VectorDirectories,
    silent: Option<RunId>,
    now: u64,
    live: Vec<PendingRun>,
    seen: ObservedResult,
    outcome: Option<Outcome>,
    pauses: usize,
}

fn fire(vector: &Vector) -> Result<VectorResult, String> {
    fire_without(vector, None)
}

/// Like [`fire`]; the run `silent` ends at the same time but without output.
fn fire_without(vector: &Vector, silent: Option<RunId>) -> Result<VectorResult, String> {
    fire_in_parts(vector, silent, usize::MAX)
}

/// Like [`fire_without`]; at most `part` hooks start in one step.
fn fire_in_parts(vector: &Vector, silent: Option<RunId>, part: usize) -> Result<VectorResult, String> {
    let places = VectorDirectories { project: "/hb/project".to_owned(), home: "/hb/home".to_owned() };
    let files = lay(vector, &places);
    let place = Place {
        project: places.project.clone(),
        home: places.home.clone(),
        home_given: true,
        env: environment(vector, &places),
        os: Os::Linux,
        ..Place::default()
    };
    let dialect = dialects::by_id(&vector.agent).ok_or("unknown agent")?;
    let version = dialects::default_version(dialect);
    let (request, headless) = request(vector, &places)?;
    let built = build_input(&request, &place, &files, &dialects_version).map_err(|why| why.to_string())?;
    let loaded = dialect.load(&place, &files, &version);
    let scene = Scene {
        input: built.input,
        loaded,
        place: Arc::new(place),
        version,
        headless,
        memory: SessionMemory::default(),
    };
    let plan = dialect.plan(&scene);
    let (mut firing, steps) = Firing::start_in_parts(dialect, scene, plan, part);
    let plan = firing.plan();
    let budget = plan.budget.map(|b| u64::try_from(b.as_millis()).unwrap_or(u64::MAX));
    let seen = ObservedResult { schedule: Value::from(plan.schedule.word()), ..ObservedResult::default() };
    let mut world =
        SimulatedWorld { vector, places: &places, silent, now: 0, live: Vec::new(), seen, outcome: None, pauses: 0 };
    world.take(&mut firing, steps)?;
    let mut expired = false;
    while world.outcome.is_none() {
        // The run that ends first is reported first; of several at the same time, the one that started first.
        let Some(next) = (0..world.live.len()).min_by_key(|i| (world.live[*i].ends, world.live[*i].run)) else {
            return Err("nothing is running, and nothing is settled".to_owned());
        };
        if let Some(budget) = budget.filter(|b| !expired && world.live[next].ends > *b) {
            expired = true;
            world.now = budget;
            let steps = firing.expire();
            world.take(&mut firing, steps)?;
            continue;
        }
        let run = world.live.remove(next);
        world.now = world.now.max(run.ends);
        let steps = firing.report(run.report);
        world.take(&mut firing, steps)?;
    }
    let outcome = world.outcome.take().ok_or("not settled")?;
    let (mut seen, pauses) = (world.seen, world.pauses);
    seen.outcome = fields(outcome.clone());
    let (runs, plan) = (firing.finished().to_vec(), firing.plan().clone());
    Ok(VectorResult { seen, places, runs, plan, outcome, pauses })
}

fn dialects_version(id: &'static str) -> dialects::Version {
    dialects::default_version(dialects::by_id(id).expect("an agent of ALL"))
}

impl SimulatedWorld<'_> {
    fn take(&mut self, firing: &mut Firing, steps: Vec<FiringStep>) -> Result<(), String> {
        let mut steps = VecDeque::from(steps);
        while let Some(step) = steps.pop_front() {
            match step {
                FiringStep::Launch(request) => self.start(&request)?,
                FiringStep::Kill(run) => {
                    for live in self.live.iter_mut().filter(|l| l.run == run) {
                        live.ends = self.now;
                        live.report.exit = Exit::Cancelled;
                    }
                }
                FiringStep::Pause => {
                    self.pauses += 1;
                    steps.extend(firing.proceed());
                }
                FiringStep::Read(_) | FiringStep::Decided(_) => {}
                FiringStep::Settled(outcome) => self.outcome = Some(*outcome),
            }
        }
        Ok(())
    }

    fn start(&mut self, request: &RunRequest) -> Result<(), String> {
        let report = |exit| RunReport::new(request.run, exit, "", "");
        let (mut report, ms) = match &request.launch {
            // The machine has reported these already.
            Launch::Refused(_) | Launch::Canned { .. } => return Ok(()),
            Launch::ByHand(_) => (report(Exit::Unanswered), 0),
            // The vectors' HTTP hooks go to a port without a server.
            Launch::Http(_) => {
                (report(Exit::FailedToStart { error: "127.0.0.1:9: Connection refused (os error 111)".into() }), 0)
            }
            Launch::Process(spec) => {
                let stdin = String::from_utf8(spec.stdin.to_vec()).map_err(|_| "stdin is no UTF-8")?;
                let mut words = vec![spec.program.clone()];
                words.extend(spec.args.iter().cloned());
                let answer = answer(self.vector, self.places, &words)
                    .ok_or_else(|| format!("no answer is known for {}", words.join(" ")))?;
                if spec.timeout.is_some_and(|t| t <= Duration::from_millis(answer.ms)) {
                    return Err(format!("{} would run into its timeout", words.join(" ")));
                }
                self.seen.started.extend(answer.ran.iter().cloned());
                self.seen.stdin.extend(answer.stdin.iter().map(|name| (name.clone(), stdin.clone())));
                let mut report = report(Exit::Code(answer.exit));
                report.stdout = kept(bytes(&answer.stdout, answer.stdout_base64.as_deref()), spec.keep, self.places);
                report.stderr = kept(bytes(&answer.stderr, answer.stderr_base64.as_deref()), spec.keep, self.places);
                report.stdin_read = stdin.len() as u64;
                (report, answer.ms)
            }
        };
        if self.silent == Some(request.run) {
            report = RunReport { stdin_read: report.stdin_read, ..RunReport::new(request.run, Exit::Code(0), "", "") };
        }
        let ends = self.now + ms;
        report.timing = Timing { started: Duration::from_millis(self.now), ended: Duration::from_millis(ends) };
        self.live.push(PendingRun { run: request.run, ends, report });
        Ok(())
    }
}

/// Returns the recorded answer for a command: by the absolute path of a script in it, else by the whole inline
/// command, else by the path of a script below its root.
fn answer<'v>(vector: &'v Vector, places: &VectorDirectories, words: &[String]) -> Option<&'v VectorAnswer> {
    let names = |path: &str| {
        words.iter().any(|word| {
            word.match_indices(path).any(|(at, _)| {
                // `hooks/h1` is not `hooks/h10`.
                !word[at + path.len()..].starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c))
            })
        })
    };
    let is_script = |key: &&String| key.starts_with("{{");
    let script = vector.answers.keys().filter(is_script).filter(|key| names(&places.text(key))).max_by_key(|k| k.len());
    let inline = || vector.answers.keys().find(|key| words.last() == Some(&places.text(key)));
    // A script may be named relative to its directory, or through a variable that the shell expands.
    let below = || {
        let inner = |key: &String| key.split_once("}}").map(|(_, inner)| inner.trim_start_matches('/').to_owned());
        vector.answers.keys().filter(is_script).find(|key| inner(key).is_some_and(|path| names(&path)))
    };
    vector.answers.get(script.or_else(inline).or_else(below)?)
}

fn bytes(text: &str, base64: Option<&str>) -> Vec<u8> {
    match base64 {
        Some(base64) => base64::engine::general_purpose::STANDARD.decode(base64).expect("base64 in a vector"),
        None => text.as_bytes().to_vec(),
    }
}

/// The output that the runner would keep. Placeholders are replaced if the output is text.
fn kept(bytes: Vec<u8>, keep: usize, places: &VectorDirectories) -> CapturedStream {
    let mut bytes = match String::from_utf8(bytes) {
        Ok(text) => places.text(&text).into_bytes(),
        Err(why) => why.into_bytes(),
    };
    let total = bytes.len() as u64;
    bytes.truncate(keep);
    CapturedStream { head: bytes, tail: Vec::new(), total }
}

fn lay(vector: &Vector, places: &VectorDirectories) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    for (root, laid) in [(&places.project, &vector.project), (&places.home, &vector.home)] {
        // The directory exists even if it is empty.
        files.put(format!("{root}/.there"), "");
        for (path, content) in laid {
            let place = Place { home: places.home.clone(), ..Place::default() };
            files.put(place.absolute(root, path), places.content(content));
        }
    }
    files
}

/// The environment that the vectors assume.
fn environment(vector: &Vector, places: &VectorDirectories) -> BTreeMap<String, String> {
    let fixed = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ("HOME", places.home.clone()),
        ("LANG", "C.UTF-8".to_owned()),
        ("XDG_STATE_HOME", "/hb/state".to_owned()),
        ("XDG_CONFIG_HOME", format!("{}/.config", places.home)),
    ];
    let own = vector.env.iter().map(|(name, text)| (name.clone(), places.text(text)));
    fixed.into_iter().map(|(name, text)| (name.to_owned(), text)).chain(own).collect()
}

/// Converts the arguments of `hookbench fire` into a request, and returns true if the session is headless.
fn request(vector: &Vector, places: &VectorDirectories) -> Result<(InputRequest, bool), String> {
    let agent = dialects::by_id(&vector.agent).map(hookbench::core::dialects::Agent::id);
    let mut request = InputRequest { agent, ..InputRequest::default() };
    let mut headless = false;
    let mut args = vector.args.iter().map(|arg| places.text(arg));
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} wants a value"));
        match arg.as_str() {
            "--headless" => headless = true,
            "--tool" => request.tool = Some(value()?),
            "--input" => request.tool_input = Some(parse_value(&value()?).map_err(|why| why.message)?),
            "--set" => {
                let text = value()?;
                let (path, text) = text.split_once('=').ok_or("--set a.b=VALUE")?;
                request.set.push(FieldSetting { path: path.to_owned(), text: text.to_owned() });
            }
            event if !event.starts_with('-') => request.event = Some(event.to_owned()),
            other => return Err(format!("{other} is not known here")),
        }
    }
    if let Some(payload) = &vector.payload {
        // The payload is read as text, as from stdin.
        let text = stringify(&places.fill(payload));
        request.payload = Some(read_payload("<stdin>", text.as_bytes()).map_err(|why| why.to_string())?);
    }
    Ok((request, headless))
}

/// The fields of the outcome under their contract names.
fn fields(outcome: Outcome) -> Map<String, Value> {
    let pairs = [
        ("verdict", Value::from(outcome.verdict.word())),
        ("blocked", Value::from(outcome.blocked)),
        ("reason", Value::from(outcome.reason)),
        ("additional_context", Value::from(outcome.additional_context)),
        ("updated_input", outcome.updated_input.unwrap_or(Value::Null)),
        ("system_message", Value::from(outcome.system_message)),
        ("continue", Value::from(outcome.continues)),
        ("stop_reason", Value::from(outcome.stop_reason)),
        ("suppress_output", Value::from(outcome.suppress_output)),
        ("merged", outcome.merged.unwrap_or(Value::Null)),
        ("extra", Value::Object(outcome.extra)),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
