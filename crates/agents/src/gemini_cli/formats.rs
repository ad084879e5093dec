//! The format of hooks in settings files, and of live answers.

use std::time::Duration;

use serde_json::Value;

use super::{layers, timeout};
use crate::kernel::formats::agent_formats;
use hookbench_base::config::Place;
use hookbench_base::dialects::settings_format::SettingsFormat;
use hookbench_base::hook::Layer;

agent_formats!("gemini_cli");

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    syntax: layers::SETTINGS,
    layer_file: file,
    default_timeout: |_, _| timeout::DEFAULT,
    timeout: |_, limit| milliseconds(limit),
    ..FORMATS.settings
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(format!("{}/settings.json", layers::user_dir(place))),
        Layer::Project => Some(layers::NAMES.project_path(place)),
        _ => None,
    }
}

/// Clamps to whole milliseconds within the range of a Node.js timer.
fn milliseconds(limit: Duration) -> (Value, Duration) {
    let whole = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).clamp(1, 2_147_483_647);
    let value = Value::from(whole);
    let read = timeout::limit(Some(&value)).0;
    (value, read)
}
