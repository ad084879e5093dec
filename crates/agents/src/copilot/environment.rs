//! The variables of a hook: the agent's own without those that it takes away, those of the definition, and those that it sets
//! (130 names were tried on 1.0.102).

use super::layers::is_settings;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{CommandHandler, HookDefinition};
use hookbench_base::run::{EnvChange, HookVariable};

/// Variables that hooks do not find. `GH_TOKEN` stays.
const TAKEN: [&str; 18] = [
    "ANTHROPIC_API_KEY",
    "AZURE_OPENAI_API_ENDPOINT",
    "AZURE_OPENAI_API_KEY",
    "CAPI_AZURE_KEY_VAULT_URI",
    "CAPI_HMAC_KEY",
    "COPILOT_API_URL",
    "COPILOT_GITHUB_TOKEN",
    "COPILOT_OFFLINE",
    "ELECTRON_RUN_AS_NODE",
    "GITHUB_COPILOT_API_TOKEN",
    TOKEN,
    "GITHUB_COPILOT_INTEGRATION_ID",
    "GITHUB_MCP_SERVER_TOKEN",
    "GITHUB_PERSONAL_ACCESS_TOKEN",
    "GITHUB_TOKEN",
    "NODE_ENV",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
];
const TAKEN_BEGINNINGS: [&str; 3] = ["COPILOT_PROVIDER_", "COPILOT_OTEL_", "OTEL_"];
/// The variable whose value hooks find as `GITHUB_TOKEN`.
const TOKEN: &str = "GITHUB_COPILOT_GITHUB_TOKEN";

/// Returns the changes to the agent's own environment. Its variables win over those of the definition.
pub fn environment(definition: &HookDefinition, handler: &CommandHandler, scene: &Scene) -> EnvChange {
    let place = &scene.place;
    let is_taken = |name: &&String| {
        TAKEN.contains(&name.as_str()) || TAKEN_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
    };
    let remove = place.env.keys().filter(is_taken).cloned().collect();
    let mut set: Vec<HookVariable> = Vec::new();
    if place.home_given {
        set.push(HookVariable::of_user("HOME", &place.home));
    }
    set.extend(place.var(TOKEN).map(|value| HookVariable::of_user("GITHUB_TOKEN", value)));
    // One more setting of Git, after those of the user.
    let count = place.var("GIT_CONFIG_COUNT").and_then(|count| count.parse::<u32>().ok()).unwrap_or(0);
    for (name, value) in [
        ("GIT_CONFIG_COUNT".to_owned(), count.saturating_add(1).to_string()),
        (format!("GIT_CONFIG_KEY_{count}"), "safe.bareRepository".to_owned()),
        (format!("GIT_CONFIG_VALUE_{count}"), "explicit".to_owned()),
    ] {
        set.push(HookVariable::of_agent(name, value));
    }
    set.extend(handler.env.iter().map(|(name, value)| HookVariable::of_definition(name, value, definition)));
    // The directory of the session, also if the event names another one.
    for name in ["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"] {
        set.push(HookVariable::of_agent(name, &place.project));
    }
    set.push(HookVariable::of_agent("COPILOT_CLI", "1"));
    let file = scene.loaded.sources.path(definition.provenance.span.source);
    // Settings files set no directory.
    if let Some((directory, _)) = file.rsplit_once('/')
        && !is_settings(file)
    {
        set.push(HookVariable::of_agent("COPILOT_HOOK_DIR", directory));
    }
    EnvChange { remove, set, scratch_files: Vec::new() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::AGENT;
    use super::super::test_firings::scene_with;
    use crate::kernel::test::place;
    use hookbench_base::config::Place;
    use hookbench_base::run::Launch;
    use serde_json::json;

    /// The variable that a hook finds, with these variables of the agent.
    fn found(given: &[(&str, &str)], name: &str) -> Option<String> {
        let mut scene = scene_with("preToolUse", &json!([{ "command": "x" }]));
        let env: Vec<(String, String)> =
            given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        scene.place = Arc::new(Place { env: env.into_iter().collect(), ..place() });
        let Launch::Process(spec) = AGENT.launch(&scene.loaded.definitions[0], &scene) else {
            panic!("a command is a process");
        };
        let inherited = scene.place.env.get(name).filter(|_| !spec.env.remove.iter().any(|removed| removed == name));
        spec.env.value(name).map(str::to_owned).or_else(|| inherited.cloned())
    }

    #[test]
    fn tokens_and_keys_do_not_reach_hooks() {
        for (given, name, want) in [
            (&[("GITHUB_TOKEN", "a")][..], "GITHUB_TOKEN", None),
            (&[("GITHUB_TOKEN", "a"), ("GITHUB_COPILOT_GITHUB_TOKEN", "b")], "GITHUB_TOKEN", Some("b")),
            (&[("GITHUB_COPILOT_GITHUB_TOKEN", "b")], "GITHUB_COPILOT_GITHUB_TOKEN", None),
            (&[("GH_TOKEN", "a")], "GH_TOKEN", Some("a")),
            (&[("OPENAI_API_KEY", "a")], "OPENAI_API_KEY", None),
            (&[("ANTHROPIC_AUTH_TOKEN", "a")], "ANTHROPIC_AUTH_TOKEN", Some("a")),
            (&[("NODE_ENV", "test")], "NODE_ENV", None),
            (&[("OTEL_SERVICE_NAME", "a")], "OTEL_SERVICE_NAME", None),
            (&[], "GIT_CONFIG_COUNT", Some("1")),
            (&[], "GIT_CONFIG_KEY_0", Some("safe.bareRepository")),
            (&[("GIT_CONFIG_COUNT", "2")], "GIT_CONFIG_COUNT", Some("3")),
            (&[("GIT_CONFIG_COUNT", "2")], "GIT_CONFIG_VALUE_2", Some("explicit")),
            (&[("GIT_CONFIG_COUNT", "x")], "GIT_CONFIG_VALUE_0", Some("explicit")),
        ] {
            assert_eq!(found(given, name).as_deref(), want, "{name} with {given:?}");
        }
    }
}
