//! The format of `claudeHooks`, and empty formats for a program that was never released.

use super::{entries, layers};
use crate::kernel::formats::{agent_formats, silent_log};
use hookbench_base::config::Place;
use hookbench_base::debug_log::DebugLogFormat;
use hookbench_base::dialects::settings_format::SettingsFormat;
use hookbench_base::hook::Layer;

agent_formats!("qwen_legacy");

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    syntax: layers::SETTINGS,
    layer_file: file,
    default_timeout: |_, _| entries::DEFAULT_TIMEOUT,
    ..FORMATS.settings
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    match layer {
        Layer::User => Some(layers::user_file(place)),
        Layer::Project => Some(layers::project_file(place)),
        _ => None,
    }
}

/// No program writes a log, because none was released.
pub static DEBUG_LOG: DebugLogFormat = silent_log("qwen-legacy-log");
