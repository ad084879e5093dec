//! Looks at a project for an overview: git, where there is one, else the uppermost folders. Two seconds at most, then with
//! what is known by then.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use super::Means;
use super::git::{NoAnswer, ask};
use crate::core::live::handlers::{Done, Git, Look, Manifest, is_manifest, overview};

/// How long looking may take.
const BUDGET: Duration = Duration::from_secs(2);
/// Manifests that are read, and bytes of each.
const MANIFESTS: usize = 8;
const MANIFEST: u64 = 256 << 10;
/// Entries of a folder that are looked at where git is not asked.
const ENTRIES: usize = 2_000;
/// Projects whose overview is remembered.
const PROJECTS: usize = 32;

/// While these stay the same, so does the overview.
type Key = (Git, Option<SystemTime>);

/// Overviews that were made, by project.
#[derive(Debug, Default)]
pub struct Overviews(Mutex<HashMap<String, (Key, String)>>);

/// What is left of the time.
#[derive(Clone, Copy)]
struct Budget<'a> {
    clock: &'a dyn Fn() -> Instant,
    until: Instant,
}

impl Budget<'_> {
    fn left(self) -> Duration {
        self.until.saturating_duration_since((self.clock)())
    }

    fn is_spent(self) -> bool {
        self.left().is_zero()
    }
}

/// The overview of a project folder.
pub fn overview_of(project: &str, means: Means<'_>) -> Done {
    let folder = Path::new(project);
    if !folder.is_absolute() || !folder.is_dir() {
        return Done::Failed("there is no such folder".to_owned());
    }
    let budget = Budget { clock: means.clock, until: (means.clock)() + BUDGET };
    let status =
        ask(folder, &["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal"], budget.left());
    let git = match status {
        Ok(status) => Git::read(&status),
        Err(NoAnswer::Refused) => return Done::Overview(overview(&bare(folder, budget))),
        Err(NoAnswer::Late) => return Done::Overview(overview(&Look { cut: true, ..bare(folder, budget) })),
    };
    let key = (git.clone(), index_written(folder, budget));
    if let Some(text) = means.known.get(project, &key) {
        return Done::Overview(text);
    }
    let mut look = Look { git: Some(git), ..Look::default() };
    match ask(folder, &["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"], budget.left())
    {
        Ok(files) => look.files = files.split('\0').filter(|file| !file.is_empty()).map(str::to_owned).collect(),
        Err(_) => look = Look { git: look.git, cut: true, ..bare(folder, budget) },
    }
    let manifests: Vec<String> = look.files.iter().filter(|file| is_manifest(file)).take(MANIFESTS).cloned().collect();
    for path in manifests {
        if budget.is_spent() {
            look.cut = true;
            break;
        }
        if let Some(text) = beginning(&folder.join(&path)) {
            look.manifests.push(Manifest::read(&path, &text));
        }
    }
    let text = overview(&look);
    if !look.cut {
        means.known.put(project, key, &text);
    }
    Done::Overview(text)
}

/// The uppermost two levels as they lie there; only the first, where there is no time for the second.
fn bare(folder: &Path, budget: Budget<'_>) -> Look {
    let (mut files, mut cut) = (Vec::new(), false);
    for (name, is_folder) in entries(folder) {
        if is_folder {
            cut |= budget.is_spent();
            let below = if cut { Vec::new() } else { entries(&folder.join(&name)) }.into_iter();
            let before = files.len();
            files.extend(below.map(|(inner, deep)| format!("{name}/{inner}{}", if deep { "/…" } else { "" })));
            if files.len() == before {
                files.push(format!("{name}/…"));
            }
        } else {
            files.push(name);
        }
    }
    Look { files, cut, ..Look::default() }
}

/// Names in a folder, in order; hidden ones and what package managers and builds put there are passed over.
fn entries(folder: &Path) -> Vec<(String, bool)> {
    const PASSED_OVER: [&str; 6] = ["node_modules", "target", "dist", "build", "venv", "__pycache__"];
    let Ok(read) = fs::read_dir(folder) else { return Vec::new() };
    let named = read.flatten().take(ENTRIES).filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let kept = !name.starts_with('.') && !PASSED_OVER.contains(&name.as_str());
        kept.then(|| (name, entry.file_type().is_ok_and(|kind| kind.is_dir())))
    });
    let mut all: Vec<(String, bool)> = named.collect();
    all.sort();
    all
}

/// When git's index was last written.
fn index_written(folder: &Path, budget: Budget<'_>) -> Option<SystemTime> {
    let path = ask(folder, &["rev-parse", "--git-path", "index"], budget.left()).ok()?;
    fs::metadata(folder.join(path.trim_end_matches('\n'))).ok()?.modified().ok()
}

fn beginning(path: &Path) -> Option<String> {
    // A link could lead anywhere, and a pipe would never end.
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MANIFEST).read_to_end(&mut bytes).ok()?;
    String::from_utf8(bytes).ok()
}

impl Overviews {
    fn get(&self, project: &str, key: &Key) -> Option<String> {
        let known = self.0.lock().ok()?;
        known.get(project).filter(|(of, _)| of == key).map(|(_, text)| text.clone())
    }

    fn put(&self, project: &str, key: Key, text: &str) {
        let Ok(mut known) = self.0.lock() else { return };
        if known.len() >= PROJECTS {
            known.clear();
        }
        known.insert(project.to_owned(), (key, text.to_owned()));
    }
}
