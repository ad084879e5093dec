//! Manifests: files that name the packages of a project and the scripts that can be run in it.

use serde_json::Value;
use toml_edit::Document;

use super::summary::{SessionSummary, yaml};
use super::{Handoff, HandoffTrigger};

/// The content of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The path relative to the project directory.
    pub path: String,
    /// The scripts that can be run, or the name of the package.
    pub scripts: Vec<String>,
}

const NAMES: [&str; 10] = [
    "Cargo.toml",
    "Gemfile",
    "Makefile",
    "composer.json",
    "deno.json",
    "go.mod",
    "justfile",
    "package.json",
    "pom.xml",
    "pyproject.toml",
];

/// Whether a file is a manifest that is at most two directories deep in the project.
pub fn is_manifest(path: &str) -> bool {
    path.matches('/').count() <= 2 && NAMES.contains(&path.rsplit('/').next().unwrap_or(path))
}

impl Manifest {
    /// Parses a manifest. If that fails, its path is still known.
    pub fn read(path: &str, text: &str) -> Manifest {
        let scripts = match path.rsplit('/').next().unwrap_or(path) {
            "package.json" => json_keys(text, "scripts"),
            "composer.json" => json_keys(text, "scripts"),
            "deno.json" => json_keys(text, "tasks"),
            "Cargo.toml" => cargo(text),
            "pyproject.toml" => pyproject(text),
            "Makefile" => targets(text, true),
            "justfile" => targets(text, false),
            "go.mod" => {
                let module = text.lines().find_map(|line| line.strip_prefix("module "));
                module.map(|name| format!("module {}", name.trim())).into_iter().collect()
            }
            _ => Vec::new(),
        };
        let scripts = if scripts.is_empty() { vec!["no scripts".to_owned()] } else { scripts };
        Manifest { path: path.to_owned(), scripts }
    }
}

fn json_keys(text: &str, table: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    value[table].as_object().map(|keys| keys.keys().cloned().collect()).unwrap_or_default()
}

fn cargo(text: &str) -> Vec<String> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let name = document.get("package").and_then(|p| p.get("name")).and_then(|name| name.as_str());
    let members = document.get("workspace").and_then(|w| w.get("members")).and_then(|members| members.as_array());
    let package = name.map(|name| format!("package {name}"));
    let members = members.map(|members| format!("workspace of {}", members.len()));
    package.into_iter().chain(members).collect()
}

fn pyproject(text: &str) -> Vec<String> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let project = document.get("project");
    let name = project.and_then(|p| p.get("name")).and_then(|name| name.as_str());
    let scripts = project.and_then(|p| p.get("scripts")).and_then(|scripts| scripts.as_table_like());
    let scripts = scripts.into_iter().flat_map(|all| all.iter().map(|(key, _)| key.to_owned()));
    name.map(|name| format!("project {name}")).into_iter().chain(scripts).collect()
}

/// Returns the names before a colon at the start of a line.
fn targets(text: &str, make: bool) -> Vec<String> {
    let named = text.lines().filter_map(|line| {
        let (name, rest) = line.split_once(':')?;
        let name = if make { name } else { name.split_whitespace().next()? };
        let plain = !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
            && !rest.starts_with('=');
        plain.then(|| name.to_owned())
    });
    let mut all: Vec<String> = Vec::new();
    for name in named {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

impl Handoff {
    /// Creates a handoff from a summary. The interceptor sets the time.
    pub fn of(
        provider: &str,
        provider_ref: &str,
        project: &str,
        trigger: HandoffTrigger,
        summary: &SessionSummary,
    ) -> Handoff {
        Handoff {
            provider: provider.to_owned(),
            provider_ref: provider_ref.to_owned(),
            project: project.to_owned(),
            trigger,
            created_ms: 0,
            json: serde_json::to_string(summary).unwrap_or_default(),
            yaml: yaml(summary),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_run() {
        for (path, text, scripts) in [
            ("package.json", r#"{"scripts": {"b": "x", "a": "y"}}"#, vec!["b", "a"]),
            ("web/package.json", "{", vec!["no scripts"]),
            ("deno.json", r#"{"tasks": {"dev": "x"}}"#, vec!["dev"]),
            (
                "Cargo.toml",
                "[package]\nname='x'\n[workspace]\nmembers=['a','b']\n",
                vec!["package x", "workspace of 2"],
            ),
            ("pyproject.toml", "[project]\nname='x'\n[project.scripts]\nrun='a:b'\n", vec!["project x", "run"]),
            ("Makefile", "CC := cc\n.PHONY: all\nall: a b\n\techo x: y\ntest:\nall: c\n", vec!["all", "test"]),
            ("justfile", "x := 'y'\nbuild target='a':\n  cargo build\ntest: build\n", vec!["build", "test"]),
            ("go.mod", "module example.com/x\n\ngo 1.22\n", vec!["module example.com/x"]),
            ("pom.xml", "<project/>", vec!["no scripts"]),
        ] {
            assert_eq!(Manifest::read(path, text).scripts, scripts, "{path}");
        }
        for (path, is) in
            [("Cargo.toml", true), ("a/b/Cargo.toml", true), ("a/b/c/Cargo.toml", false), ("x.toml", false)]
        {
            assert_eq!(is_manifest(path), is, "{path}");
        }
    }
}
