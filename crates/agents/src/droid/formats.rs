//! The format of hooks in settings files, and of live answers.

use std::time::Duration;

use serde_json::Value;

use super::{launch, layers};
use crate::kernel::formats::agent_formats;
use hookbench_base::config::Place;
use hookbench_base::dialects::settings_format::{SettingsFormat, seconds};
use hookbench_base::hook::Layer;

agent_formats!("droid");

pub static SETTINGS_FORMAT: SettingsFormat = SettingsFormat {
    syntax: layers::SYNTAX,
    layer_file: file,
    default_timeout: |_, _| launch::DEFAULT,
    timeout: |_, limit| whole_limit(limit),
    ..FORMATS.settings
};

fn file(place: &Place, layer: Layer) -> Option<String> {
    layers::layer_dir(place, layer).map(|directory| format!("{directory}/{}", layers::SETTINGS))
}

/// Seconds with fractions; at least a millisecond, because zero means no limit.
fn whole_limit(limit: Duration) -> (Value, Duration) {
    let value = seconds(limit.max(Duration::from_millis(1)));
    let read = launch::limit(Some(&value)).unwrap_or(limit);
    (value, read)
}
