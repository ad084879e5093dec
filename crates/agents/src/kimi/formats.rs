//! The format of hooks in the user's settings, and of live answers.

use std::time::Duration;

use serde_json::Value;

use super::config;
use crate::kernel::formats::{agent_formats, silent_log};
use hookbench_base::config::Place;
use hookbench_base::debug_log::DebugLogFormat;
use hookbench_base::dialects::settings_format::{ListForm, SettingsFormat};
use hookbench_base::hook::Layer;

agent_formats!("kimi");

/// The list of hooks in the settings.
pub const LIST: ListForm = FORMATS.settings.list.unwrap();

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    layer_file: file,
    default_timeout: |_, _| config::DEFAULT_TIMEOUT,
    timeout: |_, limit| whole_limit(limit),
    ..FORMATS.settings
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    (layer == Layer::User).then(|| config::settings_file(place))
}

/// Whole seconds from 1 to 600.
fn whole_limit(limit: Duration) -> (Value, Duration) {
    let seconds = limit.as_secs_f64().ceil().clamp(1.0, config::LONGEST);
    let limit = Duration::from_secs_f64(seconds);
    (Value::from(limit.as_secs()), limit)
}

/// The log says nothing about hooks, also with `KIMI_LOG_LEVEL=trace` (measured on 2.1.0).
pub static DEBUG_LOG: DebugLogFormat = silent_log("kimi-log");
