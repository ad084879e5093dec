//! The format of hooks in settings files, and of live answers. An unknown key makes a live answer invalid. Hooks in
//! `config.toml` run too, so hooks written to `hooks.json` are added to them.

use std::time::Duration;

use serde_json::Value;

use super::{discovery, events, layers};
use crate::kernel::formats::agent_formats;
use hookbench_base::config::Place;
use hookbench_base::dialects::settings_format::SettingsFormat;
use hookbench_base::hook::Layer;

agent_formats!("codex");

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    layer_file: file,
    runs_on: |kind, event| kind != "mcp_tool" || event != "SessionEnd",
    default_timeout: |_, event| Duration::from_secs(discovery::effective_timeout(event, None)),
    max_timeout: |event| events::is_short(event).then_some(Duration::from_secs(discovery::SHORT_MAX_TIMEOUT)),
    timeout: |_, limit| whole_seconds(limit),
    ..FORMATS.settings
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(format!("{}/hooks.json", layers::user_dir(place))),
        Layer::Project => Some(format!("{}/.codex/hooks.json", place.project)),
        _ => None,
    }
}

/// Rounds up to whole seconds, at least one: a fraction makes the whole file invalid.
fn whole_seconds(limit: Duration) -> (Value, Duration) {
    let whole = limit.as_secs() + u64::from(limit.subsec_nanos() > 0);
    (Value::from(whole.max(1)), Duration::from_secs(whole.max(1)))
}
