//! Whether the folder is trusted (spec §1.6, §1.7), and which of the project's hooks the agent has not seen
//! before.

use serde_json::Value;

use super::layers::{parse, refuse, user_dir};
use crate::shared::node_paths::{is_within, parent, resolve};
use hookbench_base::config::{FileError, Files, LoadedConfig, Os, Place};
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::text::{Node, Span, to_js_string, truthy, utf16_len};

/// The trust of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Folder trust is switched off: every folder is trusted.
    Off,
    /// An environment variable decides.
    Variable {
        name: &'static str,
        trusted: bool,
    },
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
    /// Returns whether hooks in settings may run.
    pub fn is_trusted(&self) -> bool {
        matches!(self, Trust::Off | Trust::Trusted { .. } | Trust::Variable { trusted: true, .. })
    }

    /// Describes the trust in one sentence.
    pub fn describe(&self) -> String {
        match self {
            Trust::Off => "folder trust is off, so every folder is trusted".to_owned(),
            Trust::Variable { name, trusted: true } => format!("{name} says that the folder is trusted"),
            Trust::Variable { name, trusted: false } => format!("{name} says that the folder is not trusted"),
            Trust::Trusted { by } => format!("the folder is trusted by the rule for {by}"),
            Trust::Untrusted { by } => format!("the folder is not trusted: the rule for {by} says DO_NOT_TRUST"),
            Trust::Unknown => {
                "the folder is not trusted, since no rule in trustedFolders.json covers it; a headless run would not start"
                    .to_owned()
            }
        }
    }
}

/// Returns whether the merged settings enable folder trust.
fn is_enabled(merged: &Node) -> bool {
    let switch = merged.get("security").and_then(|s| s.get("folderTrust")).and_then(|f| f.get("enabled"));
    let value = switch.map(Node::to_value).filter(|v| !v.is_null());
    value.is_none_or(|v| truthy(&v))
}

/// Returns the trust of the project under these settings. The rules are read only if neither a variable nor the
/// switch decides.
pub fn look_up(place: &Place, files: &dyn Files, merged: &Node, loaded: &mut LoadedConfig) -> Trust {
    for (name, value, trusted) in [
        ("GEMINI_RESTRICTED_MODE", "true", false),
        ("GEMINI_CLI_TRUST_WORKSPACE", "false", false),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true", true),
    ] {
        if place.var(name) == Some(value) {
            return Trust::Variable { name, trusted };
        }
    }
    if !is_enabled(merged) {
        return Trust::Off;
    }
    let path = match place.var("GEMINI_CLI_TRUSTED_FOLDERS_PATH").filter(|v| !v.is_empty()) {
        Some(path) => path.to_owned(),
        None => format!("{}/trustedFolders.json", user_dir(place)),
    };
    let rules = match files.read(&path) {
        Ok(bytes) => read_rules(place, &path, &bytes, loaded),
        Err(FileError::Missing) => Vec::new(),
        Err(FileError::Unreadable { why, help: cure }) => {
            let says = format!("the file cannot be read ({why}): the agent does not start");
            loaded.notes.push(Diagnostic::error("HW101", says).in_file(place.display_path(&path)).with_help(cure));
            refuse(loaded, format!("{} cannot be read ({why})", place.display_path(&path)), None);
            Vec::new()
        }
    };
    decide(place, files, &rules)
}

struct TrustRule {
    /// The path as written, made absolute.
    path: String,
    level: TrustLevel,
    written: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TrustLevel {
    Folder,
    Parent,
    DoNotTrust,
}

fn read_rules(place: &Place, path: &str, bytes: &[u8], loaded: &mut LoadedConfig) -> Vec<TrustRule> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let source = loaded.add_source(place, path, &text);
    let (span, message) = match parse(source, &text) {
        Ok(root) if root.members().is_some() => match rules(place, &root) {
            Ok(rules) => return rules,
            Err(trouble) => trouble,
        },
        Ok(root) => (root.span, format!("the file holds {}, not an object", root.kind())),
        Err(error) => (Span::new(source, error.at, error.at), format!("not valid JSON ({})", error.message)),
    };
    let says = format!("{message}: the agent does not start");
    loaded.notes.push(Diagnostic::error("HW101", says).at(span).with_help("repair the file, or delete it"));
    refuse(loaded, message, Some(span));
    Vec::new()
}

fn rules(place: &Place, root: &Node) -> Result<Vec<TrustRule>, (Span, String)> {
    let mut out: Vec<TrustRule> = Vec::new();
    for member in root.effective_members() {
        let level = match member.value.as_str() {
            Some("TRUST_FOLDER") => TrustLevel::Folder,
            Some("TRUST_PARENT") => TrustLevel::Parent,
            Some("DO_NOT_TRUST") => TrustLevel::DoNotTrust,
            _ => {
                let says = format!(
                    "the trust level {} is none of TRUST_FOLDER, TRUST_PARENT, DO_NOT_TRUST",
                    to_js_string(&member.value.to_value())
                );
                return Err((member.value.span, says));
            }
        };
        let path = fold_case(place, resolve(place, &member.key));
        // Two spellings of one path are one rule, at the position of the first.
        match out.iter_mut().find(|rule| rule.path == path) {
            Some(rule) => rule.level = level,
            None => out.push(TrustRule { path, level, written: member.key.clone() }),
        }
    }
    Ok(out)
}

/// Lowercases a path on systems whose file names are case-insensitive.
fn fold_case(place: &Place, path: String) -> String {
    if place.os == Os::Linux { path } else { path.to_lowercase() }
}

/// Finds the rule that applies: the longest path as written wins, even if it covers its parent; of equally long
/// ones the first.
fn decide(place: &Place, files: &dyn Files, rules: &[TrustRule]) -> Trust {
    let real = |path: &str| fold_case(place, files.canonical(path).unwrap_or_else(|| path.to_owned()));
    let here = real(&place.project);
    let mut best: Option<&TrustRule> = None;
    for rule in rules {
        let covered = if rule.level == TrustLevel::Parent { parent(&rule.path) } else { rule.path.clone() };
        let longer = best.is_none_or(|best| utf16_len(&rule.path) > utf16_len(&best.path));
        if longer && is_within(&here, &real(&covered)) {
            best = Some(rule);
        }
    }
    match best {
        None => Trust::Unknown,
        Some(TrustRule { level: TrustLevel::DoNotTrust, written, .. }) => Trust::Untrusted { by: written.clone() },
        Some(rule) => Trust::Trusted { by: rule.written.clone() },
    }
}

/// Returns the names of the project's hooks that the agent has not seen before: it warns once, and still runs
/// them.
pub fn unseen_hooks(place: &Place, files: &dyn Files, hooks: Option<&Node>) -> Vec<String> {
    let seen: Value = files
        .read(&format!("{}/trusted_hooks.json", user_dir(place)))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let seen = seen.get(&place.project).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut out: Vec<String> = Vec::new();
    let groups = hooks.into_iter().flat_map(Node::effective_members).filter_map(|event| event.value.items()).flatten();
    for hook in groups.filter_map(|group| group.get("hooks").and_then(Node::items)).flatten() {
        let text = |key: &str| hook.get(key).map(Node::to_value).filter(truthy).map(|v| to_js_string(&v));
        let kind = hook.get("type").and_then(Node::as_str);
        if hook.members().is_none() || kind == Some("runtime") {
            continue;
        }
        let command = text("command").filter(|_| kind == Some("command")).unwrap_or_default();
        let key = format!("{}:{command}", text("name").unwrap_or_default());
        let name = text("name").or_else(|| text("command")).unwrap_or_else(|| "unknown-hook".to_owned());
        if !seen.iter().any(|s| s.as_str() == Some(key.as_str())) && !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::merge::merge;
    use super::*;
    use hookbench_base::config::MemoryFiles;

    fn look(rules: &str, env: &[(&str, &str)]) -> (Trust, bool) {
        let mut place = Place { project: "/w/a/b".to_owned(), home: "/h".to_owned(), ..Place::default() };
        place.env.extend(env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let mut files = MemoryFiles::default();
        files.put("/h/.gemini/trustedFolders.json", rules);
        let mut loaded = LoadedConfig::default();
        let trust = look_up(&place, &files, &merge(std::iter::empty()), &mut loaded);
        (trust, loaded.refusal.is_some())
    }

    #[test]
    fn the_longest_rule_wins() {
        let trusted = |by: &str| Trust::Trusted { by: by.to_owned() };
        let untrusted = |by: &str| Trust::Untrusted { by: by.to_owned() };
        for (rules, want) in [
            (r#"{"/w": "TRUST_FOLDER"}"#, trusted("/w")),
            (r#"{"/w/a/b/": "DO_NOT_TRUST", "/w": "TRUST_FOLDER"}"#, untrusted("/w/a/b/")),
            (r#"{"/w": "DO_NOT_TRUST", "/w/a": "TRUST_FOLDER" /* c */}"#, trusted("/w/a")),
            // The child's path is longer, although the rule covers its parent.
            (r#"{"/w/a/b": "DO_NOT_TRUST", "/w/a/b/c": "TRUST_PARENT"}"#, trusted("/w/a/b/c")),
            (r#"{"/w/a/b": "TRUST_FOLDER", "/w/a/x": "TRUST_PARENT"}"#, trusted("/w/a/b")),
            (r#"{"/w/a/bc": "TRUST_FOLDER"}"#, Trust::Unknown),
            (r#"{"/": "TRUST_FOLDER"}"#, trusted("/")),
            (r"{}", Trust::Unknown),
        ] {
            assert_eq!(look(rules, &[]), (want, false), "{rules}");
        }
        for rules in ["[]", "{", "5", r#"{"/x": "TRUST_MAYBE"}"#] {
            assert_eq!(look(rules, &[]), (Trust::Unknown, true), "{rules}");
        }
    }

    #[test]
    fn variables_come_first() {
        for (env, want) in [
            (&[("GEMINI_CLI_TRUST_WORKSPACE", "true")][..], (true, false)),
            (&[("GEMINI_CLI_TRUST_WORKSPACE", "true"), ("GEMINI_RESTRICTED_MODE", "true")], (false, false)),
            (&[("GEMINI_CLI_TRUST_WORKSPACE", "false")], (false, false)),
            (&[("GEMINI_CLI_TRUST_WORKSPACE", "1")], (false, true)),
        ] {
            let (trust, refused) = look("{", env);
            assert_eq!((trust.is_trusted(), refused), want, "{env:?}");
        }
    }
}
