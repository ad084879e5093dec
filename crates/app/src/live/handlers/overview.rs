//! Collects data for the overview of a project: its repository, or the top two directory levels if it has none. After
//! two seconds it returns what it has. It does not start git.

use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::HandlerResources;
use crate::disk::git::{RepositoryStatus, status};
use crate::recordings::import::{ImportCounts, Sink, SinkError, import_file};
use hookbench_core::config::Place;
use hookbench_core::live::handlers::{
    GitState, HandlerResult, Handoff, HandoffWork, Manifest, ProjectFacts, SummaryBuilder, is_manifest, overview,
};
use hookbench_core::recorded::{RecordedEvent, RecordedSession};
use hookbench_system::disk;
use hookbench_system::own_directories::home_directory;

/// The time limit.
const BUDGET: Duration = Duration::from_secs(2);
/// The maximum number of manifests to read, and of bytes of each.
const MANIFESTS: usize = 8;
const MANIFEST: u64 = 256 << 10;
/// The maximum number of entries to read in a directory outside a repository.
const ENTRIES: usize = 2_000;
/// The maximum number of cached overviews.
const PROJECTS: usize = 32;

/// The cache key: the state of the repository, the time at which its index was written, and the files of the
/// project.
type OverviewKey = (GitState, (u64, u32), Vec<String>);

/// A cache of overviews by project.
#[derive(Debug, Default)]
pub struct OverviewCache(Mutex<HashMap<String, (OverviewKey, String)>>);

/// The remaining time.
#[derive(Clone, Copy)]
struct TimeBudget<'a> {
    clock: &'a dyn Fn() -> Instant,
    until: Instant,
}

impl TimeBudget<'_> {
    fn left(self) -> Duration {
        self.until.saturating_duration_since((self.clock)())
    }

    fn is_spent(self) -> bool {
        self.left().is_zero()
    }
}

/// Creates the overview of a project directory.
pub fn overview_of(project: &str, means: HandlerResources<'_>) -> HandlerResult {
    let directory = Path::new(project);
    if !directory.is_absolute() || !directory.is_dir() {
        return HandlerResult::Failed("the directory does not exist".to_owned());
    }
    let budget = TimeBudget { clock: means.clock, until: (means.clock)() + BUDGET };
    let home = home_directory().unwrap_or_default();
    let found = match status(directory, &home, &|| !budget.is_spent()) {
        Ok(Some(found)) => found,
        Ok(None) => {
            return HandlerResult::Overview(overview(&ProjectFacts {
                incomplete: true,
                ..top_levels(directory, budget)
            }));
        }
        Err(_) => return HandlerResult::Overview(overview(&top_levels(directory, budget))),
    };
    let counts = [found.staged, found.changed, found.untracked, found.conflicts];
    let git = GitState::new(found.branch.as_deref(), found.head.as_deref(), counts);
    let (indexed, files) = (found.indexed, files_below(found, directory));
    let key = (git.clone(), indexed, files.clone());
    let mut look = ProjectFacts { git: Some(git), files, ..ProjectFacts::default() };
    if let Some(text) = means.overviews.get(project, &key) {
        return HandlerResult::Overview(text);
    }
    let manifests: Vec<String> = look.files.iter().filter(|file| is_manifest(file)).take(MANIFESTS).cloned().collect();
    for path in manifests {
        if budget.is_spent() {
            look.incomplete = true;
            break;
        }
        if let Some(text) = read_beginning(&directory.join(&path)) {
            look.manifests.push(Manifest::read(&path, &text));
        }
    }
    let text = overview(&look);
    if !look.incomplete {
        means.overviews.put(project, key, &text);
    }
    HandlerResult::Overview(text)
}

/// The files of a repository that are inside a directory, relative to it.
fn files_below(found: RepositoryStatus, directory: &Path) -> Vec<String> {
    let below = directory.strip_prefix(&found.root).unwrap_or(Path::new("")).to_string_lossy().into_owned();
    if below.is_empty() {
        return found.files;
    }
    let below = format!("{below}/");
    found.files.iter().filter_map(|file| file.strip_prefix(&below).map(str::to_owned)).collect()
}

/// Lists the top two levels of a directory, or only the first if time is short.
fn top_levels(directory: &Path, budget: TimeBudget<'_>) -> ProjectFacts {
    let (mut files, mut cut) = (Vec::new(), false);
    for (name, is_directory) in entries(directory) {
        if is_directory {
            cut |= budget.is_spent();
            let below = if cut { Vec::new() } else { entries(&directory.join(&name)) }.into_iter();
            let before = files.len();
            files.extend(below.map(|(inner, deep)| format!("{name}/{inner}{}", if deep { "/…" } else { "" })));
            if files.len() == before {
                files.push(format!("{name}/…"));
            }
        } else {
            files.push(name);
        }
    }
    ProjectFacts { files, incomplete: cut, ..ProjectFacts::default() }
}

/// The names in a directory, sorted, without hidden entries and the directories of package managers and builds.
fn entries(directory: &Path) -> Vec<(String, bool)> {
    const PASSED_OVER: [&str; 6] = ["node_modules", "target", "dist", "build", "venv", "__pycache__"];
    let Ok(read) = fs::read_dir(directory) else { return Vec::new() };
    let named = read.flatten().take(ENTRIES).filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let kept = !name.starts_with('.') && !PASSED_OVER.contains(&name.as_str());
        kept.then(|| (name, entry.file_type().is_ok_and(|kind| kind.is_dir())))
    });
    let mut all: Vec<(String, bool)> = named.collect();
    all.sort();
    all
}

fn read_beginning(path: &Path) -> Option<String> {
    // Only regular files are read: a link could point anywhere, and a pipe never ends.
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let bytes = disk::read_beginning(path, MANIFEST).ok()?;
    String::from_utf8(bytes).ok()
}

impl OverviewCache {
    fn get(&self, project: &str, key: &OverviewKey) -> Option<String> {
        let known = self.0.lock().ok()?;
        known.get(project).filter(|(of, _)| of == key).map(|(_, text)| text.clone())
    }

    fn put(&self, project: &str, key: OverviewKey, text: &str) {
        let Ok(mut known) = self.0.lock() else { return };
        if known.len() >= PROJECTS {
            known.clear();
        }
        known.insert(project.to_owned(), (key, text.to_owned()));
    }
}

/// The time limit for reading.
const BUDGET_HANDOFF: Duration = Duration::from_secs(10);

/// Summarizes the session. If the transcript is missing or only partly read, the summary is marked as incomplete.
pub fn handoff_of(asked: &HandoffWork, clock: &dyn Fn() -> Instant) -> Handoff {
    let mut into = HandoffSink(SummaryBuilder::new(&asked.project));
    let whole = asked.transcript.as_deref().is_some_and(|path| read(Path::new(path), &asked.project, &mut into, clock));
    let summary = into.0.finish(asked.last_message.as_deref(), !whole);
    Handoff::of(&asked.provider, &asked.provider_ref, &asked.project, asked.trigger, &summary)
}

/// Reads the transcript. Returns whether it was read to its end.
fn read(path: &Path, project: &str, into: &mut HandoffSink, clock: &dyn Fn() -> Instant) -> bool {
    if !path.is_absolute() {
        return false;
    }
    let place = Place { project: project.to_owned(), ..Place::default() };
    let until = clock() + BUDGET_HANDOFF;
    let watch = &mut || if clock() < until { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    import_file(path, &place, into, watch).is_ok_and(|(_, is_whole)| is_whole)
}

struct HandoffSink(SummaryBuilder);

impl Sink for HandoffSink {
    fn receive(&mut self, _: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        for event in &events {
            self.0.add(event);
        }
        Ok(ImportCounts::default())
    }
}
