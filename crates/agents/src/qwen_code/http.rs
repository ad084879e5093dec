//! HTTP hooks: the URLs that they may call, the request, and how an answer is read (spec §8).

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde_json::{Map, Value, json};

use super::address::{self, Host};
use super::substitution::SECRETS;
use crate::shared::javascript::trim;
use hookbench_base::config::LoadedConfig;
use hookbench_base::text::{parse_value, truthy, utf16_len, utf16_prefix};

/// The length, in UTF-16 units, at which messages, reasons and contexts are cut.
const MAX_TEXT: usize = 10_000;

/// Returns the patterns of allowed addresses, and whether addresses in private networks are allowed.
pub fn url_policy(loaded: &LoadedConfig) -> (Vec<String>, bool) {
    let patterns = loaded.agent_settings.get("allowedHttpHookUrls").and_then(Value::as_array);
    let patterns = patterns.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    (patterns, loaded.agent_settings.get("allowPrivateNetworkHooks").is_some_and(truthy))
}

/// Returns why a URL may not be called, in the agent's words, or `None` if it may.
pub fn refusal(url: &str, patterns: &[String], allow_private: bool) -> Option<String> {
    if is_blocked(url, allow_private) {
        return Some("URL is blocked for security reasons (SSRF protection)".to_owned());
    }
    if !patterns.is_empty() && !patterns.iter().any(|pattern| matches_pattern(pattern, url)) {
        let list = patterns.join(", ");
        return Some(format!("URL does not match any allowed pattern. Allowed patterns: {list}"));
    }
    None
}

fn is_blocked(url: &str, allow_private: bool) -> bool {
    const NAMES: [&str; 6] = [
        "localhost.localdomain",
        "ip6-localhost",
        "ip6-loopback",
        "metadata.google.internal",
        "metadata.azure.internal",
        "169.254.169.254",
    ];
    match address::parse_host(url) {
        None => true,
        Some(Host::Name(name)) => NAMES.contains(&name.as_str()),
        Some(Host::Address(address)) => {
            let plain = match address {
                IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
                IpAddr::V4(_) => address,
            };
            address::refused_networks(allow_private).iter().any(|network| network.contains(plain))
        }
    }
}

/// Returns whether an allow-list pattern matches the whole URL, ignoring case. `*` becomes `.*` in every pattern. The
/// rest is literal, unless the pattern contains `\.`: then it is used as a regular expression.
fn matches_pattern(pattern: &str, url: &str) -> bool {
    let escaped = if pattern.contains("\\.") { pattern.to_owned() } else { escape(pattern) };
    let text = format!("^(?:{})$", escaped.replace('*', ".*"));
    regress::Regex::with_flags(&text, "i").is_ok_and(|regex| regex.find(url).is_some())
}

fn escape(pattern: &str) -> String {
    let mut out = String::new();
    for c in pattern.chars() {
        if ".+?^${}()|[]\\".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Replaces variables in a URL or header. Only allowed ones are inserted; all others become empty (spec §8.2).
pub fn interpolate(text: &str, allowed: &[String], env: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(rest.get(..at).unwrap_or(""));
        let after = rest.get(at + 1..).unwrap_or("");
        let inner = after.strip_prefix('{').unwrap_or(after);
        let length = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
        let name = inner.get(..length).unwrap_or("");
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            out.push('$');
            rest = after;
            continue;
        }
        rest = inner.get(length..).unwrap_or("");
        rest = rest.strip_prefix('}').unwrap_or(rest);
        if may_be_sent(name) && allowed.iter().any(|a| a == name) {
            out.push_str(env.get(name).map_or("", String::as_str));
        }
    }
    out.push_str(rest);
    out.retain(|c| !matches!(c, '\r' | '\n' | '\0'));
    out
}

fn may_be_sent(name: &str) -> bool {
    const NEVER: [&str; 7] = [
        "__proto__",
        "constructor",
        "prototype",
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
    ];
    !NEVER.contains(&name) && !SECRETS.contains(&name)
}

/// Converts an HTTP response to a hook output (spec §8). A response other than 2xx, or without a valid body, becomes
/// `{"continue": true}`.
pub fn read_answer(status: u16, content_type: &str, body: &str, event: &str) -> Value {
    let go_on = json!({"continue": true});
    if !(200..300).contains(&status) {
        return go_on;
    }
    if content_type.contains("application/json") {
        let body = body.strip_prefix('\u{feff}').unwrap_or(body);
        return parse_value(body).ok().and_then(|json| normalise(json, event)).unwrap_or(go_on);
    }
    match trim(body) {
        "" => go_on,
        text => json!({"continue": true, "systemMessage": truncate(text)}),
    }
}

/// Keeps the keys whose values have the right type. Returns `None` unless the JSON is an object or a list.
pub fn normalise(json: Value, event: &str) -> Option<Value> {
    let mut object = match json {
        Value::Object(object) => object,
        Value::Array(_) => Map::new(),
        _ => return None,
    };
    let mut out = Map::new();
    for key in ["continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason"] {
        match object.remove(key) {
            Some(Value::Bool(flag)) if matches!(key, "continue" | "suppressOutput") => {
                out.insert(key.to_owned(), Value::Bool(flag));
            }
            Some(Value::String(text)) if !matches!(key, "continue" | "suppressOutput") => {
                let text = if key == "decision" { text } else { truncate(&text) };
                out.insert(key.to_owned(), Value::from(text));
            }
            _ => {}
        }
    }
    match object.remove("hookSpecificOutput") {
        Some(Value::Object(mut specific)) => {
            if let Some(Value::String(context)) = specific.get_mut("additionalContext") {
                *context = truncate(context);
            }
            specific.entry("hookEventName").or_insert_with(|| Value::from(event));
            out.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
        }
        Some(list @ Value::Array(_)) => {
            out.insert("hookSpecificOutput".to_owned(), list);
        }
        _ => {}
    }
    Some(Value::Object(out))
}

fn truncate(text: &str) -> String {
    let length = utf16_len(text);
    if length <= MAX_TEXT {
        return text.to_owned();
    }
    format!("{}\n... [truncated, {} more characters]", utf16_prefix(text, MAX_TEXT), length - MAX_TEXT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> impl Iterator<Item = Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap())
    }

    fn list(value: &Value) -> Vec<String> {
        value.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn every_url_of_the_programs_table() {
        for row in rows(include_str!("../../../../tests/tables/qwen/url.jsonl")) {
            let (question, answer) = (&row["in"], &row["out"]);
            let found = refusal(
                question["url"].as_str().unwrap(),
                &list(&question["patterns"]),
                question["private"] == json!(true),
            );
            assert_eq!(found.is_none(), answer["allowed"] == json!(true), "{row}");
            assert_eq!(found.as_deref(), answer["reason"].as_str(), "{row}");
        }
    }

    #[test]
    fn every_interpolation_of_the_programs_table() {
        for row in rows(include_str!("../../../../tests/tables/qwen/interp.jsonl")) {
            let question = &row["in"];
            let env = serde_json::from_value(question["env"].clone()).unwrap();
            let found = interpolate(question["value"].as_str().unwrap(), &list(&question["allowed"]), &env);
            assert_eq!(Some(found.as_str()), row["out"]["value"].as_str(), "{row}");
        }
    }

    #[test]
    fn every_answer_of_the_programs_table() {
        for row in rows(include_str!("../../../../tests/tables/qwen/http_normalize.jsonl")) {
            let question = &row["in"];
            let found = normalise(question["json"].clone(), question["event"].as_str().unwrap());
            assert_eq!(found.as_ref(), row["out"].get("output"), "{row}");
        }
    }

    #[test]
    fn answers_by_status_and_type() {
        let go_on = json!({"continue": true});
        for (status, kind, body, want) in [
            (500, "application/json", r#"{"decision":"deny"}"#, go_on.clone()),
            (302, "", "x", go_on.clone()),
            (204, "", "", go_on.clone()),
            (
                200,
                "text/plain",
                r#" {"decision":"deny"} "#,
                json!({"continue": true, "systemMessage": "{\"decision\":\"deny\"}"}),
            ),
            (200, "application/json; charset=utf-8", r#"{"decision":"deny"}"#, json!({"decision": "deny"})),
            (200, "application/json", "{", go_on.clone()),
            (200, "application/json", "null", go_on.clone()),
            (200, "application/json", "[1]", json!({})),
        ] {
            assert_eq!(read_answer(status, kind, body, "Stop"), want, "{status} {kind} {body}");
        }
        let long = read_answer(200, "text/plain", &"x".repeat(10_003), "Stop");
        assert!(long["systemMessage"].as_str().unwrap().ends_with("x\n... [truncated, 3 more characters]"));
    }
}
