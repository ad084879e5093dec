//! Finds the installed version of an agent by reading its files; nothing is executed.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::disk::files::DiskFiles;
use crate::disk::program_search::find_on_path;
use hookbench_core::config::Place;
use hookbench_core::dialects::{InstallHint, Version};
use hookbench_system::disk::canonical;

/// An installed program.
#[derive(Debug, Clone, PartialEq)]
pub struct InstalledProgram {
    /// The path as found on `PATH`.
    pub command: PathBuf,
    /// The canonical path of the program.
    pub program: PathBuf,
    /// `None` if its files do not state a version.
    pub version: Option<Version>,
}

/// Whether an agent is installed, and in which version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Installation {
    /// Its command is not on `PATH`.
    #[default]
    Missing,
    /// Its files do not state a version.
    UnknownVersion,
    Version(Version),
}

impl Installation {
    /// The version, if it is known.
    pub fn version(&self) -> Option<&Version> {
        match self {
            Installation::Version(version) => Some(version),
            Installation::Missing | Installation::UnknownVersion => None,
        }
    }

    /// Whether the agent's command is on `PATH`.
    pub fn is_present(&self) -> bool {
        *self != Installation::Missing
    }

    /// The reason why a version is assumed, for a label. `None` if the version is known.
    pub fn unknown_words(&self) -> Option<&'static str> {
        match self {
            Installation::Missing => Some("not installed"),
            Installation::UnknownVersion => Some("installed, version unknown"),
            Installation::Version(_) => None,
        }
    }
}

impl From<Option<InstalledProgram>> for Installation {
    fn from(found: Option<InstalledProgram>) -> Installation {
        match found.map(|program| program.version) {
            None => Installation::Missing,
            Some(None) => Installation::UnknownVersion,
            Some(Some(version)) => Installation::Version(version),
        }
    }
}

/// The installation that the agent's command on `PATH` would start.
pub fn find_installed(hint: &InstallHint, place: &Place) -> Installation {
    find_program(hint, place).into()
}

/// The program that the agent's command on `PATH` would start.
pub fn find_program(hint: &InstallHint, place: &Place) -> Option<InstalledProgram> {
    let command = find_on_path(hint.command, place.var("PATH").unwrap_or_default(), &DiskFiles)?;
    let program = canonical(&command).unwrap_or_else(|_| command.clone());
    let version = version_from_path(&program)
        .or_else(|| version_from_package(&program, hint.package))
        .or_else(|| version_from_python(&program, hint.package));
    Some(InstalledProgram { command, program, version })
}

/// Native installers keep `…/versions/1.2.3` and link to it.
fn version_from_path(program: &Path) -> Option<Version> {
    let in_versions = program.parent()?.file_name()?.to_str()? == "versions";
    in_versions.then(|| Version::parse(program.file_name()?.to_str()?)).flatten()
}

/// npm installations have a `package.json` in one of the directories above the program.
fn version_from_package(program: &Path, package: &str) -> Option<Version> {
    let manifests: Vec<PathBuf> = program.ancestors().skip(1).take(6).map(|dir| dir.join("package.json")).collect();
    manifests.iter().find_map(|manifest| {
        let manifest: Value = serde_json::from_slice(&hookbench_system::disk::read(manifest).ok()?).ok()?;
        let name = manifest.get("name").and_then(Value::as_str).unwrap_or_default();
        // Some agents have one package for each system.
        let ours = name.strip_prefix(package).is_some_and(|rest| {
            rest.is_empty() || ["-linux", "-darwin", "-win32"].iter().any(|system| rest.starts_with(system))
        });
        ours.then(|| Version::parse(manifest.get("version")?.as_str()?)).flatten()
    })
}

/// pip, pipx and uv keep `bin/PROGRAM` beside `lib/pythonX.Y/site-packages/PACKAGE-1.2.3.dist-info`. `None` if several
/// versions are there, because only the program knows which one it imports.
fn version_from_python(program: &Path, package: &str) -> Option<Version> {
    let prefix = format!("{}-", package.replace('-', "_"));
    let libraries = program.parent()?.parent()?.join("lib");
    let pythons = names_in(&libraries).into_iter().filter(|name| name.starts_with("python"));
    let packages = pythons
        .flat_map(|python| ["site-packages", "dist-packages"].map(|packages| libraries.join(&python).join(packages)));
    let names = packages.flat_map(|packages| names_in(&packages));
    let mut versions: Vec<Version> = names
        .filter_map(|name| Version::parse(name.strip_prefix(prefix.as_str())?.strip_suffix(".dist-info")?))
        .collect();
    versions.dedup();
    versions.pop().filter(|_| versions.is_empty())
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_a_python_package_is_that_of_its_metadata() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let program = root.join("bin/vibe");
        let version = || version_from_python(&program, "mistral-vibe").map(|version| version.to_string());
        assert_eq!(version(), None, "nothing is installed");
        let add = |python: &str, name: &str| {
            std::fs::create_dir_all(root.join(format!("lib/{python}/site-packages/{name}.dist-info"))).unwrap();
        };
        add("python3.12", "mistral_vibe_tools-9.9.9");
        add("python3.12", "mistral_vibe-3.0.2");
        assert_eq!(version().as_deref(), Some("3.0.2"));
        add("python3.13", "mistral_vibe-3.0.2");
        assert_eq!(version().as_deref(), Some("3.0.2"), "two copies of one version");
        add("python3.14", "mistral_vibe-3.1.0");
        assert_eq!(version(), None, "only the program knows which one it imports");
    }
}
