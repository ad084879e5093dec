//! The entries of `updatedPermissions`, with which a hook changes the permissions of the session. One wrong entry costs
//! the whole answer. Measured on 2.1.332.

use serde_json::Value;

use super::answer_schema::type_name;

const DESTINATIONS: [&str; 5] = ["userSettings", "projectSettings", "localSettings", "session", "cliArg"];
const BEHAVIOURS: [&str; 3] = ["allow", "deny", "ask"];
const MODES: [&str; 6] = ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];
const TYPES: &str = "'addRules' | 'replaceRules' | 'removeRules' | 'setMode' | 'addDirectories' | 'removeDirectories'";

/// Returns the first mistake in a list of entries as the agent names it: `0.mode: …`. Unknown keys are valid.
pub fn first_mistake(entries: &[Value]) -> Option<String> {
    entries.iter().enumerate().find_map(|(at, entry)| mistake(entry).map(|mistake| format!("{at}{mistake}")))
}

fn mistake(entry: &Value) -> Option<String> {
    let Some(fields) = entry.as_object() else { return Some(expected("", "object", Some(entry))) };
    let chosen =
        |key: &str, values: &[&str]| fields.get(key).and_then(Value::as_str).is_some_and(|v| values.contains(&v));
    let own = match fields.get("type").and_then(Value::as_str) {
        Some("addRules" | "replaceRules" | "removeRules") => {
            let behaviour = (!chosen("behavior", &BEHAVIOURS))
                .then(|| format!(".behavior: expected one of \"{}\"", BEHAVIOURS.join("\" | \"")));
            behaviour.or_else(|| list_mistake("rules", fields.get("rules"), rule_mistake))
        }
        // The agent accepts `manual`, and does not list it.
        Some("setMode") => {
            (!chosen("mode", &MODES) && !chosen("mode", &["manual"])).then(|| invalid_option("mode", &MODES))
        }
        Some("addDirectories" | "removeDirectories") => {
            list_mistake("directories", fields.get("directories"), |directory| {
                (!directory.is_string()).then(|| expected("", "string", Some(directory)))
            })
        }
        _ => Some(format!(".type: Invalid discriminator value. Expected {TYPES}")),
    };
    own.or_else(|| (!chosen("destination", &DESTINATIONS)).then(|| invalid_option("destination", &DESTINATIONS)))
}

fn rule_mistake(rule: &Value) -> Option<String> {
    let Some(fields) = rule.as_object() else { return Some(expected("", "object", Some(rule))) };
    let (tool, content) = (fields.get("toolName"), fields.get("ruleContent"));
    if !tool.is_some_and(Value::is_string) {
        return Some(expected(".toolName", "string", tool));
    }
    content.filter(|content| !content.is_string()).map(|content| expected(".ruleContent", "string", Some(content)))
}

fn list_mistake(key: &str, value: Option<&Value>, mistake: fn(&Value) -> Option<String>) -> Option<String> {
    let Some(items) = value.and_then(Value::as_array) else {
        return Some(expected(&format!(".{key}"), "array", value));
    };
    items.iter().enumerate().find_map(|(at, item)| mistake(item).map(|mistake| format!(".{key}.{at}{mistake}")))
}

fn expected(path: &str, wanted: &str, got: Option<&Value>) -> String {
    format!("{path}: expected {wanted}, received {}", got.map_or("undefined", type_name))
}

fn invalid_option(key: &str, values: &[&str]) -> String {
    format!(".{key}: Invalid option: expected one of \"{}\"", values.join("\"|\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Each mistake was observed on 2.1.332 in the words that follow it.
    #[test]
    fn measured_entries() {
        let modes = r#".mode: Invalid option: expected one of "acceptEdits"|"auto"|"bypassPermissions"|"default"|"dontAsk"|"plan""#;
        let places = r#".destination: Invalid option: expected one of "userSettings"|"projectSettings"|"localSettings"|"session"|"cliArg""#;
        let behaviours = r#".behavior: expected one of "allow" | "deny" | "ask""#;
        let types = ".type: Invalid discriminator value. Expected 'addRules' | 'replaceRules' | 'removeRules' | 'setMode' | 'addDirectories' | 'removeDirectories'";
        let rules =
            |rules: Value| json!({"type": "addRules", "rules": rules, "behavior": "allow", "destination": "session"});
        for (entry, mistake) in [
            (json!({"type": "setMode", "mode": "manual", "destination": "cliArg", "x": 1}), None),
            (json!({"type": "setMode", "mode": "x", "destination": "session"}), Some(modes)),
            (json!({"type": "setMode"}), Some(modes)),
            (json!({"type": "setMode", "mode": "plan"}), Some(places)),
            (json!({"type": "addRules", "rules": [], "behavior": "ask", "destination": "localSettings"}), None),
            (
                json!({"type": "removeRules", "rules": [{"toolName": "X"}], "behavior": "deny", "destination": "userSettings"}),
                None,
            ),
            (rules(json!(["Bash"])), Some(".rules.0: expected object, received string")),
            (rules(json!([{"toolName": 5}])), Some(".rules.0.toolName: expected string, received number")),
            (
                rules(json!([{"toolName": "Bash", "ruleContent": 5}])),
                Some(".rules.0.ruleContent: expected string, received number"),
            ),
            (rules(json!(5)), Some(".rules: expected array, received number")),
            (json!({"type": "addRules", "rules": [], "behavior": "x", "destination": "session"}), Some(behaviours)),
            (json!({"type": "addRules", "rules": [], "behavior": "allow", "destination": "x"}), Some(places)),
            (json!({"type": "addRules"}), Some(behaviours)),
            (json!({"type": "addDirectories", "directories": ["/x"], "destination": "session"}), None),
            (
                json!({"type": "addDirectories", "directories": "/x", "destination": "session"}),
                Some(".directories: expected array, received string"),
            ),
            (
                json!({"type": "addDirectories", "directories": [5], "destination": "session"}),
                Some(".directories.0: expected string, received number"),
            ),
            (json!({"type": "x", "destination": "session"}), Some(types)),
            (json!({}), Some(types)),
            (json!(5), Some(": expected object, received number")),
            (json!(null), Some(": expected object, received null")),
        ] {
            let got = first_mistake(&[rules(json!([])), entry.clone()]);
            assert_eq!(got, mistake.map(|mistake| format!("1{mistake}")), "{entry}");
        }
    }
}
