//! An overview of a project for a new session: short, and always the same text for the same project.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::manifest::Manifest;
use super::summary::short;

/// Maximum number of characters.
const LONGEST: usize = 6_000;
/// Maximum number of lines in the tree.
const ENTRIES: usize = 60;
/// Maximum numbers of languages, manifests, scripts and test directories.
const LANGUAGES: usize = 10;
const MANIFESTS: usize = 8;
const SCRIPTS: usize = 15;
const TESTS: usize = 10;
/// Maximum number of characters in a name.
const NAME: usize = 80;

/// The collected facts about a project. Facts that could not be collected in time are missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectFacts {
    /// `None` without a repository or if its state is unknown.
    pub git: Option<GitState>,
    /// Every file that is not ignored, relative to the project directory.
    pub files: Vec<String>,
    pub manifests: Vec<Manifest>,
    /// Whether the time ran out before everything was collected.
    pub incomplete: bool,
}

/// The state of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct GitState {
    /// `None` if no branch is checked out.
    pub branch: Option<String>,
    /// `None` before the first commit.
    pub head: Option<String>,
    pub staged: usize,
    pub changed: usize,
    pub untracked: usize,
    pub conflicts: usize,
}

impl GitState {
    /// Creates a state from a branch, a commit and the numbers of files that are staged, changed, untracked and in
    /// conflict.
    pub fn new(branch: Option<&str>, head: Option<&str>, counts: [usize; 4]) -> GitState {
        let [staged, changed, untracked, conflicts] = counts;
        let head = head.map(|id| id.chars().take(12).collect());
        GitState { branch: branch.map(|name| short(name, NAME)), head, staged, changed, untracked, conflicts }
    }

    fn words(&self) -> String {
        let on = self.branch.as_ref().map_or_else(|| "no branch".to_owned(), |name| format!("branch {name}"));
        let at = self.head.as_ref().map_or_else(|| "no commit yet".to_owned(), |id| format!("at {id}"));
        let counts = [
            (self.staged, "staged"),
            (self.changed, "changed"),
            (self.untracked, "untracked"),
            (self.conflicts, "in conflict"),
        ];
        let dirty: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        let dirty = if dirty.is_empty() { "clean".to_owned() } else { dirty.join(", ") };
        format!("git: {on}, {at}, {dirty}")
    }
}

/// Returns the overview text.
pub fn overview(look: &ProjectFacts) -> String {
    let mut out = String::from("Overview of this project, created by hookbench.\n");
    if let Some(git) = &look.git {
        let _ = writeln!(out, "{}", git.words());
    }
    let tree = tree(&look.files);
    if !tree.is_empty() {
        let _ = writeln!(out, "\n{} files:\n{tree}", look.files.len());
    }
    // Without a repository, it is unknown which files belong to the project.
    if look.git.is_some() {
        line(&mut out, "files by language", &languages(&look.files));
        for manifest in look.manifests.iter().take(MANIFESTS) {
            let scripts: Vec<String> = manifest.scripts.iter().take(SCRIPTS).map(|name| short(name, NAME)).collect();
            line(&mut out, &short(&manifest.path, NAME), &scripts);
        }
        line(&mut out, "tests in", &test_directories(&look.files));
    }
    if look.incomplete {
        out.push_str("The overview is incomplete: the time limit was reached.\n");
    }
    short(&out, LONGEST)
}

fn line(out: &mut String, name: &str, entries: &[String]) {
    if !entries.is_empty() {
        let _ = writeln!(out, "{name}: {}", entries.join(", "));
    }
}

/// Returns the top two levels of the tree: everything on the first, and as much of the second as there is space
/// for.
fn tree(files: &[String]) -> String {
    let mut top: BTreeMap<&str, (usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    for file in files {
        let (first, rest) = file.split_once('/').unwrap_or((file, ""));
        let (count, below) = top.entry(first).or_default();
        if !rest.is_empty() {
            *count += 1;
            let (second, deeper) = rest.split_once('/').unwrap_or((rest, ""));
            *below.entry(second).or_default() += usize::from(!deeper.is_empty());
        }
    }
    let shown = top.len().min(ENTRIES);
    let mut room = ENTRIES - shown;
    let mut out = String::new();
    for (name, (count, below)) in top.iter().take(ENTRIES) {
        entry(&mut out, "", name, *count);
        // Directories are more informative than files, so they come first.
        let mut below: Vec<_> = below.iter().collect();
        below.sort_by_key(|(name, count)| (**count == 0, **name));
        let some = below.len().min(room);
        room -= some;
        for (name, count) in below.iter().take(some) {
            entry(&mut out, "  ", name, **count);
        }
        if some > 0 && some < below.len() {
            let _ = writeln!(out, "  … {} more", below.len() - some);
        }
    }
    if top.len() > shown {
        let _ = writeln!(out, "… {} more", top.len() - shown);
    }
    out
}

fn entry(out: &mut String, indent: &str, name: &str, files: usize) {
    let name = short(name, NAME);
    let _ = if files > 0 { writeln!(out, "{indent}{name}/ ({files})") } else { writeln!(out, "{indent}{name}") };
}

/// Languages by file extension.
const ENDINGS: &[(&str, &[&str])] = &[
    ("C", &["c", "h"]),
    ("C#", &["cs"]),
    ("C++", &["cc", "cpp", "cxx", "hpp", "hh"]),
    ("CSS", &["css", "scss", "sass", "less"]),
    ("Dart", &["dart"]),
    ("Elixir", &["ex", "exs"]),
    ("Go", &["go"]),
    ("HTML", &["html", "htm"]),
    ("Haskell", &["hs"]),
    ("Java", &["java"]),
    ("JavaScript", &["js", "jsx", "mjs", "cjs"]),
    ("Kotlin", &["kt", "kts"]),
    ("Lua", &["lua"]),
    ("Markdown", &["md", "mdx"]),
    ("PHP", &["php"]),
    ("Python", &["py", "pyi"]),
    ("Ruby", &["rb"]),
    ("Rust", &["rs"]),
    ("SQL", &["sql"]),
    ("Scala", &["scala"]),
    ("Shell", &["sh", "bash", "zsh", "fish"]),
    ("Svelte", &["svelte"]),
    ("Swift", &["swift"]),
    ("TypeScript", &["ts", "tsx", "mts", "cts"]),
    ("Vue", &["vue"]),
    ("Zig", &["zig"]),
];

fn languages(files: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        let name = file.rsplit('/').next().unwrap_or(file);
        let Some((_, ending)) = name.rsplit_once('.') else { continue };
        let ending = ending.to_ascii_lowercase();
        if let Some((language, _)) = ENDINGS.iter().find(|(_, endings)| endings.contains(&ending.as_str())) {
            *counts.entry(language).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    counts.into_iter().take(LANGUAGES).map(|(name, count)| format!("{name} {count}")).collect()
}

const TEST_DIRECTORIES: [&str; 7] = ["test", "tests", "__tests__", "spec", "specs", "e2e", "testing"];

/// Returns the topmost test directories.
fn test_directories(files: &[String]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for file in files {
        let mut at = 0;
        for part in file.split('/') {
            let end = at + part.len();
            if end < file.len() && TEST_DIRECTORIES.contains(&part) {
                found.insert(&file[..end]);
                break;
            }
            at = end + 1;
        }
    }
    let more = found.len().saturating_sub(TESTS);
    let mut named: Vec<String> = found.into_iter().take(TESTS).map(|path| short(path, NAME) + "/").collect();
    if more > 0 {
        named.push(format!("{more} more"));
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[&str]) -> Vec<String> {
        all.iter().map(|file| (*file).to_owned()).collect()
    }

    #[test]
    fn a_project_in_a_few_lines() {
        let look = ProjectFacts {
            git: Some(GitState::new(Some("main"), Some("0123456789abcdef0123"), [2, 1, 1, 1])),
            files: files(&[
                "Cargo.toml",
                "README.md",
                "src/a.rs",
                "src/core/b.rs",
                "src/core/tests/c.rs",
                "tests/d.rs",
            ]),
            manifests: vec![Manifest { path: "Cargo.toml".to_owned(), scripts: files(&["package shop"]) }],
            incomplete: false,
        };
        let want = "Overview of this project, created by hookbench.\ngit: branch main, at 0123456789ab, 2 staged, 1 changed, 1 untracked, 1 in conflict\n\n6 files:\nCargo.toml\nREADME.md\nsrc/ (3)\n  core/ (2)\n  a.rs\ntests/ (1)\n  d.rs\n\nfiles by language: Rust 4, Markdown 1\nCargo.toml: package shop\ntests in: src/core/tests/, tests/";
        assert_eq!(overview(&look), want);
        let bare = ProjectFacts { git: None, incomplete: true, ..look };
        let want = "Overview of this project, created by hookbench.\n\n6 files:\nCargo.toml\nREADME.md\nsrc/ (3)\n  core/ (2)\n  a.rs\ntests/ (1)\n  d.rs\n\nThe overview is incomplete: the time limit was reached.";
        assert_eq!(overview(&bare), want);
    }

    #[test]
    fn a_repository_without_anything() {
        let git = GitState::new(None, None, [0; 4]);
        assert_eq!(git.words(), "git: no branch, no commit yet, clean");
    }

    #[test]
    fn a_large_project_is_as_short() {
        let many: Vec<String> = (0..200).map(|n| format!("{}{n:03}/{}/x.rs", "d".repeat(90), "ü".repeat(90))).collect();
        let text = overview(&ProjectFacts { git: Some(GitState::default()), files: many, ..ProjectFacts::default() });
        assert!(text.chars().count() <= LONGEST, "{}", text.chars().count());
        assert!(text.contains("… 140 more"), "{text}");
        let wide: Vec<String> = (0..200).map(|n| format!("src/f{n:03}")).collect();
        let tree = tree(&wide);
        assert_eq!((tree.lines().count(), tree.lines().last()), (61, Some("  … 141 more")));
    }
}
