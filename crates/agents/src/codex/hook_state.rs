//! The user's decisions on single hooks: `[hooks.state."<key>"]` with `enabled` and `trusted_hash` (spec §2.2).
//! Only the user's own configuration counts.

use hookbench_base::diagnostic::Code;
use indexmap::IndexMap;

use super::config_node::{ConfigNode, ConfigValue};
use super::events::label;
use crate::kernel::settings::SchemaError;

/// The user's decision on one hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookState {
    pub enabled: Option<bool>,
    pub trusted_hash: Option<String>,
}

/// All decisions, by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookStates(IndexMap<String, HookState>);

/// Returns the key of a hook: its file and position. Every item counts as a position, valid or not.
pub fn key(source: &str, event: &str, group: usize, handler: usize) -> String {
    format!("{source}:{}:{group}:{handler}", label(event))
}

/// The review state of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewStatus {
    /// An administrator's hook: always trusted, never disabled.
    Managed,
    Trusted,
    /// It was trusted, and has changed since.
    Changed,
    New,
    /// Disabled by the user.
    Disabled,
}

impl HookStates {
    /// Reads `hooks.state` of the user's configuration. Returns an error if it is malformed.
    pub fn read(config: Option<&ConfigNode>) -> Result<HookStates, SchemaError> {
        let mut states = HookStates::default();
        let Some(state) = config.and_then(|c| c.get("hooks")).and_then(|hooks| hooks.get("state")) else {
            return Ok(states);
        };
        let help = "delete the entry; Codex writes it again when you review the hook";
        let wrong = |span, says: String| SchemaError::new(Code::HW110, span, says, help);
        let table =
            |tree: &ConfigNode, what: &str| wrong(tree.span, format!("{what} is {}, but must be a table", tree.kind()));
        let entries = state.entries().ok_or_else(|| table(state, "`hooks.state`"))?;
        for entry in entries {
            entry.value.entries().ok_or_else(|| table(&entry.value, "an entry of `hooks.state`"))?;
            let mut one = HookState::default();
            if let Some(flag) = entry.value.get("enabled") {
                let says = || wrong(flag.span, format!("`enabled` is {}, but must be true or false", flag.kind()));
                one.enabled = Some(flag.as_bool().ok_or_else(says)?);
            }
            if let Some(hash) = entry.value.get("trusted_hash") {
                let ConfigValue::Text(text) = &hash.value else {
                    return Err(wrong(hash.span, format!("`trusted_hash` is {}, but must be a string", hash.kind())));
                };
                one.trusted_hash = Some(text.clone());
            }
            let kept = states.0.entry(entry.key.trim().to_owned()).or_default();
            kept.enabled = one.enabled.or(kept.enabled);
            kept.trusted_hash = one.trusted_hash.or(kept.trusted_hash.take());
        }
        Ok(states)
    }

    /// Returns these decisions, replaced by those of a later configuration.
    pub fn overlay(mut self, later: HookStates) -> HookStates {
        for (key, one) in later.0 {
            let kept = self.0.entry(key).or_default();
            kept.enabled = one.enabled.or(kept.enabled);
            kept.trusted_hash = one.trusted_hash.or(kept.trusted_hash.take());
        }
        self
    }

    /// Returns the review state of the hook with this key and hash.
    pub fn review_status(&self, key: &str, hash: &str) -> ReviewStatus {
        let Some(state) = self.0.get(key) else { return ReviewStatus::New };
        if state.enabled == Some(false) {
            return ReviewStatus::Disabled;
        }
        match state.trusted_hash.as_deref() {
            Some(trusted) if trusted == hash => ReviewStatus::Trusted,
            Some(_) => ReviewStatus::Changed,
            None => ReviewStatus::New,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::text::SourceId;

    fn read(text: &str) -> Result<HookStates, String> {
        let config = ConfigNode::from_toml(SourceId(0), text).unwrap();
        HookStates::read(Some(&config)).map_err(|why| why.message)
    }

    #[test]
    fn keys_are_trimmed_and_hashes_are_not() {
        let key = key("/h/hooks.json", "PreToolUse", 0, 1);
        assert_eq!(key, "/h/hooks.json:pre_tool_use:0:1");
        for (name, body, want) in [
            (format!(" {key} "), "trusted_hash = 'sha256:a'", ReviewStatus::Trusted),
            (key.clone(), "trusted_hash = 'sha256:a '", ReviewStatus::Changed),
            (key.clone(), "enabled = true", ReviewStatus::New),
            (key.clone(), "enabled = false\ntrusted_hash = 'sha256:a'", ReviewStatus::Disabled),
            ("/h/hooks.json:PreToolUse:0:1".to_owned(), "trusted_hash = 'sha256:a'", ReviewStatus::New),
        ] {
            let states = read(&format!("[hooks.state.\"{name}\"]\n{body}\n")).unwrap();
            assert_eq!(states.review_status(&key, "sha256:a"), want, "{name} {body}");
        }
    }

    #[test]
    fn wrong_types_are_named() {
        for (text, says) in [
            ("hooks.state = 3", "`hooks.state` is a whole number, but must be a table"),
            ("[hooks.state.'k']\nenabled = 'no'", "`enabled` is a string, but must be true or false"),
            ("[hooks.state.'k']\ntrusted_hash = 1", "`trusted_hash` is a whole number, but must be a string"),
        ] {
            assert_eq!(read(text), Err(says.to_owned()));
        }
    }
}
