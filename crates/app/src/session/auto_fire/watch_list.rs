//! The files to watch, and their relation to scripts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex::Regex;

use super::Session;
use super::checkout::{CheckoutState, GitDirs};
use super::state::WatchedSources;
use crate::analysis::lint::ALLOW_FILE;
use crate::session::job::Job;
use hookbench_core::config::Watchlist;

/// Limits for watching the directory of a script: files, directories, and depth.
const FILES: usize = 256;
const DIRECTORIES: usize = 32;
const DEPTH: usize = 3;
/// Extensions of files that a hook may consist of; logs and data are left out.
const SOURCES: [&str; 32] = [
    "sh", "bash", "zsh", "fish", "ps1", "py", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "rb", "pl", "pm",
    "php", "lua", "go", "rs", "awk", "sed", "jq", "rego", "json", "toml", "yaml", "yml", "ini", "cfg", "txt",
];
/// Directories of generated or installed files.
const MADE: [&str; 5] = ["node_modules", "__pycache__", "venv", "target", "site-packages"];

impl Session {
    /// Watches everything that can change what hooks do, unless the watch list is unchanged.
    pub(super) fn update_watch_list(&mut self) -> Vec<Job> {
        if !self.options.watch.enabled {
            return Vec::new();
        }
        let mut settings = self.settings_files();
        if self.options.lint {
            settings.insert(Path::new(&self.place.project).join(ALLOW_FILE));
        }
        let checkout = self.checkout_files();
        self.auto_fire.sources = self.find_sources(&settings);
        self.auto_fire.sources.checkout.clone_from(&checkout.files);
        let files: BTreeSet<PathBuf> =
            settings.iter().chain(&checkout.files).chain(&self.auto_fire.sources.files).cloned().collect();
        let looked = self.agents.iter().filter_map(|a| a.loaded.as_ref()).flat_map(|l| &l.lookups.directories);
        let directories: BTreeSet<PathBuf> =
            looked.map(PathBuf::from).chain(self.auto_fire.sources.directories.iter().cloned()).collect();
        let list = Watchlist {
            files: files.into_iter().collect(),
            directories: directories.into_iter().collect(),
            locks: checkout.lock.into_iter().collect(),
            quiet: self.options.watch.quiet,
        };
        if self.auto_fire.list.as_ref() == Some(&list) {
            return Vec::new();
        }
        self.auto_fire.list = Some(list.clone());
        let mut jobs = vec![Job::Watch(list)];
        if self.auto_fire.read != settings {
            // Changes after the settings were loaded and before they were watched are not reported.
            self.auto_fire.read = settings;
            jobs.extend(self.reload());
        }
        jobs
    }

    /// The source files that were added or removed beside scripts.
    pub(super) fn update_sources(&mut self) -> Vec<PathBuf> {
        let now = self.find_sources(&self.settings_files());
        let news = now.files.symmetric_difference(&self.auto_fire.sources.files).cloned().collect();
        self.auto_fire.sources =
            WatchedSources { checkout: std::mem::take(&mut self.auto_fire.sources.checkout), ..now };
        news
    }

    /// Returns whether a file only indicates the checkout.
    pub(super) fn is_checkout_file(&self, path: &PathBuf) -> bool {
        self.auto_fire.sources.checkout.contains(path)
    }

    /// Returns whether a file is a script or is in its directory.
    pub(super) fn belongs(&self, file: &Path, script: &str) -> bool {
        if file == Path::new(script) {
            return true;
        }
        if self.is_setting(file) {
            return false;
        }
        let real = self.files.canonical(script);
        [Some(script), real.as_deref()].into_iter().flatten().any(|script| {
            let directory = Path::new(script).parent();
            directory.is_some_and(|f| file.parent() == Some(f) || (self.is_hook_directory(f) && file.starts_with(f)))
        })
    }

    fn is_setting(&self, file: &Path) -> bool {
        let of = |path: &str| {
            let mut loaded = self.agents.iter().filter_map(|a| a.loaded.as_ref());
            loaded.any(|l| l.lookups.files.contains(path) || l.layers.iter().any(|layer| layer.path == path))
        };
        file.to_str().is_some_and(of)
    }

    /// Every file from which the settings of an agent were loaded.
    pub(in crate::session) fn settings_files(&self) -> BTreeSet<PathBuf> {
        let loaded = self.agents.iter().filter_map(|a| a.loaded.as_ref());
        loaded.flat_map(|l| l.paths().into_iter().chain(l.lookups.files.iter().cloned())).map(PathBuf::from).collect()
    }

    /// Every script that a hook starts.
    pub(in crate::session) fn scripts(&self) -> BTreeSet<PathBuf> {
        let mut all = BTreeSet::new();
        for agent in &self.agents {
            let Some(loaded) = &agent.loaded else { continue };
            let live = loaded.definitions.iter().filter(|d| d.rejection.is_none());
            all.extend(live.filter_map(|d| self.resolve(agent, d)?.script).map(PathBuf::from));
        }
        all
    }

    fn find_sources(&self, settings: &BTreeSet<PathBuf>) -> WatchedSources {
        let scripts = self.scripts();
        let real = scripts.iter().filter_map(|s| self.files.canonical(s.to_str()?)).map(PathBuf::from);
        let roots: BTreeSet<PathBuf> =
            scripts.iter().cloned().chain(real).filter_map(|s| Some(s.parent()?.to_owned())).collect();
        let ignore: Vec<(bool, Regex)> = self.options.watch.ignore.iter().filter_map(|p| pattern(p)).collect();
        let ignored = |path: &Path| {
            let shown = path.strip_prefix(&self.place.project).unwrap_or(path).to_string_lossy();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            ignore.iter().any(|(whole, p)| p.is_match(if *whole { &shown } else { &name }))
        };
        let mut beside = WatchedSources::default();
        for root in roots {
            // Programs of the system do not belong to the user.
            let ours = [&self.place.project, &self.place.home].iter().any(|of| !of.is_empty() && root.starts_with(of));
            if ours && root != Path::new(&self.place.home) {
                let depth = if self.is_hook_directory(&root) { DEPTH } else { 0 };
                self.collect(&root, depth, &ignored, &mut beside);
            }
        }
        beside.files.retain(|file| !settings.contains(file));
        beside.files.extend(scripts.iter().cloned());
        beside.scripts = scripts;
        beside
    }

    fn collect(&self, directory: &Path, depth: usize, ignored: &dyn Fn(&Path) -> bool, beside: &mut WatchedSources) {
        if beside.directories.len() >= DIRECTORIES || !beside.directories.insert(directory.to_owned()) {
            return;
        }
        let names = directory.to_str().map(|f| self.files.list(f)).unwrap_or_default();
        for name in names.iter().filter(|n| !n.starts_with('.') && !MADE.contains(&n.as_str())).take(FILES) {
            let path = directory.join(name);
            if ignored(&path) {
                continue;
            }
            let source = Path::new(name).extension().is_some_and(|e| SOURCES.iter().any(|s| e == *s));
            if source && beside.files.len() < FILES {
                beside.files.insert(path);
            } else if !source && depth > 0 && path.to_str().is_some_and(|p| !self.files.list(p).is_empty()) {
                self.collect(&path, depth - 1, ignored, beside);
            }
        }
    }

    /// Returns whether a directory with everything below it counts as a directory for hooks; one that contains the
    /// project or the home directory does not.
    fn is_hook_directory(&self, directory: &Path) -> bool {
        let (project, home) = (Path::new(&self.place.project), Path::new(&self.place.home));
        !project.starts_with(directory) && !home.starts_with(directory)
    }
}

/// Compiles a pattern like those in `.gitignore`: `*` within a name, `**` across directories, `?`. Also returns whether
/// it applies to the whole path.
fn pattern(text: &str) -> Option<(bool, Regex)> {
    let mut regex = String::from("^");
    let mut rest = text.trim_start_matches('/');
    while let Some(c) = rest.chars().next() {
        let (with, taken) = match c {
            '*' if rest.starts_with("**/") => ("(?:.*/)?".to_owned(), 3),
            '*' if rest.starts_with("**") => (".*".to_owned(), 2),
            '*' => ("[^/]*".to_owned(), 1),
            '?' => ("[^/]".to_owned(), 1),
            c => (regex::escape(c.encode_utf8(&mut [0; 4])), c.len_utf8()),
        };
        regex.push_str(&with);
        rest = rest.get(taken..)?;
    }
    regex.push_str("(?:/.*)?$");
    Some((text.contains('/'), Regex::new(&regex).ok()?))
}

/// The files of a repository that have to be watched.
#[derive(Debug, Default)]
pub(super) struct CheckoutFiles {
    pub files: Vec<PathBuf>,
    pub lock: Option<PathBuf>,
}

impl Session {
    /// Compares the checkout with the last known one. Another branch disarms auto-fire; so does another commit that
    /// changed files of hooks. `moved` says that a change of the checkout was reported together with its files.
    pub(super) fn check_checkout(&mut self, moved: bool) {
        let now = GitDirs::of(&self.place, self.files.as_ref()).and_then(|r| r.checkout(self.files.as_ref()));
        let same = |now: &CheckoutState| self.auto_fire.checkout.as_ref().is_some_and(|before| before.head == now.head);
        if !moved && self.auto_fire.changed.is_empty() && now.as_ref().is_some_and(same) {
            // The files of another commit may still be reported.
            return;
        }
        let Some(before) = std::mem::replace(&mut self.auto_fire.checkout, now) else { return };
        let Some(now) = &self.auto_fire.checkout else { return };
        if now.head != before.head {
            self.disarm("the branch has changed");
        } else if now.commit != before.commit && !now.created_here && !self.auto_fire.changed.is_empty() {
            self.disarm("another commit was checked out");
        }
    }

    /// The files that change with a checkout.
    pub(super) fn checkout_files(&self) -> CheckoutFiles {
        let files = self.files.as_ref();
        let Some(repository) = GitDirs::of(&self.place, files) else {
            // A repository may be created later.
            let head = Path::new(&self.place.project).join(".git/HEAD");
            return CheckoutFiles { files: vec![head], lock: None };
        };
        let own = Path::new(&repository.worktree);
        let mut all = vec![own.join("HEAD")];
        let head = repository.checkout(files).map(|c| c.head).unwrap_or_default();
        if let Some(name) = head.strip_prefix("ref:").map(str::trim) {
            all.push(Path::new(&repository.shared).join(name));
        }
        CheckoutFiles { files: all, lock: Some(own.join("index.lock")) }
    }
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn patterns_are_those_of_gitignore() {
        for (text, path, hit) in [
            ("*.log.json", "run.log.json", true),
            ("*.json", "a/b.json", false),
            ("cache", "cache", true),
            ("hooks/cache", "hooks/cache/x.json", true),
            ("hooks/**/x.?s", "hooks/a/b/x.js", true),
            ("hooks/**/x.?s", "hooks/x.ts", true),
            ("/hooks/*.py", "hooks/a/b.py", false),
            ("a+(b", "a+(b", true),
        ] {
            let (is_whole, regex) = pattern(text).unwrap();
            assert_eq!(regex.is_match(path), hit, "{text} {path}");
            assert_eq!(is_whole, text.contains('/'), "{text}");
        }
    }
}
