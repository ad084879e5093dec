//! Settings that switch hooks off, and other settings that rules read (spec §1.3, §1.5, §2).

use serde_json::{Value, json};

use super::formats::FORMATS;
use super::version_behaviour::{EnablingRule, VersionBehaviour};
use crate::shared::gemini_fork::layers::{SettingsFile, Trust, overruled, set_by};
use crate::shared::missing_keys::with_overruled;
use hookbench_base::config::{LoadedConfig, Place, Switch};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::Layer;
use hookbench_base::text::{Span, truthy};

/// Records every switch, and the settings that rules read.
pub fn record(
    place: &Place,
    behaviour: &VersionBehaviour,
    effective: &[SettingsFile],
    merged: &Value,
    trusted: &Trust,
    loaded: &mut LoadedConfig,
) {
    let mut off: Option<String> = None;
    let given = FORMATS.given(place);
    let from = |keys: &[&str]| -> (Option<String>, Option<Span>) {
        set_by(effective, keys).map_or((None, None), |(s, span)| (Some(place.display_path(&s.path)), Some(span)))
    };
    if behaviour.enabling == EnablingRule::RequiresFlag {
        let value = merged.pointer("/hooksConfig/enabled").cloned().unwrap_or(Value::Bool(false));
        let (set_by, span) = from(&["hooksConfig", "enabled"]);
        let says = if truthy(&value) { "hooks are switched on" } else { "hooks are off until this is true" };
        if !truthy(&value) {
            off = Some(
                "hooks are off: hooksConfig.enabled is not true, and --experimental-hooks was not given".to_owned(),
            );
        }
        loaded.switches.push(Switch {
            name: "hooksConfig.enabled".to_owned(),
            value,
            set_by,
            span,
            message: says.to_owned(),
        });
    }
    let value = merged.get("disableAllHooks").cloned().unwrap_or(Value::Bool(false));
    let (set_by, span) = from(&["disableAllHooks"]);
    let says = if truthy(&value) { "no hook of any layer runs" } else { "hooks are not switched off" };
    if truthy(&value) {
        let place = set_by.as_deref().unwrap_or("the settings");
        off.get_or_insert(format!("disableAllHooks is set in {place}, so no hook runs"));
    }
    let over = overruled(effective, &["disableAllHooks"]).map(|(value, file)| (value, place.display_path(&file.path)));
    let message = with_overruled(says, over);
    loaded.switches.push(Switch { name: "disableAllHooks".to_owned(), value, set_by, span, message });
    for (name, says) in [
        ("QWEN_CODE_SAFE_MODE", "safe mode: no hooks, no extensions"),
        ("QWEN_CODE_SIMPLE", "bare mode: no hooks, no extensions"),
    ] {
        if let Some(value) = place.var(name) {
            let on = switched_on(value);
            let says = if on { says } else { "not switched on" };
            if on {
                off.get_or_insert(format!("{name} is set, so no hook runs"));
            }
            let value = Value::from(value);
            let set_by = Some(name.to_owned());
            loaded.switches.push(Switch { name: name.to_owned(), value, set_by, span: None, message: says.to_owned() });
        }
    }
    for (name, says) in
        [("--safe-mode", "safe mode: no hooks, no extensions"), ("--bare", "bare mode: no hooks, no extensions")]
    {
        if given.last(name).is_some() {
            off.get_or_insert(format!("the agent is started with {name}, so no hook runs"));
            loaded.switches.push(Switch {
                name: name.to_owned(),
                value: Value::Bool(true),
                set_by: Some(name.to_owned()),
                span: None,
                message: says.to_owned(),
            });
        }
    }
    if let Some(value) = merged.pointer("/tools/executionSandbox").filter(|v| truthy(v)) {
        let (set_by, span) = from(&["tools", "executionSandbox"]);
        off.get_or_insert("a sandbox for tools is configured (tools.executionSandbox), so no hook runs".to_owned());
        let says = "no hook runs while tools run in a sandbox".to_owned();
        if let Some(span) = span {
            let note = Diagnostic::new(Code::HW207, "no hook of any file runs while tools run in a sandbox");
            loaded.notes.push(note.at(span).with_help("delete tools.executionSandbox, or do not use hooks"));
        }
        loaded.switches.push(Switch {
            name: "tools.executionSandbox".to_owned(),
            value: value.clone(),
            set_by,
            span,
            message: says,
        });
    }
    let (set_by, span) = from(&["security", "folderTrust", "enabled"]);
    let value = merged.pointer("/security/folderTrust/enabled").cloned().unwrap_or(Value::Bool(false));
    loaded.switches.push(Switch {
        name: "security.folderTrust.enabled".to_owned(),
        value,
        set_by,
        span,
        message: trusted.describe(),
    });
    if behaviour.stop_cap {
        let cap = stop_cap(place, merged);
        let (set_by, span) = from(&["stopHookBlockingCap"]);
        let set_by = place.var(CAP).filter(|v| !v.trim().is_empty()).map(|_| CAP.to_owned()).or(set_by);
        let says = format!("block number {cap} of a stop ends the turn");
        loaded.switches.push(Switch {
            name: "stopHookBlockingCap".to_owned(),
            value: Value::from(cap),
            set_by,
            span,
            message: says,
        });
        loaded.agent_settings.insert("stopHookBlockingCap".to_owned(), Value::from(cap));
    }
    // Like JavaScript's `??`, only null and a missing value fall through.
    let usage = merged.pointer("/privacy/usageStatisticsEnabled").filter(|value| !value.is_null()).is_none_or(truthy);
    let usage = place.var(USAGE).map_or(usage, |value| matches!(value, "true" | "1"));
    loaded.agent_settings.insert(USAGE.to_owned(), Value::from(usage));
    if let Some(off) = off {
        loaded.hooks_off = Some(off);
    }
    loaded.agent_settings.insert("allowedHttpHookUrls".to_owned(), allowed_urls(effective));
    // A project cannot allow private networks for itself.
    let mut others = effective.iter().rev().filter(|s| s.layer != Layer::Project);
    let private = others.find_map(|s| s.root.get("security")?.get("allowPrivateNetworkHooks"));
    loaded
        .agent_settings
        .insert("allowPrivateNetworkHooks".to_owned(), json!(private.is_some_and(|n| truthy(&n.to_value()))));
}

/// Returns whether the agent counts every run in its usage statistics.
pub fn counts_usage(scene: &Scene) -> bool {
    scene.loaded.agent_settings.get(USAGE).and_then(Value::as_bool).unwrap_or(true)
}

const USAGE: &str = "QWEN_USAGE_STATISTICS_ENABLED";
const CAP: &str = "QWEN_CODE_STOP_HOOK_BLOCK_CAP";

/// Returns whether a value is `1`, `true`, `yes` or `on`.
pub fn switched_on(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
}

/// Returns the number of blocked stops in a row that end the turn: 1 to 100, or 8. The environment wins if it is
/// not blank.
fn stop_cap(place: &Place, merged: &Value) -> u32 {
    let number = match place.var(CAP).filter(|v| !v.trim().is_empty()) {
        Some(text) => crate::shared::javascript::js_number(text),
        None => merged.get("stopHookBlockingCap").and_then(Value::as_f64),
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 100, checked before")]
    match number.filter(|n| (1.0..=100.0).contains(n) && n.fract() == 0.0) {
        Some(number) => number as u32,
        None => 8,
    }
}

/// Returns the number of blocks in a row at which a stop happens anyway.
pub fn stop_cap_for(scene: &Scene) -> Option<u32> {
    let stops = matches!(scene.input.event.as_str(), "Stop" | "SubagentStop");
    let cap = scene.loaded.agent_settings.get("stopHookBlockingCap").filter(|_| stops)?;
    cap.as_u64().and_then(|cap| u32::try_from(cap).ok())
}

/// Returns the allow-list; the project's applies only if no other layer sets one.
fn allowed_urls(effective: &[SettingsFile]) -> Value {
    let list =
        |s: &SettingsFile| s.root.get("security")?.get("allowedHttpHookUrls").map(hookbench_base::text::Node::to_value);
    let others = effective.iter().rev().filter(|s| s.layer != Layer::Project).find_map(list);
    others.or_else(|| effective.iter().find_map(list)).unwrap_or_else(|| json!([]))
}
