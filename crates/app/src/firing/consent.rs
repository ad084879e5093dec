//! Consent: a hook definition runs only after the user has approved its contents, once per project.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::disk::state_dir::{StateDir, StateError};
use hookbench_core::config::LoadedConfig;
use hookbench_core::hook::HookDefinition;
use hookbench_core::recorded::redact_text;
use hookbench_core::text::stringify;

const FILE: &str = "consent.json";

/// The key that consent is bound to: a hash of the project, the agent, the event, the handler as written and the
/// variables that settings add. A changed command or variable gives a new key; a changed script behind the same
/// command does not.
pub fn consent_key(project: &str, agent: &str, definition: &HookDefinition, loaded: &LoadedConfig) -> String {
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    };
    for part in [project, agent, &definition.event, &stringify(&definition.raw)] {
        add(part);
    }
    // Sorted, because the order of files and keys does not matter.
    let variables: BTreeMap<&String, &str> = loaded.variables.iter().map(|(n, v)| (n, v.value.as_str())).collect();
    for (name, value) in variables {
        add(name);
        add(value);
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The command as shown in the consent prompt, prefixed with the variables that settings add, in shell syntax.
/// Secrets are masked.
pub fn consent_text(definition: &HookDefinition, loaded: &LoadedConfig) -> String {
    const WIDTH: usize = 80;
    let mut text = String::new();
    for (name, variable) in &loaded.variables {
        let pair = format!("{name}={}", variable.value);
        let pair = redact_text(&pair).unwrap_or(pair);
        let short: String = pair.chars().take(WIDTH).collect();
        let more = if short.len() < pair.len() { "…" } else { "" };
        let _ = write!(text, "{short}{more} ");
    }
    text.push_str(&definition.handler.text());
    text
}

/// All consent given so far. An unreadable file counts as no consent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Consent {
    /// Key → approved command, which makes the file readable for people.
    given: BTreeMap<String, String>,
    /// The reason why stored consent is ignored.
    pub ignored_reason: Option<String>,
}

impl Consent {
    /// Reads stored consent.
    pub fn read(state: &StateDir) -> Consent {
        if let Some(why) = state.tampering_reason(FILE) {
            let refused = Some(format!("saved consent is ignored: {why}"));
            return Consent { ignored_reason: refused, ..Consent::default() };
        }
        let value: Value = state.read(FILE).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let given = value
            .get("given")
            .and_then(Value::as_object)
            .map(|map| map.iter().map(|(k, v)| (k.clone(), v.as_str().unwrap_or("").to_owned())).collect())
            .unwrap_or_default();
        Consent { given, ignored_reason: None }
    }

    /// Returns whether this key has consent.
    pub fn has(&self, key: &str) -> bool {
        self.given.contains_key(key)
    }

    /// Records consent for this session.
    pub fn give(&mut self, key: String, says: String) {
        self.given.insert(key, says);
    }

    /// Adds to the stored consent; entries that another process has added meanwhile are kept.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn save(state: &StateDir, more: &[(String, String)]) -> Result<(), StateError> {
        let mut all = Consent::read(state);
        all.given.extend(more.iter().cloned());
        let document = serde_json::json!({ "schema": "consent/1", "given": all.given });
        state.write(FILE, &format!("{document:#}\n"))
    }
}

/// Each command once, with the places that configure it, in the order in which they are asked about.
pub fn commands_by_place(items: &[ConsentItem]) -> Vec<(&str, Vec<&str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for item in items {
        match commands.iter_mut().find(|(command, _)| *command == item.command) {
            Some((_, sources)) => sources.push(&item.source),
            None => commands.push((&item.command, vec![&item.source])),
        }
    }
    commands
}

/// One command that waits for consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentItem {
    pub key: String,
    pub hook: String,
    /// The command as configured, prefixed with the variables that settings add.
    pub command: String,
    /// `file:line`.
    pub source: String,
}
