//! The input that asks what to fire events again against.

use std::path::{Path, PathBuf};

use crate::popup::{InputPopup, InputPurpose, Popup};
use hookbench_app::{ReplayOrder, ReplaySelection, ReplayTarget};
use hookbench_core::dialects::{self, Version};
use hookbench_system::own_directories::home_directory;

/// The input popup.
pub fn ask_target(which: ReplaySelection) -> Popup {
    let title = format!("Replay {} against", ReplayOrder::planned(which.clone()).describe_selection());
    Popup::Input(InputPopup {
        prefix: String::new(),
        title,
        hint: "no hook runs".to_owned(),
        text: String::new().into(),
        form: "an agent, a version such as 1.2.3, a directory, or git:HEAD~1",
        what: InputPurpose::Against(which),
        error: None,
    })
}

/// Parses the input. A directory must exist.
pub fn parse_target(text: &str) -> Result<ReplayTarget, String> {
    let text = text.trim();
    if let Some(rev) = text.strip_prefix("git:") {
        return if rev.is_empty() {
            Err("write a commit after git:, such as git:HEAD".to_owned())
        } else {
            Ok(ReplayTarget::Commit(rev.to_owned()))
        };
    }
    let word = text.to_lowercase();
    let called = |d: &&'static dialects::Agent| d.id() == word || d.name().to_lowercase() == word;
    if let Some(dialect) = dialects::released().find(called) {
        return Ok(ReplayTarget::Agent(dialect.id()));
    }
    let home = || home_directory().unwrap_or_default();
    let path = text.strip_prefix("~/").map_or_else(|| PathBuf::from(text), |rest| home().join(rest));
    if !text.is_empty() && Path::is_dir(&path) {
        return Ok(ReplayTarget::Dir(path));
    }
    if text.starts_with(|c: char| c.is_ascii_digit())
        && let Some(version) = Version::parse(text)
    {
        return Ok(ReplayTarget::Version(version));
    }
    let agents: Vec<&str> = dialects::ALL.iter().map(|dialect| dialect.id().as_str()).collect();
    Err(format!("no directory, version or agent ({})", agents.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_told_apart() {
        let directory = tempfile::tempdir().unwrap();
        let dir = directory.path().to_str().unwrap();
        let first = dialects::ALL.first().unwrap();
        let version = Version::parse("1.2.3").unwrap();
        let cases = [
            (first.id().to_string(), Ok(ReplayTarget::Agent(first.id()))),
            (first.name().to_uppercase(), Ok(ReplayTarget::Agent(first.id()))),
            ("1.2.3".to_owned(), Ok(ReplayTarget::Version(version))),
            (dir.to_owned(), Ok(ReplayTarget::Dir(directory.path().to_owned()))),
            ("git:HEAD~1".to_owned(), Ok(ReplayTarget::Commit("HEAD~1".to_owned()))),
        ];
        for (text, want) in cases {
            assert_eq!(parse_target(text.as_str()), want, "{text}");
        }
        for text in ["", "git:", "/no/such/folder", "nobody"] {
            assert!(parse_target(text).is_err(), "{text}");
        }
    }
}
