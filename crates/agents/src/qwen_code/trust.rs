//! Folder trust (spec §2, §2.1).

use super::layers::{SETTINGS, refuse, user_dir};
use crate::shared::node_paths::{is_within, parent, resolve};
use hookbench_base::config::{FileError, Files, LoadedConfig, Place};
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::text::{Span, parse_json, truthy};

/// The trust of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Folder trust is switched off: every folder is trusted.
    Off,
    Trusted {
        by: String,
    },
    Untrusted {
        by: String,
    },
    /// No rule covers the folder, which counts as untrusted.
    Unknown,
}

impl Trust {
    /// Returns whether the project's own hooks may run.
    pub fn is_trusted(&self) -> bool {
        matches!(self, Trust::Off | Trust::Trusted { .. })
    }

    /// Describes the trust in one sentence.
    pub fn describe(&self) -> String {
        match self {
            Trust::Off => "folder trust is off, so every folder is trusted".to_owned(),
            Trust::Trusted { by } => format!("the folder is trusted by the rule for {by}"),
            Trust::Untrusted { by } => format!("the folder is not trusted: the rule for {by} says DO_NOT_TRUST"),
            Trust::Unknown => {
                "folder trust is on and no rule in trustedFolders.json covers this folder, which counts as not trusted"
                    .to_owned()
            }
        }
    }
}

/// Returns whether the merged settings enable folder trust.
pub fn is_enabled(merged: &serde_json::Value) -> bool {
    merged.pointer("/security/folderTrust/enabled").is_some_and(truthy)
}

struct TrustRule {
    path: String,
    trusts: bool,
    depth: usize,
    written: String,
}

/// Looks the project up in `trustedFolders.json`. Called only if folder trust is on; otherwise the agent does not
/// read the file.
pub fn look_up(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) -> Trust {
    let path = match place.var("QWEN_CODE_TRUSTED_FOLDERS_PATH").filter(|v| !v.is_empty()) {
        Some(path) => path.to_owned(),
        None => format!("{}/trustedFolders.json", user_dir(place)),
    };
    let rules = match files.read(&path) {
        Ok(bytes) => read_rules(place, &path, &bytes, loaded),
        Err(FileError::Missing) => Vec::new(),
        Err(FileError::Unreadable { why, help: cure }) => {
            let note = Diagnostic::error("HW101", format!("the file cannot be read: {why}"));
            loaded.notes.push(note.in_file(place.display_path(&path)).with_help(cure));
            Vec::new()
        }
    };
    decide(place, files, &rules)
}

fn read_rules(place: &Place, path: &str, bytes: &[u8], loaded: &mut LoadedConfig) -> Vec<TrustRule> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let source = loaded.add_source(place, path, &text);
    let (span, message) = match parse_json(source, &text, SETTINGS) {
        Ok(root) if root.members().is_some() => {
            return root
                .effective_members()
                .into_iter()
                .filter_map(|m| rule(place, &m.key, m.value.as_str()?))
                .collect();
        }
        Ok(root) => (root.span, format!("the file holds {}, not an object", root.kind())),
        Err(error) => (Span::new(source, error.at, error.at), format!("not valid JSON ({})", error.message)),
    };
    let says = format!("{message}: the agent does not start");
    loaded.notes.push(Diagnostic::error("HW101", says.clone()).at(span).with_help("repair the file, or delete it"));
    refuse(loaded, format!("{}: {says}", place.display_path(path)), span);
    Vec::new()
}

fn rule(place: &Place, written: &str, level: &str) -> Option<TrustRule> {
    let absolute = resolve(place, written);
    let (path, trusts) = match level {
        "TRUST_FOLDER" => (absolute, true),
        "TRUST_PARENT" => (parent(&absolute), true),
        "DO_NOT_TRUST" => (absolute, false),
        _ => return None,
    };
    let depth = path.split('/').filter(|part| !part.is_empty()).count();
    Some(TrustRule { path, trusts, depth, written: written.to_owned() })
}

/// Finds the rule that applies: the deepest one that covers the project; at equal depth, one that denies trust.
fn decide(place: &Place, files: &dyn Files, rules: &[TrustRule]) -> Trust {
    let forms = |path: &str| {
        let mut forms = vec![path.to_owned()];
        forms.extend(files.canonical(path));
        forms
    };
    let here = forms(&place.project);
    let covers =
        |rule: &&TrustRule| forms(&rule.path).iter().any(|root| here.iter().any(|folder| is_within(folder, root)));
    let best = rules.iter().filter(covers).max_by_key(|rule| (rule.depth, !rule.trusts));
    match best {
        None => Trust::Unknown,
        Some(rule) if rule.trusts => Trust::Trusted { by: rule.written.clone() },
        Some(rule) => Trust::Untrusted { by: rule.written.clone() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::MemoryFiles;

    fn look(rules: &str) -> (Trust, bool) {
        let place = Place { project: "/w/a/b".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let mut files = MemoryFiles::default();
        files.put("/h/.qwen/trustedFolders.json", rules);
        let mut loaded = LoadedConfig::default();
        let trust = look_up(&place, &files, &mut loaded);
        (trust, loaded.refusal.is_some())
    }

    #[test]
    fn the_deepest_rule_wins() {
        let trusted = |by: &str| Trust::Trusted { by: by.to_owned() };
        let untrusted = |by: &str| Trust::Untrusted { by: by.to_owned() };
        for (rules, want) in [
            (r#"{"/w": "TRUST_FOLDER"}"#, trusted("/w")),
            (r#"{"/w/a/b/": "DO_NOT_TRUST", "/w": "TRUST_FOLDER"}"#, untrusted("/w/a/b/")),
            (r#"{"/w": "DO_NOT_TRUST", "/w/a": "TRUST_FOLDER" /* c */}"#, trusted("/w/a")),
            (r#"{"/w/a": "TRUST_FOLDER", "/w/a/.": "DO_NOT_TRUST"}"#, untrusted("/w/a/.")),
            (r#"{"/w/a/b/c": "TRUST_PARENT"}"#, trusted("/w/a/b/c")),
            (r#"{"/w/a/b": "TRUST_MAYBE"}"#, Trust::Unknown),
            (r#"{"/w/a/bc": "TRUST_FOLDER"}"#, Trust::Unknown),
            (r#"{"/": "TRUST_FOLDER"}"#, trusted("/")),
            (r"{}", Trust::Unknown),
        ] {
            assert_eq!(look(rules), (want, false), "{rules}");
        }
        for rules in ["[]", "{", "5"] {
            assert_eq!(look(rules), (Trust::Unknown, true), "{rules}");
        }
    }
}
