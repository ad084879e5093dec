//! The format of hooks in settings files, and of live answers.

use super::config;
use crate::kernel::formats::{agent_formats, worded_log};
use hookbench_base::dialects::settings_format::{SettingsFormat, seconds};

agent_formats!("codebuddy");

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    syntax: config::SYNTAX,
    layer_file: config::layer_file,
    default_timeout: |_, _| config::DEFAULT_TIMEOUT,
    // Seconds with fractions, at least a millisecond: zero means the usual limit.
    timeout: |_, limit| {
        let value = seconds(limit.max(config::AT_ONCE));
        (value.clone(), config::limit(Some(&value)))
    },
    ..FORMATS.settings
};

worded_log!(config::user_dir);
