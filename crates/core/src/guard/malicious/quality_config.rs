//! MB-R5: a change that weakens the settings of a check.

use super::weakened_lines::{WeakenedLine, weakened_lines};
use crate::guard::content::{ContentChange, base_name};
use crate::guard::event::GuardEvent;
use crate::guard::finding::GuardFinding;
use crate::guard::findings_of_change::line_of;

const NAMES: [&str; 26] = [
    "ruff.toml",
    "mypy.ini",
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "pyproject.toml",
    "flake8",
    "pylintrc",
    "bandit",
    "coveragerc",
    "biome.json",
    "biome.jsonc",
    "clippy.toml",
    "deny.toml",
    "pre-commit-config.yaml",
    "pre-commit-config.yml",
    "lefthook.yml",
    "lefthook.yaml",
    "gitlab-ci.yml",
    "Jenkinsfile",
    "codecov.yml",
    "codecov.yaml",
    "sonar-project.properties",
    "rustfmt.toml",
    "golangci.yml",
    "golangci.yaml",
];
const BEGINNINGS: [&str; 3] = ["eslintrc", "eslint.config.", "tsconfig"];

/// Whether a file configures a check.
pub fn is_quality_config(path: &str) -> bool {
    let base = base_name(path).trim_start_matches('.');
    NAMES.contains(&base) || BEGINNINGS.iter().any(|name| base.starts_with(name)) || is_workflow(path)
}

fn is_workflow(path: &str) -> bool {
    path.contains("/.github/workflows/")
        && path.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "yml" | "yaml"))
}

/// Checks the change of a file.
pub fn check(change: &ContentChange, event: &GuardEvent<'_>) -> Vec<GuardFinding> {
    if change.old == change.new || !is_quality_config(&change.absolute) {
        return Vec::new();
    }
    let base = base_name(&change.absolute);
    let ci = is_workflow(&change.absolute) || base == "Jenkinsfile" || base.contains("gitlab-ci");
    let pre_commit = base.contains("pre-commit-config");
    let shown = event.shown(&change.absolute);
    let weakened = weakened_lines(&change.old, &change.new, ci, pre_commit);
    weakened
        .into_iter()
        .map(|WeakenedLine { what, line }| {
            GuardFinding::new("MB-R5", &line_of(&shown, &change.new, &line), what, &line)
        })
        .collect()
}
