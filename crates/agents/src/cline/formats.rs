//! The format of hooks as files, and of live answers.

use super::config;
use crate::kernel::formats::{agent_formats, worded_log};
use hookbench_base::dialects::settings_format::{SettingsFormat, seconds};

agent_formats!("cline");

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    layer_file: |place, layer| config::hook_file(place, &place.project, layer, "PreToolUse").map(|file| file.path),
    // Settings cannot change the limit.
    default_timeout: |_, _| config::LIMIT,
    max_timeout: |_| Some(config::LIMIT),
    timeout: |_, _| (seconds(config::LIMIT), config::LIMIT),
    ..FORMATS.settings
};

worded_log!(config::user_dir);
