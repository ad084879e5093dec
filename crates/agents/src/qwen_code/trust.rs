//! Folder trust (spec §2, §2.1).

use super::layers::{NAMES, parse, user_dir};
use crate::kernel::settings::{BrokenCause, BrokenEffect, BrokenFile};
use crate::shared::gemini_fork::layers::{Trust, read_rules};
use crate::shared::javascript::{is_within, parent, resolve};
use hookbench_base::config::{Files, LoadedConfig, Place};
use hookbench_base::text::{Node, truthy};

const UNKNOWN: Trust = Trust::Unknown {
    message: "folder trust is on and no rule in trustedFolders.json covers this directory, so it counts as untrusted",
};

/// Returns whether the merged settings enable folder trust.
fn is_enabled(merged: &serde_json::Value) -> bool {
    merged.pointer("/security/folderTrust/enabled").is_some_and(truthy)
}

struct TrustRule {
    path: String,
    trusts: bool,
    depth: usize,
    written: String,
}

/// Looks the project up in `trustedFolders.json`, which the agent reads only if folder trust is on.
pub fn look_up(place: &Place, files: &dyn Files, merged: &serde_json::Value, loaded: &mut LoadedConfig) -> Trust {
    if place.assumes_trust {
        return Trust::Assumed;
    }
    if !is_enabled(merged) {
        return Trust::Off;
    }
    let effect = |path: &str, broken| broken_effect(place, path, broken);
    let root = read_rules(&NAMES, place, files, &user_dir(place), parse, effect, loaded);
    let members = root.iter().flat_map(Node::effective_members);
    let rules: Vec<TrustRule> = members.filter_map(|m| rule(place, &m.key, m.value.as_str()?)).collect();
    decide(place, files, &rules)
}

fn broken_effect(place: &Place, path: &str, broken: BrokenFile) -> BrokenEffect {
    let problem = broken.problem();
    let BrokenFile { cause, help, .. } = broken;
    if cause == BrokenCause::Unreadable {
        return BrokenEffect { message: format!("the file cannot be read: {problem}"), help, refusal: None };
    }
    let message = format!("{problem}: the agent does not start");
    let refusal = Some(format!("{}: {message}", place.display_path(path)));
    BrokenEffect { message, help, refusal }
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
    let covers = |rule: &&TrustRule| {
        forms(&rule.path).iter().any(|root| here.iter().any(|directory| is_within(directory, root)))
    };
    let best = rules.iter().filter(covers).max_by_key(|rule| (rule.depth, !rule.trusts));
    match best {
        None => UNKNOWN,
        Some(rule) if rule.trusts => Trust::Trusted { by: rule.written.clone() },
        Some(rule) => Trust::Untrusted { by: rule.written.clone() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::MemoryFiles;
    use serde_json::json;

    fn look(rules: &str) -> (Trust, bool) {
        let place = Place { project: "/w/a/b".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let mut files = MemoryFiles::default();
        files.put("/h/.qwen/trustedFolders.json", rules);
        let mut loaded = LoadedConfig::default();
        let trust = look_up(&place, &files, &json!({"security": {"folderTrust": {"enabled": true}}}), &mut loaded);
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
            (r#"{"/w/a/b": "TRUST_MAYBE"}"#, UNKNOWN),
            (r#"{"/w/a/bc": "TRUST_FOLDER"}"#, UNKNOWN),
            (r#"{"/": "TRUST_FOLDER"}"#, trusted("/")),
            (r"{}", UNKNOWN),
        ] {
            assert_eq!(look(rules), (want, false), "{rules}");
        }
        for rules in ["[]", "{", "5"] {
            assert_eq!(look(rules), (UNKNOWN, true), "{rules}");
        }
    }
}
