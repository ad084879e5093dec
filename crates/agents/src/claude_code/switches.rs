//! Settings and variables that turn hooks off, and the settings that launching depends on (spec §1.1).

use crate::claude_code::rules;
use hookbench_base::names::RuleId;
use serde_json::Value;

use super::layer_reader::{LayerReader, refuse_remaining};
use super::managed_settings;
use crate::shared::missing_keys::with_overruled;
use hookbench_base::config::{LayerFile, LayerState, LoadedConfig, Switch};
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::hook::Layer;
use hookbench_base::plan::RungName;
use hookbench_base::text::Span;

/// A reason to turn definitions off.
struct DisableReason {
    rule: RuleId,
    code: Code,
    message: String,
    /// The layers that it applies to.
    layers: &'static [Layer],
    /// The plugins that it does not apply to.
    exempt_plugins: Vec<String>,
    /// The position of the setting; `None` if it is not in a file.
    span: Option<Span>,
    help: &'static str,
}

/// The help text for a policy.
const ASK_ADMINISTRATOR: &str = "ask the administrator of this machine";
const SETTINGS_LAYERS: &[Layer] = &[Layer::User, Layer::Project, Layer::Local];
const UNMANAGED_LAYERS: &[Layer] =
    &[Layer::User, Layer::Project, Layer::Local, Layer::Flag, Layer::Plugin, Layer::Session];
const ALL_LAYERS: &[Layer] =
    &[Layer::User, Layer::Project, Layer::Local, Layer::Flag, Layer::Plugin, Layer::Session, Layer::Managed];

/// Applies all switches, and stores the lists that later steps need.
pub fn apply(loading: &mut LayerReader<'_>) {
    let reasons: Vec<DisableReason> = [
        by_argument(loading).or_else(|| by_variable(loading)),
        disable_all(loading),
        managed_only(loading),
        plugins_only(loading),
    ]
    .into_iter()
    .flatten()
    .collect();
    for off in &reasons {
        turn_off(&mut loading.loaded, off);
    }
    merge_http_lists(loading);
}

fn turn_off(loaded: &mut LoadedConfig, off: &DisableReason) {
    let spared = |bundle: &Option<String>| bundle.as_ref().is_some_and(|b| off.exempt_plugins.contains(b));
    let mut lost = 0;
    for definition in &mut loaded.definitions {
        let reached = off.layers.contains(&definition.provenance.layer) && !spared(&definition.provenance.bundle);
        if reached && definition.rejection.is_none() {
            refuse_remaining(std::slice::from_mut(definition), RungName::LayerActive, off.rule, &off.message);
            lost += 1;
        }
    }
    let reaches = |file: &LayerFile| off.layers.contains(&file.layer) && !spared(&file.bundle);
    for file in loaded.layers.iter_mut().filter(|f| f.state == LayerState::Read) {
        if reaches(file) {
            file.state = LayerState::Off;
            file.message = Some(off.message.clone());
        }
    }
    if lost > 0 {
        let message = format!("{lost} hook{} will not run: {}", if lost == 1 { "" } else { "s" }, off.message);
        let mut note = Diagnostic::new(off.code, message).with_help(off.help);
        note.span = off.span;
        loaded.notes.push(note);
    }
}

/// Reads `--bare` and `--safe-mode`.
fn by_argument(loading: &mut LayerReader<'_>) -> Option<DisableReason> {
    let modes = [("--bare", ALL_LAYERS), ("--safe-mode", UNMANAGED_LAYERS)];
    let (name, layers) = modes.into_iter().find(|(name, _)| loading.flags.last(name).is_some())?;
    let message = format!("the agent is started with {name}, so hooks of files do not run");
    loading.loaded.switches.push(Switch {
        name: name.to_owned(),
        value: Value::Bool(true),
        set_by: Some(name.to_owned()),
        span: None,
        message: message.clone(),
    });
    Some(DisableReason {
        rule: rules::SWITCH_SAFE_MODE,
        code: Code::HW712,
        message,
        layers,
        exempt_plugins: Vec::new(),
        span: None,
        help: "start the agent without it",
    })
}

/// Reads `CLAUDE_CODE_SIMPLE` (bare mode) and `CLAUDE_CODE_SAFE_MODE`.
fn by_variable(loading: &mut LayerReader<'_>) -> Option<DisableReason> {
    let value = |name: &str| {
        let given = loading.loaded.variables.get(name).map(|v| (v.value.clone(), v.file.clone(), v.span));
        given.or_else(|| Some((loading.place.var(name)?.to_owned(), format!("${name}"), None)))
    };
    let set = |name: &str| {
        let value = value(name).map(|(value, ..)| value.to_ascii_lowercase()).unwrap_or_default();
        matches!(value.as_str(), "1" | "true" | "yes" | "on")
    };
    let (name, layers) = if set("CLAUDE_CODE_SIMPLE") {
        ("CLAUDE_CODE_SIMPLE", ALL_LAYERS)
    } else if set("CLAUDE_CODE_SAFE_MODE") {
        ("CLAUDE_CODE_SAFE_MODE", UNMANAGED_LAYERS)
    } else {
        return None;
    };
    let says = format!("the variable {name} is set, so hooks of files do not run");
    let (value, set_by, span) = value(name).unwrap_or_default();
    loading.loaded.switches.push(Switch {
        name: name.to_owned(),
        value: Value::from(value),
        set_by: Some(set_by),
        span,
        message: says.clone(),
    });
    Some(DisableReason {
        rule: rules::SWITCH_SAFE_MODE,
        code: Code::HW712,
        message: says,
        layers,
        exempt_plugins: Vec::new(),
        span,
        help: "unset the variable",
    })
}

/// Returns a switch that is not set.
fn unset_switch(name: &str, says: &str) -> Switch {
    Switch { name: name.to_owned(), value: Value::Bool(false), set_by: None, span: None, message: says.to_owned() }
}

/// Reads `disableAllHooks`. The value with the highest precedence counts, but only managed settings turn managed
/// hooks off.
fn disable_all(loading: &mut LayerReader<'_>) -> Option<DisableReason> {
    let Some((layer, value, file, span)) = loading.effective_value("disableAllHooks") else {
        loading.loaded.switches.push(unset_switch("disableAllHooks", "hooks are on"));
        return None;
    };
    let on = value == Value::Bool(true);
    let says = if on { "all hooks are off" } else { "hooks are on" };
    let message = with_overruled(says, loading.overruled_value("disableAllHooks"));
    loading.loaded.switches.push(Switch {
        name: "disableAllHooks".to_owned(),
        value,
        set_by: Some(file.clone()),
        span: Some(span),
        message,
    });
    let layers = if layer == Layer::Managed { ALL_LAYERS } else { UNMANAGED_LAYERS };
    on.then(|| DisableReason {
        rule: rules::SWITCH_DISABLE_ALL,
        code: Code::HW701,
        message: format!("`disableAllHooks` is true in {file}"),
        layers,
        exempt_plugins: Vec::new(),
        span: Some(span),
        help: "delete the key, or set it to false in a later file",
    })
}

/// Reads `allowManagedHooksOnly`, which counts only in managed settings. It spares plugins that managed settings
/// enable.
fn managed_only(loading: &mut LayerReader<'_>) -> Option<DisableReason> {
    let Some((on, file)) = managed_settings::managed_hooks_only(loading) else {
        loading.loaded.switches.push(unset_switch("allowManagedHooksOnly", "hooks of all layers run"));
        let elsewhere = loading.effective_value("allowManagedHooksOnly")?;
        let message = "`allowManagedHooksOnly` works only in managed settings; here it has no effect";
        loading.loaded.notes.push(
            Diagnostic::lowered(Code::HW702, Severity::Warning, message).at(elsewhere.3).with_help("delete the key"),
        );
        return None;
    };
    let value = file.node.get("allowManagedHooksOnly")?;
    let spared = loading
        .settings
        .iter()
        .filter(|s| s.layer == Layer::Managed)
        .filter_map(|s| s.node.get("enabledPlugins"))
        .flat_map(|plugins| plugins.effective_members())
        .filter(|member| member.value.as_bool() == Some(true))
        .map(|member| member.key.clone())
        .collect();
    let says = format!("`allowManagedHooksOnly` is true in {}", file.file);
    let span = Some(value.span);
    let switch = Switch {
        name: "allowManagedHooksOnly".to_owned(),
        value: value.to_value(),
        set_by: Some(file.file.clone()),
        span,
        message: if on { "only managed hooks run" } else { "hooks of all layers run" }.to_owned(),
    };
    loading.loaded.switches.push(switch);
    on.then_some(DisableReason {
        rule: rules::SWITCH_MANAGED_ONLY,
        code: Code::HW702,
        message: says,
        layers: UNMANAGED_LAYERS,
        exempt_plugins: spared,
        span,
        help: ASK_ADMINISTRATOR,
    })
}

/// Reads `strictPluginOnlyCustomization` in managed settings, and checks whether it contains `"hooks"`.
fn plugins_only(loading: &mut LayerReader<'_>) -> Option<DisableReason> {
    let file = loading
        .settings
        .iter()
        .rev()
        .find(|s| s.layer == Layer::Managed && s.node.get("strictPluginOnlyCustomization").is_some())?;
    let value = file.node.get("strictPluginOnlyCustomization")?;
    let on = match value.items() {
        Some(items) => items.iter().any(|item| item.as_str() == Some("hooks")),
        None => managed_settings::is_restrictive(value),
    };
    let says = format!("`strictPluginOnlyCustomization` contains \"hooks\" in {}", file.file);
    let switch = Switch {
        name: "strictPluginOnlyCustomization".to_owned(),
        value: value.to_value(),
        set_by: Some(file.file.clone()),
        span: Some(value.span),
        message: if on { "only plugin and managed hooks run" } else { "it does not contain hooks" }.to_owned(),
    };
    loading.loaded.switches.push(switch);
    let span = Some(value.span);
    on.then_some(DisableReason {
        rule: rules::SWITCH_PLUGINS_ONLY,
        code: Code::HW702,
        message: says,
        layers: SETTINGS_LAYERS,
        exempt_plugins: Vec::new(),
        span,
        help: ASK_ADMINISTRATOR,
    })
}

/// Stores the allow lists of http hooks, merged from all files. Managed hooks are bound only by a managed list.
fn merge_http_lists(loading: &mut LayerReader<'_>) {
    for (name, key, only) in [
        ("allowedHttpHookUrls", "allowedHttpHookUrls", None),
        ("managedAllowedHttpHookUrls", "allowedHttpHookUrls", Some(Layer::Managed)),
        ("httpHookAllowedEnvVars", "httpHookAllowedEnvVars", None),
    ] {
        if let Some(items) = loading.merged_list(key, only) {
            loading.loaded.agent_settings.insert(name.to_owned(), Value::Array(items));
        }
    }
}
