//! The entries of `updatedPermissions`, with which a hook changes the permissions of the session. One wrong entry costs
//! the whole answer. Measured on 2.1.332.

use serde_json::Value;

const DESTINATIONS: [&str; 5] = ["userSettings", "projectSettings", "localSettings", "session", "cliArg"];
const BEHAVIOURS: [&str; 3] = ["allow", "deny", "ask"];
const MODES: [&str; 7] = ["default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];

/// Whether the agent accepts an entry. Unknown keys are valid.
pub fn is_valid(entry: &Value) -> bool {
    let one_of =
        |key: &str, values: &[&str]| entry.get(key).and_then(Value::as_str).is_some_and(|v| values.contains(&v));
    let each = |key: &str, good: fn(&Value) -> bool| {
        entry.get(key).and_then(Value::as_array).is_some_and(|values| values.iter().all(good))
    };
    let complete = match entry.get("type").and_then(Value::as_str) {
        Some("addRules" | "replaceRules" | "removeRules") => each("rules", is_rule) && one_of("behavior", &BEHAVIOURS),
        Some("setMode") => one_of("mode", &MODES),
        Some("addDirectories" | "removeDirectories") => each("directories", Value::is_string),
        _ => false,
    };
    complete && one_of("destination", &DESTINATIONS)
}

fn is_rule(rule: &Value) -> bool {
    rule.get("toolName").is_some_and(Value::is_string) && rule.get("ruleContent").is_none_or(Value::is_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn measured_entries() {
        for (entry, good) in [
            (json!({"type": "setMode", "mode": "manual", "destination": "cliArg", "x": 1}), true),
            (json!({"type": "setMode", "mode": "x", "destination": "session"}), false),
            (json!({"type": "setMode", "mode": "plan"}), false),
            (json!({"type": "addRules", "rules": [], "behavior": "ask", "destination": "localSettings"}), true),
            (
                json!({"type": "removeRules", "rules": [{"toolName": "X"}], "behavior": "deny", "destination": "userSettings"}),
                true,
            ),
            (json!({"type": "addRules", "rules": ["Bash"], "behavior": "allow", "destination": "session"}), false),
            (
                json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": 5}], "behavior": "allow", "destination": "session"}),
                false,
            ),
            (json!({"type": "addRules", "rules": [], "behavior": "x", "destination": "session"}), false),
            (json!({"type": "addRules", "rules": [], "behavior": "allow", "destination": "x"}), false),
            (json!({"type": "addRules", "behavior": "allow", "destination": "session"}), false),
            (json!({"type": "addDirectories", "directories": ["/x"], "destination": "session"}), true),
            (json!({"type": "addDirectories", "directories": "/x", "destination": "session"}), false),
            (json!({"type": "x", "destination": "session"}), false),
            (json!({}), false),
            (json!(5), false),
            (json!(null), false),
        ] {
            assert_eq!(is_valid(&entry), good, "{entry}");
        }
    }
}
