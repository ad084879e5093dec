//! Whether the directory is trusted (spec §1.6, §1.7), and which of the project's hooks the agent has not seen
//! before.

use serde_json::Value;

use super::layers::{NAMES, broken_effect, parse, user_dir};
use crate::kernel::settings::refuse;
use crate::shared::gemini_fork::layers::{Trust, read_rules};
use crate::shared::javascript::{is_within, parent, resolve};
use hookbench_base::config::{Files, LoadedConfig, Os, Place};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::text::{Node, Span, to_js_string, truthy, utf16_len};

const UNKNOWN: Trust =
    Trust::Unknown { message: "the directory is not trusted, because no rule in trustedFolders.json covers it" };

/// Returns whether the merged settings enable folder trust.
fn is_enabled(merged: &Node) -> bool {
    let switch = merged.get("security").and_then(|s| s.get("folderTrust")).and_then(|f| f.get("enabled"));
    let value = switch.map(Node::to_value).filter(|v| !v.is_null());
    value.is_none_or(|v| truthy(&v))
}

/// Returns the trust of the project under these settings. The rules are read only if neither a variable nor the
/// switch decides.
pub fn look_up(place: &Place, files: &dyn Files, merged: &Node, loaded: &mut LoadedConfig) -> Trust {
    if place.assumes_trust {
        return Trust::Assumed;
    }
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
    let effect = |path: &str, broken| broken_effect(place, path, broken);
    let root = read_rules(&NAMES, place, files, &user_dir(place), parse, effect, loaded);
    let rules = match root.map(|root| rules(place, &root)) {
        Some(Ok(rules)) => rules,
        Some(Err((span, message))) => {
            let note = Diagnostic::new(Code::HW101, format!("{message}: the agent does not start")).at(span);
            loaded.notes.push(note.with_help("fix the file, or delete it"));
            refuse(loaded, message, Some(span));
            Vec::new()
        }
        None => Vec::new(),
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
    Directory,
    Parent,
    DoNotTrust,
}

fn rules(place: &Place, root: &Node) -> Result<Vec<TrustRule>, (Span, String)> {
    let mut out: Vec<TrustRule> = Vec::new();
    for member in root.effective_members() {
        let level = match member.value.as_str() {
            Some("TRUST_FOLDER") => TrustLevel::Directory,
            Some("TRUST_PARENT") => TrustLevel::Parent,
            Some("DO_NOT_TRUST") => TrustLevel::DoNotTrust,
            _ => {
                let says = format!(
                    "the trust level {} is not TRUST_FOLDER, TRUST_PARENT or DO_NOT_TRUST",
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
        None => UNKNOWN,
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
            (r#"{"/w/a/bc": "TRUST_FOLDER"}"#, UNKNOWN),
            (r#"{"/": "TRUST_FOLDER"}"#, trusted("/")),
            (r"{}", UNKNOWN),
        ] {
            assert_eq!(look(rules, &[]), (want, false), "{rules}");
        }
        for rules in ["[]", "{", "5", r#"{"/x": "TRUST_MAYBE"}"#] {
            assert_eq!(look(rules, &[]), (UNKNOWN, true), "{rules}");
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
