//! The values of `config.toml`. A wrong type or an unknown word in any key that Codex knows keeps it from starting; keys
//! that it does not know may have any value.

use super::config_keys::{FEATURES_WITH_SETTINGS, KEYS, USER_ONLY};
use super::config_node::{ConfigEntry, ConfigNode, ConfigValue};
use crate::kernel::settings::SchemaError;
use hookbench_base::diagnostic::Code;

/// The type of a value.
#[derive(Debug, Clone, Copy)]
pub enum ValueType {
    /// A string, or a date.
    Text,
    NonEmptyText,
    Flag,
    Integer,
    /// An integer that is not negative.
    Whole,
    /// A number that is not negative.
    Seconds,
    List,
    Texts,
    TextOrTexts,
    FlagOrTexts,
    Table,
    /// A table, or a list with the values of its keys.
    Struct,
    FlagOrTable,
    OneOf(&'static [&'static str]),
    Exporter,
}

/// The providers of models that Codex brings.
const PROVIDERS: [&str; 4] = ["openai", "ollama", "lmstudio", "amazon-bedrock"];
const EXPORTERS: [&str; 4] = ["none", "statsig", "otlp-http", "otlp-grpc"];
/// The keys of a server with a command, and of one with a URL.
const COMMAND_ONLY: [&str; 4] = ["args", "env", "env_vars", "cwd"];
const URL_ONLY: [&str; 5] = ["url", "bearer_token_env_var", "http_headers", "env_http_headers", "oauth_resource"];

/// Finds the first value that keeps Codex from starting. A project's file cannot set every key.
pub fn check(root: &ConfigNode, is_project: bool) -> Result<(), SchemaError> {
    for entry in root.entries().unwrap_or(&[]) {
        if is_project && USER_ONLY.contains(&entry.key.as_str()) {
            continue;
        }
        for (path, kind) in KEYS {
            let mut parts = path.split('.');
            if parts.next() == Some(&entry.key) {
                check_path(&entry.value, &parts.collect::<Vec<_>>(), &entry.key, *kind)?;
            }
        }
        match entry.key.as_str() {
            "features" => features(&entry.value)?,
            "mcp_servers" => named(&entry.value, mcp_server)?,
            "model_providers" => named(&entry.value, model_provider)?,
            "profile" => {
                let says = "`profile` is no longer supported in config.toml";
                return Err(error(&entry.value, says.to_owned(), "delete it"));
            }
            "experimental_thread_store_endpoint" => {
                let says = "`experimental_thread_store_endpoint` is no longer supported";
                return Err(error(&entry.value, says.to_owned(), "delete it"));
            }
            "model_provider" => provider_exists(root, &entry.value)?,
            "skills" => skills(&entry.value)?,
            _ => {}
        }
    }
    Ok(())
}

fn error(node: &ConfigNode, says: String, help: &str) -> SchemaError {
    SchemaError::new(Code::HW110, node.span, says, help)
}

/// Checks the values at a path below a value.
fn check_path(node: &ConfigNode, path: &[&str], shown: &str, kind: ValueType) -> Result<(), SchemaError> {
    match path {
        [] => check_value(node, shown, kind),
        ["#", rest @ ..] => node.items().unwrap_or(&[]).iter().try_for_each(|item| check_path(item, rest, shown, kind)),
        ["*", rest @ ..] => {
            // A key that has its own type is not one of the names.
            let is_own = |key: &str| {
                let own = format!("{shown}.{key}");
                KEYS.iter().any(|(path, _)| *path == own)
            };
            let others = node.entries().unwrap_or(&[]).iter().filter(|entry| !is_own(&entry.key));
            others
                .into_iter()
                .try_for_each(|entry| check_path(&entry.value, rest, &format!("{shown}.{}", entry.key), kind))
        }
        [key, rest @ ..] if node.entries().is_some() => match node.get(key) {
            Some(value) => check_path(value, rest, &format!("{shown}.{key}"), kind),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn check_value(node: &ConfigNode, shown: &str, kind: ValueType) -> Result<(), SchemaError> {
    let is_text = |node: &ConfigNode| matches!(node.value, ConfigValue::Text(_) | ConfigValue::Date(_));
    let is_flag = matches!(node.value, ConfigValue::Bool(_));
    let is_table = matches!(node.value, ConfigValue::Table(_));
    let is_list = matches!(node.value, ConfigValue::List(_));
    let texts = || is_list && node.items().unwrap_or(&[]).iter().all(is_text);
    let (good, wanted) = match kind {
        ValueType::Text => (is_text(node), "a string".to_owned()),
        ValueType::NonEmptyText => {
            (is_text(node) && node.as_str() != Some(""), "a string that is not empty".to_owned())
        }
        ValueType::Flag => (is_flag, "true or false".to_owned()),
        ValueType::Integer => (integer(node).is_some(), "an integer".to_owned()),
        ValueType::Whole => (integer(node).is_some_and(|n| n >= 0), "an integer that is not negative".to_owned()),
        ValueType::Seconds => {
            let is_float = matches!(node.value, ConfigValue::Float(n) if n >= 0.0);
            (is_float || integer(node).is_some_and(|n| n >= 0), "a number that is not negative".to_owned())
        }
        ValueType::List => (is_list, "a list".to_owned()),
        ValueType::Texts => (texts(), "a list of strings".to_owned()),
        ValueType::TextOrTexts => (is_text(node) || texts(), "a string or a list of strings".to_owned()),
        ValueType::FlagOrTexts => (is_flag || texts(), "true, false or a list of strings".to_owned()),
        ValueType::Table => (is_table, "a table".to_owned()),
        ValueType::Struct => (is_table || is_list, "a table".to_owned()),
        ValueType::FlagOrTable => (is_flag || is_table, "true, false or a table".to_owned()),
        ValueType::OneOf(words) => {
            (node.as_str().is_some_and(|text| words.contains(&text)), format!("\"{}\"", words.join("\", \"")))
        }
        ValueType::Exporter => {
            let one = node.entries().filter(|entries| entries.len() == 1).and_then(<[_]>::first);
            let named = node.as_str().is_some_and(|text| matches!(text, "none" | "statsig"));
            let has = |entry: &ConfigEntry, key: &str| entry.value.get(key).is_some();
            let set = one.is_some_and(|entry| match entry.key.as_str() {
                "otlp-http" => has(entry, "endpoint") && has(entry, "protocol"),
                "otlp-grpc" => has(entry, "endpoint"),
                key => EXPORTERS.contains(&key),
            });
            (named || set, format!("\"{}\"", EXPORTERS.join("\", \"")))
        }
    };
    if good {
        return Ok(());
    }
    let got = node.as_str().map_or_else(|| node.kind().to_owned(), |text| format!("\"{text}\""));
    Err(error(
        node,
        format!("`{shown}` must be {wanted}, not {got}"),
        "write a value that Codex accepts, or delete the key",
    ))
}

fn integer(node: &ConfigNode) -> Option<i128> {
    match node.value {
        ConfigValue::Integer(number) => Some(number),
        _ => None,
    }
}

/// Checks each entry of a table of names.
fn named(node: &ConfigNode, check: impl Fn(&str, &ConfigNode) -> Result<(), SchemaError>) -> Result<(), SchemaError> {
    node.entries().unwrap_or(&[]).iter().try_for_each(|entry| check(&entry.key, &entry.value))
}

fn features(node: &ConfigNode) -> Result<(), SchemaError> {
    named(node, |name, value| {
        let may_be_table = FEATURES_WITH_SETTINGS.contains(&name);
        let kind = if may_be_table { ValueType::FlagOrTable } else { ValueType::Flag };
        check_value(value, &format!("features.{name}"), kind)
    })
}

/// Each skill says whether it is enabled.
fn skills(node: &ConfigNode) -> Result<(), SchemaError> {
    let items = node.get("config").and_then(ConfigNode::items).unwrap_or(&[]);
    match items.iter().find(|item| item.get("enabled").is_none()) {
        Some(item) => Err(error(item, "an entry of `skills.config` has no `enabled`".to_owned(), "add `enabled`")),
        None => Ok(()),
    }
}

/// A server has a command or a URL, and only the keys that go with it.
fn mcp_server(name: &str, server: &ConfigNode) -> Result<(), SchemaError> {
    let has = |key: &&&str| server.get(key).is_some();
    let help = "write `command` or `url`, and only the keys that go with it";
    let (others, what) = match (server.get("command").is_some(), server.get("url").is_some()) {
        (false, false) => {
            let says = format!("`mcp_servers.{name}` has neither `command` nor `url`");
            return Err(error(server, says, help));
        }
        (true, _) => (&URL_ONLY[..], "command"),
        (false, true) => (&COMMAND_ONLY[..], "url"),
    };
    let oauth = (what == "command").then_some(&"oauth").filter(|key| server.get(key).is_some());
    let token = Some(&"bearer_token").filter(|key| server.get(key).is_some());
    match others.iter().find(has).or(oauth).or(token) {
        Some(key) => {
            let says = format!("`mcp_servers.{name}` has `{what}`, so `{key}` is not allowed");
            Err(error(server.get(key).unwrap_or(server), says, help))
        }
        None => Ok(()),
    }
}

fn model_provider(name: &str, provider: &ConfigNode) -> Result<(), SchemaError> {
    if PROVIDERS.contains(&name) {
        let says = format!("`model_providers.{name}` is the name of a provider that Codex brings");
        return Err(error(provider, says, "choose another name"));
    }
    if provider.get("name").is_none() {
        let says = format!("`model_providers.{name}` has no `name`");
        return Err(error(provider, says, "add `name`"));
    }
    if let Some(auth) = provider.get("auth").filter(|auth| auth.get("command").is_none()) {
        let says = format!("`model_providers.{name}.auth` has no `command`");
        return Err(error(auth, says, "add `command`"));
    }
    Ok(())
}

fn provider_exists(root: &ConfigNode, name: &ConfigNode) -> Result<(), SchemaError> {
    let Some(text) = name.as_str() else { return check_value(name, "model_provider", ValueType::Text) };
    let own = root.get("model_providers").is_some_and(|providers| providers.get(text).is_some());
    if own || PROVIDERS.contains(&text) {
        return Ok(());
    }
    Err(error(
        name,
        format!("the model provider `{text}` does not exist"),
        "add [model_providers.…], or correct the name",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::{LoadedConfig, Place};

    /// Tried on 0.171.0: each line is a file, and whether Codex starts with it.
    #[test]
    fn what_the_program_accepts() {
        let mut wrong = Vec::new();
        for line in include_str!("../../../../tests/tables/codex/config-types.jsonl").lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = row["config"].as_str().unwrap();
            let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
            let source = LoadedConfig::default().add_source(&place, "/h/.codex/config.toml", text);
            let root = ConfigNode::from_toml(source, text).unwrap();
            if check(&root, row["project"] == true).is_ok() != (row["starts"] == true) {
                wrong.push(line);
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
