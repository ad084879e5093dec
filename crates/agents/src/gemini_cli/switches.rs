//! Settings that switch hooks off, and other settings that rules read (spec §1.2, §1.6, §5.1).

use serde_json::{Value, json};

use crate::shared::gemini_fork::layers::{SettingsFile, Trust, overruled, set_by};
use crate::shared::missing_keys::with_overruled;
use hookbench_base::config::{LoadedConfig, Place, Switch};
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::text::{Node, Span, truthy};

/// The settings section that hides variables from hooks.
pub const REDACTION: &str = "environmentVariableRedaction";

/// Records every switch, and the settings that rules read. `unseen` are hooks of the project that the agent has
/// not seen before.
pub fn record(
    place: &Place,
    effective: &[SettingsFile],
    merged: &Node,
    trusted: &Trust,
    unseen: &[String],
    loaded: &mut LoadedConfig,
) {
    let from = |keys: &[&str]| -> (Option<String>, Option<Span>) {
        set_by(effective, keys).map_or((None, None), |(s, span)| (Some(place.display_path(&s.path)), Some(span)))
    };
    let over = |keys: &[&str]| overruled(effective, keys).map(|(value, file)| (value, place.display_path(&file.path)));
    let at = |keys: &[&str]| keys.iter().try_fold(merged, |node, key| node.get(key)).map(Node::to_value);
    let mut add = |name: &str, value: Value, (set_by, span): (Option<String>, Option<Span>), says: String| {
        loaded.switches.push(Switch { name: name.to_owned(), value, set_by, span, message: says });
    };

    let enabled = at(&["hooksConfig", "enabled"]).filter(|v| !v.is_null()).unwrap_or(Value::Bool(true));
    let on = truthy(&enabled);
    let set = from(&["hooksConfig", "enabled"]);
    let off = (!on).then(|| {
        let place = set.0.as_deref().unwrap_or("the settings");
        format!("hooksConfig.enabled is false in {place}, so no hook runs, not even of extensions")
    });
    let says = if on { "hooks are switched on" } else { "no hook runs, not even of extensions" };
    let off_at = set.1.filter(|_| !on);
    add("hooksConfig.enabled", enabled, set, with_overruled(says, over(&["hooksConfig", "enabled"])));

    let disabled = at(&["hooksConfig", "disabled"]).unwrap_or_else(|| json!([]));
    let count = disabled.as_array().map_or(0, Vec::len);
    let says =
        if count == 0 { "no hook is switched off by name" } else { "hooks with these names or commands do not run" };
    add("hooksConfig.disabled", disabled, from(&["hooksConfig", "disabled"]), says.to_owned());

    let folder_trust = at(&["security", "folderTrust", "enabled"]).unwrap_or(Value::Bool(true));
    let set = match trusted {
        Trust::Variable { name, .. } => (Some((*name).to_owned()), None),
        _ => from(&["security", "folderTrust", "enabled"]),
    };
    add("security.folderTrust.enabled", folder_trust, set, trusted.describe());

    if !unseen.is_empty() {
        let says = match unseen {
            [_] => "this hook of the project is new here: the agent warns once, but runs it",
            _ => "these hooks of the project are new here: the agent warns once, but runs them",
        };
        add("trusted_hooks.json", json!(unseen), from(&["hooks"]), says.to_owned());
    }

    let strict = ["GITHUB_SHA", "SURFACE"].into_iter().find(|name| match place.var(name) {
        Some(value) if *name == "SURFACE" => value == "Github",
        value => value.is_some_and(|v| !v.is_empty()),
    });
    let redacts = at(&["security", REDACTION, "enabled"]).unwrap_or(Value::Bool(false));
    if strict.is_some() || truthy(&redacts) {
        let says = match strict {
            Some(name) => format!("{name} is set, so hooks receive only variables that the agent considers harmless"),
            None => "hooks do not receive variables that look like secrets".to_owned(),
        };
        let set = strict.map_or_else(|| from(&["security", REDACTION, "enabled"]), |n| (Some(n.to_owned()), None));
        add("security.environmentVariableRedaction.enabled", redacts.clone(), set, says);
    }

    let list = |key: &str| at(&["security", REDACTION, key]).unwrap_or_else(|| json!([]));
    let redaction = json!({
        "active": truthy(&redacts), "strict": strict.is_some(), "allowed": list("allowed"), "blocked": list("blocked"),
    });
    loaded.agent_settings.insert(REDACTION.to_owned(), redaction);
    if let Some(span) = off_at {
        let note = Diagnostic::new(
            Code::HW207,
            "every hook is switched off here, including those of other files and extensions",
        );
        loaded.notes.push(note.at(span).with_help("write true, or delete hooksConfig.enabled"));
    }
    if let (_, Some(span)) = from(&["tools", "enableHooks"]) {
        let note = Diagnostic::lowered(Code::HW207, Severity::Info, "`tools.enableHooks` no longer has an effect");
        loaded.notes.push(note.at(span).with_help("use `hooksConfig.enabled`"));
    }
    if let Some(off) = off {
        loaded.hooks_off = Some(off);
    }
}
