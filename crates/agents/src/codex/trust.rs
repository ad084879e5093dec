//! The text that Codex writes when the user trusts a project and reviews its hooks (spec §2.2).

use std::fmt::Write as _;

use serde_json::Value;

use super::{config, layers};
use hookbench_base::config::{Files, OverlayFiles, Place};

/// Returns the user's configuration with trust for the project and a hash for each of its hooks.
pub fn trusting(place: &Place, files: &dyn Files) -> Vec<(String, String)> {
    let path = format!("{}/config.toml", layers::user_dir(place));
    let real = files.canonical(&place.project).unwrap_or_else(|| place.project.clone());
    // Writing to a String cannot fail.
    let mut text = String::new();
    let _ = write!(text, "[projects.{}]\ntrust_level = \"trusted\"\n", quoted(&real));
    // The reviews are read as if the project were trusted: hooks of an untrusted project are ignored.
    let (_, reviews) = config::read(place, &OverlayFiles { files, replaced: vec![(&path, &text)] });
    for (key, hash) in reviews {
        let _ = write!(text, "\n[hooks.state.{}]\ntrusted_hash = {}\n", quoted(&key), quoted(&hash));
    }
    vec![(path, text)]
}

/// Quotes a TOML string: JSON and TOML escape the same characters, except U+007F.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codex::rules;
    use hookbench_base::config::MemoryFiles;

    /// All hooks of the project run, whatever the file names are, and editing a hook revokes its trust.
    #[test]
    fn what_is_written_is_what_is_asked_for() {
        for project in ["/p", "/a \"b\" \\c"] {
            let place = Place { project: project.to_owned(), home: "/h".to_owned(), ..Place::default() };
            let hook = |command: &str| json(command);
            let mut files = MemoryFiles::default();
            files.put(format!("{project}/.codex/hooks.json"), hook("sh a.sh"));
            files.put(
                format!("{project}/.codex/config.toml"),
                "[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"b\" }]\n",
            );
            let refused = |files: &MemoryFiles| {
                let all = config::load(&place, files).definitions;
                all.iter().map(|d| d.rejection.as_ref().map(|r| r.rule)).collect::<Vec<_>>()
            };
            assert_eq!(refused(&files), [Some(rules::TRUST_PROJECT), Some(rules::TRUST_PROJECT)]);
            for (path, text) in trusting(&place, &files) {
                files.put(path, text);
            }
            assert_eq!(refused(&files), [None, None], "{project}");
            files.put(format!("{project}/.codex/hooks.json"), hook("sh b.sh"));
            assert_eq!(refused(&files), [Some(rules::TRUST_CHANGED), None], "{project}");
        }
    }

    fn json(command: &str) -> String {
        serde_json::json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]}})
            .to_string()
    }
}
