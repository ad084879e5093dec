//! The findings about the hooks of a project, for each agent, and how they are filtered, grouped and fixed.
//!
//! | file | holds |
//! |---|---|
//! | `levels` | the selected codes, and the severity that the user assigns to each |
//! | `allow` | findings that the user accepts, with a reason: entries of a file, comments in scripts |
//! | `baseline` | known findings, identified by their subject and not by their line number |
//! | `report` | the findings that remain after all of these filters |
//! | `finding` | one finding |
//! | `groups` | findings that several agents share, as one |
//! | `input` | the project to lint, and its agents with their loaded configuration |
//! | `fixes` | applies fixes round by round, and writes them |
//! | `file_cache` | a cache of file queries |
//! | `preview` | the lines that a fix changes |
//! | `launch_facts` | what a command starts |
//! | `shared_files` | fixes in a file that belongs to another agent |
//! | `observation` | what a trial of a hook has shown |
//! | `overlay` | files as they would be after a change |

mod allow;
mod baseline;
mod file_cache;
pub(crate) mod finding;
mod fixes;
mod groups;
mod input;
mod launch_facts;
mod levels;
mod machine_facts;
mod observation;
mod overlay;
mod preview;
mod recorded_events;
mod report;
mod shared_files;

use hookbench_core::config::is_argument;
use hookbench_core::names::AgentId;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::analysis::recorded_secrets::recorded_secrets;
use hookbench_core::diagnostic::{Code, Fix};
use hookbench_core::dialects::Script;
use hookbench_core::git::tracked_files;
use hookbench_core::hook::{EventSpec, HookDefinition};
use hookbench_core::lint::{CommandFacts, LintReport, LintScope, directory_above, lint};
use hookbench_core::recorded::definition_key;
use hookbench_core::text::edit::TextEdit;
use hookbench_core::text::{Position, SourceId, SourceMap, Span};

pub use crate::disk::user_file::FileChange;
pub use allow::{ALLOW_FILE, AllowComment, AllowList, AllowedFinding, format_entry, with_entry};
pub use baseline::{LintBaseline, LintBaselineError, fingerprint};
pub use file_cache::FileCache;
pub use finding::{FileEdit, FileFix, Finding, FindingHook};
pub use fixes::{FixResult, RejectedFix, apply_fixes};
pub use groups::{FindingGroup, OtherPlace, group_by_place, group_findings};
use hookbench_system::disk::canonical;
pub use input::{FailedToBlock, LintInput, LoadedAgent};
pub(crate) use launch_facts::facts_from_launch;
use launch_facts::is_below;
pub use levels::{LintLevel, LintLevels, LintSelection, configured_levels, normalize_code};
pub use observation::HookObservation;
pub use overlay::Overlay;
pub use preview::{ChangedLine, preview};
pub use report::{FindingsReport, ReportFilter, find_problems, make_report};

/// The result of linting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LintResult {
    pub findings: Vec<Finding>,
    /// The number of settings files that were read.
    pub files: usize,
    /// The number of hooks in them.
    pub hooks: usize,
    /// Paths, as opened, of every file that was read, including scripts.
    pub files_read: BTreeSet<String>,
    /// The allow comments in these files.
    pub comments: Vec<AllowComment>,
    /// The scripts that the hooks run, each once.
    pub scripts: Vec<InterpretedScript>,
}

/// A script that is run by an interpreter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterpretedScript {
    pub agent: AgentId,
    /// The path as opened.
    pub path: String,
    /// The path as displayed.
    pub file: String,
    /// The name of the interpreter.
    pub interpreter: String,
    pub text: String,
}

/// Lints the hooks of one agent, or of all. `only` limits the findings to these files. All agents have to be
/// loaded, because a file that one of them reads is not unused, even if the others report it. `times` holds the
/// durations of recorded runs by definition key.
pub fn lint_project(
    project: &LintInput,
    agent: Option<AgentId>,
    only: &[String],
    times: &BTreeMap<String, Vec<Duration>>,
) -> LintResult {
    let place = &project.place;
    let agents = project.agents.iter();
    let alive: HashSet<&str> =
        agents.clone().flat_map(|a| a.loaded.existing_layers()).map(|layer| layer.path.as_str()).collect();
    let tracked = tracked_files(project.files.as_ref(), &place.project).map(Arc::new);
    let mut linted = LintResult::default();
    let mut files: BTreeSet<&str> = BTreeSet::new();
    let mut known_scripts: HashSet<(String, String)> = HashSet::new();
    let once = FileCache::new(project.files.as_ref());
    let linted_agents: Vec<&LoadedAgent> = agents.filter(|a| agent.is_none_or(|id| a.dialect.id() == id)).collect();
    for agent in &linted_agents {
        linted.hooks += agent.loaded.definitions.len();
        files.extend(agent.loaded.existing_layers().map(|layer| layer.path.as_str()));
    }
    // Settings that wait for trust are checked as well: their other mistakes would show only later.
    let trusted_place = Arc::new(place.as_trusted());
    let trusted: Vec<LoadedAgent> =
        linted_agents.iter().filter_map(|agent| agent.once_trusted(place, project.files.as_ref())).collect();
    let processes = machine_facts::processes_in(place);
    let now = linted_agents.iter().map(|agent| (*agent, place));
    for (agent, place) in now.chain(trusted.iter().map(|agent| (agent, &trusted_place))) {
        let loaded = &agent.loaded;
        let around = machine_facts::machine_facts(agent.dialect, loaded, place, &processes, tracked.clone());
        let scripts: RefCell<HashMap<String, FindingHook>> = RefCell::default();
        // Every hook of an event needs its example.
        let examples: RefCell<HashMap<&str, Option<Value>>> = RefCell::default();
        let example = |event: &'static EventSpec| {
            let mut examples = examples.borrow_mut();
            examples.entry(event.name).or_insert_with(|| agent.first_example(event, place)).clone()
        };
        let outside = |definition: &HookDefinition| {
            let recorded = || times.get(&definition_key(agent.dialect.id().as_str(), definition)).cloned();
            let outside = CommandFacts {
                times: (!times.is_empty()).then(recorded).flatten().unwrap_or_default(),
                ..agent.command_facts(place, &once, definition, &example)
            };
            if let Some(script) = &outside.script {
                scripts.borrow_mut().entry(script.path.clone()).or_insert_with(|| finding_hook(definition));
            }
            outside
        };
        let (dialect, version, files) = (agent.dialect, &agent.version, &once);
        let known: HashSet<PlacedCode> =
            if place.assumes_trust { linted.findings.iter().map(placed_code).collect() } else { HashSet::new() };
        #[allow(unused_mut, reason = "without a store nothing was recorded")]
        let mut linted_one = lint(LintScope { dialect, version, place, files, loaded, machine: &around }, &outside);
        linted_one.add(recorded_events::check(place, dialect.id().as_str(), loaded));
        let LintReport { findings: found, sources, scripts: read } = linted_one;
        for (path, text) in sources.texts() {
            if linted.files_read.insert(path.to_owned()) {
                linted.comments.extend(allow::allow_comments(path, &place.display_path(path), text));
            }
        }
        linted.files_read.extend(loaded.existing_layers().map(|layer| layer.path.clone()));
        let hooks = HookPlaces::new(&loaded.definitions, scripts.into_inner());
        for script in read {
            let Script { path, file, interpreter: by, text, .. } = script;
            let wanted = only.is_empty() || only.contains(&path);
            if wanted && known_scripts.insert((path.clone(), by.clone())) {
                linted.scripts.push(InterpretedScript { agent: agent.dialect.id(), path, file, interpreter: by, text });
            }
        }
        for found in found {
            let source = found.span.map(|span| span.source);
            let shown = found.place(&sources).map(|(file, _)| file);
            let path = match source {
                Some(source) => Some(sources.path(source).to_owned()),
                None => shown.as_ref().map(|file| place.absolute(&place.project, file)),
            };
            let dead = found.code == Code::HW107 && found.span.is_none();
            let elsewhere = |path: &String| {
                let near = [&place.project, &place.home].iter().any(|of| is_below(path, of));
                alive.contains(path.as_str()) || !(near || directory_above(&place.project, path).is_some())
            };
            if dead && path.as_ref().is_none_or(elsewhere) {
                continue;
            }
            if !only.is_empty() && !path.as_ref().is_some_and(|path| only.contains(path)) {
                continue;
            }
            let ends = |at: usize, source| sources.position(source, at);
            let at = found.span.map(|span| (ends(span.start, span.source), ends(span.end, span.source)));
            let line = match (found.span, at) {
                (Some(span), Some((start, _))) => sources.line(span.source, start.line).to_owned(),
                _ => String::new(),
            };
            linted.files_read.extend(path.clone());
            let line = match at {
                Some(at) if found.code == Code::HW806 => mask_secret(&line, at),
                _ => line,
            };
            let finding = Finding {
                hook: found.span.and_then(|span| hooks.at(span, path.as_deref())),
                agent: Some(agent.dialect.id()),
                code: found.code,
                severity: found.severity,
                message: found.message,
                note: found.note,
                help: found.help,
                // A text in an argument is in no file that hookbench could change.
                fix: found
                    .fix
                    .filter(|_| !path.as_deref().is_some_and(is_argument))
                    .map(|fix| to_file_fix(&fix, &sources)),
                cause: found.cause,
                file: shown,
                path,
                place: at,
                line,
            };
            if !known.contains(&placed_code(&finding)) {
                linted.findings.push(finding);
            }
        }
    }
    shared_files::keep_for_owners(project, &mut linted.findings);
    linted.findings.extend(recorded_secrets(place, only));
    linted.files = files.len();
    linted
}

/// The identity of a finding that is made twice: with and without trust, or for two readers of a file.
type PlacedCode = (Option<AgentId>, Code, Option<String>, Option<(Position, Position)>);

fn placed_code(finding: &Finding) -> PlacedCode {
    (finding.agent, finding.code, finding.path.clone(), finding.place)
}

/// Maps places in files to hooks.
struct HookPlaces<'a> {
    /// The first hook at each place where a handler or a matcher begins.
    handlers: HookSpans<'a>,
    matchers: HookSpans<'a>,
    /// The scripts that the hooks run.
    scripts: HashMap<String, FindingHook>,
}

type HookSpans<'a> = BTreeMap<(SourceId, usize), (Span, &'a HookDefinition)>;

impl HookPlaces<'_> {
    fn new(definitions: &[HookDefinition], scripts: HashMap<String, FindingHook>) -> HookPlaces<'_> {
        let mut hooks = HookPlaces { handlers: HookSpans::new(), matchers: HookSpans::new(), scripts };
        for definition in definitions {
            for (spans, span) in [
                (&mut hooks.handlers, Some(definition.provenance.span)),
                (&mut hooks.matchers, definition.matcher_span),
            ] {
                let Some(span) = span else { continue };
                spans.entry((span.source, span.start)).or_insert((span, definition));
            }
        }
        hooks
    }

    /// The hook at a place: the one whose handler or matcher contains it, or that runs the script.
    fn at(&self, span: Span, path: Option<&str>) -> Option<FindingHook> {
        // Handlers and matchers never nest, so the last one that begins before the place is the one that can
        // contain it.
        let around = |spans: &HookSpans<'_>| {
            let (_, (of, definition)) = spans.range(..=(span.source, span.start)).next_back()?;
            (of.source == span.source && span.end <= of.end).then(|| finding_hook(definition))
        };
        around(&self.handlers).or_else(|| around(&self.matchers)).or_else(|| self.scripts.get(path?).cloned())
    }
}

fn finding_hook(definition: &HookDefinition) -> FindingHook {
    FindingHook {
        id: definition.id.clone(),
        event: definition.event.clone(),
        label: definition.label(),
        matcher: definition.matcher_text(),
    }
}

/// Masks a secret in a line, because output may end up in logs.
fn mask_secret(line: &str, (start, end): (Position, Position)) -> String {
    let last = if end.line == start.line { end.column } else { u32::MAX };
    let hidden = |column: u32| start.column <= column && column < last;
    (1..).zip(line.chars()).map(|(column, c)| if hidden(column) { '*' } else { c }).collect()
}

/// Converts a fix from source ids to file paths.
fn to_file_fix(fix: &Fix, sources: &SourceMap) -> FileFix {
    let source = fix.source;
    let path = || sources.path(source).to_owned();
    let edit = |edit: &TextEdit| FileEdit {
        file: sources.name(source).to_owned(),
        path: path(),
        place: (sources.position(source, edit.start), sources.position(source, edit.end)),
        was: sources.slice(Span::new(source, edit.start, edit.end)).to_owned(),
        edit: edit.clone(),
    };
    FileFix {
        safe: fix.safe,
        edits: fix.edits.iter().map(edit).collect(),
        executable: fix.executable.then(path).into_iter().collect(),
    }
}

/// The path of a file as agents open it, without links.
pub fn canonical_path(file: &Path) -> Option<String> {
    canonical(file).ok().map(|path| path.to_string_lossy().into_owned())
}
