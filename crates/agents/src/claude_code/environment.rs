//! `env` in settings files: variables of the agent's own process, which all its child processes inherit. Measured
//! on 2.1.330.

use super::layer_reader::LayerReader;
use hookbench_base::config::LoadedVariable;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::Layer;
use hookbench_base::text::to_js_string;

/// Variables that redirect the agent to other files or turn hooks off. Project files cannot set them.
const FORBIDDEN_IN_PROJECTS: &[&str] = &[
    "HOME",
    "USERPROFILE",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "CCR_FORCE_BUNDLE",
    "CLAUDE_AFK_COUNTDOWN_MS",
    "CLAUDE_AFK_TIMEOUT_MS",
    "CLAUDE_AX_SCREEN_READER",
    "CLAUDE_CODE_DEBUG_LOGS_DIR",
    "CLAUDE_CODE_DISABLE_ATTACHMENTS",
    "CLAUDE_CODE_ENABLE_TELEMETRY",
    "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA",
    "CLAUDE_CODE_OAUTH_SCOPES",
    "CLAUDE_CODE_PLUGIN_CACHE_DIR",
    "CLAUDE_CODE_PLUGIN_SEED_DIR",
    "CLAUDE_CODE_PROCESS_WRAPPER",
    "CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST",
    "CLAUDE_CODE_RESUME_INTERRUPTED_TURN",
    "CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS",
    "CLAUDE_CODE_RESUME_PROMPT",
    "CLAUDE_CODE_SAFE_MODE",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB",
    "CLAUDE_CODE_SYNC_SKILLS",
    "CLAUDE_CODE_TMPDIR",
    "CLAUDE_CONFIG_DIR",
    "DISABLE_COMPACT",
    "FORCE_AUTOUPDATE_PLUGINS",
];

/// Whether hooks never receive this variable.
pub fn is_withheld(name: &str) -> bool {
    name.starts_with("OTEL_") || matches!(name, "BETA_TRACING_ENDPOINT" | "ENABLE_BETA_TRACING_DETAILED")
}

/// Merges the variables of all accepted files. If several files set a variable, the one with the highest
/// precedence wins. Values are converted to text as in JavaScript, and nothing in them is expanded.
pub fn merge(loading: &mut LayerReader<'_>) {
    const ORDER: [Layer; 5] = [Layer::User, Layer::Project, Layer::Local, Layer::Flag, Layer::Managed];
    for layer in ORDER {
        for settings in loading.settings.iter().filter(|s| s.layer == layer) {
            let Some(env) = settings.node.get("env") else { continue };
            for member in env.effective_members() {
                let of_a_project = matches!(layer, Layer::Project | Layer::Local);
                let name = member.key.as_str();
                if name.is_empty()
                    || name.contains(['=', '\0'])
                    || of_a_project && FORBIDDEN_IN_PROJECTS.contains(&name)
                {
                    continue;
                }
                let value = to_js_string(&member.value.to_value());
                let variable = LoadedVariable {
                    value,
                    file: settings.file.clone(),
                    line: Some(loading.loaded.sources.start(member.key_span).line),
                    span: Some(member.key_span),
                };
                loading.loaded.variables.insert(name.to_owned(), variable);
            }
        }
    }
}

/// Returns a variable of the agent's process: from settings, or else from the environment that it was started in.
pub fn var<'a>(scene: &'a Scene, name: &str) -> Option<&'a str> {
    let set = scene.loaded.variables.get(name).map(|variable| variable.value.as_str());
    set.or_else(|| scene.place.var(name))
}
