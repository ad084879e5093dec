//! The imports between the files of one crate, found in their text.

use std::collections::{BTreeMap, BTreeSet};

use crate::rust_text::{NamedPath, PathPlace, named_paths};

/// A source file, by its module: `session::state` is `["session", "state"]`.
pub struct ModuleFile {
    pub module: Vec<String>,
    pub text: String,
}

/// An import of another file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileImport {
    pub from: Vec<String>,
    pub to: Vec<String>,
    pub line: usize,
}

/// The paths that each module names outside its tests.
type PathsByModule = BTreeMap<Vec<String>, Vec<NamedPath>>;

/// Finds the imports between files. A path through a re-export leads to the file that defines the item. A module
/// that re-exports an item of its child does not import the child, and the root of the crate is left out.
pub fn file_imports(files: &[ModuleFile]) -> BTreeSet<FileImport> {
    let paths: PathsByModule = files
        .iter()
        .map(|file| {
            let shipped = file.text.split("\nmod tests {").next().unwrap_or_default();
            (file.module.clone(), named_paths(shipped, &file.module))
        })
        .collect();
    let mut found = BTreeSet::new();
    for (from, named) in paths.iter().filter(|(from, _)| !from.is_empty()) {
        for named in named {
            let Some(path) = absolute(from, &named.path, &paths) else { continue };
            if named.place == PathPlace::PublicUse && path.starts_with(from) {
                continue;
            }
            let to = defining_module(&path, &paths, 0);
            if !to.is_empty() && to != *from {
                found.insert(FileImport { from: from.clone(), to, line: named.line });
            }
        }
    }
    found
}

/// The path from the root of the crate; `None` for a path into another crate.
fn absolute(module: &[String], path: &[String], paths: &PathsByModule) -> Option<Vec<String>> {
    let path: Vec<String> = path.iter().filter(|name| *name != "self").cloned().collect();
    let (first, rest) = path.split_first()?;
    if first == "crate" {
        return Some(rest.to_vec());
    }
    let child: Vec<String> = module.iter().chain([first]).cloned().collect();
    paths.contains_key(&child).then(|| module.iter().chain(&path).cloned().collect())
}

/// The module that defines the item at this path.
fn defining_module(path: &[String], paths: &PathsByModule, depth: usize) -> Vec<String> {
    let length = (0..=path.len()).rev().find(|n| paths.contains_key(&path[..*n])).unwrap_or(0);
    let (module, rest) = path.split_at(length);
    let exported = rest.first().filter(|_| depth < 8).and_then(|name| {
        let uses = paths.get(module)?.iter().filter(|named| named.place != PathPlace::Code);
        let path =
            uses.filter(|named| named.path.last() == Some(name)).find_map(|n| absolute(module, &n.path, paths))?;
        Some(path.into_iter().chain(rest[1..].iter().cloned()).collect::<Vec<_>>())
    });
    exported.map_or_else(|| module.to_vec(), |path| defining_module(&path, paths, depth + 1))
}

/// The groups of files that import each other, directly or through other files of the group.
pub fn circles(imports: &BTreeSet<FileImport>) -> BTreeSet<BTreeSet<String>> {
    let mut targets: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
    for import in imports {
        targets.entry(&import.from).or_default().insert(&import.to);
    }
    let reachable = |from: &[String]| {
        let mut seen: BTreeSet<&[String]> = BTreeSet::new();
        let mut next: Vec<&[String]> = targets.get(from).into_iter().flatten().copied().collect();
        while let Some(module) = next.pop() {
            if seen.insert(module) {
                next.extend(targets.get(module).into_iter().flatten());
            }
        }
        seen
    };
    let reached: BTreeMap<&[String], BTreeSet<&[String]>> =
        targets.keys().map(|module| (*module, reachable(module))).collect();
    let circle = |module: &[String], all: &BTreeSet<&[String]>| {
        let back = |other: &&&[String]| reached.get(**other).is_some_and(|back| back.contains(module));
        all.iter().filter(back).map(|other| other.join("::")).collect::<BTreeSet<_>>()
    };
    reached.iter().map(|(module, all)| circle(module, all)).filter(|circle| circle.len() > 1).collect()
}
