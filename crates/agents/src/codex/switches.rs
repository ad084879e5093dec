//! The settings that switch hooks off or on (spec §1).

use serde_json::json;

use super::config_node::ConfigNode;
use super::schema::SchemaError;
use crate::shared::overruled::with_overruled;
use hookbench_base::config::{LoadedConfig, Place, Switch};
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::text::Span;

/// The current name of the switch, and its former one. If both are written, the current one applies.
const NAMES: [&str; 2] = ["hooks", "codex_hooks"];

/// Returns an error if a configuration's `features` is malformed.
pub fn check(config: &ConfigNode) -> Result<(), SchemaError> {
    let wrong = |span: Span, says: String| SchemaError {
        code: Code::HW110,
        message: says,
        span,
        help: "write hooks = true or hooks = false".to_owned(),
    };
    let Some(features) = config.get("features") else { return Ok(()) };
    if features.entries().is_none() {
        return Err(wrong(features.span, format!("`features` is {}, but must be a table", features.kind())));
    }
    for name in NAMES {
        if let Some(flag) = features.get(name).filter(|flag| flag.as_bool().is_none()) {
            return Err(wrong(flag.span, format!("`features.{name}` is {}, but must be true or false", flag.kind())));
        }
    }
    Ok(())
}

/// Records the switches. `configs` are the configurations that apply, later ones win; `requirements` are the
/// administrator's.
pub fn record(place: &Place, configs: &[&ConfigNode], requirements: Option<&ConfigNode>, loaded: &mut LoadedConfig) {
    let of = |tree: &ConfigNode, name: &str| {
        let flag = tree.get("features")?.get(name)?;
        Some((flag.as_bool()?, flag.span))
    };
    let user = NAMES.iter().find_map(|name| configs.iter().rev().find_map(|c| of(c, name)));
    let admin = requirements.and_then(|r| NAMES.iter().find_map(|name| of(r, name)));
    let decided = admin.filter(|(on, _)| !on).or(user);
    let on = decided.is_none_or(|(on, _)| on);
    let set_by = decided.map(|(_, span)| loaded.sources.name(span.source).to_owned());
    let flags = NAMES.iter().flat_map(|name| configs.iter().rev().filter_map(move |config| of(config, name)));
    let over = flags.filter(|(flag, _)| *flag != on).map(|(flag, span)| (json!(flag), span)).next();
    let over = over.map(|(flag, span)| (flag, loaded.sources.name(span.source).to_owned()));
    let says = match (&set_by, on) {
        (None, _) => "hooks are on by default".to_owned(),
        (Some(file), true) => format!("{file} switches hooks on"),
        (Some(file), false) => format!("{file} switches every hook off, including those of other files"),
    };
    if !on {
        loaded.hooks_off = Some(says.clone());
        if let Some((_, span)) = decided {
            let note = Diagnostic::new(Code::HW207, "hooks are switched off here, including those of other files");
            loaded.notes.push(note.at(span).with_help("write hooks = true, or delete the line"));
        }
    }
    let span = decided.map(|(_, span)| span);
    let message = with_overruled(&says, over);
    loaded.switches.push(Switch { name: "features.hooks".to_owned(), value: json!(on), set_by, span, message });
    if let Some(only) = requirements.and_then(|r| r.get("allow_managed_hooks_only")) {
        let on = only.as_bool() == Some(true);
        let says = if on { "only the administrator's hooks run" } else { "hooks of all users may run" };
        loaded.switches.push(Switch {
            name: "allow_managed_hooks_only".to_owned(),
            value: only.to_value(),
            set_by: Some(loaded.sources.name(only.span.source).to_owned()),
            span: Some(only.span),
            message: says.to_owned(),
        });
    }
    // A common mistake: the key has no effect in these files.
    for config in configs {
        if let Some(entry) = config.entry("allow_managed_hooks_only") {
            let file = place.display_path(loaded.sources.path(entry.key_span.source));
            let says = format!("`allow_managed_hooks_only` has no effect in {file}");
            loaded.notes.push(
                Diagnostic::lowered(Code::HW702, Severity::Warning, says)
                    .at(entry.key_span)
                    .with_help("move it to requirements.toml"),
            );
        }
    }
}

/// Returns whether only the administrator's hooks run.
pub fn managed_only(requirements: Option<&ConfigNode>) -> bool {
    requirements.and_then(|r| r.get("allow_managed_hooks_only")).and_then(ConfigNode::as_bool) == Some(true)
}
