//! Consent that is kept: a hook runs only after the user has approved its launch, once per project.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::disk::state_dir::{StateDir, StateError};

const FILE: &str = "consent.json";

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
