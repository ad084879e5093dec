//! Consent: a definition runs only after its user has said yes to its content, once per project.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::state_dir::{StateDir, StoreError};
use hookbench_core::config::Loaded;
use hookbench_core::hook::HookDefinition;
use hookbench_core::recorded::redact_text;
use hookbench_core::text::stringify;

const FILE: &str = "consent.json";

/// What consent is bound to: the project, the agent, the event, the handler as written and the variables that settings
/// give it. A changed command or variable is a new key; a changed script behind the same command is not.
pub fn consent_key(project: &str, agent: &str, definition: &HookDefinition, loaded: &Loaded) -> String {
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    };
    for part in [project, agent, &definition.event, &stringify(&definition.raw)] {
        add(part);
    }
    // Sorted, because the order of files and keys changes nothing.
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

/// A command as its user is asked about it: behind the variables that settings give it, as a shell would take both.
/// Secrets are masked.
pub fn consent_text(definition: &HookDefinition, loaded: &Loaded) -> String {
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

/// All consent given so far. What cannot be read counts as not given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Consent {
    /// Key → what was consented to, for people who look into the file.
    given: BTreeMap<String, String>,
    /// Why what is remembered does not count.
    pub refused: Option<String>,
}

impl Consent {
    /// Reads what is remembered.
    pub fn read(state: &StateDir) -> Consent {
        if let Some(why) = state.foreign(FILE) {
            let refused = Some(format!("remembered consent does not count: {why}"));
            return Consent { refused, ..Consent::default() };
        }
        let value: Value = state.read(FILE).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let given = value
            .get("given")
            .and_then(Value::as_object)
            .map(|map| map.iter().map(|(k, v)| (k.clone(), v.as_str().unwrap_or("").to_owned())).collect())
            .unwrap_or_default();
        Consent { given, refused: None }
    }

    /// Whether this was consented to.
    pub fn has(&self, key: &str) -> bool {
        self.given.contains_key(key)
    }

    /// Remembers for this session.
    pub fn give(&mut self, key: String, says: String) {
        self.given.insert(key, says);
    }

    /// Adds to what is remembered on disk; what another process has added meanwhile stays.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep(state: &StateDir, more: &[(String, String)]) -> Result<(), StoreError> {
        let mut all = Consent::read(state);
        all.given.extend(more.iter().cloned());
        let document = serde_json::json!({ "schema": "consent/1", "given": all.given });
        state.write(FILE, &format!("{document:#}\n"))
    }
}
