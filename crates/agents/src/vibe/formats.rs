//! The formats of the file of hooks and of live answers.

use super::config;
use crate::kernel::formats::{agent_formats, silent_log};
use hookbench_base::config::Place;
use hookbench_base::debug_log::DebugLogFormat;
use hookbench_base::dialects::settings_format::{ListForm, SettingsFormat};
use hookbench_base::hook::Layer;

agent_formats!("vibe");

/// The list of hooks in a file.
pub const LIST: ListForm = FORMATS.settings.list.unwrap();

pub static SETTINGS_FORMAT: SettingsFormat =
    SettingsFormat { layer_file: file, default_timeout: |_, _| config::DEFAULT_TIMEOUT, ..FORMATS.settings };

fn file(place: &Place, layer: Layer) -> Option<String> {
    config::hook_files(place).into_iter().find_map(|(of, path)| (of == layer).then_some(path))
}

/// The log says nothing about hooks, also with `LOG_LEVEL=DEBUG` (measured on 3.0.2).
pub static DEBUG_LOG: DebugLogFormat = silent_log("vibe-log");
