//! The lines by which a settings file became weaker.

use std::collections::BTreeMap;

use crate::guard::event::{ContentChange, GuardEvent, base_name};
use crate::guard::hit::{GuardFinding, line_of};
use crate::guard::pattern::Pattern;

static KEY: Pattern = Pattern::new(
    &[],
    r#"(?i)^\s*"?(extend-)?(ignore|per-file-ignores|extend-ignore|extend-per-file-ignores|exclude|omit|disable|disable_error_code|ignore_errors|skips?|exclude_lines|allow_failure|continue-on-error)"?\s*[:=]\s*(.*)$"#,
);
static ENTRY: Pattern = Pattern::new(&["["], r#"^\s*"[^"]+"\s*=\s*\[[^\]]*"[A-Z]{1,4}\d*""#);
static LIST: Pattern = Pattern::new(&["["], r#"^\s*"?([A-Za-z0-9_.\-*/ ]+?)"?\s*[:=]\s*\[(.*)\]\s*,?\s*$"#);
static NUMBER: Pattern = Pattern::new(&[], r#"^\s*"?([A-Za-z_\-]+)"?\s*[:=]\s*"?(\d+)"?\s*,?\s*$"#);
static SWITCH: Pattern = Pattern::new(&[], r#"^\s*"?([A-Za-z_\-]+)"?\s*[:=]\s*"?(true|false|True|False)"?\s*,?\s*$"#);
static MASKED: [Pattern; 3] = [
    Pattern::new(&["||"], r"\|\|\s*(true|:|exit\s+0)\b"),
    Pattern::new(&["--exit-zero"], r"--exit-zero\b"),
    Pattern::new(&["if:"], r"^\s*if:\s*(false|\$\{\{\s*false\s*\}\})\s*$"),
];
static HOOK_ID: Pattern = Pattern::new(&["id:"], r#"^\s*-\s*id:\s*["']?([A-Za-z0-9_.\-]+)"#);

/// Parts of the names of limits. A higher one is weaker.
const LIMITS: [&str; 12] = [
    "complexity",
    "branches",
    "args",
    "arguments",
    "line-length",
    "line_length",
    "max-",
    "max_",
    "threshold",
    "statements",
    "locals",
    "returns",
];
/// Parts of the names of floors. A lower one is weaker.
const FLOORS: [&str; 4] = ["fail_under", "fail-under", "coverage", "min"];
/// Parts of the names of strict switches.
const STRICT: [&str; 11] = [
    "strict",
    "disallow",
    "warn",
    "check",
    "noimplicit",
    "no_implicit",
    "nounused",
    "nofallthrough",
    "enforce",
    "require",
    "error",
];

/// A line that is weaker than before.
pub struct WeakenedLine {
    pub what: &'static str,
    pub line: String,
}

/// Compares the settings before and after a change.
pub fn weakened_lines(old: &str, new: &str, ci: bool, pre_commit: bool) -> Vec<WeakenedLine> {
    let mut found = Vec::new();
    let mut add = |what: &'static str, line: &str| found.push(WeakenedLine { what, line: line.trim().to_owned() });
    let (lists, numbers, switches) = (values(old, &LIST), values(old, &NUMBER), values(old, &SWITCH));
    for line in added_lines(old, new) {
        if line.trim_start().starts_with(['#', ';', '/']) || line.contains("ignore_missing_imports") {
            continue;
        }
        let named = |pattern: &Pattern| Some((pattern.group(line, 1)?.trim(), pattern.group(line, 2)?.trim()));
        let list = named(&LIST);
        let before = list.and_then(|(key, _)| lists.get(key));
        if let (Some((_, items)), Some(before)) = (list, before) {
            if count(items) > count(before) {
                add("a list of exceptions became longer", line);
            }
        } else if ENTRY.is_match(line) || KEY.group(line, 3).is_some_and(is_set) {
            add("a new exception", line);
        }
        if let Some((key, value)) = named(&NUMBER)
            && let (Some(before), Ok(value)) =
                (numbers.get(key).and_then(|n| n.parse::<u64>().ok()), value.parse::<u64>())
        {
            let lower = key.to_ascii_lowercase();
            let is = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
            if is(&FLOORS) && value < before {
                add("a floor became lower", line);
            } else if is(&LIMITS) && !is(&FLOORS) && value > before {
                add("a limit became higher", line);
            }
        }
        if let Some((key, value)) = named(&SWITCH)
            && value.eq_ignore_ascii_case("false")
            && switches.get(key).is_some_and(|before| before.eq_ignore_ascii_case("true"))
            && STRICT.iter().any(|part| key.to_ascii_lowercase().contains(part))
        {
            add("a strict check was switched off", line);
        }
        if ci && MASKED.iter().any(|pattern| pattern.is_match(line)) {
            add("a failure no longer counts", line);
        }
    }
    if pre_commit {
        let ids =
            |text: &str| text.lines().filter_map(|line| HOOK_ID.group(line, 1)).map(str::to_owned).collect::<Vec<_>>();
        let after = ids(new);
        for id in ids(old).into_iter().filter(|id| !after.contains(id)) {
            add("a hook was removed", &format!("- id: {id}"));
        }
    }
    found
}

/// Returns the lines that occur more often than before.
fn added_lines<'a>(old: &'a str, new: &'a str) -> Vec<&'a str> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for line in old.lines() {
        *known.entry(line).or_default() += 1;
    }
    let is_new = |line: &&str| match known.get_mut(*line).filter(|count| **count > 0) {
        Some(count) => {
            *count -= 1;
            false
        }
        None => true,
    };
    new.lines().filter(is_new).collect()
}

/// Returns the values of all lines of this form, by key.
fn values<'a>(text: &'a str, pattern: &Pattern) -> BTreeMap<&'a str, &'a str> {
    let pairs = text.lines().filter_map(|line| Some((pattern.group(line, 1)?.trim(), pattern.group(line, 2)?.trim())));
    pairs.collect()
}

fn count(items: &str) -> usize {
    items.split(',').filter(|item| !item.trim().is_empty()).count()
}

/// Whether the value of an exception excepts anything.
fn is_set(value: &str) -> bool {
    let value = value.trim().trim_end_matches(',');
    !matches!(value.to_ascii_lowercase().as_str(), "" | "[]" | "{}" | "\"\"" | "''" | "false" | "0" | "no")
}

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
