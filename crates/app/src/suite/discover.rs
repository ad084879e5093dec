//! Finds suite files.

use std::path::{Path, PathBuf};

use super::read::{SuiteError, is_yaml};
use hookbench_core::text::{Node, SourceId, parse_yaml};

/// Directories with third-party or generated files.
const PASSED_OVER: [&str; 4] = ["node_modules", "target", "vendor", "dist"];

/// The names of suites that are found automatically: `hooks.test.yaml`, `NAME.hooks.test.yaml`.
const ENDINGS: [&str; 2] = ["hooks.test.yaml", "hooks.test.yml"];

/// The files to run: the named files and all suites in named directories, or the suites of the project if none is
/// named. Sorted, without duplicates.
///
/// # Errors
/// Returns an error if a named file does not exist.
pub fn find_suites(named: &[PathBuf], project: &Path) -> Result<Vec<PathBuf>, SuiteError> {
    let mut found = Vec::new();
    if named.is_empty() {
        walk(project, &mut found, is_suite, true);
        // Paths are shown as a user would type them.
        found = found.into_iter().map(|p| p.strip_prefix(project).map(Path::to_owned).unwrap_or(p)).collect();
        if project != Path::new(".") {
            found = found.into_iter().map(|p| project.join(p)).collect();
        }
    }
    for path in named {
        if path.is_dir() {
            let wanted = |p: &Path| is_yaml(p) || p.extension().is_some_and(|e| e == "json" || e == "jsonl");
            walk(path, &mut found, wanted, false);
        } else if path.exists() {
            found.push(path.clone());
        } else {
            let help = Some("without a path, hookbench test runs every hooks.test.yaml of the project".to_owned());
            let message = "the file does not exist".to_owned();
            return Err(SuiteError { file: path.display().to_string(), at: None, message, help });
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The files from which the cases of a suite are made, if known, even if the suite is currently invalid.
pub fn fixtures(suite: &Path) -> Vec<PathBuf> {
    let Some(text) = is_yaml(suite).then(|| hookbench_system::disk::read_text(suite).ok()).flatten() else {
        return Vec::new();
    };
    let Ok(node) = parse_yaml(SourceId(0), &text, 0) else { return Vec::new() };
    let directory = suite.parent().unwrap_or(Path::new(""));
    let cases = node.get("cases").and_then(Node::items).unwrap_or_default();
    let named = cases.iter().filter_map(|case| case.get("from")?.as_str());
    named.map(|from| directory.join(from)).collect()
}

fn is_suite(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    ENDINGS.iter().any(|end| name == *end || name.strip_suffix(end).is_some_and(|start| start.ends_with('.')))
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>, wanted: impl Fn(&Path) -> bool + Copy, pass_over: bool) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        // Links are not followed, so cycles are impossible.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            let foreign = name.starts_with('.') || PASSED_OVER.contains(&name.as_ref());
            if !(pass_over && foreign) {
                walk(&path, found, wanted, pass_over);
            }
        } else if kind.is_file() && wanted(&path) {
            found.push(path);
        }
    }
}
