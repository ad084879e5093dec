//! Runs cases.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use tokio::task::JoinSet;

use super::expectations::{UnmetExpectation, check_expectations};
use super::format::Isolate;
use super::read::Case;
use crate::disk::copy_size::CopyStop;
use crate::disk::directory_state::{DirectoryState, Reach};
use crate::disk::files::DiskFiles;
use crate::disk::scratch::{Home, ScratchDirectories, write_trust};
use crate::environment::hook_environment::ChosenEnvironment;
use crate::environment::place::make_place;
use crate::firing::approval::{Consent, ConsentItem};
use crate::firing::input::BuiltInput;
use crate::firing::record::FiringRecord;
use crate::firing::setup::{CannedReports, FiringSetup};
use hookbench_core::config::AgentArguments;
use hookbench_core::diagnostic::Severity;
use hookbench_core::dialects::{self, Agent, Version};
use hookbench_core::names::AgentId;
use hookbench_core::port::{self, AgentVersion};
use hookbench_core::run::{Exit, RunId, RunReport};

/// The options of a test run.
#[derive(Debug, Clone)]
pub struct TestRunOptions {
    /// The project of suites that do not name one.
    pub project: PathBuf,
    /// The agents to test instead of those in the suites. Empty: as in the suites.
    pub agents: Vec<&'static Agent>,
    pub version: Option<Version>,
    /// The number of concurrent cases.
    pub jobs: usize,
    /// Whether hooks run isolated, in a copy of the project.
    pub contain: bool,
    pub timeout_scale: f64,
    /// The environment of the hooks. `None` for that of this process.
    pub environment: Option<ChosenEnvironment>,
    /// The arguments with which the user starts an agent.
    pub arguments: Option<AgentArguments>,
    /// Whether the agents decide as if they trusted the project and its hooks were reviewed.
    pub as_trusted: bool,
    /// Run only cases whose names contain this text.
    pub filter: Option<String>,
    pub shard: Option<Shard>,
    /// The commands that the user has approved. `None` if all may run.
    pub approved: Option<Consent>,
}

/// One part of a divided test run. The part of a case depends only on its suite and name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub index: u64,
    pub of: u64,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl Shard {
    /// Parses `2/4`.
    pub fn parse(text: &str) -> Option<Shard> {
        let (index, of) = text.split_once('/')?;
        let shard = Shard { index: index.parse().ok()?, of: of.parse().ok()? };
        (shard.index >= 1 && shard.index <= shard.of).then_some(shard)
    }

    /// Returns whether a key belongs to this part.
    pub fn has(self, key: &str) -> bool {
        let hash = Sha256::digest(key.as_bytes());
        let number = hash.iter().take(8).fold(0_u64, |n, byte| (n << 8) | u64::from(*byte));
        number % self.of == self.index - 1
    }
}

/// The result of a case for one agent.
#[derive(Debug, Clone, Default)]
pub struct CaseResult {
    pub case: Arc<Case>,
    pub agent: Option<AgentId>,
    /// The displayed name; includes the agent if there are several.
    pub name: String,
    /// The reason why it was not run.
    pub skipped: Option<String>,
    /// The unmet expectations; empty if the case passed.
    pub unmet: Vec<UnmetExpectation>,
    /// Warnings about the event, independent of the result, such as a tool name that is unknown.
    pub notes: Vec<String>,
    pub duration: Duration,
    pub firing: Option<Box<FiringRecord>>,
}

impl CaseResult {
    /// Returns whether the case ran and met all expectations.
    pub fn passed(&self) -> bool {
        self.skipped.is_none() && self.unmet.is_empty()
    }
}

/// One case for one agent.
#[derive(Clone)]
struct CaseRun {
    case: Arc<Case>,
    /// `None` if the payload determines the agent.
    dialect: Option<&'static Agent>,
    name: String,
}

fn case_runs(cases: &[Arc<Case>], options: &TestRunOptions) -> Vec<CaseRun> {
    let mut turns = Vec::new();
    for case in cases {
        let agents = if options.agents.is_empty() { &case.agents } else { &options.agents };
        let all: Vec<Option<&'static Agent>> =
            if agents.is_empty() { vec![None] } else { agents.iter().copied().map(Some).collect() };
        for dialect in &all {
            let name = match dialect {
                Some(dialect) if all.len() > 1 => format!("{} [{}]", case.name, dialect.id()),
                _ => case.name.clone(),
            };
            turns.push(CaseRun { case: Arc::clone(case), dialect: *dialect, name });
        }
    }
    turns.retain(|turn| options.filter.as_ref().is_none_or(|text| turn.name.contains(text.as_str())));
    turns.retain(|turn| options.shard.is_none_or(|shard| shard.has(&format!("{}\n{}", turn.case.suite, turn.name))));
    turns
}

/// The commands that the cases would run and that the user has not approved.
pub fn consent_of(cases: &[Arc<Case>], options: &TestRunOptions, consent: &Consent) -> Vec<ConsentItem> {
    let mut items: Vec<ConsentItem> = Vec::new();
    for turn in case_runs(cases, options).iter().filter(|turn| turn.case.skip.is_none()) {
        for item in consent_of_case(turn, options, consent) {
            if !items.iter().any(|i| i.key == item.key) {
                items.push(item);
            }
        }
    }
    items
}

fn consent_of_case(turn: &CaseRun, options: &TestRunOptions, consent: &Consent) -> Vec<ConsentItem> {
    // Errors of preparation are reported when the case is run.
    prepare(turn, options, false).map_or_else(|_| Vec::new(), |ready| consent_of_prepared(turn, &ready, consent))
}

fn consent_of_prepared(turn: &CaseRun, ready: &PreparedCase, consent: &Consent) -> Vec<ConsentItem> {
    let given = stub_reports(&turn.case, &ready.stage).unwrap_or_default();
    let mut missing = ready.stage.consent_missing(ready.input.clone(), consent);
    missing.retain(|item| !given.contains_key(&item.hook));
    missing
}

/// A command that the user was not asked about, because the settings have changed since.
fn unapproved(turn: &CaseRun, ready: &PreparedCase, options: &TestRunOptions) -> Option<String> {
    let consent = options.approved.as_ref()?;
    // What runs in a copy is approved for the project.
    let missing = match turn.case.isolate {
        Isolate::Copy => consent_of_case(turn, options, consent),
        Isolate::None => consent_of_prepared(turn, ready, consent),
    };
    let changed = missing.into_iter().next()?;
    Some(format!(
        "the settings have changed since you were asked, so {} does not run; run the tests again",
        changed.command
    ))
}

/// Runs the cases. `tell` receives each result, in order.
pub async fn run_cases(
    cases: &[Arc<Case>],
    options: &TestRunOptions,
    tell: &mut (dyn FnMut(&CaseResult) + Send),
) -> Vec<CaseResult> {
    let turns = case_runs(cases, options);
    let count = turns.len();
    let mut tasks = JoinSet::new();
    let mut turns = turns.into_iter().enumerate();
    let mut waiting: HashMap<usize, CaseResult> = HashMap::new();
    let mut results = Vec::with_capacity(count);
    loop {
        // Cases start in order, because one may leave files for the next.
        while tasks.len() < options.jobs.max(1)
            && let Some((index, turn)) = turns.next()
        {
            let options = options.clone();
            tasks.spawn(async move { (index, run_case(turn, &options).await) });
        }
        let Some(done) = tasks.join_next().await else { break };
        // An internal panic is propagated.
        let (index, result) = match done {
            Ok(done) => done,
            Err(why) if why.is_panic() => std::panic::resume_unwind(why.into_panic()),
            Err(_) => break,
        };
        waiting.insert(index, result);
        while let Some(next) = waiting.remove(&results.len()) {
            tell(&next);
            results.push(next);
        }
    }
    results
}

async fn run_case(turn: CaseRun, options: &TestRunOptions) -> CaseResult {
    let started = Instant::now();
    let skip = turn.case.skip.clone();
    let mut result = CaseResult {
        case: Arc::clone(&turn.case),
        agent: turn.dialect.map(|d| d.id()),
        name: turn.name.clone(),
        ..CaseResult::default()
    };
    if skip.is_some() {
        result.skipped = skip;
        return result;
    }
    let failed =
        |says: String| UnmetExpectation { key: String::new(), message: says.replace("\n  help:", ";"), actual: None };
    match prepare(&turn, options, true) {
        Err(CaseNotReady::NoEvent(says)) => result.skipped = Some(says),
        Err(CaseNotReady::Wrong(says)) => result.unmet.push(failed(says)),
        Ok(ready) if let Some(says) = unapproved(&turn, &ready, options) => result.unmet.push(failed(says)),
        Ok(PreparedCase { stage, input, scratch, real }) => {
            result.agent = Some(stage.dialect.id());
            let odd = input.diagnostics.iter().filter(|d| d.severity > Severity::Info);
            result.notes = odd.map(|d| d.message.clone()).collect();
            result.notes.extend(scratch.left_out.iter().map(|left| format!("not in the copy: {left}")));
            match stub_reports(&turn.case, &stage) {
                Err(says) => result.unmet.push(failed(says)),
                Ok(given) => match stage.fire(input, &given).await {
                    Some(firing) => {
                        result.unmet = check_expectations(&turn.case.expect, &firing);
                        result.firing = Some(Box::new(firing));
                    }
                    None => result.unmet.push(failed("its hooks could not be determined".to_owned())),
                },
            }
            result.unmet.extend(real.and_then(|before| before.change()).map(failed));
        }
    }
    result.duration = started.elapsed();
    result
}

/// A case that can be fired.
struct PreparedCase {
    stage: FiringSetup,
    input: BuiltInput,
    scratch: ScratchDirectories,
    /// The state of the files of the real project that hooks of the copy could change.
    real: Option<DirectoryState>,
}

/// The reason why a case cannot be run.
enum CaseNotReady {
    /// The agent has no such event, so there is nothing to test.
    NoEvent(String),
    Wrong(String),
}

fn prepare(turn: &CaseRun, options: &TestRunOptions, copies: bool) -> Result<PreparedCase, CaseNotReady> {
    let case = &turn.case;
    let wrong = |says: String| CaseNotReady::Wrong(says);
    let project = case.project.as_deref().unwrap_or(&options.project);
    let copied = copies && case.isolate == Isolate::Copy;
    let home = match &case.home {
        Home::CopyOf(home) if !copies => &Home::Itself(home.clone()),
        home => home,
    };
    let mut scratch = ScratchDirectories::create(project, copied, home, &CopyStop::new()).map_err(wrong)?;
    let real = (copied && !options.contain).then(|| {
        let is_hidden = scratch.show_in_place_of(project).is_ok();
        DirectoryState::of(project, if is_hidden { Reach::OtherNames } else { Reach::All })
    });
    let payload = case.event.payload.as_ref();
    let told = payload.and_then(dialects::recognise);
    // The event is in the format of the first agent, and is translated for the others.
    let author = case.agents.first().copied().or(told).or_else(|| named_event(case, turn.dialect));
    let author = author
        .or(turn.dialect)
        .ok_or_else(|| wrong("the agent is missing: add agent to the suite or to the case".to_owned()))?;
    let dialect = turn.dialect.unwrap_or(author);
    let is_temporary = matches!(home, Home::Scratch | Home::CopyOf(_));
    if let Some(home) = scratch.home.as_ref().filter(|_| is_temporary && (case.trusted || *home == Home::Scratch)) {
        let meant = if dialect.id() == author.id() { vec![author] } else { vec![author, dialect] };
        write_trust(&scratch.project, home, meant.iter().copied())
            .map_err(|why| wrong(format!("the home directory cannot be created: {why}")))?;
    }
    let version = options.version.clone().or_else(|| case.version.clone());
    let stage = |dialect| {
        let place = make_place(Some(&scratch.project), scratch.home.as_deref());
        let mut place = place.map_err(|why| wrong(why.to_string()))?;
        place.assumes_trust |= options.as_trusted || case.trusted && !is_temporary;
        place.arguments.clone_from(&options.arguments);
        options.environment.iter().for_each(|environment| environment.apply(&mut place));
        Ok(FiringSetup::load_with(place, dialect, version.clone(), &DiskFiles))
    };
    let of_author = stage(author)?;
    let built = of_author.build(&case.event.request(author.id())).map_err(|why| wrong(why.to_string()))?;
    let (stage, input) = if dialect.id() == author.id() {
        (of_author, built)
    } else {
        let there = stage(dialect)?;
        let from = AgentVersion { dialect: author, version: of_author.version };
        let to = AgentVersion { dialect, version: there.version.clone() };
        let moved = port::translate(&built.input, &from, &to, &there.place);
        let moved = moved.map_err(|missing| CaseNotReady::NoEvent(missing.message))?;
        (there, built.translated(dialect, moved))
    };
    let stage = FiringSetup {
        headless: case.headless,
        contain: options.contain,
        prefix: scratch.prefix(),
        timeout_scale: options.timeout_scale,
        ..stage
    };
    Ok(PreparedCase { stage, input, scratch, real })
}

/// An agent that has an event with this name: the given one if possible, else the first.
fn named_event(case: &Case, meant: Option<&'static Agent>) -> Option<&'static Agent> {
    let name = case.event.event.as_deref()?;
    let has = |d: &&'static Agent| dialects::find_event(d, &dialects::default_version(d), name).is_some();
    meant.into_iter().chain(dialects::released()).find(has)
}

/// The results of stubbed hooks.
fn stub_reports(case: &Case, stage: &FiringSetup) -> Result<CannedReports, String> {
    let mut given = CannedReports::new();
    for (name, stub) in &case.stubs {
        let hooks = stage.loaded.definitions.iter().filter(|d| d.id == *name || d.label() == *name);
        let before = given.len();
        for definition in hooks {
            let report = RunReport::new(
                RunId(0),
                Exit::Code(stub.exit),
                stub.stdout.as_bytes().to_vec(),
                stub.stderr.as_bytes().to_vec(),
            );
            given.insert(definition.id.clone(), report);
        }
        if given.len() == before {
            return Err(format!("stubs: no hook {name}"));
        }
    }
    Ok(given)
}
